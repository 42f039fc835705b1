// Steps of damped least squares for small dense Jacobians: Buschmann 2014 (5.21)-(5.22).
#pragma once
#include "kernels/factorisation/cholesky.hpp"

namespace tarsus::TARSUS_ISA {

// Lower triangle of J J^T + damping in B (rows x rows), where the number of rows is known: sums stay in registers.
template <int kRows, class T>
TARSUS_KERNEL void known_gram(int nv, const T* J, const T& damping, T* B) {
  T sum[kRows * (kRows + 1) / 2];
  TARSUS_UNROLL
  for (int r = 0, at = 0; r < kRows; ++r) {
    TARSUS_UNROLL
    for (int s = 0; s <= r; ++s, ++at) sum[at] = r == s ? damping : broadcast<T>(0.0);
  }
  for (int k = 0; k < nv; ++k) {
    T column[kRows];
    TARSUS_UNROLL
    for (int r = 0; r < kRows; ++r) column[r] = J[(size_t)r * nv + k];
    TARSUS_UNROLL
    for (int r = 0, at = 0; r < kRows; ++r) {
      TARSUS_UNROLL
      for (int s = 0; s <= r; ++s, ++at) sum[at] = sum[at] + column[r] * column[s];
    }
  }
  TARSUS_UNROLL
  for (int r = 0, at = 0; r < kRows; ++r) {
    TARSUS_UNROLL
    for (int s = 0; s <= r; ++s, ++at) B[r * kRows + s] = sum[at];
  }
}

// The same of any number of rows.
template <class T>
TARSUS_KERNEL void gram(int rows, int nv, const T* J, const T& damping, T* B) {
  if (rows == 3) return known_gram<3>(nv, J, damping, B);
  if (rows == 6) return known_gram<6>(nv, J, damping, B);
  for (int r = 0; r < rows; ++r) {
    for (int s = 0; s <= r; ++s) {
      const T *a = J + (size_t)r * nv, *b = J + (size_t)s * nv;
      T sum = r == s ? damping : broadcast<T>(0.0);
      for (int k = 0; k < nv; ++k) sum = sum + a[k] * b[k];
      B[(size_t)r * rows + s] = sum;
    }
  }
}

// J^T y.
template <class T>
TARSUS_INLINE void transposed_product(int rows, int nv, const T* J, const T* y, T* out) {
  for (int k = 0; k < nv; ++k) {
    T sum = broadcast<T>(0.0);
    for (int r = 0; r < rows; ++r) sum = sum + J[(size_t)r * nv + k] * y[r];
    out[k] = sum;
  }
}

// (J J^T + damping) y = e, way = J^T y, or (J^T J + damping) way = J^T e where that is smaller. `y` has `rows` entries, `B` the
// smaller of rows^2 and nv^2.
template <class T>
inline void damped_step(int rows, int nv, const T* J, const T* e, const T& damping, T* B, T* y, T* way) {
  if (rows <= nv) {
    gram(rows, nv, J, damping, B);
    for (int r = 0; r < rows; ++r) y[r] = e[r];
    cholesky_solve(rows, B, y);
    transposed_product(rows, nv, J, static_cast<const T*>(y), way);
    return;
  }
  for (int k = 0; k < nv; ++k) {
    for (int l = 0; l <= k; ++l) B[(size_t)k * nv + l] = k == l ? damping : broadcast<T>(0.0);
  }
  for (int r = 0; r < rows; ++r) {
    const T* a = J + (size_t)r * nv;
    for (int k = 0; k < nv; ++k) {
      for (int l = 0; l <= k; ++l) B[(size_t)k * nv + l] = B[(size_t)k * nv + l] + a[k] * a[l];
    }
  }
  transposed_product(rows, nv, J, e, way);
  cholesky_solve(nv, B, way);
}

}  // namespace tarsus::TARSUS_ISA
