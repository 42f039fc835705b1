// Partial derivatives of rows of constraints with respect to the configuration and the velocity, in coordinates of the tree.
//
// A row of a pair is a function of the motion of frame B seen from frame A (constraint_scalars.hpp), which only joints on the
// ways between the two bodies change. A small change of such a coordinate j with the screw S (positive where j moves B, negative
// where it moves A) is, seen from A, a displacement S of B, whatever its side. With the twists V and accelerations A of the ends
// and of the parent p of j's joint, Z = V_B - V_A and Y = A_B - A_A - V_A x Z, the rate of Z seen from A,
//   by q_j:  dZ = -(V_B - V_p) x S,   dY = (A_p - A_B) x S + (V_p - V_B) x (V_p x S) + V_A x ((V_B - V_p) x S)
//   by v_j:  dZ = S,                  dY = (V_n + V_p - V_A - V_B) x S        n the node of j's joint
// with the bracket x of twists. What the scalars themselves contribute is taken from duals along p_AB, R_AB and their rates.
#pragma once
#include "kernels/constraints/constraint_rows.hpp"

namespace tarsus::TARSUS_ISA {

// What is differentiated of a row: second J vdot + bias, first its rate, zeroth its violation, added up.
struct RowWeights {
  double second, first, zeroth;
};

// Results over the coordinates of the tree; rows x tree_nv each. `force` is null where it is not wanted.
template <class T>
struct RowVariations {
  T *by_q, *by_v;
  T* force;          // tree_nv x tree_nv: d(J^T lambda)_k / dq_j is taken off
  const T* lambda;   // rows
  const int* place;  // tree_nv: the node of each degree of freedom on the ways to the ends
};

constexpr int kRelative = 12;  // directions of p_AB, R_AB, u, w

// The relative motion with its changes along its own coordinates, in axes of A.
template <class T>
inline RelativeMotion<Dual<T, kRelative>> vary_relative(const RelativeMotion<T>& x) {
  const T o = broadcast<T>(0.0), i = broadcast<T>(1.0);
  auto vary = [&](const Vec3<T>& a, int first) {
    Vec3<Dual<T, kRelative>> r;
    r.x.value = a.x, r.y.value = a.y, r.z.value = a.z;
    for (int n = 0; n < kRelative; ++n) {
      r.x.rate[n] = n == first ? i : o, r.y.rate[n] = n == first + 1 ? i : o, r.z.rate[n] = n == first + 2 ? i : o;
    }
    return r;
  };
  auto turn = [&](const Vec3<T>& a) {  // e_n x a
    Vec3<Dual<T, kRelative>> r = vary(a, kRelative);
    r.y.rate[3] = -a.z, r.z.rate[3] = a.y;
    r.x.rate[4] = a.z, r.z.rate[4] = -a.x;
    r.x.rate[5] = -a.y, r.y.rate[5] = a.x;
    return r;
  };
  return {vary(x.p, 0), {turn(x.R.a), turn(x.R.b), turn(x.R.c)}, vary(x.u, 6), vary(x.w, 9)};
}

// One row of a pair in axes of A: how its weighted sum changes with p, R, u, w and with the rates of u and w.
template <class T>
struct RowGradient {
  T by[kRelative];
  Vec3<T> force, moment;
};

// The rows' forces on B in axes of A, multiplied by lambda, and their changes with p and R.
template <class T>
struct PairForce {
  Vec3<T> force, moment, by_force[6], by_moment[6];
};

// A pair at a state: everything seen from the base.
template <class T>
struct PairVariation {
  EndMotion<T> A, B;
  Screw<T> Z, Y;
  Vec3<T> U;  // velocity of B's origin seen from A
};

template <class T>
inline Vec3<T> point_velocity(const Screw<T>& s, const Vec3<T>& p) {
  return s.linear + cross(s.angular, p);
}
template <class T>
TARSUS_INLINE Screw<T> less(const Screw<T>& a, const Screw<T>& b) {
  return {a.linear - b.linear, a.angular - b.angular};
}

template <class T>
inline void scalar_gradients(const ConstraintTable& c, const ConstraintPair& pair, const PairVariation<T>& x,
                             const RowWeights& weight, const T* lambda, RowGradient<T>* rows, PairForce<T>& total) {
  const Mat3<T>& R = x.A.X.R;
  const Vec3<T> a_u = to_child(R, Vec3<T>(point_velocity(x.Y, x.B.X.p) + cross(x.Z.angular, x.U)));
  const Vec3<T> a_w = to_child(R, x.Y.angular), zero = zero3<T>();
  const RelativeMotion<T> here{to_child(R, Vec3<T>(x.B.X.p - x.A.X.p)),
                               {to_child(R, x.B.X.R.a), to_child(R, x.B.X.R.b), to_child(R, x.B.X.R.c)},
                               to_child(R, x.U),
                               to_child(R, x.Z.angular)};
  const RelativeMotion<Dual<T, kRelative>> varied = vary_relative(here);
  Quaternion<Dual<T, kRelative>> q{};
  total.force = total.moment = zero;
  for (int n = 0; n < 6; ++n) total.by_force[n] = total.by_moment[n] = zero;
  bool turned = false;
  int failed = 0;  // was told when the rows were evaluated
  for (int i = 0; i < pair.rows; ++i) {
    const PairRow& row = c.pair_row[pair.row + i];
    if (row.kind == kRowOrientation && !turned) {
      Vec3<T> by[kRelative];
      const T o = broadcast<T>(0.0), e = broadcast<T>(1.0);
      for (int n = 0; n < kRelative; ++n) by[n] = {n == 3 ? e : o, n == 4 ? e : o, n == 5 ? e : o};
      q = turned_quaternion(relative_quaternion(here.R), by), turned = true;
    }
    const Scalar<Dual<T, kRelative>> y = pair_scalar(row, varied, q, failed);
    const Dual<T, kRelative> rate = rate_of(y, varied);
    RowGradient<T>& g = rows[i];
    g.force = {y.force.x.value, y.force.y.value, y.force.z.value};
    g.moment = {y.moment.x.value, y.moment.y.value, y.moment.z.value};
    for (int n = 0; n < kRelative; ++n) {
      const Vec3<T> df{y.force.x.rate[n], y.force.y.rate[n], y.force.z.rate[n]};
      const Vec3<T> dm{y.moment.x.rate[n], y.moment.y.rate[n], y.moment.z.rate[n]};
      g.by[n] = weight.second * (dot(df, a_u) + dot(dm, a_w) + y.curvature.rate[n]) + weight.first * rate.rate[n] +
                weight.zeroth * y.value.rate[n];
      if (!lambda || n >= 6) continue;
      total.by_force[n] += lambda[pair.first + i] * df, total.by_moment[n] += lambda[pair.first + i] * dm;
    }
    if (!lambda) continue;
    total.force += lambda[pair.first + i] * g.force, total.moment += lambda[pair.first + i] * g.moment;
  }
}

// Entries of rows of a pair in the column of one degree of freedom.
template <class T>
inline void put_variation(const ConstraintPair& pair, const PairVariation<T>& x, const RowWeights& weight, const Screw<T>& S,
                          const Screw<T>& V_n, const Screw<T>& V_p, const Screw<T>& A_p, const RowGradient<T>* rows, int width,
                          int column, const RowVariations<T>& out) {
  const Mat3<T>& R = x.A.X.R;
  const Vec3<T>& p = x.B.X.p;
  const Screw<T> carried = carried_rate(V_p, S), dZ = carried_rate(less(V_p, x.B.V), S);
  Screw<T> dY = less(carried_rate(less(A_p, x.B.A), S), carried_rate(x.A.V, dZ));
  dY += carried_rate(less(V_p, x.B.V), carried);
  Screw<T> both = V_n;
  both += less(V_p, x.B.V);
  const Screw<T> dY_v = carried_rate(less(both, x.A.V), S);
  // Displacement and turn of B, changes of its velocity and of the rate of that, seen from A.
  const Vec3<T> moved = point_velocity(S, p), dU = point_velocity(dZ, p) + cross(x.Z.angular, moved);
  const Vec3<T> dp = to_child(R, moved), turn = to_child(R, S.angular);
  const Vec3<T> du = to_child(R, dU), dw = to_child(R, dZ.angular);
  const Vec3<T> ddu =
      to_child(R, Vec3<T>(point_velocity(dY, p) + cross(x.Y.angular, moved) + cross(dZ.angular, x.U) + cross(x.Z.angular, dU)));
  const Vec3<T> ddw = to_child(R, dY.angular);
  const Vec3<T> ddu_v = to_child(R, Vec3<T>(point_velocity(dY_v, p) + cross(S.angular, x.U) + cross(x.Z.angular, moved)));
  const Vec3<T> ddw_v = to_child(R, dY_v.angular);
  for (int i = 0; i < pair.rows; ++i) {
    const RowGradient<T>& g = rows[i];
    const Vec3<T> by_p{g.by[0], g.by[1], g.by[2]}, by_R{g.by[3], g.by[4], g.by[5]}, by_u{g.by[6], g.by[7], g.by[8]},
        by_w{g.by[9], g.by[10], g.by[11]};
    const size_t at = (size_t)(pair.first + i) * width + column;
    out.by_q[at] = dot(by_p, dp) + dot(by_R, turn) + dot(by_u, du) + dot(by_w, dw) +
                   weight.second * (dot(g.force, ddu) + dot(g.moment, ddw));
    out.by_v[at] = dot(by_u, dp) + dot(by_w, turn) + weight.second * (dot(g.force, ddu_v) + dot(g.moment, ddw_v));
  }
}

// Takes the changes of a pair's joint forces J^T lambda along one degree of freedom off the square. Seen from A: B carries its
// force along, and with it the screws of joints behind j on B's side; on A's side all others are moved the other way.
template <class T>
inline void take_force_variation(const ConstraintTable& c, const RowBlock& b, const Workspace<T>& ws, const PairVariation<T>& x,
                                 const PairForce<T>& total, int j, double sign, int width, const RowVariations<T>& out) {
  const Mat3<T>& R = x.A.X.R;
  const Screw<T> S{sign * ws.screw[j].linear, sign * ws.screw[j].angular};
  const Vec3<T> moved = point_velocity(S, x.B.X.p), dp = to_child(R, moved), turn = to_child(R, S.angular);
  const T along[6] = {dp.x, dp.y, dp.z, turn.x, turn.y, turn.z};
  Vec3<T> df = zero3<T>(), dm = df;
  for (int n = 0; n < 6; ++n) df += along[n] * total.by_force[n], dm += along[n] * total.by_moment[n];
  const Vec3<T> f = to_parent(R, total.force), change = to_parent(R, df);
  const Screw<T> W{f, to_parent(R, total.moment) + cross(x.B.X.p, f)};
  const Screw<T> dW{change, to_parent(R, dm) + cross(x.B.X.p, change) + cross(moved, f)};
  for (int i = b.column; i < b.column + b.columns; ++i) {
    const int k = c.column[i];
    const bool behind = c.sign[i] == sign && out.place[k] >= out.place[j];
    T change_k = power(ws.screw[k], dW);
    if (behind == (sign > 0.0)) change_k = change_k + power(carried_rate(S, ws.screw[k]), W);
    T& to = out.force[(size_t)k * width + j];
    to = to - c.sign[i] * change_k;
  }
}

// A row of joint coordinates.
template <class T>
inline void vary_joint_row(const ConstraintTable& c, const JointRow& row, const T* q, const T* v, const T* a,
                           const RowWeights& weight, int width, const RowVariations<T>& out) {
  T *by_q = out.by_q + (size_t)row.place * width, *by_v = out.by_v + (size_t)row.place * width;
  for (int i = row.first; i < row.first + row.terms; ++i) {
    const JointTerm& t = c.term[i];
    by_q[t.dof] = by_q[t.dof] + weight.zeroth * t.factor, by_v[t.dof] = by_v[t.dof] + weight.first * t.factor;
  }
  if (row.leader < 0) return;
  const int j = row.leader;
  const PolynomialValue<T> f = polynomial(c.coefficient + row.coefficient, row.coefficients, q[row.leader_coordinate]);
  const T x = v[j], acceleration = a ? a[j] : broadcast<T>(0.0);
  by_q[j] = by_q[j] - (weight.second * (f.curvature * acceleration + f.jerk * x * x) + weight.first * f.curvature * x +
                       weight.zeroth * f.slope);
  by_v[j] = by_v[j] - (2.0 * weight.second * f.curvature * x + weight.first * f.slope);
  if (!out.force) return;
  T& to = out.force[(size_t)j * width + j];
  to = to + out.lambda[row.place] * f.curvature;
}

// All rows at the velocities v and accelerations a of the tree (null: none). ws.pose and ws.screw must hold the nodes relative to
// the base; ws.twist and s.acceleration are overwritten. `rows` has as many entries as the largest block has rows.
template <class T>
TARSUS_KERNEL void vary_rows(const Model& m, const ConstraintTable& c, Workspace<T>& ws, const T* q, const T* v, const T* a,
                             const T* drive, const RowWeights& weight, const RowSpace<T>& s, RowGradient<T>* rows,
                             const RowVariations<T>& out) {
  const Screw<T> still{zero3<T>(), zero3<T>()};
  const Placed<T> world = inverse_pose(reference_pose(m, ws));
  const int width = m.tree_nv;
  move_nodes(m, c, ws, v, a, s);
  if (c.rows > 0) {
    std::memset(static_cast<void*>(out.by_q), 0, (size_t)c.rows * width * sizeof(T));
    std::memset(static_cast<void*>(out.by_v), 0, (size_t)c.rows * width * sizeof(T));
  }
  for (int n = 0; n < c.blocks; ++n) {
    const RowBlock& b = c.block[n];
    if (b.joint >= 0) {
      vary_joint_row(c, c.joint[b.joint], q, v, a, weight, width, out);
      continue;
    }
    const ConstraintPair& pair = c.pair[b.pair];
    PairVariation<T> x;
    x.A = pair.drive >= 0 ? driven_motion(pair.a, world, drive + pair.drive) : end_motion(pair.a, ws, world, s);
    x.B = end_motion(pair.b, ws, world, s);
    if (pair.drive >= 0 && weight.second == 0.0) x.A.V = x.A.A = still;  // J v alone
    x.Z = less(x.B.V, x.A.V), x.U = point_velocity(x.Z, x.B.X.p);
    x.Y = less(less(x.B.A, x.A.A), carried_rate(x.A.V, x.Z));
    PairForce<T> total;
    scalar_gradients(c, pair, x, weight, out.force ? out.lambda : nullptr, rows, total);
    for (int i = b.column; i < b.column + b.columns; ++i) {
      const int k = c.column[i], node = out.place[k], parent = m.node[node].parent;
      const double sign = c.sign[i];
      const Screw<T> S{sign * ws.screw[k].linear, sign * ws.screw[k].angular};
      put_variation(pair, x, weight, S, ws.twist[node], parent < 0 ? still : ws.twist[parent],
                    parent < 0 ? still : s.acceleration[parent], rows, width, k, out);
      if (out.force) take_force_variation(c, b, ws, x, total, k, sign, width, out);
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
