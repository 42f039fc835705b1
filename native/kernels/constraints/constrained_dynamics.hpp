// Accelerations and constraint forces, Buschmann 2014 section 3.4: what all methods share before and after the multipliers.
#pragma once
#include "kernels/constraints/constraint_rows.hpp"
#include "kernels/constraints/multipliers_dense.hpp"
#include "kernels/constraints/multipliers_recursive.hpp"
#include "kernels/constraints/multipliers_runs.hpp"
#include "kernels/constraints/multipliers_sparse.hpp"
#include "kernels/formulations/composite_body_sparse.hpp"

namespace tarsus::TARSUS_ISA {

enum MultiplierMethod { kNoMultipliers, kSparseMultipliers, kRecursiveMultipliers, kRunsMultipliers, kDenseMultipliers };

// Results in their order: vdot, J^T lambda, lambda, wrenches (two times six numbers a pair), the number of independent rows,
// and by what share of their terms dependent rows contradict the others.
enum MultiplierResult { kVdot, kJointForce, kLambda, kWrenches, kRank, kContradiction };

// Memory of one evaluation; `take` hands out consecutive pieces of T.
template <class T>
struct ConstrainedSpace {
  RowSpace<T> rows;
  IndependentRows<T> independent;
  RecursionSpace<T> recursion;
  T *jacobian, *target, *rest;  // rows x nv (the tree's own for trees), rows, rows
  T *Y, *G;                     // (rows + 1) x (nv + 1), rows x rows
  T *mass, *reduced;            // of the tree, packed or square; of independent coordinates
  T *force, *vdot;              // nv, tree_nv
  T* cluster;
  double* numbers;

