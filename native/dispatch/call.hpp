// The boundary between the bindings and the code of one instruction set: plain data and function pointers.
#pragma once
#include <cstddef>

#include "dispatch/operation.hpp"
#include "geometry/pair_batch.hpp"
#include "ik/position_run.hpp"
#include "ik/predictive_run.hpp"
#include "simulation/run.hpp"

namespace tarsus {

enum Status { kOk, kNonFinite, kQuaternionNorm, kSingular, kOutOfMemory, kLoopOpen, kLoopSingular, kPairSingular };

// One call. The same structure describes a single state and a range of rows of a batch.
struct Call {
  const Operation* operation;  // a row of the instruction set's own table
  const Model* model;
  const void* plan;                    // prepared by the instruction set's table
  void* workspace;                     // made by the instruction set's table
  const double *q, *v, *a, *external;  // row-major; v, a, external may be null
  double* out;                         // every result of all rows, then the next result; of one row they follow each other
  const FrameTable* frames;
  int frame_count, expressed_in, passive;
  const ConstraintTable* constraints;  // of operations on constraints
  const VolumeCounts* volumes;         // of operations on volumes
  const double* drive;                 // motions or poses of obstacles given for this call, size_of_drive entries a row
  double alpha, beta, rank_tolerance;  // stabilisation, and what singular values of J count as zero
  long rows, begin, end;               // of a batch (1 for a single state), and those of this part
  // What went wrong, where:
  int status;
  int argument;  // 0 q, 1 v, 2 a, 3 external, 4 drive
  long row;
  int index;  // entry, node, closure, or pair of a constraint
};

struct OptimizationTable;  // optimization/quadratic_program.hpp
struct StepTable;          // ik/step_run.hpp
struct BodyTable;          // control/whole_body_run.hpp

struct KernelTable {
  const char* name;
  int lanes;
  const Operation* (*operation)(int index);  // the rows in their order, null after the last one
  void* (*make_plan)(const Model&);
  void (*free_plan)(void*);
  void* (*make_workspace)(const Model&);
  void (*free_workspace)(void*);
  void (*run_single)(Call&);
  void (*run_rows)(Call&);
  const SimulationTable* simulation;
  void (*solve_positions)(PositionRun&);
  const StepTable* stepping;
  const BodyTable* whole_body;
  const OptimizationTable* optimization;
  void (*pair_distances)(const PairBatch&, long begin, long end);  // rows [begin, end) of pairs of swept spheres
  void (*solve_predictive)(PredictiveRun&);
};

static inline Extent extent_of(const Call& call) { return {call.model, call.frame_count, call.constraints, call.volumes}; }
static inline size_t size_of_drive(const Call& call) {
  if (call.volumes) return (size_t)kPoseNumbers * call.volumes->obstacles;
  return call.constraints ? call.constraints->drives : 0;
}

}  // namespace tarsus
