// Factorisation of a full square from the last row up, M = L^T D L, whose L has the zeros of the tree (Featherstone 2005): entry
// (k, i) is there only where i is on the way from k to the root. For many right-hand sides, which are whole rows; where there is
// one, sparse_cholesky.hpp packs the rows and needs no square.
#pragma once
#include "math/pack.hpp"
#include "model/model.hpp"

namespace tarsus::TARSUS_ISA {

// What the tree tells about the zeros of L.
struct TreePattern {
  const int* parent;  // next degree of freedom on the way to the root
  int* run;           // how far that way goes down in steps of one: parents are run[k], ..., k - 1 in a row
  int* end;           // the first number beyond everything that hangs on k

  TreePattern(const Model& m, int* first, int* second) : parent(m.dof_parent), run(first), end(second) {
    for (int k = 0; k < m.tree_nv; ++k) {
      run[k] = k > 0 && parent[k] == k - 1 ? run[k - 1] : k;
      end[k] = k + 1;
    }
    for (int k = m.tree_nv - 1; k >= 0; --k) {
      if (parent[k] >= 0 && end[parent[k]] < end[k]) end[parent[k]] = end[k];
    }
  }
  // Calls f(i) for k's predecessors.
  template <class F>
  TARSUS_INLINE void for_predecessors(int k, F f) const {
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      const int low = run[i];
      for (; i > low; --i) f(i);
      f(i);
    }
  }
};

// Factors M in place: below the diagonal L, on it D^-1. Entries above are not used.
template <class T>
TARSUS_INLINE void factor_by_tree(const TreePattern& tree, size_t n, T* M) {
  for (int k = static_cast<int>(n) - 1; k >= 0; --k) {
    T* row = M + k * n;
    const T inverse = 1.0 / row[k];
    tree.for_predecessors(k, [&](int i) TARSUS_LAMBDA {
      const T l = row[i] * inverse;
      T* to = M + i * n;
      to[i] = to[i] - l * row[i];
      tree.for_predecessors(i, [&](int j) TARSUS_LAMBDA { to[j] = to[j] - l * row[j]; });
      row[i] = l;
    });
    row[k] = inverse;
  }
}

// Right-hand sides are taken in blocks of columns that stay in the cache, as rows of `count` registers: a register holds one
// column of a batch, or some columns of one state.
template <class T>
constexpr int kColumnsPerPack = sizeof(Pack) / sizeof(T);
constexpr int kBlock = 4;

template <class T>
TARSUS_INLINE Pack splat(const T& x) {
  if constexpr (sizeof(T) == sizeof(Pack)) {
    return x;
  } else {
    return broadcast<Pack>(x);
  }
}

// M^-1 Y for the first `rows` rows, in place. Rows k that end before column `first` are zero.
template <int count, class T>
TARSUS_INLINE void solve_block(const TreePattern& tree, size_t n, const T* L, int first, int rows, Pack (*Y)[count]) {
  for (int k = rows - 1; k >= 0; --k) {  // L^T y = b
    if (tree.end[k] <= first) continue;
    Pack y[count];
    TARSUS_UNROLL
    for (int b = 0; b < count; ++b) y[b] = Y[k][b];
    tree.for_predecessors(k, [&](int i) TARSUS_LAMBDA {
      const Pack l = splat(L[k * n + i]);
      TARSUS_UNROLL
      for (int b = 0; b < count; ++b) Y[i][b] = Y[i][b] - l * y[b];
    });
  }
  for (int k = 0; k < rows; ++k) {  // L x = D^-1 y
    const Pack inverse = splat(L[k * n + k]);
    Pack x[count];
    TARSUS_UNROLL
    for (int b = 0; b < count; ++b) x[b] = inverse * Y[k][b];
    tree.for_predecessors(k, [&](int i) TARSUS_LAMBDA {
      const Pack l = splat(L[k * n + i]);
      TARSUS_UNROLL
      for (int b = 0; b < count; ++b) x[b] = x[b] - l * Y[i][b];
    });
    TARSUS_UNROLL
    for (int b = 0; b < count; ++b) Y[k][b] = x[b];
  }
}

}  // namespace tarsus::TARSUS_ISA
