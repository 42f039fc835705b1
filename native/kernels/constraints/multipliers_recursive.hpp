// Multipliers inside the articulated-body recursion, after Vereshchagin (1974) and Brandl, Johanni and Otter (1987).
// Buschmann 2014 section 3.4.2: "The Lagrangian multipliers can be calculated within the recursive procedure at the point where
// the last body in a loop (or connected system of loops) is encountered." The recursion runs at zero velocity, because a
// Newton-Euler sweep has put all velocity terms into the wrenches:
//   I_i a_i + p_i = F_i lambda + (force from the joint),   a_i = a_p + S_i vdot_i
// Backward, a joint is eliminated as in (3.54), with one column F for each multiplier that is still unknown:
//   D = S^T I S + armature,   (u, U) = (tau - S^T p, C + S^T F),   vdot = D^-1 (u + U lambda - S^T I a_p)
// and a_p and lambda enter the constraints through F^T a_p + G lambda + g, where G and g collect U^T D^-1 U and U^T D^-1 u. At
// the last body of a loop this must equal the target: with G = L L^T, lambda = L^-T (z - Z a - Z_o lambda_o), where z = L^-1
// (target - g), Z = L^-1 F^T and Z_o belongs to loops that stay open. The loop is gone, and the body has the inertia I + Z^T Z.
// O(n) in bodies as long as no loop grows with them. Inertias are in node axes as everywhere; columns F are in those of the base
// and about its origin, so that they pass from a body to its parent unchanged.
#pragma once
#include "kernels/constraints/multiplier_problem.hpp"
#include "kernels/dynamics/articulated_body.hpp"
#include "kernels/dynamics/composite_body.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct RecursionSpace {
  Screw<T>* open;     // opens: columns F of the rows that are open at a joint
  Screw<T>* closing;  // rows: columns that have arrived at the last body
  T* felt;            // open_dofs: U
  T* group;           // group_memory: L, Z, Z_o, z of each group
  T *G, *g;           // rows x rows, rows; of independent rows
};

// Numbers of one group in that memory; `others` rows are open at its last body.
template <class T>
struct GroupSpace {
  T *L, *Z, *others, *z;
  GroupSpace(const RowGroup& group, int others_, T* memory)
      : L(memory + group.memory),
        Z(L + (size_t)group.rows * group.rows),
        others(Z + 6 * (size_t)group.rows),
        z(others + (size_t)group.rows * others_) {}
};

// Independent rows of a group, or of those open at a node: calls f(n, row) with n counting from 0; returns their number.
template <class F>
TARSUS_INLINE int for_group(const ConstraintTable& c, const RowGroup& group, const int* place, F f) {
  int n = 0;
  for (int i = group.first; i < group.first + group.rows; ++i) {
    if (place[c.group_row[i]] >= 0) f(n++, c.group_row[i]);
  }
  return n;
}
template <class F>
TARSUS_INLINE int for_open(const ConstraintTable& c, int node, const int* place, F f) {
  int n = 0;
  if (node < 0) return n;  // nothing is open at the world
  for (int e = c.open_first[node]; e < c.open_first[node + 1]; ++e) {
    if (place[c.open[e].row] >= 0) f(n++, e);
  }
  return n;
}

// Adds Z^T Z to the inertia of a node and -Z^T z to its bias wrench, for one row of Z.
template <class T>
inline void add_closed(Workspace<T>& ws, int node, const Screw<T>& Z, const T& z) {
  const Placed<T>& X = ws.pose[node];
  const Vec3<T> f = to_child(X.R, Z.linear), n = to_child(X.R, Vec3<T>(Z.angular - cross(X.p, Z.linear)));
  Articulated<T>& I = ws.articulated[node];
  I.A = minus_outer(I.A, n, Vec3<T>(-n)), I.C = minus_outer(I.C, f, Vec3<T>(-f));
  I.Bx += n.x * f, I.By += n.y * f, I.Bz += n.z * f;
  ws.wrench[node].f = ws.wrench[node].f - z * f, ws.wrench[node].n = ws.wrench[node].n - z * n;
}

template <class T>
TARSUS_INLINE Screw<T> minus(const Screw<T>& a, const T& x, const Screw<T>& b) {
  return {a.linear - x * b.linear, a.angular - x * b.angular};
}

