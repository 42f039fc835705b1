// Dense Cholesky factorisation M = L L^T and solve, in place, row-major.
#pragma once
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

// Overwrites the lower triangle of M (n x n) by L with the inverse of its diagonal on the diagonal. `accept(d, m)` makes a usable
// pivot of d, the rest of the diagonal entry m.
template <class T, class Accept>
TARSUS_KERNEL void cholesky_factor(int n, T* M, Accept accept) {
  for (int j = 0; j < n; ++j) {
    T* Lj = M + (size_t)j * n;
    T d = Lj[j];
    for (int k = 0; k < j; ++k) d = d - Lj[k] * Lj[k];
    const T inverse = 1.0 / sqrt_of(accept(d, Lj[j]));
    Lj[j] = inverse;
    for (int i = j + 1; i < n; ++i) {
      T* Li = M + (size_t)i * n;
      T s = Li[j];
      for (int k = 0; k < j; ++k) s = s - Li[k] * Lj[k];
      Li[j] = s * inverse;
    }
  }
}

template <class T>
TARSUS_INLINE void cholesky_factor(int n, T* M) {
  cholesky_factor(n, M, [](const T& d, const T&) TARSUS_LAMBDA { return d; });
}

// Overwrites x by L^-1 x, from the factor.
template <class T>
TARSUS_INLINE void cholesky_forward(int n, const T* M, T* x) {
  for (int i = 0; i < n; ++i) {
    T s = x[i];
    for (int k = 0; k < i; ++k) s = s - M[(size_t)i * n + k] * x[k];
    x[i] = s * M[(size_t)i * n + i];
  }
}

// Overwrites x by L^-T x.
template <class T>
TARSUS_INLINE void cholesky_backward(int n, const T* M, T* x) {
  for (int i = n - 1; i >= 0; --i) {
    const T y = x[i] * M[(size_t)i * n + i];
    x[i] = y;
    for (int k = 0; k < i; ++k) x[k] = x[k] - M[(size_t)i * n + k] * y;
  }
}

// Overwrites x by M^-1 x.
template <class T>
TARSUS_KERNEL void cholesky_substitute(int n, const T* M, T* x) {
  cholesky_forward(n, M, x);
  cholesky_backward(n, M, x);
}

template <class T>
TARSUS_INLINE void cholesky_solve(int n, T* M, T* x) {
  cholesky_factor(n, M);
  cholesky_substitute(n, M, x);
}

}  // namespace tarsus::TARSUS_ISA
