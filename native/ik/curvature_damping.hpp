// Damping for tasks that are curved: near the border of what a robot reaches, steps by Jacobians alone overshoot to and fro.
//
// A step of dt with v = (A'A + D)^-1 A' W (gain e) goes past a minimum of |W e|^2 only where D is below gain dt S, in the sense
// of definite matrices: S is what A'A leaves out of the second derivative, the errors times the curvatures of the tasks. A
// diagonal with the sums of the rows of |S| is above S (Gershgorin).
#pragma once
#include "kernels/tasks/task_rows.hpp"

namespace tarsus::TARSUS_ISA {

// Entry of the independent velocities that turns an axis of a node which depends on no other one.
inline int independent_entry(const Model& m, int k) { return m.coupled ? m.column[m.row[k]] : k; }

// Whether nothing on the way from the root to a node follows other joints, wherever else in the model that may be.
inline bool independent_way(const Model& m, int node) {
  for (int i = node; m.coupled && i >= 0; i = m.node[i].parent) {
    if (m.node[i].dof > 0 && m.copied_q[m.node[i].q] < 0) return false;
  }
  return true;
}

// Sums of the rows of |S| for a block whose second derivatives by joints i and j, i before j on the way from the root, are
// w_i x c_j. `u` is the direction of the error, in world axes, at the size it counts with; c_j = column(j). For every joint of a
// node and those before it, none of which depends on others.
template <class F>
inline void add_row_sums(const Model& m, const Workspace<double>& ws, const Vec3<double>& u, int node, F column, double* sums) {
  const Node& n = m.node[node];
  for (int k = n.v; k < n.v + n.dof; ++k) {
    const Vec3<double> turn = cross(column(k), u);  // u . (w x c) = w . (c x u)
    for (int i = node; i >= 0; i = m.node[i].parent) {
      for (int l = m.node[i].v; l < m.node[i].v + m.node[i].dof; ++l) {
        const double x = __builtin_fabs(dot(ws.screw[l].angular, turn)) * (i == node && l != k ? 0.5 : 1.0);
        sums[independent_entry(m, l)] += x;
        if (l != k) sums[independent_entry(m, k)] += x;
      }
    }
  }
}

// The same where second derivatives are not known one by one: all sums are at most |e| sqrt(n sum |J_j|^2) with the rows that
// the task asks for.
inline void add_bound(const Model& m, const TaskTable& t, const TaskBlock& b, const double* J, double size, double* sums) {
  double squares = 0.0;
  for (int r = b.first; r < b.first + b.rows; ++r) {
    const double w = t.row[r].weight, scale = w > 0.0 ? 1.0 / (w * w) : 0.0;
    for (int k = 0; k < m.nv; ++k) squares += scale * J[(size_t)r * m.nv + k] * J[(size_t)r * m.nv + k];
  }
  const double most = size * __builtin_sqrt(m.nv * squares);
  for (int k = 0; k < m.nv; ++k) sums[k] += most;
}

// Adds D of a block to `diagonal` (nv). J are weighted rows, e plain errors, gains one a row.
inline void add_curvature_damping(const Model& m, const TaskTable& t, const TaskBlock& b, const Workspace<double>& ws,
                                  const double* J, const double* gain, const double* e, double dt, double* diagonal) {
  if (b.kind == kTaskPosture) return;
  double wish[3] = {0.0, 0.0, 0.0};
  for (int r = b.first; r < b.first + b.rows; ++r) {
    wish[t.row[r].component] = dt * t.row[r].weight * t.row[r].weight * gain[r] * e[r];
  }
  const Vec3<double> u = vec3(wish);
  if (dot(u, u) == 0.0) return;
  const bool of_frame = b.kind == kTaskPosition || b.kind == kTaskOrientation;
  const bool known = of_frame ? independent_way(m, b.frame.node) : !m.coupled;
  if (!known || b.kind == kTaskSight || b.reference.node >= 0) {
    add_bound(m, t, b, J, __builtin_sqrt(dot(u, u)), diagonal);
  } else if (b.kind == kTaskPosition) {
    const Vec3<double> p = frame_on(ws.pose[b.frame.node], b.frame).p;
    const auto column = [&](int k) { return ws.screw[k].linear + cross(ws.screw[k].angular, p); };
    for (int i = b.frame.node; i >= 0; i = m.node[i].parent) add_row_sums(m, ws, u, i, column, diagonal);
  } else if (b.kind == kTaskOrientation) {
    const auto column = [&](int k) { return 0.5 * ws.screw[k].angular; };
    for (int i = b.frame.node; i >= 0; i = m.node[i].parent) add_row_sums(m, ws, u, i, column, diagonal);
  } else {
    const auto column = [&](int k) { return (1.0 / m.total_mass) * ws.screw_rate[k].linear; };
    for (int i = 0; i < m.nodes; ++i) add_row_sums(m, ws, u, i, column, diagonal);
  }
}

}  // namespace tarsus::TARSUS_ISA