// Closes the loops of a group at its last body, -1 being the world.
template <class T>
inline void close_group(const Model& m, const MultiplierProblem<T>& x, const RowGroup& group, Workspace<T>& ws,
                        const RecursionSpace<T>& s) {
  const ConstraintTable& c = x.table;
  const int *place = x.rows.place, node = group.node, size = x.rows.count;
  const int open = node < 0 ? 0 : c.open_first[node + 1] - c.open_first[node];
  const GroupSpace<T> y(group, open, s.group);
  auto entry = [&](int r, int k) TARSUS_LAMBDA {
    return place[r] >= place[k] ? s.G[(size_t)place[r] * size + place[k]] : s.G[(size_t)place[k] * size + place[r]];
  };
  Screw<T>* Z = reinterpret_cast<Screw<T>*>(y.Z);
  const int n = for_group(c, group, place, [](int, int) {});
  // G and target - g of the group, its columns F, and G between it and the rows that stay open.
  for_group(c, group, place, [&](int i, int row) {
    for_group(c, group, place, [&](int k, int other) { y.L[(size_t)i * n + k] = entry(row, other); });
    for_open(c, node, place, [&](int k, int e) { y.others[(size_t)i * open + k] = entry(row, c.open[e].row); });
    y.z[i] = x.target[row] - s.g[place[row]];
    Z[i] = s.closing[row];
  });
  // G = L L^T, z = L^-1 (target - g), Z = L^-1 F^T, Z_o = L^-1 G_o.
  factor_response(n, y.L);
  cholesky_forward(n, static_cast<const T*>(y.L), y.z);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) Z[i] = minus(Z[i], y.L[(size_t)i * n + k], Z[k]);
    const T inverse = y.L[(size_t)i * n + i];
    Z[i] = inverse * Z[i];
    for_open(c, node, place, [&](int o, int) {
      T sum = y.others[(size_t)i * open + o];
      for (int k = 0; k < i; ++k) sum = sum - y.L[(size_t)i * n + k] * y.others[(size_t)k * open + o];
      y.others[(size_t)i * open + o] = sum * inverse;
    });
  }
  if (node < 0) return;
  // lambda = L^-T (z - Z a - Z_o lambda_o) put in: the body gets the inertia I + Z^T Z, open rows lose Z_o^T (Z, z, Z_o).
  for (int i = 0; i < n; ++i) {
    if (!is_fixed(m.node[node])) add_closed(ws, node, Z[i], y.z[i]);
    for_open(c, node, place, [&](int o, int e) {
      const T share = y.others[(size_t)i * open + o];
      const int row = place[c.open[e].row];
      s.open[e] = minus(s.open[e], share, Z[i]);
      s.g[row] = s.g[row] + share * y.z[i];
      for_open(c, node, place, [&](int k, int f) {
        const int column = place[c.open[f].row];
        if (column > row) return;
        T& G = s.G[(size_t)row * size + column];
        G = G - share * y.others[(size_t)i * open + k];
      });
    });
  }
}

// Sign of a degree of freedom along the axes of its node against its coordinate.
TARSUS_INLINE double axis_sign(const Node& n, int k) { return arm_of(n).signed_dof == k ? n.sign : 1.0; }

// Takes the open columns through the joint of node i, which has just been eliminated, and hands them on.
template <class T>
inline void pass_columns(const Model& m, const MultiplierProblem<T>& x, int i, const Workspace<T>& ws,
                         const RecursionSpace<T>& s) {
  const ConstraintTable& c = x.table;
  const Node& n = m.node[i];
  const Placed<T>& X = ws.pose[i];
  const int *place = x.rows.place, size = x.rows.count, count = c.open_first[i + 1] - c.open_first[i];
  for_open(c, i, place, [&](int, int e) {
    if (c.open[e].ends) s.open[e] = minus(s.open[e], broadcast<T>(-c.open[e].ends), x.wrench[c.open[e].row]);
  });
  for (int k = n.dof - 1; k >= 0; --k) {
    const Eliminated<T>& joint = ws.eliminated[n.v + k];
    const Vec3<T> f = to_parent(X.R, joint.f);
    const Screw<T> IS{f, to_parent(X.R, joint.n) + cross(X.p, f)};
    const double sign = axis_sign(n, k);
    T* felt = s.felt + c.open_dof[i] + (size_t)k * count;
    for_open(c, i, place, [&](int o, int e) {
      const int row = c.open[e].row;
      T U = power(ws.screw[n.v + k], s.open[e]);
      if (c.joint_of[row] >= 0) U = U + x.jacobian[(size_t)row * x.width + n.v + k];
      felt[o] = sign * U;
    });
    for_open(c, i, place, [&](int o, int e) {
      const T share = felt[o] * joint.inverse;
      const int row = place[c.open[e].row];
      s.g[row] = s.g[row] + share * joint.u;
      T* G = s.G + (size_t)row * size;
      for_open(c, i, place, [&](int b, int other) {
        if (b > o) return;
        const int column = place[c.open[other].row];
        G[column] = G[column] + share * felt[b];
      });
      s.open[e] = minus(s.open[e], share, IS);
    });
  }
  for_open(c, i, place, [&](int, int e) { (c.open[e].up >= 0 ? s.open[c.open[e].up] : s.closing[c.open[e].row]) += s.open[e]; });
}

