// Mass matrix, bias and the motion of all nodes at vdot = 0 in one pass outwards and one inwards, everything about the root and
// in world axes: nothing is turned from node to node, and what tasks and contacts need is there, too.
#pragma once
#include "kernels/dynamics/momentum.hpp"

namespace tarsus::TARSUS_ISA {

// Memory of the two passes beside the workspace: nodes each.
template <class T>
struct MotionMemory {
  Screw<T>* acceleration;  // spatial, at vdot = 0, without gravity <- motion_terms -> tasks, contacts
  Screw<T>* force;         // that the motion needs, of a node and all behind it <- motion_terms
};

// Rate of a momentum that moves with twist V: V x* h.
template <class T>
TARSUS_INLINE Screw<T> momentum_rate(const Screw<T>& V, const Screw<T>& h) {
  return {cross(V.angular, h.linear), cross(V.angular, h.angular) + cross(V.linear, h.linear)};
}

// M (tree_nv x tree_nv, zero between unrelated branches before) and h (tree_nv). `bias` are accelerations that dependent joints
// have at vdot = 0, null where there are none. Leaves poses, screws, twists, composite bodies and the momentum of what each joint
// moves (screw_rate) in the workspace.
template <class T>
TARSUS_KERNEL void motion_terms(const Model& m, Workspace<T>& ws, const MotionMemory<T>& s, const T* q, const T* v, const T* bias,
                                T* M, T* h) {
  const Screw<T> none{zero3<T>(), zero3<T>()};
  const Vec3<double> g = vec3(m.gravity);
  rooted_poses(m, ws, q);
  joint_screws(m, ws);
  // Outwards: twists, accelerations, and the forces that bodies need for them.
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    Screw<T> own = none, V = n.parent < 0 ? none : ws.twist[n.parent], A = n.parent < 0 ? none : s.acceleration[n.parent];
    for (int k = n.v; k < n.v + n.dof; ++k) {
      own += v[k] * ws.screw[k];
      if (bias) A += bias[k] * ws.screw[k];
    }
    V += own, A += carried_rate(V, own);
    ws.twist[i] = V, s.acceleration[i] = A;
    const Composite<T> body = body_moments(constants(n), ws.pose[i]);
    ws.composite[i] = body;
    const Screw<T> felt{A.linear - g, A.angular};
    s.force[i] = momentum_of(body, felt);
    s.force[i] += momentum_rate(V, momentum_of(body, V));
  }
  // Inwards: composite bodies.
  const int nv = m.tree_nv;
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    for (int k = n.v; k < n.v + n.dof; ++k) {
      const Screw<T> F = momentum_of(ws.composite[i], ws.screw[k]);
      ws.screw_rate[k] = F;
      M[(size_t)k * nv + k] = power(ws.screw[k], F) + m.armature[k];
      for (int row = m.dof_parent[k]; row >= 0; row = m.dof_parent[row]) {
        const T x = power(ws.screw[row], F);
        M[(size_t)row * nv + k] = x, M[(size_t)k * nv + row] = x;
      }
      h[k] = power(ws.screw[k], s.force[i]);
      if (bias) h[k] = h[k] + m.armature[k] * bias[k];
    }
    if (n.parent < 0) continue;
    ws.composite[n.parent] += ws.composite[i], s.force[n.parent] += s.force[i];
  }
}

// Velocity and acceleration at vdot = 0 of the centre of mass, after `motion_terms`.
template <class T>
struct PointRate {
  Vec3<T> velocity, acceleration;
};
template <class T>
inline PointRate<T> center_rate(const Model& m, const Workspace<T>& ws, const MotionMemory<T>& s, const T* v) {
  const double share = 1.0 / m.total_mass;
  Vec3<T> sum = zero3<T>();
  for (int k = 0; k < m.tree_nv; ++k) sum += v[k] * ws.screw_rate[k].linear;
  return {share * sum, share * (s.force[0].linear + ws.composite[0].mass * widen<T>(vec3(m.gravity)))};
}

// The same of a point p that is fixed to a node.
template <class T>
TARSUS_INLINE PointRate<T> point_rate(const Screw<T>& V, const Screw<T>& A, const Vec3<T>& p) {
  const Vec3<T> u = V.linear + cross(V.angular, p);
  return {u, A.linear + cross(A.angular, p) + cross(V.angular, u)};
}

}  // namespace tarsus::TARSUS_ISA
