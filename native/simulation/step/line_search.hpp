// How far to go from the iterate of a step to its trial.
//
// Forces fall with the velocities they act against, so that they are minus the gradient of a convex function, and the motion is
// the minimum of phi(a) = a^T M a / 2 + a^T bias + sum psi(u + dt J a) / dt. Along p, from the iterate to the trial,
//
//   dt phi'(x) = (1 - x) sum b . du + x sum f . du - sum f(u + x du) . du,   du = dt J p,
//
// with the forces b and f that balance M a + bias at both ends: no sweep of the tree is needed.
#pragma once
#include "simulation/step/joints.hpp"
#include "simulation/step/springs.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostTrials = 30;
constexpr double kSlopeLeft = 0.05;  // part of the slope at the iterate that may be left

// sum f(u + x du) . du
template <class T>
TARSUS_KERNEL T force_along(const Robot<T>& r, const TreeState<T>& tree, double dt, const T& part, bool joints) {
  T sum = broadcast<T>(0.0);
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    const StepContact<T>& s = r.step_contact[i];
    const Vec3<T> du = s.trial - s.velocity;
    sum = sum + dot(force_at(r.contact[i], s, s.velocity + part * du), du);
  }
  for (int i = 0; i < r.springs; ++i) {
    const StepSpring<T>& x = r.step_spring[i];
    if (!r.spring[i].pulls) continue;  // linear, as below
    const T change = x.trial - x.at;
    sum = sum + spring_force_at(r.spring[i], x, T(x.at + part * change)) * (dt * change);
  }
  for (int k = 0; joints && k < r.model.tree_nv; ++k) {
    const StepJoint<T>& s = r.step_joint[k];
    if (!s.bent) continue;  // linear: what it adds to both ends and to the forces in between is the same
    const T change = s.trial - s.rate, rate = s.rate + part * change;
    sum = sum + (law_torque_at(r, k, rate) + passive_force_at(r, tree, k, rate, dt)) * (dt * change);
  }
  return sum;
}

// The part of the way that brings these lanes to the minimum, nearly; 0 in lanes whose iterate is the minimum to rounding, 1 in
// the others. Without `joints` their torques are linear on the way.
template <class T>
TARSUS_KERNEL T search_line(const Robot<T>& r, const TreeState<T>& tree, double dt, typename Bits<T>::type searching,
                            bool joints = true) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  // 1. forces that balance at both ends
  T begin = zero, end = zero;
  for (int j = 0; j < r.awakes; ++j) {
    const StepContact<T>& s = r.step_contact[r.awake[j]];
    begin = begin + dot(s.balanced, s.trial - s.velocity), end = end + dot(s.trial_force, s.trial - s.velocity);
  }
  for (int k = 0; joints && k < r.model.tree_nv; ++k) {
    const StepJoint<T>& s = r.step_joint[k];
    if (!s.bent) continue;
    begin = begin + s.balanced * (dt * (s.trial - s.rate)), end = end + s.trial_force * (dt * (s.trial - s.rate));
  }
  for (int i = 0; i < r.springs; ++i) {
    const StepSpring<T>& x = r.step_spring[i];
    if (!r.spring[i].pulls) continue;
    begin = begin + x.balanced * (dt * (x.trial - x.at)), end = end + x.trial_force * (dt * (x.trial - x.at));
  }
  auto slope = [&](const T& x) TARSUS_LAMBDA { return (begin + x * (end - begin)) - force_along(r, tree, dt, x, joints); };
  // 2. all the way, where the function still falls there
  const T first = slope(zero), bound = kSlopeLeft * magnitude<T>(first);
  const auto flat = ~less<T>(first, zero);
  T low = zero, at_low = first, high = one, at_high = slope(one), part = one;
  searching = searching & ~flat & less<T>(bound, at_high);
  // 3. otherwise the root of the slope in between, by false position (Illinois)
  for (int k = 0; k < kMostTrials && any<T>(searching); ++k) {
    const T x = low - at_low * (high - low) / larger<T>(at_high - at_low, broadcast<T>(kTiny));
    const T y = slope(x);
    part = select<T>(searching, x, part);
    const auto falls = less<T>(y, zero), low_moves = searching & falls, high_moves = searching & ~falls;
    at_high = select<T>(low_moves, 0.5 * at_high, select<T>(high_moves, y, at_high));
    at_low = select<T>(high_moves, 0.5 * at_low, select<T>(low_moves, y, at_low));
    low = select<T>(low_moves, x, low), high = select<T>(high_moves, x, high);
    searching = searching & less<T>(bound, magnitude<T>(y));
  }
  return select<T>(flat, zero, part);
}

}  // namespace tarsus::TARSUS_ISA
