// Position-level inverse kinematics of a batch of targets, as plain data: what the bindings hand to the code of one instruction
// set. Arrays of the batch have one entry, or one row, for each member.
#pragma once
#include "model/model.hpp"
#include "model/tasks.hpp"

namespace tarsus {

// How a start ended; the names are those of src/tarsus/ik/position/answer.py.
enum PositionStatus { kPositionSolved, kPositionStuck, kPositionLimited, kPositionExhausted };
constexpr const char* kPositionStatusNames[] = {"solved", "no way down", "limits in the way", "iteration limit"};

struct PositionRun {
  const Model* model;
  const TaskTable* tasks;
  const double *q0, *target;  // starts, and numbers of the targets
  const double* posture;      // postures x nq: further starts, shared by all
  int postures;
  int kept;  // coordinates that further starts take from q0:
  const int* kept_q;
  int bounds;  // coordinates with limits:
  const int *bound_q, *bound_v;
  const double *lower, *upper;
  double tolerance;
  int max_iterations;
  int first, starts;  // starts [first, starts) are made; where first is above 0, results hold what those before found
  // Results; `worst` is the row with the largest error.
  double *q, *residual;
  int *status, *iterations, *tried, *worst;
  // Asked for now and then: true ends the run. May be null.
  bool (*interrupted)(void* caller);
  void* caller;
  long begin, end;  // of this part
  bool out_of_memory;
};

}  // namespace tarsus
