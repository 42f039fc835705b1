// Contacts of two solids: a small fixed number of slots, each with a point, a normal and a depth. Which slot a point is in
// follows from the pose alone, so that what a slot remembers stays with it from step to step and a run can go on from its state.
//
//   sphere and sphere, capsule, solid with faces: one
//   capsule and capsule, solid with faces: two, where they lie flat on each other
//   two solids with faces: four, the points of the overlap of two faces that are furthest out in four directions of the first
//   face, always four, so that no spring comes or goes while they lie on each other; the fifth is the deepest point where it is
//   none of these, or the crossing of two edges
#pragma once
#include "contact/separating_axes.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostSlots = 5;
constexpr double kFlatCosine = 1.0 - 1.5e-4;  // a capsule within one degree lies flat on a face or on another one
constexpr double kCloseEdges = 0.01;          // edges of solids that are further apart than this are not looked at [m]
constexpr double kApart = -1e3;               // depth of slots without a point [m]

struct SolidContact {
  double depth;
  Vec3<double> first, second;  // points of the two surfaces
  Vec3<double> normal;         // from second to first
};

// Slots of two solids of so many corners.
static inline int slots_of(int first, int second) {
  if (first > 2 && second > 2) return kMostSlots;
  return first == 1 || second == 1 ? 1 : 2;
}

struct Slots {
  SolidContact slot[kMostSlots];
  double most;  // gap beyond which nobody asks

  // Points of the cores of both solids, with the normal between them.
  void set(int k, double gap, const Vec3<double>& first, const Vec3<double>& second, const Vec3<double>& n, double r, double s) {
    slot[k] = {r + s - gap, first - r * n, second + s * n, n};
  }
};

// A convex polygon that is cut.
struct Polygon {
  int count;
  Vec3<double> point[2 * kMostCorners + 8];
};

// Keeps what is below the plane n . x = offset.
inline void cut(Polygon& p, const Vec3<double>& n, double offset) {
  Polygon kept;
  kept.count = 0;
  for (int k = 0; k < p.count; ++k) {
    const Vec3<double>&a = p.point[k], &b = p.point[k + 1 < p.count ? k + 1 : 0];
    const double ha = dot(n, a) - offset, hb = dot(n, b) - offset;
    if (ha <= 0.0) kept.point[kept.count++] = a;
    if ((ha < 0.0 && hb > 0.0) || (ha > 0.0 && hb < 0.0)) kept.point[kept.count++] = a + (ha / (ha - hb)) * (b - a);
    if (kept.count + 2 > static_cast<int>(sizeof(kept.point) / sizeof(kept.point[0]))) break;
  }
  p.count = kept.count;
  for (int k = 0; k < kept.count; ++k) p.point[k] = kept.point[k];
}

// Cuts a polygon, or a segment of two points, by the sides of a face.
inline void cut_by_face(const PlacedSolid& s, int face, const Vec3<double>& n, Polygon& p) {
  const SolidFace& f = s.solid->face[face];
  for (int k = 0; k < f.corners && p.count > 0; ++k) {
    const Vec3<double>&a = s.corner[f.corner[k]], &b = s.corner[f.corner[k + 1 < f.corners ? k + 1 : 0]];
    const Vec3<double> out = cross(b - a, n);
    cut(p, out, dot(out, a));
  }
}

// Two capsules, or what is left of them: spheres.
inline void touch_capsules(const PlacedSolid& a, const PlacedSolid& b, Slots& found) {
  const Vec3<double>&p = a.corner[0], &q = b.corner[0];
  const Vec3<double> d = a.corner[a.solid->corners - 1] - p, e = b.corner[b.solid->corners - 1] - q;
  const double r = a.solid->radius, s = b.solid->radius, dd = dot(d, d), ee = dot(e, e), de = dot(d, e);
  double t, u;
  closest_of_segments(p, d, q, e, t, u);
  const Vec3<double> x = p + t * d, y = q + u * e;
  // 1. parallel ones touch at both ends of what they share
  if (dd > kTinyLength && ee > kTinyLength && de * de > kFlatCosine * kFlatCosine * dd * ee) {
    const double t0 = clamped(dot(q - p, d) / dd), t1 = clamped(dot(q + e - p, d) / dd);
    const double low = smaller(t0, t1), high = larger(t0, t1);
    if (high - low > 1e-6) {
      for (int k = 0; k < 2; ++k) {
        const Vec3<double> on = p + (k == 0 ? low : high) * d;
        const Vec3<double> other = q + clamped(dot(on - q, e) / ee) * e;
        found.set(k, length(on - other), on, other, direction(on, other, across_of(d)), r, s);
      }
      return;
    }
  }
  // 2. all others at their closest points
  const Vec3<double> crossing = cross(d, e);
  const double size = length(crossing);
  const Vec3<double> instead = size > 1e-12       ? (1.0 / size) * crossing
                               : dd > kTinyLength ? across_of(d)
                               : ee > kTinyLength ? across_of(e)
                                                  : Vec3<double>{0.0, 0.0, 1.0};
  found.set(0, length(x - y), x, y, direction(x, y, instead), r, s);
}

