// Poses of all nodes in the world, or relative to the base, Buschmann 2014 (2.58).
#pragma once
#include "kernels/kinematics/joints.hpp"

namespace tarsus::TARSUS_ISA {

// Pose of node i from the pose of its parent.
template <class T>
TARSUS_INLINE void pose_step(const Model& m, Workspace<T>& ws, const T* q, int i, const Placed<T>& parent) {
  visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
    ws.pose[i] = {compose(parent.R, J.R), parent.p + J.p.x * parent.R.a + J.p.y * parent.R.b + J.p.z * parent.R.c};
  });
}

// Poses of all nodes below the root, whose own pose must be there; joints must be prepared.
template <class T>
TARSUS_SWEEP void poses_below_root(const Model& m, Workspace<T>& ws, const T* q) {
  for (int i = 1; i < m.nodes; ++i) pose_step(m, ws, q, i, ws.pose[m.node[i].parent]);
}
TARSUS_COMPILED_ONCE void poses_below_root(const Model&, Workspace<double>&, const double*);
TARSUS_COMPILED_ONCE void poses_below_root(const Model&, Workspace<Pack>&, const Pack*);

template <class T>
TARSUS_INLINE Placed<T> root_pose(const Model& m, const Workspace<T>& ws) {
  return is_fixed(m.node[0]) ? Placed<T>{identity3<T>(), zero3<T>()} : ws.placed[m.node[0].slot];
}

// Poses X_WN of all nodes; joints must be prepared.
template <class T>
TARSUS_INLINE void world_poses(const Model& m, Workspace<T>& ws, const T* q) {
  ws.pose[0] = root_pose(m, ws);
  poses_below_root(m, ws, q);
}

// The same with the origin moved to the root, where nothing is far away: world axes, positions relative to the root.
template <class T>
TARSUS_INLINE void rooted_poses(const Model& m, Workspace<T>& ws, const T* q) {
  prepare_joints(m, ws, q);
  ws.pose[0] = {root_pose(m, ws).R, zero3<T>()};
  poses_below_root(m, ws, q);
}

// Nodes on the way from the root to node i, into ws.path in that order; returns their number.
template <class T>
inline int path_to(const Model& m, Workspace<T>& ws, int i) {
  if (ws.path_end == i) return ws.path_count;
  int slot = m.nodes;
  for (int k = i; k >= 0; k = m.node[k].parent) ws.path[--slot] = k;  // from the end, then to the beginning
  for (int k = slot; k < m.nodes; ++k) ws.path[k - slot] = ws.path[k];
  ws.path_end = i;
  return ws.path_count = m.nodes - slot;
}

// Poses of the nodes on the way to node i only.
template <class T>
inline void poses_to(const Model& m, Workspace<T>& ws, const T* q, int i) {
  const int count = path_to(m, ws, i);
  prepare_path(m, ws, q, count);
  ws.pose[0] = root_pose(m, ws);
  for (int k = 1; k < count; ++k) pose_step(m, ws, q, ws.path[k], ws.pose[ws.path[k - 1]]);
}

}  // namespace tarsus::TARSUS_ISA
