// H + D = U' U with D diagonal: Cholesky by rows, so that every inner loop runs along memory.
#pragma once
#include "dispatch/rows.hpp"
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
  double *U, *L, *inverse;  // width x width with zeros left of the diagonal; its transpose; reciprocal pivots, n

  // The factor of H + shift * max(diagonal, floor); false where a pivot is not above `smallest` of its diagonal. Rows of H are
  // `pitch` apart.
  bool factor(const double* H, int pitch, double shift, double floor, double smallest) {
    for (int i = 0; i < n; ++i) {
      double* row = U + (size_t)i * width;
      copy(row, H + (size_t)i * pitch, n);
      clear(row + n, width - n);
      row[i] += shift * larger(row[i], floor);
    }
    clear(U + (size_t)n * width, (width - n) * width), clear(inverse + n, width - n);
    for (int begin = 0; begin < n; begin += kPanel) {
      const int end = begin + kPanel < n ? begin + kPanel : n;
      for (int i = begin; i < end; ++i) {  // rows of the panel, one by one
        double* row = U + (size_t)i * width;
        const double given = H[(size_t)i * pitch + i], diagonal = given + shift * larger(given, floor);
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
      int k = end;  // what they take off all rows below, at once
      for (; k + 2 <= n; k += 2) subtract_panel<2>(panel, k);
      if (k < n) subtract_panel<1>(panel, k);
    }
    transposed = false;
    return true;
  }
  // b <- U'^-1 b, b zero before `first`. Unknowns of a panel come from each other, without a way through memory.
  void forward(double* b, int first) const {
    for (int begin = first / kPanel * kPanel; begin < n; begin += kPanel) {
      const int from = begin / kBlock * kBlock;
      const double* rows = U + (size_t)begin * width;
      double y[kPanel];
      TARSUS_UNROLL
      for (int i = 0; i < kPanel; ++i) {
        double rest = b[begin + i];
        TARSUS_UNROLL
        for (int k = 0; k < i; ++k) rest -= y[k] * rows[(size_t)k * width + begin + i];
        y[i] = rest * inverse[begin + i];
      }
      subtract_rows(b + from, y, rows + from, kPanel, width, width - from);
      copy(b + begin, y, kPanel);
    }
  }
  // The same for four vectors, `stride` apart, from their beginning: their steps do not wait for each other.
  void forward4(double* b, int stride) const {
    for (int begin = 0; begin < n; begin += kPanel) {
      const int from = begin / kBlock * kBlock;
      const double* rows = U + (size_t)begin * width;
      double y[4][kPanel];
      TARSUS_UNROLL
      for (int i = 0; i < kPanel; ++i) {
        TARSUS_UNROLL
        for (int v = 0; v < 4; ++v) {
          double rest = b[v * stride + begin + i];
          TARSUS_UNROLL
          for (int k = 0; k < i; ++k) rest -= y[v][k] * rows[(size_t)k * width + begin + i];
          y[v][i] = rest * inverse[begin + i];
        }
      }
      for (int j = from; j < width; j += kLanes) {
        Pack u[kPanel];
        TARSUS_UNROLL
        for (int k = 0; k < kPanel; ++k) u[k] = load<Pack>(rows + (size_t)k * width + j);
        TARSUS_UNROLL
        for (int v = 0; v < 4; ++v) {
          Pack sum = load<Pack>(b + v * stride + j);
          TARSUS_UNROLL
          for (int k = 0; k < kPanel; ++k) sum -= y[v][k] * u[k];
          store(b + v * stride + j, sum);
        }
      }
      TARSUS_UNROLL
      for (int v = 0; v < 4; ++v) copy(b + v * stride + begin, y[v], kPanel);
    }
  }
  // b <- U^-1 b, by columns of U: no sum that the next step would wait for.
  void backward(double* b) const {
    for (int begin = (n - 1) / kPanel * kPanel; begin >= 0; begin -= kPanel) {
      const double* rows = L + (size_t)begin * width;
      double x[kPanel];
      TARSUS_UNROLL
      for (int i = kPanel - 1; i >= 0; --i) {
        double rest = b[begin + i];
        TARSUS_UNROLL
        for (int k = kPanel - 1; k > i; --k) rest -= x[k] * rows[(size_t)k * width + begin + i];
        x[i] = rest * inverse[begin + i];
      }
      for (int j = 0; j < begin + kPanel; j += kLanes) {
        Pack sum = load<Pack>(b + j);
        TARSUS_UNROLL
        for (int k = kPanel - 1; k >= 0; --k) sum -= x[k] * load<Pack>(rows + (size_t)k * width + j);
        store(b + j, sum);
      }
      copy(b + begin, x, kPanel);
    }
  }
  void become_identity() {
    clear(U, width * width), clear(L, width * width), clear(inverse, width);
    for (int i = 0; i < n; ++i) U[(size_t)i * width + i] = L[(size_t)i * width + i] = inverse[i] = 1.0;
    transposed = true;
  }
  // L, where it is not that of U yet.
  void transpose() {
    if (transposed) return;
    transposed = true;
    for (int i = 0; i < width; i += kLanes) {
      for (int j = i / kBlock * kBlock; j < width; j += kLanes) {
        const double* row[kLanes];
        Pack column[kLanes];
        TARSUS_UNROLL
        for (int l = 0; l < kLanes; ++l) row[l] = U + (size_t)(i + l) * width + j;
        tarsus::TARSUS_ISA::transpose(row, column);
        TARSUS_UNROLL
        for (int l = 0; l < kLanes; ++l) store(L + (size_t)(j + l) * width + i, column[l]);
      }
    }
  }

 private:
  // Rows k, ... of U less what the rows of a panel above them take off.
  template <int rows>
  void subtract_panel(const double* panel, int k) {
    const int from = k / kBlock * kBlock;
    double *to = U + (size_t)k * width, factor[rows][kPanel];
    TARSUS_UNROLL
    for (int r = 0; r < rows; ++r) {
      TARSUS_UNROLL
      for (int i = 0; i < kPanel; ++i) factor[r][i] = panel[(size_t)i * width + k + r];
    }
    for (int j = from; j < width; j += kLanes) {
      Pack sum[rows];
      TARSUS_UNROLL
      for (int r = 0; r < rows; ++r) sum[r] = load<Pack>(to + (size_t)r * width + j);
      TARSUS_UNROLL
      for (int i = 0; i < kPanel; ++i) {
        const Pack above = load<Pack>(panel + (size_t)i * width + j);
        TARSUS_UNROLL
        for (int r = 0; r < rows; ++r) sum[r] -= factor[r][i] * above;
      }
      TARSUS_UNROLL
      for (int r = 0; r < rows; ++r) store(to + (size_t)r * width + j, sum[r]);
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
