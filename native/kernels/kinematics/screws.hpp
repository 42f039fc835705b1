// Unit twists of all degrees of freedom at one reference point: the columns of every Jacobian of the tree.
#pragma once
#include "kernels/kinematics/poses.hpp"

namespace tarsus::TARSUS_ISA {

// Calls emit(k, twist) for the degrees of freedom of node n with pose X: twists at the point that positions refer to, in the
// axes that X is given in.
template <class T, class Emit>
TARSUS_INLINE void for_screws(const Node& n, const Placed<T>& X, Emit emit) {
  auto slide = [&](const Vec3<T>& axis) TARSUS_LAMBDA { return Screw<T>{axis, zero3<T>()}; };
  auto turn = [&](const Vec3<T>& axis) TARSUS_LAMBDA { return Screw<T>{cross(X.p, axis), axis}; };
  auto step = [&]<int arm>() TARSUS_LAMBDA {
    for_axes<ArmOnly<arm>>([&]<int direction>(int k) TARSUS_LAMBDA {
      Vec3<T> axis = direction % 3 == 0 ? X.R.a : direction % 3 == 1 ? X.R.b : X.R.c;
      if (kArm[arm].signed_dof == k) axis = n.sign * axis;
      Screw<T> s = direction < kAboutX ? slide(axis) : turn(axis);
      if constexpr (has_angle(arm) && has_advance(arm)) s.linear += n.pitch * axis;
      emit(n.v + k, s);
    });
  };
  if (is_turn(n.arm)) return step.template operator()<kTurnGeneral>();  // all turns are alike here
  with_rare_arm(n.arm, step);
}

// The same into ws.screw, from the pose in ws.pose.
template <class T>
TARSUS_INLINE void joint_screws_of(const Model& m, Workspace<T>& ws, int i) {
  for_screws(m.node[i], ws.pose[i], [&](int k, const Screw<T>& s) TARSUS_LAMBDA { ws.screw[k] = s; });
}

template <class T>
TARSUS_SWEEP void joint_screws(const Model& m, Workspace<T>& ws) {
  for (int i = 0; i < m.nodes; ++i) joint_screws_of(m, ws, i);
}
TARSUS_COMPILED_ONCE void joint_screws(const Model&, Workspace<double>&);
TARSUS_COMPILED_ONCE void joint_screws(const Model&, Workspace<Pack>&);

// The same twists with the reference point moved by -shift (from the root to the world origin: shift = root position).
template <class T>
TARSUS_INLINE Screw<T> moved(const Screw<T>& s, const Vec3<T>& shift) {
  return {s.linear + cross(shift, s.angular), s.angular};
}

template <class T>
TARSUS_INLINE void write_column(T* out, int columns, int column, const Screw<T>& s) {
  out[0 * columns + column] = s.linear.x, out[1 * columns + column] = s.linear.y, out[2 * columns + column] = s.linear.z;
  out[3 * columns + column] = s.angular.x, out[4 * columns + column] = s.angular.y, out[5 * columns + column] = s.angular.z;
}

template <class T>
TARSUS_INLINE Screw<T> operator*(const T& x, const Screw<T>& s) {
  return {x * s.linear, x * s.angular};
}
template <class T>
TARSUS_INLINE void operator+=(Screw<T>& a, const Screw<T>& b) {
  a.linear += b.linear, a.angular += b.angular;
}

// Rate of a screw that is fixed to a body moving with twist V (same reference point, at rest): V x s.
template <class T>
TARSUS_INLINE Screw<T> carried_rate(const Screw<T>& V, const Screw<T>& s) {
  return {cross(V.angular, s.linear) + cross(V.linear, s.angular), cross(V.angular, s.angular)};
}

}  // namespace tarsus::TARSUS_ISA
