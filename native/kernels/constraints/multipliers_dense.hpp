// Multipliers from the index-1 system as it stands, Buschmann 2014 (3.58) and (3.61):
//   (M, -J^T; -J, 0) (vdot; lambda) = (force; -target)
// by Gaussian elimination with row exchanges, one state at a time, O((n + m)^3). In (3.58) the lower left block is printed with a
// transpose that does not belong there. Works where M is singular, too, as long as constraints make the motion unique.
#pragma once
#include "kernels/constraints/multiplier_problem.hpp"

namespace tarsus::TARSUS_ISA {

// Overwrites b by A^-1 b.
inline void eliminate_dense(int n, double* A, double* b) {
  for (int j = 0; j < n; ++j) {
    int pivot = j;
    for (int i = j + 1; i < n; ++i) {
      if (__builtin_fabs(A[(size_t)i * n + j]) > __builtin_fabs(A[(size_t)pivot * n + j])) pivot = i;
    }
    if (pivot != j) {
      for (int k = j; k < n; ++k) exchange(A[(size_t)pivot * n + k], A[(size_t)j * n + k]);
      exchange(b[pivot], b[j]);
    }
    const double inverse = 1.0 / A[(size_t)j * n + j];
    for (int i = j + 1; i < n; ++i) {
      const double factor = A[(size_t)i * n + j] * inverse;
      if (factor == 0.0) continue;
      for (int k = j + 1; k < n; ++k) A[(size_t)i * n + k] -= factor * A[(size_t)j * n + k];
      b[i] -= factor * b[j];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = b[i];
    for (int k = i + 1; k < n; ++k) sum -= A[(size_t)i * n + k] * b[k];
    b[i] = sum / A[(size_t)i * n + i];
  }
}

// M is nv x nv; x.vdot holds the force. `numbers` has (nv + rows) (nv + rows + 1) entries.
template <class T>
TARSUS_KERNEL void multipliers_dense(const T* M, const MultiplierProblem<T>& x, double* numbers) {
  const int nv = static_cast<int>(x.width), m = x.rows.count, n = nv + m;
  double *K = numbers, *b = numbers + (size_t)n * n;
  for (int l = 0; l < lanes<T>; ++l) {
    for (int i = 0; i < nv; ++i) {
      for (int k = 0; k < nv; ++k) K[(size_t)i * n + k] = lane(M[(size_t)i * nv + k], l);
      b[i] = lane(x.vdot[i], l);
    }
    for (int r = 0; r < m; ++r) {
      double* row = K + (size_t)(nv + r) * n;
      for (int k = 0; k < nv; ++k) row[k] = K[(size_t)k * n + nv + r] = -lane(x.row(r)[k], l);
      for (int k = nv; k < n; ++k) row[k] = 0.0;
      b[nv + r] = -lane(x.target[x.rows.taken[r]], l);
    }
    eliminate_dense(n, K, b);
    for (int i = 0; i < nv; ++i) set_lane(x.vdot[i], l, b[i]);
    for (int r = 0; r < m; ++r) set_lane(x.lambda[x.rows.taken[r]], l, b[nv + r]);
  }
}

}  // namespace tarsus::TARSUS_ISA
