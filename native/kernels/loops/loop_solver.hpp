// Kinematic loops closed for their dependent joints: positions by Newton's method from a nearby start, then the matrix G of
// v_D = G v_I and its rate, Buschmann 2014 (3.66)-(3.69) for loops without a closed form. Conditions may be redundant: they are
// solved in the sense of least squares by orthogonalisation, which leaves the solution of compatible equations exact.
#pragma once
#include "kernels/kinematics/manifold.hpp"
#include "kernels/loops/regularity.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kNewtonSteps = 40;
constexpr double kLastStep = 1e-9;      // the next step of a quadratically converging iteration is below rounding
constexpr double kClosed = 1e-6;        // residual before the last step [m, rad]; more is a loop that does not close
constexpr double kSingularLoop = 1e-7;  // part of a column that is independent of the others: positions near it have 8 digits
constexpr double kLargestStep = 0.5;    // [rad or m] of one Newton step

template <class T>
inline T column_product(int rows, const T* a, const T* b) {
  T sum = broadcast<T>(0.0);
  for (int r = 0; r < rows; ++r) sum = sum + a[r] * b[r];
  return sum;
}

// Orthogonalises the dependent columns (modified Gram-Schmidt) and takes them out of the `others` columns that follow. The
// triangle keeps the factors: row j holds R_jk for the columns k. Returns lanes with a column that depends on the others.
template <class T>
inline int orthogonalise(const LoopEquations<T>& e, int others) {
  const size_t n = e.dependents, width = n + e.independents + 1;
  int singular = 0;
  for (size_t j = 0; j < n; ++j) {
    T* a = e.column(j);
    const T square = column_product(e.rows, a, a);
    T before = square;
    for (size_t i = 0; i < j; ++i) before = before + e.triangle[i * width + j] * e.triangle[i * width + j];
    T inverse = square;
    for (int l = 0; l < lanes<T>; ++l) {
      const bool independent = lane(square, l) > kSingularLoop * kSingularLoop * lane(before, l) && lane(square, l) > 0.0;
      if (!independent) singular |= 1 << l;
      set_lane(inverse, l, independent ? 1.0 / __builtin_sqrt(lane(square, l)) : 0.0);
    }
    for (int r = 0; r < e.rows; ++r) a[r] = inverse * a[r];
    e.triangle[j * width + j] = inverse;  // of the diagonal
    for (size_t k = j + 1; k < n + others; ++k) {
      const T share = column_product(e.rows, a, e.column(k));
      e.triangle[j * width + k] = share;
      T* b = e.column(k);
      for (int r = 0; r < e.rows; ++r) b[r] = b[r] - share * a[r];
    }
  }
  return singular;
}

// Solution of the triangular system for column k, into x (dependents, with a stride).
template <class T>
inline void back_substitute(const LoopEquations<T>& e, int k, T* x, int stride) {
  const int n = e.dependents, width = n + e.independents + 1;
  for (int j = n - 1; j >= 0; --j) {
    T sum = e.triangle[(size_t)j * width + k];
    for (int i = j + 1; i < n; ++i) sum = sum - e.triangle[(size_t)j * width + i] * x[i * stride];
    x[j * stride] = sum * e.triangle[(size_t)j * width + j];
  }
}

// Moves the dependent coordinates by `step` on their manifolds.
template <class T>
inline void move_dependents(const Closure& c, const T* step, T* tree_q) {
  for (int k = 0; k < c.dependents; ++k) {
    const bool ball = k + 2 < c.dependents && c.coordinate[k] == c.coordinate[k + 1];
    T* q = tree_q + c.coordinate[k];
    if (!ball) {
      q[0] = q[0] + step[k];
      continue;
    }
    T turned[4];
    turn_quaternion(q, Vec3<T>{step[k], step[k + 1], step[k + 2]}, turned);
    for (int i = 0; i < 4; ++i) q[i] = turned[i];
    k += 2;
  }
}

// Newton's method; returns the lanes that did not come to rest on a closed loop.
template <class T>
inline int newton(const Model& m, const Closure& c, Workspace<T>& ws, T* tree_q) {
  const LoopEquations<T> e(c, ws.closure);
  constexpr int all = (1 << lanes<T>)-1;
  T* step = ws.force;
  int open = all, still = 0;  // lanes at rest stay where they are, so that they do not depend on the others
  for (int iteration = 0; iteration < kNewtonSteps && open; ++iteration) {
    place_loop(m, c, ws, tree_q);
    fill_equations(c, ws, tree_q, e);
    // The residual takes the place of the first independent column.
    for (int r = 0; r < e.rows; ++r) e.column(c.dependents)[r] = e.residual()[r];
    T residual = broadcast<T>(0.0), largest = broadcast<T>(0.0);
    for (int r = 0; r < e.rows; ++r) residual = larger_magnitude(residual, e.residual()[r]);
    orthogonalise(e, 1);
    back_substitute(e, c.dependents, step, 1);
    for (int k = 0; k < c.dependents; ++k) largest = larger_magnitude(largest, step[k]);
    T damping = largest;
    bool moving = false;
    open = 0;
    for (int l = 0; l < lanes<T>; ++l) {
      const double length = lane(largest, l);
      set_lane(damping, l, still >> l & 1 ? 0.0 : length > kLargestStep ? -kLargestStep / length : -1.0);
      moving |= !(length < kLastStep);
      if (!(length < kLastStep && lane(residual, l) < kClosed)) open |= 1 << l;
      if (length < kLastStep) still |= 1 << l;
    }
    for (int k = 0; k < c.dependents; ++k) step[k] = damping * step[k];
    move_dependents(c, step, tree_q);
    if (!moving) break;
  }
  return open;
}

