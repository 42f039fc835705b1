// Which points of the robot are near or inside which solid, where, and how they move: the input of all contact laws.
#pragma once
#include "contact/distance.hpp"
#include "kernels/dynamics/newton_euler.hpp"

namespace tarsus::TARSUS_ISA {

// The law of the surface that a point touches; lanes may touch different surfaces.
template <class T>
struct LawValues {
  T stiffness, damping, tangential_stiffness, tangential_damping, friction, restitution;
  T viscous, remembers;  // 1 where the law is pseudo-Coulomb, 1 where it is the sole's
  T solved;              // 1 where impulses are solved for instead of following from the state
};

template <class T>
struct Contact {
  int node;
  bool near;                        // in some lane: all that follows is valid
  Vec3<T> arm;                      // of the point at the surface, from the node's origin, node axes
  Vec3<T> point, normal, velocity;  // world
  T depth;                          // below the surface
  LawValues<T> law;
  Vec3<T> force;  // on the robot, world
};

// Beyond this gap nothing is evaluated [m]: more than a step of a fast foot, and than the memory of a sole.
constexpr double kNear = 0.05;
constexpr double kInFace = 1e-10;  // depth [m] up to which the end of a clipped segment counts as in the face

template <class T>
TARSUS_INLINE LawValues<T> values_of(const Surface& s) {
  auto wide = [](double x) { return broadcast<T>(x); };
  return {wide(s.stiffness),
          wide(s.damping),
          wide(s.tangential_stiffness),
          wide(s.tangential_damping),
          wide(s.friction),
          wide(s.restitution),
          wide(s.law == kPseudoCoulomb),
          wide(s.law == kSole),
          wide(s.law == kRigid || s.law == kLeastConstraint)};
}
template <class T>
TARSUS_INLINE LawValues<T> select_values(typename Bits<T>::type mask, const LawValues<T>& a, const LawValues<T>& b) {
  LawValues<T> r;
  T* to = reinterpret_cast<T*>(&r);
  const T *x = reinterpret_cast<const T*>(&a), *y = reinterpret_cast<const T*>(&b);
  for (size_t k = 0; k < sizeof(LawValues<T>) / sizeof(T); ++k) to[k] = select<T>(mask, x[k], y[k]);
  return r;
}

// The solid that a sphere about p is deepest in, or nearest to.
template <class T>
TARSUS_INLINE void nearest_surface(const World& w, const Vec3<T>& p, const T& radius, Contact<T>& c) {
  Distance<T> best = distance_to<T>(w.surface[0], p);
  c.law = values_of<T>(w.surface[0]);
  for (int k = 1; k < w.surfaces; ++k) {
    const Distance<T> other = distance_to<T>(w.surface[k], p);
    const auto nearer = less<T>(other.gap, best.gap);
    if (!any<T>(nearer)) continue;
    best = {select<T>(nearer, other.gap, best.gap), select3<T>(nearer, other.normal, best.normal)};
    c.law = select_values<T>(nearer, values_of<T>(w.surface[k]), c.law);
  }
  c.depth = radius - best.gap;
  c.normal = best.normal;
}

// Poses and linear velocities of the nodes that carry features (and of those on the way to them); ws.motion must hold the
// angular velocities, joints must be prepared. Velocities are those of the node origins, in node axes.
template <class T>
inline void locate_nodes(const Model& m, const World& w, Workspace<T>& ws, const T* q, const T* v, Vec3<T>* speed) {
  for (int k = 0; k < w.nodes; ++k) {
    const int i = w.node[k];
    const Node& n = m.node[i];
    if (is_fixed(n)) {
      ws.pose[i] = {identity3<T>(), zero3<T>()};
      speed[i] = zero3<T>();
      continue;
    }
    const bool first = n.parent < 0;
    const Placed<T> parent = first ? Placed<T>{identity3<T>(), zero3<T>()} : ws.pose[n.parent];
    const Vec3<T> u = first ? zero3<T>() : speed[n.parent], rate = first ? zero3<T>() : ws.motion[n.parent].w;
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      ws.pose[i] = {compose(parent.R, J.R), parent.p + J.p.x * parent.R.a + J.p.y * parent.R.b + J.p.z * parent.R.c};
      Vec3<T> linear = to_child(J.R, u + cross(rate, J.p));
      T x[V::dof];
      load_rates<V>(n, v, x);
      Vec3<T> turn = zero3<T>();
      for_axes<V>([&]<int axis>(int d) TARSUS_LAMBDA { add_along<axis>(J, x[d], linear, turn); });
      speed[i] = linear;
    });
  }
}

// Fills in where the contact point is and how it moves, once normal and depth are known. `arm` leads to the feature's axis.
template <class T>
TARSUS_INLINE void place_contact(const Workspace<T>& ws, const Vec3<T>* speed, const T& radius, Contact<T>& c) {
  const Placed<T>& X = ws.pose[c.node];
  c.arm = c.arm - radius * to_child(X.R, c.normal);
  c.point = X.p + to_parent(X.R, c.arm);
  c.velocity = to_parent(X.R, speed[c.node] + cross(ws.motion[c.node].w, c.arm));
}

