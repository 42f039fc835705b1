// Cholesky factorisation of the small block of one joint, at most 6 x 6, row-major.
#pragma once
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kBlockSize = 36;  // entries of the largest block

// Overwrites the lower triangle of D (n x n) by L of D = L L^T, with the inverse of its diagonal on the diagonal.
template <class T>
TARSUS_INLINE void factor_block(int n, T* D) {
  for (int j = 0; j < n; ++j) {
    T d = D[j * n + j];
    for (int k = 0; k < j; ++k) d = d - D[j * n + k] * D[j * n + k];
    D[j * n + j] = 1.0 / sqrt_of(d);
    for (int i = j + 1; i < n; ++i) {
      T s = D[i * n + j];
      for (int k = 0; k < j; ++k) s = s - D[i * n + k] * D[j * n + k];
      D[i * n + j] = s * D[j * n + j];
    }
  }
}

// Overwrites x by D^-1 x.
template <class T>
TARSUS_INLINE void solve_block(int n, const T* L, T* x) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] = x[i] - L[i * n + k] * x[k];
    x[i] = x[i] * L[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] = x[i] - L[k * n + i] * x[k];
    x[i] = x[i] * L[i * n + i];
  }
}

}  // namespace tarsus::TARSUS_ISA
