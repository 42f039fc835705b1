// Forward dynamics in O(n) of a tree whose joints turn rotors on the links before them (Model::driven), Buschmann 2014 section
// 3.4.2. The rotors are not visited: a joint is eliminated as in algorithm 4 with h, the moment of momentum of its rotors about
// axes fixed to the parent, added to the wrench U of a unit acceleration, which is J^T M of (3.73) for joint and rotors together.
#pragma once
#include "kernels/dynamics/articulated_body.hpp"
#include "nodes/rotor.hpp"

namespace tarsus::TARSUS_ISA {

// Backward sweep; v is null for a state at rest, whose motion is not there.
template <class T>
TARSUS_KERNEL void eliminate_driven_joints(const Model& m, Workspace<T>& ws, const T* q, const T* v, const T* tau) {
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    const OwnInertia<T> own{m};
    if (!n.driven) {
      eliminate_alone(m, ws, q, tau, i, own, false);
      continue;
    }
    const JointValue<T> j = joint_value(n, ws, q, i);
    with_one_axis_arm(n.arm, [&]<int arm>() TARSUS_LAMBDA {
      const auto J = view_of<arm>(constants(n), j);
      using V = std::remove_cvref_t<decltype(J)>;
      const Vec3<T> spin = to_child(J.R, widen<T>(vec3(n.spin)));
      T force[1], rate[1];
      load_rates<V>(n, tau, force);
      Articulated<T> I = n.leaf ? own.of(i) : ws.articulated[i];
      Wrench<T> p = ws.wrench[i];
      RotorLoad<T> load{broadcast<T>(0.0), zero3<T>()};
      if (v) {
        load_rates<V>(n, v, rate);
        load = rotor_load<V>(ws.motion[i], rate[0], spin);
      }
      for_axes<V>([&]<int axis>(int)
                      TARSUS_LAMBDA { ws.eliminated[n.v] = eliminate<axis>(J, I, p, n.armature, force[0] - load.force, spin); });
      if (n.grounded) return;
      p.n += load.moment;
      hand_over(n, ws, own, false, to_parent(J, p), to_parent(J, I));
    });
  }
}

template <class T>
TARSUS_KERNEL void driven_body(const Model& m, Workspace<T>& ws, const T* q, const T* v, const T* tau, T* vdot) {
  sweep<false>(m, ws, q, v, static_cast<const T*>(nullptr));
  eliminate_driven_joints(m, ws, q, v, tau);
  accelerate(m, ws, q, vdot);
}

// M^-1 rhs: the same solve without velocity and gravity.
template <class T>
TARSUS_KERNEL void driven_solve_mass(const Model& m, Workspace<T>& ws, const T* q, const T* rhs, T* x) {
  prepare_joints(m, ws, q);
  for (int i = 0; i < m.nodes; ++i) ws.wrench[i] = {zero3<T>(), zero3<T>()};
  eliminate_driven_joints(m, ws, q, static_cast<const T*>(nullptr), rhs);
  accelerate(m, ws, q, x);
}

}  // namespace tarsus::TARSUS_ISA
