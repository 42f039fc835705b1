// Every pair of points of two primitives that can be the nearest one (Buschmann 2014, 5.2.3): vertices and edges, edges and
// edges, vertices and faces, and edges that pierce a face, which the fifteen configurations of the text leave out. All of them
// are pairs of points of the primitives, whatever rounding did to them: the nearest one is never too near, and too far by
// rounding only.
#pragma once
#include "geometry/generator.hpp"

namespace tarsus::TARSUS_ISA {

// Parts of a primitive: vertices 0 to 2, edges 3 to 5, the face. A pair of parts is one number.
constexpr int kFirstEdge = 3, kFace = 6, kParts = 8;
constexpr double parts(int a, int b) { return kParts * a + b; }

constexpr double kOnRim = 1e-14;           // shares by which a place may be outside of a face and still is on its rim
constexpr double kParallelSquare = 1e-24;  // square of the sine of an angle below which directions are looked at as parallel

// What the search tells beside its candidates.
template <class T>
struct Alignment {
  typename Bits<T>::type parallel{};  // lanes in which edges or faces are parallel: several candidates may be equally near
};

// The nearest points of two segments: the first one's share without constraints (5.46), brought to its ends, then each share by
// the other. By vector products, since the determinant of D^T D loses twice as many digits where edges are nearly parallel.
template <class T>
struct EdgePair {
  T s, t;
  Vec3<T> a, b;
  T squared_sine;  // of the angle between the segments
};
template <class T>
TARSUS_INLINE EdgePair<T> nearest_of_edges(const Vec3<T>& p, const Vec3<T>& d, const T& inverse_d, const Vec3<T>& q,
                                           const Vec3<T>& e, const T& inverse_e) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const Vec3<T> w = p - q, normal = cross(d, e);
  const T square = dot(normal, normal), both = dot(d, e), along_d = dot(d, w), along_e = dot(e, w);
  const T free = dot(cross(e, w), normal) / larger<T>(square, broadcast<T>(kLeastSquare));
  const T first = smaller<T>(larger<T>(free, zero), one);
  const T t = smaller<T>(larger<T>((along_e + both * first) * inverse_e, zero), one);
  const T s = smaller<T>(larger<T>((both * t - along_d) * inverse_d, zero), one);
  return {s, t, p + s * d, q + t * e, square * (inverse_d * inverse_e)};
}
// The part that a share of edge k is on: the edge, or one of its ends.
template <int n, class T>
TARSUS_INLINE T part_at(const T& share, int k) {
  const double last = n == 2 ? 1 : (k + 1) % 3;
  const T end = select<T>(less<T>(share, broadcast<T>(1.0)), broadcast<T>(kFirstEdge + k), broadcast<T>(last));
  return select<T>(less<T>(broadcast<T>(0.0), share), end, broadcast<T>(k));
}

// Vertices of `a` against edges of `b`.
template <bool kSwapped, class T, int n, int m, class Visit>
TARSUS_INLINE void vertices_to_edges(const Generator<T, n>& a, const Generator<T, m>& b, Visit& visit) {
  TARSUS_UNROLL
  for (int i = 0; i < n; ++i) {
    TARSUS_UNROLL
    for (int k = 0; k < kEdges<m>; ++k) {
      const T t = nearest_share(a.vertex[i] - b.vertex[k], b.edge[k], b.inverse[k]);
      const Vec3<T> on = b.vertex[k] + t * b.edge[k];
      auto feature = [&]() TARSUS_LAMBDA {
        const T part = part_at<m>(t, k);
        return kSwapped ? static_cast<double>(kParts) * part + static_cast<double>(i) : part + parts(i, 0);
      };
      if constexpr (kSwapped) {
        visit.pair(on, a.vertex[i], feature);
      } else {
        visit.pair(a.vertex[i], on, feature);
      }
    }
  }
}

// Edges of both, with their ends. Where all that are equally near are wanted, parallel edges are left out: some place of what
// they share says nothing, and vertices tell its ends.
template <bool kAll, class T, int n, int m, class Visit>
TARSUS_INLINE void edges_to_edges(const Generator<T, n>& a, const Generator<T, m>& b, Alignment<T>& found, Visit& visit) {
  TARSUS_UNROLL
  for (int i = 0; i < kEdges<n>; ++i) {
    TARSUS_UNROLL
    for (int k = 0; k < kEdges<m>; ++k) {
      const EdgePair<T> pair = nearest_of_edges(a.vertex[i], a.edge[i], a.inverse[i], b.vertex[k], b.edge[k], b.inverse[k]);
      auto code = [&]() TARSUS_LAMBDA { return static_cast<double>(kParts) * part_at<n>(pair.s, i) + part_at<m>(pair.t, k); };
      if constexpr (kAll) {
        const Vec3<T> d = pair.a - pair.b;
        visit.pair_where(~less<T>(pair.squared_sine, broadcast<T>(kParallelSquare)), dot(d, d), pair.a, pair.b, code);
      } else {
        visit.pair(pair.a, pair.b, code);
      }
      found.parallel = found.parallel | less<T>(pair.squared_sine, broadcast<T>(kParallelSquare));
    }
  }
}

