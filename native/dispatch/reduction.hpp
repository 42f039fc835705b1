// From the coordinates of the tree to independent ones and back, by the coupling matrix G: v_tree = G v.
#pragma once
#include <cstring>

#include "dispatch/operation.hpp"
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
inline void zero_fill(T* x, size_t n) {
  if (n > 0) std::memset(static_cast<void*>(x), 0, n * sizeof(T));
}

// Calls add(e, c) for the entries of row k of G: their places among the values of G, and their columns.
template <class Add>
TARSUS_INLINE void for_entries(const Model& m, int k, Add add) {
  for (int e = m.row[k]; e < m.row[k + 1]; ++e) add(e, m.column[e]);
}

// G^T x.
template <class T>
inline void add_reduced_vector(const Model& m, const T* G, const T* tree, T* out) {
  for (int k = 0; k < m.tree_nv; ++k) for_entries(m, k, [&](int e, int c) { out[c] = out[c] + G[e] * tree[k]; });
}

// X G, for `rows` rows.
template <class T>
inline void add_reduced_columns(const Model& m, const T* G, const T* tree, size_t rows, T* out) {
  const size_t n = m.tree_nv, nv = m.nv;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t k = 0; k < n; ++k)
      for_entries(m, static_cast<int>(k), [&](int e, int c) { out[r * nv + c] = out[r * nv + c] + G[e] * tree[r * n + k]; });
  }
}

// G^T X H, for G on the left and G or its rate on the right.
template <class T>
inline void add_reduced_square(const Model& m, const T* left, const T* right, const T* tree, T* out) {
  const int n = m.tree_nv, nv = m.nv;
  for (int r = 0; r < n; ++r) {
    for (int k = 0; k < n; ++k) {
      const T x = tree[(size_t)r * n + k];
      for_entries(m, r, [&](int e, int row) {
        for_entries(m, k, [&](int f, int c) {
          T& to = out[(size_t)row * nv + c];
          to = to + (left[e] * right[f]) * x;
        });
      });
    }
  }
}

// G^T X, for `columns` columns.
template <class T>
inline void add_reduced_rows(const Model& m, const T* G, const T* tree, size_t columns, T* out) {
  for (int r = 0; r < m.tree_nv; ++r) {
    for_entries(m, r, [&](int e, int row) {
      for (size_t c = 0; c < columns; ++c) out[row * columns + c] = out[row * columns + c] + G[e] * tree[r * columns + c];
    });
  }
}

// Adds a result of `size` entries over the tree to `out`, over independent coordinates, in the way that its row tells; G stands
// on the left, G or its rate on the right.
template <class T>
inline void add_reduced(const Model& m, Reduction how, const T* left, const T* right, const T* tree, size_t size, T* out) {
  const size_t n = m.tree_nv, nv = m.nv;
  if (n == 0) return;
  switch (how) {
    case Reduction::kKeep:
      for (size_t k = 0; k < size; ++k) out[k] = out[k] + tree[k];
      break;
    case Reduction::kVector: add_reduced_vector(m, left, tree, out); break;
    case Reduction::kColumns: add_reduced_columns(m, right, tree, size / n, out); break;
    case Reduction::kSquare:
      for (size_t s = 0; s < size / (n * n); ++s) add_reduced_square(m, left, right, tree + s * n * n, out + s * nv * nv);
      break;
    case Reduction::kRows: add_reduced_rows(m, left, tree, size / n, out); break;
  }
}

// vdot_tree = G vdot + bias.
template <class T>
inline void expand_acceleration(const Model& m, const Workspace<T>& ws, const T* vdot, bool moving, T* tree) {
  for (int k = 0; k < m.tree_nv; ++k) {
    T sum = moving ? ws.bias[k] : broadcast<T>(0.0);
    for (int e = m.row[k]; e < m.row[k + 1]; ++e) sum = sum + ws.coupling[e] * vdot[m.column[e]];
    tree[k] = sum;
  }
}

}  // namespace tarsus::TARSUS_ISA
