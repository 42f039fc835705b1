// Closest points of segments, points and convex solids, by what they are made of: corners, edges and faces. One robot at a time.
#pragma once
#include "contact/distance.hpp"
#include "nodes/view.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kTinyLength = 1e-300;
constexpr double kParallel = 1e-12;  // squares of sines below this are those of parallel directions

// A solid in the world.
struct PlacedSolid {
  const Solid* solid;
  Vec3<double> corner[kMostCorners], face[kMostFaces], centre;

  PlacedSolid(const Solid& s, const Placed<double>& X) : solid(&s), centre(X.p + to_parent(X.R, vec3(s.centre))) {
    for (int i = 0; i < s.corners; ++i) corner[i] = X.p + to_parent(X.R, vec3(s.corner + 3 * i));
    for (int i = 0; i < s.faces; ++i) face[i] = to_parent(X.R, vec3(s.face[i].normal));
  }
  const Vec3<double>& normal(int i) const { return face[i]; }
  // Height of a point above a face.
  double above(int face, const Vec3<double>& n, const Vec3<double>& x) const {
    return dot(n, x - corner[solid->face[face].corner[0]]);
  }
};

// The nearest points of two solids, without their radii; `gap` is below 0 where they overlap, and the normal leads from `second`
// to `first` then, too.
struct ClosestPoints {
  double gap;
  Vec3<double> first, second, normal;
};

