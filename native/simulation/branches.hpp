// Loops with several independent joints are followed from the reference to each configuration by itself: two configurations one
// step apart may come out on different branches where a dead point lies between their ways. Within a run that is a jump: the
// dependents are not where their slopes take them.
#pragma once
#include "simulation/robot.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kBranchJump = 0.5;    // deviation from the mean slope, relative to the motion, that is another branch
constexpr double kBranchNoise = 1e-6;  // [rad or m] that are none

// Lanes in which the dependents of c are not where the mean of both slopes takes them from the closure that was kept.
template <class T>
inline int jumped_lanes(const Robot<T>& r, const Closure& c) {
  const Model& m = r.model;
  const int nd = c.dependents;
  T deviation = broadcast<T>(0.0), motion = deviation;
  auto moved = [&](int k) { return T(r.ws.tree_q[c.coordinate[k]] - r.kept_q[c.coordinate[k]]); };
  for (int j = 0; j < c.independents; ++j) motion = larger_magnitude(motion, moved(nd + j));
  for (int k = 0; k < nd; ++k) {
    const bool ball = k + 2 < nd && c.coordinate[k] == c.coordinate[k + 1];
    if (ball) {
      k += 2;
      continue;
    }
    T mean = broadcast<T>(0.0);
    for (int j = 0; j < c.independents; ++j) {
      const int e = m.row[c.dof[k]] + j;
      mean = mean + (0.5 * (r.ws.coupling[e] + r.kept_coupling[e])) * moved(nd + j);
    }
    motion = larger_magnitude(motion, mean);
    deviation = larger_magnitude(deviation, T(moved(k) - mean));
  }
  int jumped = 0;
  for (int l = 0; l < lanes<T>; ++l) {
    if (!(lane(deviation, l) <= kBranchJump * lane(motion, l) + kBranchNoise)) jumped |= 1 << l;
  }
  return jumped;
}

// Keeps the closure that was evaluated last, for states that follow.
template <class T>
inline void keep_branches(Robot<T>& r) {
  if (!r.kept_q) return;
  for (int k = 0; k < r.model.tree_nq; ++k) r.kept_q[k] = r.ws.tree_q[k];
  for (int e = 0; e < r.model.entries; ++e) r.kept_coupling[e] = r.ws.coupling[e];
  r.branches_kept = true, r.keeps_next = false;
}

// Compares the closure that was evaluated last with the one that was kept, and keeps it where it begins a step.
template <class T>
inline void compare_branches(Robot<T>& r) {
  if (!r.kept_q) return;
  for (int i = r.model.followers; r.branches_kept && i < r.model.closures; ++i) {
    const Closure& c = r.model.closure[i];
    if (c.kind == kLoopClosure && c.table_size == 0) note_failure(r.ws, i, jumped_lanes(r, c), kOtherBranch);
  }
  if (r.keeps_next) keep_branches(r);
}

}  // namespace tarsus::TARSUS_ISA
