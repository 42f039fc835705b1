// What configurations cost beside collisions, with gradients: joint limits, distance to a preferred posture.
#pragma once
#include "ik/potential.hpp"

namespace tarsus::TARSUS_ISA {

// Potentials of the distances to both limits: (5.58), or with quadratic ones of gain 1 / d_a^2 those of Buschmann 2014 (A.58).
static inline void add_limits(const PredictiveRun& run, const double* q, double share, double* parts, double* gradient) {
  const double weight = share * run.weight[kLimitCost];
  if (weight == 0.0) return;
  for (int k = 0; k < run.bounds; ++k) {
    Potential p = run.limit;
    p.gain = run.bound_gain[k], p.activation = run.bound_activation[k];
    const double x = q[run.bound_q[k]];
    const PotentialValue below = potential(p, x - run.lower[k]), above = potential(p, run.upper[k] - x);
    parts[kLimitCost] += weight * (below.value + above.value);
    gradient[run.bound_v[k]] += weight * (below.slope - above.slope);
  }
}

// Squares of scaled differences.
static inline void add_posture(const PredictiveRun& run, const double* q, double share, double* parts, double* gradient) {
  const double weight = share * run.weight[kPostureCost];
  if (weight == 0.0) return;
  for (int k = 0; k < run.postured; ++k) {
    const double x = run.posture_scale[k] * (q[run.posture_q[k]] - run.posture_target[k]);
    parts[kPostureCost] += weight * x * x;
    gradient[run.posture_v[k]] += 2.0 * weight * run.posture_scale[k] * x;
  }
}

// Adds `share` times the weighted costs to `parts`, and writes share times their gradient (nv).
static inline void position_cost(const PredictiveRun& run, const double* q, double share, double* parts, double* gradient) {
  for (int k = 0; k < run.model->nv; ++k) gradient[k] = 0.0;
  add_limits(run, q, share, parts, gradient);
  add_posture(run, q, share, parts, gradient);
}

}  // namespace tarsus::TARSUS_ISA