// Whether a contact has to be evaluated: near the ground in some lane, or with a state that has not died away. What is decided
// for a pack must not change the result of a lane, so that robots do not depend on their neighbours in a batch.
template <class T>
TARSUS_INLINE bool matters(const T& depth, const T* z) {
  const T zero = broadcast<T>(0.0), size = larger<T>(magnitude<T>(z[0]), larger<T>(magnitude<T>(z[1]), magnitude<T>(z[2])));
  return any<T>(less<T>(broadcast<T>(-kNear), depth) | less<T>(zero, size));
}

// Whether a lane itself is near the ground: forces and records of the others are zero, whoever shares the pack.
template <class T>
TARSUS_INLINE typename Bits<T>::type within_reach(const Contact<T>& c) {
  return less<T>(broadcast<T>(-kNear), c.depth);
}

// The part of a segment inside a box: both of its ends touch, unless they are the segment's own ends, which are points, or lie
// in the face that pushes, where rounding alone would decide. The face is the one nearest to the middle of that part.
template <class T>
inline void clip_segment(const World& w, const Workspace<T>& ws, const Vec3<T>* speed, const T* z, const Feature& f,
                         Contact<T>* pair) {
  const Placed<T>& X = ws.pose[f.node];
  const Vec3<double> a = vec3(f.a), along = vec3(f.b) - a;
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), radius = broadcast<T>(f.radius);
  for (int e = 0; e < 2; ++e) {
    pair[e].node = f.node;
    pair[e].arm = widen<T>(e == 0 ? a : vec3(f.b)), pair[e].normal = {zero, zero, one};
    pair[e].depth = -one;
    pair[e].law = values_of<T>(w.surface[0]);
  }
  for (int k = 0; k < w.surfaces; ++k) {
    const Surface& s = w.surface[k];
    if (s.kind != kBox) continue;
    const auto R = axes_of(s);
    const Vec3<T> start = to_child(R, X.p + to_parent(X.R, widen<T>(a)) - vec3(s.position));
    const Vec3<T> d = to_child(R, to_parent(X.R, widen<T>(along)));
    const T l[3] = {start.x, start.y, start.z}, g[3] = {d.x, d.y, d.z};
    T low = zero, high = one;
    for (int x = 0; x < 3; ++x) {
      const T half = s.half[x] + radius;
      const T safe = select<T>(less<T>(magnitude<T>(g[x]), broadcast<T>(1e-12)), broadcast<T>(1e-12), g[x]);
      const T t0 = (-half - l[x]) / safe, t1 = (half - l[x]) / safe;
      low = larger<T>(low, smaller<T>(t0, t1)), high = smaller<T>(high, larger<T>(t0, t1));
    }
    const auto inside = less<T>(low, high);
    if (!any<T>(inside)) continue;
    const T middle = 0.5 * (low + high);
    T depth[3], side[3];
    for (int x = 0; x < 3; ++x) {
      const T at = l[x] + middle * g[x];
      side[x] = select<T>(less<T>(at, zero), -one, one);
      depth[x] = s.half[x] + radius - side[x] * at;
    }
    const auto y_first = less<T>(depth[1], depth[0]);
    const auto z_first = less<T>(depth[2], smaller<T>(depth[0], depth[1]));
    const Vec3<T> local =
        select3<T>(z_first, {zero, zero, side[2]}, select3<T>(y_first, {zero, side[1], zero}, {side[0], zero, zero}));
    const Vec3<T> normal = to_parent(R, local);
    const T half =
        select<T>(z_first, broadcast<T>(s.half[2]), select<T>(y_first, broadcast<T>(s.half[1]), broadcast<T>(s.half[0])));
    for (int e = 0; e < 2; ++e) {
      const T t = e == 0 ? low : high;
      const auto own_end = e == 0 ? less<T>(t, broadcast<T>(1e-9)) : less<T>(broadcast<T>(1 - 1e-9), t);
      const Vec3<T> at = start + t * d;
      const T below = half + radius - dot(local, at);
      const T deep = select<T>(own_end | less<T>(below, broadcast<T>(kInFace)), -one, below);
      Contact<T>& c = pair[e];
      const auto better = less<T>(c.depth, select<T>(inside, deep, -one));
      if (!any<T>(better)) continue;
      c.depth = select<T>(better, deep, c.depth);
      c.normal = select3<T>(better, normal, c.normal);
      c.arm = select3<T>(better, a + t * along, c.arm);
      c.law = select_values<T>(better, values_of<T>(s), c.law);
    }
  }
  for (int e = 0; e < 2; ++e) {
    pair[e].near = matters(pair[e].depth, z + 3 * e);
    if (pair[e].near) place_contact(ws, speed, radius, pair[e]);
  }
}

template <class T>
inline void find_contacts(const World& w, const Workspace<T>& ws, const Vec3<T>* speed, const T* z, Contact<T>* contact) {
  for (int k = 0; k < w.features; ++k) {
    const Feature& f = w.feature[k];
    Contact<T>& c = contact[f.contact];
    if (f.kind == kSegment) {
      clip_segment(w, ws, speed, z + 3 * f.contact, f, &c);
      continue;
    }
    c.node = f.node;
    const Placed<T>& X = ws.pose[f.node];
    c.arm = widen<T>(vec3(f.a));
    const T radius = broadcast<T>(f.radius);
    nearest_surface(w, X.p + to_parent(X.R, c.arm), radius, c);
    c.near = matters(c.depth, z + 3 * f.contact);
    if (c.near) place_contact(ws, speed, radius, c);
  }
}

}  // namespace tarsus::TARSUS_ISA
