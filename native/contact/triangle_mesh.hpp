// Distance of points to a solid bounded by triangles: that to its nearest triangle, found through a tree of boxes. Inside or
// outside tells the normal of the nearest face, edge or vertex, that of a vertex weighted by the angles of its faces (Baerentzen
// and Aanaes 2005). Where a surface is open, what is nearest to its rim is outside.
#pragma once
#include <cmath>

#include "contact/world.hpp"
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kOnTriangle = 1e-9;  // closer than this, the direction to the nearest point says nothing [m]
constexpr int kMostTreeDepth = 64;

// Signed distance and normal in the axes of the mesh.
struct MeshDistance {
  double gap;
  double normal[3];
};

// Nearest point of a triangle: its distance, squared, the way from it, and the number of the face (0), edge (1-3) or vertex (4-6)
// that it is on.
struct TrianglePoint {
  double squared;
  double way[3];
  int part;
};

TARSUS_INLINE double dot3(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// By the regions of its corners, edges and face (Ericson 2005, section 5.1.5). Edge k leads from corner k to the next one.
inline TrianglePoint nearest_on_triangle(const double* corner, const double* p) {
  const double *a = corner, *b = corner + 3, *c = corner + 6;
  double ab[3], ac[3], ap[3], bp[3], cp[3];
  for (int k = 0; k < 3; ++k) {
    ab[k] = b[k] - a[k], ac[k] = c[k] - a[k];
    ap[k] = p[k] - a[k], bp[k] = p[k] - b[k], cp[k] = p[k] - c[k];
  }
  TrianglePoint r{};
  auto from = [&](const double* base, double u, double v, int part) {
    for (int k = 0; k < 3; ++k) r.way[k] = base[k] - u * ab[k] - v * ac[k];
    r.squared = dot3(r.way, r.way), r.part = part;
    return r;
  };
  const double d1 = dot3(ab, ap), d2 = dot3(ac, ap), d3 = dot3(ab, bp), d4 = dot3(ac, bp), d5 = dot3(ab, cp), d6 = dot3(ac, cp);
  if (d1 <= 0 && d2 <= 0) return from(ap, 0, 0, 4);
  if (d3 >= 0 && d4 <= d3) return from(bp, 0, 0, 5);
  if (d6 >= 0 && d5 <= d6) return from(cp, 0, 0, 6);
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return from(ap, d1 / (d1 - d3), 0, 1);
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return from(ap, 0, d2 / (d2 - d6), 3);
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return from(bp, -t, t, 2);
  }
  const double per = 1 / (va + vb + vc);
  return from(ap, vb * per, vc * per, 0);
}

TARSUS_INLINE double squared_to_box(const double* box, const double* p) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double out = p[k] < box[k] ? box[k] - p[k] : p[k] > box[3 + k] ? p[k] - box[3 + k] : 0.0;
    sum += out * out;
  }
  return sum;
}

// The nearest triangle; node i of the tree has the children 2 i and 2 i + 1, its leaves hold kMeshLeaf triangles each.
inline TrianglePoint nearest_triangle(const Surface& s, const double* p, int& triangle) {
  TrianglePoint best{};
  best.squared = 1e300;
  int stack[kMostTreeDepth];
  int waiting = 0;
  stack[waiting++] = 1;
  while (waiting > 0) {
    int i = stack[--waiting];
    if (squared_to_box(s.box + 6 * (size_t)i, p) >= best.squared) continue;
    while (i < s.leaves) {  // down to the nearer child, the other one waits
      const double left = squared_to_box(s.box + 12 * (size_t)i, p), right = squared_to_box(s.box + 12 * (size_t)i + 6, p);
      const bool first = left <= right;
      if ((first ? right : left) < best.squared) stack[waiting++] = 2 * i + (first ? 1 : 0);
      i = 2 * i + (first ? 0 : 1);
    }
    const int begin = (i - s.leaves) * kMeshLeaf;
    for (int t = begin; t < begin + kMeshLeaf && t < s.triangles; ++t) {
      const TrianglePoint found = nearest_on_triangle(s.corner + 9 * (size_t)t, p);
      if (found.squared < best.squared) best = found, triangle = t;
    }
  }
  return best;
}

// Exact where it is less than `reach`, or negative.
inline MeshDistance distance_to_mesh(const Surface& s, double x, double y, double z, double reach) {
  const double p[3] = {x, y, z}, away = squared_to_box(s.box + 6, p);
  if (s.closed && away > reach * reach) return {std::sqrt(away), {0, 0, 1}};
  int triangle = 0;
  const TrianglePoint near = nearest_triangle(s, p, triangle);
  const double* n = s.triangle_normal + 21 * (size_t)triangle + 3 * near.part;
  const double gap = std::sqrt(near.squared);
  const bool inside = !s.rim[7 * (size_t)triangle + near.part] && dot3(near.way, n) < 0;
  if (gap <= kOnTriangle) return {inside ? -gap : gap, {n[0], n[1], n[2]}};
  const double scale = (inside ? -1 : 1) / gap;
  return {inside ? -gap : gap, {scale * near.way[0], scale * near.way[1], scale * near.way[2]}};
}

}  // namespace tarsus::TARSUS_ISA
