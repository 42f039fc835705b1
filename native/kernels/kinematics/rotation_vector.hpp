// Rotation vector of a rotation matrix.
#pragma once
#include "kernels/constraints/constraint_scalars.hpp"
#include "kernels/kinematics/manifold.hpp"
#include "math/arctangent.hpp"

namespace tarsus::TARSUS_ISA {

// Four times the products of a quaternion's largest entry with all of them, the scalar first: a multiple of the quaternion that
// has no small divisor.
template <class T>
struct ScaledQuaternion {
  T w;
  Vec3<T> v;
};
template <class T>
TARSUS_INLINE ScaledQuaternion<T> scaled_quaternion(const Mat3<T>& R) {
  const T trace = R.a.x + R.b.y + R.c.z;
  const T squares[4] = {1.0 + trace, 1.0 + 2.0 * R.a.x - trace, 1.0 + 2.0 * R.b.y - trace, 1.0 + 2.0 * R.c.z - trace};
  const T wx = R.b.z - R.c.y, wy = R.c.x - R.a.z, wz = R.a.y - R.b.x;
  const T xy = R.a.y + R.b.x, xz = R.a.z + R.c.x, yz = R.b.z + R.c.y;
  const ScaledQuaternion<T> of[4] = {
      {squares[0], {wx, wy, wz}}, {wx, {squares[1], xy, xz}}, {wy, {xy, squares[2], yz}}, {wz, {xz, yz, squares[3]}}};
  ScaledQuaternion<T> q = of[0];
  T largest = squares[0];
  TARSUS_UNROLL
  for (int k = 1; k < 4; ++k) {
    const auto more = less<T>(largest, squares[k]);
    q.w = select<T>(more, of[k].w, q.w), q.v = select3<T>(more, of[k].v, q.v), largest = larger<T>(largest, squares[k]);
  }
  return q;
}

// Of length at most pi.
template <class T>
inline Vec3<T> rotation_vector(const Mat3<T>& R) {
  if constexpr (lanes<T> == 1) {
    const Quaternion<T> h = relative_quaternion(R);
    const T q[4] = {h.h0, h.h.x, h.h.y, h.h.z};
    return quaternion_log(static_cast<const T*>(q));
  } else {
    const ScaledQuaternion<T> q = scaled_quaternion(R);
    const T s = length(q.v), c = magnitude<T>(q.w);
    const auto tiny = less<T>(s, 1e-8 * c);
    const T k = select<T>(tiny, 2.0 / c, 2.0 * first_quadrant_angle<T>(s, c) / s);
    return select<T>(less<T>(q.w, broadcast<T>(0.0)), -k, k) * q.v;
  }
}

}  // namespace tarsus::TARSUS_ISA