// A sphere or capsule a and a solid b with faces. `turned` where a is the second of the pair.
inline void touch_round(const PlacedSolid& a, const PlacedSolid& b, bool turned, Slots& found) {
  const double r = a.solid->radius, s = b.solid->radius;
  const Vec3<double>& p = a.corner[0];
  auto put = [&](int k, double gap, const Vec3<double>& on_a, const Vec3<double>& on_b, const Vec3<double>& n) {
    if (turned) {
      found.set(k, gap, on_b, on_a, -n, s, r);
    } else {
      found.set(k, gap, on_a, on_b, n, r, s);
    }
  };
  int face = -1;
  if (a.solid->corners == 1) {
    const ClosestPoints c = point_and_solid(p, b, face);
    return put(0, c.gap, c.first, c.second, c.normal);
  }
  const Vec3<double> d = a.corner[1] - p;
  const ClosestPoints c = segment_and_solid(p, d, b, face);
  if (c.gap > found.most + r + s) return;
  for (int f = 0; face < 0 && f < b.solid->faces; ++f) {
    const Vec3<double> n = b.normal(f);
    const double rise = dot(n, d);
    if (dot(n, c.normal) > kFlatCosine && rise * rise < 2.0 * (1.0 - kFlatCosine) * dot(d, d)) face = f;
  }
  if (face >= 0) {  // the ends of what is above the face
    const Vec3<double> n = b.normal(face);
    double low = 0.0, high = 1.0;
    const SolidFace& f = b.solid->face[face];
    for (int k = 0; k < f.corners; ++k) {
      const Vec3<double>&x = b.corner[f.corner[k]], &y = b.corner[f.corner[k + 1 < f.corners ? k + 1 : 0]];
      const Vec3<double> out = cross(y - x, n);
      const double h = dot(out, p - x), rise = dot(out, d);
      if (rise > 0.0) high = smaller(high, -h / rise);
      if (rise < 0.0) low = larger(low, -h / rise);
      if (rise == 0.0 && h > 0.0) high = -1.0;
    }
    if (low < high) {
      for (int k = 0; k < 2; ++k) {
        const Vec3<double> x = p + (k == 0 ? low : high) * d;
        const double h = b.above(face, n, x);
        put(k, h, x, x - h * n, n);
      }
      return;
    }
  }
  put(0, c.gap, c.first, c.second, c.normal);
}

// A point of another solid below, or above, a face.
inline void put_point(const PlacedSolid& s, int face, const Vec3<double>& n, const PlacedSolid& other, bool turned, int k,
                      const Vec3<double>& x, Slots& found) {
  const double h = s.above(face, n, x), r = s.solid->radius, q = other.solid->radius;
  if (turned) {
    found.set(k, h, x, x - h * n, n, q, r);
  } else {
    found.set(k, h, x - h * n, x, -n, r, q);
  }
}

