// One step of velocity-level inverse kinematics of a batch of robots, as plain data: what the bindings hand to the code of one
// instruction set.
//   minimise |A v - b|^2 + damping |v|^2 of the last level, with A v of the levels before it as they ask where that is possible,
//   else as the same minimum gives it, within lower <= v <= upper, and rows of joints that follow others and of the caller; then
//   q <- q + v dt
#pragma once
#include "model/model.hpp"
#include "model/tasks.hpp"

namespace tarsus {

// How a step ended. Of the last two, arguments are bad; the bindings raise.
enum StepStatus { kStepSolved, kStepHeldBack, kStepInfeasible, kStepLoopOpen, kStepFailed, kStepNotFinite, kStepBadNorm };
constexpr const char* kStepStatusNames[] = {"solved", "held back", "infeasible", "loop open", "failed", "not finite", "bad norm"};

// Limits of joints: the equations of src/tarsus/ik/velocity/joint_limits.py.
struct StepLimits {
  bool bounded;                 // there are any
  int flats;                    // independent coordinates that are plain numbers and have limits of position:
  const int *flat_q, *flat_v;   // their places,
  const double *q_min, *q_max;  // and limits
  const double *v_max, *a_max;  // nv, infinite where there are none
  double share;                 // of the way to a limit that a step may take, where accelerations are free
  int followers;                // joints that follow others and have limits of their own:
  const int *follower_q, *follower_v;
  const double *follower_min, *follower_max, *follower_speed;
};

// What all robots of a batch share.
struct StepProblem {
  const Model* model;
  const TaskTable* tasks;  // of all levels, one after the other
  int levels;
  const int* level_end;  // rows up to the end of each level
  const double* gain;    // rows [1/s]
  double dt, damping;
  StepLimits limits;
  int extra;  // rows of the caller, at most
};

struct StepRun {
  const StepProblem* problem;
  // Arrays of the batch, one row a robot; those of stride 0 serve all.
  const double *q, *before;  // nq; nv: velocities of the step before, null where there are none
  const double *target, *velocity;
  size_t target_stride, velocity_stride;
  int extra;  // rows C v of the caller
  const double *C, *lower, *upper;
  signed char* side;  // nv + rows: bounds that the last step ended at; null to begin without
  // Results.
  double *next, *v, *missed;  // nq, nv, rows: A v - b without weights
  int* status;
  long begin, end;  // of this part
};

// Functions of one instruction set; memory is `bytes` long and aligned to 64 bytes.
struct StepTable {
  size_t (*bytes)(const StepProblem&);
  void (*prepare)(const StepProblem&, void* memory);  // once
  void (*run)(const StepRun&, void* memory);
};

// Entries of StepRun::side.
static inline int step_sides(const StepProblem& p) {
  const int upper = p.levels > 1 ? p.level_end[p.levels - 2] : 0;
  return (p.limits.bounded ? p.model->nv : 0) + upper + p.limits.followers + p.extra;
}

}  // namespace tarsus
