// Joints in one implicit step: torques of the joint law within their limits, springs, dampers, friction and stops. All of them
// are functions of the acceleration of their joint that fall and have corners: the regime says on which piece the iterate lies.
#pragma once
#include "simulation/step/contacts.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kNoLimit = 1e299;       // torque limits from here on are none
constexpr double kJointStiction = 1e-8;  // speed of a joint held by friction at its limit [rad/s or m/s]

// What the stop of a joint resists a unit of acceleration with.
template <class T>
TARSUS_INLINE double stop_resistance(const Robot<T>& r, int k, double dt) {
  return dt * (r.law.stop_damping[k] + dt * r.law.stop_stiffness[k]);
}
template <class T>
TARSUS_INLINE bool has_stops(const Robot<T>& r, int k) {
  return r.law.stop_q && r.law.stop_q[k] >= 0;
}

// Force at constant velocity of a stop that is `inside` deep at the start, into which the joint moves with `approach`: spring and
// damper act on the deformation at the end of the step.
template <class T>
TARSUS_INLINE T stop_pull(const Robot<T>& r, int k, const T& inside, const T& approach, double dt) {
  const double stiffness = r.law.stop_stiffness[k], damping = r.law.stop_damping[k];
  return stiffness * inside + (damping / dt) * smaller<T>(inside, broadcast<T>(0.0)) + (damping + dt * stiffness) * approach;
}

// Torque of the law on a joint with that acceleration.
template <class T>
TARSUS_INLINE T law_torque_at(const Robot<T>& r, int k, const T& rate) {
  const StepJoint<T>& s = r.step_joint[k];
  const T torque = s.torque - s.resist * rate;
  return r.limit(k) < kNoLimit ? limited<T>(torque, r.limit(k)) : torque;
}

// Springs, dampers, friction and stops of a joint with that acceleration.
template <class T>
TARSUS_INLINE T passive_force_at(const Robot<T>& r, const TreeState<T>& tree, int k, const T& rate, double dt) {
  const Model& m = r.model;
  const StepJoint<T>& s = r.step_joint[k];
  const T zero = broadcast<T>(0.0);
  T force = s.passive - s.yield * rate;
  if (m.friction[k] > 0.0) {
    force = force - m.friction[k] * limited<T>((1.0 / kJointStiction) * (tree.v[k] + dt * rate), 1.0);
  }
  if (has_stops(r, k)) {
    const T back = stop_resistance(r, k, dt) * rate;
    force = force + larger<T>(s.low - back, zero) - larger<T>(s.high + back, zero);
  }
  return force;
}

// The regime at the iterate; in lanes that are not moving it stays. A guess holds joints that friction has turned round: it
// brings them to rest and does not drive them back.
template <class T>
TARSUS_INLINE void linearise_joint(const Robot<T>& r, const TreeState<T>& tree, int k, double dt,
                                   typename Bits<T>::type lanes_moving, bool guess) {
  StepJoint<T>& s = r.step_joint[k];
  const T zero = broadcast<T>(0.0);
  const auto still = ~lanes_moving;
  if (const double limit = r.limit(k); limit < kNoLimit) {
    const T torque = s.torque - s.resist * s.rate;
    s.saturated = (lanes_moving & less<T>(broadcast<T>(limit), magnitude<T>(torque))) | (still & s.saturated);
    s.limit = select<T>(lanes_moving, limited<T>(torque, limit), s.limit);
  }
  if (r.model.friction[k] > 0.0) {
    const T v = tree.v[k] + dt * s.rate;
    auto slips = less<T>(broadcast<T>(kJointStiction), magnitude<T>(v));
    if (guess) slips = slips & ~(s.slips & less<T>(v * s.direction, zero));
    s.slips = (lanes_moving & slips) | (still & s.slips);
    s.direction = select<T>(lanes_moving, select<T>(less<T>(v, zero), broadcast<T>(-1.0), broadcast<T>(1.0)), s.direction);
  }
  if (has_stops(r, k)) {
    const T back = stop_resistance(r, k, dt) * s.rate;
    s.at_low = (lanes_moving & less<T>(zero, s.low - back)) | (still & s.at_low);
    s.at_high = (lanes_moving & less<T>(zero, s.high + back)) | (still & s.at_high);
  }
}

