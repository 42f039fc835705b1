// Unit twists of all degrees of freedom at one reference point: the columns of every Jacobian of the tree.
#pragma once
#include "kernels/poses.hpp"

namespace tarsus::TARSUS_ISA {

// Twists of the joint of node i at the point that ws.pose positions refer to, in the axes of ws.pose.
template <class T>
TARSUS_INLINE void joint_screws_of(const Model& m, Workspace<T>& ws, int i) {
  const Node& n = m.node[i];
  const Placed<T>& X = ws.pose[i];
  Screw<T>* screw = ws.screw + n.v;
  auto slide = [&](const Vec3<T>& axis) TARSUS_LAMBDA { return Screw<T>{axis, zero3<T>()}; };
  auto turn = [&](const Vec3<T>& axis) TARSUS_LAMBDA { return Screw<T>{cross(X.p, axis), axis}; };
  switch (n.arm) {
    case kRoot: break;
    case kSlide: screw[0] = slide(n.sign * X.R.c); break;
    case kBall: screw[0] = turn(X.R.a), screw[1] = turn(X.R.b), screw[2] = turn(X.R.c); break;
    case kPlane: screw[0] = slide(X.R.a), screw[1] = slide(X.R.b), screw[2] = turn(n.sign * X.R.c); break;
    case kFloat:
      screw[0] = slide(X.R.a), screw[1] = slide(X.R.b), screw[2] = slide(X.R.c);
      screw[3] = turn(X.R.a), screw[4] = turn(X.R.b), screw[5] = turn(X.R.c);
      break;
    default: {
      const Vec3<T> axis = n.sign * X.R.c;
      screw[0] = turn(axis);
      if (n.arm == kScrew) screw[0].linear += n.pitch * axis;
    }
  }
}

template <class T>
TARSUS_INLINE void joint_screws(const Model& m, Workspace<T>& ws) {
  for (int i = 0; i < m.nodes; ++i) joint_screws_of(m, ws, i);
}

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
