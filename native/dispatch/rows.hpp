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
// in the lanes of rows that are not finite: the check costs nothing beside the load.
inline Pack load_rows(const double* rows_begin, size_t n, int rows, Pack* packs) {
  const double* row[kLanes];
  TARSUS_UNROLL
  for (int l = 0; l < kLanes; ++l) row[l] = rows_begin + (size_t)(l < rows ? l : rows - 1) * n;
  Pack bad = broadcast<Pack>(0.0);
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
      bad = bad + poison(r[l]);
    }
  }
  for (; j < n; ++j) {
    TARSUS_UNROLL
    for (int l = 0; l < kLanes; ++l) packs[j][l] = row[l][j];
    bad = bad + poison(packs[j]);
  }
  return bad;
}

inline void store_rows(double* rows_begin, size_t n, int rows, const Pack* packs) {
  size_t j = 0;
  if (rows == kLanes) {
    for (; j + kLanes <= n; j += kLanes) {
      const double* block[kLanes];
      Pack r[kLanes];
      TARSUS_UNROLL
      for (int l = 0; l < kLanes; ++l) block[l] = reinterpret_cast<const double*>(packs + j + l);
      transpose(block, r);
      TARSUS_UNROLL
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
  TARSUS_UNROLL
  for (int l = 0; l < kLanes; ++l) rest += bad[l];
  return rest == 0.0;
}

}  // namespace tarsus::TARSUS_ISA
