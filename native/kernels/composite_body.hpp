// Mass matrix by composite bodies (CRBA), Buschmann 2014 section 3.2.4, with second moments about one point so that
// bodies are added without being shifted.
#pragma once
#include "kernels/screws.hpp"

namespace tarsus::TARSUS_ISA {

// Poses relative to a floating base in its own axes: the mass matrix does not depend on where the base is.
template <class T>
TARSUS_INLINE void base_poses(const Model& m, Workspace<T>& ws, const T* q) {
  prepare_joints(m, ws, q);
  ws.pose[0] = m.node[0].arm == kFloat || m.node[0].arm == kPlane ? Placed<T>{identity3<T>(), zero3<T>()} : root_pose(m, ws);
  poses_below_root(m, ws, q);
}

// Mass, first and second moments of the body of node i about the reference point of ws.pose:
// S' = R S R^T + sym(h o^T) + m o o^T.
template <class T>
TARSUS_INLINE Composite<T> body_moments(const Node& n, const Placed<T>& X) {
  const Vec3<T>&a = X.R.a, &b = X.R.b, &c = X.R.c, &o = X.p;
  const Sym3<double> S = sym3(n.second);
  const Vec3<T> h = n.first[0] * a + n.first[1] * b + n.first[2] * c;
  const Vec3<T> x = S.xx * a + S.xy * b + S.xz * c, y = S.xy * a + S.yy * b + S.yz * c, z = S.xz * a + S.yz * b + S.zz * c;
  const Vec3<T> g = h + n.mass * o;
  return {broadcast<T>(n.mass),
          g,
          {a.x * x.x + b.x * y.x + c.x * z.x + h.x * o.x + o.x * g.x, a.y * x.y + b.y * y.y + c.y * z.y + h.y * o.y + o.y * g.y,
           a.z * x.z + b.z * y.z + c.z * z.z + h.z * o.z + o.z * g.z, a.x * x.y + b.x * y.y + c.x * z.y + h.x * o.y + o.x * g.y,
           a.x * x.z + b.x * y.z + c.x * z.z + h.x * o.z + o.x * g.z, a.y * x.z + b.y * y.z + c.y * z.z + h.y * o.z + o.y * g.z}};
}

template <class T>
TARSUS_INLINE void operator+=(Composite<T>& a, const Composite<T>& b) {
  a.mass = a.mass + b.mass;
  a.first += b.first;
  a.second = a.second + b.second;
}

// Momentum (linear, angular about the reference point) of a composite body moving with a twist.
template <class T>
TARSUS_INLINE Screw<T> momentum_of(const Composite<T>& c, const Screw<T>& s) {
  const T trace = c.second.xx + c.second.yy + c.second.zz;  // inertia = trace(S) - S
  return {c.mass * s.linear + cross(s.angular, c.first),
          trace * s.angular - c.second * s.angular + cross(c.first, s.linear)};
}

template <class T>
TARSUS_INLINE T power(const Screw<T>& twist, const Screw<T>& momentum) {
  return dot(twist.linear, momentum.linear) + dot(twist.angular, momentum.angular);
}

// Calls put(row, column, value) for the entries on and above the diagonal of the mass matrix that are not zero for
// structural reasons. Needs base_poses.
template <class T, class Put>
TARSUS_INLINE void composite_body(const Model& m, Workspace<T>& ws, Put put) {
  joint_screws(m, ws);
  for (int i = 0; i < m.nodes; ++i) ws.composite[i] = body_moments(m.node[i], ws.pose[i]);
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    for (int k = 0; k < n.dof; ++k) {
      const int column = n.v + k;
      const Screw<T> F = momentum_of(ws.composite[i], ws.screw[column]);
      put(column, column, power(ws.screw[column], F) + m.armature[column]);
      for (int row = n.v; row < column; ++row) put(row, column, power(ws.screw[row], F));
      for (int j = n.parent; j >= 0; j = m.node[j].parent) {
        const Node& ancestor = m.node[j];
        if (ancestor.arm == kFloat && j == 0) {  // base axes: the momentum itself
          put(0, column, F.linear.x), put(1, column, F.linear.y), put(2, column, F.linear.z);
          put(3, column, F.angular.x), put(4, column, F.angular.y), put(5, column, F.angular.z);
        } else {
          for (int row = ancestor.v; row < ancestor.v + ancestor.dof; ++row) put(row, column, power(ws.screw[row], F));
        }
      }
    }
    if (n.parent >= 0) ws.composite[n.parent] += ws.composite[i];
  }
}

// Whole matrix, both triangles, row-major (tree_nv x tree_nv); entries between unrelated branches must be zero before.
template <class T>
inline void mass_matrix(const Model& m, Workspace<T>& ws, const T* q, T* M) {
  const int n = m.tree_nv;
  base_poses(m, ws, q);
  composite_body(m, ws, [=](int row, int column, const T& x) TARSUS_LAMBDA {
    M[row * n + column] = x;
    M[column * n + row] = x;
  });
}

}  // namespace tarsus::TARSUS_ISA
