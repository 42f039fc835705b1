// Neighbouring entries of a row, taken several at once: a pack of them where the entries are numbers, one where they are packs.
#pragma once
#include <type_traits>

#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
using Chunk = std::conditional_t<lanes<T> == 1, Pack, T>;
template <class T>
constexpr long kChunk = sizeof(Chunk<T>) / sizeof(T);

template <class T>
TARSUS_INLINE long whole_chunks(long entries) {
  return (entries + kChunk<T> - 1) / kChunk<T> * kChunk<T>;
}
template <class T>
TARSUS_INLINE Chunk<T> chunk(const T* p) {
  Chunk<T> x;
  std::memcpy(&x, p, sizeof(x));
  return x;
}
template <class T>
TARSUS_INLINE void put_chunk(T* p, const Chunk<T>& x) {
  std::memcpy(static_cast<void*>(p), &x, sizeof(x));
}

}  // namespace tarsus::TARSUS_ISA
