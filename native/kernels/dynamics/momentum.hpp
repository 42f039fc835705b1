// Centre of mass, centroidal momentum and energies from composite bodies.
#pragma once
#include "kernels/dynamics/composite_body.hpp"
#include "kernels/dynamics/newton_euler.hpp"
#include "kernels/kinematics/twists.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE Vec3<T> root_position(const Model& m, const Workspace<T>& ws) {
  return root_pose(m, ws).p;
}

// First moments of the whole robot relative to the root, world axes; nodes must be placed.
template <class T>
TARSUS_INLINE Vec3<T> placed_first_moments(const Model& m, const Workspace<T>& ws) {
  Vec3<T> sum = zero3<T>();
  for (int i = 0; i < m.nodes; ++i) {
    const Placed<T>& X = ws.pose[i];
    sum += with_body(m, ws.bodies, i, [&](const auto& b) TARSUS_LAMBDA {
      return b.first.x * X.R.a + b.first.y * X.R.b + b.first.z * X.R.c + b.mass * X.p;
    });
  }
  return sum;
}
template <class T>
TARSUS_INLINE Vec3<T> first_moments(const Model& m, Workspace<T>& ws, const T* q) {
  rooted_poses(m, ws, q);
  return placed_first_moments(m, ws);
}

template <class T>
TARSUS_KERNEL void center_of_mass(const Context<T>& x) {
  const Vec3<T> h = first_moments(x.model, x.ws, x.q);  // also places the root
  const Vec3<T> c = (1.0 / x.model.total_mass) * h + root_position(x.model, x.ws);
  x.out[0] = c.x, x.out[1] = c.y, x.out[2] = c.z;
}

template <class T>
TARSUS_KERNEL void potential_energy(const Context<T>& x) {
  const Vec3<T> h = first_moments(x.model, x.ws, x.q);  // also places the root
  x.out[0] = -dot(vec3(x.model.gravity), h + total_mass(x.model, x.ws.bodies) * root_position(x.model, x.ws));
}

// Calls f(k, momentum) for every degree of freedom: momentum of what it moves, about the root, per unit rate.
template <class T, class F>
TARSUS_INLINE void momentum_columns(const Model& m, Workspace<T>& ws, const T* q, F f) {
  rooted_poses(m, ws, q);
  joint_screws(m, ws);
  for (int i = 0; i < m.nodes; ++i) {
    ws.composite[i] = with_body(m, ws.bodies, i, [&](const auto& b) TARSUS_LAMBDA { return body_moments(b, ws.pose[i]); });
  }
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    for (int k = n.v; k < n.v + n.dof; ++k) f(k, momentum_of(ws.composite[i], ws.screw[k]));
    if (n.parent >= 0) ws.composite[n.parent] += ws.composite[i];
  }
}

template <class T>
TARSUS_KERNEL void com_jacobian(const Context<T>& x) {
  const int nv = x.model.tree_nv;
  const double inverse = 1.0 / x.model.total_mass;
  momentum_columns(x.model, x.ws, x.q, [&](int k, const Screw<T>& F) TARSUS_LAMBDA {
    x.out[k] = inverse * F.linear.x, x.out[nv + k] = inverse * F.linear.y, x.out[2 * nv + k] = inverse * F.linear.z;
  });
}

template <class T>
TARSUS_INLINE Screw<T> about(const Screw<T>& momentum, const Vec3<T>& point) {
  return {momentum.linear, momentum.angular - cross(point, momentum.linear)};
}

// Columns about the centre of mass, world axes, (6, tree_nv).
template <class T>
TARSUS_KERNEL void momentum_matrix(const Context<T>& x) {
  const int nv = x.model.tree_nv;
  momentum_columns(x.model, x.ws, x.q, [&](int k, const Screw<T>& F) TARSUS_LAMBDA { x.ws.screw_rate[k] = F; });
  const Vec3<T> c = (1.0 / x.model.total_mass) * x.ws.composite[0].first;
  for (int k = 0; k < nv; ++k) write_column(x.out, nv, k, about(x.ws.screw_rate[k], c));
}

template <class T>
TARSUS_KERNEL void momentum(const Context<T>& x) {
  Screw<T> sum{zero3<T>(), zero3<T>()};
  momentum_columns(x.model, x.ws, x.q, [&](int k, const Screw<T>& F) TARSUS_LAMBDA { sum += x.v[k] * F; });
  const Vec3<T> c = (1.0 / total_mass(x.model, x.ws.bodies)) * x.ws.composite[0].first;
  write_column(x.out, 1, 0, about(sum, c));
}

// dA/dt v, Buschmann 2014 (5.86): the wrenches that the motion needs without acceleration (with kBias: with those of dependent
// joints, x.a), without gravity, about the centre of mass.
template <bool kBias, class T>
TARSUS_KERNEL void momentum_dot_v(const Context<T>& x) {
  const Model& m = x.model;
  sweep<kBias>(m, x.ws, x.q, x.v, kBias ? x.a : static_cast<const T*>(nullptr));
  const Vec3<T> c = (1.0 / m.total_mass) * first_moments(m, x.ws, x.q);  // also places the nodes
  const Vec3<double> g = vec3(m.gravity);
  Screw<T> sum{zero3<T>(), zero3<T>()};
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    if (is_fixed(n)) continue;
    const Placed<T>& X = x.ws.pose[i];
    const Vec3<T> f = to_parent(X.R, x.ws.wrench[i].f) + n.mass * g;
    const Vec3<T> first = n.first[0] * X.R.a + n.first[1] * X.R.b + n.first[2] * X.R.c;
    sum.linear += f;
    sum.angular += to_parent(X.R, x.ws.wrench[i].n) + cross(first, widen<T>(g)) + cross(X.p, f);
  }
  write_column(x.out, 1, 0, about(sum, c));
}

// Half of v^T M v, the rotors included.
template <class T>
TARSUS_KERNEL void kinetic_energy(const Context<T>& x) {
  const Model& m = x.model;
  rooted_poses(m, x.ws, x.q);
  joint_screws(m, x.ws);
  const Screw<T> none{zero3<T>(), zero3<T>()};
  T sum = broadcast<T>(0.0);
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    Screw<T>& V = x.ws.twist[i];
    V = twist_step(m, x.ws, i, n.parent < 0 ? none : x.ws.twist[n.parent], x.v);
    if (n.body < 0) continue;
    const Composite<T> c =
        with_body(m, x.ws.bodies, i, [&](const auto& b) TARSUS_LAMBDA { return body_moments(b, x.ws.pose[i]); });
    sum = sum + power(V, momentum_of(c, V));
  }
  for (int k = 0; k < m.tree_nv; ++k) sum = sum + m.armature[k] * x.v[k] * x.v[k];
  x.out[0] = 0.5 * sum;
}

}  // namespace tarsus::TARSUS_ISA
