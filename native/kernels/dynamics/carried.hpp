// Weights that are carried for bodies: forces -mass g at the centres of mass of what is carried, of a fixed direction in the
// world.
#pragma once
#include "kernels/dynamics/newton_euler.hpp"

namespace tarsus::TARSUS_ISA {

// On node i, in its axes; its pose must be there.
template <class T>
TARSUS_INLINE Wrench<T> carrying_wrench(const Model& m, const Workspace<T>& ws, int i) {
  const CarriedWeight& c = m.carried[i];
  const Vec3<T> up = to_child(ws.pose[i].R, -widen<T>(vec3(m.gravity)));
  return {c.mass * up, cross(vec3(c.first), up)};
}

// Takes what carries the bodies off the wrenches that the motion needs; joints must be prepared.
template <class T>
TARSUS_INLINE void subtract_carried(const Model& m, Workspace<T>& ws, const T* q) {
  world_poses(m, ws, q);
  for (int i = 0; i < m.nodes; ++i) {
    const Wrench<T> carrying = carrying_wrench(m, ws, i);
    ws.wrench[i].f = ws.wrench[i].f - carrying.f, ws.wrench[i].n = ws.wrench[i].n - carrying.n;
  }
}

// The same as forces on the joints.
template <class T>
TARSUS_INLINE void carrying_forces(const Model& m, Workspace<T>& ws, const T* q, T* tau) {
  prepare_joints(m, ws, q);
  world_poses(m, ws, q);
  for (int i = 0; i < m.nodes; ++i) ws.wrench[i] = carrying_wrench(m, ws, i);
  gather_forces(m, ws, q, tau);
}

// Potential energy of the weights that are carried; joints must be prepared.
template <class T>
TARSUS_INLINE T carried_energy(const Model& m, Workspace<T>& ws, const T* q) {
  world_poses(m, ws, q);
  const Vec3<double> g = vec3(m.gravity);
  T sum = broadcast<T>(0.0);
  for (int i = 0; i < m.nodes; ++i) {
    const Placed<T>& X = ws.pose[i];
    const double* first = m.carried[i].first;
    sum = sum - dot(g, m.carried[i].mass * X.p + first[0] * X.R.a + first[1] * X.R.b + first[2] * X.R.c);
  }
  return sum;
}

}  // namespace tarsus::TARSUS_ISA
