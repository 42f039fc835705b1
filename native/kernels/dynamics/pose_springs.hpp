// Springs of ball and free joints, which turn them back on the shortest way and draw them back to their place:
// moment -k log(R_rest^T R) and force -k R^T (p - p_rest), in the axes of the child. They have the energy
// k |log|^2 / 2 + k |p - p_rest|^2 / 2, because log is its own transported gradient: J_r^-T log = log.
#pragma once
#include "kernels/kinematics/manifold.hpp"

namespace tarsus::TARSUS_ISA {

// How far a joint is from the rest of its spring, in the axes of the child: turned by `turn`, moved by `shift`.
template <class T>
struct SpringPose {
  Vec3<T> turn, shift;
};

// With the quaternion of the joint given by itself.
template <class T>
TARSUS_INLINE Vec3<T> spring_turn(const PoseSpring& s, const T* quaternion) {
  const T back[4] = {broadcast<T>(s.rest[0]), broadcast<T>(-s.rest[1]), broadcast<T>(-s.rest[2]), broadcast<T>(-s.rest[3])};
  T turn[4];
  quaternion_product(back, quaternion, turn);
  normalize_quaternion(turn);
  return quaternion_log(turn);
}

template <class T>
TARSUS_INLINE SpringPose<T> spring_pose(const PoseSpring& s, const T* q) {
  SpringPose<T> pose{spring_turn(s, q + s.turn_q), zero3<T>()};
  if (s.turn_q == s.q) return pose;
  T unit[4] = {q[s.turn_q], q[s.turn_q + 1], q[s.turn_q + 2], q[s.turn_q + 3]};
  normalize_quaternion(unit);
  const T* p = q + s.q;
  pose.shift = to_child(quaternion_matrix(unit), Vec3<T>{p[0] - s.place[0], p[1] - s.place[1], p[2] - s.place[2]});
  return pose;
}

// The same at the end of a step of constant velocity v (of the tree), in the axes of its start but for the turn.
template <class T>
TARSUS_INLINE SpringPose<T> spring_pose_after(const PoseSpring& s, const T* q, const T* v, double dt) {
  SpringPose<T> pose = spring_pose(s, q);
  const T *u = v + s.v, *w = v + s.turn_v;
  if (s.turn_q != s.q) pose.shift = pose.shift + dt * Vec3<T>{u[0], u[1], u[2]};
  T turned[4];
  turn_quaternion(q + s.turn_q, dt * Vec3<T>{w[0], w[1], w[2]}, turned);
  pose.turn = spring_turn(s, static_cast<const T*>(turned));
  return pose;
}

// Adds the forces of a spring to those on the joints of the tree.
template <class T>
TARSUS_INLINE void add_spring(const PoseSpring& s, const SpringPose<T>& pose, T* tau) {
  T* moment = tau + s.turn_v;
  moment[0] = moment[0] - s.stiffness * pose.turn.x, moment[1] = moment[1] - s.stiffness * pose.turn.y;
  moment[2] = moment[2] - s.stiffness * pose.turn.z;
  if (s.turn_q == s.q) return;
  T* force = tau + s.v;
  force[0] = force[0] - s.pull * pose.shift.x, force[1] = force[1] - s.pull * pose.shift.y;
  force[2] = force[2] - s.pull * pose.shift.z;
}

template <class T>
TARSUS_INLINE void add_pose_springs(const Model& m, const T* q, T* tau) {
  for (int i = 0; i < m.pose_springs; ++i) add_spring(m.pose_spring[i], spring_pose(m.pose_spring[i], q), tau);
}

// Twice the energy of a spring.
template <class T>
TARSUS_INLINE T doubled_energy(const PoseSpring& s, const SpringPose<T>& pose) {
  return s.stiffness * dot(pose.turn, pose.turn) + s.pull * dot(pose.shift, pose.shift);
}

}  // namespace tarsus::TARSUS_ISA
