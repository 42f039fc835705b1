// Forward dynamics by composite bodies and the reversed sparse Cholesky factorisation, Buschmann 2014 section 3.2.3 and
// Featherstone 2005: O(n d) for the mass matrix, O(n d^2) at worst for its factorisation, d being the depth of the tree.
#pragma once
#include "kernels/dynamics/composite_body.hpp"
#include "kernels/dynamics/newton_euler.hpp"
#include "kernels/factorisation/sparse_cholesky.hpp"

namespace tarsus::TARSUS_ISA {

inline size_t composite_body_sparse_scratch(const Model& m) { return packed_tables_size(m) + packed_rows_size(m); }

// Mass matrix and its factor, packed rows after their tables in `scratch`; joints must be prepared. Returns the factor.
template <class T>
inline T* factor_mass(const Model& m, Workspace<T>& ws, const T* q, T* scratch, PackedRows& rows) {
  const long entries = pack_rows(m, scratch, rows);
  T* M = scratch + packed_tables_size(m);
  std::memset(static_cast<void*>(M), 0, sizeof(T) * entries);  // what fills the chunks is read, too
  composite_body(m, ws, q,
                 [&](int row, int column, const T& entry) TARSUS_LAMBDA { M[rows.start[column] + rows.depth[row]] = entry; });
  sparse_cholesky(m, rows, M);
  return M;
}

template <class T>
TARSUS_KERNEL void composite_body_sparse(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  bias_force(m, x.ws, x.q, x.v, x.external, x.ws.force);  // also prepares the joints
  for (int k = 0; k < m.tree_nv; ++k) x.out[k] = x.a[k] - x.ws.force[k];
  PackedRows rows;
  const T* L = factor_mass(m, x.ws, x.q, scratch, rows);
  sparse_substitute(m, rows, L, x.out);
}

}  // namespace tarsus::TARSUS_ISA
