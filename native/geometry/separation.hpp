// Signed distance of two swept spheres, their nearest surface points and the direction between them.
#pragma once
#include "geometry/closest_pair.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kTouchingPrimitives = 1e-13;  // of the scale: nearer points of primitives have no direction
constexpr double kLeastLength = 1e-140;        // [m], whose inverse does not overflow

// `normal` is a unit vector from a to b: the signed distance grows along it when b moves.
template <class T>
struct Separation {
  T distance;
  Vec3<T> a, b, normal;  // nearest surface points
  T parts;
};

template <class T, int n>
TARSUS_INLINE Vec3<T> centroid(const Generator<T, n>& g) {
  Vec3<T> sum = g.vertex[0];
  for (int k = 1; k < n; ++k) sum += g.vertex[k];
  return (1.0 / n) * sum;
}

// Some direction across a primitive: the normal of a triangle, of two segments that of both, else across a segment.
template <class T>
TARSUS_INLINE void prefer(Vec3<T>& direction, const Vec3<T>& other, const T& least) {
  direction = select3<T>(less<T>(dot(direction, direction), least), other, direction);
}
template <class T, int n, int m>
TARSUS_INLINE Vec3<T> direction_across(const Generator<T, n>& a, const Generator<T, m>& b) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), least = broadcast<T>(kLeastSquare);
  Vec3<T> direction = zero3<T>();
  if constexpr (m == 3) prefer(direction, b.normal, least);
  if constexpr (n == 3) prefer(direction, a.normal, least);
  if constexpr (n == 2 && m == 2) prefer(direction, cross(a.edge[0], b.edge[0]), least);
  auto across = [&](const Vec3<T>& e) TARSUS_LAMBDA {
    const Vec3<T> up{e.x, e.y, zero}, with_z{-e.x * e.z, -e.y * e.z, dot(up, up)}, with_x{zero, e.z, -e.y};
    const auto steep = less<T>(dot(up, up), e.z * e.z);
    return select3<T>(steep, with_x, with_z);
  };
  if constexpr (m > 1) prefer(direction, across(b.edge[0]), least);
  if constexpr (n > 1) prefer(direction, across(a.edge[0]), least);
  prefer(direction, Vec3<T>{zero, zero, one}, least);
  const T inverse = 1.0 / length(direction);
  return inverse * direction;
}

// By the nearest points of the primitives, how far they are apart, and the direction.
template <class T>
TARSUS_INLINE Separation<T> separation_along(const ClosestPair<T>& nearest, const T& apart, const Vec3<T>& normal,
                                             const T& radius_a, const T& radius_b) {
  return {apart - radius_a - radius_b, nearest.a + radius_a * normal, nearest.b - radius_b * normal, normal, nearest.parts};
}

// In every case. Where primitives touch or cross, the direction is one across them, to the side on which the second one's
// centroid is.
template <Keep keep, class T, int n, int m>
TARSUS_KERNEL void careful_separation(const Generator<T, n>& a, const T& radius_a, const Generator<T, m>& b, const T& radius_b,
                                      Separation<T>& result) {
  const ClosestPair<T> nearest = careful_pair<keep>(a, b);
  const Vec3<T> way = nearest.b - nearest.a;
  const T apart = length(way), inverse = 1.0 / larger<T>(apart, broadcast<T>(kLeastLength));
  const auto touching = ~less<T>((kTouchingPrimitives * kTouchingPrimitives) * squared_scale(a, b), nearest.squared);
  const Vec3<T> across = direction_across(a, b), from = centroid(b) - centroid(a);
  const auto behind = less<T>(dot(across, from), broadcast<T>(0.0));
  const Vec3<T> instead = select3<T>(behind, -across, across);
  result = separation_along(nearest, apart, select3<T>(touching, instead, inverse * way), radius_a, radius_b);
}

// In general position: `doubtful` are lanes that need the careful way.
template <Keep keep, class T, int n, int m>
TARSUS_INLINE Separation<T> quick_separation(const Generator<T, n>& a, const T& radius_a, const Generator<T, m>& b,
                                             const T& radius_b, typename Bits<T>::type& doubtful) {
  const ClosestPair<T> nearest = quick_pair<keep>(a, b, doubtful);
  const Vec3<T> way = nearest.b - nearest.a;  // once more, so that length and direction are of the same rounding
  const T apart = length(way), inverse = 1.0 / larger<T>(apart, broadcast<T>(kLeastLength));
  doubtful = doubtful | ~less<T>((kTouchingPrimitives * kTouchingPrimitives) * squared_scale(a, b), nearest.squared);
  return separation_along(nearest, apart, Vec3<T>(inverse * way), radius_a, radius_b);
}
template <class T>
TARSUS_INLINE Separation<T> select_separation(typename Bits<T>::type mask, const Separation<T>& x, const Separation<T>& y) {
  return {select<T>(mask, x.distance, y.distance), select3<T>(mask, x.a, y.a), select3<T>(mask, x.b, y.b),
          select3<T>(mask, x.normal, y.normal), select<T>(mask, x.parts, y.parts)};
}

// Both, for primitives that are in memory: what is handed to a function by reference cannot stay in registers.
template <Keep keep, class T, int n, int m>
TARSUS_INLINE Separation<T> separation(const Generator<T, n>& a, const T& radius_a, const Generator<T, m>& b, const T& radius_b) {
  typename Bits<T>::type doubtful{};
  Separation<T> quick = quick_separation<keep>(a, radius_a, b, radius_b, doubtful);
  if (any<T>(doubtful)) {
    Separation<T> careful;
    careful_separation<keep>(a, radius_a, b, radius_b, careful);
    quick = select_separation<T>(doubtful, careful, quick);
  }
  return quick;
}
template <class T, int n, int m>
TARSUS_INLINE T signed_distance(const Generator<T, n>& a, const T& radius_a, const Generator<T, m>& b, const T& radius_b) {
  typename Bits<T>::type doubtful{};
  return sqrt_of<T>(quick_pair<kKeepDistance>(a, b, doubtful).squared) - radius_a - radius_b;
}

}  // namespace tarsus::TARSUS_ISA
