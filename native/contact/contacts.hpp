// All contacts of a robot in motion: where its features are, and which of them are near the ground.
#pragma once
#include "contact/pair_contacts.hpp"
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

// All contacts, near the ground where they are not switched off; `off` may be null.
template <class T>
inline void find_contacts(const World& w, const Workspace<T>& ws, const Vec3<T>* speed, const Vec3<T>* displacement, const T* off,
                          Contact<T>* contact) {
  for (int k = 0; k < w.features; ++k) {
    const Feature& f = w.feature[k];
    Contact<T>& c = contact[f.contact];
    if (f.kind == kSegment) {
      touch_segment(w, ws, speed, displacement + f.contact, off ? off + f.contact : off, f, &c);
      contact[f.contact].other = contact[f.contact + 1].other = -1;
      continue;
    }
    c.node = f.node, c.other = -1;
    const Placed<T>& X = ws.pose[f.node];
    c.arm = widen<T>(vec3(f.a));
    const T radius = broadcast<T>(f.radius);
    nearest_surface(w, X.p + to_parent(X.R, c.arm), radius, kNear, c);
    if (off) switch_off(off[f.contact], c);
    c.near = matters(c.depth, displacement[f.contact]);
    if (c.near) place_contact(w, ws, speed, radius, c);
  }
}

// The same of contacts between bodies. A pair that is `quiet` was far apart, without forces and displacements: as long as its
// solids are not near each other, nothing of it changes.
template <class T>
inline void find_pair_contacts(const World& w, const Workspace<T>& ws, const Vec3<T>* speed, const Vec3<T>* displacement,
                               const T* off, bool sets, int* quiet, Contact<T>* contact) {
  for (int k = 0; k < w.pairs; ++k) {
    const SolidPair& p = w.pair[k];
    const Solid &a = w.solid[p.first], &b = w.solid[p.second];
    const bool close = may_touch(a, b, ws.pose[a.node], ws.pose[b.node]);
    if (quiet[k] && !close) continue;
    quiet[k] =
        !touch_bodies(w, ws, speed, displacement + p.contact, off ? off + p.contact : off, p, close, sets, contact + p.contact);
  }
}

}  // namespace tarsus::TARSUS_ISA
