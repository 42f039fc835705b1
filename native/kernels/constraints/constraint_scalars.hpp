// Scalar functions of the motion of frame B seen from frame A that constraints are made of. Each has a value, a gradient on the
// relative twist (u, w) in axes of A, and what its second derivative contains beside the gradient times (du, dw):
//   d/dt value = gradient . (u, w),   d2/dt2 value = gradient . (du, dw) + curvature
// on and off the constraint manifold. With duals for T they tell their derivatives, too (constraint_variations.hpp).
#pragma once
#include <cmath>

#include "kernels/kinematics/joints.hpp"
#include "math/dual.hpp"
#include "model/constraints.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct RelativeMotion {
  Vec3<T> p;     // p_AB
  Mat3<T> R;     // R_AB
  Vec3<T> u, w;  // rate of p_AB; angular velocity of B in A
};

template <class T>
struct Scalar {
  T value, curvature;
  Vec3<T> force, moment;  // gradient on u and on w
};

template <class T>
TARSUS_INLINE T rate_of(const Scalar<T>& s, const RelativeMotion<T>& x) {
  return dot(s.force, x.u) + dot(s.moment, x.w);
}

// Component of p_AB along a direction of A.
template <class T>
TARSUS_INLINE Scalar<T> along(const RelativeMotion<T>& x, const double* a) {
  return {dot(x.p, vec3(a)), broadcast<T>(0.0), widen<T>(vec3(a)), zero3<T>()};
}

// Product a . R b of a direction of A and one of B.
template <class T>
TARSUS_INLINE Scalar<T> cosine(const RelativeMotion<T>& x, const double* a, const double* b) {
  const Vec3<T> Rb = b[0] * x.R.a + b[1] * x.R.b + b[2] * x.R.c, axis = widen<T>(vec3(a));
  return {dot(Rb, axis), dot(cross(x.w, cross(x.w, Rb)), axis), zero3<T>(), cross(Rb, axis)};
}

// Tilt of the axis R n towards t, x sqrt(2 / (1 + c)) with x = t . R n and c = n . R n: 2 sin(angle / 2) in that direction, zero
// only where the axes agree in sense; the plain x would vanish for opposite axes, too.
template <class T>
inline Scalar<T> tilt(const RelativeMotion<T>& x, const double* n, const double* t) {
  static constexpr double least = 1e-12;
  const Scalar<T> along_t = cosine(x, t, n), c = cosine(x, n, n);
  const T above = at_least(T(1.0 + c.value), least);
  const T s = sqrt_of(T(2.0 / above)), ds = -0.5 * s / above, dds = 0.75 * s / (above * above);
  const T t_rate = rate_of(along_t, x), c_rate = rate_of(c, x), xds = along_t.value * ds;
  const T value = unless_below(c.value, -1.0 + least, T(s * along_t.value), 2.0);  // opposite axes are tilted in no direction
  return {value, s * along_t.curvature + xds * c.curvature + 2.0 * ds * c_rate * t_rate + along_t.value * dds * c_rate * c_rate,
          zero3<T>(), s * along_t.moment + xds * c.moment};
}

// Unit quaternion (w, x, y, z) with w >= 0 of one rotation matrix, given by rows; the largest entry is found first.
inline void quaternion_of(const double (&R)[3][3], double* h) {
  const double trace = R[0][0] + R[1][1] + R[2][2];
  int i = 0;
  for (int k = 1; k < 3; ++k) i = R[k][k] > R[i][i] ? k : i;
  if (trace >= R[i][i]) {
    const double s = 2.0 * std::sqrt(1.0 + trace);
    h[0] = 0.25 * s, h[1] = (R[2][1] - R[1][2]) / s, h[2] = (R[0][2] - R[2][0]) / s, h[3] = (R[1][0] - R[0][1]) / s;
    return;
  }
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const double s = 2.0 * std::sqrt(1.0 + R[i][i] - R[j][j] - R[k][k]);
  h[0] = (R[k][j] - R[j][k]) / s;
  h[1 + i] = 0.25 * s, h[1 + j] = (R[j][i] + R[i][j]) / s, h[1 + k] = (R[k][i] + R[i][k]) / s;
  const double sign = h[0] < 0.0 ? -1.0 : 1.0;
  for (int e = 0; e < 4; ++e) h[e] *= sign;
}

