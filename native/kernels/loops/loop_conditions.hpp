// Closing conditions of kinematic loops as equations of their joints: residuals, their Jacobian and its rate, Buschmann 2014
// section 2.3.2. Everything is seen from the node that the loops hang on.
#pragma once
#include "kernels/kinematics/twists.hpp"

namespace tarsus::TARSUS_ISA {

// Equations of one loop closure: rows x (dependents + independents + 1), column by column; the last one is the residual. Columns
// are filled with all conditions; `rows` are left where a loop keeps combinations of them only.
template <class T>
struct LoopEquations {
  T *matrix, *rate, *triangle, *combined;
  size_t stride;
  int rows, dependents, independents;
  LoopEquations(const Closure& c, T* memory)
      : matrix(memory),
        rate(memory + (size_t)c.rows * (c.dependents + c.independents + 1)),
        triangle(memory + 2 * (size_t)c.rows * (c.dependents + c.independents + 1)),
        combined(triangle + (size_t)c.dependents * (c.dependents + c.independents + 1)),
        stride(c.rows),
        rows(c.kept > 0 ? c.kept : c.rows),
        dependents(c.dependents),
        independents(c.independents) {}
  T* column(size_t k) const { return matrix + k * stride; }
  T* rate_column(size_t k) const { return rate + k * stride; }
  T* residual() const { return column(dependents + independents); }
};

// Combinations of the closing conditions in place of the conditions, for some columns.
template <class T>
inline void combine(const Closure& c, const LoopEquations<T>& e, T* columns, int count) {
  for (int k = 0; k < count && c.kept > 0; ++k, columns += e.stride) {
    for (int r = 0; r < c.kept; ++r) {
      T sum = broadcast<T>(0.0);
      for (int i = 0; i < c.rows; ++i) sum = sum + c.weight[r * c.rows + i] * columns[i];
      e.combined[r] = sum;
    }
    for (int r = 0; r < c.kept; ++r) columns[r] = e.combined[r];
  }
}

// Poses of the closure's nodes and screws of its joints in the frame of its root.
template <class T>
inline void place_loop(const Model& m, const Closure& c, Workspace<T>& ws, const T* tree_q) {
  const Placed<T> root{identity3<T>(), zero3<T>()};
  for (int k = 0; k < c.nodes; ++k) {
    const int i = c.node[k];
    const Node& n = m.node[i];
    if (has_angle(n.arm)) {
      sincos(tree_q[n.q], ws.sine[i], ws.cosine[i]);
      ws.sine[i] = n.sign * ws.sine[i];
    }
    if (n.slot >= 0) ws.placed[n.slot] = place_joint(n, tree_q + n.q);
    pose_step(m, ws, tree_q, i, n.parent == c.root ? root : ws.pose[n.parent]);
    joint_screws_of(m, ws, i);
  }
}

// One closing condition: its value, and the wrench whose power on the relative motion of the loop's ends is its rate.
template <class T>
struct RowWrench {
  T value;
  Screw<T> wrench;  // force, moment about the root's origin
};
template <class T>
struct RowEnds {  // what a row needs of the nodes at its ends
  Vec3<T> point_a, point_b, axis_a, axis_b;
};
template <class T>
inline RowEnds<T> row_ends(const LoopRow& row, const Workspace<T>& ws) {
  auto point = [&](int node, const double* x) {
    if (node < 0) return widen<T>(vec3(x));
    const Placed<T>& X = ws.pose[node];
    return X.p + x[0] * X.R.a + x[1] * X.R.b + x[2] * X.R.c;
  };
  auto axis = [&](int node, const double* x) {
    if (node < 0) return widen<T>(vec3(x));
    const Mat3<T>& R = ws.pose[node].R;
    return x[0] * R.a + x[1] * R.b + x[2] * R.c;
  };
  return {point(row.node_a, row.point_a), point(row.node_b, row.point_b), axis(row.node_a, row.axis_a),
          axis(row.node_b, row.axis_b)};
}
template <class T>
inline RowWrench<T> row_wrench(const LoopRow& row, const RowEnds<T>& e) {
  if (row.kind == kAlong) return {dot(e.axis_a, e.point_b - e.point_a), {e.axis_a, cross(e.point_b, e.axis_a)}};
  return {dot(e.axis_a, e.axis_b), {zero3<T>(), cross(e.axis_b, e.axis_a)}};
}

// q_a - ratio q_b = offset between two joints of the closure.
template <class T>
inline void fill_relation(const Closure& c, int r, const T* tree_q, const LoopEquations<T>& e) {
  const LoopRow& row = c.row[r];
  e.residual()[r] = tree_q[c.coordinate[row.node_a]] - row.point_a[0] * tree_q[c.coordinate[row.node_b]] - row.point_a[1];
  for (int k = 0; k < c.dependents + c.independents; ++k) {
    e.column(k)[r] = broadcast<T>((k == row.node_a ? 1.0 : 0.0) - (k == row.node_b ? row.point_a[0] : 0.0));
  }
}

template <class T>
inline void fill_equations(const Closure& c, const Workspace<T>& ws, const T* tree_q, const LoopEquations<T>& e) {
  for (int r = 0; r < c.rows; ++r) {
    if (c.row[r].kind == kRelation) {
      fill_relation(c, r, tree_q, e);
      continue;
    }
    const RowWrench<T> w = row_wrench(c.row[r], row_ends(c.row[r], ws));
    e.residual()[r] = w.value;
    for (int k = 0; k < c.dependents + c.independents; ++k) {
      const double sign = c.sign[r * (c.dependents + c.independents) + k];
      const Screw<T>& s = ws.screw[c.dof[k]];
      e.column(k)[r] = sign * (dot(w.wrench.linear, s.linear) + dot(w.wrench.angular, s.angular));
    }
  }
  combine(c, e, e.matrix, c.dependents + c.independents + 1);
}

// Rates of the columns for the velocities of the tree: screws turn with the nodes they are fixed to, rows with their ends.
template <class T>
inline void fill_rates(const Model& m, const Closure& c, Workspace<T>& ws, const T* tree_v, const LoopEquations<T>& e) {
  const Screw<T> still{zero3<T>(), zero3<T>()};
  for (int k = 0; k < c.nodes; ++k) {
    const int i = c.node[k];
    const Screw<T>& parent = m.node[i].parent == c.root ? still : ws.twist[m.node[i].parent];
    ws.twist[i] = twist_step(m, ws, i, parent, tree_v);
    for (int d = m.node[i].v; d < m.node[i].v + m.node[i].dof; ++d) ws.screw_rate[d] = carried_rate(ws.twist[i], ws.screw[d]);
  }
  auto twist = [&](int node) { return node < 0 ? still : ws.twist[node]; };
  for (int r = 0; r < c.rows; ++r) {
    const LoopRow& row = c.row[r];
    if (row.kind == kRelation) {
      for (int k = 0; k < c.dependents + c.independents; ++k) e.rate_column(k)[r] = broadcast<T>(0.0);
      continue;
    }
    const RowEnds<T> x = row_ends(row, ws);
    const Screw<T> A = twist(row.node_a), B = twist(row.node_b), w = row_wrench(row, x).wrench;
    const Vec3<T> axis_rate = cross(A.angular, x.axis_a);
    Screw<T> rate{axis_rate, cross(B.linear + cross(B.angular, x.point_b), x.axis_a) + cross(x.point_b, axis_rate)};
    if (row.kind == kAcross) rate = {zero3<T>(), cross(cross(B.angular, x.axis_b), x.axis_a) + cross(x.axis_b, axis_rate)};
    for (int k = 0; k < c.dependents + c.independents; ++k) {
      const double sign = c.sign[r * (c.dependents + c.independents) + k];
      const Screw<T>&s = ws.screw[c.dof[k]], &ds = ws.screw_rate[c.dof[k]];
      e.rate_column(k)[r] = sign * (dot(rate.linear, s.linear) + dot(rate.angular, s.angular) + dot(w.linear, ds.linear) +
                                    dot(w.angular, ds.angular));
    }
  }
  combine(c, e, e.rate, c.dependents + c.independents);
}

}  // namespace tarsus::TARSUS_ISA
