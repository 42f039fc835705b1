// Twists and spatial accelerations of nodes, at a point fixed in space, from screws and rates.
#pragma once
#include "kernels/kinematics/screws.hpp"

namespace tarsus::TARSUS_ISA {

// Twist of node i from its parent's; ws.screw must hold the screws.
template <class T>
TARSUS_INLINE Screw<T> twist_step(const Model& m, const Workspace<T>& ws, int i, const Screw<T>& parent, const T* v) {
  Screw<T> V = parent;
  for (int k = m.node[i].v; k < m.node[i].v + m.node[i].dof; ++k) V += v[k] * ws.screw[k];
  return V;
}

// Twist and spatial acceleration of the last node of a path; ws.pose must hold the poses on it.
template <class T>
struct PathMotion {
  Screw<T> twist, acceleration;
};
template <bool kVdot, class T>
inline PathMotion<T> motion_along(const Model& m, Workspace<T>& ws, int count, const T* v, const T* vdot) {
  const Screw<T> none{zero3<T>(), zero3<T>()};
  PathMotion<T> motion{none, none};
  for (int step = 0; step < count; ++step) {
    const int i = ws.path[step];
    joint_screws_of(m, ws, i);
    Screw<T> own = none;
    for (int k = m.node[i].v; k < m.node[i].v + m.node[i].dof; ++k) {
      own += v[k] * ws.screw[k];
      if constexpr (kVdot) motion.acceleration += vdot[k] * ws.screw[k];
    }
    motion.twist += own;
    motion.acceleration += carried_rate(motion.twist, own);
  }
  return motion;
}

}  // namespace tarsus::TARSUS_ISA
