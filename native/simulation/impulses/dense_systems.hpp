// Small dense systems of equations, one a lane: Cholesky factors of semi-definite matrices, and elimination.
#pragma once
#include "contact/distance.hpp"

// Before loops over rows that stay in registers.
#define TARSUS_UNROLL_ALL _Pragma("GCC unroll 16")

namespace tarsus::TARSUS_ISA {

// L L^T = A of n rows, in the lower triangle; pivots that vanish leave an empty column (A may be only semi-definite).
template <class T>
inline void factorise(T* a, int n, double dependent) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  T largest = zero;
  for (int i = 0; i < n; ++i) largest = larger<T>(largest, a[i * n + i]);
  for (int j = 0; j < n; ++j) {
    T d = a[j * n + j];
    for (int k = 0; k < j; ++k) d = d - a[j * n + k] * a[j * n + k];
    const auto good = less<T>(dependent * largest, d);
    const T root = sqrt_of<T>(select<T>(good, d, one)), per = select<T>(good, 1.0 / root, zero);
    a[j * n + j] = select<T>(good, root, zero);
    for (int i = j + 1; i < n; ++i) {
      T x = a[i * n + j];
      for (int k = 0; k < j; ++k) x = x - a[i * n + k] * a[j * n + k];
      a[i * n + j] = per * x;
    }
  }
}

// A = L U by elimination without exchanges, in place: U above the diagonal, its inverse pivots on it, L below. Entries that are
// zero in all lanes are passed over in matrices that have many. Returns the lanes in which all pivots were usable.
template <bool kSparse, class T>
inline typename Bits<T>::type eliminate_rows(T* a, int n, double least_pivot) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  auto good = less<T>(zero, one);
  for (int k = 0; k < n; ++k) {
    good = good & less<T>(broadcast<T>(least_pivot), magnitude<T>(a[k * n + k]));
    const T per = 1.0 / select<T>(good, a[k * n + k], one);
    a[k * n + k] = per;
    const T* row = a + k * n;
    for (int i = k + 1; i < n; ++i) {
      T* to = a + i * n;
      if (kSparse && !any<T>(less<T>(zero, magnitude<T>(to[k])))) continue;
      const T f = per * to[k];
      to[k] = f;
      for (int j = k + 1; j < n; ++j) to[j] = to[j] - f * row[j];
    }
  }
  return good;
}

// The same for row `kRow` of kSize, which stays in registers: rows above are done.
template <int kSize, int kRow, class T>
TARSUS_INLINE void eliminate_row(T* a, double least_pivot, typename Bits<T>::type& good) {
  constexpr int kLast = kRow;
  T row[kSize];
  TARSUS_UNROLL_ALL
  for (int j = 0; j < kSize; ++j) row[j] = a[kRow * kSize + j];
  TARSUS_UNROLL_ALL
  for (int k = 0; k < kLast; ++k) {
    row[k] = a[k * kSize + k] * row[k];
    TARSUS_UNROLL_ALL
    for (int j = 0; j < kSize; ++j) {
      if (j > k) row[j] = row[j] - row[k] * a[k * kSize + j];
    }
  }
  good = good & less<T>(broadcast<T>(least_pivot), magnitude<T>(row[kRow]));
  row[kRow] = 1.0 / select<T>(good, row[kRow], broadcast<T>(1.0));
  TARSUS_UNROLL_ALL
  for (int j = 0; j < kSize; ++j) a[kRow * kSize + j] = row[j];
}

// The same for matrices of a size that is known: those of one foot and of two.
template <int kSize, int kRow = 0, class T>
TARSUS_INLINE void eliminate_from(T* a, double least_pivot, typename Bits<T>::type& good) {
  eliminate_row<kSize, kRow>(a, least_pivot, good);
  if constexpr (kRow + 1 < kSize) eliminate_from<kSize, kRow + 1>(a, least_pivot, good);
}
template <int kSize, class T>
TARSUS_KERNEL typename Bits<T>::type eliminate_all(T* a, double least_pivot) {
  auto good = less<T>(broadcast<T>(0.0), broadcast<T>(1.0));
  eliminate_from<kSize>(a, least_pivot, good);
  return good;
}

// x of L U x = x, in place, column after column: no sum waits for itself.
template <class T>
inline void substitute_rows(const T* a, int n, T* x) {
  for (int j = 0; j < n; ++j) {
    const T known = x[j];
    for (int i = j + 1; i < n; ++i) x[i] = x[i] - a[i * n + j] * known;
  }
  for (int j = n - 1; j >= 0; --j) {
    const T known = x[j] * a[j * n + j];
    x[j] = known;
    for (int i = 0; i < j; ++i) x[i] = x[i] - a[i * n + j] * known;
  }
}
// The same for a size that is known, with x in registers.
template <int kSize, class T>
TARSUS_INLINE void substitute_all(const T* a, T* in_place) {
  T x[kSize];
  TARSUS_UNROLL_ALL
  for (int i = 0; i < kSize; ++i) x[i] = in_place[i];
  TARSUS_UNROLL_ALL
  for (int j = 0; j < kSize; ++j) {
    TARSUS_UNROLL_ALL
    for (int i = j + 1; i < kSize; ++i) x[i] = x[i] - a[i * kSize + j] * x[j];
  }
  TARSUS_UNROLL_ALL
  for (int j = kSize - 1; j >= 0; --j) {
    x[j] = x[j] * a[j * kSize + j];
    TARSUS_UNROLL_ALL
    for (int i = 0; i < j; ++i) x[i] = x[i] - a[i * kSize + j] * x[j];
  }
  TARSUS_UNROLL_ALL
  for (int i = 0; i < kSize; ++i) in_place[i] = x[i];
}

}  // namespace tarsus::TARSUS_ISA
