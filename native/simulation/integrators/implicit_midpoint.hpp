// The implicit midpoint rule on the manifold: q+ = q exp(h v_m), v+ = v + h a(q exp(h/2 v_m), v_m), v_m = (v + v+)/2. It is
// symmetric and conserves quadratic invariants of free motion, so that energy errors stay bounded over long runs. Solved by
// fixed-point iteration, which converges where h times the largest rate is well below one. A lane that has converged is
// frozen, so that its result does not depend on how long its neighbours in the pack take.
#pragma once
#include "simulation/integrators/runge_kutta4.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMidpointIterations = 60;
constexpr double kMidpointTolerance = 1e-15;  // of velocities, relative to the largest: converged
constexpr double kMidpointNoise = 1e-12;      // the same, where the iteration does not come closer any more;
                                              // a robot at rest has the noise of its accelerations, of order 1 m/s^2, times h

struct ImplicitMidpoint {
  static constexpr const char* kName = "implicit-midpoint";
  static constexpr bool kAdaptive = false, kKnowsForces = false;
  static constexpr int kStages = RungeKutta4::kStages + 1;  // the result behind what a step of Runge-Kutta uses

  template <class T>
  static void step(Robot<T>& r, double t, double dt);
};

// States in the middle of the step, and what lanes that are settled keep.
template <class T>
struct Midpoint {
  T *v, *q;               // nv, nq
  Vec3<T>* displacement;  // contacts
  T *tangent, *power;     // nv, kWorks
  T change;               // of the velocities in the last iteration
  typename Bits<T>::type settled;
};

// One evaluation at the middle, and the velocities and contact states that follow from it, in lanes not yet settled.
template <class T>
TARSUS_KERNEL void improve_midpoint(Robot<T>& r, double t, double dt, Midpoint<T>& middle) {
  const Model& m = r.model;
  const auto settled = middle.settled;
  move(r, static_cast<const T*>(r.q), static_cast<const T*>(middle.v), broadcast<T>(0.5 * dt), middle.tangent, middle.q);
  derivative(r, static_cast<const T*>(middle.q), static_cast<const T*>(middle.v), middle.displacement, t + 0.5 * dt);
  T largest = broadcast<T>(0.0), change = broadcast<T>(0.0);
  for (int k = 0; k < m.nv; ++k) {
    const T next = r.v[k] + (0.5 * dt) * r.vdot[k];
    largest = larger<T>(largest, magnitude<T>(next)), change = larger<T>(change, magnitude<T>(next - middle.v[k]));
    middle.v[k] = select<T>(settled, middle.v[k], next);
  }
  for (int i = 0; i < r.world.contacts; ++i) {
    const Vec3<T> next = r.displacement[i] + (0.5 * dt) * r.displacement_rate[i];
    middle.displacement[i] = select3<T>(settled, middle.displacement[i], next);
  }
  for (int k = 0; k < kWorks; ++k) middle.power[k] = select<T>(settled, middle.power[k], r.power[k]);
  const auto close = ~less<T>(kMidpointTolerance * largest + 1e-300, change);
  const auto stuck = ~less<T>(kMidpointNoise * (largest + dt), change) & ~less<T>(change, middle.change);
  middle.settled = settled | close | stuck;
  middle.change = change;
}

// Lanes in which the iteration does not converge take this step by Runge-Kutta: where a contact or a stop begins, the force
// jumps and the rule may have no solution.
template <class T>
inline void ImplicitMidpoint::step(Robot<T>& r, double t, double dt) {
  const Model& m = r.model;
  const int contacts = r.world.contacts;
  // 1. v_m by iteration, from v
  Midpoint<T> middle;
  middle.v = r.scratch, middle.q = middle.v + m.nv;
  middle.displacement = reinterpret_cast<Vec3<T>*>(middle.q + m.nq);
  middle.tangent = middle.q + m.nq + 3 * contacts, middle.power = middle.tangent + m.nv;
  middle.change = broadcast<T>(1e300), middle.settled = less<T>(middle.change, middle.change);
  for (int k = 0; k < m.nv; ++k) middle.v[k] = r.v[k];
  for (int i = 0; i < contacts; ++i) middle.displacement[i] = r.displacement[i];
  for (int pass = 0; pass < kMidpointIterations && any<T>(~middle.settled); ++pass) improve_midpoint(r, t, dt, middle);
  // 2. the state at the end: q exp(h v_m), 2 v_m - v
  T* result = r.scratch + RungeKutta4::kStages * r.state_size();
  T *q = result, *v = q + m.nq, *work = v + m.nv + 3 * contacts;
  Vec3<T>* displacement = reinterpret_cast<Vec3<T>*>(v + m.nv);
  move(r, static_cast<const T*>(r.q), static_cast<const T*>(middle.v), broadcast<T>(dt), middle.tangent, q);
  for (int k = 0; k < m.nv; ++k) v[k] = 2.0 * middle.v[k] - r.v[k];
  for (int i = 0; i < contacts; ++i) displacement[i] = 2.0 * middle.displacement[i] - r.displacement[i];
  for (int k = 0; k < kWorks; ++k) work[k] = r.work[k] + dt * middle.power[k];
  hold_dissipation(static_cast<const T*>(r.work), work);
  // 3. Runge-Kutta for lanes that did not settle
  const auto settled = middle.settled;
  if (any<T>(~settled)) RungeKutta4::step(r, t, dt);
  for (int k = 0; k < m.nq; ++k) r.q[k] = select<T>(settled, q[k], r.q[k]);
  for (int k = 0; k < m.nv; ++k) r.v[k] = select<T>(settled, v[k], r.v[k]);
  for (int i = 0; i < contacts; ++i) r.displacement[i] = select3<T>(settled, displacement[i], r.displacement[i]);
  for (int k = 0; k < kWorks; ++k) r.work[k] = select<T>(settled, work[k], r.work[k]);
  close_state(r, t + dt);
}

}  // namespace tarsus::TARSUS_ISA
