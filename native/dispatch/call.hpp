// The boundary between the bindings and the code of one instruction set: plain data and function pointers.
#pragma once
#include <cstddef>

#include "model/model.hpp"

namespace tarsus {

enum Operation {
  kBodyPoses,
  kFramePoses,
  kFrameVelocity,
  kFrameAcceleration,
  kJacobian,
  kJacobianDot,
  kJacobianDotV,
  kJointScrews,
  kBodyJacobians,
  kCenterOfMass,
  kComJacobian,
  kMomentum,
  kMomentumMatrix,
  kInverseDynamics,
  kMassMatrix,
  kBiasForce,
  kGravityForce,
  kCoriolisMatrix,
  kSolveMass,
  kTorqueRegressor,
  kArticulatedBody,
  kCompositeBody,
  kKineticEnergy,
  kPotentialEnergy,
  kPassiveForce,
  kIntegrate,
  kDifference,
  kNormalize,
  kOperations
};

enum Status { kOk, kNonFinite, kQuaternionNorm, kSingular, kOutOfMemory };

// One call. The same structure describes a single state and a range of rows of a batch.
struct Call {
  int operation;
  const Model* model;
  const void* plan;                    // prepared by the instruction set's table
  void* workspace;                     // made by the instruction set's table
  const double *q, *v, *a, *external;  // row-major; v, a, external may be null
  double* out;
  const FrameTable* frames;
  int frame_count, expressed_in, passive;
  long begin, end;  // rows of a batch
  // What went wrong, where:
  int status;
  int argument;  // 0 q, 1 v, 2 a, 3 external
  long row;
  int index;  // entry, or node
};

struct KernelTable {
  const char* name;
  int lanes;
  void* (*make_plan)(const Model&);
  void (*free_plan)(void*);
  void* (*make_workspace)(const Model&);
  void (*free_workspace)(void*);
  void (*run_single)(Call&);
  void (*run_rows)(Call&);
};

// Entries of one result, and whether v (a) is an argument and how long it is.
struct OperationInfo {
  int v, a;  // 0 no, 1 nv entries, 2 nq entries
  bool external;
};
OperationInfo operation_info(int operation);
size_t result_size(int operation, const Model& m, int frame_count);

}  // namespace tarsus
