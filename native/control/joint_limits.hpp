// Limits of joints as bounds of accelerations: the law of src/tarsus/ik/acceleration/limits.py.
#pragma once
#include "control/whole_body_run.hpp"
#include "math/pack.hpp"
#include "optimization/quadratic_program.hpp"

namespace tarsus::TARSUS_ISA {

// Calls f(coordinate, least, most) for each limit: h'' >= -2 gain h' - gain^2 h of the way h to a limit of position,
// |v + vdot / gain| <= v_max of velocities. T: one robot, or one a lane.
template <class T, class F>
inline void for_joint_limits(const BodyProblem& p, const T* q, const T* v, F f) {
  const BodyLimits& l = p.limits;
  const double g = l.gain;
  const T inf = broadcast<T>(__builtin_inf());
  for (int j = 0; j < l.flats; ++j) {
    const T x = q[l.flat_q[j]], braked = -2.0 * g * v[l.flat_v[j]];
    if (l.q_min[j] > -kNoBound) f(l.flat_v[j], braked - g * g * (x - l.q_min[j]), inf);
    if (l.q_max[j] < kNoBound) f(l.flat_v[j], -inf, braked + g * g * (l.q_max[j] - x));
  }
  for (int k = 0; k < p.model->nv; ++k) {
    if (l.v_max[k] < kNoBound) f(k, g * (-l.v_max[k] - v[k]), g * (l.v_max[k] - v[k]));
    if (l.a_max[k] < kNoBound) f(k, broadcast<T>(-l.a_max[k]), broadcast<T>(l.a_max[k]));
  }
}

}  // namespace tarsus::TARSUS_ISA
