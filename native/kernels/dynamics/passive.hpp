// Forces that act on joints by themselves: viscous and Coulomb friction, springs, and what carries weights.
#pragma once
#include "kernels/dynamics/carried.hpp"
#include "kernels/dynamics/pose_springs.hpp"

namespace tarsus::TARSUS_ISA {

// Overwrites poses and wrenches of the workspace where weights are carried.
template <class T>
TARSUS_INLINE void passive_force(const Model& m, Workspace<T>& ws, const T* q, const T* v, T* tau) {
  if (m.carried) carrying_forces(m, ws, q, tau);
  for (int k = 0; k < m.tree_nv; ++k) {
    const T direction = each_lane<T>(v[k], [](double x) { return double((x > 0) - (x < 0)); });
    T f = -(m.damping[k] * v[k]) - m.friction[k] * direction;
    if (m.spring_q[k] >= 0) f = f - m.stiffness[k] * (q[m.spring_q[k]] - m.rest[k]);
    tau[k] = m.carried ? tau[k] + f : f;
  }
  add_pose_springs(m, q, tau);
}

}  // namespace tarsus::TARSUS_ISA
