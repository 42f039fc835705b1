// Contacts and external wrenches on the bodies of a robot in motion.
#pragma once
#include "simulation/robot.hpp"

namespace tarsus::TARSUS_ISA {

// Contacts that may do something: all but those of quiet pairs.
template <class T>
TARSUS_INLINE void list_contacts(Robot<T>& r) {
  const int grounded = r.world.pairs > 0 ? r.world.pair[0].contact : r.world.contacts;
  r.listeds = grounded;
  for (int i = 0; i < grounded; ++i) r.listed[i] = i;
  for (int k = 0; k < r.world.pairs; ++k) {
    const SolidPair& p = r.world.pair[k];
    for (int i = p.contact; !r.quiet[k] && i < p.contact + p.slots; ++i) r.listed[r.listeds++] = i;
  }
}

// Contacts of nodes that are located, with the velocities of their origins in r.speed.
template <class T>
TARSUS_INLINE void touch_located(Robot<T>& r, const Vec3<T>* displacement) {
  find_contacts(r.world, r.ws, r.speed, displacement, r.off, r.contact);
  if (r.world.pairs > 0) find_pair_contacts(r.world, r.ws, r.speed, displacement, r.off, r.sets, r.quiet, r.contact);
  list_contacts(r);
  for (int i = 0; r.friction && i < r.world.contacts; ++i) {
    if (r.contact[i].near) set_friction(*r.friction, r.contact[i]);
  }
}

// Contacts of a configuration in motion; joints are prepared and swept.
template <class T>
TARSUS_INLINE void update_contacts(Robot<T>& r, const T* q, const T* v, const Vec3<T>* displacement) {
  locate_nodes(r.model, r.world, r.ws, q, v, r.speed);
  touch_located(r, displacement);
}

// A force of world axes at a contact point, taken off the wrench that the motion of its node needs, and its opposite on the body
// that is touched.
template <class T>
TARSUS_INLINE void apply_contact(Robot<T>& r, const Contact<T>& c, const Vec3<T>& force) {
  const Vec3<T> f = to_child(r.ws.pose[c.node].R, force);
  Wrench<T>& w = r.ws.wrench[c.node];
  w.f = w.f - f;
  w.n = w.n - cross(c.arm, f);
  if (c.other < 0) return;
  const Vec3<T> back = to_child(r.ws.pose[c.other].R, force);
  Wrench<T>& x = r.ws.wrench[c.other];
  x.f = x.f + back;
  x.n = x.n + cross(c.other_arm, back);
}

// Rate at which a displacement of a contact between two bodies is carried round, world: it is fixed to the body that is touched.
template <class T>
TARSUS_INLINE Vec3<T> turning_of(const Robot<T>& r, const Contact<T>& c, const Vec3<T>& displacement) {
  if (c.other < 0) return zero3<T>();
  return cross(to_parent(r.ws.pose[c.other].R, r.ws.motion[c.other].w), displacement);
}

// Power of the external wrenches, from the velocities of the nodes, or from those after some time with their accelerations.
template <class T>
inline T external_power(const Robot<T>& r, double later = 0.0) {
  T sum = broadcast<T>(0.0);
  for (int i = 0; i < r.model.nodes; ++i) {
    const Node& n = r.model.node[i];
    if (n.body < 0) continue;
    const T* e = r.external + 6 * n.body;
    const Placed<T>& X = r.ws.pose[i];
    const Motion<T>& a = r.ws.motion[i];
    Vec3<T> w = a.w, origin = r.speed[i];
    if (later != 0.0) w = w + later * a.dw, origin = origin + later * a.a;
    const Vec3<T> u = origin + cross(w, widen<T>(vec3(n.body_position)));
    sum = sum + dot(to_parent(X.R, u), Vec3<T>{e[0], e[1], e[2]}) + dot(to_parent(X.R, w), Vec3<T>{e[3], e[4], e[5]});
  }
  return sum;
}

}  // namespace tarsus::TARSUS_ISA
