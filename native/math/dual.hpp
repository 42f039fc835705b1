// Numbers with their exact rates of change along several directions: arithmetic on them differentiates what it computes.
#pragma once
#include <cmath>

#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

template <class T, int N>
struct Dual {
  T value, rate[N];
};

// value, and scale times the rates of a.
template <class T, int N>
TARSUS_INLINE Dual<T, N> chain(const T& value, const T& scale, const Dual<T, N>& a) {
  Dual<T, N> r;
  r.value = value;
  for (int n = 0; n < N; ++n) r.rate[n] = scale * a.rate[n];
  return r;
}
// value, and the rates of a and b times their scales.
template <class T, int N>
TARSUS_INLINE Dual<T, N> chain(const T& value, const T& by_a, const Dual<T, N>& a, const T& by_b, const Dual<T, N>& b) {
  Dual<T, N> r;
  r.value = value;
  for (int n = 0; n < N; ++n) r.rate[n] = by_a * a.rate[n] + by_b * b.rate[n];
  return r;
}

template <class T, int N>
TARSUS_INLINE Dual<T, N> operator+(const Dual<T, N>& a, const Dual<T, N>& b) {
  Dual<T, N> r;
  r.value = a.value + b.value;
  for (int n = 0; n < N; ++n) r.rate[n] = a.rate[n] + b.rate[n];
  return r;
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator-(const Dual<T, N>& a, const Dual<T, N>& b) {
  Dual<T, N> r;
  r.value = a.value - b.value;
  for (int n = 0; n < N; ++n) r.rate[n] = a.rate[n] - b.rate[n];
  return r;
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator-(const Dual<T, N>& a) {
  return chain(T(-a.value), broadcast<T>(-1.0), a);
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator*(const Dual<T, N>& a, const Dual<T, N>& b) {
  return chain(T(a.value * b.value), b.value, a, a.value, b);
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator/(const Dual<T, N>& a, const Dual<T, N>& b) {
  const T inverse = 1.0 / b.value, quotient = a.value * inverse;
  return chain(quotient, inverse, a, T(-quotient * inverse), b);
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator+(Dual<T, N> a, double b) {
  a.value = a.value + b;
  return a;
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator+(double a, const Dual<T, N>& b) {
  return b + a;
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator-(const Dual<T, N>& a, double b) {
  return a + -b;
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator-(double a, const Dual<T, N>& b) {
  return -b + a;
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator*(double a, const Dual<T, N>& b) {
  return chain(T(a * b.value), broadcast<T>(a), b);
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator*(const Dual<T, N>& a, double b) {
  return b * a;
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> operator/(double a, const Dual<T, N>& b) {
  const T quotient = a / b.value;
  return chain(quotient, T(-quotient / b.value), b);
}

// Functions of one number, for numbers and duals alike.
template <class T, int N>
TARSUS_INLINE Dual<T, N> sqrt_of(const Dual<T, N>& x) {
  const T root = sqrt_of(x.value);
  return chain(root, T(0.5 / root), x);
}
// The root of what is above zero, else zero.
template <class T>
TARSUS_INLINE T positive_root(const T& x) {
  return each_lane(x, [](double y) { return y > 0.0 ? std::sqrt(y) : 0.0; });
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> positive_root(const Dual<T, N>& x) {
  const T root = positive_root(x.value);
  return chain(root, T(0.5 / root), x);
}
// x, or `least` where it is below it.
template <class T>
TARSUS_INLINE T at_least(const T& x, double least) {
  return each_lane(x, [=](double y) { return y > least ? y : least; });
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> at_least(Dual<T, N> x, double least) {
  x.value = at_least(x.value, least);
  return x;
}
// Angle of the vector (c, s).
template <class T>
TARSUS_INLINE T angle_of(const T& s, const T& c) {
  T r = s;
  for (int l = 0; l < lanes<T>; ++l) set_lane(r, l, std::atan2(lane(s, l), lane(c, l)));
  return r;
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> angle_of(const Dual<T, N>& s, const Dual<T, N>& c) {
  const T inverse = 1.0 / (s.value * s.value + c.value * c.value);
  return chain(angle_of(s.value, c.value), T(c.value * inverse), s, T(-s.value * inverse), c);
}
// x less the whole multiple of `period` that is nearest to it.
template <class T>
TARSUS_INLINE T less_periods(const T& x, double period) {
  if (period == 0.0) return x;
  return each_lane(x, [=](double y) { return y - period * std::floor(y / period + 0.5); });
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> less_periods(Dual<T, N> x, double period) {
  x.value = less_periods(x.value, period);
  return x;
}
// `other` where x is below a bound, else `value`.
template <class T>
TARSUS_INLINE T unless_below(const T& x, double bound, T value, double other) {
  for (int l = 0; l < lanes<T>; ++l) {
    if (lane(x, l) < bound) set_lane(value, l, other);
  }
  return value;
}
template <class T, int N>
TARSUS_INLINE Dual<T, N> unless_below(const Dual<T, N>& x, double bound, Dual<T, N> value, double other) {
  value.value = unless_below(x.value, bound, value.value, other);
  return value;
}
// Lanes in which x is below a bound.
template <class T>
TARSUS_INLINE int lanes_below(const T& x, double bound) {
  int found = 0;
  for (int l = 0; l < lanes<T>; ++l) found |= (lane(x, l) < bound) << l;
  return found;
}
template <class T, int N>
TARSUS_INLINE int lanes_below(const Dual<T, N>& x, double bound) {
  return lanes_below(x.value, bound);
}

}  // namespace tarsus::TARSUS_ISA
