// Rows of constraints at a state: violation, velocity, Jacobian and bias, Buschmann 2014 section 3.4.1, in coordinates of the
// spanning tree. Everything is seen in the axes of the base and about its origin (in those of the world where the base is fixed),
// where composite bodies are added up, too. A row is the wrench whose power on the relative twist of two bodies is the rate of
// the violation; its entries are products with the screws of those joints that move one of the bodies but not the other.
#pragma once
#include "kernels/constraints/constraint_scalars.hpp"
#include "kernels/dynamics/composite_body.hpp"
#include "kernels/loops/tree_coordinates.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct RowSpace {
  T *violation, *velocity, *bias;  // rows
  T* jacobian;                     // rows x tree_nv, zero where no column is
  Screw<T>* wrench;                // rows: on body B, about the base
  Screw<T>* acceleration;          // nodes: spatial, for vdot = 0
};

// Where the base is in the world: poses are relative to it.
template <class T>
TARSUS_INLINE Placed<T> reference_pose(const Model& m, const Workspace<T>& ws) {
  return root_pose(m, ws);
}

// Poses of the nodes relative to the base, and their screws; joints must be prepared. composite_body leaves the same behind.
template <class T>
inline void place_nodes(const Model& m, const ConstraintTable& c, Workspace<T>& ws, const T* q) {
  for (int k = 0; k < c.nodes; ++k) {
    const int i = c.node[k];
    if (i == 0) {
      ws.pose[0] = {identity3<T>(), zero3<T>()};
    } else {
      pose_step(m, ws, q, i, ws.pose[m.node[i].parent]);
    }
    joint_screws_of(m, ws, i);
  }
}

// Twists, and spatial accelerations for vdot = 0; `bias` holds accelerations of dependent joints, null for trees.
template <class T>
inline void move_nodes(const Model& m, const ConstraintTable& c, Workspace<T>& ws, const T* v, const T* bias,
                       const RowSpace<T>& s) {
  const Screw<T> still{zero3<T>(), zero3<T>()};
  for (int n = 0; n < c.nodes; ++n) {
    const int i = c.node[n], parent = m.node[i].parent;
    Screw<T> own = still, A = parent < 0 ? still : s.acceleration[parent], V = parent < 0 ? still : ws.twist[parent];
    for (int k = m.node[i].v; k < m.node[i].v + m.node[i].dof; ++k) {
      own += v[k] * ws.screw[k];
      if (bias) A += bias[k] * ws.screw[k];
    }
    V += own;
    A += carried_rate(V, own);
    ws.twist[i] = V, s.acceleration[i] = A;
  }
}

// Motion of one end of a constraint: pose, twist and spatial acceleration relative to the base's place.
template <class T>
struct EndMotion {
  Placed<T> X;
  Screw<T> V, A;
};

template <class T>
TARSUS_INLINE Placed<T> end_on(const Placed<T>& X, const ConstraintEnd& e) {
  const Columns<double, double> R{vec3(e.rotation), vec3(e.rotation + 3), vec3(e.rotation + 6)};
  return {compose(X.R, R), X.p + e.position[0] * X.R.a + e.position[1] * X.R.b + e.position[2] * X.R.c};
}
// The world, seen from the base.
template <class T>
TARSUS_INLINE Placed<T> inverse_pose(const Placed<T>& X) {
  const Mat3<T> R{{X.R.a.x, X.R.b.x, X.R.c.x}, {X.R.a.y, X.R.b.y, X.R.c.y}, {X.R.a.z, X.R.b.z, X.R.c.z}};
  return {R, -to_parent(R, X.p)};
}

template <class T>
inline EndMotion<T> end_motion(const ConstraintEnd& e, const Workspace<T>& ws, const Placed<T>& world, const RowSpace<T>& s) {
  if (e.node < 0) return {end_on(world, e), {zero3<T>(), zero3<T>()}, {zero3<T>(), zero3<T>()}};
  return {end_on(ws.pose[e.node], e), ws.twist[e.node], s.acceleration[e.node]};
}

// An end that follows a motion given relative to the world.
template <class T>
inline EndMotion<T> driven_motion(const ConstraintEnd& e, const Placed<T>& world, const T* d) {
  const Mat3<T> R{{d[0], d[4], d[8]}, {d[1], d[5], d[9]}, {d[2], d[6], d[10]}};
  const Placed<T> X{{to_parent(world.R, R.a), to_parent(world.R, R.b), to_parent(world.R, R.c)},
                    world.p + to_parent(world.R, Vec3<T>{d[3], d[7], d[11]})};
  const Vec3<T> v = to_parent(world.R, Vec3<T>{d[12], d[13], d[14]}), w = to_parent(world.R, Vec3<T>{d[15], d[16], d[17]});
  const Vec3<T> a = to_parent(world.R, Vec3<T>{d[18], d[19], d[20]}), dw = to_parent(world.R, Vec3<T>{d[21], d[22], d[23]});
  return {end_on(X, e), {v - cross(w, X.p), w}, {a - cross(dw, X.p) - cross(w, v), dw}};
}

// One row of a pair; `failed` collects lanes in which it has no direction.
template <class T>
inline Scalar<T> pair_scalar(const PairRow& row, const RelativeMotion<T>& x, const Quaternion<T>& q, int& failed) {
  switch (row.kind) {
    case kRowAlong: return along(x, row.a);
    case kRowOrientation: return orientation(x, q, row.entry);
    case kRowTilt: return tilt(x, row.a, row.b);
    case kRowAngle: {
      Scalar<T> s = cosine(x, row.a, row.b);
      s.value = s.value - row.value;
      return s;
    }
    case kRowThread: return thread(x, row);
    case kRowDistance: return distance(x, row.value, failed);
    case kRowSphere: return sphere(x, row.value, row.entry);
    default: return wheel(x, row.a, row.value, row.entry, failed);
  }
}

