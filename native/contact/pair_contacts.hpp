// Contacts between two bodies of a robot, lane by lane.
#pragma once
#include "contact/contact.hpp"
#include "contact/solid_contacts.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE void set_lane3(Vec3<T>& v, int l, const Vec3<double>& x) {
  set_lane(v.x, l, x.x), set_lane(v.y, l, x.y), set_lane(v.z, l, x.z);
}
template <class T>
TARSUS_INLINE Vec3<double> lane3(const Vec3<T>& v, int l) {
  return {lane(v.x, l), lane(v.y, l), lane(v.z, l)};
}
template <class T>
TARSUS_INLINE Placed<double> lane_of(const Placed<T>& X, int l) {
  return {{lane3(X.R.a, l), lane3(X.R.b, l), lane3(X.R.c, l)}, lane3(X.p, l)};
}

// Whether the spheres about two solids are near each other in some lane.
template <class T>
TARSUS_INLINE bool may_touch(const Solid& a, const Solid& b, const Placed<T>& X, const Placed<T>& Y) {
  const Vec3<T> d = X.p + to_parent(X.R, widen<T>(vec3(a.centre))) - Y.p - to_parent(Y.R, widen<T>(vec3(b.centre)));
  const double reach = a.reach + b.reach + kNear;
  return any<T>(less<T>(dot(d, d), broadcast<T>(reach * reach)));
}

// One slot of one lane: the contact point lies in the middle between the two surfaces, so that the forces on both bodies act at
// the same place.
template <class T>
TARSUS_INLINE void place_slot(const SolidContact& s, const Solid& a, const Solid& b, const Placed<double>& X,
                              const Placed<double>& Y, int l, Contact<T>& c) {
  const Vec3<double> point = 0.5 * (s.first + s.second), n = s.normal;
  set_lane(c.depth, l, s.depth);
  set_lane3(c.normal, l, n), set_lane3(c.point, l, point);
  set_lane3(c.arm, l, to_child(X.R, point - X.p)), set_lane3(c.other_arm, l, to_child(Y.R, point - Y.p));
  set_lane3(c.axis, l, to_child(X.R, s.first + a.radius * n - X.p));
  set_lane3(c.other_axis, l, to_child(Y.R, s.second - b.radius * n - Y.p));
}

// The part of the depth that does not press is what a displacement has along the normal.
template <class T>
TARSUS_INLINE void take_set(const Vec3<T>& displacement, Contact<T>& c) {
  const T zero = broadcast<T>(0.0), deep = larger<T>(c.depth, zero);
  c.set = smaller<T>(larger<T>(dot(displacement, c.normal), zero), deep);
  c.depth = c.depth - c.set;
}

// All slots of a pair, whose solids may be close to each other; false where they are not, and have neither forces nor
// displacements. `sets` tells whether displacements hold them.
template <class T>
inline bool touch_bodies(const World& w, const Workspace<T>& ws, const Vec3<T>* speed, const Vec3<T>* displacement, const T* off,
                         const SolidPair& pair, bool close, bool sets, Contact<T>* contact) {
  const Solid &a = w.solid[pair.first], &b = w.solid[pair.second];
  const Placed<T>&X = ws.pose[a.node], &Y = ws.pose[b.node];
  bool kept = false, pressed = false;
  for (int k = 0; k < pair.slots; ++k) {
    Contact<T>& c = contact[k];
    c.node = a.node, c.other = b.node, c.motion = pair.motion, c.near = false;
    c.depth = broadcast<T>(kApart), c.set = broadcast<T>(0.0), c.skin = c.bend = zero3<T>();
    c.laws = 1u << pair.law, c.law.number = broadcast<T>(pair.law);
    for (int i = 0; i < kMostLawParameters; ++i) c.law.parameter[i] = broadcast<T>(pair.parameter[i]);
    kept = kept || matters(c.depth, displacement[k]);
    pressed = pressed || any<T>(less<T>(broadcast<T>(0.0), dot(c.force, c.force)));
  }
  if (!close && !kept) return pressed;
  Slots found;
  for (int l = 0; l < lanes<T>; ++l) {
    const Placed<double> x = lane_of(X, l), y = lane_of(Y, l);
    touch_pair(w, pair, x, y, kNear, found);
    for (int k = 0; k < pair.slots; ++k) place_slot(found.slot[k], a, b, x, y, l, contact[k]);
  }
  for (int k = 0; k < pair.slots; ++k) {
    Contact<T>& c = contact[k];
    if (sets && Laws::kRow[pair.law].voigt) take_set(displacement[k], c);
    if (off) switch_off(off[k], c);
    c.near = matters(c.depth, displacement[k]);
    if (!c.near) continue;
    c.velocity = to_parent(X.R, speed[c.node] + cross(ws.motion[c.node].w, c.arm)) -
                 to_parent(Y.R, speed[c.other] + cross(ws.motion[c.other].w, c.other_arm));
  }
  return true;
}

}  // namespace tarsus::TARSUS_ISA