TARSUS_INLINE double clamped(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

// Parameters s, t of the closest points p + s d, q + t e of two segments, Ericson 2005 section 5.1.9; parallel ones meet in the
// middle of what they share.
inline void closest_of_segments(const Vec3<double>& p, const Vec3<double>& d, const Vec3<double>& q, const Vec3<double>& e,
                                double& s, double& t) {
  const Vec3<double> r = p - q;
  const double a = dot(d, d), b = dot(d, e), c = dot(e, e), f = dot(d, r), g = dot(e, r);
  if (a <= kTinyLength && c <= kTinyLength) {
    s = t = 0.0;
  } else if (a <= kTinyLength) {
    s = 0.0, t = clamped(g / c);
  } else if (c <= kTinyLength) {
    t = 0.0, s = clamped(-f / a);
  } else {
    const double across = a * c - b * b;
    if (across > kParallel * a * c) {
      s = clamped((b * g - c * f) / across);
    } else {
      const double s0 = clamped(-f / a), s1 = clamped((b - f) / a);
      s = 0.5 * (s0 + s1);
    }
    t = (b * s + g) / c;
    if (t < 0.0) {
      t = 0.0, s = clamped(-f / a);
    } else if (t > 1.0) {
      t = 1.0, s = clamped((b - f) / a);
    }
  }
}

// Unit vector from b to a, or `instead` where they are the same.
TARSUS_INLINE Vec3<double> direction(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& instead) {
  const Vec3<double> d = a - b;
  const double size = length(d);
  return size > 1e-12 ? (1.0 / size) * d : instead;
}

// Some direction across a vector.
TARSUS_INLINE Vec3<double> across_of(const Vec3<double>& d) {
  const double x = magnitude(d.x), y = magnitude(d.y), z = magnitude(d.z);
  const Vec3<double> e = z <= x && z <= y ? Vec3<double>{0.0, 0.0, 1.0}
                         : y <= x         ? Vec3<double>{0.0, 1.0, 0.0}
                                          : Vec3<double>{1.0, 0.0, 0.0};
  const Vec3<double> n = cross(cross(d, e), d);
  const double size = length(n);
  return size > 0.0 ? (1.0 / size) * n : Vec3<double>{0.0, 0.0, 1.0};
}

// The point of a face that is nearest to x; true where it is inside of the face's outline.
inline bool nearest_in_face(const PlacedSolid& s, int face, const Vec3<double>& n, const Vec3<double>& x, Vec3<double>& nearest) {
  const SolidFace& f = s.solid->face[face];
  const Vec3<double> flat = x - s.above(face, n, x) * n;
  double best = 1e300;
  bool inside = true;
  for (int k = 0; k < f.corners; ++k) {
    const Vec3<double>&a = s.corner[f.corner[k]], &b = s.corner[f.corner[k + 1 < f.corners ? k + 1 : 0]];
    const Vec3<double> along = b - a;
    if (dot(cross(n, along), flat - a) >= 0.0) continue;
    inside = false;
    const Vec3<double> on = a + clamped(dot(flat - a, along) / larger(dot(along, along), kTinyLength)) * along;
    const double far = dot(flat - on, flat - on);
    if (far < best) best = far, nearest = on;
  }
  if (inside) nearest = flat;
  return inside;
}

// A point and a solid with faces; `face` is the face that the nearest point is inside of, -1 on edges and corners.
inline ClosestPoints point_and_solid(const Vec3<double>& x, const PlacedSolid& s, int& face) {
  double highest = -1e300;
  for (int f = 0; f < s.solid->faces; ++f) {
    const double h = s.above(f, s.normal(f), x);
    if (h > highest) highest = h, face = f;
  }
  const Vec3<double> n = s.normal(face);
  if (highest <= 0.0) return {highest, x, x - highest * n, n};
  ClosestPoints best{1e300, x, x, n};
  for (int f = 0; f < s.solid->faces; ++f) {
    const Vec3<double> m = s.normal(f);
    if (s.above(f, m, x) <= 0.0) continue;
    Vec3<double> on;
    const bool inside = nearest_in_face(s, f, m, x, on);
    const double far = length(x - on);
    if (far < best.gap) best.gap = far, best.second = on, face = inside ? f : -1;
  }
  best.normal = direction(x, best.second, n);
  return best;
}

// Whether a segment passes through the inside of a solid.
inline bool passes_through(const Vec3<double>& p, const Vec3<double>& d, const PlacedSolid& s) {
  double in = 0.0, out = 1.0;
  for (int f = 0; f < s.solid->faces; ++f) {
    const Vec3<double> n = s.normal(f);
    const double h = s.above(f, n, p), rise = dot(n, d);
    if (magnitude(rise) < 1e-300) {
      if (h >= 0.0) return false;
    } else if (rise < 0.0) {
      in = larger(in, -h / rise);
    } else {
      out = smaller(out, -h / rise);
    }
    if (in >= out) return false;
  }
  return true;
}

// A segment inside a solid: the shortest way out, through a face or over an edge.
inline ClosestPoints segment_inside_solid(const Vec3<double>& p, const Vec3<double>& d, const PlacedSolid& s, int& face) {
  ClosestPoints best{-1e300, p, p, {0.0, 0.0, 1.0}};
  for (int f = 0; f < s.solid->faces; ++f) {
    const Vec3<double> n = s.normal(f);
    const double h0 = s.above(f, n, p), h1 = s.above(f, n, p + d), h = smaller(h0, h1);
    if (h <= best.gap) continue;
    const Vec3<double> x = h0 < h1 ? p : p + d;
    best = {h, x, x - h * n, n}, face = f;
  }
  for (int k = 0; k < s.solid->edges; ++k) {
    const SolidEdge& edge = s.solid->edge[k];
    const Vec3<double>& a = s.corner[edge.corner[0]];
    const Vec3<double> e = s.corner[edge.corner[1]] - a, axis = cross(d, e);
    const double size2 = dot(axis, axis);
    if (size2 <= kParallel * dot(d, d) * dot(e, e)) continue;
    Vec3<double> n = (1.0 / std::sqrt(size2)) * axis;
    if (dot(n, a - s.centre) < 0.0) n = -n;
    const double top = dot(n, a);
    bool outermost = true;  // the solid is all below the edge along n
    for (int i = 0; i < s.solid->corners && outermost; ++i) outermost = dot(n, s.corner[i]) <= top + 1e-12;
    const double h = dot(n, p) - top;
    if (!outermost || h <= best.gap + 1e-9) continue;
    double t, u;
    closest_of_segments(p, d, a, e, t, u);
    best = {h, p + t * d, a + u * e, n}, face = -1;
  }
  return best;
}

// A segment and a solid with faces.
inline ClosestPoints segment_and_solid(const Vec3<double>& p, const Vec3<double>& d, const PlacedSolid& s, int& face) {
  if (passes_through(p, d, s)) return segment_inside_solid(p, d, s, face);
  int other = -1;
  ClosestPoints best = point_and_solid(p, s, face);
  const ClosestPoints end = point_and_solid(p + d, s, other);
  if (end.gap < best.gap) best = end, face = other;
  for (int k = 0; k < s.solid->edges; ++k) {
    const SolidEdge& edge = s.solid->edge[k];
    const Vec3<double>& a = s.corner[edge.corner[0]];
    const Vec3<double> e = s.corner[edge.corner[1]] - a;
    double t, u;
    closest_of_segments(p, d, a, e, t, u);
    const Vec3<double> x = p + t * d, y = a + u * e;
    const double far = length(x - y);
    if (far >= best.gap - 1e-12) continue;
    best = {far, x, y, direction(x, y, best.normal)}, face = -1;
  }
  return best;
}

}  // namespace tarsus::TARSUS_ISA
