// Points of a robot near rigid ground: gaps, contact axes, how the normal turns, velocities and accelerations.
#pragma once
#include "simulation/derivative.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kSeen = 0.1;  // gaps of height fields are exact up to this [m]

// The nearest surface of a point p that moves with u: gap, normal out of it and the rate of that.
struct NearSurface {
  double gap;
  Vec3<double> normal, turn;
  const Surface* surface;
};

// Rate of the unit vector n whose change is x / length but for what is along n.
TARSUS_INLINE Vec3<double> turn_of(const Vec3<double>& n, const Vec3<double>& x, double length) {
  return (1.0 / length) * (x - dot(n, x) * n);
}

// Outside a box the normal turns as the nearest point on an edge or corner stays behind.
inline Vec3<double> turn_at_box(const Surface& s, const Vec3<double>& p, const Vec3<double>& u, const Distance<double>& at) {
  const auto R = axes_of(s);
  const Vec3<double> l = to_child(R, p - vec3(s.position)), rate = to_child(R, u);
  const double beyond[3] = {__builtin_fabs(l.x) - s.half[0], __builtin_fabs(l.y) - s.half[1], __builtin_fabs(l.z) - s.half[2]};
  const Vec3<double> out{beyond[0] > 0 ? rate.x : 0.0, beyond[1] > 0 ? rate.y : 0.0, beyond[2] > 0 ? rate.z : 0.0};
  const bool outside = beyond[0] > 0 || beyond[1] > 0 || beyond[2] > 0;
  return outside ? turn_of(at.normal, to_parent(R, out), at.gap) : zero3<double>();
}

// On a height field it turns with the twist of the cell.
inline Vec3<double> turn_at_height_field(const Surface& s, const Vec3<double>& p, const Vec3<double>& u,
                                         const Distance<double>& at) {
  const auto R = axes_of(s);
  const Vec3<double> l = to_child(R, p - vec3(s.position)), rate = to_child(R, u), n = to_child(R, at.normal);
  const double dx = 2 * s.half[0] / (s.columns - 1), dy = 2 * s.half[1] / (s.rows - 1), x = l.x / dx, y = l.y / dy;
  if (x < 0 || y < 0 || x > s.columns - 1 || y > s.rows - 1) return zero3<double>();
  const int i = x >= s.columns - 1 ? s.columns - 2 : static_cast<int>(x), j = y >= s.rows - 1 ? s.rows - 2 : static_cast<int>(y);
  const double* h = s.height + (size_t)j * s.columns + i;
  const double twist = (h[0] - h[1] - h[s.columns] + h[s.columns + 1]) / (dx * dy);
  const Vec3<double> bend{-n.z * twist * rate.y, -n.z * twist * rate.x, 0.0};
  return to_parent(R, turn_of(n, bend, 1.0));
}

inline NearSurface nearest_of(const World& w, const Vec3<double>& p, const Vec3<double>& u) {
  Distance<double> best = distance_to<double>(w.surface[0], p, kSeen);
  const Surface* surface = w.surface;
  for (int k = 1; k < w.surfaces; ++k) {
    const Distance<double> other = distance_to<double>(w.surface[k], p, kSeen);
    if (other.gap < best.gap) best = other, surface = w.surface + k;
  }
  Vec3<double> turn = zero3<double>();
  if (surface->kind == kBox) turn = turn_at_box(*surface, p, u, best);
  if (surface->kind == kHeightField) turn = turn_at_height_field(*surface, p, u, best);
  return {best.gap, best.normal, turn, surface};
}

// The gap of a feature that is no segment; nodes are located.
TARSUS_INLINE double gap_of(const Robot<double>& r, const Feature& f) {
  const World& w = r.world;
  const Placed<double>& X = r.ws.pose[f.node];
  const Vec3<double> p = X.p + to_parent(X.R, vec3(f.a));
  double least = distance_to<double>(w.surface[0], p, kSeen).gap;
  for (int s = 1; s < w.surfaces; ++s) {
    const double other = distance_to<double>(w.surface[s], p, kSeen).gap;
    if (other < least) least = other;
  }
  return least - f.radius;
}

