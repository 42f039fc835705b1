// Axes of a free or planar base in the course of one step.
//
// The linear velocity of a free or planar joint has the axes of a body that turns. Euler's method on these components makes a
// spinning body faster by (omega dt)^2 / 2 a step; so steps keep the axes of the start of the step while they advance
// (v + dt omega x v replaces v, the rates are those of the components), move the origin straight, and turn the result at the end.
#pragma once
#include "simulation/robot.hpp"

namespace tarsus::TARSUS_ISA {

// v + dt omega x v: the velocity at the end of the step, in the axes of its start.
template <class T>
inline void keep_axes(Robot<T>& r, double dt) {
  for (int i = 0; i < r.model.manifolds; ++i) {
    const Manifold& f = r.model.manifold[i];
    T* v = r.v + f.v;
    if (f.group == kMotions3) {
      const Vec3<T> u = Vec3<T>{v[0], v[1], v[2]} + dt * cross(Vec3<T>{v[3], v[4], v[5]}, Vec3<T>{v[0], v[1], v[2]});
      v[0] = u.x, v[1] = u.y, v[2] = u.z;
    } else if (f.group == kMotions2) {
      const T turn = (dt * f.sign) * v[2], x = v[0] - turn * v[1];
      v[1] = v[1] + turn * v[0], v[0] = x;
    }
  }
}

// Velocities whose exponential takes the origin straight along dt v: the inverse of the left Jacobian of the rotation, to fourth
// order in its angle.
template <class T>
inline void straighten(Robot<T>& r, double dt, T* out) {
  for (int k = 0; k < r.model.nv; ++k) out[k] = r.v[k];
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
inline void turn_axes(Robot<T>& r, double dt) {
  for (int i = 0; i < r.model.manifolds; ++i) {
    const Manifold& f = r.model.manifold[i];
    T* v = r.v + f.v;
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
