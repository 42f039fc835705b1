// Sine and cosine of packs: Cody-Waite reduction to [-pi/4, pi/4] and minimax polynomials, about 1 ulp.
#pragma once
#include <cmath>

#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kReductionLimit = 1e5;  // beyond it three constants for pi/2 are not enough digits

template <class T>
TARSUS_INLINE void reduced_sincos(const T& x, T& s, T& c) {
  using I = typename Bits<T>::type;
  const double shift = 6755399441055744.0;  // 1.5 2^52: adding it rounds to an integer, kept in the low bits
  const T shifted = x * 0.63661977236758134308 + shift;
  const T k = shifted - shift;
  const I quadrant = bit_cast<I>(shifted);
  T r = x - k * 1.57079632673412561417e+00;
  r = r - k * 6.07710050630396597660e-11;
  r = r - k * 2.02226624879595063154e-21;
  const T z = r * r;
  const T sine =
      r + r * z *
              (-1.66666666666666307295E-1 +
               z * (8.33333333332211858878E-3 +
                    z * (-1.98412698295895385996E-4 +
                         z * (2.75573136213857245213E-6 + z * (-2.50507477628578072866E-8 + z * 1.58962301576546568060E-10)))));
  const T cosine =
      (1.0 - 0.5 * z) +
      z * z *
          (4.16666666666665929218E-2 +
           z * (-1.38888888888730564116E-3 +
                z * (2.48015872888517045348E-5 +
                     z * (-2.75573141792967388112E-7 + z * (2.08757008419747316778E-9 + z * -1.13585365213876817300E-11)))));
  const I odd = -(quadrant & 1);
  const I sine_sign = (quadrant & 2) << 62, cosine_sign = ((quadrant + 1) & 2) << 62;
  s = bit_cast<T>((I)(bit_cast<I>(select(odd, cosine, sine)) ^ sine_sign));
  c = bit_cast<T>((I)(bit_cast<I>(select(odd, sine, cosine)) ^ cosine_sign));
}

// Largest magnitude met, for `any_huge`.
template <class T>
TARSUS_INLINE T larger_magnitude(const T& a, const T& b) {
  using I = typename Bits<T>::type;
  const T x = bit_cast<T>((I)(bit_cast<I>(b) & 0x7fffffffffffffffLL));
  if constexpr (lanes<T> == 1) {
    return x > a ? x : a;
  } else {
    return select<T>((I)(x > a), x, a);
  }
}
template <class T>
TARSUS_INLINE bool any_huge(const T& magnitude) {
  bool huge = false;
  for (int i = 0; i < lanes<T>; ++i) huge |= lane(magnitude, i) > kReductionLimit;
  return __builtin_expect(huge, 0);
}

// Replaces the lanes beyond the limit. The others keep what they have: no lane depends on its neighbours.
template <class T>
__attribute__((noinline)) void exact_sincos(const T& x, T& s, T& c) {
  for (int i = 0; i < lanes<T>; ++i) {
    const double a = lane(x, i);
    if (!(std::fabs(a) > kReductionLimit)) continue;
    set_lane(s, i, std::sin(a)), set_lane(c, i, std::cos(a));
  }
}

template <class T>
TARSUS_INLINE void sincos(const T& x, T& s, T& c) {
  reduced_sincos(x, s, c);
  if (any_huge(larger_magnitude(broadcast<T>(0.0), x))) exact_sincos(x, s, c);
}

}  // namespace tarsus::TARSUS_ISA
