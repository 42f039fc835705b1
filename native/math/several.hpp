// A few numbers that go through the same operations: lanes of one register for one state, or one pack each for a batch.
#pragma once
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

template <class T, int N>
struct Several {
  T of[N];
};
typedef double TwoLanes __attribute__((vector_size(16)));
typedef double FourLanes __attribute__((vector_size(32)));  // the last lane is spare

template <class T, int N>
struct SeveralOf {
  using type = Several<T, N>;
};
template <>
struct SeveralOf<double, 2> {
  using type = TwoLanes;
};
template <>
struct SeveralOf<double, 3> {
  using type = FourLanes;
};
template <class T>
using Two = typename SeveralOf<T, 2>::type;
template <class T>
using Three = typename SeveralOf<T, 3>::type;

template <class T, int N, class F>
TARSUS_INLINE Several<T, N> each(F f) {
  Several<T, N> r;
  TARSUS_UNROLL
  for (int i = 0; i < N; ++i) r.of[i] = f(i);
  return r;
}
template <class T, int N>
TARSUS_INLINE Several<T, N> operator+(const Several<T, N>& a, const Several<T, N>& b) {
  return each<T, N>([&](int i) TARSUS_LAMBDA { return a.of[i] + b.of[i]; });
}
template <class T, int N>
TARSUS_INLINE Several<T, N> operator-(const Several<T, N>& a, const Several<T, N>& b) {
  return each<T, N>([&](int i) TARSUS_LAMBDA { return a.of[i] - b.of[i]; });
}
template <class T, int N>
TARSUS_INLINE Several<T, N> operator*(const T& a, const Several<T, N>& b) {
  return each<T, N>([&](int i) TARSUS_LAMBDA { return a * b.of[i]; });
}
template <class T, int N>
TARSUS_INLINE Several<T, N> operator*(const Several<T, N>& a, const T& b) {
  return b * a;
}

TARSUS_INLINE TwoLanes both(double a, double b) { return TwoLanes{a, b}; }
TARSUS_INLINE FourLanes all_three(double a, double b, double c) { return FourLanes{a, b, c, 0.0}; }
TARSUS_INLINE Several<Pack, 2> both(const Pack& a, const Pack& b) { return {{a, b}}; }
TARSUS_INLINE Several<Pack, 3> all_three(const Pack& a, const Pack& b, const Pack& c) { return {{a, b, c}}; }

template <int i, class S>
TARSUS_INLINE auto part(const S& s) {
  if constexpr (requires { s.of; }) {
    return s.of[i];
  } else {
    return s[i];
  }
}

}  // namespace tarsus::TARSUS_ISA