// Points of the overlap of a face with the face of another solid that is turned most against it.
inline void touch_faces(const PlacedSolid& s, int face, const PlacedSolid& other, bool turned, Slots& found) {
  const Vec3<double> n = s.normal(face);
  // 1. that face, cut by the sides of the first
  int against = 0;
  double least = 1e300;
  for (int f = 0; f < other.solid->faces; ++f) {
    const double along = dot(n, other.normal(f));
    if (along < least) least = along, against = f;
  }
  Polygon p;
  const SolidFace& opposite = other.solid->face[against];
  p.count = opposite.corners;
  for (int k = 0; k < p.count; ++k) p.point[k] = other.corner[opposite.corner[k]];
  cut_by_face(s, face, n, p);
  if (p.count == 0) {  // deep, or round: that face is beside this one, and the deepest corner has to do
    double lowest = 1e300;
    for (int i = 0; i < other.solid->corners; ++i) {
      const double h = s.above(face, n, other.corner[i]);
      if (h < lowest) lowest = h, p.point[0] = other.corner[i];
    }
    return put_point(s, face, n, other, turned, 4, p.point[0], found);
  }
  // 2. those furthest out in four directions of the first face, none of which is square to its sides or their diagonals
  const SolidFace& f = s.solid->face[face];
  const Vec3<double> side = s.corner[f.corner[1]] - s.corner[f.corner[0]], e = (1.0 / length(side)) * side, g = cross(n, e);
  auto put = [&](int k, const Vec3<double>& x) { put_point(s, face, n, other, turned, k, x, found); };
  int chosen[4], deepest = -1;
  for (int k = 0; k < 4; ++k) {
    const double turn[4][2] = {{0.55, 0.83}, {-0.83, 0.55}, {-0.55, -0.83}, {0.83, -0.55}};
    const Vec3<double> out = turn[k][0] * e + turn[k][1] * g;
    double furthest = -1e300;
    chosen[k] = -1;
    for (int i = 0; i < p.count; ++i) {
      const double along = dot(out, p.point[i]);
      if (along > furthest) furthest = along, chosen[k] = i;
    }
    if (chosen[k] >= 0) put(k, p.point[chosen[k]]);
  }
  // 3. the deepest, unless it is one of these
  double lowest = 1e300;
  for (int i = 0; i < p.count; ++i) {
    const double h = s.above(face, n, p.point[i]);
    if (h < lowest) lowest = h, deepest = i;
  }
  if (deepest < 0) return;
  double known = 1e300;
  for (int k = 0; k < 4; ++k) known = smaller(known, s.above(face, n, p.point[chosen[k]]));
  if (lowest < known - kPreferred * magnitude(known) - kPreferredLength) put(4, p.point[deepest]);
}

inline void touch_solids(const PlacedSolid& a, const PlacedSolid& b, Slots& found) {
  const double reach = found.most + a.solid->radius + b.solid->radius;
  const FaceAxis x = best_face(a, b);
  if (x.gap > reach) return;
  const FaceAxis y = best_face(b, a);
  if (y.gap > reach) return;
  const bool second = y.gap > x.gap + kPreferred * magnitude(x.gap) + kPreferredLength;
  const double gap = second ? y.gap : x.gap;
  const bool far = gap > kCloseEdges + a.solid->radius + b.solid->radius;
  const ClosestPoints edges = far ? ClosestPoints{-1e300, {}, {}, {}} : best_edges(a, b, gap);
  if (edges.gap > reach) return;
  if (edges.gap > gap + kPreferred * magnitude(gap) + kPreferredLength) {
    return found.set(4, edges.gap, edges.first, edges.second, edges.normal, a.solid->radius, b.solid->radius);
  }
  if (second) {
    touch_faces(b, y.face, a, true, found);
  } else {
    touch_faces(a, x.face, b, false, found);
  }
}

// All slots of a pair of solids; those further apart than `most` need not be told.
inline void touch_pair(const World& w, const SolidPair& pair, const Placed<double>& X, const Placed<double>& Y, double most,
                       Slots& found) {
  found.most = most;
  for (int k = 0; k < pair.slots; ++k) found.slot[k] = {kApart, zero3<double>(), zero3<double>(), {0.0, 0.0, 1.0}};
  const Solid &first = w.solid[pair.first], &second = w.solid[pair.second];
  const Vec3<double> between = X.p + to_parent(X.R, vec3(first.centre)) - Y.p - to_parent(Y.R, vec3(second.centre));
  const double reach = first.reach + second.reach + most;
  if (dot(between, between) > reach * reach) return;
  const PlacedSolid a(first, X), b(second, Y);
  if (first.corners <= 2 && second.corners <= 2) return touch_capsules(a, b, found);
  if (first.corners <= 2) return touch_round(a, b, false, found);
  if (second.corners <= 2) return touch_round(b, a, true, found);
  touch_solids(a, b, found);
}

}  // namespace tarsus::TARSUS_ISA
