// Forward dynamics by composite bodies and the reversed sparse Cholesky factorisation, Buschmann 2014 section 3.2.3 and
// Featherstone 2005: O(n d) for the mass matrix, O(n d^2) at worst for its factorisation, d being the depth of the tree.
#pragma once
#include "kernels/composite_body.hpp"
#include "kernels/newton_euler.hpp"
#include "kernels/sparse_cholesky.hpp"

namespace tarsus::TARSUS_ISA {

inline size_t composite_body_sparse_scratch(const Model& m) { return packed_tables_size(m) + packed_rows_size(m); }

template <class T>
TARSUS_KERNEL void composite_body_sparse(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  bias_force(m, x.ws, x.q, x.v, x.external, x.ws.force);  // also prepares the joints
  for (int k = 0; k < m.tree_nv; ++k) x.out[k] = x.a[k] - x.ws.force[k];
  PackedRows rows;
  const long entries = pack_rows(m, scratch, rows);
  T* M = scratch + packed_tables_size(m);
  std::memset(static_cast<void*>(M), 0, sizeof(T) * entries);  // what fills the chunks is read, too
  composite_body(m, x.ws, x.q,
                 [&](int row, int column, const T& entry) TARSUS_LAMBDA { M[rows.start[column] + rows.depth[row]] = entry; });
  sparse_cholesky(m, rows, M);
  sparse_substitute(m, rows, M, x.out);
}

}  // namespace tarsus::TARSUS_ISA
