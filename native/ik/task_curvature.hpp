// How Jacobians of tasks change: gradients of bilinear forms c^T J(q) b with respect to the coordinates, without the derivative
// of J as such. With (v_i; w_i) the columns of a frame's Jacobian (jacobian_derivative.hpp), a force f and a moment n at it,
//   d/dq_k (f . v + n . w) = w_k . (v_(>= k) x f + w_(>= k) x n) + f . (w_(< k) x v_k)
// where v_(>= k), w_(>= k) are what b moves at or behind the joint of k, w_(< k) what it turns before it.
#pragma once
#include "kernels/tasks/task_rows.hpp"

namespace tarsus::TARSUS_ISA {

// Rows c of one block, weighted, as a vector in the world.
static inline Vec3<double> block_vector(const TaskBlock& b, const TaskRow* row, const double* c) {
  double x[3] = {0.0, 0.0, 0.0};
  for (int r = 0; r < b.rows; ++r) x[row[r].component] += row[r].weight * c[r];
  return {x[0], x[1], x[2]};
}

// Adds the gradient for a frame on `node` at p (relative to the root, as ws.screw) to h (tree_nv); b are velocities of the tree.
static inline void add_frame_curvature(const Model& m, const Workspace<double>& ws, int node, const Vec3<double>& p,
                                       const Vec3<double>& f, const Vec3<double>& n, const double* b, double* h) {
  Vec3<double> turn = zero3<double>();  // of the frame by all joints
  for (int i = node; i >= 0; i = m.node[i].parent) {
    for (int k = m.node[i].v; k < m.node[i].v + m.node[i].dof; ++k) turn += b[k] * ws.screw[k].angular;
  }
  Vec3<double> v = zero3<double>(), w = v;  // at or behind the node
  for (int i = node; i >= 0; i = m.node[i].parent) {
    const int first = m.node[i].v, last = first + m.node[i].dof;
    for (int k = first; k < last; ++k) {
      const Screw<double>& s = ws.screw[k];
      v += b[k] * (s.linear + cross(s.angular, p)), w += b[k] * s.angular;
    }
    const Vec3<double> moment = cross(v, f) + cross(w, n), before = turn - w;
    for (int k = first; k < last; ++k) {
      const Screw<double>& s = ws.screw[k];
      h[k] += dot(s.angular, moment) + dot(f, cross(before, s.linear + cross(s.angular, p)));
    }
  }
}

// The same for the centre of mass, whose momenta of all joints are in ws.screw_rate; f has the share 1/m in it. ws.twist is used:
// linear momentum of what is behind a node, and angular velocity before it.
static inline void add_center_curvature(const Model& m, Workspace<double>& ws, const Vec3<double>& f, const double* b,
                                        double* h) {
  for (int i = 0; i < m.nodes; ++i) {
    const int parent = m.node[i].parent;
    Vec3<double> w = zero3<double>();
    if (parent >= 0) {
      w = ws.twist[parent].angular;
      for (int k = m.node[parent].v; k < m.node[parent].v + m.node[parent].dof; ++k) w += b[k] * ws.screw[k].angular;
    }
    ws.twist[i] = {zero3<double>(), w};
  }
  for (int i = m.nodes - 1; i >= 0; --i) {
    const int first = m.node[i].v, last = first + m.node[i].dof;
    Vec3<double>& P = ws.twist[i].linear;
    for (int k = first; k < last; ++k) P += b[k] * ws.screw_rate[k].linear;
    for (int k = first; k < last; ++k) {
      h[k] += dot(ws.screw[k].angular, cross(P, f)) + dot(f, cross(ws.twist[i].angular, ws.screw_rate[k].linear));
    }
    if (m.node[i].parent >= 0) ws.twist[m.node[i].parent].linear += P;
  }
}

// Adds the gradient of c^T J b to h (tree_nv) for all blocks: c (rows), b velocities of the tree. ws is as task_rows with a
// Jacobian leaves it. Rows of postures do not change.
static inline void add_task_curvature(const Model& m, const TaskTable& t, Workspace<double>& ws, const double* c, const double* b,
                                      double* h) {
  for (int i = 0; i < t.blocks; ++i) {
    const TaskBlock& block = t.block[i];
    const Vec3<double> x = block_vector(block, t.row + block.first, c + block.first), none = zero3<double>();
    switch (block.kind) {
      case kTaskPosition:
        add_frame_curvature(m, ws, block.frame.node, frame_on(ws.pose[block.frame.node], block.frame).p, x, none, b, h);
        break;
      case kTaskOrientation: add_frame_curvature(m, ws, block.frame.node, none, none, x, b, h); break;
      case kTaskCenter: add_center_curvature(m, ws, (1.0 / m.total_mass) * x, b, h); break;
      default: break;
    }
  }
}

// Rows z^T de of the errors: exactly -z^T J dq but for orientations, whose error e = log(R* R^T) changes by -Jr(e)^-1 w. Adds
// z^T (Jr(e)^-1 - 1) w, what the rows J miss, to h (tree_nv).
static inline void add_turned_errors(const Model& m, const TaskTable& t, const Workspace<double>& ws, const double* target,
                                     const double* z, double* h) {
  for (int i = 0; i < t.blocks; ++i) {
    const TaskBlock& block = t.block[i];
    if (block.kind != kTaskOrientation) continue;
    const double* goal = target + block.target;
    const Mat3<double> R = frame_on(ws.pose[block.frame.node], block.frame).R;
    const auto column = [&](double x, double y, double w) {  // of R* R^T: R* times a row of R
      const Vec3<double> r{x, y, w};
      return Vec3<double>{dot(vec3(goal), r), dot(vec3(goal + 3), r), dot(vec3(goal + 6), r)};
    };
    const Vec3<double> e =
        rotation_vector(Mat3<double>{column(R.a.x, R.b.x, R.c.x), column(R.a.y, R.b.y, R.c.y), column(R.a.z, R.b.z, R.c.z)});
    const Vec3<double> n = block_vector(block, t.row + block.first, z + block.first), en = cross(e, n);
    const Vec3<double> missing = -0.5 * en + log_coefficient(dot(e, e)) * cross(e, en);  // (Jr^-1 - 1)^T n
    for (int k = block.frame.node; k >= 0; k = m.node[k].parent) {
      for (int d = m.node[k].v; d < m.node[k].v + m.node[k].dof; ++d) h[d] += dot(ws.screw[d].angular, missing);
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
