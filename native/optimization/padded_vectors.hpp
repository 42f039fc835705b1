// Sums over vectors whose length is padded with zeros to whole blocks.
#pragma once
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kBlock = 8;  // numbers of a block: one register of the widest set
TARSUS_INLINE int padded(int n) { return (n + kBlock - 1) / kBlock * kBlock; }

// As fmax and fmin of numbers, without a call.
TARSUS_INLINE double larger(double a, double b) { return a > b ? a : b; }
TARSUS_INLINE double smaller(double a, double b) { return a < b ? a : b; }

template <int count>
struct Lanes {
  typedef double type __attribute__((vector_size(8 * count)));
};

// Half of a vector, by a shuffle: a copy of a part of it through its address would keep the vector in memory while it is summed
// up.
template <int count, bool upper>
TARSUS_INLINE typename Lanes<count / 2>::type half_of(const typename Lanes<count>::type& x) {
  constexpr int k = upper ? count / 2 : 0;
  if constexpr (count == 8) return __builtin_shufflevector(x, x, k, k + 1, k + 2, k + 3);
  if constexpr (count == 4) return __builtin_shufflevector(x, x, k, k + 1);
}

// Sum of all lanes, halves first.
template <int count>
TARSUS_INLINE double sum_lanes(const typename Lanes<count>::type& x) {
  if constexpr (count == 2) {
    return x[0] + x[1];
  } else {
    return sum_lanes<count / 2>(half_of<count, false>(x) + half_of<count, true>(x));
  }
}

// Largest of all lanes.
template <int count>
TARSUS_INLINE double largest_lane(const typename Lanes<count>::type& x) {
  if constexpr (count == 2) {
    return larger(x[0], x[1]);
  } else {
    const typename Lanes<count / 2>::type low = half_of<count, false>(x), high = half_of<count, true>(x);
    return largest_lane<count / 2>(low > high ? low : high);
  }
}

TARSUS_INLINE double dot(const double* a, const double* b, int width) {
  Pack sum[kBlock / kLanes] = {};
  for (int j = 0; j < width; j += kBlock) {
    TARSUS_UNROLL
    for (int k = 0; k < kBlock / kLanes; ++k) {
      sum[k] += load<Pack>(a + j + k * kLanes) * load<Pack>(b + j + k * kLanes);
    }
  }
  for (int k = 1; k < kBlock / kLanes; ++k) sum[0] += sum[k];
  return sum_lanes<kLanes>(sum[0]);
}

// a += factor b
TARSUS_INLINE void add_scaled(double* a, double factor, const double* b, int width) {
  for (int j = 0; j < width; j += kLanes) store(a + j, load<Pack>(a + j) + factor * load<Pack>(b + j));
}

// Four products with the same vector: the sums do not wait for each other.
TARSUS_INLINE void dot4(const double* const (&a)[4], const double* b, int width, double* result) {
  Pack sum[4] = {};
  for (int j = 0; j < width; j += kLanes) {
    const Pack x = load<Pack>(b + j);
    TARSUS_UNROLL
    for (int k = 0; k < 4; ++k) sum[k] += load<Pack>(a[k] + j) * x;
  }
  TARSUS_UNROLL
  for (int k = 0; k < 4; ++k) result[k] = sum_lanes<kLanes>(sum[k]);
}

// Products of `count` rows, `stride` apart, with one vector.
TARSUS_INLINE void multiply_rows(const double* rows, int count, int stride, const double* b, int width, double* result) {
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    const double* a = rows + (size_t)i * stride;
    dot4({a, a + stride, a + 2 * stride, a + 3 * stride}, b, width, result + i);
  }
  for (; i < count; ++i) result[i] = dot(rows + (size_t)i * stride, b, width);
}

// b += sign times the sum of factor_i times row i
template <int sign>
TARSUS_INLINE void combine_rows(double* b, const double* factor, const double* rows, int count, int stride, int width) {
  int i = 0;
  for (; i + 8 <= count; i += 8) {  // half as many ways through memory
    const double* a = rows + (size_t)i * stride;
    for (int j = 0; j < width; j += kLanes) {
      Pack x = load<Pack>(b + j), y = (sign * factor[i + 4]) * load<Pack>(a + 4 * stride + j);
      TARSUS_UNROLL
      for (int k = 0; k < 4; ++k) x += (sign * factor[i + k]) * load<Pack>(a + k * stride + j);
      TARSUS_UNROLL
      for (int k = 5; k < 8; ++k) y += (sign * factor[i + k]) * load<Pack>(a + k * stride + j);
      store(b + j, x + y);
    }
  }
  for (; i + 4 <= count; i += 4) {
    const double* a = rows + (size_t)i * stride;
    for (int j = 0; j < width; j += kLanes) {
      Pack x = load<Pack>(b + j);
      TARSUS_UNROLL
      for (int k = 0; k < 4; ++k) x += (sign * factor[i + k]) * load<Pack>(a + k * stride + j);
      store(b + j, x);
    }
  }
  for (; i < count; ++i) add_scaled(b, sign * factor[i], rows + (size_t)i * stride, width);
}
TARSUS_INLINE void add_rows(double* b, const double* factor, const double* rows, int count, int stride, int width) {
  combine_rows<1>(b, factor, rows, count, stride, width);
}
TARSUS_INLINE void subtract_rows(double* b, const double* factor, const double* rows, int count, int stride, int width) {
  combine_rows<-1>(b, factor, rows, count, stride, width);
}

// Largest magnitude; entries that are no numbers do not count.
TARSUS_INLINE double largest(const double* a, int n) {
  using I = Bits<Pack>::type;
  Pack most{};
  int j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    const Pack x = bit_cast<Pack>((I)(bit_cast<I>(load<Pack>(a + j)) & 0x7fffffffffffffffLL));
    most = x > most ? x : most;
  }
  double rest = 0.0;
  for (; j < n; ++j) rest = larger(rest, __builtin_fabs(a[j]));
  return larger(rest, largest_lane<kLanes>(most));
}

// Of no numbers, the pointers may be null.
TARSUS_INLINE void clear(double* a, int n) {
  if (n > 0) std::memset(a, 0, sizeof(double) * n);
}
TARSUS_INLINE void copy(double* to, const double* from, int n) {
  if (n > 0) std::memcpy(to, from, sizeof(double) * n);
}

}  // namespace tarsus::TARSUS_ISA
