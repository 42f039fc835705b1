// Velocity and acceleration carried from parent to child, and the forces they need (Newton-Euler).
// Classical accelerations of the node origins, in node axes; gravity enters as an acceleration of the world.
#pragma once
#include "nodes/view.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Motion {
  Vec3<T> w, dw, a;  // angular velocity, angular acceleration, acceleration of the origin
};

template <class T>
struct Wrench {
  Vec3<T> f, n;  // force, moment about the node's origin
};

// [dw]x + [w]x[w]x as rows: acceleration of a point of the body relative to its origin, Buschmann 2014 (2.66).
template <class T>
struct PointAcceleration {
  Vec3<T> x, y, z;
};
template <class T>
TARSUS_INLINE PointAcceleration<T> point_acceleration(const Vec3<T>& w, const Vec3<T>& d) {
  const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {{-(yy + zz), xy - d.z, xz + d.y}, {xy + d.z, -(xx + zz), yz - d.x}, {xz - d.y, yz + d.x, -(xx + yy)}};
}
template <class T, class P>
TARSUS_INLINE Vec3<T> apply(const PointAcceleration<T>& U, const Vec3<P>& p) {
  return {dot(U.x, p), dot(U.y, p), dot(U.z, p)};
}

// Motion of a child: Buschmann 2014 (2.61), (2.67), (2.69), with the sign of the term omega_p x omega_rel corrected.
// rate and accel are the joint's velocity and its derivative along the node's axes; accel is not read unless kVdot.
template <bool kVdot, class V, class T>
TARSUS_INLINE Motion<T> carry(const V& J, const Motion<T>& P, const T* rate, const T* accel) {
  const Vec3<T> w0 = to_child(J.R, P.w);
  Motion<T> m{w0, to_child(J.R, P.dw), to_child(J.R, P.a + apply(point_acceleration(P.w, P.dw), J.p))};
  if constexpr (V::facts.angle) {
    m.dw.x = m.dw.x + w0.y * rate[0];
    m.dw.y = m.dw.y - w0.x * rate[0];
    m.w.z = m.w.z + rate[0];
    if constexpr (kVdot) m.dw.z = m.dw.z + accel[0];
  }
  if constexpr (V::facts.advance) {
    T advance = 2.0 * rate[0];
    if constexpr (V::screws) advance = J.pitch * advance;
    m.a.x = m.a.x + w0.y * advance;
    m.a.y = m.a.y - w0.x * advance;
    if constexpr (kVdot && !V::screws) m.a.z = m.a.z + accel[0];
    if constexpr (kVdot && V::screws) m.a.z = m.a.z + J.pitch * accel[0];
  }
  if constexpr (!V::single) {
    Vec3<T> v = zero3<T>(), w = zero3<T>();
    for_axes<V>([&]<int axis>(int k) TARSUS_LAMBDA { component<axis>(v, w) = rate[k]; });
    m.w += w;
    m.dw += cross(w0, w);
    m.a += 2.0 * cross(w0, v) + cross(w, v);
    if constexpr (kVdot) {
      for_axes<V>([&]<int axis>(int k) TARSUS_LAMBDA { add_along<axis>(J, accel[k], m.a, m.dw); });
    }
  }
  return m;
}

// Force and moment that a body's motion needs, from its second moments S: n = vee(U S - (U S)^T) + h x a.
template <class T, class Body>
TARSUS_INLINE Wrench<T> body_wrench(const Body& b, const Motion<T>& m) {
  const PointAcceleration<T> U = point_acceleration(m.w, m.dw);
  const auto& S = b.second;
  const Vec3<T> e = cross(b.first, m.a);
  return {apply(U, b.first) + b.mass * m.a,
          {(U.z.x * S.xy + U.z.y * S.yy + U.z.z * S.yz) - (U.y.x * S.xz + U.y.y * S.yz + U.y.z * S.zz) + e.x,
           (U.x.x * S.xz + U.x.y * S.yz + U.x.z * S.zz) - (U.z.x * S.xx + U.z.y * S.xy + U.z.z * S.xz) + e.y,
           (U.y.x * S.xx + U.y.y * S.xy + U.y.z * S.xz) - (U.x.x * S.xy + U.x.y * S.yy + U.x.z * S.yz) + e.z}};
}

// Component of a wrench along each degree of freedom of a joint.
template <class V, class T>
TARSUS_INLINE void joint_force(const V& J, const Wrench<T>& w, T* tau) {
  for_axes<V>([&]<int axis>(int k) TARSUS_LAMBDA { tau[k] = power_along<axis>(J, w.f, w.n); });
}

template <class V, class T>
TARSUS_INLINE Wrench<T> to_parent(const V& J, const Wrench<T>& w) {
  const Vec3<T> f = to_parent(J.R, w.f);
  return {f, to_parent(J.R, w.n) + cross(J.p, f)};
}
template <class T>
TARSUS_INLINE void operator+=(Wrench<T>& a, const Wrench<T>& b) {
  a.f += b.f, a.n += b.n;
}

}  // namespace tarsus::TARSUS_ISA
