// Results that are the coordinates of the tree themselves: the closing of loops has found them already.
#pragma once
#include "kernels/kinematics/manifold.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
inline void joint_positions(const Context<T>& x) {
  const Model& m = x.model;
  for (int k = 0; k < m.tree_nq; ++k) x.out[k] = x.q[k];
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    if (arm_of(n).quaternion >= 0) normalize_quaternion(x.out + n.q + arm_of(n).quaternion);
  }
}

template <class T>
inline void joint_velocities(const Context<T>& x) {
  for (int k = 0; k < x.model.tree_nv; ++k) x.out[k] = x.v[k];
}

// G, of which only the entries that can be other than zero are written.
template <class T>
inline void coupling_matrix(const Context<T>& x) {
  const Model& m = x.model;
  for (int k = 0; k < m.tree_nv; ++k) {
    for (int e = m.row[k]; e < m.row[k + 1]; ++e) {
      x.out[(size_t)k * m.nv + m.column[e]] = m.coupled ? x.ws.coupling[e] : broadcast<T>(m.constant[e]);
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
