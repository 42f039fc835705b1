// Armature of joints that slide and turn, free and planar ones. Their velocity v along the slides has the axes of the moving
// body, so that an inertia a against the acceleration of the joint's origin relative to the parent takes a (dv/dt + omega x v),
// from Lagrange's equations of a |v|^2 / 2. Its first part is the armature on the diagonal of the mass matrix; this is the
// second one, the drift. Armature is the same along all slides of a joint.
#pragma once
#include "kernels/kinematics/joints.hpp"

namespace tarsus::TARSUS_ISA {

// a omega x v in the axes of the node; v is that of the tree.
template <class T>
TARSUS_INLINE Vec3<T> sliding_drift(const SlidingArmature& s, const T* v) {
  const T *u = v + s.v, zero = broadcast<T>(0.0);
  if (s.flat) {
    const T turn = (s.mass * s.sign) * u[2];
    return {-(turn * u[1]), turn * u[0], zero};
  }
  return s.mass * cross(Vec3<T>{u[3], u[4], u[5]}, Vec3<T>{u[0], u[1], u[2]});
}

// Adds `times` the drift to forces of the joints (tree_nv).
template <class T>
inline void add_sliding_drift(const Model& m, const T* v, double times, T* tau) {
  for (int k = 0; k < m.sliding_armatures; ++k) {
    const SlidingArmature& s = m.sliding_armature[k];
    const Vec3<T> f = times * sliding_drift(s, v);
    T* to = tau + s.v;
    to[0] = to[0] + f.x, to[1] = to[1] + f.y;
    if (!s.flat) to[2] = to[2] + f.z;
  }
}

// The same as wrenches on the nodes, in ws.wrench: on the one that moves, and back on its parent. Joints must be prepared.
template <class T>
TARSUS_SWEEP void add_sliding_wrenches(const Model& m, Workspace<T>& ws, const T* q, const T* v, double times) {
  for (int k = 0; k < m.sliding_armatures; ++k) {
    const SlidingArmature& s = m.sliding_armature[k];
    const Node& n = m.node[s.node];
    const Vec3<T> f = times * sliding_drift(s, v);
    ws.wrench[s.node].f += f;
    if (n.parent < 0 || n.grounded) continue;
    visit_node(m, ws, q, s.node,
               [&](const auto& J) TARSUS_LAMBDA { ws.wrench[n.parent] += to_parent(J, Wrench<T>{-f, zero3<T>()}); });
  }
}
TARSUS_COMPILED_ONCE void add_sliding_wrenches(const Model&, Workspace<double>&, const double*, const double*, double);
TARSUS_COMPILED_ONCE void add_sliding_wrenches(const Model&, Workspace<Pack>&, const Pack*, const Pack*, double);

// Adds the derivatives of the drift by v to a matrix (tree_nv, tree_nv): a [omega] along the slides, and behind them, where it
// is asked for, those by the angular velocity. Without the latter the result is a part of the Coriolis matrix: its product with
// v is the drift, and it is skew-symmetric.
template <class T>
inline void add_sliding_slopes(const Model& m, const T* v, bool by_turning, T* matrix) {
  const size_t n = m.tree_nv;
  for (int k = 0; k < m.sliding_armatures; ++k) {
    const SlidingArmature& s = m.sliding_armature[k];
    const T* u = v + s.v;
    T* block = matrix + s.v * n + s.v;
    auto add = [&](int row, int column, const T& x) { block[row * n + column] = block[row * n + column] + x; };
    auto add_skew = [&](int column, const Vec3<T>& w) {  // [w] at rows 0 to 2
      add(0, column + 1, -w.z), add(0, column + 2, w.y), add(1, column, w.z);
      add(1, column + 2, -w.x), add(2, column, -w.y), add(2, column + 1, w.x);
    };
    const double a = s.mass * s.sign;
    if (s.flat) {
      add(0, 1, -(a * u[2])), add(1, 0, a * u[2]);
      if (by_turning) add(0, 2, -(a * u[1])), add(1, 2, a * u[0]);
    } else {
      add_skew(0, a * Vec3<T>{u[3], u[4], u[5]});
      if (by_turning) add_skew(3, -(a * Vec3<T>{u[0], u[1], u[2]}));
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
