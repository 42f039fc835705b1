// Scalar types of the kernels. Everything that holds floating point code lives in a namespace named after the
// instruction set it is compiled for, so that the linker can never mix two of them.
#pragma once
#include <cstddef>
#include <cstring>

#ifndef TARSUS_ISA
#define TARSUS_ISA host
#endif
#define TARSUS_INLINE inline __attribute__((always_inline))
// Whole kernels stay functions of their own: merged into their caller they lose registers to each other.
#define TARSUS_KERNEL __attribute__((noinline)) inline
#define TARSUS_LAMBDA __attribute__((always_inline))
// Templates that several units call, compiled in one of them only (dispatch/sweeps.cpp): the definition begins with
// TARSUS_SWEEP, and a line TARSUS_COMPILED_ONCE behind it names each instance.
#define TARSUS_SWEEP __attribute__((noinline))
#ifdef TARSUS_COMPILES_SWEEPS
#define TARSUS_COMPILED_ONCE template
#else
#define TARSUS_COMPILED_ONCE extern template
#endif
// Before loops over lanes, which compilers otherwise keep as loops through the stack.
#define TARSUS_UNROLL _Pragma("GCC unroll 8")

namespace tarsus::TARSUS_ISA {

// Lanes of a pack: exactly one register. Wider packs spill and are several times slower.
#if defined(__AVX512F__)
constexpr int kLanes = 8;
#elif defined(__AVX2__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;  // SSE2, NEON
#endif

typedef double Pack __attribute__((vector_size(8 * kLanes)));
// One state with lanes as limbs: robots have about four limbs.
constexpr int kLimbLanes = kLanes < 4 ? kLanes : 4;
typedef double Limb __attribute__((vector_size(8 * kLimbLanes)));

template <class T>
constexpr int lanes = sizeof(T) / sizeof(double);

// As std::swap, whose instances would be shared by all instruction sets.
template <class T>
TARSUS_INLINE void exchange(T& a, T& b) {
  const T c = a;
  a = b, b = c;
}

template <class T>
struct Bits {  // integer type with the lanes of T
  typedef long long type __attribute__((vector_size(sizeof(T))));
};
template <>
struct Bits<double> {
  typedef long long type;
};

template <class To, class From>
TARSUS_INLINE To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

template <class T>
TARSUS_INLINE T broadcast(double x) {
  if constexpr (lanes<T> == 1) {
    return x;
  } else {
    return T{} + x;
  }
}
template <class T>
TARSUS_INLINE double lane(const T& x, int i) {
  if constexpr (lanes<T> == 1) {
    (void)i;
    return x;
  } else {
    return x[i];
  }
}
template <class T>
TARSUS_INLINE void set_lane(T& x, int i, double value) {
  if constexpr (lanes<T> == 1) {
    (void)i;
    x = value;
  } else {
    x[i] = value;
  }
}
template <class T>
TARSUS_INLINE T load(const double* p) {
  T x;
  std::memcpy(&x, p, sizeof(T));
  return x;
}
template <class T>
TARSUS_INLINE void store(double* p, const T& x) {
  std::memcpy(p, &x, sizeof(T));
}

// a where mask is all ones, b where it is zero
template <class T>
TARSUS_INLINE T select(typename Bits<T>::type mask, const T& a, const T& b) {
  if constexpr (lanes<T> == 1) {
    return mask ? a : b;  // masks of one lane stay in integer registers
  } else {
    using I = typename Bits<T>::type;
    return bit_cast<T>((I)((mask & bit_cast<I>(a)) | (~mask & bit_cast<I>(b))));
  }
}

// Entries of arguments must stay below this, so that products of a few of them do not overflow.
constexpr double kLargest = 1e100;

// 0 where x is finite and, times scale, does not overflow; NaN where it is not.
constexpr double kArgumentScale = 1.797693e208;  // overflows beyond kLargest
constexpr double kResultScale = 1.0;
template <class T>
TARSUS_INLINE T poison(const T& x, double scale) {
  return (x * scale) * 0.0;
}

template <class T>
TARSUS_INLINE T sqrt_of(const T& x) {
  if constexpr (lanes<T> == 1) {
    return __builtin_sqrt(x);
  } else {
    T r = x;
    for (int i = 0; i < lanes<T>; ++i) r[i] = __builtin_sqrt(x[i]);
    return r;
  }
}

// Function of one double applied to every lane, for the few places where speed does not matter.
template <class T, class F>
TARSUS_INLINE T each_lane(const T& x, F f) {
  T r = x;
  for (int i = 0; i < lanes<T>; ++i) set_lane(r, i, f(lane(x, i)));
  return r;
}

}  // namespace tarsus::TARSUS_ISA
