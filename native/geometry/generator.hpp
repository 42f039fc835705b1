// Generating primitives of swept spheres (Buschmann 2014, (5.26)-(5.28)): a point, a segment or a triangle, with what all queries
// need of its edges and its face. The fields of a pack of them are those of one, each a pack wide.
#pragma once
#include "math/comparison.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kLeastAreaSquare =
    1e-30;                               // of the longest edge: triangles are flat where the squares of edge and height are below
constexpr double kLeastSquare = 1e-280;  // [m^2] squares of lengths below this count as this: nothing divides by zero

template <class T, int vertices>
struct Generator;

template <class T>
struct Generator<T, 1> {
  Vec3<T> vertex[1];
};

template <class T>
struct Generator<T, 2> {
  Vec3<T> vertex[2];
  Vec3<T> edge[1];
  T inverse[1];  // of the edge's square
};

// Edge k leads from vertex k to the next one. A place in the plane of the face is vertex[0] + x edge[0] + y across, with `across`
// perpendicular to edge[0] and vertex[2] at x = lean, y = 1: unlike barycentric coordinates these are exact on thin triangles,
// too.
template <class T>
struct Generator<T, 3> {
  Vec3<T> vertex[3];
  Vec3<T> edge[3];
  T inverse[3];
  Vec3<T> across, normal;
  T lean, inverse_across;
  T least;  // of shares inside of the face: 0, or more than any where the triangle has no area
};

template <class T, int n>
constexpr size_t kGeneratorNumbers = sizeof(Generator<T, n>) / sizeof(T);
template <int vertices>
constexpr int kEdges = vertices == 1   ? 0
                       : vertices == 2 ? 1
                                       : 3;

template <class T>
TARSUS_INLINE T inverse_square(const Vec3<T>& d) {
  return 1.0 / larger<T>(dot(d, d), broadcast<T>(kLeastSquare));
}

template <class T>
TARSUS_INLINE void complete(Generator<T, 1>&) {}
template <class T>
TARSUS_INLINE void complete(Generator<T, 2>& g) {
  g.edge[0] = g.vertex[1] - g.vertex[0], g.inverse[0] = inverse_square(g.edge[0]);
}
template <class T>
TARSUS_INLINE void complete(Generator<T, 3>& g) {
  for (int k = 0; k < 3; ++k) {
    g.edge[k] = g.vertex[(k + 1) % 3] - g.vertex[k], g.inverse[k] = inverse_square(g.edge[k]);
  }
  // Twice, because once leaves rounding of the whole edge along it.
  const Vec3<T> side = -g.edge[2];
  const T once = dot(side, g.edge[0]) * g.inverse[0];
  const Vec3<T> nearly = side - once * g.edge[0];
  const T rest = dot(nearly, g.edge[0]) * g.inverse[0];
  g.across = nearly - rest * g.edge[0], g.lean = once + rest;
  g.inverse_across = inverse_square(g.across), g.normal = cross(g.edge[0], g.across);
  const T longest = larger<T>(dot(g.edge[0], g.edge[0]), larger<T>(dot(g.edge[1], g.edge[1]), dot(side, side)));
  const auto solid = less<T>(kLeastAreaSquare * longest, smaller<T>(dot(g.edge[0], g.edge[0]), dot(g.across, g.across)));
  g.least = select<T>(solid, broadcast<T>(0.0), broadcast<T>(1e300));
}

// A vertex in the coordinates of a face: shares u, v of its second and third vertex, and height along the normal, which has no
// unit length.
template <class T>
struct OverFace {
  T u, v, height;
};
template <class T>
TARSUS_INLINE OverFace<T> over_face(const Generator<T, 3>& g, const Vec3<T>& point) {
  const Vec3<T> w = point - g.vertex[0];
  const T x = dot(w, g.edge[0]) * g.inverse[0], y = dot(w, g.across) * g.inverse_across;
  return {x - y * g.lean, y, dot(w, g.normal)};
}
// The smallest share of its vertices that a place in the plane of a face has: less than g.least outside of it.
template <class T>
TARSUS_INLINE T smallest_share(const T& u, const T& v) {
  return smaller<T>(smaller<T>(u, v), 1.0 - u - v);
}

// Share of an edge at which it is nearest to a point, (5.43).
template <class T>
TARSUS_INLINE T nearest_share(const Vec3<T>& from_start, const Vec3<T>& edge, const T& inverse) {
  return smaller<T>(larger<T>(dot(from_start, edge) * inverse, broadcast<T>(0.0)), broadcast<T>(1.0));
}

// Square of the size of two primitives and their separation, which rounding is proportional to.
template <class T, int n>
TARSUS_INLINE T squared_size(const Generator<T, n>& g) {
  T size = broadcast<T>(0.0);
  if constexpr (n > 1) {
    for (const Vec3<T>& edge : g.edge) size = larger<T>(size, dot(edge, edge));
  }
  return size;
}
template <class T, int n, int m>
TARSUS_INLINE T squared_scale(const Generator<T, n>& a, const Generator<T, m>& b) {
  const Vec3<T> apart = a.vertex[0] - b.vertex[0];
  return larger<T>(larger<T>(squared_size(a), squared_size(b)), dot(apart, apart));
}

}  // namespace tarsus::TARSUS_ISA
