#pragma once
#ifdef __AVX__
#include <immintrin.h>
#endif
#define any any_slow
#include "contact/distance.hpp"
#undef any
namespace tarsus::TARSUS_ISA {
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
}  // namespace tarsus::TARSUS_ISA
