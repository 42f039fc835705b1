// Forward dynamics by the Newton-Euler method with global Jacobians, Buschmann 2014 (3.23)-(3.28): every body's Jacobian has a
// column for every degree of freedom, zeros included, and the mass matrix is factorised as a full one. O(n^3), the plain method
// that all others are measured by.
#pragma once
#include "kernels/factorisation/cholesky.hpp"
#include "kernels/formulations/global_jacobians.hpp"

namespace tarsus::TARSUS_ISA {

constexpr long kTileRows = 4, kTileChunks = 2;  // of the mass matrix, summed up in registers
constexpr int kGroup = 40;                      // bodies whose Jacobians are multiplied at once, while they are in the cache

// Columns of the stacked Jacobians: whole tiles, for any scalar.
inline long stacked_width(const Model& m) {
  const long tile = kTileChunks * kLanes > kTileRows ? kTileChunks * kLanes : kTileRows;
  return (m.tree_nv + tile - 1) / tile * tile;
}

inline size_t newton_euler_scratch(const Model& m) {
  return 6 * (size_t)stacked_width(m) * (m.nodes + kGroup) + (size_t)m.tree_nv * m.tree_nv;
}

// Adds J^T F to the lower triangle of M (n x n), for stacked Jacobians J and momenta F of several bodies with as many rows and
// `width` columns each, n of which count.
template <class T>
TARSUS_KERNEL void add_stacked_product(const T* J, const T* F, long rows, long width, long n, T* M) {
  for (long r = 0; r < n; r += kTileRows) {
    for (long c = 0; c < r + kTileRows && c < n; c += kTileChunks * kChunk<T>) {
      Chunk<T> sum[kTileRows][kTileChunks] = {};
      for (long s = 0; s < rows; ++s) {
        const T *j = J + s * width + r, *f = F + s * width + c;
        const Chunk<T> first = chunk(f), second = chunk(f + kChunk<T>);
        TARSUS_UNROLL
        for (long i = 0; i < kTileRows; ++i) {
          sum[i][0] = sum[i][0] + j[i] * first;
          sum[i][1] = sum[i][1] + j[i] * second;
        }
      }
      for (long i = 0; i < kTileRows && r + i < n; ++i) {
        T entries[kTileChunks * kChunk<T>];
        put_chunk(entries, sum[i][0]), put_chunk(entries + kChunk<T>, sum[i][1]);
        T* row = M + (r + i) * n + c;
        for (long k = 0; k < kTileChunks * kChunk<T> && c + k < n; ++k) row[k] = row[k] + entries[k];
      }
    }
  }
}

// Mass matrix of the tree (3.27), its lower triangle, which is returned, and what its joints need at vdot = 0 (3.25), taken off
// `force`. `scratch` has newton_euler_scratch entries.
template <class T>
TARSUS_KERNEL T* newton_euler_terms(const Context<T>& x, T* scratch, T* force) {
  const Model& m = x.model;
  const long nv = m.tree_nv, width = stacked_width(m), size = 6 * width;  // of one Jacobian
  T *F = scratch + size * m.nodes, *M = F + size * kGroup;
  auto jacobian_of = [&](int i) { return JacobianRows<T>{scratch + size * i, width}; };
  sweep_at_rest(x);
  std::memset(static_cast<void*>(scratch), 0, sizeof(T) * size);  // the root's, from which zeros are carried on
  std::memset(static_cast<void*>(M), 0, sizeof(T) * nv * nv);
  for (long k = 0; k < nv; ++k) M[k * nv + k] = broadcast<T>(m.armature[k]);
  for (int first = 0; first < m.nodes; first += kGroup) {
    const int end = first + kGroup < m.nodes ? first + kGroup : m.nodes;
    for (int i = first; i < end; ++i) {
      const Node& n = m.node[i];
      const JacobianRows<T> J = jacobian_of(i);
      if (!is_fixed(n)) carry_jacobian(m, x.ws, x.q, i, jacobian_of(i > 0 ? n.parent : 0), i > 0 ? width : 0, J, n.v);
      weigh_jacobian(n, J, width, F + size * (i - first));
      for (long k = 0; k < nv; ++k) force[k] = force[k] - project(J, k, x.ws.wrench[i]);  // u - h (3.28)
    }
    add_stacked_product(jacobian_of(first).rows, F, 6L * (end - first), width, nv, M);  // M = sum J_i^T M_i J_i (3.27)
  }
  return M;
}

template <class T>
TARSUS_KERNEL void newton_euler(const Context<T>& x, T* scratch) {
  for (int k = 0; k < x.model.tree_nv; ++k) x.out[k] = x.a[k];
  T* M = newton_euler_terms(x, scratch, x.out);
  cholesky_solve(x.model.tree_nv, M, x.out);
}

}  // namespace tarsus::TARSUS_ISA
