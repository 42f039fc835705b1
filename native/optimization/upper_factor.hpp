// H + D = U' U with D diagonal: Cholesky by rows, so that every inner loop runs along memory.
#pragma once
#include "optimization/padded_vectors.hpp"
#include "optimization/quadratic_program.hpp"

namespace tarsus::TARSUS_ISA {

// Pivots below this part of the diagonal are rounding: H is then taken as semidefinite.
constexpr double kSmallestPivot = 1e-11;
// Part of the diagonal that may be missing to a semidefinite H by rounding; more is indefinite.
constexpr double kMissing = 1e-11;
// Variables whose diagonal is below this part of the largest one are scaled like that part.
constexpr double kDiagonalFloor = 1e-4;

constexpr int kPanel = 4;  // rows that are eliminated together

struct UpperFactor {
  int n, width;
  bool transposed;
  double *U, *L, *inverse;  // n x width with zeros left of the diagonal; its transpose; reciprocal pivots, n

  // The factor of H + shift * max(diagonal, floor); false where a pivot is not above `smallest` of its diagonal.
  bool factor(const double* H, double shift, double floor, double smallest) {
    for (int i = 0; i < n; ++i) {
      double* row = U + (size_t)i * width;
      copy(row, H + (size_t)i * n, n);
      clear(row + n, width - n);
      row[i] += shift * larger(row[i], floor);
    }
    for (int begin = 0; begin < n; begin += kPanel) {
      const int end = begin + kPanel < n ? begin + kPanel : n;
      for (int i = begin; i < end; ++i) {  // rows of the panel, one by one
        double* row = U + (size_t)i * width;
        const double diagonal = H[(size_t)i * n + i] + shift * larger(H[(size_t)i * n + i], floor);
        if (!(row[i] > smallest * diagonal) || !(row[i] > 0.0)) return false;
        const double s = 1.0 / __builtin_sqrt(row[i]);
        inverse[i] = s;
        clear(row, i);
        for (int j = i / kBlock * kBlock; j < width; ++j) row[j] *= s;
        for (int k = i + 1; k < end; ++k) {
          const int from = k / kBlock * kBlock;
          add_scaled(U + (size_t)k * width + from, -row[k], row + from, width - from);
        }
      }
      const double* panel = U + (size_t)begin * width;
      for (int k = end; k < n; ++k) {  // what they take off all rows below, at once
        const int from = k / kBlock * kBlock;
        double factor[kPanel];
        for (int i = 0; i < kPanel; ++i) factor[i] = panel[(size_t)i * width + k];
        subtract_rows(U + (size_t)k * width + from, factor, panel + from, kPanel, width, width - from);
      }
    }
    transposed = false;
    return true;
  }
  // b <- U'^-1 b, b zero before `first`.
  void forward(double* b, int first) const {
    for (int i = first; i < n; ++i) {
      const int begin = i / kBlock * kBlock;
      const double y = b[i] * inverse[i];
      add_scaled(b + begin, -y, U + (size_t)i * width + begin, width - begin);
      b[i] = y;
    }
  }
  // The same for four vectors, `stride` apart: their steps do not wait for each other.
  void forward4(double* b, int stride) const {
    for (int i = 0; i < n; ++i) {
      const int begin = i / kBlock * kBlock;
      double y[4];
      TARSUS_UNROLL
      for (int k = 0; k < 4; ++k) y[k] = b[k * stride + i] * inverse[i];
      const double* row = U + (size_t)i * width;
      for (int j = begin; j < width; j += kLanes) {
        const Pack u = load<Pack>(row + j);
        TARSUS_UNROLL
        for (int k = 0; k < 4; ++k) store(b + k * stride + j, load<Pack>(b + k * stride + j) - y[k] * u);
      }
      TARSUS_UNROLL
      for (int k = 0; k < 4; ++k) b[k * stride + i] = y[k];
    }
  }
  // b <- U^-1 b, by columns of U: no sum that the next step would wait for.
  void backward(double* b) const {
    for (int i = n - 1; i >= 0; --i) {
      const double x = b[i] * inverse[i];
      add_scaled(b, -x, L + (size_t)i * width, padded(i + 1));
      b[i] = x;
    }
  }
  void become_identity() {
    clear(U, n * width), clear(L, n * width);
    for (int i = 0; i < n; ++i) U[(size_t)i * width + i] = L[(size_t)i * width + i] = inverse[i] = 1.0;
    transposed = true;
  }
  // L, where it is not that of U yet.
  void transpose() {
    if (transposed) return;
    transposed = true;
    for (int i = 0; i < width; i += kBlock) {
      for (int j = i; j < width; j += kBlock) {
        for (int r = i; r < i + kBlock && r < n; ++r) {
          for (int c = j; c < j + kBlock && c < n; ++c) L[(size_t)c * width + r] = U[(size_t)r * width + c];
        }
      }
    }
    for (int i = 0; i < n; ++i) clear(L + (size_t)i * width + i + 1, padded(i + 1) - i - 1);
  }
};

}  // namespace tarsus::TARSUS_ISA