// Gaps of all points. Segments have no points of their own.
inline void find_gaps(const Robot<double>& r, double* gap) {
  const World& w = r.world;
  for (int k = 0; k < w.contacts; ++k) gap[k] = 1e300;
  for (int k = 0; k < w.features; ++k) {
    if (w.feature[k].kind != kSegment) gap[w.feature[k].contact] = gap_of(r, w.feature[k]);
  }
}

// How far the points of each body reach from its origin, and whether distances from all surfaces bound those of points further
// away, as those of planes and boxes do.
inline void find_reaches(Robot<double>& r) {
  const World& w = r.world;
  r.rigid.bounded = true;
  for (int s = 0; s < w.surfaces; ++s) r.rigid.bounded = r.rigid.bounded && w.surface[s].kind != kHeightField;
  for (int s = 0; s < w.touchables; ++s) r.rigid.reach[s] = 0.0;
  for (int k = 0; k < w.features; ++k) {
    const Feature& f = w.feature[k];
    if (f.kind == kSegment) continue;
    const Vec3<double> a = vec3(f.a);
    double& reach = r.rigid.reach[w.slot[f.node]];
    reach = larger<double>(reach, std::sqrt(dot(a, a)) + f.radius);
  }
}

// Gaps of all points up to `seen`; those of bodies that are further away are only bounded from below.
inline void find_near_gaps(const Robot<double>& r, double seen, double* gap) {
  if (!r.rigid.bounded) return find_gaps(r, gap);
  const World& w = r.world;
  for (int k = 0; k < w.nodes; ++k) {
    const int slot = w.slot[w.node[k]];
    if (slot < 0) continue;
    const Vec3<double>& p = r.ws.pose[w.node[k]].p;
    double least = 1e300;
    for (int s = 0; s < w.surfaces; ++s) least = smaller<double>(least, distance_to<double>(w.surface[s], p, kSeen).gap);
    r.rigid.bound[slot] = least - r.rigid.reach[slot];
  }
  for (int k = 0; k < w.contacts; ++k) gap[k] = 1e300;
  for (int k = 0; k < w.features; ++k) {
    const Feature& f = w.feature[k];
    if (f.kind == kSegment) continue;
    const double bound = r.rigid.bound[w.slot[f.node]];
    gap[f.contact] = bound > seen ? bound : gap_of(r, f);
  }
}

// Directions t1, t2 across n; t1 is along world x as far as n allows.
inline void contact_axes(const Vec3<double>& n, Vec3<double>& t1, Vec3<double>& t2) {
  const Vec3<double> helper = __builtin_fabs(n.x) > 0.9 ? Vec3<double>{0.0, 1.0, 0.0} : Vec3<double>{1.0, 0.0, 0.0};
  t1 = helper - dot(helper, n) * n;
  t1 = (1.0 / std::sqrt(dot(t1, t1))) * t1;
  t2 = cross(n, t1);
}

TARSUS_INLINE Impulse<double> along(const ListedPoint& s, const Screw<double>& V) {
  return {dot(s.axis[0], V.linear) + dot(s.arm[0], V.angular), dot(s.axis[1], V.linear) + dot(s.arm[1], V.angular),
          dot(s.axis[2], V.linear) + dot(s.arm[2], V.angular)};
}
TARSUS_INLINE Wrench<double> wrench_of(const ListedPoint& s, const Impulse<double>& l) {
  return {l.n * s.axis[0] + l.t1 * s.axis[1] + l.t2 * s.axis[2], l.n * s.arm[0] + l.t1 * s.arm[1] + l.t2 * s.arm[2]};
}
TARSUS_INLINE Vec3<double> world_of(const ListedPoint& s, const Impulse<double>& l) {
  return l.n * s.n + l.t1 * s.t1 + l.t2 * s.t2;
}
TARSUS_INLINE Impulse<double> contact_of(const ListedPoint& s, const Vec3<double>& f) {
  return {dot(f, s.n), dot(f, s.t1), dot(f, s.t2)};
}
TARSUS_INLINE double across(const Impulse<double>& l) { return std::sqrt(l.t1 * l.t1 + l.t2 * l.t2); }

