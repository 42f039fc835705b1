// The state of a robot as one vector y = (q, v, displacements of the contacts, work), for integrators that combine stages, and
// its rate.
#pragma once
#include "simulation/derivative.hpp"

namespace tarsus::TARSUS_ISA {

// Rate of the configuration's numbers: quaternions turn by half their product with the angular velocity, positions of a base
// move with its velocity turned into the world.
template <class T>
inline void configuration_rate(const Model& m, const T* q, const T* v, T* rate) {
  for (int i = 0; i < m.vector_dofs; ++i) rate[m.vector_q[i]] = v[m.vector_v[i]];
  for (int i = 0; i < m.manifolds; ++i) {
    const Manifold& j = m.manifold[i];
    const T *x = q + j.q, *u = v + j.v;
    T* out = rate + j.q;
    if (j.group == kMotions2) {
      T s, c;
      sincos<T>(x[2], s, c);
      s = j.sign * s;
      out[0] = c * u[0] - s * u[1], out[1] = s * u[0] + c * u[1], out[2] = u[2];
      continue;
    }
    const int at = kArm[j.arm].quaternion;
    if (j.group == kMotions3) {
      const Vec3<T> p = to_parent(quaternion_matrix(x + 3), Vec3<T>{u[0], u[1], u[2]});
      out[0] = p.x, out[1] = p.y, out[2] = p.z;
    }
    const T w[4] = {broadcast<T>(0.0), 0.5 * u[at], 0.5 * u[at + 1], 0.5 * u[at + 2]};
    quaternion_product(x + at, w, out + at);
  }
}

// Displacements of contacts within a vector y.
template <class T>
TARSUS_INLINE const Vec3<T>* as_vectors(const T* y) {
  static_assert(sizeof(Vec3<T>) == 3 * sizeof(T));
  return reinterpret_cast<const Vec3<T>*>(y);
}

// Writes vectors one after the other; returns the end.
template <class T>
TARSUS_INLINE T* put_vectors(const Vec3<T>* x, int count, T* to) {
  for (int i = 0; i < count; ++i, to += 3) to[0] = x[i].x, to[1] = x[i].y, to[2] = x[i].z;
  return to;
}

// y' at time t.
template <class T>
TARSUS_INLINE void flow(Robot<T>& r, const T* y, double t, T* rate) {
  const Model& m = r.model;
  const T *q = y, *v = q + m.nq;
  derivative(r, q, v, as_vectors(v + m.nv), t);
  configuration_rate(m, q, v, rate);
  T* to = rate + m.nq;
  for (int k = 0; k < m.nv; ++k) *to++ = r.vdot[k];
  to = put_vectors(r.displacement_rate, r.world.contacts, to);
  for (int k = 0; k < kWorks; ++k) *to++ = r.power[k];
}

template <class T>
TARSUS_INLINE void gather_state(const Robot<T>& r, T* y) {
  for (int k = 0; k < r.model.nq; ++k) *y++ = r.q[k];
  for (int k = 0; k < r.model.nv; ++k) *y++ = r.v[k];
  y = put_vectors(r.displacement, r.world.contacts, y);
  for (int k = 0; k < kWorks; ++k) *y++ = r.work[k];
}

// Dissipation at the end of a step is the most that has not been stored so far: it never falls, also where a method of higher
// order weighs a power negatively.
template <class T>
TARSUS_INLINE void hold_dissipation(const T* before, T* work) {
  const int ground = work_index(kGroundDissipated), joints = work_index(kJointDissipated);
  work[ground] = larger<T>(before[ground], work[work_index(kGroundBalance)]);
  work[joints] = larger<T>(before[joints], work[work_index(kJointBalance)]);
}

template <class T>
TARSUS_INLINE void scatter_state(Robot<T>& r, const T* y) {
  for (int k = 0; k < r.model.nq; ++k) r.q[k] = *y++;
  for (int k = 0; k < r.model.nv; ++k) r.v[k] = *y++;
  for (int i = 0; i < r.world.contacts; ++i, y += 3) r.displacement[i] = {y[0], y[1], y[2]};
  T work[kWorks];
  for (int k = 0; k < kWorks; ++k) work[k] = y[k];
  hold_dissipation(static_cast<const T*>(r.work), work);
  for (int k = 0; k < kWorks; ++k) r.work[k] = work[k];
  for (int i = 0; i < r.model.quaternions; ++i) normalize_quaternion(r.q + r.model.quaternion[i]);
}

}  // namespace tarsus::TARSUS_ISA
