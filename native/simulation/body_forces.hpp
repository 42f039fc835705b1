// Contacts and external wrenches on the bodies of a robot in motion.
#pragma once
#include "simulation/robot.hpp"

namespace tarsus::TARSUS_ISA {

// Contacts of a configuration in motion; joints are prepared and swept.
template <class T>
TARSUS_INLINE void update_contacts(Robot<T>& r, const T* q, const T* v, const Vec3<T>* displacement) {
  locate_nodes(r.model, r.world, r.ws, q, v, r.speed);
  find_contacts(r.world, r.ws, r.speed, displacement, r.contact);
}

// A force of world axes at a contact point, taken off the wrench that the motion of its node needs.
template <class T>
TARSUS_INLINE void apply_contact(Robot<T>& r, const Contact<T>& c, const Vec3<T>& force) {
  const Vec3<T> f = to_child(r.ws.pose[c.node].R, force);
  Wrench<T>& w = r.ws.wrench[c.node];
  w.f = w.f - f;
  w.n = w.n - cross(c.arm, f);
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
