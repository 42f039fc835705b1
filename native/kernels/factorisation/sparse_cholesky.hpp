// Cholesky factorisation from the last row up, M = L^T L: Featherstone 2005, the reversed sparse Cholesky of Buschmann 2014
// section 3.2.3. A row of the mass matrix is zero but at the degrees of freedom on the way to the root, and L keeps that pattern:
// no fill-in, O(n d^2) for n degrees of freedom of depth d.
//
// Rows are packed by depth: entry c of row k stands for the c-th degree of freedom on the way from the root to k, the diagonal
// being the last. What lies on the way to a predecessor is the beginning of what lies on the way to k, so that all inner loops
// run over consecutive entries. Rows are filled up to whole chunks, whose last entries nobody looks at.
#pragma once
#include "math/chunk.hpp"
#include "model/model.hpp"

namespace tarsus::TARSUS_ISA {

// Degrees of freedom, each with the next one on the way to the root: of a tree of bodies, or of the elimination tree of the
// reduced mass matrix of a model with dependent joints, whose rows are zero but on that way, too.
struct DofTree {
  int n;
  const int* parent;
  DofTree(int n, const int* parent) : n(n), parent(parent) {}
  DofTree(const Model& m) : n(m.tree_nv), parent(m.dof_parent) {}
};

// Where the packed rows are.
struct PackedRows {
  long *depth, *start;  // n each: predecessors of a degree of freedom; first entry of its row
};

// Entries of scratch memory for the tables and at most so many entries of rows (a chain has them all).
inline size_t packed_tables_size(const DofTree& t) { return 2 * (size_t)t.n; }
inline size_t packed_rows_size(const DofTree& t) { return (size_t)t.n * (t.n + 1) / 2 + kLanes * (size_t)t.n; }

// Fills the tables, which take packed_tables_size entries from `scratch` on; returns the number of entries of all rows:
// those of Buschmann 2014 (3.30), and what fills the chunks.
template <class T>
inline long pack_rows(const DofTree& t, T* scratch, PackedRows& rows) {
  static_assert(sizeof(long) <= sizeof(T));
  rows.depth = reinterpret_cast<long*>(scratch), rows.start = reinterpret_cast<long*>(scratch + t.n);
  long used = 0;
  for (int k = 0; k < t.n; ++k) {
    const int parent = t.parent[k];
    rows.depth[k] = parent < 0 ? 0 : rows.depth[parent] + 1;
    rows.start[k] = used;
    used += whole_chunks<T>(rows.depth[k] + 1);
  }
  return used;
}

// Overwrites M by L with the inverse of its diagonal on the diagonal.
template <class T>
TARSUS_KERNEL void sparse_cholesky(const DofTree& t, const PackedRows& rows, T* M) {
  for (int k = t.n - 1; k >= 0; --k) {
    T* Lk = M + rows.start[k];
    const long depth = rows.depth[k];
    const T inverse = 1.0 / sqrt_of(Lk[depth]);
    for (long c = 0; c < depth; c += kChunk<T>) put_chunk(Lk + c, inverse * chunk(Lk + c));
    Lk[depth] = inverse;
    long r = depth - 1;
    for (int i = t.parent[k]; i >= 0; i = t.parent[i], --r) {
      T* Mi = M + rows.start[i];
      const T x = Lk[r];
      for (long c = 0; c <= r; c += kChunk<T>) put_chunk(Mi + c, chunk(Mi + c) - x * chunk(Lk + c));
    }
  }
}

// Overwrites x by y of L^T y = x, from the leaves to the root.
template <class T>
TARSUS_KERNEL void sparse_rootward(const DofTree& t, const PackedRows& rows, const T* L, T* x) {
  for (int k = t.n - 1; k >= 0; --k) {
    const T* Lk = L + rows.start[k];
    long c = rows.depth[k];
    const T y = x[k] * Lk[c];
    x[k] = y;
    for (int i = t.parent[k]; i >= 0; i = t.parent[i]) x[i] = x[i] - Lk[--c] * y;
  }
}

// Overwrites y by x of L x = y, from the root to the leaves.
template <class T>
TARSUS_KERNEL void sparse_leafward(const DofTree& t, const PackedRows& rows, const T* L, T* x) {
  for (int k = 0; k < t.n; ++k) {
    const T* Lk = L + rows.start[k];
    long c = rows.depth[k];
    const T inverse = Lk[c];
    T sum = x[k];
    for (int i = t.parent[k]; i >= 0; i = t.parent[i]) sum = sum - Lk[--c] * x[i];
    x[k] = sum * inverse;
  }
}

// Overwrites x by M^-1 x.
template <class T>
TARSUS_INLINE void sparse_substitute(const DofTree& t, const PackedRows& rows, const T* L, T* x) {
  sparse_rootward(t, rows, L, x);
  sparse_leafward(t, rows, L, x);
}

}  // namespace tarsus::TARSUS_ISA
