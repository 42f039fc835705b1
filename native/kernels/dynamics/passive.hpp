// Forces that joints produce by themselves: viscous and Coulomb friction, springs.
#pragma once
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE void passive_force(const Model& m, const T* q, const T* v, T* tau) {
  for (int k = 0; k < m.tree_nv; ++k) {
    const T direction = each_lane<T>(v[k], [](double x) { return double((x > 0) - (x < 0)); });
    T f = -(m.damping[k] * v[k]) - m.friction[k] * direction;
    if (m.spring_q[k] >= 0) f = f - m.stiffness[k] * (q[m.spring_q[k]] - m.rest[k]);
    tau[k] = f;
  }
}

}  // namespace tarsus::TARSUS_ISA
