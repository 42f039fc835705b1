// Rows of batches to packs and back: state-major in memory, lane-major in the kernels.
#pragma once
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

// Transposes a kLanes x kLanes block: entry l of to[k] is entry k of the block that starts at from[l].
TARSUS_INLINE void transpose(const double* const* from, Pack* to) {
#if defined(__AVX512F__)
  Pack t[8], u[8];
  for (int i = 0; i < 8; i += 2) {
    const Pack a = load<Pack>(from[i]), b = load<Pack>(from[i + 1]);
    t[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    t[i + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      u[i + k] = __builtin_shufflevector(t[i + k], t[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      u[i + k + 2] = __builtin_shufflevector(t[i + k], t[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    to[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    to[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#elif defined(__AVX2__)
  // Halves are joined while they are loaded, which leaves one cheap shuffle a row.
  typedef double Half __attribute__((vector_size(16)));
  auto join = [](const double* low, const double* high)
                  TARSUS_LAMBDA { return __builtin_shufflevector(load<Half>(low), load<Half>(high), 0, 1, 2, 3); };
  for (int k = 0; k < 4; k += 2) {
    const Pack a = join(from[0] + k, from[2] + k), b = join(from[1] + k, from[3] + k);
    to[k] = __builtin_shufflevector(a, b, 0, 4, 2, 6), to[k + 1] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  }
#else
  const Pack a = load<Pack>(from[0]), b = load<Pack>(from[1]);
  to[0] = __builtin_shufflevector(a, b, 0, 2), to[1] = __builtin_shufflevector(a, b, 1, 3);
#endif
}

// Reads `rows` <= kLanes rows of n entries into n packs, the last row repeated into spare lanes. Returns a pack that is NaN
// in the lanes of rows that are not finite: the check is hidden behind the load (several sums, because one would be a chain).
inline Pack load_rows(const double* rows_begin, size_t n, int rows, Pack* packs) {
  const double* row[kLanes];
  for (int l = 0; l < kLanes; ++l) row[l] = rows_begin + (size_t)(l < rows ? l : rows - 1) * n;
  Pack bad[kLanes];
  TARSUS_UNROLL
  for (int l = 0; l < kLanes; ++l) bad[l] = broadcast<Pack>(0.0);
  size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    const double* block[kLanes];
    Pack r[kLanes];
    TARSUS_UNROLL
    for (int l = 0; l < kLanes; ++l) block[l] = row[l] + j;
    transpose(block, r);
    TARSUS_UNROLL
    for (int l = 0; l < kLanes; ++l) {
      packs[j + l] = r[l];
      bad[l] = bad[l] + poison(r[l], kArgumentScale);
    }
  }
  for (; j < n; ++j) {
    for (int l = 0; l < kLanes; ++l) packs[j][l] = row[l][j];
    bad[0] = bad[0] + poison(packs[j], kArgumentScale);
  }
  for (int l = 1; l < kLanes; ++l) bad[0] = bad[0] + bad[l];
  return bad[0];
}

// The first `rows` lanes of n packs to as many rows of n entries.
inline void store_rows(double* rows_begin, size_t n, int rows, const Pack* packs) {
  size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    const double* block[kLanes];
    Pack r[kLanes];
    TARSUS_UNROLL
    for (int l = 0; l < kLanes; ++l) block[l] = reinterpret_cast<const double*>(packs + j + l);
    transpose(block, r);
    if (rows == kLanes) {
      TARSUS_UNROLL
      for (int l = 0; l < kLanes; ++l) store(rows_begin + l * n + j, r[l]);
    } else {
      for (int l = 0; l < rows; ++l) store(rows_begin + l * n + j, r[l]);
    }
  }
  for (size_t left = n % kLanes; left > 0; --left, ++j) {
    for (int l = 0; l < rows; ++l) rows_begin[l * n + j] = packs[j][l];
  }
}

// Sum of `poison` over n packs, in four parts.
inline Pack poison_of(const Pack* x, size_t n, double scale) {
  Pack bad[4] = {};
  size_t j = 0;
  for (; j + 4 <= n; j += 4) {
    TARSUS_UNROLL
    for (int k = 0; k < 4; ++k) bad[k] = bad[k] + poison(x[j + k], scale);
  }
  for (; j < n; ++j) bad[0] = bad[0] + poison(x[j], scale);
  return (bad[0] + bad[1]) + (bad[2] + bad[3]);
}

// The same of an array of numbers; add the lanes up in the end.
TARSUS_INLINE Pack poison_of_array(const double* x, size_t n, double scale) {
  Pack bad[2] = {};
  size_t j = 0;
  for (; j + 2 * kLanes <= n; j += 2 * kLanes) {
    bad[0] = bad[0] + poison(load<Pack>(x + j), scale);
    bad[1] = bad[1] + poison(load<Pack>(x + j + kLanes), scale);
  }
  double rest = 0.0;
  for (; j < n; ++j) rest += poison(x[j], scale);
  return bad[0] + (bad[1] + rest);
}
TARSUS_INLINE bool is_clean(const Pack& bad) {
  double sum = bad[0];
  for (int l = 1; l < kLanes; ++l) sum += bad[l];
  return sum == 0.0;
}

}  // namespace tarsus::TARSUS_ISA
