// Rows of one robot, padded to whole blocks, and rows of several robots, one a lane: the same words for both.
#pragma once
#include "math/comparison.hpp"
#include "optimization/padded_vectors.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kRowTile = 4;  // entries of rows of packs that are worked on together

// Entries of a row that has n; what is behind them is zero.
template <class T>
TARSUS_INLINE int row_width(int n) {
  return lanes<T> == 1 ? padded(n) : (n + kRowTile - 1) / kRowTile * kRowTile;
}

TARSUS_INLINE void clear(Pack* a, int n) {
  for (int j = 0; j < n; ++j) a[j] = Pack{};
}
TARSUS_INLINE void copy(Pack* to, const Pack* from, int n) {
  for (int j = 0; j < n; ++j) to[j] = from[j];
}
TARSUS_INLINE Pack dot(const Pack* a, const Pack* b, int n) {
  Pack sum[kRowTile] = {};
  int j = 0;
  for (; j + kRowTile <= n; j += kRowTile) {
    TARSUS_UNROLL
    for (int k = 0; k < kRowTile; ++k) sum[k] += a[j + k] * b[j + k];
  }
  for (; j < n; ++j) sum[0] += a[j] * b[j];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
TARSUS_INLINE void add_scaled(Pack* a, const Pack& factor, const Pack* b, int n) {
  for (int j = 0; j < n; ++j) a[j] += factor * b[j];
}

// to = factor * from
TARSUS_INLINE void scale_row(double* to, double factor, const double* from, int width) {
  for (int j = 0; j < width; j += kLanes) store(to + j, factor * load<Pack>(from + j));
}
template <class S>
TARSUS_INLINE void scale_row(Pack* to, const S& factor, const Pack* from, int n) {
  for (int j = 0; j < n; ++j) to[j] = factor * from[j];
}

TARSUS_INLINE bool is_zero(double x) { return x == 0.0; }
TARSUS_INLINE bool is_zero(const Pack& x) { return !any<Pack>(x != 0.0); }

// Largest and smallest of the lanes of a number of each robot.
TARSUS_INLINE double most_of(double x) { return x; }
TARSUS_INLINE double most_of(const Pack& x) { return largest_lane<kLanes>(x); }
TARSUS_INLINE double least_of(const Pack& x) { return -largest_lane<kLanes>(-x); }

// Largest magnitude of each robot.
TARSUS_INLINE Pack largest(const Pack* a, int n) {
  Pack most{};
  for (int j = 0; j < n; ++j) most = larger<Pack>(most, magnitude<Pack>(a[j]));
  return most;
}

// The entry of a row to solve it for, and how large that is: the largest one; of several robots the one that is largest where it
// is smallest.
struct Pivot {
  int column;
  double size;
};
inline Pivot find_pivot(const double* a, int columns, int width) {
  const double size = largest(a, width);
  int k = 0;
  while (k + 1 < columns && __builtin_fabs(a[k]) != size) ++k;
  return {k, size};
}
inline Pivot find_pivot(const Pack* a, int columns, int) {
  Pivot best{0, 0.0};
  for (int k = 0; k < columns; ++k) {
    if (!(__builtin_fabs(a[k][0]) > best.size)) continue;  // most entries are zero
    if (const double size = least_of(magnitude<Pack>(a[k])); size > best.size) best = {k, size};
  }
  return best;
}

}  // namespace tarsus::TARSUS_ISA
