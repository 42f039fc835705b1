// Decoupled natural orthogonal complement (DeNOC), Shah, Saha and Dutt: twists t = N_l N_d v of all links and the generalised
// forces N_d^T N_l^T w of wrenches on them, both as recursions. Twists and wrenches are taken at the origins O_i of the links in
// world axes, so that passing from a link to its parent is a shift by a_i = O_i - O_parent (7b) without rotation.
//
// Step 1 of the paper's algorithms leaves out the weights: here they are counted with the other wrenches.
#pragma once
#include "kernels/dynamics/newton_euler.hpp"
#include "kernels/kinematics/screws.hpp"
#include "nodes/articulated.hpp"

namespace tarsus::TARSUS_ISA {

// a_i of (7b).
template <class T>
TARSUS_INLINE Vec3<T> offset_of(const Workspace<T>& ws, const Node& n, int i) {
  return ws.pose[i].p - ws.pose[n.parent].p;
}

// Twist rate of link i from its parent's: (5) and (7a) differentiated, with the columns of P_i in ws.screw.
template <bool kVdot, class T>
TARSUS_INLINE Motion<T> link_motion(const Workspace<T>& ws, const Node& n, const Motion<T>& parent, const Vec3<T>& a, const T* v,
                                    const T* vdot) {
  Motion<T> motion{parent.w, parent.dw, parent.a + cross(parent.dw, a) + cross(parent.w, cross(parent.w, a))};
  Vec3<T> w = zero3<T>(), velocity = zero3<T>();  // relative to the parent
  for (int k = n.v; k < n.v + n.dof; ++k) {
    w += v[k] * ws.screw[k].angular;
    if (!is_turn(n.arm)) velocity += v[k] * ws.screw[k].linear;
    if constexpr (kVdot) {
      motion.dw += vdot[k] * ws.screw[k].angular;
      if (!is_turn(n.arm)) motion.a += vdot[k] * ws.screw[k].linear;
    }
  }
  motion.w += w;
  motion.dw += cross(parent.w, w);
  if (!is_turn(n.arm)) motion.a += cross(2.0 * parent.w + w, velocity);
  return motion;
}

// The extended mass matrix M_i of (1b) about O_i in world axes.
template <class T>
struct ExtendedMass {
  Sym3<T> I;
  Vec3<T> md;  // mass times vector from O_i to the centre of mass
};
template <class T>
TARSUS_INLINE ExtendedMass<T> extended_mass(const Node& n, const Mat3<T>& R) {
  const Constants<double>& b = constants(n);
  return {congruence(R, widen<T>(b.inertia)), b.first.x * R.a + b.first.y * R.b + b.first.z * R.c};
}

// M_i dt_i/dt + Omega_i M_i E_i t_i - w_i^G: what the motion of link i needs beyond its weight (1a).
template <class T>
TARSUS_INLINE Wrench<T> needed_wrench(const Node& n, const ExtendedMass<T>& M, const Motion<T>& t, const Vec3<double>& gravity) {
  const Vec3<T> a = t.a - gravity;
  return {n.mass * a + cross(t.dw, M.md) + cross(t.w, cross(t.w, M.md)), M.I * t.dw + cross(t.w, M.I * t.w) + cross(M.md, a)};
}

// Wrench on body `n.body`, given at the body's origin, at O_i.
template <class T>
TARSUS_INLINE Wrench<T> wrench_at_link(const Node& n, const Mat3<T>& R, const T* external) {
  const T* e = external + 6 * n.body;
  const Vec3<T> f{e[0], e[1], e[2]};
  return {f, Vec3<T>{e[3], e[4], e[5]} + cross(to_parent(R, widen<T>(vec3(n.body_position))), f)};
}

// Step 1: from the root outwards, poses, P_i (into ws.screw), twist rates (ws.motion) and the wrenches that all this needs less
// those that are there (ws.wrench). Calls weigh(i, M_i).
template <bool kVdot, class T, class Weigh>
TARSUS_INLINE void denoc_sweep(const Context<T>& x, Weigh weigh) {
  const Model& m = x.model;
  Workspace<T>& ws = x.ws;
  const Vec3<double> gravity = vec3(m.gravity);
  const Motion<T> still{zero3<T>(), zero3<T>(), zero3<T>()};
  prepare_joints(m, ws, x.q);
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    if (i == 0) ws.pose[0] = {root_pose(m, ws).R, zero3<T>()};  // nothing depends on where the root is
    if (i > 0) pose_step(m, ws, x.q, i, ws.pose[n.parent]);
    const Mat3<T>& R = ws.pose[i].R;
    for_screws(n, Placed<T>{R, zero3<T>()}, [&](int k, const Screw<T>& s) TARSUS_LAMBDA { ws.screw[k] = s; });
    const Vec3<T> a = i == 0 ? zero3<T>() : offset_of(ws, n, i);
    ws.motion[i] = link_motion<kVdot>(ws, n, i == 0 ? still : ws.motion[n.parent], a, x.v, x.a);
    const ExtendedMass<T> M = extended_mass(n, R);
    weigh(i, M);
    Wrench<T> w = needed_wrench(n, M, ws.motion[i], gravity);
    if (x.external && n.body >= 0) {
      const Wrench<T> e = wrench_at_link(n, R, x.external);
      w.f = w.f - e.f, w.n = w.n - e.n;
    }
    ws.wrench[i] = w;
  }
}

template <class T>
TARSUS_INLINE T along(const Screw<T>& p, const Wrench<T>& w, bool turns) {
  return turns ? dot(p.angular, w.n) : dot(p.linear, w.f) + dot(p.angular, w.n);
}

// A^T w (7b): a wrench at O_i, shifted to the origin of the parent.
template <class T>
TARSUS_INLINE Wrench<T> shifted(const Wrench<T>& w, const Vec3<T>& a) {
  return {w.f, w.n + cross(a, w.f)};
}

// N_d^T N_l^T w, from the leaves to the root; ws.wrench becomes N_l^T w.
template <class T>
TARSUS_INLINE void project_wrenches(const Model& m, Workspace<T>& ws, T* force) {
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    const Wrench<T>& w = ws.wrench[i];
    for (int k = n.v; k < n.v + n.dof; ++k) force[k] = along(ws.screw[k], w, is_turn(n.arm));
    if (n.parent >= 0 && !n.grounded) ws.wrench[n.parent] += shifted(w, offset_of(ws, n, i));
  }
}

// Inverse dynamics (13): tau = N^T (M dt/dt + Omega M E t - w^G - w^F), and the rotors.
template <class T>
TARSUS_KERNEL void inverse_denoc(const Context<T>& x) {
  denoc_sweep<true>(x, [](int, const ExtendedMass<T>&) TARSUS_LAMBDA {});
  project_wrenches(x.model, x.ws, x.out);
  add_armature(x.model, x.a, x.out);
  add_sliding_drift(x.model, x.v, 1.0, x.out);
}

}  // namespace tarsus::TARSUS_ISA