// Multipliers of a group from the acceleration of its last body and those found before.
template <class T>
inline void open_group(const MultiplierProblem<T>& x, const RowGroup& group, const Screw<T>& a, const RecursionSpace<T>& s) {
  const ConstraintTable& c = x.table;
  const int *place = x.rows.place, node = group.node;
  const int open = node < 0 ? 0 : c.open_first[node + 1] - c.open_first[node];
  const GroupSpace<T> y(group, open, s.group);
  const Screw<T>* Z = reinterpret_cast<const Screw<T>*>(y.Z);
  const int n = for_group(c, group, place, [&](int i, int) {
    y.z[i] = y.z[i] - power(a, Z[i]);
    for_open(c, node, place, [&](int o, int e) { y.z[i] = y.z[i] - y.others[(size_t)i * open + o] * x.lambda[c.open[e].row]; });
  });
  cholesky_backward(n, static_cast<const T*>(y.L), y.z);
  for_group(c, group, place, [&](int i, int row) { x.lambda[row] = y.z[i]; });
}

// ws.wrench holds the bias wrenches, ws.pose and ws.screw the nodes relative to the base.
template <class T>
TARSUS_KERNEL void multipliers_recursive(const Model& m, Workspace<T>& ws, const T* q, const T* tau,
                                         const MultiplierProblem<T>& x, const RecursionSpace<T>& s) {
  const ConstraintTable& c = x.table;
  const Screw<T> none{zero3<T>(), zero3<T>()};
  const size_t size = x.rows.count;
  // Columns F of rows that nothing has reached yet, wrenches at the bodies where loops close, G = 0, g = 0.
  for (int e = 0; e < c.opens; ++e) s.open[e] = none;
  for (int r = 0; r < c.rows; ++r) s.closing[r] = minus(none, broadcast<T>(-c.closing_sign[r]), x.wrench[r]);
  for (size_t k = 0; k < size * size; ++k) s.G[k] = broadcast<T>(0.0);
  for (size_t k = 0; k < size; ++k) s.g[k] = broadcast<T>(0.0);
  // From the leaves to the root: loops are closed at their last body, joints eliminated, open columns handed on.
  for (int i = m.nodes - 1; i >= 0; --i) {
    if (c.node_group[i] >= 0) close_group(m, x, c.group[c.node_group[i]], ws, s);
    eliminate_alone(m, ws, q, tau, i, OwnInertia<T>{m}, false);
    if (c.open_first[i + 1] > c.open_first[i]) pass_columns(m, x, i, ws, s);
  }
  const Motion<T> still{zero3<T>(), zero3<T>(), zero3<T>()};
  const int world = c.node_group[m.nodes];
  if (world >= 0) close_group(m, x, c.group[world], ws, s), open_group(x, c.group[world], none, s);
  // From the root outwards: u + U lambda in place of u, accelerations, and the multipliers of loops closed at this body.
  if (is_fixed(m.node[0])) ws.motion[0] = still;
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    const int count = c.open_first[i + 1] - c.open_first[i];
    for (int k = 0; count > 0 && k < n.dof; ++k) {
      T& u = ws.eliminated[n.v + k].u;
      const T* felt = s.felt + c.open_dof[i] + (size_t)k * count;
      for_open(c, i, x.rows.place, [&](int o, int e) { u = u + felt[o] * x.lambda[c.open[e].row]; });
    }
    accelerate_alone(m, ws, q, i, n.parent < 0 ? still : ws.motion[n.parent], x.vdot);
    if (c.node_group[i] < 0) continue;
    const Vec3<T> dw = to_parent(ws.pose[i].R, ws.motion[i].dw), a = to_parent(ws.pose[i].R, ws.motion[i].a);
    open_group(x, c.group[c.node_group[i]], Screw<T>{a - cross(dw, ws.pose[i].p), dw}, s);
  }
}

}  // namespace tarsus::TARSUS_ISA
