// All contacts of a robot in motion: where its features are, and which of them are near the ground.
#pragma once
#include "contact/segment.hpp"

namespace tarsus::TARSUS_ISA {

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

template <class T>
inline void find_contacts(const World& w, const Workspace<T>& ws, const Vec3<T>* speed, const Vec3<T>* displacement,
                          Contact<T>* contact) {
  for (int k = 0; k < w.features; ++k) {
    const Feature& f = w.feature[k];
    Contact<T>& c = contact[f.contact];
    if (f.kind == kSegment) {
      touch_segment(w, ws, speed, displacement + f.contact, f, &c);
      continue;
    }
    c.node = f.node;
    const Placed<T>& X = ws.pose[f.node];
    c.arm = widen<T>(vec3(f.a));
    const T radius = broadcast<T>(f.radius);
    nearest_surface(w, X.p + to_parent(X.R, c.arm), radius, c);
    c.near = matters(c.depth, displacement[f.contact]);
    if (c.near) place_contact(ws, speed, radius, c);
  }
}

}  // namespace tarsus::TARSUS_ISA
