// Kinematic Hessian: derivatives of a frame's Jacobian with respect to the coordinates of the joints on the way to it.
//
// With columns J_i = (v_i; w_i) as they are expressed, and the bracket x of twists, column i changes with coordinate j by
//                 joint of i at or behind that of j     joint of i before that of j
//   world         (w_j x v_i; w_j x w_i)                (w_i x v_j; 0)
//   local         0                                     J_i x J_j
//   world origin  J_j x J_i                             0
// because j carries column i, the frame, or both (Buschmann 2014 (2.81) differentiated; Hourtash 2005 for the first row).
#pragma once
#include "kernels/kinematics/frames.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE Screw<T> column_derivative(const Screw<T>& Ji, const Screw<T>& Jj, bool behind, int expressed_in) {
  if (expressed_in == kWorldOrigin) return carried_rate(Jj, Ji);
  if (expressed_in == kLocal) return carried_rate(Ji, Jj);
  if (behind) return {cross(Jj.angular, Ji.linear), cross(Jj.angular, Ji.angular)};
  return {cross(Ji.angular, Jj.linear), zero3<T>()};
}

// (6, tree_nv, tree_nv); entries of joints that do not move the frame, and those of the zeros above, must be zero before.
template <class T>
TARSUS_KERNEL void jacobian_derivative(const Context<T>& x) {
  const Model& m = x.model;
  const int nv = m.tree_nv, e = x.expressed_in;
  const FramePath<T> path = path_to_frame(m, x.ws, x.q, *x.frames);
  Screw<T>* J = x.ws.screw;
  for (int step = 0; step < path.count; ++step) {
    const int node = x.ws.path[step];
    for_screws(m.node[node], x.ws.pose[node], [&](int k, const Screw<T>& s) TARSUS_LAMBDA { J[k] = expressed(s, path, e); });
  }
  auto put = [&](int i, int j, bool behind)
                 TARSUS_LAMBDA { write_column(x.out, nv * nv, i * nv + j, column_derivative(J[i], J[j], behind, e)); };
  for (int step = 0; step < path.count; ++step) {
    const Node& n = m.node[x.ws.path[step]];
    for (int k = n.v; k < n.v + n.dof; ++k) {
      for (int j = n.v; e != kLocal && j < n.v + n.dof; ++j) put(k, j, true);
      for (int j = m.dof_parent[n.v]; j >= 0; j = m.dof_parent[j]) {
        if (e != kLocal) put(k, j, true);
        if (e != kWorldOrigin) put(j, k, false);
      }
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
