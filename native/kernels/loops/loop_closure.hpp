// Kinematic loops closed for their dependent joints: positions by Newton's method from a nearby start, then the matrix G of
// v_D = G v_I and its rate, Buschmann 2014 section 2.3.2 and (3.66)-(3.69) for loops without a closed form.
// Everything is seen from the node that the loops hang on. Closing conditions may be redundant: they are solved in the sense of
// least squares by orthogonalisation, which leaves the solution of compatible equations exact.
#pragma once
#include "kernels/kinematics/manifold.hpp"
#include "kernels/kinematics/twists.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kNewtonSteps = 40;
constexpr double kLastStep = 1e-9;      // the next step of a quadratically converging iteration is below rounding
constexpr double kClosed = 1e-6;        // residual before the last step [m, rad]; more is a loop that does not close
constexpr double kSingularLoop = 1e-7;  // part of a column that is independent of the others: positions near it have 8 digits
constexpr double kLargestStep = 0.5;    // [rad or m] of one Newton step

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

template <class T>
inline T column_product(int rows, const T* a, const T* b) {
  T sum = broadcast<T>(0.0);
  for (int r = 0; r < rows; ++r) sum = sum + a[r] * b[r];
  return sum;
}

// Orthogonalises the dependent columns (modified Gram-Schmidt) and takes them out of the `others` columns that follow. The
// triangle keeps the factors: row j holds R_jk for the columns k. Returns lanes with a column that depends on the others.
template <class T>
inline int orthogonalise(const LoopEquations<T>& e, int others) {
  const size_t n = e.dependents, width = n + e.independents + 1;
  int singular = 0;
  for (size_t j = 0; j < n; ++j) {
    T* a = e.column(j);
    const T square = column_product(e.rows, a, a);
    T before = square;
    for (size_t i = 0; i < j; ++i) before = before + e.triangle[i * width + j] * e.triangle[i * width + j];
    T inverse = square;
    for (int l = 0; l < lanes<T>; ++l) {
      const bool independent = lane(square, l) > kSingularLoop * kSingularLoop * lane(before, l) && lane(square, l) > 0.0;
      if (!independent) singular |= 1 << l;
      set_lane(inverse, l, independent ? 1.0 / __builtin_sqrt(lane(square, l)) : 0.0);
    }
    for (int r = 0; r < e.rows; ++r) a[r] = inverse * a[r];
    e.triangle[j * width + j] = inverse;  // of the diagonal
    for (size_t k = j + 1; k < n + others; ++k) {
      const T share = column_product(e.rows, a, e.column(k));
      e.triangle[j * width + k] = share;
      T* b = e.column(k);
      for (int r = 0; r < e.rows; ++r) b[r] = b[r] - share * a[r];
    }
  }
  return singular;
}

// Solution of the triangular system for column k, into x (dependents, with a stride).
template <class T>
inline void back_substitute(const LoopEquations<T>& e, int k, T* x, int stride) {
  const int n = e.dependents, width = n + e.independents + 1;
  for (int j = n - 1; j >= 0; --j) {
    T sum = e.triangle[(size_t)j * width + k];
    for (int i = j + 1; i < n; ++i) sum = sum - e.triangle[(size_t)j * width + i] * x[i * stride];
    x[j * stride] = sum * e.triangle[(size_t)j * width + j];
  }
}

// Moves the dependent coordinates by `step` on their manifolds.
template <class T>
inline void move_dependents(const Closure& c, const T* step, T* tree_q) {
  for (int k = 0; k < c.dependents; ++k) {
    const bool ball = k + 2 < c.dependents && c.coordinate[k] == c.coordinate[k + 1];
    T* q = tree_q + c.coordinate[k];
    if (!ball) {
      q[0] = q[0] + step[k];
      continue;
    }
    T turned[4];
    turn_quaternion(q, Vec3<T>{step[k], step[k + 1], step[k + 2]}, turned);
    for (int i = 0; i < 4; ++i) q[i] = turned[i];
    k += 2;
  }
}

