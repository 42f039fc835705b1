// Derivatives of what passive forces take off inverse dynamics: dampers, springs and weights that are carried. Coulomb friction
// is constant but where a joint is at rest.
#pragma once
#include "kernels/derivatives/derivative_squares.hpp"
#include "kernels/dynamics/momentum.hpp"
#include "kernels/dynamics/passive.hpp"
#include "kernels/kinematics/screws.hpp"

namespace tarsus::TARSUS_ISA {

// Weights u = -mass g with first moments h = sum of mass p over what is behind a joint are carried by tau_k = S_k . W_k with the
// wrench W_k = (mass u; h x u) at a point fixed in space. A change of coordinate j moves what is behind its joint with its screw
// S_j: first moments by mass v_j + w_j x h, and screws at or behind it by S_j x S_k. With k at or behind j's joint, and strictly
// before it:
//   d tau_k / d q_j = (S_j x S_k) . W_k + w_k . ((mass_k v_j + w_j x h_k) x u)   and   w_k . ((mass_j v_j + w_j x h_j) x u)
template <class T>
TARSUS_INLINE void subtract_carried_derivatives(const Context<T>& x, const DerivativeSquares<T>& out) {
  const Model& m = x.model;
  Workspace<T>& ws = x.ws;
  const size_t n = out.n;
  const Vec3<T> u = -widen<T>(vec3(m.gravity));
  rooted_poses(m, ws, x.q);
  joint_screws(m, ws);
  for (int i = 0; i < m.nodes; ++i) {
    const CarriedWeight& c = m.carried[i];
    const Placed<T>& X = ws.pose[i];
    ws.composite[i].mass = broadcast<T>(c.mass);
    ws.composite[i].first = c.first[0] * X.R.a + c.first[1] * X.R.b + c.first[2] * X.R.c + c.mass * X.p;
  }
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& node = m.node[i];
    const T mass = ws.composite[i].mass;
    const Vec3<T> h = ws.composite[i].first, force = mass * u, moment = cross(h, u);
    auto shift = [&](const Screw<T>& s) TARSUS_LAMBDA { return cross(mass * s.linear + cross(s.angular, h), u); };
    for (int k = node.v; k < node.v + node.dof; ++k) {
      const Screw<T>& S = ws.screw[k];
      auto put = [&](int j) TARSUS_LAMBDA {
        const Screw<T> turned = carried_rate(ws.screw[j], S);
        T& entry = out.q[k * n + j];
        entry = entry - dot(turned.linear, force) - dot(turned.angular, moment) - dot(S.angular, shift(ws.screw[j]));
      };
      for (int j = node.v; j < node.v + node.dof; ++j) put(j);
      for (int j = m.dof_parent[node.v]; j >= 0; j = m.dof_parent[j]) {
        put(j);
        T& entry = out.q[j * n + k];
        entry = entry - dot(ws.screw[j].angular, shift(S));
      }
    }
    if (node.parent < 0) continue;
    ws.composite[node.parent].mass = ws.composite[node.parent].mass + mass;
    ws.composite[node.parent].first += h;
  }
}

// d log(R) / dw for R exp(w), the inverse of the right Jacobian: 1 + [t]x / 2 + c [t]x [t]x with the vector t = log(R).
template <class T>
TARSUS_INLINE void add_turn_derivative(const Vec3<T>& t, double stiffness, size_t n, T* block) {
  const T t2 = dot(t, t), c = each_lane<T>(t2, log_coefficient), diagonal = 1.0 - c * t2;
  const T x = stiffness * t.x, y = stiffness * t.y, z = stiffness * t.z, d = stiffness * diagonal;
  const T rows[3][3] = {{d + c * x * t.x, -0.5 * z + c * x * t.y, 0.5 * y + c * x * t.z},
                        {0.5 * z + c * y * t.x, d + c * y * t.y, -0.5 * x + c * y * t.z},
                        {-0.5 * y + c * z * t.x, 0.5 * x + c * z * t.y, d + c * z * t.z}};
  for (size_t r = 0; r < 3; ++r) {
    for (size_t k = 0; k < 3; ++k) block[r * n + k] = block[r * n + k] + rows[r][k];
  }
}

// The place seen from the child, R^T (p - p_rest), moves along with the child and turns against it: [shift]x.
template <class T>
TARSUS_INLINE void add_pull_derivative(const PoseSpring& s, const Vec3<T>& shift, size_t n, T* out) {
  const T x = s.pull * shift.x, y = s.pull * shift.y, z = s.pull * shift.z, o = broadcast<T>(0.0);
  const T rows[3][3] = {{o, -z, y}, {z, o, -x}, {-y, x, o}};
  for (int r = 0; r < 3; ++r) {
    T* row = out + (s.v + r) * n;
    row[s.v + r] = row[s.v + r] + s.pull;
    for (int k = 0; k < 3; ++k) row[s.turn_v + k] = row[s.turn_v + k] + rows[r][k];
  }
}

// Adds the derivatives of -passive over the tree; related entries must be there. Overwrites what the workspace knows of poses.
template <class T>
TARSUS_KERNEL void add_passive_derivatives(const Context<T>& x, const DerivativeSquares<T>& out) {
  const Model& m = x.model;
  const size_t n = out.n;
  for (size_t k = 0; k < n; ++k) {
    out.v[k * (n + 1)] = out.v[k * (n + 1)] + m.damping[k];
    if (m.spring_q[k] >= 0) out.q[k * (n + 1)] = out.q[k * (n + 1)] + m.stiffness[k];
  }
  for (int i = 0; i < m.pose_springs; ++i) {
    const PoseSpring& s = m.pose_spring[i];
    const SpringPose<T> pose = spring_pose(s, x.q);
    add_turn_derivative(pose.turn, s.stiffness, n, out.q + s.turn_v * (n + 1));
    if (s.turn_q != s.q) add_pull_derivative(s, pose.shift, n, out.q);
  }
  if (m.carried) subtract_carried_derivatives(x, out);
}

}  // namespace tarsus::TARSUS_ISA
