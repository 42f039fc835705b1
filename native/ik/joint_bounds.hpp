// Bounds of velocities from limits of joints: src/tarsus/ik/velocity/joint_limits.py says why they never contradict each other.
#pragma once
#include "ik/step_run.hpp"
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

TARSUS_INLINE double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// Largest speed towards a limit from which steps that slow down by a dt each end before it.
inline double viable_speed(double way, double a, double dt, double share) {
  const double h = a * dt * dt;
  if (!(way < __builtin_inf())) return way;
  if (!(h < __builtin_inf())) return share * way / dt;
  const double n = __builtin_ceil(0.5 * (__builtin_sqrt(1.0 + 8.0 * (way > 0.0 ? way : 0.0) / h) - 1.0));
  return (n > 1.0 ? way / n + 0.5 * h * (n - 1.0) : way) / dt;
}

// Bounds of v: of acceleration, inside them of velocity, inside both of position.
inline void joint_bounds(const StepProblem& p, const double* q, const double* before, double* low, double* high) {
  const StepLimits& l = p.limits;
  const bool braked = before != nullptr;
  for (int k = 0; k < p.model->nv; ++k) {
    const double reach = l.a_max[k] * p.dt, v = braked ? before[k] : 0.0;
    const double least = v - reach, most = v + reach;
    low[k] = clamped(-l.v_max[k], least, most), high[k] = clamped(l.v_max[k], least, most);
  }
  for (int i = 0; i < l.flats; ++i) {
    const int k = l.flat_v[i];
    const double x = q[l.flat_q[i]], inner_low = low[k], inner_high = high[k];
    low[k] = clamped(-viable_speed(x - l.q_min[i], l.a_max[k], p.dt, l.share), inner_low, inner_high);
    high[k] = clamped(viable_speed(l.q_max[i] - x, l.a_max[k], p.dt, l.share), inner_low, inner_high);
  }
}

// Rows G v and bounds of joints that follow others, from G and the coordinates of the tree in the workspace.
inline void follower_bounds(const StepProblem& p, const Workspace<double>& ws, double* C, double* low, double* high) {
  const StepLimits& l = p.limits;
  const Model& m = *p.model;
  for (int i = 0; i < l.followers; ++i) {
    double* row = C + (size_t)i * m.nv;
    for (int k = 0; k < m.nv; ++k) row[k] = 0.0;
    for (int e = m.row[l.follower_v[i]]; e < m.row[l.follower_v[i] + 1]; ++e) row[m.column[e]] += ws.coupling[e];
    const double x = ws.tree_q[l.follower_q[i]], most = l.follower_speed[i];
    low[i] = clamped(l.share * (l.follower_min[i] - x) / p.dt, -most, most);
    high[i] = clamped(l.share * (l.follower_max[i] - x) / p.dt, -most, most);
  }
}

}  // namespace tarsus::TARSUS_ISA
