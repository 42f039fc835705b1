// A'A of dense rows, for the Hessians of least squares.
#pragma once
#include "optimization/padded_vectors.hpp"

namespace tarsus::TARSUS_ISA {

// Adds four columns from `i` and `count` packs of columns from `j` on of A'A: sums stay in registers.
template <int count>
TARSUS_INLINE void add_square_tile(const double* A, int rows, int width, int i, int j, double* tile) {
  Pack sum[4][count] = {};
  for (int r = 0; r < rows; ++r) {
    const double* a = A + (size_t)r * width;
    Pack x[count];
    TARSUS_UNROLL
    for (int k = 0; k < count; ++k) x[k] = load<Pack>(a + j + k * kLanes);
    TARSUS_UNROLL
    for (int l = 0; l < 4; ++l) {
      TARSUS_UNROLL
      for (int k = 0; k < count; ++k) sum[l][k] += a[i + l] * x[k];
    }
  }
  for (int l = 0; l < 4; ++l) {
    for (int k = 0; k < count; ++k) store(tile + l * 2 * kLanes + k * kLanes, sum[l][k]);
  }
}

// H (n x width) = A'A + diagonal; rows are padded.
inline void square(const double* A, int rows, int n, int width, const double* diagonal, double* H) {
  double tile[4 * 2 * kLanes];
  for (int i = 0; i < n; i += 4) {
    for (int j = i / kLanes * kLanes; j < n; j += 2 * kLanes) {
      const bool both = j + 2 * kLanes <= width;
      if (both) {
        add_square_tile<2>(A, rows, width, i, j, tile);
      } else {
        add_square_tile<1>(A, rows, width, i, j, tile);
      }
      const int end = j + (both ? 2 : 1) * kLanes < n ? j + (both ? 2 : 1) * kLanes : n;
      for (int l = 0; l < 4 && i + l < n; ++l) {
        for (int c = j > i + l ? j : i + l; c < end; ++c) {
          const double x = tile[l * 2 * kLanes + c - j];
          H[(size_t)(i + l) * width + c] = x, H[(size_t)c * width + i + l] = x;
        }
      }
    }
  }
  for (int i = 0; i < n; ++i) H[(size_t)i * width + i] += diagonal[i], clear(H + (size_t)i * width + n, width - n);
}

}  // namespace tarsus::TARSUS_ISA
