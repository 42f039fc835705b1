// The smallest eigenvalue of a symmetric positive semidefinite matrix with its vector, by Jacobi's rotations: for matrices of a
// few rows, as J J^T of tasks.
#pragma once
#include <cmath>
#include <cstddef>

namespace tarsus::TARSUS_ISA {

constexpr int kMostSweeps = 60;  // ten are usual

// A bound from below, from the product of the squared pivots of a Cholesky factor and the trace: the other eigenvalues have at
// most the product (trace / (n - 1))^(n - 1).
static inline double eigenvalue_bound(int n, double determinant, double trace) {
  if (n == 1) return determinant;
  double most = 1.0;
  for (int k = 1; k < n; ++k) most *= trace / (n - 1);
  return most > 0.0 ? determinant / most : 0.0;
}

// A (n x n, both triangles) is overwritten; V (n x n) is memory. Returns the eigenvalue, its unit vector in x (n).
static inline double smallest_eigenvalue(int n, double* A, double* V, double* x) {
  for (int i = 0; i < n * n; ++i) V[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double off = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
      size += A[i * n + i] * A[i * n + i];
      for (int j = 0; j < i; ++j) off += A[i * n + j] * A[i * n + j];
    }
    if (!(off > 1e-32 * size)) break;
    for (int p = 0; p < n; ++p) {
      for (int q = p + 1; q < n; ++q) {
        const double a = A[p * n + q];
        if (a == 0.0) continue;
        const double theta = (A[q * n + q] - A[p * n + p]) / (2.0 * a);
        const double t = (theta < 0.0 ? -1.0 : 1.0) / (std::fabs(theta) + __builtin_sqrt(theta * theta + 1.0));
        const double c = 1.0 / __builtin_sqrt(t * t + 1.0), s = t * c;
        for (int k = 0; k < n; ++k) {
          const double u = A[k * n + p], v = A[k * n + q];
          A[k * n + p] = c * u - s * v, A[k * n + q] = s * u + c * v;
        }
        for (int k = 0; k < n; ++k) {
          const double u = A[p * n + k], v = A[q * n + k];
          A[p * n + k] = c * u - s * v, A[q * n + k] = s * u + c * v;
        }
        for (int k = 0; k < n; ++k) {
          const double u = V[k * n + p], v = V[k * n + q];
          V[k * n + p] = c * u - s * v, V[k * n + q] = s * u + c * v;
        }
      }
    }
  }
  int least = 0;
  for (int i = 1; i < n; ++i) least = A[i * n + i] < A[least * n + least] ? i : least;
  for (int k = 0; k < n; ++k) x[k] = V[k * n + least];
  const double value = A[least * n + least];
  return value > 0.0 ? value : 0.0;
}

}  // namespace tarsus::TARSUS_ISA
