// Joints in one implicit step: torques of the joint law and its limits, springs, dampers, friction and stops, each with a regime
// that is guessed first and then compared with the motion that follows from it.
#pragma once
#include "simulation/step/contacts.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kNoLimit = 1e299;       // torque limits from here on are none
constexpr double kJointStiction = 1e-8;  // speed of a joint held by friction at its limit [rad/s or m/s]

// Torque of a joint at constant velocity and what all implicit parts resist; the regime is the one guessed from the start.
template <class T>
TARSUS_KERNEL void begin_joints(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  // 1. the joint law at the end of the step: tau + kd (v_ref - v - dt a) + kp (q_ref - q - dt v - dt^2 a)
  for (int k = 0; k < m.tree_nv; ++k) {
    StepJoint<T>& s = r.step_joint[k];
    const int c = r.driven(k);
    s.torque = s.resist = broadcast<T>(0.0);
    if (c < 0) continue;
    s.torque = r.reference.tau[c] + r.law.kd[c] * (r.reference.v[c] - r.v[c]);
    s.resist = broadcast<T>(dt * r.law.kd[c]);
  }
  for (int i = 0; i < m.vector_dofs; ++i) {
    const int k = m.vector_v[i], j = m.vector_q[i];
    if (r.law.kp[k] == 0.0) continue;
    StepJoint<T>& s = r.step_joint[r.own_dof(k)];
    s.torque = s.torque + r.law.kp[k] * (r.reference.q[j] - r.q[j] - dt * r.v[k]);
    s.resist = s.resist + dt * dt * r.law.kp[k];
  }
  // 2. regimes from the velocity at the start: torque limits, friction, stops
  for (int k = 0; k < m.tree_nv; ++k) {
    StepJoint<T>& s = r.step_joint[k];
    const T zero = broadcast<T>(0.0), v = tree.v[k];
    const double limit = r.limit(k);
    s.saturated = s.slips = s.low = s.high = less<T>(zero, zero);
    s.limit = zero;
    if (limit < kNoLimit) {
      s.saturated = less<T>(broadcast<T>(limit), magnitude<T>(s.torque));
      s.limit = limited<T>(s.torque, limit);
    }
    if (m.friction[k] > 0.0) {
      s.direction = select<T>(less<T>(v, zero), broadcast<T>(-1.0), broadcast<T>(1.0));
      s.slips = less<T>(broadcast<T>(kJointStiction), magnitude<T>(v));
    }
    if (r.law.stop_q && r.law.stop_q[k] >= 0) {
      const T x = tree.q[r.law.stop_q[k]] + dt * v;
      s.low = less<T>(x, broadcast<T>(r.law.lower[k])), s.high = less<T>(broadcast<T>(r.law.upper[k]), x);
    }
  }
}

// r.total and r.joint_inertia for the present regimes; the passive part of the torque also into r.passive.
template <class T>
TARSUS_KERNEL void load_joints(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  for (int k = 0; k < m.tree_nv; ++k) {
    const StepJoint<T>& s = r.step_joint[k];
    const T zero = broadcast<T>(0.0), v = tree.v[k];
    T passive = -(m.damping[k] * v), resist = broadcast<T>(dt * m.damping[k]);
    if (m.spring_q[k] >= 0 && m.stiffness[k] != 0.0) {
      passive = passive - m.stiffness[k] * (tree.q[m.spring_q[k]] + dt * v - m.rest[k]);
      resist = resist + dt * dt * m.stiffness[k];
    }
    if (m.friction[k] > 0.0) {
      const double gain = m.friction[k] / kJointStiction;
      passive = passive - select<T>(s.slips, m.friction[k] * s.direction, gain * v);
      resist = resist + select<T>(s.slips, zero, broadcast<T>(dt * gain));
    }
    if (r.law.stop_q && r.law.stop_q[k] >= 0) {
      const T x = tree.q[r.law.stop_q[k]] + dt * v;
      const double stiffness = r.law.stop_stiffness[k], damping = r.law.stop_damping[k];
      const T push = select<T>(s.low, stiffness * (r.law.lower[k] - x) - damping * v,
                               select<T>(s.high, stiffness * (r.law.upper[k] - x) - damping * v, zero));
      passive = passive + push;
      resist = resist + select<T>(s.low | s.high, broadcast<T>(dt * damping + dt * dt * stiffness), zero);
    }
    r.passive[k] = passive;
    r.force[k] = passive + select<T>(s.saturated, s.limit, s.torque);
    r.joint_inertia[k] = m.armature[k] + resist + select<T>(s.saturated, zero, s.resist);
  }
}

