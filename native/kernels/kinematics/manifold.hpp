// Moving on the configuration manifold: exponential, logarithm and normalisation, in the independent coordinates.
#pragma once
#include "kernels/kinematics/joints.hpp"

namespace tarsus::TARSUS_ISA {

// sin(t)/t, (1 - cos t)/t^2, (t - sin t)/t^3 as functions of t^2, by series near zero.
template <class T>
struct ExpCoefficients {
  T a, b, c;
};
template <class T>
inline ExpCoefficients<T> exp_coefficients(const T& t2) {
  ExpCoefficients<T> r{t2, t2, t2};
  for (int l = 0; l < lanes<T>; ++l) {
    const double x = lane(t2, l);
    double a, b, c;
    if (x < 0.25) {  // the next terms are below one unit in the last place
      a = 1 - x / 6 * (1 - x / 20 * (1 - x / 42 * (1 - x / 72 * (1 - x / 110 * (1 - x / 156)))));
      b = 0.5 * (1 - x / 12 * (1 - x / 30 * (1 - x / 56 * (1 - x / 90 * (1 - x / 132 * (1 - x / 182))))));
      c = (1 - x / 20 * (1 - x / 42 * (1 - x / 72 * (1 - x / 110 * (1 - x / 156 * (1 - x / 210)))))) / 6;
    } else {
      const double t = __builtin_sqrt(x), s = std::sin(t);
      a = s / t, b = (1 - std::cos(t)) / x, c = (t - s) / (x * t);
    }
    set_lane(r.a, l, a), set_lane(r.b, l, b), set_lane(r.c, l, c);
  }
  return r;
}

template <class T>
TARSUS_INLINE void normalize_quaternion(T* q) {
  const T k = 1.0 / sqrt_of(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) q[i] = k * q[i];
}
template <class T>
TARSUS_INLINE void quaternion_product(const T* p, const T* q, T* r) {
  r[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
  r[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
  r[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
  r[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

// q exp(w): rotation by the body-frame vector w, Buschmann 2014 (2.33) as a quaternion.
template <class T>
inline void turn_quaternion(const T* q, const Vec3<T>& w, T* out) {
  const ExpCoefficients<T> half = exp_coefficients<T>(0.25 * dot(w, w));
  const T cosine = 1.0 - 0.25 * dot(w, w) * half.b, k = 0.5 * half.a;  // cos x = 1 - x^2 (1 - cos x)/x^2
  const T turn[4] = {cosine, k * w.x, k * w.y, k * w.z};
  quaternion_product(q, turn, out);
  normalize_quaternion(out);
}

// Rotation vector of a unit quaternion, of length at most pi.
template <class T>
inline Vec3<T> quaternion_log(const T* q) {
  Vec3<T> w{q[1], q[2], q[3]};
  for (int l = 0; l < lanes<T>; ++l) {
    const double c = lane(q[0], l), x = lane(w.x, l), y = lane(w.y, l), z = lane(w.z, l);
    const double s = __builtin_sqrt(x * x + y * y + z * z), sign = c < 0 ? -1.0 : 1.0;
    const double k = s < 1e-8 ? 2.0 * sign : 2.0 * std::atan2(sign * s, sign * c) / s;  // the angle keeps the sign of c
    set_lane(w.x, l, k * x), set_lane(w.y, l, k * y), set_lane(w.z, l, k * z);
  }
  return w;
}

// (1 - (t/2) cot(t/2)) / t^2 as a function of t^2
inline double log_coefficient(double x) {
  if (x < 0.25) return 1.0 / 12 + x * (1.0 / 720 + x * (1.0 / 30240 + x * (1.0 / 1209600 + x / 47900160)));
  const double h = 0.5 * __builtin_sqrt(x);
  return (1.0 - h * std::cos(h) / std::sin(h)) / x;
}

template <class T>
TARSUS_KERNEL void integrate(const Context<T>& x) {
  const Model& m = x.model;
  for (int i = 0; i < m.vector_dofs; ++i) x.out[m.vector_q[i]] = x.q[m.vector_q[i]] + x.v[m.vector_v[i]];
  for (int i = 0; i < m.manifolds; ++i) {
    const Manifold& j = m.manifold[i];
    const T *q = x.q + j.q, *v = x.v + j.v;
    T* out = x.out + j.q;
    if (j.group == kRotations3) {
      turn_quaternion(q, Vec3<T>{v[0], v[1], v[2]}, out);
    } else if (j.group == kMotions3) {
      const Vec3<T> u{v[0], v[1], v[2]}, w{v[3], v[4], v[5]}, wu = cross(w, u);
      const ExpCoefficients<T> e = exp_coefficients<T>(dot(w, w));
      const Vec3<T> p = to_parent(quaternion_matrix(q + 3), u + e.b * wu + e.c * cross(w, wu));
      out[0] = q[0] + p.x, out[1] = q[1] + p.y, out[2] = q[2] + p.z;
      turn_quaternion(q + 3, w, out + 3);
    } else {
      const T angle = j.sign * v[2];
      const ExpCoefficients<T> e = exp_coefficients<T>(angle * angle);
      const T a = e.a, b = angle * e.b, px = a * v[0] - b * v[1], py = b * v[0] + a * v[1];
      T s, c;
      sincos<T>(q[2], s, c);
      s = j.sign * s;
      out[0] = q[0] + c * px - s * py, out[1] = q[1] + s * px + c * py, out[2] = q[2] + v[2];
    }
  }
}

// Second configuration in x.a.
template <class T>
TARSUS_KERNEL void difference(const Context<T>& x) {
  const Model& m = x.model;
  for (int i = 0; i < m.vector_dofs; ++i) x.out[m.vector_v[i]] = x.a[m.vector_q[i]] - x.q[m.vector_q[i]];
  for (int i = 0; i < m.manifolds; ++i) {
    const Manifold& j = m.manifold[i];
    const T *q = x.q + j.q, *r = x.a + j.q;
    T* out = x.out + j.v;
    if (j.group == kMotions2) {
      const T turn = each_lane<T>(r[2] - q[2], [](double t) { return t - 2 * M_PI * std::round(t / (2 * M_PI)); });
      const T h = 0.5 * j.sign * turn, a = each_lane<T>(h, [](double t) { return 1.0 - 4 * t * t * log_coefficient(4 * t * t); });
      T s, c;
      sincos<T>(q[2], s, c);
      s = j.sign * s;
      const T dx = r[0] - q[0], dy = r[1] - q[1], px = c * dx + s * dy, py = c * dy - s * dx;
      out[0] = a * px + h * py, out[1] = a * py - h * px, out[2] = turn;
      continue;
    }
    const int at = kArm[j.arm].quaternion;
    const T conjugate[4] = {q[at], -q[at + 1], -q[at + 2], -q[at + 3]};
    T turn[4];
    quaternion_product(conjugate, r + at, turn);
    normalize_quaternion(turn);
    const Vec3<T> w = quaternion_log(turn);
    out[at] = w.x, out[at + 1] = w.y, out[at + 2] = w.z;
    if (j.group == kMotions3) {
      const Vec3<T> p = to_child(quaternion_matrix(q + 3), Vec3<T>{r[0] - q[0], r[1] - q[1], r[2] - q[2]}), wp = cross(w, p);
      const Vec3<T> u = p - 0.5 * wp + each_lane<T>(dot(w, w), log_coefficient) * cross(w, wp);
      out[0] = u.x, out[1] = u.y, out[2] = u.z;
    }
  }
}

template <class T>
inline void normalize(const Context<T>& x) {
  for (int k = 0; k < x.model.nq; ++k) x.out[k] = x.q[k];
  for (int i = 0; i < x.model.quaternions; ++i) normalize_quaternion(x.out + x.model.quaternion[i]);
}

}  // namespace tarsus::TARSUS_ISA
