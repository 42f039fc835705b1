// Rows of batches to packs and back: state-major in memory, lane-major in the kernels.
#pragma once
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

TARSUS_INLINE void transpose(Pack* r) {
#if defined(__AVX512F__)
  Pack t[8], u[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      u[i + k] = __builtin_shufflevector(t[i + k], t[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      u[i + k + 2] = __builtin_shufflevector(t[i + k], t[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#elif defined(__AVX2__)
  const Pack a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  const Pack c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7), r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#else
  const Pack a = __builtin_shufflevector(r[0], r[1], 0, 2), b = __builtin_shufflevector(r[0], r[1], 1, 3);
  r[0] = a, r[1] = b;
#endif
}

// Reads `rows` <= kLanes rows of n entries into n packs, the last row repeated into spare lanes. Returns a pack that is NaN
// in the lanes of rows that are not finite: the check costs nothing beside the load.
inline Pack load_rows(const double* rows_begin, size_t n, int rows, Pack* packs) {
  const double* row[kLanes];
  for (int l = 0; l < kLanes; ++l) row[l] = rows_begin + (size_t)(l < rows ? l : rows - 1) * n;
  Pack bad = broadcast<Pack>(0.0);
  size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    Pack r[kLanes];
    for (int l = 0; l < kLanes; ++l) r[l] = load<Pack>(row[l] + j);
    transpose(r);
    for (int l = 0; l < kLanes; ++l) {
      packs[j + l] = r[l];
      bad = bad + poison(r[l]);
    }
  }
  for (; j < n; ++j) {
    for (int l = 0; l < kLanes; ++l) packs[j][l] = row[l][j];
    bad = bad + poison(packs[j]);
  }
  return bad;
}

inline void store_rows(double* rows_begin, size_t n, int rows, const Pack* packs) {
  size_t j = 0;
  if (rows == kLanes) {
    for (; j + kLanes <= n; j += kLanes) {
      Pack r[kLanes];
      for (int l = 0; l < kLanes; ++l) r[l] = packs[j + l];
      transpose(r);
      for (int l = 0; l < kLanes; ++l) store(rows_begin + l * n + j, r[l]);
    }
  }
  for (; j < n; ++j) {
    for (int l = 0; l < rows; ++l) rows_begin[l * n + j] = packs[j][l];
  }
}

inline bool all_finite(const double* x, size_t n) {
  Pack bad = broadcast<Pack>(0.0);
  double rest = 0.0;
  size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) bad = bad + poison(load<Pack>(x + j));
  for (; j < n; ++j) rest += poison(x[j]);
  for (int l = 0; l < kLanes; ++l) rest += bad[l];
  return rest == 0.0;
}

}  // namespace tarsus::TARSUS_ISA