// Compares the regimes of the joints with the acceleration that followed; true where one had to change.
template <class T>
TARSUS_KERNEL bool settle_joints(Robot<T>& r, const TreeState<T>& tree, double dt, int pass) {
  const Model& m = r.model;
  bool changed = false;
  for (int k = 0; k < m.tree_nv; ++k) {
    StepJoint<T>& s = r.step_joint[k];
    const T zero = broadcast<T>(0.0), v = tree.v[k] + dt * r.rate[k];
    const T torque = s.torque - s.resist * r.rate[k];
    auto differs = less<T>(zero, zero);
    const double limit = r.limit(k);
    if (limit < kNoLimit) {
      auto saturated = less<T>(broadcast<T>(limit), magnitude<T>(torque));
      if (pass >= kFreePasses) saturated = saturated | s.saturated;
      differs = saturated ^ s.saturated;
      s.saturated = saturated;
      s.limit = select<T>(differs, limited<T>(torque, limit), s.limit);
    }
    if (m.friction[k] > 0.0) {
      auto slips = less<T>(broadcast<T>(kJointStiction), magnitude<T>(v));
      const auto turned = s.slips & less<T>(v * s.direction, zero);  // friction holds a joint, it does not drive it back
      slips = slips & ~turned;
      if (pass >= kFreePasses) slips = s.slips & ~turned;
      s.direction = select<T>(slips & ~s.slips, select<T>(less<T>(v, zero), broadcast<T>(-1.0), broadcast<T>(1.0)), s.direction);
      differs = differs | (slips ^ s.slips);
      s.slips = slips;
    }
    if (r.law.stop_q && r.law.stop_q[k] >= 0) {
      const T x = tree.q[r.law.stop_q[k]] + dt * v;
      const double stiffness = r.law.stop_stiffness[k], damping = r.law.stop_damping[k];
      auto low = less<T>(x, broadcast<T>(r.law.lower[k])) & less<T>(zero, stiffness * (r.law.lower[k] - x) - damping * v);
      auto high = less<T>(broadcast<T>(r.law.upper[k]), x) & less<T>(stiffness * (r.law.upper[k] - x) - damping * v, zero);
      if (pass >= kFreePasses) low = low & s.low, high = high & s.high;
      differs = differs | (low ^ s.low) | (high ^ s.high);
      s.low = low, s.high = high;
    }
    changed = changed || any<T>(differs);
  }
  return changed;
}

// Work of the joint law and on the passive elements of the joints, with the torques that acted and the mean velocity.
template <class T>
TARSUS_KERNEL void end_joints(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  T actuator = broadcast<T>(0.0), joints = broadcast<T>(0.0);
  for (int k = 0; k < m.tree_nv; ++k) {
    const StepJoint<T>& s = r.step_joint[k];
    const T zero = broadcast<T>(0.0), v = tree.v[k] + (0.5 * dt) * r.rate[k];
    const T implicit = r.joint_inertia[k] - m.armature[k], own = select<T>(s.saturated, zero, s.resist);
    const T torque = select<T>(s.saturated, s.limit, s.torque - s.resist * r.rate[k]);
    r.passive[k] = r.passive[k] - (implicit - own) * r.rate[k];
    if (const int c = r.driven(k); c >= 0) r.tau[c] = torque;
    actuator = actuator + torque * v;
    joints = joints - r.passive[k] * v;
  }
  r.work[work_index(kActuator)] = r.work[work_index(kActuator)] + dt * actuator;
  r.work[work_index(kJointWork)] = r.work[work_index(kJointWork)] + dt * joints;
}

}  // namespace tarsus::TARSUS_ISA
