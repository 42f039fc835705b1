// The Newton-Euler method with the sparsity of branches, Buschmann 2014 (2.87), (3.29): the Jacobian of a body has columns for
// its predecessors only, the mass matrix gets nothing but the entries that are not zero, and its factorisation keeps them so.
// In (2.87) the set of predecessors restricts the column l, not, as printed, the summation index m.
#pragma once
#include "kernels/factorisation/sparse_cholesky.hpp"
#include "kernels/formulations/global_jacobians.hpp"

namespace tarsus::TARSUS_ISA {

// Where a node's Jacobian is: columns in the order of depth, those of its own joint last.
struct PredecessorColumns {
  long *count, *start;  // nodes each
};

inline size_t predecessor_jacobians_scratch(const Model& m) { return 2 * (size_t)m.nodes + 6 * (size_t)m.tree_nv * m.nodes; }
inline size_t newton_euler_sparse_scratch(const Model& m) {
  return predecessor_jacobians_scratch(m) + packed_tables_size(m) + packed_rows_size(m) + 6 * (size_t)m.tree_nv + kLanes;
}

// Calls use(i, J) for every body that moves, from the root outwards. `scratch` has predecessor_jacobians_scratch entries.
template <class T, class Use>
TARSUS_INLINE void for_predecessor_jacobians(const Context<T>& x, T* scratch, Use use) {
  const Model& m = x.model;
  const PredecessorColumns columns{reinterpret_cast<long*>(scratch), reinterpret_cast<long*>(scratch + m.nodes)};
  T* memory = scratch + 2 * (size_t)m.nodes;
  long used = 0;
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    const long before = n.parent < 0 ? 0 : columns.count[n.parent];
    columns.count[i] = before + n.dof;
    columns.start[i] = used;
    used += 6 * columns.count[i];
    if (is_fixed(n)) continue;
    const JacobianRows<T> J{memory + columns.start[i], columns.count[i]};
    const JacobianRows<T> parent = n.parent < 0 ? J : JacobianRows<T>{memory + columns.start[n.parent], before};
    carry_jacobian(m, x.ws, x.q, i, parent, before, J, before);
    if (n.body >= 0) use(i, J);
  }
}

// Last degree of freedom at or above a node, -1 where there is none.
TARSUS_INLINE int last_dof(const Model& m, int i) {
  while (i >= 0 && m.node[i].dof == 0) i = m.node[i].parent;
  return i < 0 ? -1 : m.node[i].v + m.node[i].dof - 1;
}

// The same terms as `newton_euler_terms`, the mass matrix of the tree in packed rows.
template <class T>
TARSUS_KERNEL T* newton_euler_sparse_terms(const Context<T>& x, T* scratch, PackedRows& rows, T* force) {
  const Model& m = x.model;
  T* tables = scratch + predecessor_jacobians_scratch(m);
  T *M = tables + packed_tables_size(m), *F = M + packed_rows_size(m);
  const long entries = pack_rows(m, tables, rows);
  std::memset(static_cast<void*>(M), 0, sizeof(T) * entries);
  sweep_at_rest(x);
  for (int k = 0; k < m.tree_nv; ++k) M[rows.start[k] + rows.depth[k]] = broadcast<T>(m.armature[k]);
  for_predecessor_jacobians(x, scratch, [&](int i, const JacobianRows<T>& J) TARSUS_LAMBDA {
    weigh_jacobian(m.node[i], J, J.width, F);
    long r = J.width - 1;
    for (int k = last_dof(m, i); k >= 0; k = m.dof_parent[k], --r) {
      add_mass_row(J, F, J.width, r, M + rows.start[k], whole_chunks<T>(r + 1));
      force[k] = force[k] - project(J, r, x.ws.wrench[i]);
    }
  });
  return M;
}

template <class T>
TARSUS_KERNEL void newton_euler_sparse(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  for (int k = 0; k < m.tree_nv; ++k) x.out[k] = x.a[k];
  PackedRows rows;
  T* M = newton_euler_sparse_terms(x, scratch, rows, x.out);
  sparse_cholesky(m, rows, M);
  sparse_substitute(m, rows, static_cast<const T*>(M), x.out);
}

// Inverse dynamics by (3.23): accelerations from the recursion, forces projected by the Jacobians of all bodies, O(n d).
template <class T>
TARSUS_KERNEL void inverse_newton_euler(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  sweep<true>(m, x.ws, x.q, x.v, x.a);
  if (x.external) subtract_external(m, x.ws, x.q, x.external);
  for (int k = 0; k < m.tree_nv; ++k) x.out[k] = m.armature[k] * x.a[k];
  for_predecessor_jacobians(x, scratch, [&](int i, const JacobianRows<T>& J) TARSUS_LAMBDA {
    long r = J.width - 1;
    for (int k = last_dof(m, i); k >= 0; k = m.dof_parent[k], --r) x.out[k] = x.out[k] + project(J, r, x.ws.wrench[i]);
  });
}

}  // namespace tarsus::TARSUS_ISA
