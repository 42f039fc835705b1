// Loops with several independent joints, followed from the reference configuration along a straight line of the independent
// coordinates: the branch is the one that continues the reference without a jump. Each step starts on the tangent; one that ends
// far from it has left the branch and is taken again in halves (src/tarsus/model/loops/path_table.py does the same for tables).
#pragma once
#include "kernels/loops/loop_solver.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kPathStep = 0.25;           // [rad or m] of the independent joints
constexpr int kPathSteps = 200;              // at most, where nothing goes wrong
constexpr double kJump = 0.25;               // deviation from the tangent, relative to the step, that is another branch
constexpr double kShortestPart = 1.0 / 64;   // of a step, below which a loop counts as not closing any more
constexpr double kSmallestDeviation = 1e-9;  // [rad or m] that Newton's method leaves

// Memory of a path behind that of the equations.
template <class T>
struct LoopPath {
  T *target, *before, *tangent, *result, *slope;
  LoopPath(const Closure& c, const LoopEquations<T>& e)
      : target(e.combined + c.kept),
        before(target + c.independents),
        tangent(before + 4 * (size_t)c.dependents),
        result(tangent + 4 * (size_t)c.dependents),
        slope(result + 4 * (size_t)c.dependents) {}
};

// Calls f(place of a coordinate in the tree, running number) for all coordinates of the dependents.
template <class F>
inline void for_dependents(const Closure& c, F f) {
  for (int k = 0, n = 0; k < c.dependents; ++k) {
    const bool ball = k + 2 < c.dependents && c.coordinate[k] == c.coordinate[k + 1];
    for (int i = 0; i < (ball ? 4 : 1); ++i) f(c.coordinate[k] + i, n++);
    k += ball ? 2 : 0;
  }
}

// Distance of each lane's independent coordinates from the reference.
template <class T>
inline T path_length(const Model& m, const Closure& c, const T* target) {
  T longest = broadcast<T>(0.0);
  for (int j = 0; j < c.independents; ++j)
    longest = larger_magnitude(longest, T(target[j] - m.reference_q[c.coordinate[c.dependents + j]]));
  return longest;
}

// One step of the independent coordinates from `from` to `to` (0 reference, 1 target) with the slopes of the dependents. Returns
// the lanes in which the loop does not close, or closes away from the tangent.
template <class T>
inline int path_step(const Model& m, const Closure& c, Workspace<T>& ws, const LoopPath<T>& path, double from, double to,
                     T* tree_q) {
  const int nd = c.dependents, ni = c.independents;
  T *step = ws.force, longest = broadcast<T>(0.0);
  for (int k = 0; k < nd; ++k) step[k] = broadcast<T>(0.0);
  for (int j = 0; j < ni; ++j) {
    const int place = c.coordinate[nd + j];
    const T way = path.target[j] - m.reference_q[place], moved = (to - from) * way;
    tree_q[place] = to < 1.0 ? m.reference_q[place] + to * way : path.target[j];
    longest = larger_magnitude(longest, moved);
    for (int k = 0; k < nd; ++k) step[k] = step[k] + path.slope[k * ni + j] * moved;
  }
  T swing = broadcast<T>(0.0), deviation = swing;
  for (int k = 0; k < nd; ++k) swing = larger_magnitude(swing, step[k]);
  move_dependents(c, step, tree_q);
  for_dependents(c, [&](int place, int n) { path.tangent[n] = tree_q[place]; });
  int bad = newton(m, c, ws, tree_q);
  for_dependents(c, [&](int place, int n) { deviation = larger_magnitude(deviation, T(tree_q[place] - path.tangent[n])); });
  for (int l = 0; l < lanes<T>; ++l) {
    if (!(lane(deviation, l) <= kJump * (lane(longest, l) + lane(swing, l)) + kSmallestDeviation)) bad |= 1 << l;
  }
  return bad;
}

