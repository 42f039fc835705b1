// How well the independent joints of a loop determine the others. At a dead point of an independent joint (it turns back while
// the others go on) the slopes G of the dependents grow like 1/s, where s is the smallest part of a column of the closing
// conditions that is independent of the other columns, and errors of the independent coordinates reach G with the factor
//
//   steepness = |G| / s,   G in units of the columns of the conditions: of the order 1 far from a dead point, 1/s^2 near it.
//
// Where two branches merely cross, s is small and G is not: the motion goes on there. A dead point of a follower (its slope is
// zero) is none of the loop.
#pragma once
#include "kernels/loops/loop_conditions.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kSteep = 25.0;    // below this nothing is looked at: s = 0.2 at a dead point
constexpr double kResolved = 0.1;  // part of the dependents' speed that a step of fixed length may change by the slopes' change,
constexpr double kBending = 0.01;  // and the part from which on the step is told to be watched (Workspace::bending)

template <class T>
TARSUS_INLINE bool any_steep(const T& steepness) {
  bool steep = false;
  for (int l = 0; l < lanes<T>; ++l) steep |= !(lane(steepness, l) <= kSteep);
  return __builtin_expect(steep, 0);
}

// How the joints of a loop move, in units of the columns: the magnitude of Gdot v, and the largest of v and G v.
template <class T>
struct LoopSpeeds {
  T change, speed;
};

// Lanes in which a loop is too steep for the caller, or changes its slopes by too much in one of the caller's steps.
template <class T>
inline int irregular_lanes(Workspace<T>& ws, const T& steepness, const LoopSpeeds<T>& speeds) {
  int found = 0;
  for (int l = 0; l < lanes<T>; ++l) {
    const double steep = lane(steepness, l);
    if (steep <= kSteep) continue;  // and none that is not a number
    const double change = ws.time_step * lane(speeds.change, l), speed = lane(speeds.speed, l);
    const bool unresolved = change > kResolved * speed;
    if (change > kBending * speed) ws.bending |= 1 << l;
    if (!(steep <= ws.steepest) || unresolved) found |= 1 << l;
  }
  return found;
}

// Steepness of a loop whose dependent columns were orthogonalised (LoopEquations::triangle, inverses on the diagonal), with the
// entries of G in `coupling`. Writes the norms of all columns, dependents first.
template <class T>
inline T loop_steepness(const Model& m, const Closure& c, const LoopEquations<T>& e, const T* coupling, T* norm) {
  const int nd = c.dependents, ni = c.independents, width = nd + ni + 1;
  T spread = broadcast<T>(1.0), slope = broadcast<T>(0.0);  // 1 / s^2, |G|
  for (int k = 0; k < nd; ++k) {
    const T inverse = e.triangle[(size_t)k * width + k];
    T before = broadcast<T>(0.0);
    for (int i = 0; i < k; ++i) before = before + e.triangle[(size_t)i * width + k] * e.triangle[(size_t)i * width + k];
    const T ratio = before * inverse * inverse;
    norm[k] = sqrt_of(T(1.0 + ratio)) / inverse;
    spread = larger_magnitude(spread, T(1.0 + ratio));
  }
  for (int j = 0; j < ni; ++j) {
    const T* rest = e.column(nd + j);
    T square = broadcast<T>(1e-300);
    for (int k = 0; k < nd; ++k)
      square = square + e.triangle[(size_t)k * width + nd + j] * e.triangle[(size_t)k * width + nd + j];
    for (int r = 0; r < e.rows; ++r) square = square + rest[r] * rest[r];
    norm[nd + j] = sqrt_of(square);
    const T inverse = 1.0 / norm[nd + j];
    for (int k = 0; k < nd; ++k) slope = larger_magnitude(slope, T(coupling[m.row[c.dof[k]] + j] * norm[k] * inverse));
  }
  return slope * sqrt_of(spread);
}

// The speeds of a loop without a closed form; v is null for a state at rest, else ws.tree_v and ws.coupling_rate are there.
template <class T>
inline LoopSpeeds<T> loop_speeds(const Model& m, const Closure& c, const Workspace<T>& ws, const T* v, const T* norm) {
  const int nd = c.dependents, ni = c.independents;
  LoopSpeeds<T> found{broadcast<T>(0.0), broadcast<T>(0.0)};
  if (!v) return found;
  for (int k = 0; k < nd; ++k) {
    const int row = m.row[c.dof[k]];
    T change = broadcast<T>(0.0);
    for (int j = 0; j < ni; ++j) change = change + ws.coupling_rate[row + j] * v[m.column[row + j]];
    found.change = larger_magnitude(found.change, T(norm[k] * change));
    found.speed = larger_magnitude(found.speed, T(norm[k] * ws.tree_v[c.dof[k]]));
  }
  for (int j = 0; j < ni; ++j) {
    found.speed = larger_magnitude(found.speed, T(norm[nd + j] * v[m.column[m.row[c.dof[0]] + j]]));
  }
  return found;
}

}  // namespace tarsus::TARSUS_ISA
