// How distances of segments change with the coordinates, Buschmann 2014 (5.61).
#pragma once
#include "collision/pair_sweep.hpp"
#include "kernels/kinematics/screws.hpp"

namespace tarsus::TARSUS_ISA {

// n^T (J_T - J_F) for every pair, (pairs, tree_nv), from ws.pose and the nearest points. What carries both segments moves them
// together: only the joints between them count. Other entries must be zero before.
template <class T>
TARSUS_KERNEL void pair_gradients(const Model& m, const VolumeTable& t, Workspace<T>& ws, const T* points, const T* normals,
                                  T* gradient) {
  joint_screws(m, ws);
  for (int k = 0; k < t.pairs; ++k) {
    const Vec3<T>* point = reinterpret_cast<const Vec3<T>*>(points + 6 * k);
    const Vec3<T> n = *reinterpret_cast<const Vec3<T>*>(normals + 3 * k);
    const Vec3<T> moment[2] = {cross(point[0], n), cross(point[1], n)};  // n . (w x p) = w . (p x n)
    T* row = gradient + (size_t)k * m.tree_nv;
    int from = t.segment[t.pair[k].from].node, to = t.segment[t.pair[k].to].node;
    while (from != to) {  // parents have smaller numbers
      const bool second = to > from;
      const Node& node = m.node[second ? to : from];
      for (int j = node.v; j < node.v + node.dof; ++j) {
        const Screw<T>& s = ws.screw[j];
        const T rate = dot(n, s.linear) + dot(moment[second], s.angular);
        row[j] = second ? rate : -rate;
      }
      (second ? to : from) = node.parent;
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