template <class T>
inline void start_at_reference(const Model& m, const Closure& c, const LoopPath<T>& path, T* tree_q) {
  for_dependents(c, [&](int place, int) { tree_q[place] = broadcast<T>(m.reference_q[place]); });
  for (int k = 0; k < c.dependents * c.independents; ++k) path.slope[k] = broadcast<T>(c.slope[k]);
}

// Slopes of the dependents at a closed configuration; false where the loop is singular.
template <class T>
inline bool slopes_of(const Model& m, const Closure& c, Workspace<T>& ws, const T* tree_q, const LoopPath<T>& path) {
  const LoopEquations<T> e(c, ws.closure);
  const int nd = c.dependents, ni = c.independents;
  place_loop(m, c, ws, tree_q);
  fill_equations(c, ws, tree_q, e);
  if (orthogonalise(e, ni) != 0) return false;
  for (int j = 0; j < ni; ++j) {
    back_substitute(e, nd + j, ws.force, 1);
    for (int k = 0; k < nd; ++k) path.slope[k * ni + j] = -ws.force[k];
  }
  return true;
}

// The whole way for one state, which is in all lanes. Returns whether it ends on a closed loop.
template <class T>
inline bool follow_path(const Model& m, const Closure& c, Workspace<T>& ws, const LoopPath<T>& path, T* tree_q) {
  const double length = lane(path_length(m, c, path.target), 0);
  const double widest = length < kPathStep * kPathSteps ? 1.0 / (1 + static_cast<int>(length / kPathStep)) : 1.0 / kPathSteps;
  double at = 0.0, width = widest;
  start_at_reference(m, c, path, tree_q);
  while (true) {
    const double next = at + 1.5 * width < 1.0 ? at + width : 1.0;  // the last step may be a little longer
    for_dependents(c, [&](int place, int n) { path.before[n] = tree_q[place]; });
    if (path_step(m, c, ws, path, at, next, tree_q) != 0) {
      for_dependents(c, [&](int place, int n) { tree_q[place] = path.before[n]; });
      width *= 0.5;
      if (width < kShortestPart * widest) return false;
      continue;
    }
    if (next == 1.0) return true;
    if (!slopes_of(m, c, ws, tree_q, path)) return false;
    at = next;
    width = 2.0 * width < widest ? 2.0 * width : widest;
  }
}

// Closes the loops of c: dependent entries of tree_q from the independent ones. Returns the lanes that stay open. Lanes do not
// depend on each other: those that one step from the reference does not close are followed one by one.
template <class T>
inline int close_loops(const Model& m, const Closure& c, Workspace<T>& ws, T* tree_q) {
  if (c.table_size > 0) {
    start_from_table(c, tree_q);
    return newton(m, c, ws, tree_q);
  }
  const LoopPath<T> path(c, LoopEquations<T>(c, ws.closure));
  T* const target = ws.force2;
  for (int j = 0; j < c.independents; ++j) target[j] = path.target[j] = tree_q[c.coordinate[c.dependents + j]];
  const T length = path_length(m, c, path.target);
  int far = 0, open = 0;
  for (int l = 0; l < lanes<T>; ++l) far |= !(lane(length, l) < kPathStep) << l;
  if (far != (1 << lanes<T>)-1) {
    start_at_reference(m, c, path, tree_q);
    far |= path_step(m, c, ws, path, 0.0, 1.0, tree_q);
  }
  if (far == 0) return 0;
  for_dependents(c, [&](int place, int n) { path.result[n] = tree_q[place]; });
  for (int l = 0; l < lanes<T>; ++l) {
    if (!(far >> l & 1)) continue;
    for (int j = 0; j < c.independents; ++j) path.target[j] = broadcast<T>(lane(target[j], l));
    if (!follow_path(m, c, ws, path, tree_q)) open |= 1 << l;
    for_dependents(c, [&](int place, int n) { set_lane(path.result[n], l, lane(tree_q[place], l)); });
  }
  for_dependents(c, [&](int place, int n) { tree_q[place] = path.result[n]; });
  for (int j = 0; j < c.independents; ++j) tree_q[c.coordinate[c.dependents + j]] = target[j];
  return open;
}

}  // namespace tarsus::TARSUS_ISA
