// Checks of arrays that are made for every program of a sequence.
#pragma once
#include "optimization/padded_vectors.hpp"

namespace tarsus::TARSUS_ISA {

// Whether all numbers are finite, and small enough for products of a few of them.
inline bool all_finite(const double* a, size_t n) {
  Pack bad[4] = {};
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    TARSUS_UNROLL
    for (int k = 0; k < 4; ++k) bad[k] += poison(load<Pack>(a + i + k * kLanes), kArgumentScale);
  }
  double rest = 0.0;
  for (; i < n; ++i) rest += poison(a[i], kArgumentScale);
  const Pack sum = (bad[0] + bad[1]) + (bad[2] + bad[3]);
  for (int l = 0; l < kLanes; ++l) rest += sum[l];
  return rest == 0.0;
}

// Largest difference of a matrix and its transpose, relative to its largest entry; in tiles, whose columns are read along memory.
inline double asymmetry(const double* H, int n) {
  double worst[kBlock] = {}, most[kBlock] = {};
  for (int i = 0; i < n; i += kBlock) {
    for (int j = 0; j <= i; j += kBlock) {
      const int rows = n - i < kBlock ? n - i : kBlock, columns = n - j < kBlock ? n - j : kBlock;
      double tile[kBlock][kBlock] = {}, mirrored[kBlock][kBlock] = {};
      for (int r = 0; r < rows; ++r) copy(tile[r], H + (size_t)(i + r) * n + j, columns);
      for (int c = 0; c < columns; ++c) {
        const double* row = H + (size_t)(j + c) * n + i;
        for (int r = 0; r < rows; ++r) mirrored[r][c] = row[r];
      }
      for (int r = 0; r < kBlock; ++r) {
        for (int c = 0; c < kBlock; ++c) {
          const double size = __builtin_fabs(tile[r][c]), difference = __builtin_fabs(tile[r][c] - mirrored[r][c]);
          most[c] = most[c] > size ? most[c] : size;
          worst[c] = worst[c] > difference ? worst[c] : difference;
        }
      }
    }
  }
  const double size = largest(most, kBlock);
  return size > 0.0 ? largest(worst, kBlock) / size : 0.0;
}

}  // namespace tarsus::TARSUS_ISA