  // Assigns the pieces; returns the entries needed (memory may be null).
  static size_t layout(ConstrainedSpace& s, MultiplierMethod method, const Model& m, const ConstraintTable& c, T* memory) {
    size_t used = 0;
    auto take = [&]<class U>(U*& array, size_t count) {
      array = reinterpret_cast<U*>(memory + used);
      used += (count * sizeof(U) + sizeof(T) - 1) / sizeof(T);
    };
    const size_t rows = c.rows, n = m.tree_nv, nv = m.nv;
    take(s.rows.violation, rows), take(s.rows.velocity, rows), take(s.rows.bias, rows), take(s.rows.jacobian, rows * n);
    take(s.rows.wrench, rows), take(s.rows.acceleration, m.nodes);
    s.jacobian = s.rows.jacobian;
    if (m.coupled) take(s.jacobian, rows * nv);
    if (method == kNoMultipliers) return used;
    IndependentRows<T>& i = s.independent;
    const size_t largest = c.largest_component;
    take(i.factor, c.component_squares), take(i.square, largest * largest), take(i.row, nv + 2 * largest);
    take(i.order, rows), take(i.rank, c.components), take(i.taken, rows), take(i.place, rows);
    take(s.target, rows), take(s.rest, rows), take(s.Y, (rows + 1) * (nv + 1)), take(s.G, rows * rows);
    take(s.force, nv), take(s.vdot, n);
    s.mass = s.reduced = s.cluster = nullptr, s.numbers = nullptr;
    if (method == kSparseMultipliers && !m.coupled) take(s.mass, packed_tables_size(m) + packed_rows_size(m));
    if (method == kDenseMultipliers || (method == kSparseMultipliers && m.coupled)) take(s.mass, n * n), take(s.reduced, nv * nv);
    if (method == kDenseMultipliers) take(s.numbers, (nv + rows) * (nv + rows + 1));
    if (method == kRunsMultipliers && m.coupled) take(s.cluster, m.cluster_memory);
    if (method == kRecursiveMultipliers) {
      take(s.recursion.open, c.opens), take(s.recursion.closing, rows), take(s.recursion.felt, c.open_dofs);
      take(s.recursion.group, c.group_memory), take(s.recursion.g, rows);
      s.recursion.G = s.G;
    }
    return used;
  }
};

// The wrenches of a pair on both bodies at their origins, world axes.
template <class T>
inline void put_wrench(const Model& m, const Workspace<T>& ws, const ConstraintPair& pair, const Screw<T>& total, T* out) {
  const Placed<T> X = root_pose(m, ws), world = inverse_pose(X);
  double sign = -1.0;
  const ConstraintEnd* const ends[] = {&pair.a, &pair.b};
  for (const ConstraintEnd* end : ends) {
    Vec3<T> origin = world.p;
    if (end->node >= 0) {
      const Placed<T>& N = ws.pose[end->node];
      const double* p = end->body_position;
      origin = N.p + p[0] * N.R.a + p[1] * N.R.b + p[2] * N.R.c;
    }
    const Vec3<T> f = sign * to_parent(X.R, total.linear);
    const Vec3<T> n = sign * to_parent(X.R, Vec3<T>(total.angular - cross(origin, total.linear)));
    const T entries[6] = {f.x, f.y, f.z, n.x, n.y, n.z};
    for (int k = 0; k < 6; ++k) out[k] = entries[k];
    out += 6, sign = 1.0;
  }
}

// What dependent rows lack, then multipliers of all rows and by what share of their terms rows contradict each other.
template <class T>
inline T judge_dependents(const Model& m, const ConstraintTable& c, const ConstrainedSpace<T>& s, const T* v, const T* vdot,
                          T* lambda) {
  const size_t nv = m.nv;
  T scale = broadcast<T>(1e-6), largest = broadcast<T>(0.0);
  for (size_t k = 0; k < nv; ++k) scale = larger_magnitude(scale, T(v[k] * v[k]));  // the bias is a sum of such products
  for (int b = 0; b < c.blocks; ++b) {
    for (int r = c.block[b].first; r < c.block[b].first + c.block[b].rows; ++r) {
      const T* J = s.jacobian + r * nv;
      T sum = broadcast<T>(0.0), terms = larger_magnitude(sum, s.target[r]);
      for_columns(c, c.block[b].own, [&](int k) TARSUS_LAMBDA {
        const T x = J[k] * vdot[k];
        sum = sum + x, terms = terms + larger_magnitude(broadcast<T>(0.0), x);
      });
      scale = larger_magnitude(scale, terms);
      s.rest[r] = s.independent.place[r] < 0 ? s.target[r] - sum : broadcast<T>(0.0);
    }
  }
  spread_multipliers(c, s.independent, lambda, s.rest);
  for (int r = 0; r < c.rows; ++r) largest = larger_magnitude(largest, s.rest[r]);
  return largest / scale;
}

// Everything that follows from the multipliers of independent rows, into x.out.
template <class T>
inline void put_result(const Context<T>& x, const MultiplierProblem<T>& problem, const ConstrainedSpace<T>& s) {
  const Model& m = x.model;
  const ConstraintTable& c = *x.constraints;
  const size_t* at = x.offset;
  T *lambda = x.out + at[kLambda], *force = x.out + at[kJointForce], *contradiction = x.out + at[kContradiction];
  for (int k = 0; k < m.nv; ++k) force[k] = broadcast<T>(0.0);
  for_taken(problem, [&](int, int r, const RowBlock& b) TARSUS_LAMBDA {
    const T *J = s.jacobian + (size_t)r * m.nv, share = lambda[r];
    for_columns(c, b.own, [&](int k) TARSUS_LAMBDA { force[k] = force[k] + share * J[k]; });
  });
  const T* vdot = x.out + at[kVdot];
  *contradiction = broadcast<T>(0.0);
  if (s.independent.count < c.rows) *contradiction = judge_dependents(m, c, s, x.independent_v, vdot, lambda);
  x.out[at[kRank]] = broadcast<T>(s.independent.count);
  for (int i = 0; i < c.pairs; ++i) {
    const ConstraintPair& pair = c.pair[i];
    Screw<T> total{zero3<T>(), zero3<T>()};
    for (int r = pair.first; r < pair.first + pair.rows; ++r) total += lambda[r] * s.rows.wrench[r];
    put_wrench(m, x.ws, pair, total, x.out + at[kWrenches] + 12 * (size_t)i);
  }
}

}  // namespace tarsus::TARSUS_ISA
