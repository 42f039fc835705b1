// Mass matrix by composite bodies (CRBA), Buschmann 2014 section 3.2.4, with second moments about one point so that
// bodies are added without being shifted.
#pragma once
#include "kernels/kinematics/screws.hpp"

namespace tarsus::TARSUS_ISA {

// Mass, first and second moments of a node's body about the reference point of its pose X:
// S' = R S R^T + sym(h o^T) + m o o^T.
template <class T, class Body>
TARSUS_INLINE Composite<T> body_moments(const Body& n, const Placed<T>& X) {
  const Vec3<T>&a = X.R.a, &b = X.R.b, &c = X.R.c, &o = X.p;
  const auto& S = n.second;
  const Vec3<T> h = n.first.x * a + n.first.y * b + n.first.z * c;
  const Vec3<T> x = S.xx * a + S.xy * b + S.xz * c, y = S.xy * a + S.yy * b + S.yz * c, z = S.xz * a + S.yz * b + S.zz * c;
  const Vec3<T> g = h + n.mass * o;
  return {broadcast<T>(0.0) + n.mass,
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

// Momentum (linear, angular about the reference point) of a composite body moving with a twist, or with several at once.
template <class T, class S>
TARSUS_INLINE Screw<S> momentum_of(const Composite<T>& c, const Screw<S>& s) {
  const T trace = c.second.xx + c.second.yy + c.second.zz;  // inertia = trace(S) - S
  return {c.mass * s.linear + cross(s.angular, c.first), trace * s.angular - c.second * s.angular + cross(c.first, s.linear)};
}

template <class A, class B>
TARSUS_INLINE auto power(const Screw<A>& twist, const Screw<B>& momentum) {
  return dot(twist.linear, momentum.linear) + dot(twist.angular, momentum.angular);
}

// The 6 x 6 block of a floating base, whose axes and origin the composite body is given in.
template <class T, class Put>
TARSUS_INLINE void put_floating_block(const Composite<T>& c, const double* rotor, Put put) {
  const Sym3<T>& S = c.second;
  const T o = broadcast<T>(0.0);
  put(0, 0, c.mass + rotor[0]), put(1, 1, c.mass + rotor[1]), put(2, 2, c.mass + rotor[2]);
  put(0, 1, o), put(0, 2, o), put(1, 2, o), put(0, 3, o), put(1, 4, o), put(2, 5, o);
  put(0, 4, c.first.z), put(0, 5, -c.first.y), put(1, 3, -c.first.z), put(1, 5, c.first.x), put(2, 3, c.first.y),
      put(2, 4, -c.first.x);
  put(3, 3, S.yy + S.zz + rotor[3]), put(4, 4, S.xx + S.zz + rotor[4]), put(5, 5, S.xx + S.yy + rotor[5]);
  put(3, 4, -S.xy), put(3, 5, -S.xz), put(4, 5, -S.yz);
}

// Calls put(row, column, value) for the entries on and above the diagonal of the mass matrix that are not zero for
// structural reasons. Joints must be prepared; poses are taken relative to a floating base in its own axes, because the
// mass matrix does not depend on where the base is.
template <class T, class Put>
TARSUS_INLINE void composite_body(const Model& m, Workspace<T>& ws, const T* q, Put put) {
  const bool floating = is_floating(m.node[0]);
  ws.pose[0] = arm_of(m.node[0]).translations > 0 ? Placed<T>{identity3<T>(), zero3<T>()} : root_pose(m, ws);
  ws.composite[0] = body_moments(constants(m.node[0]), ws.pose[0]);
  if (!floating) joint_screws_of(m, ws, 0);
  for (int i = 1; i < m.nodes; ++i) {
    pose_step(m, ws, q, i, ws.pose[m.node[i].parent]);
    joint_screws_of(m, ws, i);
    ws.composite[i] = body_moments(constants(m.node[i]), ws.pose[i]);
  }
  const int last = floating ? 6 : 0;  // rows of a floating base are the momentum itself
  for (int i = m.nodes - 1; i >= (floating ? 1 : 0); --i) {
    const Node& n = m.node[i];
    for (int column = n.v; column < n.v + n.dof; ++column) {
      const Screw<T> F = momentum_of(ws.composite[i], ws.screw[column]);
      put(column, column, power(ws.screw[column], F) + m.armature[column]);
      for (int row = m.dof_parent[column]; row >= last; row = m.dof_parent[row]) put(row, column, power(ws.screw[row], F));
      if (floating) {
        put(0, column, F.linear.x), put(1, column, F.linear.y), put(2, column, F.linear.z);
        put(3, column, F.angular.x), put(4, column, F.angular.y), put(5, column, F.angular.z);
      }
    }
    if (n.parent >= 0) ws.composite[n.parent] += ws.composite[i];
  }
  if (floating) put_floating_block(ws.composite[0], m.armature, put);
}

// Mass matrix, both triangles, row-major (tree_nv x tree_nv); entries between unrelated branches must be zero before.
template <class T>
TARSUS_SWEEP void mass_matrix(const Model& m, Workspace<T>& ws, const T* q, T* M) {
  const int n = m.tree_nv;
  prepare_joints(m, ws, q);
  composite_body(m, ws, q, [=](int row, int column, const T& x) TARSUS_LAMBDA {
    M[row * n + column] = x;
    M[column * n + row] = x;
  });
}
TARSUS_COMPILED_ONCE void mass_matrix(const Model&, Workspace<double>&, const double*, double*);
TARSUS_COMPILED_ONCE void mass_matrix(const Model&, Workspace<Pack>&, const Pack*, Pack*);

}  // namespace tarsus::TARSUS_ISA
