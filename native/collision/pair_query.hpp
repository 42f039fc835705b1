// Queries of two primitives in memory, by their kinds.
#pragma once
#include "collision/placed_volumes.hpp"

namespace tarsus::TARSUS_ISA {

template <Keep keep, class T, int n, int m>
TARSUS_KERNEL void query(const T* a, const T* b, const T& radius_a, const T& radius_b, Separation<T>& s) {
  const Generator<T, n>& p = *reinterpret_cast<const Generator<T, n>*>(a);
  const Generator<T, m>& q = *reinterpret_cast<const Generator<T, m>*>(b);
  if constexpr (keep == kKeepDistance) {
    s.distance = signed_distance(p, radius_a, q, radius_b);
  } else {
    s = separation<keep>(p, radius_a, q, radius_b);
  }
}
template <class T>
using Query = void (*)(const T*, const T*, const T&, const T&, Separation<T>&);
template <Keep keep, class T>
constexpr Query<T> kQueries[9] = {query<keep, T, 1, 1>,
                                  query<keep, T, 1, 2>,
                                  query<keep, T, 1, 3>,
                                  nullptr,
                                  query<keep, T, 2, 2>,
                                  query<keep, T, 2, 3>,
                                  nullptr,
                                  nullptr,
                                  query<keep, T, 3, 3>};
TARSUS_INLINE int kind_of(const Volume& a, const Volume& b) { return 3 * (a.vertices - 1) + b.vertices - 1; }

}  // namespace tarsus::TARSUS_ISA
