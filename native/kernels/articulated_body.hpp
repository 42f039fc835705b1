// Forward dynamics in O(n) by articulated bodies, Buschmann 2014 section 3.3.2 (3.54), algorithm 4.
// Velocity terms come from the Newton-Euler sweep with vdot = 0; what remains is a solve at zero velocity, in which
// neither Coriolis terms nor gravity appear.
#pragma once
#include "kernels/newton_euler.hpp"

namespace tarsus::TARSUS_ISA {

// Inertia that a node and its joint have by themselves.
template <class T>
struct OwnInertia {
  static constexpr bool plain = true;
  const Model& m;
  TARSUS_INLINE Articulated<T> of(int i) const { return rigid_inertia<T>(constants(m.node[i])); }
  TARSUS_INLINE double armature(int k) const { return m.armature[k]; }
};

// The same with what the implicit forces of a time step add (simulation/step/): resistances of contacts to bodies,
// those of springs, dampers and drives to joints.
template <class T>
struct AddedInertia {
  static constexpr bool plain = false;
  const Model& m;
  const int* slot;              // of nodes among those that contacts may add to, -1 for the others
  const Articulated<T>* added;  // slots
  const T* joint;               // tree_nv: armature and what is added to it
  TARSUS_INLINE Articulated<T> of(int i) const {
    Articulated<T> I = rigid_inertia<T>(constants(m.node[i]));
    if (slot[i] >= 0) I += added[slot[i]];
    return I;
  }
  TARSUS_INLINE const T& armature(int k) const { return joint[k]; }
};

// Eliminates the joint of node i with the articulated inertia in ws (that of its own body for a leaf); calls
// hand_over(wrench, inertia) with what its parent gets.
template <class T, class HandOver, class Own>
TARSUS_INLINE void eliminate_node(const Model& m, Workspace<T>& ws, const T* q, const T* tau, int i, const Own& own,
                                  HandOver hand_over) {
  const Node& n = m.node[i];
  visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
    using V = std::remove_cvref_t<decltype(J)>;
    const bool inner = n.parent >= 0 && !n.grounded;
    T force[V::dof];
    load_rates<V>(n, tau, force);
    Articulated<T> I = n.leaf ? own.of(i) : ws.articulated[i];
    Wrench<T> p = ws.wrench[i];
    if constexpr (V::cyclic && Own::plain) {
      if (m.armature[n.v] == 0.0) {
        const Freed<T> freed = free_turn(I, p, force[0], ws.eliminated[n.v]);
        if (inner) hand_over(to_parent(J, p), to_parent<V::arm - kTurn0>(J, freed));
        return;
      }
    }
    for_axes_reversed<V>([&]<int axis>(int k) TARSUS_LAMBDA {
      ws.eliminated[n.v + k] = eliminate<axis>(J, I, p, own.armature(n.v + k), force[k]);
    });
    if (inner) hand_over(to_parent(J, p), to_parent(J, I));
  });
}

// Backward sweep: eliminate every joint. ws.wrench holds the bias wrenches. The inertia of a body joins with its first child.
template <class T, class Own>
TARSUS_INLINE void eliminate_joints(const Model& m, Workspace<T>& ws, const T* q, const T* tau, const Own& own) {
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    eliminate_node(m, ws, q, tau, i, own, [&](const Wrench<T>& p, Articulated<T> I) TARSUS_LAMBDA {
      ws.wrench[n.parent] += p;
      if (n.opens) I += own.of(n.parent);
      if (!n.opens) I += ws.articulated[n.parent];
      ws.articulated[n.parent] = I;
    });
  }
}

// Acceleration of node i behind an eliminated joint, at zero velocity, from that of its parent.
template <class T>
TARSUS_INLINE void accelerate_node(const Model& m, Workspace<T>& ws, const T* q, int i, const Motion<T>& parent, T* vdot) {
  const Node& n = m.node[i];
  visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
    using V = std::remove_cvref_t<decltype(J)>;
    Vec3<T> dw = to_child(J.R, parent.dw), a = to_child(J.R, parent.a + cross(parent.dw, J.p));
    T x[V::dof];
    for_axes<V>([&]<int axis>(int k) TARSUS_LAMBDA {
      const Eliminated<T>& e = ws.eliminated[n.v + k];
      x[k] = (e.u - dot(e.n, dw) - dot(e.f, a)) * e.inverse;
      component<axis>(a, dw) = component<axis>(a, dw) + x[k];
      if constexpr (V::arm == kScrew) a.z = a.z + J.pitch * x[k];
    });
    ws.motion[i].dw = dw;
    ws.motion[i].a = a;
    orient<V>(n.sign, x);
    for (int k = 0; k < V::dof; ++k) vdot[n.v + k] = x[k];
  });
}

// Forward sweep: accelerations from the root outwards.
template <class T>
TARSUS_INLINE void accelerate(const Model& m, Workspace<T>& ws, const T* q, T* vdot) {
  const Motion<T> still{zero3<T>(), zero3<T>(), zero3<T>()};
  if (m.node[0].arm == kRoot) ws.motion[0] = still;
  for (int i = 0; i < m.nodes; ++i) {
    accelerate_node(m, ws, q, i, m.node[i].parent < 0 ? still : ws.motion[m.node[i].parent], vdot);
  }
}

template <class T>
TARSUS_KERNEL void articulated_body(const Model& m, Workspace<T>& ws, const T* q, const T* v, const T* tau, const T* external,
                                    T* vdot) {
  sweep<false>(m, ws, q, v, static_cast<const T*>(nullptr));
  if (external) subtract_external(m, ws, q, external);
  eliminate_joints(m, ws, q, tau, OwnInertia<T>{m});
  accelerate(m, ws, q, vdot);
}

// M^-1 rhs: the same solve without velocity, gravity and external wrenches.
template <class T>
TARSUS_KERNEL void solve_mass(const Model& m, Workspace<T>& ws, const T* q, const T* rhs, T* x) {
  prepare_joints(m, ws, q);
  for (int i = 0; i < m.nodes; ++i) ws.wrench[i] = {zero3<T>(), zero3<T>()};
  eliminate_joints(m, ws, q, rhs, OwnInertia<T>{m});
  accelerate(m, ws, q, x);
}

}  // namespace tarsus::TARSUS_ISA