// Newton's method; returns the lanes that did not come to rest on a closed loop.
template <class T>
inline int newton(const Model& m, const Closure& c, Workspace<T>& ws, T* tree_q) {
  const LoopEquations<T> e(c, ws.closure);
  constexpr int all = (1 << lanes<T>)-1;
  T* step = ws.force;
  int open = all, still = 0;  // lanes at rest stay where they are, so that they do not depend on the others
  for (int iteration = 0; iteration < kNewtonSteps && open; ++iteration) {
    place_loop(m, c, ws, tree_q);
    fill_equations(c, ws, tree_q, e);
    // The residual takes the place of the first independent column.
    for (int r = 0; r < e.rows; ++r) e.column(c.dependents)[r] = e.residual()[r];
    T residual = broadcast<T>(0.0), largest = broadcast<T>(0.0);
    for (int r = 0; r < e.rows; ++r) residual = larger_magnitude(residual, e.residual()[r]);
    orthogonalise(e, 1);
    back_substitute(e, c.dependents, step, 1);
    for (int k = 0; k < c.dependents; ++k) largest = larger_magnitude(largest, step[k]);
    T damping = largest;
    bool moving = false;
    open = 0;
    for (int l = 0; l < lanes<T>; ++l) {
      const double length = lane(largest, l);
      set_lane(damping, l, still >> l & 1 ? 0.0 : length > kLargestStep ? -kLargestStep / length : -1.0);
      moving |= !(length < kLastStep);
      if (!(length < kLastStep && lane(residual, l) < kClosed)) open |= 1 << l;
      if (length < kLastStep) still |= 1 << l;
    }
    for (int k = 0; k < c.dependents; ++k) step[k] = damping * step[k];
    move_dependents(c, step, tree_q);
    if (!moving) break;
  }
  return open;
}

// Start of the iteration for one independent coordinate: cubic interpolation of the table.
template <class T>
inline void start_from_table(const Closure& c, T* tree_q) {
  const int nd = c.dependents, last = c.table_size - 1;
  for (int l = 0; l < lanes<T>; ++l) {
    double x = (lane(tree_q[c.coordinate[nd]], l) - c.first) / c.spacing, turns = 0.0;
    if (c.periodic) {
      turns = std::floor(x / last);
      x -= turns * last;
    }
    int knot = x > 0.0 ? static_cast<int>(x < last ? x : last) : 0;
    knot = knot < last ? knot : last - 1;
    const double t = x < 0.0 ? 0.0 : x > last ? 1.0 : x - knot;
    const double *a = c.table + 2 * (size_t)nd * knot, *b = a + 2 * nd, *end = c.table + 2 * (size_t)nd * last;
    for (int k = 0; k < nd; ++k) {
      const double y0 = a[2 * k], s0 = a[2 * k + 1] * c.spacing, y1 = b[2 * k], s1 = b[2 * k + 1] * c.spacing;
      const double d = y1 - y0;
      const double y = y0 + t * (s0 + t * ((3 * d - 2 * s0 - s1) + t * (s0 + s1 - 2 * d)));
      set_lane(tree_q[c.coordinate[k]], l, y + turns * (end[2 * k] - c.table[2 * k]));
    }
  }
}

// Entries of G (and of its rate, if velocities are given) of a closed loop, into the rows of its dependents. Returns the lanes
// in which the loop is singular: its independent joints do not determine the others.
template <class T>
inline int loop_coupling(const Model& m, const Closure& c, Workspace<T>& ws, const T* tree_q, const T* v) {
  const LoopEquations<T> e(c, ws.closure);
  const int nd = c.dependents, ni = c.independents;
  place_loop(m, c, ws, tree_q);
  fill_equations(c, ws, tree_q, e);
  const int singular = orthogonalise(e, ni);
  auto entry = [&](T* values, int k, int j) -> T& { return values[m.row[c.dof[k]] + j]; };
  T* x = ws.force;
  for (int j = 0; j < ni; ++j) {
    back_substitute(e, nd + j, x, 1);
    for (int k = 0; k < nd; ++k) entry(ws.coupling, k, j) = -x[k];
  }
  if (!v) return singular;
  for (int k = 0; k < nd; ++k) {
    T rate = broadcast<T>(0.0);
    for (int j = 0; j < ni; ++j) rate = rate + entry(ws.coupling, k, j) * v[m.column[m.row[c.dof[k]] + j]];
    ws.tree_v[c.dof[k]] = rate;
  }
  fill_rates(m, c, ws, ws.tree_v, e);
  for (int j = 0; j < ni; ++j) {
    // A_D Gdot_j = -(Adot_I,j + Adot_D G_j), solved with the orthogonal columns that are there.
    T* b = e.rate_column(nd + j);
    for (int k = 0; k < nd; ++k) {
      const T g = entry(ws.coupling, k, j);
      for (int r = 0; r < e.rows; ++r) b[r] = b[r] + g * e.rate_column(k)[r];
    }
    const int width = nd + ni + 1;
    for (int k = 0; k < nd; ++k) {
      const T share = column_product(e.rows, e.column(k), b);
      e.triangle[(size_t)k * width + nd + j] = share;
      for (int r = 0; r < e.rows; ++r) b[r] = b[r] - share * e.column(k)[r];
    }
    back_substitute(e, nd + j, x, 1);
    for (int k = 0; k < nd; ++k) entry(ws.coupling_rate, k, j) = -x[k];
  }
  return singular;
}

}  // namespace tarsus::TARSUS_ISA
