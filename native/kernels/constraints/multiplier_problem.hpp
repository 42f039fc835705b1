// The constrained equations of motion at a state, as every method of solving them reads them:
//   M vdot = force + J^T lambda,   J vdot = target        Buschmann 2014 (3.58), (3.61)
// for the rows of J that are independent of each other.
#pragma once
#include "kernels/constraints/independent_rows.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct MultiplierProblem {
  const ConstraintTable& table;
  const IndependentRows<T>& rows;
  const Screw<T>* wrench;  // rows: on body B, about the base
  const T* jacobian;       // rows x nv
  const T* target;         // rows: -(d/dt(J) v + 2 alpha dPhi/dt + beta^2 Phi)
  T *lambda, *vdot;        // results: rows (zero at dependent ones before), nv
  const T* row(int i) const { return jacobian + (size_t)rows.taken[i] * width; }
  size_t width;  // nv
};

// Calls f(i, row, block) for the independent rows, i counting them.
template <class T, class F>
TARSUS_INLINE void for_taken(const MultiplierProblem<T>& x, F f) {
  for (int n = 0; n < x.table.blocks; ++n) {
    const RowBlock& b = x.table.block[n];
    for (int r = b.first; r < b.first + b.rows; ++r) {
      if (x.rows.place[r] >= 0) f(x.rows.place[r], r, b);
    }
  }
}

// Factors of G = J M^-1 J^T. Rows that are independent, but hardly so, leave pivots of the size of rounding or below zero; a
// floor keeps the multipliers finite there.
template <class T>
inline void factor_response(int n, T* G) {
  constexpr double floor = 1e-15;
  cholesky_factor(n, G, [](T d, const T& own) TARSUS_LAMBDA {
    for (int l = 0; l < lanes<T>; ++l) {
      if (lane(d, l) < floor * lane(own, l)) set_lane(d, l, floor * lane(own, l));
    }
    return d;
  });
}

template <class T>
inline T row_product(size_t n, const T* a, const T* b) {
  T sum = broadcast<T>(0.0);
  for (size_t k = 0; k < n; ++k) sum = sum + a[k] * b[k];
  return sum;
}

}  // namespace tarsus::TARSUS_ISA