// Place and velocity of the point of a feature.
inline void place_point(const Robot<double>& r, const Feature& f, ListedPoint& s) {
  const Placed<double>& X = r.ws.pose[f.node];
  const Vec3<double> w = r.ws.motion[f.node].w, u = r.speed[f.node], a = vec3(f.a);
  const Vec3<double> whirl = cross(w, a);
  const NearSurface at = nearest_of(r.world, X.p + to_parent(X.R, a), to_parent(X.R, u + whirl));
  s.point = f.contact, s.node = f.node, s.gap = at.gap - f.radius, s.centre = a;
  s.friction = at.surface->parameter[0], s.restitution = at.surface->parameter[1];
  s.n = at.normal, s.turn = at.turn, s.turning = 0.0, s.yielding = -1.0;
  contact_axes(s.n, s.t1, s.t2);
  s.axis[0] = to_child(X.R, s.n), s.axis[1] = to_child(X.R, s.t1), s.axis[2] = to_child(X.R, s.t2);
  const Vec3<double> arm = a - f.radius * s.axis[0];
  for (int k = 0; k < 3; ++k) s.arm[k] = cross(arm, s.axis[k]);
  s.velocity = along(s, Screw<double>{u, w});
  // u = v + w x arm; the arm of a sphere turns with the normal only, not with the body.
  s.spin = cross(w, whirl) - f.radius * cross(w, to_child(X.R, s.turn));
}

// u' of a point whose body has the acceleration V, without the terms of its velocities.
TARSUS_INLINE Impulse<double> acceleration_of(const ListedPoint& s, const Screw<double>& V) {
  Impulse<double> u = along(s, V);
  const Vec3<double> velocity = world_of(s, s.velocity);
  u.n += dot(s.axis[0], s.spin) + dot(s.turn, velocity);
  u.t1 += dot(s.axis[1], s.spin) - dot(s.t1, s.turn) * s.velocity.n;
  u.t2 += dot(s.axis[2], s.spin) - dot(s.t2, s.turn) * s.velocity.n;
  return u;
}

constexpr int kListed = -2;
inline void list_point(Robot<double>& r, const Feature& f, int& count) {
  place_point(r, f, r.rigid.listed[count++]);
  r.response.index[r.world.slot[f.node]] = kListed;
}
inline void list_bodies(Robot<double>& r, int count) {
  for (int k = 0; k < r.world.nodes; ++k) {
    const int i = r.world.node[k], slot = r.world.slot[i];
    if (slot >= 0 && r.response.index[slot] == kListed) r.response.add(r.model, slot, i);
  }
  for (int k = 0; k < count; ++k) r.rigid.listed[k].body = r.response.index[r.world.slot[r.rigid.listed[k].node]];
}

// Lists the points of the world for which wanted(contact) holds, with the bodies they are on; returns their number.
template <class Wanted>
inline int list_points(Robot<double>& r, Wanted wanted) {
  r.response.clear(r.world.touchables);
  int count = 0;
  for (int k = 0; k < r.world.features; ++k) {
    const Feature& f = r.world.feature[k];
    if (f.kind != kSegment && wanted(f.contact)) list_point(r, f, count);
  }
  list_bodies(r, count);
  return count;
}

// The same among the closed points.
template <class Wanted>
inline int list_closed_points(Robot<double>& r, Wanted wanted) {
  r.response.clear(r.world.touchables);
  int count = 0;
  for (int k = 0; k < r.rigid.closeds; ++k) {
    const Feature& f = r.world.feature[r.rigid.closed[k]];
    if (wanted(f.contact)) list_point(r, f, count);
  }
  list_bodies(r, count);
  return count;
}

// Notes which points are closed; to be called wherever modes have changed.
inline void find_closed(Robot<double>& r) {
  r.rigid.closeds = 0;
  for (int k = 0; k < r.world.features; ++k) {
    const Feature& f = r.world.feature[k];
    if (f.kind != kSegment && r.rigid.point[f.contact].mode != kOpenPoint) r.rigid.closed[r.rigid.closeds++] = k;
  }
}

}  // namespace tarsus::TARSUS_ISA