// Springs of ball and free joints: their forces at the end of a step of constant velocity, and what they lose by acceleration.
// The slope of a turned spring is at most that of one at rest, so that this is stable at any angle.
template <class T>
TARSUS_INLINE void begin_pose_springs(Robot<T>& r, const TreeState<T>& tree, double dt) {
  for (int i = 0; i < r.model.pose_springs; ++i) {
    const PoseSpring& s = r.model.pose_spring[i];
    T force[6] = {};
    PoseSpring local = s;  // its joint starts at 0 here
    local.v = 0, local.turn_v = s.turn_v - s.v;
    add_spring(local, spring_pose_after(s, tree.q, tree.v, dt), force);
    for (int k = s.v; k < s.turn_v + 3; ++k) {
      StepJoint<T>& joint = r.step_joint[k];
      joint.passive = joint.passive + force[k - s.v];
      joint.yield = joint.yield + dt * dt * (k < s.turn_v ? s.pull : s.stiffness);
    }
  }
}

// Energy that the springs of ball and free joints gain in a step that ends with these velocities.
template <class T>
TARSUS_INLINE T stored_by_pose_springs(const Robot<T>& r, const TreeState<T>& tree, double dt) {
  T doubled = broadcast<T>(0.0);
  for (int i = 0; i < r.model.pose_springs; ++i) {
    const PoseSpring& s = r.model.pose_spring[i];
    T end[6];
    for (int k = s.v; k < s.turn_v + 3; ++k) end[k - s.v] = tree.v[k] + dt * r.rate[k];
    PoseSpring local = s;
    local.v = 0, local.turn_v = s.turn_v - s.v;
    doubled = doubled + doubled_energy(s, spring_pose_after(local, tree.q, static_cast<const T*>(end), dt)) -
              doubled_energy(s, spring_pose(s, tree.q));
  }
  return 0.5 * doubled;
}

// Torques at constant velocity and what they lose for a unit of acceleration; the iterate is no acceleration.
template <class T>
TARSUS_KERNEL void begin_joints(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  const T zero = broadcast<T>(0.0);
  // 1. the joint law at the end of the step: tau + kd (v_ref - v - dt a) + kp (q_ref - q - dt v - dt^2 a)
  for (int k = 0; k < m.tree_nv; ++k) {
    StepJoint<T>& s = r.step_joint[k];
    const int c = r.driven(k);
    s.torque = s.resist = zero;
    if (c < 0) continue;
    s.torque = r.reference.tau[c] + r.reference.kd[c] * (r.reference.v[c] - r.v[c]);
    s.resist = dt * r.reference.kd[c];
  }
  for (int i = 0; i < m.vector_dofs; ++i) {
    const int k = m.vector_v[i], j = m.vector_q[i];
    if (!any<T>(less<T>(zero, r.reference.kp[k]))) continue;
    StepJoint<T>& s = r.step_joint[r.own_dof(k)];
    s.torque = s.torque + r.reference.kp[k] * (r.reference.q[j] - r.q[j] - dt * r.v[k]);
    s.resist = s.resist + dt * dt * r.reference.kp[k];
  }
  // 2. dampers, springs and stops, and the regimes of all
  for (int k = 0; k < m.tree_nv; ++k) {
    StepJoint<T>& s = r.step_joint[k];
    s.passive = -(m.damping[k] * tree.v[k]), s.yield = broadcast<T>(dt * m.damping[k]);
    if (m.spring_q[k] >= 0 && m.stiffness[k] != 0.0) {
      s.passive = s.passive - m.stiffness[k] * (tree.q[m.spring_q[k]] + dt * tree.v[k] - m.rest[k]);
      s.yield = s.yield + dt * dt * m.stiffness[k];
    }
    s.bent = r.limit(k) < kNoLimit || m.friction[k] > 0.0 || has_stops(r, k);
    if (!s.bent) continue;
    s.rate = s.balanced = zero;
    if (has_stops(r, k)) {
      const T x = tree.q[r.law.stop_q[k]];
      s.low = stop_pull(r, k, r.law.lower[k] - x, -tree.v[k], dt), s.high = stop_pull(r, k, x - r.law.upper[k], tree.v[k], dt);
    }
    linearise_joint(r, tree, k, dt, less<T>(zero, broadcast<T>(1.0)), false);
  }
  begin_pose_springs(r, tree, dt);
}

// r.force and r.joint_inertia for the present regimes.
template <class T>
TARSUS_KERNEL void load_joints(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  const T zero = broadcast<T>(0.0);
  for (int k = 0; k < m.tree_nv; ++k) {
    const StepJoint<T>& s = r.step_joint[k];
    T force = s.passive + s.torque, resist = s.yield + s.resist;
    if (r.limit(k) < kNoLimit) {
      force = s.passive + select<T>(s.saturated, s.limit, s.torque);
      resist = s.yield + select<T>(s.saturated, zero, s.resist);
    }
    if (m.friction[k] > 0.0) {
      const double gain = m.friction[k] / kJointStiction;
      force = force - select<T>(s.slips, m.friction[k] * s.direction, gain * tree.v[k]);
      resist = resist + select<T>(s.slips, zero, broadcast<T>(dt * gain));
    }
    if (has_stops(r, k)) {
      force = force + select<T>(s.at_low, s.low, zero) - select<T>(s.at_high, s.high, zero);
      const double back = stop_resistance(r, k, dt);
      resist = resist + select<T>(s.at_low, broadcast<T>(back), zero) + select<T>(s.at_high, broadcast<T>(back), zero);
    }
    r.force[k] = force;
    r.joint_inertia[k] = m.armature[k] + resist;
  }
}

