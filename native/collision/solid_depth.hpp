// How deep primitives are inside of solids: convex hulls, and everything below a field of heights.
#pragma once
#include "collision/pair_query.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kHullTouch = 1e-12;  // of the scale: primitives nearer to the surface of a hull than this touch it

// The shortest way of a primitive out of a hull: along the normal of one of its faces, across the primitive, or across an edge of
// each, which are the faces of the difference of the two convex sets.
struct WayOut {
  double depth;
  Vec3<double> axis;     // unit
  Vec3<double> deepest;  // point of the primitive
};

inline void try_axis(const DenseSegment& d, const Generator<double, 3>& g, int vertices, const Vec3<double>& axis, WayOut& best) {
  const double square = dot(axis, axis);
  if (!(square > kLeastSquare)) return;
  const Vec3<double> n = (1.0 / __builtin_sqrt(square)) * axis;
  double top = -1e300, low = 1e300;
  int lowest = 0;
  for (int i = 0; i < d.corners; ++i) top = larger<double>(top, dot(n, vec3(d.corner + 3 * i)));
  for (int k = 0; k < vertices; ++k) {
    const double h = dot(n, g.vertex[k]);
    if (h < low) low = h, lowest = k;
  }
  if (top - low >= best.depth) return;
  best.depth = top - low, best.axis = n, best.deepest = g.vertex[lowest];
}

inline WayOut way_out(const DenseSegment& d, const Generator<double, 3>& g, int vertices) {
  WayOut best{1e300, zero3<double>(), g.vertex[0]};
  for (int i = 0; i < d.planes; ++i) try_axis(d, g, vertices, vec3(d.plane + 4 * i), best);
  if (vertices == 3) try_axis(d, g, vertices, g.normal, best), try_axis(d, g, vertices, -g.normal, best);
  for (int e = 0; e < d.edges; ++e) {
    const Vec3<double> along = vec3(d.corner + 3 * d.edge[2 * e + 1]) - vec3(d.corner + 3 * d.edge[2 * e]);
    for (int k = 0; k < (vertices == 3 ? 3 : vertices - 1); ++k) {
      const Vec3<double> axis = cross(along, g.edge[k]);
      if (dot(axis, axis) <= 1e-20 * dot(along, along) * dot(g.edge[k], g.edge[k])) continue;
      try_axis(d, g, vertices, axis, best), try_axis(d, g, vertices, -axis, best);
    }
  }
  return best;
}

// Where the primitive is inside of a hull or touches its surface, the signed distance of the shortest way out.
inline void push_out_of_hull(const DenseSegment& d, const Generator<double, 3>& g, int vertices, double radius,
                             Separation<double>& best) {
  double highest = -1e300;
  for (int i = 0; i < d.planes; ++i) {
    highest = larger<double>(highest, dot(vec3(d.plane + 4 * i), g.vertex[0]) - d.plane[4 * i + 3]);
  }
  const double rounded = d.radius[0], apart = best.distance + radius + rounded;
  const double scale = __builtin_sqrt(squared_size(g)) + (d.box[9] - d.box[6]) + (d.box[10] - d.box[7]) + (d.box[11] - d.box[8]);
  if (highest > 0.0 && apart > kHullTouch * scale) return;
  const WayOut out = way_out(d, g, vertices);
  const Vec3<double> n = -out.axis;
  best.distance = -out.depth - radius - rounded, best.normal = n;
  best.a = out.deepest + radius * n, best.b = best.a + best.distance * n;
}

// Whether a point is under the surface of a field, between its first and last points. Cells are two triangles, parted by the
// diagonal from their first to their last corner.
inline bool below_field(const DenseSegment& d, const Vec3<double>& p) {
  const double x = p.x / d.spacing, y = p.y / d.spacing;
  if (!(x >= 0.0 && y >= 0.0 && x <= d.columns - 1 && y <= d.rows - 1)) return false;
  const int i = x < d.columns - 1 ? static_cast<int>(x) : d.columns - 2, j = y < d.rows - 1 ? static_cast<int>(y) : d.rows - 2;
  const double *near = d.height + (size_t)j * d.columns + i, *far = near + d.columns;
  const double u = x - i, v = y - j;
  const double z = u >= v ? near[0] + u * (near[1] - near[0]) + v * (far[1] - near[1])
                          : near[0] + v * (far[0] - near[0]) + u * (far[1] - far[0]);
  return p.z < z;
}

}  // namespace tarsus::TARSUS_ISA
