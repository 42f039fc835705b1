// Partial derivatives of forward dynamics with respect to q, v and tau: with ID(q, v, FD(q, v, tau)) = tau,
//   d vdot / d q = -M^-1 d ID / d q,   d vdot / d v = -M^-1 d ID / d v,   d vdot / d tau = M^-1
// (Carpentier and Mansard 2018). M^-1 is applied through M = L^T D L (tree_factor.hpp).
#pragma once
#include "kernels/derivatives/inverse_dynamics_derivatives.hpp"
#include "kernels/dynamics/articulated_body.hpp"
#include "kernels/factorisation/tree_factor.hpp"

namespace tarsus::TARSUS_ISA {

// -M^-1 X in place for columns [c, c + width), where row k of X has nothing but what is related to k.
template <int count, class T>
TARSUS_KERNEL void solve_related(const TreePattern& tree, size_t n, const T* L, int c, int width, T* X, Pack* memory) {
  auto* Y = reinterpret_cast<Pack(*)[count]>(memory);
  T* block = reinterpret_cast<T*>(memory);
  constexpr int stride = count * kColumnsPerPack<T>;
  for (size_t k = 0; k < n; ++k) {
    for (int b = 0; b < stride; ++b) block[k * stride + b] = b < width ? -X[k * n + c + b] : broadcast<T>(0.0);
  }
  solve_block<count>(tree, n, L, c, static_cast<int>(n), Y);
  for (size_t k = 0; k < n; ++k) {
    for (int b = 0; b < width; ++b) X[k * n + c + b] = block[k * stride + b];
  }
}

// Columns [c, c + width) of M^-1 down to the diagonal, mirrored into its rows.
template <int count, class T>
TARSUS_KERNEL void inverse_columns(const TreePattern& tree, size_t n, const T* L, int c, int width, T* X, Pack* memory) {
  auto* Y = reinterpret_cast<Pack(*)[count]>(memory);
  T* block = reinterpret_cast<T*>(memory);
  constexpr int stride = count * kColumnsPerPack<T>;
  const int rows = c + width;
  std::memset(static_cast<void*>(memory), 0, (size_t)rows * count * sizeof(Pack));
  for (int b = 0; b < width; ++b) block[(c + b) * stride + b] = broadcast<T>(1.0);
  solve_block<count>(tree, n, L, c, rows, Y);
  for (int k = 0; k < rows; ++k) {
    for (int b = 0; b < width; ++b) X[k * n + c + b] = X[(c + b) * n + k] = block[k * stride + b];
  }
}

// Calls f<count>(c, width) for blocks of columns that together are all n.
template <class T, class F>
TARSUS_INLINE void for_blocks(int n, F f) {
  constexpr int full = kBlock * kColumnsPerPack<T>, half = full / 2;
  int c = 0;
  for (; c + full <= n; c += full) f.template operator()<kBlock>(c, full);
  for (; c < n; c += half) f.template operator()<kBlock / 2>(c, n - c < half ? n - c : half);
}

// Entries of scratch: a block of columns, vdot, the factor and the variations.
inline size_t forward_derivatives_scratch(const Model& m) {
  return VariationSpace<double>::size(m) + ((size_t)kBlock * kLanes + 1 + m.tree_nv) * m.tree_nv;
}

// x.a is tau; x.out is (3, tree_nv, tree_nv).
template <class T>
TARSUS_KERNEL void forward_dynamics_derivatives(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const size_t n = m.tree_nv, square = n * n;
  Pack* block = reinterpret_cast<Pack*>(scratch);
  T *vdot = scratch + n * kBlock * kColumnsPerPack<T>, *L = vdot + n;
  articulated_body(m, x.ws, x.q, x.v, x.a, x.external, vdot);
  Context<T> y = x;
  y.a = vdot;
  if (n > 0) std::memset(static_cast<void*>(x.out), 0, 2 * square * sizeof(T));
  inverse_dynamics_derivatives(y, DerivativeSquares<T>{x.out, x.out + square, L, m.tree_nv}, L + square);
  const TreePattern tree(m, reinterpret_cast<int*>(x.ws.force), reinterpret_cast<int*>(x.ws.force2));
  factor_by_tree(tree, n, L);
  const T* factor = L;
  for_blocks<T>(m.tree_nv, [&]<int count>(int c, int width) {
    solve_related<count>(tree, n, factor, c, width, x.out, block);
    solve_related<count>(tree, n, factor, c, width, x.out + square, block);
    inverse_columns<count>(tree, n, factor, c, width, x.out + 2 * square, block);
  });
}

}  // namespace tarsus::TARSUS_ISA
