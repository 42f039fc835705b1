// Comparisons of lanes, and what is chosen by them.
#pragma once
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "math/vec3.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE typename Bits<T>::type less(const T& a, const T& b) {
  if constexpr (lanes<T> == 1) {
    return a < b ? -1 : 0;
  } else {
    return a < b;
  }
}
// Whether a lane of a mask is set. By the sign bits where there are instructions for it: lane by lane the mask would go through
// memory.
template <class T>
TARSUS_INLINE bool any(const typename Bits<T>::type& mask) {
  if constexpr (lanes<T> == 1) {
    return mask != 0;
#if defined(__AVX512DQ__)
  } else if constexpr (sizeof(T) == 64) {
    return _mm512_movepi64_mask(bit_cast<__m512i>(mask)) != 0;
#endif
#if defined(__AVX__)
  } else if constexpr (sizeof(T) == 32) {
    return _mm256_movemask_pd(bit_cast<__m256d>(mask)) != 0;
#endif
  } else {
    long long all = 0;
    TARSUS_UNROLL
    for (int l = 0; l < lanes<T>; ++l) all |= mask[l];
    return all != 0;
  }
}
// By the instruction where there is one, which compilers do not always see in a comparison and a choice; it chooses the same.
template <class T>
TARSUS_INLINE T larger(const T& a, const T& b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 64) return bit_cast<T>(_mm512_maskz_max_pd(0xff, bit_cast<__m512d>(b), bit_cast<__m512d>(a)));
#endif
#if defined(__AVX__)
  if constexpr (sizeof(T) == 32) return bit_cast<T>(_mm256_max_pd(bit_cast<__m256d>(b), bit_cast<__m256d>(a)));
#endif
  return a < b ? b : a;
}
template <class T>
TARSUS_INLINE T smaller(const T& a, const T& b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 64) return bit_cast<T>(_mm512_maskz_min_pd(0xff, bit_cast<__m512d>(b), bit_cast<__m512d>(a)));
#endif
#if defined(__AVX__)
  if constexpr (sizeof(T) == 32) return bit_cast<T>(_mm256_min_pd(bit_cast<__m256d>(b), bit_cast<__m256d>(a)));
#endif
  return b < a ? b : a;
}
template <class T>
TARSUS_INLINE T magnitude(const T& a) {
  return larger<T>(a, -a);
}
template <class T>
TARSUS_INLINE Vec3<T> select3(typename Bits<T>::type mask, const Vec3<T>& a, const Vec3<T>& b) {
  return {select<T>(mask, a.x, b.x), select<T>(mask, a.y, b.y), select<T>(mask, a.z, b.z)};
}
template <class T>
TARSUS_INLINE T length(const Vec3<T>& a) {
  return sqrt_of<T>(dot(a, a));
}

}  // namespace tarsus::TARSUS_ISA