// The rows of one pair. With d = p_B - p_A and twists about the base, B seen from A moves with
//   u = dv + dw x p_B,   du = da + dw' x p_B + dw x v_B - w_A x u,   turned into axes of A.
template <class T>
inline int pair_rows(const ConstraintTable& c, const ConstraintPair& pair, const EndMotion<T>& A, const EndMotion<T>& B,
                     const RowSpace<T>& s) {
  const Vec3<T>& p = B.X.p;
  const Vec3<T> dw = B.V.angular - A.V.angular, u = B.V.linear - A.V.linear + cross(dw, p);
  const Vec3<T> ddw = B.A.angular - A.A.angular, v_B = B.V.linear + cross(B.V.angular, p);
  const Vec3<T> du = B.A.linear - A.A.linear + cross(ddw, p) + cross(dw, v_B) - cross(A.V.angular, u);
  const Mat3<T>& R = A.X.R;
  const RelativeMotion<T> x{to_child(R, B.X.p - A.X.p),
                            {to_child(R, B.X.R.a), to_child(R, B.X.R.b), to_child(R, B.X.R.c)},
                            to_child(R, u),
                            to_child(R, dw)};
  const Vec3<T> x_du = to_child(R, du), x_dw = to_child(R, Vec3<T>(ddw - cross(A.V.angular, dw)));
  Quaternion<T> q{};
  bool turned = false;
  int failed = 0;
  for (int i = 0; i < pair.rows; ++i) {
    const PairRow& row = c.pair_row[pair.row + i];
    if (row.kind == kRowOrientation && !turned) q = relative_quaternion(x.R), turned = true;
    const Scalar<T> y = pair_scalar(row, x, q, failed);
    const int r = pair.first + i;
    s.violation[r] = y.value;
    s.velocity[r] = rate_of(y, x);
    s.bias[r] = dot(y.force, x_du) + dot(y.moment, x_dw) + y.curvature;
    const Vec3<T> f = to_parent(R, y.force);
    s.wrench[r] = {f, to_parent(R, y.moment) + cross(p, f)};
  }
  return failed;
}

// A row of joint coordinates; `bias` as for move_nodes.
template <class T>
inline void joint_row(const ConstraintTable& c, const JointRow& row, const T* q, const T* v, const T* bias, const T* drive,
                      int width, const RowSpace<T>& s) {
  T value = broadcast<T>(-row.offset), rate = broadcast<T>(0.0), second = rate;
  T* J = s.jacobian + (size_t)row.place * width;
  for (int i = row.first; i < row.first + row.terms; ++i) {
    const JointTerm& t = c.term[i];
    value = value + t.factor * q[t.coordinate], rate = rate + t.factor * v[t.dof];
    if (bias) second = second + t.factor * bias[t.dof];
    J[t.dof] = J[t.dof] + t.factor;
  }
  if (row.leader >= 0) {
    const PolynomialValue<T> f = polynomial(c.coefficient + row.coefficient, row.coefficients, q[row.leader_coordinate]);
    const T x = v[row.leader];
    value = value - f.value, rate = rate - f.slope * x, second = second - f.curvature * x * x;
    if (bias) second = second - f.slope * bias[row.leader];
    J[row.leader] = J[row.leader] - f.slope;
  }
  if (row.drive >= 0) {
    const T* d = drive + row.drive;
    value = value - d[0], rate = rate - d[1], second = second - d[2];
  }
  s.violation[row.place] = value, s.velocity[row.place] = rate, s.bias[row.place] = second;
  s.wrench[row.place] = {zero3<T>(), zero3<T>()};
}

// All rows. ws.pose and ws.screw must hold the nodes relative to the base. Returns the first pair that has no direction (-1:
// none), and in which lanes.
struct FailedPair {
  int pair, lanes;
};
template <class T>
inline FailedPair fill_rows(const Model& m, const ConstraintTable& c, Workspace<T>& ws, const T* q, const T* v, const T* bias,
                            const T* drive, const RowSpace<T>& s) {
  FailedPair failed{-1, 0};
  const Placed<T> world = inverse_pose(reference_pose(m, ws));
  move_nodes(m, c, ws, v, bias, s);
  if (c.rows > 0) std::memset(static_cast<void*>(s.jacobian), 0, (size_t)c.rows * m.tree_nv * sizeof(T));
  for (int i = 0; i < c.blocks; ++i) {
    const RowBlock& b = c.block[i];
    if (b.joint >= 0) {
      joint_row(c, c.joint[b.joint], q, v, bias, drive, m.tree_nv, s);
      continue;
    }
    const ConstraintPair& pair = c.pair[b.pair];
    const EndMotion<T> A = pair.drive >= 0 ? driven_motion(pair.a, world, drive + pair.drive) : end_motion(pair.a, ws, world, s);
    const int lanes_failed = pair_rows(c, pair, A, end_motion(pair.b, ws, world, s), s);
    if (lanes_failed && failed.pair < 0) failed = {b.pair, lanes_failed};
    for (int k = b.column; k < b.column + b.columns; ++k) {
      const int column = c.column[k];
      const double sign = c.sign[k];
      for (int r = b.first; r < b.first + b.rows; ++r) {
        s.jacobian[(size_t)r * m.tree_nv + column] = sign * power(ws.screw[column], s.wrench[r]);
      }
    }
  }
  return failed;
}

}  // namespace tarsus::TARSUS_ISA
