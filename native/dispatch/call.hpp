// The boundary between the bindings and the code of one instruction set: plain data and function pointers.
#pragma once
#include <cstddef>

#include "model/constraints.hpp"
#include "model/model.hpp"
#include "simulation/run.hpp"

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
  kJointPositions,
  kJointVelocities,
  kCouplingMatrix,
  // Other formulations of forward and inverse dynamics, in formulations.cpp:
  kNewtonEuler,
  kNewtonEulerSparse,
  kCompositeBodySparse,
  kDenoc,
  kGauss,
  kInverseNewtonEuler,
  kInverseDenoc,
  kInverseGauss,
  kFloatingInverseDynamics,
  // Partial derivatives, in derivatives.cpp:
  kInverseDynamicsDerivatives,
  kForwardDynamicsDerivatives,
  kJacobianDerivative,
  // Constraints by multipliers, in constrained.cpp:
  kConstraintRows,
  kMultipliersSparse,
  kMultipliersRecursive,
  kMultipliersRuns,
  kMultipliersDense,
  kOperations
};

enum Status { kOk, kNonFinite, kQuaternionNorm, kSingular, kOutOfMemory, kLoopOpen, kLoopSingular, kPairSingular };

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
  const ConstraintTable* constraints;  // of operations on constraints
  const double* drive;                 // motions given for this call, ConstraintTable::drives entries a row
  double alpha, beta, rank_tolerance;  // stabilisation, and what singular values of J count as zero
  long begin, end;                     // rows of a batch
  // What went wrong, where:
  int status;
  int argument;  // 0 q, 1 v, 2 a, 3 external, 4 drive
  long row;
  int index;  // entry, node, closure, or pair of a constraint
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
  const SimulationTable* simulation;
};

// Which arguments an operation has beside q, and how long v and a are: 0 none, 1 nv entries, 2 nq entries, 3 nv entries without
// those of the base.
struct OperationInfo {
  unsigned char v, a;
  bool external;  // wrenches are an argument, too
};
constexpr OperationInfo kOperationInfo[kOperations] = {
    {0, 0, false},  // body poses
    {0, 0, false},  // frame poses
    {1, 0, false},  // frame velocity
    {1, 1, false},  // frame acceleration
    {0, 0, false},  // jacobian
    {1, 0, false},  // jacobian dot
    {1, 0, false},  // jacobian dot v
    {0, 0, false},  // joint screws
    {0, 0, false},  // body jacobians
    {0, 0, false},  // center of mass
    {0, 0, false},  // com jacobian
    {1, 0, false},  // momentum
    {0, 0, false},  // momentum matrix
    {1, 1, true},   // inverse dynamics
    {0, 0, false},  // mass matrix
    {1, 0, false},  // bias force
    {0, 0, false},  // gravity force
    {1, 0, false},  // coriolis matrix
    {0, 1, false},  // solve mass
    {1, 1, false},  // torque regressor
    {1, 1, true},   // articulated body
    {1, 1, true},   // composite body
    {1, 0, false},  // kinetic energy
    {0, 0, false},  // potential energy
    {1, 0, false},  // passive force
    {1, 0, false},  // integrate
    {0, 2, false},  // difference
    {0, 0, false},  // normalize
    {0, 0, false},  // joint positions
    {1, 0, false},  // joint velocities
    {0, 0, false},  // coupling matrix
    {1, 1, true},   // newton-euler
    {1, 1, true},   // newton-euler-sparse
    {1, 1, true},   // composite-body-sparse
    {1, 1, true},   // denoc
    {1, 1, true},   // gauss
    {1, 1, true},   // inverse dynamics by newton-euler
    {1, 1, true},   // inverse dynamics by denoc
    {1, 1, true},   // inverse dynamics by gauss
    {1, 3, true},   // inverse dynamics of a floating base
    {1, 1, true},   // inverse dynamics derivatives
    {1, 1, true},   // forward dynamics derivatives
    {0, 0, false},  // jacobian derivative
    {1, 0, false},  // constraint rows
    {1, 1, true},   // constrained dynamics, sparse
    {1, 1, true},   // constrained dynamics, recursive
    {1, 1, true},   // constrained dynamics by runs
    {1, 1, true},   // constrained dynamics, dense
};

// Operations by where their code is compiled; static, because a shared inline function would be one for all instruction sets.
static inline constexpr bool is_formulation(int operation) {
  return operation >= kNewtonEuler && operation <= kFloatingInverseDynamics;
}
static inline constexpr bool is_derivative(int operation) {
  return operation >= kInverseDynamicsDerivatives && operation <= kJacobianDerivative;
}
static inline constexpr bool has_constraints(int operation) { return operation >= kConstraintRows && operation < kOperations; }
static inline constexpr bool has_multipliers(int operation) { return operation > kConstraintRows && operation < kOperations; }

// Entries of the argument a.
static inline size_t size_of_a(const OperationInfo& info, const Model& m) {
  return info.a == 2 ? m.nq : info.a == 3 ? m.nv - m.node[0].dof : m.nv;
}

// Entries of one result.
size_t result_size(int operation, const Model& m, int frame_count);
size_t result_size(const Call& call);

// Where the parts of a result with multipliers start: vdot, J^T lambda, lambda, wrenches (two times six numbers a pair), the
// number of independent rows, and by what share of their terms dependent rows contradict the others.
struct MultiplierResult {
  size_t joint_force, lambda, wrench, rank, contradiction, size;
};
static inline constexpr MultiplierResult multiplier_result(const Model& m, const ConstraintTable& c) {
  const size_t nv = m.nv, wrench = 2 * nv + c.rows, rank = wrench + 12 * (size_t)c.pairs;
  return {nv, 2 * nv, wrench, rank, rank + 1, rank + 2};
}

}  // namespace tarsus
