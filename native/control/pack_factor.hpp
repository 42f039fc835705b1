// H = A'A + diagonal of several robots, one a lane, and its factor U'U = H: tiles of sums stay in registers.
#pragma once
#include "control/objective.hpp"
#include "optimization/upper_factor.hpp"

namespace tarsus::TARSUS_ISA {

// Rows n to width are those of the identity. Written by whom is said behind each field.
struct PackFactor {
  int n, width;
  Pack *H, *U;     // width x width: all of H, of U what is not left of the diagonal <- build, factor
  Pack* inverse;   // width: reciprocal pivots <- factor
  unsigned* full;  // rows of A: tiles of columns that are not zero <- build

  static constexpr int kTile = kRowTile, kMostTiles = 32;
  static constexpr int kAcross = kLanes == 8 ? kTile : 2;  // columns of sums that registers have room for

  static void layout(PackFactor& f, int most, int rows, auto take) {
    const size_t width = row_width<Pack>(most);
    take(f.H, width * width), take(f.U, width * width), take(f.inverse, width), take(f.full, rows);
  }

  void build(const Objective<Pack>& o, int variables) {
    n = variables, width = row_width<Pack>(n);
    for (int r = 0; r < o.count; ++r) full[r] = tiles_of(o.rows + (size_t)r * width);
    for (int i = 0; i < width; i += kTile) {
      for (int j = i; j < width; j += kAcross) square_tile(o, i, j);
    }
    for (int i = 0; i < width; ++i) H[(size_t)i * width + i] += i < n ? o.diagonal[i] : 1.0;
  }

  // Lanes whose pivots are not all above kSmallestPivot of their diagonal are set in `failed`.
  void factor(Bits<Pack>::type& failed) {
    for (int k = 0; k < width; k += kTile) {
      Pack pivot[kTile][kTile];
      find_square(k, pivot);
      eliminate(k, pivot, failed);
      for (int j = k + kTile; j < width; j += kAcross) {
        Pack sum[kTile][kAcross];
        take_off(k, j, sum);
        TARSUS_UNROLL
        for (int l = 0; l < kTile; ++l) {
          TARSUS_UNROLL
          for (int x = 0; x < kAcross; ++x) {
            Pack rest = sum[l][x];
            TARSUS_UNROLL
            for (int m = 0; m < l; ++m) rest -= pivot[m][l] * sum[m][x];
            sum[l][x] = rest * inverse[k + l];
            U[(size_t)(k + l) * width + j + x] = sum[l][x];
          }
        }
      }
    }
  }

 private:
  unsigned tiles_of(const Pack* row) const {
    unsigned tiles = 0;
    for (int j = 0; j < width; ++j) {
      if (const int tile = j / kTile < kMostTiles ? j / kTile : kMostTiles - 1; !is_zero(row[j])) tiles |= 1u << tile;
    }
    return tiles;
  }
  static unsigned bit(int column) { return 1u << (column / kTile < kMostTiles ? column / kTile : kMostTiles - 1); }

  void square_tile(const Objective<Pack>& o, int i, int j) {
    Pack sum[kTile][kAcross] = {};
    const unsigned both = bit(i) | bit(j);
    for (int r = 0; r < o.count; ++r) {
      if ((full[r] & both) == both) add_outer<1>(o.rows + (size_t)r * width, i, j, sum);
    }
    TARSUS_UNROLL
    for (int l = 0; l < kTile; ++l) {
      TARSUS_UNROLL
      for (int x = 0; x < kAcross; ++x) {
        H[(size_t)(i + l) * width + j + x] = sum[l][x];
        H[(size_t)(j + x) * width + i + l] = sum[l][x];
      }
    }
  }
  // Columns i, ... times columns j, ... of a row.
  template <int sign>
  static TARSUS_INLINE void add_outer(const Pack* row, int i, int j, Pack (&sum)[kTile][kAcross]) {
    Pack right[kAcross];
    TARSUS_UNROLL
    for (int x = 0; x < kAcross; ++x) right[x] = row[j + x];
    TARSUS_UNROLL
    for (int l = 0; l < kTile; ++l) {
      const Pack left = row[i + l];
      TARSUS_UNROLL
      for (int x = 0; x < kAcross; ++x) {
        if constexpr (sign > 0) {
          sum[l][x] += left * right[x];
        } else {
          sum[l][x] -= left * right[x];
        }
      }
    }
  }
  // A tile of H less what the rows of U above it take off.
  TARSUS_INLINE void take_off(int k, int j, Pack (&sum)[kTile][kAcross]) const {
    TARSUS_UNROLL
    for (int l = 0; l < kTile; ++l) {
      TARSUS_UNROLL
      for (int x = 0; x < kAcross; ++x) sum[l][x] = H[(size_t)(k + l) * width + j + x];
    }
    for (int i = 0; i < k; ++i) add_outer<-1>(U + (size_t)i * width, k, j, sum);
  }
  // The same on the diagonal.
  TARSUS_INLINE void find_square(int k, Pack (&square)[kTile][kTile]) const {
    for (int c = 0; c < kTile; c += kAcross) {
      Pack sum[kTile][kAcross];
      take_off(k, k + c, sum);
      TARSUS_UNROLL
      for (int l = 0; l < kTile; ++l) {
        TARSUS_UNROLL
        for (int x = 0; x < kAcross; ++x) square[l][c + x] = sum[l][x];
      }
    }
  }
  TARSUS_INLINE void eliminate(int k, Pack (&a)[kTile][kTile], Bits<Pack>::type& failed) {
    TARSUS_UNROLL
    for (int l = 0; l < kTile; ++l) {
      const Pack at = a[l][l], least = larger<Pack>(kSmallestPivot * H[(size_t)(k + l) * width + k + l], Pack{});
      failed |= ~less<Pack>(least, at);
      const Pack s = 1.0 / sqrt_of<Pack>(at);
      inverse[k + l] = s;
      TARSUS_UNROLL
      for (int c = l; c < kTile; ++c) a[l][c] *= s, U[(size_t)(k + l) * width + k + c] = a[l][c];
      TARSUS_UNROLL
      for (int m = l + 1; m < kTile; ++m) {
        TARSUS_UNROLL
        for (int c = m; c < kTile; ++c) a[m][c] -= a[l][m] * a[l][c];
      }
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