// Start of the iteration for one independent coordinate: cubic interpolation of the table.
template <class T>
inline void start_from_table(const Closure& c, T* tree_q) {
  const int nd = c.dependents, last = c.table_size - 1;
  for (int l = 0; l < lanes<T>; ++l) {
    double x = (lane(tree_q[c.coordinate[nd]], l) - c.first) / c.spacing, turns = 0.0;
    if (c.periodic) {
      turns = std::floor(x / last);
      x -= turns * last;
    }
    int knot = x > 0.0 ? static_cast<int>(x < last ? x : last) : 0;
    knot = knot < last ? knot : last - 1;
    const double t = x < 0.0 ? 0.0 : x > last ? 1.0 : x - knot;
    const double *a = c.table + 2 * (size_t)nd * knot, *b = a + 2 * nd, *end = c.table + 2 * (size_t)nd * last;
    for (int k = 0; k < nd; ++k) {
      const double y0 = a[2 * k], s0 = a[2 * k + 1] * c.spacing, y1 = b[2 * k], s1 = b[2 * k + 1] * c.spacing;
      const double d = y1 - y0;
      const double y = y0 + t * (s0 + t * ((3 * d - 2 * s0 - s1) + t * (s0 + s1 - 2 * d)));
      set_lane(tree_q[c.coordinate[k]], l, y + turns * (end[2 * k] - c.table[2 * k]));
    }
  }
}

// Solution x of A_D x = b for the orthogonalised dependents, in the sense of least squares; b is used up, column `place` of the
// triangle, not a dependent's, is overwritten.
template <class T>
inline void solve_dependents(const LoopEquations<T>& e, int place, T* b, T* x) {
  const int width = e.dependents + e.independents + 1;
  for (int k = 0; k < e.dependents; ++k) {
    const T share = column_product(e.rows, e.column(k), b);
    e.triangle[(size_t)k * width + place] = share;
    for (int r = 0; r < e.rows; ++r) b[r] = b[r] - share * e.column(k)[r];
  }
  back_substitute(e, place, x, 1);
}

// Rates of the entries of G into entry(dependent, independent), from the rates of the conditions' columns:
// A_D Gdot_j = -(Adot_I,j + Adot_D G_j), solved with the orthogonal columns that are there.
template <class T, class Entry>
inline void coupling_rates(const Model& m, const Closure& c, Workspace<T>& ws, const LoopEquations<T>& e, Entry entry) {
  const int nd = c.dependents;
  T* x = ws.force;
  for (int j = 0; j < c.independents; ++j) {
    T* b = e.rate_column(nd + j);
    for (int k = 0; k < nd; ++k) {
      const T g = ws.coupling[m.row[c.dof[k]] + j];
      for (int r = 0; r < e.rows; ++r) b[r] = b[r] + g * e.rate_column(k)[r];
    }
    solve_dependents(e, nd + j, b, x);
    for (int k = 0; k < nd; ++k) entry(k, j) = -x[k];
  }
}

// Entries of G (and of its rate, if velocities are given) of a closed loop, into the rows of its dependents. Returns the lanes
// in which the loop is singular, or too near to it for the caller: its independent joints do not determine the others.
template <class T>
inline int loop_coupling(const Model& m, const Closure& c, Workspace<T>& ws, const T* tree_q, const T* v) {
  const LoopEquations<T> e(c, ws.closure);
  const int nd = c.dependents, ni = c.independents;
  place_loop(m, c, ws, tree_q);
  fill_equations(c, ws, tree_q, e);
  const int singular = orthogonalise(e, ni);
  auto entry = [&](T* values, int k, int j) -> T& { return values[m.row[c.dof[k]] + j]; };
  T* x = ws.force;
  for (int j = 0; j < ni; ++j) {
    back_substitute(e, nd + j, x, 1);
    for (int k = 0; k < nd; ++k) entry(ws.coupling, k, j) = -x[k];
  }
  T* norm = ws.force2;
  const T steepness = loop_steepness(m, c, e, static_cast<const T*>(ws.coupling), norm);
  auto irregular = [&] {
    return any_steep(steepness) ? irregular_lanes(ws, steepness, loop_speeds(m, c, ws, v, static_cast<const T*>(norm))) : 0;
  };
  if (!v) return singular | irregular();
  for (int k = 0; k < nd; ++k) {
    T rate = broadcast<T>(0.0);
    for (int j = 0; j < ni; ++j) rate = rate + entry(ws.coupling, k, j) * v[m.column[m.row[c.dof[k]] + j]];
    ws.tree_v[c.dof[k]] = rate;
  }
  fill_rates(m, c, ws, ws.tree_v, e);
  coupling_rates(m, c, ws, e, [&](int k, int j) -> T& { return entry(ws.coupling_rate, k, j); });
  return singular | irregular();
}

}  // namespace tarsus::TARSUS_ISA