// Edges of `a` that pierce the face of `b`, by its vertices over the face.
template <bool kAll, bool kSwapped, class T, int n, class Visit>
TARSUS_INLINE void edges_through_face(const Generator<T, n>& a, const Generator<T, 3>& b, const OverFace<T> (&over)[n],
                                      Alignment<T>& found, Visit& visit) {
  const T zero = broadcast<T>(0.0), inverse_normal = b.inverse[0] * b.inverse_across;
  TARSUS_UNROLL
  for (int k = 0; k < kEdges<n>; ++k) {
    const OverFace<T>&start = over[k], &end = over[(k + 1) % n];
    const T fall = start.height - end.height;
    const auto through = less<T>(start.height, zero) ^ less<T>(end.height, zero);
    const T t = start.height / select<T>(through, fall, broadcast<T>(1.0));
    const T share = smallest_share<T>(start.u + t * (end.u - start.u), start.v + t * (end.v - start.v));
    const auto pierces = through & ~less<T>(share, b.least);
    if (any<T>(pierces)) {
      const Vec3<T> at = a.vertex[k] + t * a.edge[k];
      const double part = kSwapped ? parts(kFace, kFirstEdge + k) : parts(kFirstEdge + k, kFace);
      visit.pair_where(pierces, kAll ? zero : -share, at, at,  // the one that is furthest inside comes first
                       [&]() TARSUS_LAMBDA { return broadcast<T>(part); });
    }
    found.parallel = found.parallel | less<T>(fall * fall * (a.inverse[k] * inverse_normal), broadcast<T>(kParallelSquare));
  }
}

// Vertices of `a` above the face of `b`, and edges of `a` that pierce it.
template <bool kAll, bool kSwapped, class T, int n, class Visit>
TARSUS_INLINE void vertices_to_face(const Generator<T, n>& a, const Generator<T, 3>& b, Alignment<T>& found, Visit& visit) {
  const T inverse_normal = b.inverse[0] * b.inverse_across;
  OverFace<T> over[n];
  TARSUS_UNROLL
  for (int i = 0; i < n; ++i) {
    over[i] = over_face(b, a.vertex[i]);
    const auto inside = ~less<T>(smallest_share<T>(over[i].u, over[i].v), kAll ? b.least - kOnRim : b.least);
    const T share = over[i].height * inverse_normal;
    const Vec3<T> foot = a.vertex[i] - share * b.normal;
    const double part = kSwapped ? parts(kFace, i) : parts(i, kFace);
    auto code = [&]() TARSUS_LAMBDA { return broadcast<T>(part); };
    if constexpr (kSwapped) {
      visit.pair_where(inside, share * over[i].height, foot, a.vertex[i], code);
    } else {
      visit.pair_where(inside, share * over[i].height, a.vertex[i], foot, code);
    }
  }
  if constexpr (n > 1) edges_through_face<kAll, kSwapped>(a, b, over, found, visit);
}

// All candidates; those of vertices and edges, which edges and edges include, only where all that are equally near are wanted.
template <bool kAll, class T, int n, int m, class Visit>
TARSUS_INLINE Alignment<T> for_candidates(const Generator<T, n>& a, const Generator<T, m>& b, Visit& visit) {
  Alignment<T> found;
  if constexpr (n == 1 && m == 1) {
    visit.pair(a.vertex[0], b.vertex[0], []() TARSUS_LAMBDA { return broadcast<T>(parts(0, 0)); });
  }
  if constexpr (m > 1 && (n == 1 || kAll)) vertices_to_edges<false>(a, b, visit);
  if constexpr (n > 1 && (m == 1 || kAll)) vertices_to_edges<true>(b, a, visit);
  if constexpr (n > 1 && m > 1) edges_to_edges<kAll>(a, b, found, visit);
  if constexpr (m == 3) vertices_to_face<kAll, false>(a, b, found, visit);
  if constexpr (n == 3) vertices_to_face<kAll, true>(b, a, found, visit);
  return found;
}

}  // namespace tarsus::TARSUS_ISA
