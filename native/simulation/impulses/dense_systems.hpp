// Small dense systems of equations, one a lane: Cholesky factors of semi-definite matrices, and elimination.
#pragma once
#include "contact/distance.hpp"

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

// x of L U x = x, in place.
template <class T>
inline void substitute_rows(const T* a, int n, T* x) {
  for (int i = 0; i < n; ++i) {
    T sum = x[i];
    for (int j = 0; j < i; ++j) sum = sum - a[i * n + j] * x[j];
    x[i] = sum;
  }
  for (int i = n - 1; i >= 0; --i) {
    T sum = x[i];
    for (int j = i + 1; j < n; ++j) sum = sum - a[i * n + j] * x[j];
    x[i] = sum * a[i * n + i];
  }
}

}  // namespace tarsus::TARSUS_ISA
