// Axes of a free or planar base in the course of one step.
//
// The linear velocity of a free or planar joint has the axes of a body that turns. Euler's method on these components makes a
// spinning body faster by (omega dt)^2 / 2 a step; so steps keep the axes of the start of the step while they advance
// (rates are those of components in these axes), move the origin straight, and turn the result at the end.
#pragma once
#include "simulation/robot.hpp"

namespace tarsus::TARSUS_ISA {

// omega x v of a joint that has a translation, at a velocity (nv): by this the axes turn its components; zero of other joints.
template <class T>
TARSUS_INLINE Vec3<T> turning_of_base(const Robot<T>& r, int i, const T* v) {
  const Manifold& f = r.model.manifold[i];
  if (kArm[f.arm].translations == 0) return zero3<T>();
  const T *u = v + f.v, zero = broadcast<T>(0.0);
  const bool flat = f.group == kMotions2;
  const Vec3<T> w = flat ? Vec3<T>{zero, zero, f.sign * u[2]} : Vec3<T>{u[3], u[4], u[5]};
  return cross(w, Vec3<T>{u[0], u[1], flat ? zero : u[2]});
}

// Takes omega x v off the accelerations (of the tree) at vdot = 0: rates are then those of components in the axes of the start.
template <class T>
inline void drop_turning(const Robot<T>& r, const T* v, T* tree) {
  for (int i = 0; i < r.model.manifolds; ++i) {
    const Manifold& f = r.model.manifold[i];
    if (kArm[f.arm].translations == 0) continue;
    T* out = tree + r.own_dof(f.v);
    const Vec3<T> across = turning_of_base(r, i, v);
    out[0] = out[0] - across.x, out[1] = out[1] - across.y;
    if (f.group != kMotions2) out[2] = out[2] - across.z;
  }
}

// Velocities whose exponential takes the origin straight along dt v: the inverse of the left Jacobian of the rotation, to fourth
// order in its angle.
template <class T>
inline void straighten(const Robot<T>& r, double dt, const T* end, T* out) {
  for (int k = 0; k < r.model.nv; ++k) out[k] = end[k];
  for (int i = 0; i < r.model.manifolds; ++i) {
    const Manifold& f = r.model.manifold[i];
    T* v = out + f.v;
    const T zero = broadcast<T>(0.0);
    if (kArm[f.arm].translations == 0) continue;
    const bool flat = f.group == kMotions2;
    const Vec3<T> w = flat ? Vec3<T>{zero, zero, (dt * f.sign) * v[2]} : dt * Vec3<T>{v[3], v[4], v[5]};
    const Vec3<T> u{v[0], v[1], flat ? zero : v[2]}, across = cross(w, u), back = cross(w, across);
    v[0] = u.x - 0.5 * across.x + (1.0 / 12) * back.x, v[1] = u.y - 0.5 * across.y + (1.0 / 12) * back.y;
    if (!flat) v[2] = u.z - 0.5 * across.z + (1.0 / 12) * back.z;
  }
}

// The velocity at the end of the step, turned from the axes of its start into those of its end.
template <class T>
inline void turn_axes(const Robot<T>& r, double dt, T* end) {
  for (int i = 0; i < r.model.manifolds; ++i) {
    const Manifold& f = r.model.manifold[i];
    T* v = end + f.v;
    if (f.group == kMotions3) {  // Rodrigues' formula with -dt omega
      const Vec3<T> w{v[3], v[4], v[5]}, u{v[0], v[1], v[2]};
      const T angle = dt * length(w), per = dt / larger<T>(angle, broadcast<T>(kTiny));
      T s, c;
      sincos(angle, s, c);
      const Vec3<T> e = per * w, across = cross(u, e);
      const Vec3<T> turned = c * u + s * across + ((1.0 - c) * dot(e, u)) * e;
      v[0] = turned.x, v[1] = turned.y, v[2] = turned.z;
    } else if (f.group == kMotions2) {
      T s, c;
      sincos((dt * f.sign) * v[2], s, c);
      const T x = c * v[0] + s * v[1];
      v[1] = c * v[1] - s * v[0], v[0] = x;
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
