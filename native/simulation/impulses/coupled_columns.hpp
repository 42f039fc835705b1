// Columns of motions (impulse_response.hpp) in a robot whose rows take part in every response to an impulse: constraints, springs
// between points (step/couplings.hpp), and contacts between bodies whose force follows from the state (step/pair_resistance.hpp).
//
// Impulses move it by W = A (1 + C)^-1 A^T, with C = sum c g^T g of what resists softly, g the row in the columns, within the
// null space of the hard rows G. With 1 + C = L L^T and an orthonormal basis Q of L^-1 G^T,
//
//   W = A' A'^T,   A' = A L^-T (1 - Q Q^T),
//
// so that impulses are solved for in the columns A' as in any others.
#pragma once
#include "simulation/impulses/touching_motions.hpp"
#include "simulation/step/pair_resistance.hpp"

namespace tarsus::TARSUS_ISA {

// Whether the present solve has such rows.
template <class T>
TARSUS_INLINE bool has_coupled_columns(const Robot<T>& r) {
  return r.couplings.count > 0 || r.pairs.acts;
}

// 1 + C, from the last solve.
template <class T>
inline void add_soft_rows(Robot<T>& r, double dt) {
  const int n = r.model.nv;
  T *matrix = r.coupled.matrix, *row = r.coupled.row;
  const T zero = broadcast<T>(0.0), *root = r.response.root;
  for (int i = 0; i < n * n; ++i) matrix[i] = zero;
  for (int i = 0; i < n; ++i) matrix[i * n + i] = broadcast<T>(1.0);
  if (r.pairs.acts) {
    add_pair_resistances(r, dt);
    const PairSystem<T>& p = r.pairs;
    for (int d = 0; d < n; ++d) {
      for (int e = 0; e < n; ++e) {
        if (p.place[d] >= 0 && p.place[e] >= 0) matrix[d * n + e] = p.matrix[(size_t)p.place[d] * p.columns + p.place[e]];
      }
    }
  }
  for (int k = 0; k < r.couplings.count; ++k) {
    const T resist = select<T>(r.couplings.row[k].hard, zero, r.couplings.row[k].resist), *y = r.couplings.sent_by(k);
    if (!any<T>(less<T>(zero, resist))) continue;
    for (int d = 0; d < n; ++d) row[d] = root[d] * y[d];
    for (int d = 0; d < n; ++d) {
      const T f = resist * row[d];
      for (int e = 0; e <= d; ++e) matrix[d * n + e] = matrix[d * n + e] + f * row[e];
    }
  }
}

// Takes what x (nv) has along the basis off it.
template <class T>
inline void take_off_basis(const Robot<T>& r, int vectors, T* x) {
  const int n = r.model.nv;
  for (int k = 0; k < vectors; ++k) {
    const T* b = r.coupled.basis + (size_t)k * n;
    T along = broadcast<T>(0.0);
    for (int d = 0; d < n; ++d) along = along + b[d] * x[d];
    for (int d = 0; d < n; ++d) x[d] = x[d] - along * b[d];
  }
}

// Q; rows that follow from those before, or do not act, leave a vector of zeros. Returns the number of vectors.
template <class T>
inline int find_basis(Robot<T>& r) {
  const int n = r.model.nv;
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), *root = r.response.root;
  int vectors = 0;
  auto square = [&](const T* x) TARSUS_LAMBDA {
    T sum = zero;
    for (int d = 0; d < n; ++d) sum = sum + x[d] * x[d];
    return sum;
  };
  for (int k = 0; k < r.couplings.count; ++k) {
    const auto hard = r.couplings.row[k].hard;
    if (!any<T>(hard)) continue;
    T* x = r.coupled.basis + (size_t)vectors * n;
    for (int d = 0; d < n; ++d) x[d] = root[d] * r.couplings.sent_by(k)[d];
    cholesky_forward(n, static_cast<const T*>(r.coupled.matrix), x);
    const T before = square(x);
    for (int twice = 0; twice < 2; ++twice) take_off_basis(r, vectors, x);  // the second time for what rounding left
    const T left = square(x);
    const auto taken = hard & less<T>(zero, before) & less<T>(kFollowingRow * before, left);
    const T per = select<T>(taken, 1.0 / sqrt_of<T>(select<T>(taken, left, one)), zero);
    for (int d = 0; d < n; ++d) x[d] = per * x[d];
    ++vectors;
  }
  return vectors;
}

// A' of all motions in place of A; each has all columns then.
template <class T>
TARSUS_KERNEL void couple_columns(Robot<T>& r, double dt) {
  const int n = r.model.nv;
  add_soft_rows(r, dt);
  cholesky_factor(n, r.coupled.matrix);
  const int vectors = find_basis(r);
  T* x = r.coupled.row;
  for (int k = 0; k < r.response.bodies; ++k) {
    T *factor = r.response.factor_of(k), *own = r.coupled.columns;
    for (int i = 0; i < 6 * r.response.width[k]; ++i) own[i] = factor[i];
    for (int c = 0; c < 6; ++c) {
      for (int d = 0; d < n; ++d) x[d] = broadcast<T>(0.0);
      for (int i = 0; i < r.response.width[k]; ++i) x[r.response.columns_of(k)[i]] = own[6 * i + c];
      cholesky_forward(n, static_cast<const T*>(r.coupled.matrix), x);
      take_off_basis(r, vectors, x);
      for (int d = 0; d < n; ++d) factor[6 * d + c] = x[d];
    }
    for (int d = 0; d < n; ++d) r.response.column[(size_t)r.response.most * k + d] = d;
    r.response.width[k] = n;
  }
}

// Columns, or blocks, of all motions that impulses act on; the elimination must be there.
template <class T>
inline void find_motion_columns(Robot<T>& r, const TreeState<T>& tree, double dt) {
  if (r.response.blocks) return find_responses(r.model, r.ws, tree.q, r.cluster, r.response);
  find_columns(r.model, r.ws, tree.q, r.cluster, r.response, r.own_motions);
  find_relative_columns(r, tree.q);
  if (has_coupled_columns(r)) couple_columns(r, dt);
}

}  // namespace tarsus::TARSUS_ISA
