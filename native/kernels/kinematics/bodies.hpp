// Poses and Jacobians of all bodies; a body's Jacobian has columns for its predecessors only, Buschmann 2014 (2.87).
#pragma once
#include "kernels/kinematics/frames.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE Placed<T> body_on(const Placed<T>& X, const Node& n) {
  const Columns<double, double> R{vec3(n.body_rotation), vec3(n.body_rotation + 3), vec3(n.body_rotation + 6)};
  return {compose(X.R, R), X.p + n.body_position[0] * X.R.a + n.body_position[1] * X.R.b + n.body_position[2] * X.R.c};
}

template <class T>
TARSUS_KERNEL void body_poses(const Context<T>& x) {
  prepare_joints(x.model, x.ws, x.q);
  world_poses(x.model, x.ws, x.q);
  for (int i = 0; i < x.model.nodes; ++i) {
    const Node& n = x.model.node[i];
    if (n.body >= 0) write_pose(x.out + 16 * n.body, body_on(x.ws.pose[i], n));
  }
}

// Screws of all joints at the world origin, (6, tree_nv).
template <class T>
TARSUS_KERNEL void screws_at_origin(const Context<T>& x) {
  const Model& m = x.model;
  prepare_joints(m, x.ws, x.q);
  x.ws.pose[0] = root_pose(m, x.ws);
  for (int i = 0; i < m.nodes; ++i) {
    if (i > 0) pose_step(m, x.ws, x.q, i, x.ws.pose[m.node[i].parent]);
    for_screws(m.node[i], x.ws.pose[i], [&](int k, const Screw<T>& s) TARSUS_LAMBDA { write_column(x.out, m.tree_nv, k, s); });
  }
}

// Jacobians of all bodies, origin at the body, world axes, (bodies, 6, tree_nv); other entries must be zero before.
template <class T>
TARSUS_KERNEL void body_jacobians(const Context<T>& x) {
  const Model& m = x.model;
  rooted_poses(m, x.ws, x.q);
  joint_screws(m, x.ws);
  for (int i = 0; i < m.nodes; ++i) {
    if (m.node[i].body < 0) continue;
    const Vec3<T> p = body_on(x.ws.pose[i], m.node[i]).p;
    T* J = x.out + (size_t)6 * m.tree_nv * m.node[i].body;
    for (int j = i; j >= 0; j = m.node[j].parent) {
      for (int k = m.node[j].v; k < m.node[j].v + m.node[j].dof; ++k) {
        const Screw<T>& s = x.ws.screw[k];
        write_column(J, m.tree_nv, k, Screw<T>{s.linear + cross(s.angular, p), s.angular});
      }
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
