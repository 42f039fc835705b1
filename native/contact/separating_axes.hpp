// Two solids with faces: the axis along which they are furthest apart or least deep in each other, normals of faces and products
// of edges (Gottschalk, Lin and Manocha 1996, section 5); which products matter tells the Gauss map (Gregorius 2013).
#pragma once
#include "contact/closest_points.hpp"

namespace tarsus::TARSUS_ISA {

// An edge has to be better than the faces by this part of their depth and this length [m], the faces of the second solid better
// than those of the first: what touches face to face does not go to and fro between descriptions.
constexpr double kPreferred = 0.02, kPreferredLength = 1e-6;

struct FaceAxis {
  int face;
  double gap;  // of the other solid above the face
};

inline FaceAxis best_face(const PlacedSolid& s, const PlacedSolid& other) {
  FaceAxis best{0, -1e300};
  for (int f = 0; f < s.solid->faces; ++f) {
    const Vec3<double> n = s.normal(f);
    double lowest = 1e300;
    for (int i = 0; i < other.solid->corners; ++i) lowest = smaller(lowest, s.above(f, n, other.corner[i]));
    if (lowest > best.gap) best = {f, lowest};
  }
  return best;
}

// Whether the arcs a b and c d on the sphere of directions cross: then the edges between these faces make a face of the Minkowski
// difference.
TARSUS_INLINE bool arcs_cross(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c, const Vec3<double>& d) {
  const Vec3<double> ab = cross(a, b), cd = cross(c, d);
  const double cba = dot(c, ab), dba = dot(d, ab), adc = dot(a, cd), bdc = dot(b, cd);
  return cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0;
}

// Whether a normal n between those of two faces, out of a solid, may be an axis with a gap of more than `least`, at most 0: with
// the way `d` to a point inside of the other solid that gap is n . d at most, and n is alpha a + beta b with alpha + beta >= 1.
TARSUS_INLINE bool may_part(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& d, double least) {
  return dot(a, d) > least || dot(b, d) > least;
}

// The edges that are furthest apart, if they are so by more than `least`; the normal leads from `second` to `first`.
inline ClosestPoints best_edges(const PlacedSolid& first, const PlacedSolid& second, double least) {
  ClosestPoints best{-1e300, first.centre, second.centre, {0.0, 0.0, 1.0}};
  const Vec3<double> way = second.centre - first.centre;
  const double bound = smaller(least, 0.0);
  for (int i = 0; i < first.solid->edges; ++i) {
    const SolidEdge& x = first.solid->edge[i];
    if (!may_part(first.face[x.face[0]], first.face[x.face[1]], way, bound)) continue;
    const Vec3<double>& p = first.corner[x.corner[0]];
    const Vec3<double> d = first.corner[x.corner[1]] - p, a = first.normal(x.face[0]), b = first.normal(x.face[1]);
    for (int j = 0; j < second.solid->edges; ++j) {
      const SolidEdge& y = second.solid->edge[j];
      if (!may_part(second.face[y.face[0]], second.face[y.face[1]], -way, bound)) continue;
      if (!arcs_cross(a, b, -second.normal(y.face[0]), -second.normal(y.face[1]))) continue;
      const Vec3<double>& q = second.corner[y.corner[0]];
      const Vec3<double> e = second.corner[y.corner[1]] - q, axis = cross(d, e);
      const double size2 = dot(axis, axis);
      if (size2 <= 1e-6 * dot(d, d) * dot(e, e)) continue;  // nearly parallel: faces tell more
      Vec3<double> n = (1.0 / std::sqrt(size2)) * axis;
      if (dot(n, p - first.centre) > 0.0) n = -n;  // into the first solid
      const double gap = dot(n, p - q);
      if (gap <= best.gap) continue;
      double s, t;
      closest_of_segments(p, d, q, e, s, t);
      best = {gap, p + s * d, q + t * e, n};
    }
  }
  return best;
}

}  // namespace tarsus::TARSUS_ISA