// 2 sin(angle / 2) axis of R, zero only where A and B have the same axes: twice the vector part h of the quaternion (h0, h).
// d/dt 2h = h0 w + w x h, and the derivative of that contains -|w|^2 h / 2.
template <class T>
struct Quaternion {
  T h0;
  Vec3<T> h;
};
template <class T>
inline Quaternion<T> relative_quaternion(const Mat3<T>& R) {
  Quaternion<T> q;
  for (int l = 0; l < lanes<T>; ++l) {
    const double rows[3][3] = {{lane(R.a.x, l), lane(R.b.x, l), lane(R.c.x, l)},
                               {lane(R.a.y, l), lane(R.b.y, l), lane(R.c.y, l)},
                               {lane(R.a.z, l), lane(R.b.z, l), lane(R.c.z, l)}};
    double h[4];
    quaternion_of(rows, h);
    set_lane(q.h0, l, h[0]), set_lane(q.h.x, l, h[1]), set_lane(q.h.y, l, h[2]), set_lane(q.h.z, l, h[3]);
  }
  return q;
}
// The same for a rotation that is changed by small turns `by` (a vector for each direction of the dual), from the left.
template <class T, int N>
inline Quaternion<Dual<T, N>> turned_quaternion(const Quaternion<T>& q, const Vec3<T> (&by)[N]) {
  Quaternion<Dual<T, N>> r;
  r.h0.value = q.h0, r.h.x.value = q.h.x, r.h.y.value = q.h.y, r.h.z.value = q.h.z;
  for (int n = 0; n < N; ++n) {
    const Vec3<T> dh = 0.5 * (q.h0 * by[n] + cross(by[n], q.h));
    r.h0.rate[n] = -0.5 * dot(by[n], q.h), r.h.x.rate[n] = dh.x, r.h.y.rate[n] = dh.y, r.h.z.rate[n] = dh.z;
  }
  return r;
}
template <class T>
TARSUS_INLINE Scalar<T> orientation(const RelativeMotion<T>& x, const Quaternion<T>& q, int entry) {
  const T h = entry == 0 ? q.h.x : entry == 1 ? q.h.y : q.h.z;
  const double e[3] = {double(entry == 0), double(entry == 1), double(entry == 2)};
  const Vec3<T> axis = widen<T>(vec3(e));
  return {2.0 * h, -0.5 * dot(x.w, x.w) * h, zero3<T>(), q.h0 * axis + cross(q.h, axis)};
}

// Advance along n less pitch times the angle of the turn about it, on the turn of the thread that is nearest.
template <class T>
inline Scalar<T> thread(const RelativeMotion<T>& x, const PairRow& row) {
  const double *n = row.a, *t1 = row.b, *t2 = row.c, pitch = row.value, per_turn = 6.283185307179586 * pitch;
  const Scalar<T> s1 = cosine(x, t2, t1), s2 = cosine(x, t1, t2), c1 = cosine(x, t1, t1), c2 = cosine(x, t2, t2);
  const T s = s1.value - s2.value, c = c1.value + c2.value, inverse = 1.0 / (s * s + c * c);
  const Vec3<T> ds = s1.moment - s2.moment, dc = c1.moment + c2.moment, turn = inverse * (c * ds - s * dc);
  const T square_rate = 2.0 * (s * dot(ds, x.w) + c * dot(dc, x.w));
  const T curvature =
      (c * (s1.curvature - s2.curvature) - s * (c1.curvature + c2.curvature) - dot(turn, x.w) * square_rate) * inverse;
  const T value = less_periods(T(dot(x.p, vec3(n)) - pitch * angle_of(s, c)), per_turn);
  return {value, -pitch * curvature, widen<T>(vec3(n)), -pitch * turn};
}

constexpr double kNoDirection = 1e-9;  // share of a rod's length, or sine of a wheel's tilt, below which there is no direction

// |p| - length; its second derivative contains the velocity across the rod squared over the distance. `failed` collects lanes in
// which the ends coincide.
template <class T>
inline Scalar<T> distance(const RelativeMotion<T>& x, double length, int& failed) {
  const T d = sqrt_of(dot(x.p, x.p)), inverse = 1.0 / d;
  failed |= lanes_below(d, kNoDirection * length);
  const Vec3<T> direction = inverse * x.p;
  const T rate = dot(direction, x.u);
  return {d - length, (dot(x.u, x.u) - rate * rate) * inverse, direction, zero3<T>()};
}

// Velocity u + w x arm of the material point in contact along one axis of the plane; only the normal row (entry 2) has a
// position level, with the gap as its value.
template <class T>
TARSUS_INLINE Scalar<T> contact(const RelativeMotion<T>& x, const Vec3<T>& arm, const Vec3<T>& arm_rate, const T& gap,
                                int entry) {
  const double e[3] = {double(entry == 0), double(entry == 1), double(entry == 2)};
  const Vec3<T> axis = widen<T>(vec3(e));
  return {entry == 2 ? gap : broadcast<T>(0.0), dot(cross(x.w, arm_rate), axis), axis, cross(arm, axis)};
}
// A sphere touches the plane z = 0 of A below its centre.
template <class T>
TARSUS_INLINE Scalar<T> sphere(const RelativeMotion<T>& x, double radius, int entry) {
  const T o = broadcast<T>(0.0);
  return contact(x, Vec3<T>{o, o, broadcast<T>(-radius)}, zero3<T>(), T(x.p.z - radius), entry);
}
// A thin wheel with the axis a touches it with the lowest point of its rim, at -radius (n - (n.a) a) / |n - (n.a) a|, which moves
// along the rim. `failed` collects lanes in which it lies flat.
template <class T>
inline Scalar<T> wheel(const RelativeMotion<T>& x, const double* axis, double radius, int entry, int& failed) {
  const Vec3<T> a = axis[0] * x.R.a + axis[1] * x.R.b + axis[2] * x.R.c, da = cross(x.w, a);
  const T o = broadcast<T>(0.0), c = a.z, dc = da.z;
  const T s = positive_root(T(1.0 - c * c)), inverse = 1.0 / s;
  failed |= lanes_below(s, kNoDirection);
  const Vec3<T> normal{o, o, broadcast<T>(1.0)};
  const Vec3<T> up = inverse * (normal - c * a);
  const T turn = c * dc * inverse;
  const Vec3<T> up_rate = inverse * (turn * up - dc * a - c * da);
  return contact(x, -radius * up, -radius * up_rate, T(x.p.z - radius * s), entry);
}

}  // namespace tarsus::TARSUS_ISA
