// Partial derivatives of forward dynamics with respect to q, v and tau: with ID(q, v, FD(q, v, tau)) = tau,
//   d vdot / d q = -M^-1 d ID / d q,   d vdot / d v = -M^-1 d ID / d v,   d vdot / d tau = M^-1
// (Carpentier and Mansard 2018, section III.B). M^-1 is applied through M = L^T D L, whose L has the zeros of the tree
// (Featherstone 2005): entry (k, i) is there only where i is on the way from k to the root. Right-hand sides are whole rows.
#pragma once
#include "kernels/articulated_body.hpp"
#include "kernels/inverse_dynamics_derivatives.hpp"

namespace tarsus::TARSUS_ISA {

// Factors M in place: below the diagonal L, on it D^-1. Entries above are not used.
template <class T>
TARSUS_INLINE void factor_by_tree(const Model& m, T* M) {
  const size_t n = m.tree_nv;
  for (int k = m.tree_nv - 1; k >= 0; --k) {
    T* row = M + k * n;
    const T inverse = 1.0 / row[k];
    for (int i = m.dof_parent[k]; i >= 0; i = m.dof_parent[i]) {
      const T l = row[i] * inverse;
      for (int j = i; j >= 0; j = m.dof_parent[j]) M[i * n + j] = M[i * n + j] - l * row[j];
      row[i] = l;
    }
    row[k] = inverse;
  }
}

// The first number beyond everything that hangs on each degree of freedom.
inline void subtree_ends(const Model& m, int* end) {
  for (int k = 0; k < m.tree_nv; ++k) end[k] = k + 1;
  for (int k = m.tree_nv - 1; k >= 0; --k) {
    const int i = m.dof_parent[k];
    if (i >= 0 && end[i] < end[k]) end[i] = end[k];
  }
}

// Columns of a row are taken by registers: each is a state's pack, or a pack holds some columns of one state.
template <class T>
constexpr int kColumnsPerPack = sizeof(Pack) / sizeof(T);

template <class W, class T>
TARSUS_INLINE W splat(const T& x) {
  if constexpr (sizeof(W) == sizeof(T)) {
    return x;
  } else {
    return broadcast<W>(x);
  }
}
template <class W, class T>
TARSUS_INLINE W columns(const T* row) {
  W x;
  std::memcpy(&x, row, sizeof(W));
  return x;
}
template <class W, class T>
TARSUS_INLINE void set_columns(T* row, const W& x) {
  std::memcpy(static_cast<void*>(row), &x, sizeof(W));
}

// Calls f<W, count>(c) for blocks of `count` registers W from column c on, until all columns from begin to end are done.
template <class T, class F>
TARSUS_INLINE void for_columns(int begin, int end, F f) {
  constexpr int one = kColumnsPerPack<T>, block = 4;
  int c = begin;
  for (; c + block * one <= end; c += block * one) f.template operator()<Pack, block>(c);
  for (; c + one <= end; c += one) f.template operator()<Pack, 1>(c);
  for (; c < end; ++c) f.template operator()<T, 1>(c);
}

// Row k of L^T y = b once everything behind k is done: takes it off the rows before it.
template <class T>
TARSUS_INLINE void spread_row(const Model& m, const T* L, int k, int begin, int end, T* X) {
  const size_t n = m.tree_nv;
  for_columns<T>(begin, end, [&]<class W, int count>(int c) TARSUS_LAMBDA {
    constexpr int step = sizeof(W) / sizeof(T);
    W y[count];
    TARSUS_UNROLL
    for (int b = 0; b < count; ++b) y[b] = columns<W>(X + k * n + c + b * step);
    for (int i = m.dof_parent[k]; i >= 0; i = m.dof_parent[i]) {
      const W l = splat<W>(L[k * n + i]);
      T* row = X + i * n + c;
      TARSUS_UNROLL
      for (int b = 0; b < count; ++b) set_columns<W>(row + b * step, columns<W>(row + b * step) - l * y[b]);
    }
  });
}

// Row k of L x = scale y from the rows before it.
template <class T>
TARSUS_INLINE void collect_row(const Model& m, const T* L, const T& scale, int k, int begin, int end, T* X) {
  const size_t n = m.tree_nv;
  for_columns<T>(begin, end, [&]<class W, int count>(int c) TARSUS_LAMBDA {
    constexpr int step = sizeof(W) / sizeof(T);
    const W factor = splat<W>(scale);
    W x[count];
    TARSUS_UNROLL
    for (int b = 0; b < count; ++b) x[b] = factor * columns<W>(X + k * n + c + b * step);
    for (int i = m.dof_parent[k]; i >= 0; i = m.dof_parent[i]) {
      const W l = splat<W>(L[k * n + i]);
      const T* row = X + i * n + c;
      TARSUS_UNROLL
      for (int b = 0; b < count; ++b) x[b] = x[b] - l * columns<W>(row + b * step);
    }
    TARSUS_UNROLL
    for (int b = 0; b < count; ++b) set_columns<W>(X + k * n + c + b * step, x[b]);
  });
}

// -M^-1 X in place, for an X whose row k is zero but for what is related to k, so that nothing is beyond end[k].
template <class T>
TARSUS_KERNEL void solve_related(const Model& m, const T* L, const int* end, T* X) {
  const int n = m.tree_nv;
  for (int k = n - 1; k >= 0; --k) spread_row(m, L, k, 0, end[k], X);
  for (int k = 0; k < n; ++k) collect_row<T>(m, L, -L[(size_t)k * n + k], k, 0, n, X);
}

// M^-1: before the second step row k of the solution for unit vectors goes from k to end[k], and one half is enough.
template <class T>
TARSUS_KERNEL void inverse_by_tree(const Model& m, const T* L, const int* end, T* X) {
  const size_t n = m.tree_nv;
  std::memset(static_cast<void*>(X), 0, n * n * sizeof(T));
  for (size_t k = 0; k < n; ++k) X[k * n + k] = broadcast<T>(1.0);
  for (int k = m.tree_nv - 1; k >= 0; --k) spread_row(m, L, k, k, end[k], X);
  for (int k = 0; k < m.tree_nv; ++k) collect_row<T>(m, L, L[k * n + k], k, k, m.tree_nv, X);
  for (size_t k = 0; k < n; ++k) {
    for (size_t c = k + 1; c < n; ++c) X[c * n + k] = X[k * n + c];
  }
}

// Entries of scratch: vdot, the factor and the variations.
inline size_t forward_derivatives_scratch(const Model& m) {
  return VariationSpace<double>::size(m) + m.tree_nv + (size_t)m.tree_nv * m.tree_nv;
}

// x.a is tau; x.out is (3, tree_nv, tree_nv).
template <class T>
TARSUS_KERNEL void forward_dynamics_derivatives(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const size_t n = m.tree_nv, square = n * n;
  T *vdot = scratch, *L = vdot + n;
  articulated_body(m, x.ws, x.q, x.v, x.a, x.external, vdot);
  Context<T> y = x;
  y.a = vdot;
  if (n > 0) std::memset(static_cast<void*>(x.out), 0, 2 * square * sizeof(T));
  inverse_dynamics_derivatives(y, DerivativeSquares<T>{x.out, x.out + square, L, m.tree_nv}, L + square);
  factor_by_tree(m, L);
  int* end = reinterpret_cast<int*>(x.ws.force);
  subtree_ends(m, end);
  solve_related(m, L, end, x.out);
  solve_related(m, L, end, x.out + square);
  inverse_by_tree(m, L, end, x.out + 2 * square);
}

}  // namespace tarsus::TARSUS_ISA
