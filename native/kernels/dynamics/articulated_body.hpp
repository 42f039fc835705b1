// Forward dynamics in O(n) by articulated bodies, Buschmann 2014 section 3.3.2 (3.54), algorithm 4.
// Velocity terms come from the Newton-Euler sweep with vdot = 0; what remains is a solve at zero velocity, in which
// neither Coriolis terms nor gravity appear.
#pragma once
#include "kernels/dynamics/newton_euler.hpp"

namespace tarsus::TARSUS_ISA {

// Inertia that a node and its joint have by themselves.
template <class T>
struct OwnInertia {
  static constexpr bool plain = true;
  const Model& m;
  const BodyInertia<T>* bodies = nullptr;  // Workspace::bodies
  TARSUS_INLINE Articulated<T> of(int i) const {
    return with_body(m, bodies, i, [](const auto& b) TARSUS_LAMBDA { return rigid_inertia<T>(b); });
  }
  TARSUS_INLINE double armature(int k) const { return m.armature[k]; }
};

// The same with what the implicit forces of a time step add (simulation/step/): resistances of contacts to bodies,
// those of springs, dampers and drives to joints.
template <class T>
struct AddedInertia {
  static constexpr bool plain = false;
  const Model& m;
  const BodyInertia<T>* bodies;  // Workspace::bodies
  const int* slot;               // of nodes among those that contacts may add to, -1 for the others
  const Articulated<T>* added;   // slots
  const T* joint;                // tree_nv: armature and what is added to it
  TARSUS_INLINE Articulated<T> of(int i) const {
    Articulated<T> I = with_body(m, bodies, i, [](const auto& b) TARSUS_LAMBDA { return rigid_inertia<T>(b); });
    if (slot[i] >= 0) I += added[slot[i]];
    return I;
  }
  TARSUS_INLINE const T& armature(int k) const { return joint[k]; }
};

// Adds what an eliminated joint leaves to the parent of its node. With `started` the parent's inertia holds its own body
// already; else its first child brings that along.
template <class T, class Own>
TARSUS_INLINE void hand_over(const Node& n, Workspace<T>& ws, const Own& own, bool started, const Wrench<T>& p,
                             Articulated<T> I) {
  ws.wrench[n.parent] += p;
  if (n.opens && !started) I += own.of(n.parent);
  if (!n.opens || started) I += ws.articulated[n.parent];
  ws.articulated[n.parent] = I;
}

// Takes all degrees of freedom of a joint that is not a turn out of I and p, Buschmann 2014 (3.54), the last one first; where
// the node has a parent that moves, I and p become what it gets, in its axes.
template <class T>
TARSUS_SWEEP void eliminate_rare(const Node& n, const JointValue<T>& j, const T* tau, const T* armature, bool inner,
                                 Eliminated<T>* eliminated, Articulated<T>& I, Wrench<T>& p) {
  auto step = [&]<int arm>() TARSUS_LAMBDA {
    T force[kArm[arm].dof];
    load_rates<ArmOnly<arm>>(n, tau, force);
    const auto J = view_of<arm>(constants(n), j);
    for_axes_reversed<ArmOnly<arm>>([&]<int axis>(int k)
                                        TARSUS_LAMBDA { eliminated[k] = eliminate<axis>(J, I, p, armature[k], force[k]); });
    if (inner) p = to_parent(J, p), I = to_parent(J, I);
  };
  with_rare_arm(n.arm, step);
}
TARSUS_COMPILED_ONCE void eliminate_rare(const Node&, const JointValue<double>&, const double*, const double*, bool,
                                         Eliminated<double>*, Articulated<double>&, Wrench<double>&);
TARSUS_COMPILED_ONCE void eliminate_rare(const Node&, const JointValue<Pack>&, const Pack*, const Pack*, bool, Eliminated<Pack>*,
                                         Articulated<Pack>&, Wrench<Pack>&);

// Eliminates the joint of node i with the articulated inertia in ws (that of its own body for a leaf).
template <class T, class Own>
TARSUS_INLINE void eliminate_node(const Model& m, Workspace<T>& ws, const T* q, const T* tau, int i, const Own& own,
                                  bool started) {
  const Node& n = m.node[i];
  const bool inner = n.parent >= 0 && !n.grounded;
  auto step = [&]<int arm>() TARSUS_LAMBDA {
    const auto J = view_of<arm>(constants(n), turn_value(ws, i));
    const auto armature = own.armature(n.v);
    T force[1];
    load_rates<ArmOnly<arm>>(n, tau, force);
    Articulated<T> I = n.leaf ? own.of(i) : ws.articulated[i];
    Wrench<T> p = ws.wrench[i];
    if constexpr (Own::plain) {
      if constexpr (is_cyclic(arm)) {
        if (armature == 0.0) {
          const Freed<T> freed = free_turn(I, p, force[0], ws.eliminated[n.v]);
          if (inner) hand_over(n, ws, own, started, to_parent(J, p), to_parent<arm - kTurn0>(J, freed));
          return;
        }
      }
    }
    ws.eliminated[n.v] = eliminate<kAboutZ>(J, I, p, armature, force[0]);
    if (inner) hand_over(n, ws, own, started, to_parent(J, p), to_parent(J, I));
  };
  if (with_turn(n.arm, step) || n.dof == 0) return;
  T armature[6];
  for (int k = 0; k < n.dof; ++k) armature[k] = broadcast<T>(0.0) + own.armature(n.v + k);
  Articulated<T> I = n.leaf ? own.of(i) : ws.articulated[i];
  Wrench<T> p = ws.wrench[i];
  eliminate_rare(n, joint_value(n, ws, q, i), tau, static_cast<const T*>(armature), inner, ws.eliminated + n.v, I, p);
  if (inner) hand_over(n, ws, own, started, p, I);
}

// The same out of line, for sweeps in which most joints are eliminated in another way.
template <class T, class Own>
TARSUS_SWEEP void eliminate_alone(const Model& m, Workspace<T>& ws, const T* q, const T* tau, int i, const Own& own,
                                  bool started) {
  eliminate_node(m, ws, q, tau, i, own, started);
}
TARSUS_COMPILED_ONCE void eliminate_alone(const Model&, Workspace<double>&, const double*, const double*, int,
                                          const OwnInertia<double>&, bool);
TARSUS_COMPILED_ONCE void eliminate_alone(const Model&, Workspace<Pack>&, const Pack*, const Pack*, int, const OwnInertia<Pack>&,
                                          bool);
TARSUS_COMPILED_ONCE void eliminate_alone(const Model&, Workspace<double>&, const double*, const double*, int,
                                          const AddedInertia<double>&, bool);
TARSUS_COMPILED_ONCE void eliminate_alone(const Model&, Workspace<Pack>&, const Pack*, const Pack*, int,
                                          const AddedInertia<Pack>&, bool);

// Backward sweep: eliminate every joint. ws.wrench holds the bias wrenches.
template <class T, class Own>
TARSUS_SWEEP void eliminate_joints(const Model& m, Workspace<T>& ws, const T* q, const T* tau, const Own& own) {
  for (int i = m.nodes - 1; i >= 0; --i) {
    if constexpr (Own::plain) {
      eliminate_node(m, ws, q, tau, i, own, false);
    } else {
      eliminate_alone(m, ws, q, tau, i, own, false);
    }
  }
}
TARSUS_COMPILED_ONCE void eliminate_joints(const Model&, Workspace<double>&, const double*, const double*,
                                           const OwnInertia<double>&);
TARSUS_COMPILED_ONCE void eliminate_joints(const Model&, Workspace<Pack>&, const Pack*, const Pack*, const OwnInertia<Pack>&);

// Acceleration of a node behind an eliminated joint, at zero velocity, from that of its parent.
template <class V, class T>
TARSUS_INLINE void accelerate_joint(const V& J, const Node& n, Workspace<T>& ws, int i, const Motion<T>& parent, T* vdot) {
  Vec3<T> dw = to_child(J.R, parent.dw), a = to_child(J.R, parent.a + cross(parent.dw, J.p));
  T x[V::dof];
  for_axes<V>([&]<int axis>(int k) TARSUS_LAMBDA {
    const Eliminated<T>& e = ws.eliminated[n.v + k];
    x[k] = (e.u - dot(e.n, dw) - dot(e.f, a)) * e.inverse;
    add_along<axis>(J, x[k], a, dw);
  });
  ws.motion[i].dw = dw;
  ws.motion[i].a = a;
  orient<V>(n.sign, x);
  for (int k = 0; k < V::dof; ++k) vdot[n.v + k] = x[k];
}

// The same for node i, shared as above.
template <class T>
TARSUS_SWEEP void accelerate_rare(const Model& m, Workspace<T>& ws, const T* q, int i, const Motion<T>& parent, T* vdot) {
  const JointValue<T> j = joint_value(m.node[i], ws, q, i);
  auto step = [&]<int arm>()
                  TARSUS_LAMBDA { accelerate_joint(view_of<arm>(constants(m.node[i]), j), m.node[i], ws, i, parent, vdot); };
  with_rare_arm(m.node[i].arm, step);
}
TARSUS_COMPILED_ONCE void accelerate_rare(const Model&, Workspace<double>&, const double*, int, const Motion<double>&, double*);
TARSUS_COMPILED_ONCE void accelerate_rare(const Model&, Workspace<Pack>&, const Pack*, int, const Motion<Pack>&, Pack*);

template <class T>
TARSUS_INLINE void accelerate_node(const Model& m, Workspace<T>& ws, const T* q, int i, const Motion<T>& parent, T* vdot) {
  const JointValue<T> j{ws.sine[i], ws.cosine[i], {}, nullptr};
  auto step = [&]<int arm>()
                  TARSUS_LAMBDA { accelerate_joint(view_of<arm>(constants(m.node[i]), j), m.node[i], ws, i, parent, vdot); };
  if (!with_turn(m.node[i].arm, step)) accelerate_rare(m, ws, q, i, parent, vdot);
}

// The same out of line, for sweeps in which most nodes get their motion in another way.
template <class T>
TARSUS_SWEEP void accelerate_alone(const Model& m, Workspace<T>& ws, const T* q, int i, const Motion<T>& parent, T* vdot) {
  accelerate_node(m, ws, q, i, parent, vdot);
}
TARSUS_COMPILED_ONCE void accelerate_alone(const Model&, Workspace<double>&, const double*, int, const Motion<double>&, double*);
TARSUS_COMPILED_ONCE void accelerate_alone(const Model&, Workspace<Pack>&, const Pack*, int, const Motion<Pack>&, Pack*);

// Forward sweep: accelerations from the root outwards.
template <class T>
TARSUS_SWEEP void accelerate(const Model& m, Workspace<T>& ws, const T* q, T* vdot) {
  const Motion<T> still{zero3<T>(), zero3<T>(), zero3<T>()};
  if (is_fixed(m.node[0])) ws.motion[0] = still;
  for (int i = 0; i < m.nodes; ++i) {
    accelerate_node(m, ws, q, i, m.node[i].parent < 0 ? still : ws.motion[m.node[i].parent], vdot);
  }
}

TARSUS_COMPILED_ONCE void accelerate(const Model&, Workspace<double>&, const double*, double*);
TARSUS_COMPILED_ONCE void accelerate(const Model&, Workspace<Pack>&, const Pack*, Pack*);

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
