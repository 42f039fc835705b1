// Recursive Newton-Euler: inverse dynamics in O(n), Buschmann 2014 (3.23) evaluated recursively.
#pragma once
#include "kernels/dynamics/sliding_armature.hpp"
#include "kernels/kinematics/joints.hpp"
#include "kernels/kinematics/poses.hpp"

namespace tarsus::TARSUS_ISA {

// Forward sweep: motions and the wrenches they need. Without kVdot the acceleration vdot is zero; a gyrostat leaves out rotors;
// joints may be `prepared` already.
template <bool kVdot, class T>
TARSUS_SWEEP void sweep(const Model& m, Workspace<T>& ws, const T* q, const T* v, const T* vdot, bool gyrostat = false,
                        bool prepared = false) {
  if (!prepared) prepare_joints(m, ws, q);
  const Vec3<double> g = vec3(m.gravity);
  const Vec3<T> up = widen<T>(Vec3<double>{-g.x, -g.y, -g.z});
  const Motion<T> world{zero3<T>(), zero3<T>(), up};
  const Node& root = m.node[0];
  if (is_fixed(root)) {
    ws.motion[0] = world;
    ws.wrench[0] = {zero3<T>(), zero3<T>()};
  } else if (is_floating(root)) {  // the carry step with a parent at rest
    const Vec3<T> w{v[3], v[4], v[5]};
    Motion<T> motion{w, zero3<T>(), cross(w, Vec3<T>{v[0], v[1], v[2]}) + to_child(ws.placed[root.slot].R, up)};
    if constexpr (kVdot) {
      motion.dw = {vdot[3], vdot[4], vdot[5]};
      motion.a += Vec3<T>{vdot[0], vdot[1], vdot[2]};
    }
    ws.motion[0] = motion;
    ws.wrench[0] = with_body(m, ws.bodies, 0, [&](const auto& b) TARSUS_LAMBDA { return body_wrench(b, motion); });
  }
  for (int i = is_fixed(root) || is_floating(root) ? 1 : 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    if (gyrostat && n.rotor) continue;
    const Motion<T>& parent = n.parent < 0 ? world : ws.motion[n.parent];
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      T rate[V::dof], accel[V::dof];
      load_rates<V>(n, v, rate);
      if constexpr (kVdot) load_rates<V>(n, vdot, accel);
      ws.motion[i] = carry<kVdot>(J, parent, rate, accel);
    });
    ws.wrench[i] = with_body(m, ws.bodies, i, [&](const auto& b) TARSUS_LAMBDA { return body_wrench(b, ws.motion[i]); });
  }
  if (m.sliding_armatures > 0) add_sliding_wrenches(m, ws, q, v, 1.0);
}
TARSUS_COMPILED_ONCE void sweep<false>(const Model&, Workspace<double>&, const double*, const double*, const double*, bool, bool);
TARSUS_COMPILED_ONCE void sweep<false>(const Model&, Workspace<Pack>&, const Pack*, const Pack*, const Pack*, bool, bool);
TARSUS_COMPILED_ONCE void sweep<true>(const Model&, Workspace<double>&, const double*, const double*, const double*, bool, bool);
TARSUS_COMPILED_ONCE void sweep<true>(const Model&, Workspace<Pack>&, const Pack*, const Pack*, const Pack*, bool, bool);

// External wrenches on the bodies, at their origins in world axes, taken off the wrenches that the motion needs.
template <class T>
TARSUS_SWEEP void subtract_external(const Model& m, Workspace<T>& ws, const T* q, const T* external) {
  world_poses(m, ws, q);
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    if (n.body < 0) continue;
    const T* e = external + 6 * n.body;
    const Vec3<T> f = to_child(ws.pose[i].R, Vec3<T>{e[0], e[1], e[2]});
    const Vec3<T> moment = to_child(ws.pose[i].R, Vec3<T>{e[3], e[4], e[5]}) + cross(vec3(n.body_position), f);
    ws.wrench[i].f = ws.wrench[i].f - f;
    ws.wrench[i].n = ws.wrench[i].n - moment;
  }
}
TARSUS_COMPILED_ONCE void subtract_external(const Model&, Workspace<double>&, const double*, const double*);
TARSUS_COMPILED_ONCE void subtract_external(const Model&, Workspace<Pack>&, const Pack*, const Pack*);

// Backward sweep: wrenches gathered from the leaves to the root, projected onto the joints.
template <class T>
TARSUS_SWEEP void gather_forces(const Model& m, Workspace<T>& ws, const T* q, T* tau) {
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      T force[V::dof];
      joint_force(J, ws.wrench[i], force);
      orient<V>(n.sign, force);
      for (int k = 0; k < V::dof; ++k) tau[n.v + k] = force[k];
      if (n.parent >= 0 && !n.grounded) ws.wrench[n.parent] += to_parent(J, ws.wrench[i]);
    });
  }
}

TARSUS_COMPILED_ONCE void gather_forces(const Model&, Workspace<double>&, const double*, double*);
TARSUS_COMPILED_ONCE void gather_forces(const Model&, Workspace<Pack>&, const Pack*, Pack*);

template <class T>
TARSUS_INLINE void add_armature(const Model& m, const T* vdot, T* tau) {
  for (int k = 0; k < m.tree_nv; ++k) tau[k] = tau[k] + m.armature[k] * vdot[k];
}

template <class T>
TARSUS_KERNEL void inverse_dynamics(const Model& m, Workspace<T>& ws, const T* q, const T* v, const T* vdot, const T* external,
                                    T* tau) {
  sweep<true>(m, ws, q, v, vdot);
  if (external) subtract_external(m, ws, q, external);
  gather_forces(m, ws, q, tau);
  add_armature(m, vdot, tau);
}

template <class T>
TARSUS_KERNEL void bias_force(const Model& m, Workspace<T>& ws, const T* q, const T* v, const T* external, T* tau) {
  sweep<false>(m, ws, q, v, static_cast<const T*>(nullptr));
  if (external) subtract_external(m, ws, q, external);
  gather_forces(m, ws, q, tau);
}

}  // namespace tarsus::TARSUS_ISA
