// Repulsive potentials of a distance d, Buschmann 2014 (5.50)-(5.59): zero from the activation distance d_a on, and falling with
// d below it. One gain s > 0; signs are those with which descent repels.
#pragma once
#include "ik/predictive_run.hpp"

namespace tarsus::TARSUS_ISA {

struct PotentialValue {
  double value, slope;  // H and dH/dd <= 0
};

static inline PotentialValue potential(const Potential& p, double d) {
  const double s = p.gain, a = p.activation, rest = a - d;
  if (!(rest > 0.0)) return {0.0, 0.0};
  switch (p.kind) {
    case kQuadraticPotential: return {s * rest * rest, -2.0 * s * rest};
    case kCubicPotential: return {s * rest * rest * rest, -3.0 * s * rest * rest};
    default: {
      const double t = p.switching;
      if (d < t * a) {  // slope -s at d = 0
        return {s * (d * d / (a * (t + 1.0)) - d + a * (t * t + t + 1.0) / (3.0 * (t + 1.0))),
                s * (2.0 * d / (a * (t + 1.0)) - 1.0)};
      }
      const double k = s / (a * a * (1.0 - t * t));
      return {k * rest * rest * rest / 3.0, -k * rest * rest};
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
