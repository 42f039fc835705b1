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

// x of A x = x by elimination without exchanges, in place; A is destroyed. Returns the lanes in which all pivots were usable.
template <class T>
inline typename Bits<T>::type eliminate_rows(T* a, int n, double least_pivot, T* x) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  auto good = less<T>(zero, one);
  for (int k = 0; k < n; ++k) {
    good = good & less<T>(broadcast<T>(least_pivot), magnitude<T>(a[k * n + k]));
    const T per = 1.0 / select<T>(good, a[k * n + k], one);
    for (int i = k + 1; i < n; ++i) {
      const T f = per * a[i * n + k];
      for (int j = k + 1; j < n; ++j) a[i * n + j] = a[i * n + j] - f * a[k * n + j];
      x[i] = x[i] - f * x[k];
    }
    a[k * n + k] = per;
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] = x[i] - a[i * n + j] * x[j];
    x[i] = x[i] * a[i * n + i];
  }
  return good;
}

}  // namespace tarsus::TARSUS_ISA
