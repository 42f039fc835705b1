// Forward dynamics of models with dependent joints by the mass matrix of a formulation, reduced to independent coordinates:
// G^T M G vdot = tau - G^T bias. The sparse variants factorise it along its elimination tree (Liu 1990), which keeps the zeros
// between branches and is full only where couplings tie branches together.
#pragma once
#include "kernels/formulations/composite_body_sparse.hpp"
#include "kernels/formulations/newton_euler_global.hpp"
#include "kernels/formulations/newton_euler_sparse.hpp"

namespace tarsus::TARSUS_ISA {

// Calls add(r, c, value) with r >= c for what the entry x of M in row i and column k, and in row k and column i, gives to the
// lower triangle of G^T M G.
template <class T, class Add>
TARSUS_INLINE void spread_entry(const Model& m, const T* G, int i, int k, const T& x, Add add) {
  for (int e = m.row[i]; e < m.row[i + 1]; ++e) {
    for (int f = m.row[k]; f < m.row[k + 1]; ++f) {
      const int r = m.column[e], c = m.column[f];
      if (i == k && c > r) continue;  // the mirrored pair of the same row counts
      const T value = (G[e] * G[f]) * x;
      add(r > c ? r : c, r > c ? c : r, i != k && r == c ? T(value + value) : value);
    }
  }
}

// What rotors need for the accelerations that dependent joints have at vdot = 0; bodies follow in the terms of Newton-Euler.
template <class T>
inline void start_force(const Context<T>& x, T* force) {
  for (int k = 0; k < x.model.tree_nv; ++k) force[k] = -(x.model.armature[k] * x.ws.bias[k]);
}

// tau + G^T force.
template <class T>
inline void put_reduced_force(const Context<T>& x, const T* force) {
  const Model& m = x.model;
  for (int k = 0; k < m.nv; ++k) x.out[k] = x.a[k];
  for (int k = 0; k < m.tree_nv; ++k) {
    for (int e = m.row[k]; e < m.row[k + 1]; ++e) x.out[m.column[e]] = x.out[m.column[e]] + x.ws.coupling[e] * force[k];
  }
}

inline DofTree reduced_tree(const Model& m) { return {m.nv, m.reduced_parent}; }
inline size_t reduced_rows_scratch(const Model& m) {
  return packed_tables_size(reduced_tree(m)) + packed_rows_size(reduced_tree(m));
}

// Packed rows of the reduced mass matrix, filled by entries of the tree's, and the solution of the equation with x.out.
template <class T>
class ReducedRows {
 public:
  ReducedRows(const Context<T>& x, T* scratch) : x_(x), tree_(reduced_tree(x.model)) {
    const long entries = pack_rows(tree_, scratch, rows_);
    M_ = scratch + packed_tables_size(tree_);
    std::memset(static_cast<void*>(M_), 0, sizeof(T) * entries);
  }
  void add(int i, int k, const T& entry) {
    spread_entry(x_.model, static_cast<const T*>(x_.ws.coupling), i, k, entry, [&](int r, int c, const T& value) TARSUS_LAMBDA {
      T& to = M_[rows_.start[r] + rows_.depth[c]];
      to = to + value;
    });
  }
  void solve() {
    sparse_cholesky(tree_, rows_, M_);
    sparse_substitute(tree_, rows_, static_cast<const T*>(M_), x_.out);
  }

 private:
  const Context<T>& x_;
  DofTree tree_;
  PackedRows rows_;
  T* M_;
};

// Composite bodies, entry by entry into the reduced rows.
template <class T>
TARSUS_KERNEL void reduced_composite_body_sparse(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  T* force = x.ws.force;
  inverse_dynamics(m, x.ws, x.q, x.v, static_cast<const T*>(x.ws.bias), x.external, force);  // also prepares the joints
  for (int k = 0; k < m.tree_nv; ++k) force[k] = -force[k];
  put_reduced_force(x, static_cast<const T*>(force));
  ReducedRows<T> rows(x, scratch);
  composite_body(m, x.ws, x.q, [&](int i, int k, const T& entry) { rows.add(i, k, entry); });
  rows.solve();
}

inline size_t reduced_newton_euler_scratch(const Model& m) { return newton_euler_scratch(m) + (size_t)m.nv * m.nv; }

// Global Jacobians of all bodies, no use of sparsity.
template <class T>
TARSUS_KERNEL void reduced_newton_euler(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const size_t n = m.tree_nv, nv = m.nv;
  T *force = x.ws.force, *reduced = scratch + newton_euler_scratch(m);
  start_force(x, force);
  const T* M = newton_euler_terms(x, scratch, force);
  put_reduced_force(x, static_cast<const T*>(force));
  std::memset(static_cast<void*>(reduced), 0, sizeof(T) * nv * nv);
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k <= i; ++k) {
      spread_entry(m, static_cast<const T*>(x.ws.coupling), i, k, M[i * n + k],
                   [&](int r, int c, const T& value) TARSUS_LAMBDA { reduced[r * nv + c] = reduced[r * nv + c] + value; });
    }
  }
  cholesky_solve(m.nv, reduced, x.out);
}

inline size_t reduced_newton_euler_sparse_scratch(const Model& m) {
  return newton_euler_sparse_scratch(m) + reduced_rows_scratch(m);
}

// Jacobians with respect to predecessors only.
template <class T>
TARSUS_KERNEL void reduced_newton_euler_sparse(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  T* force = x.ws.force;
  start_force(x, force);
  PackedRows of_tree;
  const T* M = newton_euler_sparse_terms(x, scratch, of_tree, force);
  put_reduced_force(x, static_cast<const T*>(force));
  ReducedRows<T> rows(x, scratch + newton_euler_sparse_scratch(m));
  for (int i = 0; i < m.tree_nv; ++i) {
    for (int k = i; k >= 0; k = m.dof_parent[k]) rows.add(i, k, M[of_tree.start[i] + of_tree.depth[k]]);
  }
  rows.solve();
}

}  // namespace tarsus::TARSUS_ISA
