// The nearest points of two generating primitives (Buschmann 2014, (5.36)). Where several pairs are equally near, as between
// parallel edges and faces or where two triangles cross, their middle: pairs of nearest points form a convex set.
#pragma once
#include "geometry/candidates.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kTie = 1e-14;  // of the scale: distances that differ by less are equal
constexpr double kMiddleSquare =
    1e-6;  // square of the sine up to which the middle of segments can be as near as their nearest points

template <class T>
struct ClosestPair {
  T squared;     // distance of the points
  Vec3<T> a, b;  // on the primitives
  T parts;       // kParts * part of a + part of b
};

// What a query keeps of its candidates.
enum Keep { kKeepDistance, kKeepPoints, kKeepParts };

template <Keep keep, class T>
struct NearestCandidate {
  ClosestPair<T> best;

  NearestCandidate() { best.squared = broadcast<T>(1e300), best.a = best.b = zero3<T>(), best.parts = broadcast<T>(0.0); }
  template <class Parts>
  TARSUS_INLINE void take(const T& squared, const Vec3<T>& a, const Vec3<T>& b, const Parts& parts) {
    if constexpr (keep != kKeepDistance) {
      const auto nearer = less<T>(squared, best.squared);
      best.a = select3<T>(nearer, a, best.a), best.b = select3<T>(nearer, b, best.b);
      if constexpr (keep == kKeepParts) best.parts = select<T>(nearer, parts(), best.parts);
    }
    best.squared = smaller<T>(squared, best.squared);
  }
  template <class Parts>
  TARSUS_INLINE void pair(const Vec3<T>& a, const Vec3<T>& b, const Parts& parts) {
    const Vec3<T> d = a - b;
    take(dot(d, d), a, b, parts);
  }
  template <class Parts>
  TARSUS_INLINE void pair_where(typename Bits<T>::type valid, const T& squared, const Vec3<T>& a, const Vec3<T>& b,
                                const Parts& parts) {
    take(select<T>(valid, squared, broadcast<T>(1e300)), a, b, parts);
  }
};

// Sum of all candidates that are as near as the nearest one.
template <class T>
struct TiedCandidates {
  T most;  // square of the distance up to which they are
  T count = broadcast<T>(0.0);
  Vec3<T> a = zero3<T>(), b = zero3<T>();

  explicit TiedCandidates(const T& most) : most(most) {}
  TARSUS_INLINE void add(typename Bits<T>::type valid, const T& squared, const Vec3<T>& p, const Vec3<T>& q) {
    const Vec3<T> none = zero3<T>();
    const auto tied = valid & ~less<T>(most, squared);
    a += select3<T>(tied, p, none), b += select3<T>(tied, q, none);
    count = count + select<T>(tied, broadcast<T>(1.0), broadcast<T>(0.0));
  }
  template <class Parts>
  TARSUS_INLINE void pair(const Vec3<T>& p, const Vec3<T>& q, const Parts&) {
    const Vec3<T> d = p - q;
    add(~typename Bits<T>::type{}, dot(d, d), p, q);
  }
  template <class Parts>
  TARSUS_INLINE void pair_where(typename Bits<T>::type valid, const T& squared, const Vec3<T>& p, const Vec3<T>& q,
                                const Parts&) {
    add(valid, squared, p, q);
  }
};

// Square of a distance up to which others are equal to it.
template <class T>
TARSUS_INLINE T tie_limit(const T& squared, const T& squared_scale) {
  return squared + (2.0 * kTie) * sqrt_of<T>(squared * squared_scale) + (kTie * kTie) * squared_scale;
}

// The nearest pair without regard to others that are as near: `doubtful` are lanes in which there may be such.
template <Keep keep, class T, int n, int m>
TARSUS_INLINE ClosestPair<T> quick_pair(const Generator<T, n>& a, const Generator<T, m>& b, typename Bits<T>::type& doubtful) {
  if constexpr (n == 2 && m == 2) {  // two segments need no search
    const EdgePair<T> pair = nearest_of_edges(a.vertex[0], a.edge[0], a.inverse[0], b.vertex[0], b.edge[0], b.inverse[0]);
    const Vec3<T> way = pair.a - pair.b;
    T code = broadcast<T>(0.0);
    if constexpr (keep == kKeepParts) code = static_cast<double>(kParts) * part_at<2>(pair.s, 0) + part_at<2>(pair.t, 0);
    doubtful = less<T>(pair.squared_sine, broadcast<T>(kMiddleSquare));
    return {dot(way, way), pair.a, pair.b, code};
  } else {
    NearestCandidate<keep, T> nearest;
    const Alignment<T> found = for_candidates<false>(a, b, nearest);
    doubtful = found.parallel;
    nearest.best.squared = larger<T>(nearest.best.squared, broadcast<T>(0.0));  // less than that where an edge pierces a face
    return nearest.best;
  }
}

// Parallel segments: the middle of what they have in common, (5.48), where that is as near as anything.
template <Keep keep, class T>
TARSUS_INLINE void take_middle(const Generator<T, 2>& a, const Generator<T, 2>& b, const T& most, ClosestPair<T>& best) {
  const Vec3<T>&d = a.edge[0], &e = b.edge[0], &p = a.vertex[0], &q = b.vertex[0];
  const Vec3<T> w = p - q;
  const T s = 0.5 * (nearest_share(-w, d, a.inverse[0]) + nearest_share(e - w, d, a.inverse[0]));
  const Vec3<T> x = p + s * d;
  const T t = nearest_share(x - q, e, b.inverse[0]);
  const Vec3<T> y = q + t * e, way = x - y;
  const auto tied = ~less<T>(most, dot(way, way));
  best.squared = select<T>(tied, dot(way, way), best.squared);
  best.a = select3<T>(tied, x, best.a), best.b = select3<T>(tied, y, best.b);
  if constexpr (keep == kKeepParts) {
    best.parts = select<T>(tied, static_cast<double>(kParts) * part_at<2>(s, 0) + part_at<2>(t, 0), best.parts);
  }
}

// Others: the mean of all candidates that are as near as the nearest one.
template <Keep, class T, int n, int m>
TARSUS_INLINE void take_middle(const Generator<T, n>& a, const Generator<T, m>& b, const T& most, ClosestPair<T>& best) {
  TiedCandidates<T> tied(most);
  for_candidates<true>(a, b, tied);
  const T share = 1.0 / larger<T>(tied.count, broadcast<T>(1.0));
  const auto wanted = less<T>(broadcast<T>(1.5), tied.count);
  best.a = select3<T>(wanted, share * tied.a, best.a), best.b = select3<T>(wanted, share * tied.b, best.b);
  const Vec3<T> d = best.a - best.b;
  best.squared = select<T>(wanted, dot(d, d), best.squared);
}

// The nearest pair, or the middle of all that are as near.
template <Keep keep, class T, int n, int m>
TARSUS_INLINE ClosestPair<T> careful_pair(const Generator<T, n>& a, const Generator<T, m>& b) {
  typename Bits<T>::type doubtful{};
  ClosestPair<T> best = quick_pair<keep>(a, b, doubtful);
  if constexpr (n > 1 && m > 1) take_middle<keep>(a, b, tie_limit(best.squared, squared_scale(a, b)), best);
  return best;
}

}  // namespace tarsus::TARSUS_ISA
