// How distances of segments change with the coordinates, Buschmann 2014 (5.61).
#pragma once
#include "collision/pair_sweep.hpp"
#include "kernels/kinematics/screws.hpp"

namespace tarsus::TARSUS_ISA {

// Calls f(j, rate) with the entries of n^T (J_T - J_F) of pair k that are not zero, from ws.screw, the nearest points and the
// normal. What carries both segments moves them together: only the joints between them count.
template <class T, class F>
TARSUS_INLINE void for_pair_rates(const Model& m, const VolumeTable& t, const Workspace<T>& ws, int k, const Vec3<T>* point,
                                  const Vec3<T>& n, F f) {
  const Vec3<T> moment[2] = {cross(point[0], n), cross(point[1], n)};  // n . (w x p) = w . (p x n)
  int from = t.segment[t.pair[k].from].node, to = t.segment[t.pair[k].to].node;
  while (from != to) {  // parents have smaller numbers
    const bool second = to > from;
    const Node& node = m.node[second ? to : from];
    for (int j = node.v; j < node.v + node.dof; ++j) {
      const Screw<T>& s = ws.screw[j];
      const T rate = dot(n, s.linear) + dot(moment[second], s.angular);
      f(j, second ? rate : -rate);
    }
    (second ? to : from) = node.parent;
  }
}

// The same for every pair, (pairs, tree_nv), from ws.pose. Other entries must be zero before.
template <class T>
TARSUS_KERNEL void pair_gradients(const Model& m, const VolumeTable& t, Workspace<T>& ws, const T* points, const T* normals,
                                  T* gradient) {
  joint_screws(m, ws);
  for (int k = 0; k < t.pairs; ++k) {
    const Vec3<T>* point = reinterpret_cast<const Vec3<T>*>(points + 6 * k);
    const Vec3<T> n = *reinterpret_cast<const Vec3<T>*>(normals + 3 * k);
    T* row = gradient + (size_t)k * m.tree_nv;
    for_pair_rates(m, t, ws, k, point, n, [&](int j, const T& rate) TARSUS_LAMBDA { row[j] = rate; });
  }
}

}  // namespace tarsus::TARSUS_ISA
