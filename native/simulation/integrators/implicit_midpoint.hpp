// The implicit midpoint rule on the manifold: q+ = q exp(h v_m), v+ = v + h a(q exp(h/2 v_m), v_m), v_m = (v + v+)/2. It is
// symmetric and conserves quadratic invariants of free motion, so that energy errors stay bounded over long runs. Solved by
// fixed-point iteration, which converges where h times the largest rate is well below one. A lane that has converged is
// frozen, so that its result does not depend on how long its neighbours in the pack take.
#pragma once
#include "simulation/integrators/runge_kutta4.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMidpointStages = kRungeKuttaStages + 1;
constexpr int kMidpointIterations = 60;
constexpr double kMidpointTolerance = 1e-15;  // of velocities, relative to the largest: converged
constexpr double kMidpointNoise = 1e-12;      // the same, where the iteration does not come closer any more;
                                              // a robot at rest has the noise of its accelerations, of order 1 m/s^2, times h

// One evaluation at the middle, and the velocities and contact states that follow from it, in lanes not yet settled.
template <class T>
TARSUS_KERNEL void improve_midpoint(Robot<T>& r, double t, double dt, T* middle_v, T* middle_z, T* middle_q, T* tangent, T* power,
                                    T& before, typename Bits<T>::type& settled) {
  const Model& m = r.model;
  move(r, static_cast<const T*>(r.q), static_cast<const T*>(middle_v), broadcast<T>(0.5 * dt), tangent, middle_q);
  derivative(r, static_cast<const T*>(middle_q), static_cast<const T*>(middle_v), static_cast<const T*>(middle_z), t + 0.5 * dt);
  T largest = broadcast<T>(0.0), change = broadcast<T>(0.0);
  for (int k = 0; k < m.nv; ++k) {
    const T next = r.v[k] + (0.5 * dt) * r.vdot[k];
    largest = larger<T>(largest, magnitude<T>(next)), change = larger<T>(change, magnitude<T>(next - middle_v[k]));
    middle_v[k] = select<T>(settled, middle_v[k], next);
  }
  for (int k = 0; k < 3 * r.world.contacts; ++k) {
    middle_z[k] = select<T>(settled, middle_z[k], r.z[k] + (0.5 * dt) * r.zdot[k]);
  }
  for (int k = 0; k < kWorks; ++k) power[k] = select<T>(settled, power[k], r.power[k]);
  const auto close = ~less<T>(kMidpointTolerance * largest + 1e-300, change);
  const auto stuck = ~less<T>(kMidpointNoise * (largest + dt), change) & ~less<T>(change, before);
  settled = settled | close | stuck;
  before = change;
}

// Lanes in which the iteration does not converge take this step by Runge-Kutta: where a contact or a stop begins, the force
// jumps and the rule may have no solution.
template <class T>
inline void implicit_midpoint_step(Robot<T>& r, double t, double dt) {
  const Model& m = r.model;
  const int nz = 3 * r.world.contacts;
  T *middle_v = r.scratch, *middle_q = middle_v + m.nv, *middle_z = middle_q + m.nq, *tangent = middle_z + nz;
  T *power = tangent + m.nv, before = broadcast<T>(1e300);
  for (int k = 0; k < m.nv; ++k) middle_v[k] = r.v[k];
  for (int k = 0; k < nz; ++k) middle_z[k] = r.z[k];
  auto settled = less<T>(before, before);
  for (int pass = 0; pass < kMidpointIterations && any<T>(~settled); ++pass) {
    improve_midpoint(r, t, dt, middle_v, middle_z, middle_q, tangent, power, before, settled);
  }
  T* result = r.scratch + kRungeKuttaStages * r.state_size();  // behind what a step of Runge-Kutta uses
  T *q = result, *v = q + m.nq, *z = v + m.nv, *work = z + nz;
  move(r, static_cast<const T*>(r.q), static_cast<const T*>(middle_v), broadcast<T>(dt), tangent, q);
  for (int k = 0; k < m.nv; ++k) v[k] = 2.0 * middle_v[k] - r.v[k];
  for (int k = 0; k < nz; ++k) z[k] = 2.0 * middle_z[k] - r.z[k];
  for (int k = 0; k < kWorks; ++k) work[k] = r.work[k] + dt * power[k];
  if (any<T>(~settled)) runge_kutta4_step(r, t, dt);
  for (int k = 0; k < m.nq; ++k) r.q[k] = select<T>(settled, q[k], r.q[k]);
  for (int k = 0; k < m.nv; ++k) r.v[k] = select<T>(settled, v[k], r.v[k]);
  for (int k = 0; k < nz; ++k) r.z[k] = select<T>(settled, z[k], r.z[k]);
  for (int k = 0; k < kWorks; ++k) r.work[k] = select<T>(settled, work[k], r.work[k]);
}

}  // namespace tarsus::TARSUS_ISA
