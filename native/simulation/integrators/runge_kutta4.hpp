// The classical Runge-Kutta method of order 4 (Kutta 1901); quaternions are normalised after the step.
#pragma once
#include "simulation/constraints/projection.hpp"
#include "simulation/flow.hpp"

namespace tarsus::TARSUS_ISA {

struct RungeKutta4 {
  static constexpr const char* kName = "runge-kutta-4";
  static constexpr bool kAdaptive = false, kKnowsForces = false;
  static constexpr int kStages = 4;  // y, the stage, k, the sum

  template <class T>
  static void step(Robot<T>& r, double t, double dt);
};

template <class T>
inline void RungeKutta4::step(Robot<T>& r, double t, double dt) {
  const size_t n = r.state_size();
  T *y = r.scratch, *stage = y + n, *k = stage + n, *sum = k + n;
  gather_state(r, y);
  const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (int s = 0; s < 4; ++s) {
    for (size_t i = 0; i < n; ++i) stage[i] = s == 0 ? y[i] : y[i] + (dt * at[s]) * k[i];
    flow(r, static_cast<const T*>(stage), t + at[s] * dt, k);
    for (size_t i = 0; i < n; ++i) sum[i] = s == 0 ? weight[0] * k[i] : sum[i] + weight[s] * k[i];
  }
  for (size_t i = 0; i < n; ++i) y[i] = y[i] + dt * sum[i];
  scatter_state(r, static_cast<const T*>(y));
  close_state(r, t + dt);
}

}  // namespace tarsus::TARSUS_ISA
