// A swept sphere against an obstacle of many volumes: the nearest one, found through a tree of boxes; kLanes volumes at a time.
#pragma once
#include "collision/solid_depth.hpp"
#include "dispatch/vectors.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostDenseDepth = 64;

// Distance of two boxes, each of least and largest coordinates.
TARSUS_INLINE double box_distance(const double* a, const double* b) {
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double gap = larger<double>(a[k] - b[3 + k], b[k] - a[3 + k]);
    if (gap > 0.0) sum += gap * gap;
  }
  return __builtin_sqrt(sum);
}

// A volume as all queries here see it: a triangle, perhaps without area.
struct DenseVolume {
  Generator<double, 3> primitive;
  double radius;
  int vertices;
  double box[6];

  DenseVolume(const Vec3<double>* vertex, int vertices, double radius) : radius(radius), vertices(vertices) {
    for (int k = 0; k < 3; ++k) primitive.vertex[k] = vertex[k < vertices ? k : vertices - 1];
    complete(primitive);
    const double* p = &primitive.vertex[0].x;
    for (int k = 0; k < 3; ++k) {
      box[k] = smaller<double>(p[k], smaller<double>(p[3 + k], p[6 + k]));
      box[3 + k] = larger<double>(p[k], larger<double>(p[3 + k], p[6 + k]));
    }
  }
};

// The nearest one of the volumes of a leaf, where it is nearer than `best`.
inline void query_leaf(const DenseSegment& d, int leaf, const DenseVolume& v, Separation<double>& best) {
  Pack mine[whole_blocks(kDenseNumbers)], theirs[whole_blocks(kDenseNumbers)];
  const double* numbers = reinterpret_cast<const double*>(&v.primitive);
  for (int k = 0; k < kDenseNumbers; ++k) mine[k] = broadcast<Pack>(numbers[k]);
  for (int first = leaf * kDenseLeaf; first < (leaf + 1) * kDenseLeaf; first += kLanes) {
    const double* row[kLanes];
    for (int l = 0; l < kLanes; ++l) row[l] = d.row + (size_t)(first + l) * kDenseNumbers;
    load_blocks(row, kDenseNumbers, theirs);
    Separation<Pack> s;
    query<kKeepPoints, Pack, 3, 3>(mine, theirs, broadcast<Pack>(v.radius), load<Pack>(d.radius + first), s);
    for (int l = 0; l < kLanes; ++l) {
      if (!(s.distance[l] < best.distance)) continue;
      best.distance = s.distance[l], best.parts = 0.0;
      best.a = {s.a.x[l], s.a.y[l], s.a.z[l]}, best.b = {s.b.x[l], s.b.y[l], s.b.z[l]};
      best.normal = {s.normal.x[l], s.normal.y[l], s.normal.z[l]};
    }
  }
}

// The nearest volume, in the axes of the obstacle; only what is nearer than best.distance counts.
inline void query_dense(const DenseSegment& d, const DenseVolume& v, Separation<double>& best) {
  int stack[kMostDenseDepth], waiting = 0;
  // What all volumes of a node are at least away: where boxes meet, primitives may cross, which is as near as the radii say.
  auto least = [&](int i) {
    const double apart = box_distance(v.box, d.box + 6 * (size_t)i);
    return (apart > 0.0 ? apart : -d.most_radius) - v.radius;
  };
  stack[waiting++] = 1;
  while (waiting > 0) {
    int i = stack[--waiting];
    if (least(i) >= best.distance) continue;
    while (i < d.leaves) {  // down to the nearer child, the other one waits
      const double left = least(2 * i), right = least(2 * i + 1);
      const bool first = left <= right;
      if ((first ? right : left) < best.distance) stack[waiting++] = 2 * i + (first ? 1 : 0);
      i = 2 * i + (first ? 0 : 1);
    }
    if (least(i) < best.distance) query_leaf(d, i - d.leaves, v, best);
  }
}

// A volume against the whole obstacle, its inside included.
inline Separation<double> separation_from_dense(const DenseSegment& d, const DenseVolume& v, double most) {
  Separation<double> best;
  best.distance = most, best.a = best.b = best.normal = zero3<double>(), best.parts = 0.0;
  query_dense(d, v, best);
  if (d.solid == kSurfaceOnly) return best;
  if (d.solid == kHullSolid) {
    push_out_of_hull(d, v.primitive, v.vertices, v.radius, best);
    return best;
  }
  // Below a field: as deep as its deepest vertex, the way to the nearest point of the surface.
  double deepest = 0.0;
  for (int k = 0; k < v.vertices; ++k) {
    if (!below_field(d, v.primitive.vertex[k])) continue;
    Separation<double> up;
    up.distance = 1e300, up.a = up.b = up.normal = zero3<double>(), up.parts = 0.0;
    query_dense(d, DenseVolume(v.primitive.vertex + k, 1, 0.0), up);
    if (up.distance < deepest) continue;
    deepest = up.distance;
    const Vec3<double> n = -up.normal;
    const double distance = -up.distance - v.radius;
    if (distance < best.distance) {
      best.distance = distance, best.normal = n;
      best.a = v.primitive.vertex[k] + v.radius * n, best.b = best.a + distance * n;
    }
  }
  return best;
}

}  // namespace tarsus::TARSUS_ISA