// Accelerations that a solve gave, and the linearised torques in them; true in lanes where these are not the torques.
template <class T>
TARSUS_KERNEL typename Bits<T>::type try_joints(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  auto differs = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  for (int k = 0; k < m.tree_nv; ++k) {
    StepJoint<T>& s = r.step_joint[k];
    if (!s.bent) continue;
    s.trial = r.rate[k];
    s.trial_force = r.force[k] - (r.joint_inertia[k] - m.armature[k]) * s.trial;
    const T force = law_torque_at(r, k, s.trial) + passive_force_at(r, tree, k, s.trial, dt);
    const T slack = kForceTolerance * magnitude<T>(force) + kStartTolerance * magnitude<T>(r.force[k]);
    differs = differs | less<T>(slack, magnitude<T>(force - s.trial_force));
  }
  return differs;
}

// Moves the iterate that part of the way to the trial.
template <class T>
TARSUS_KERNEL void take_joints(Robot<T>& r, const TreeState<T>& tree, typename Bits<T>::type lanes_moving, const T& part,
                               double dt, bool guess) {
  for (int k = 0; k < r.model.tree_nv; ++k) {
    StepJoint<T>& s = r.step_joint[k];
    if (!s.bent) continue;
    s.rate = select<T>(lanes_moving, s.rate + part * (s.trial - s.rate), s.rate);
    s.balanced = select<T>(lanes_moving, s.balanced + part * (s.trial_force - s.balanced), s.balanced);
    linearise_joint(r, tree, k, dt, lanes_moving, guess);
  }
}

// Energy in the spring and the stops of a joint.
template <class T>
TARSUS_INLINE T stored_in_joint(const Robot<T>& r, const TreeState<T>& tree, int k, const T& moved) {
  const Model& m = r.model;
  const T zero = broadcast<T>(0.0);
  T sum = zero;
  if (m.spring_q[k] >= 0) {
    const T d = tree.q[m.spring_q[k]] + moved - m.rest[k];
    sum = sum + m.stiffness[k] * d * d;
  }
  if (has_stops(r, k)) {
    const T x = tree.q[r.law.stop_q[k]] + moved;
    const T below = larger<T>(r.law.lower[k] - x, zero), above = larger<T>(x - r.law.upper[k], zero);
    sum = sum + r.law.stop_stiffness[k] * (below * below + above * above);
  }
  return 0.5 * sum;
}

// Work of the joint law, and what of the work on the passive elements was not stored, with the torques that acted and the mean
// velocity; in these lanes.
template <class T>
TARSUS_KERNEL void end_joints(Robot<T>& r, const TreeState<T>& tree, typename Bits<T>::type ending, double dt) {
  const Model& m = r.model;
  T actuator = broadcast<T>(0.0), joints = broadcast<T>(0.0);
  for (int k = 0; k < m.tree_nv; ++k) {
    const StepJoint<T>& s = r.step_joint[k];
    const T v = tree.v[k] + (0.5 * dt) * r.rate[k], end = tree.v[k] + dt * r.rate[k];
    T torque = s.torque - s.resist * r.rate[k], passive = s.passive - s.yield * r.rate[k];
    if (s.bent) torque = law_torque_at(r, k, r.rate[k]), passive = passive_force_at(r, tree, k, r.rate[k], dt);
    r.passive[k] = select<T>(ending, passive, r.passive[k]);
    if (const int c = r.driven(k); c >= 0) r.tau[c] = select<T>(ending, torque, r.tau[c]);
    actuator = actuator + dt * (torque * v);
    joints = joints - dt * (passive * v);
    if (m.spring_q[k] >= 0 || has_stops(r, k)) {
      joints = joints - (stored_in_joint(r, tree, k, dt * end) - stored_in_joint(r, tree, k, broadcast<T>(0.0)));
    }
  }
  joints = joints - stored_by_pose_springs(r, tree, dt);
  T &law = r.work[work_index(kActuator)], &balance = r.work[work_index(kJointBalance)];
  law = select<T>(ending, law + actuator, law);
  balance = select<T>(ending, balance + joints, balance);
}

}  // namespace tarsus::TARSUS_ISA
