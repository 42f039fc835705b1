// Inverse dynamics of a floating base whose acceleration is not known, Shah, Saha and Dutt section 3.2, in O(n): joint
// accelerations in, base acceleration and joint forces out. Deviations from the paper: step 1 counts the weights, and phi
// contains C v of all coordinates.
#pragma once
#include "kernels/dynamics/newton_euler.hpp"
#include "kernels/dynamics/passive.hpp"
#include "kernels/factorisation/cholesky.hpp"

namespace tarsus::TARSUS_ISA {

// Inertias of the robot behind each node as one rigid body, in the node's frame, into ws.articulated. Joints are prepared.
template <class T>
TARSUS_INLINE void compose_inertias(const Model& m, Workspace<T>& ws, const T* q) {
  for (int i = 0; i < m.nodes; ++i) ws.articulated[i] = rigid_inertia<T>(constants(m.node[i]));
  for (int i = m.nodes - 1; i > 0; --i) {
    visit_node(m, ws, q, i,
               [&](const auto& J) TARSUS_LAMBDA { ws.articulated[m.node[i].parent] += to_parent(J, ws.articulated[i]); });
  }
}

// Solves I_0 x = -held for the base, with I_0 the inertia of the whole robot along the base's axes; x in and out.
template <class T>
TARSUS_INLINE void accelerate_base(const Model& m, Workspace<T>& ws, const T* q, T* x) {
  const Node& base = m.node[0];
  visit_node(m, ws, q, 0, [&](const auto& J) TARSUS_LAMBDA {
    using V = std::remove_cvref_t<decltype(J)>;
    T block[V::dof * V::dof];
    for (int k = 0; k < V::dof; ++k) x[k] = -x[k];
    orient<V>(base.sign, x);
    for_axes<V>([&]<int axis>(int c) TARSUS_LAMBDA {
      T column_of[V::dof];
      joint_force(J, inertia_column<axis>(J, ws.articulated[0]), column_of);
      for (int r = 0; r < V::dof; ++r) block[r * V::dof + c] = column_of[r];
      block[c * V::dof + c] = block[c * V::dof + c] + m.armature[c];
    });
    cholesky_solve(V::dof, block, x);
    ws.motion[0] = {zero3<T>(), zero3<T>(), zero3<T>()};
    for_axes<V>([&]<int axis>(int k) TARSUS_LAMBDA { add_along<axis>(J, x[k], ws.motion[0].a, ws.motion[0].dw); });
    orient<V>(base.sign, x);
  });
}

// Adds I~ x, the forces at the joints that the acceleration of the base in ws.motion[0] asks for.
template <class T>
TARSUS_INLINE void add_base_forces(const Model& m, Workspace<T>& ws, const T* q, T* tau) {
  for (int i = 1; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    const Motion<T>& parent = ws.motion[n.parent];
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      const Vec3<T> dw = to_child(J.R, parent.dw), a = to_child(J.R, parent.a + cross(parent.dw, J.p));
      ws.motion[i].dw = dw, ws.motion[i].a = a;
      const Articulated<T>& I = ws.articulated[i];
      const Wrench<T> F{I.C * a + dw.x * I.Bx + dw.y * I.By + dw.z * I.Bz,
                        I.A * dw + Vec3<T>{dot(I.Bx, a), dot(I.By, a), dot(I.Bz, a)}};
      T force[V::dof];
      joint_force(J, F, force);
      orient<V>(n.sign, force);
      for (int k = 0; k < V::dof; ++k) tau[n.v + k] = tau[n.v + k] + force[k];
    });
  }
}

// Whether the robot as one rigid body has no inertia along one of the base's axes.
inline bool no_base_inertia(const Model& m, Workspace<double>& ws, const double* q) {
  double x[6] = {};
  prepare_joints(m, ws, q);
  compose_inertias(m, ws, q);
  accelerate_base(m, ws, q, x);
  bool massless = false;
  for (double e : x) massless = massless || !(e == e);
  return massless;
}

// x.a: accelerations with zeros for the base. Result: the base's acceleration, then the forces of the joints.
template <class T>
TARSUS_KERNEL void floating_inverse_dynamics(const Context<T>& x) {
  const Model& m = x.model;
  inverse_dynamics(m, x.ws, x.q, x.v, x.a, x.external, x.out);  // step 1: -phi~
  if (x.passive) {
    passive_force(m, x.ws, x.q, x.v, x.ws.force2);
    for (int k = 0; k < m.tree_nv; ++k) x.out[k] = x.out[k] - x.ws.force2[k];
  }
  if (m.node[0].dof == 0) return;
  compose_inertias(m, x.ws, x.q);        // step 2: I_0
  accelerate_base(m, x.ws, x.q, x.out);  // step 3: (21)
  add_base_forces(m, x.ws, x.q, x.out);
}

}  // namespace tarsus::TARSUS_ISA
