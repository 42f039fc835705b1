// An independent way to all results: the poses of all bodies along the motion with the given velocity and acceleration, as
// Taylor polynomials of order two in time (jets). Velocities, accelerations, momenta and forces follow from their
// coefficients by the laws of Newton and Euler in the world frame, body by body, without any recursion over joints.
#pragma once
#include <array>

#include "tests/random_tree.hpp"

namespace tests {

struct Jet {
  double a = 0, b = 0, c = 0;  // value, first and second derivative
};
inline Jet operator+(Jet x, Jet y) { return {x.a + y.a, x.b + y.b, x.c + y.c}; }
inline Jet operator-(Jet x, Jet y) { return {x.a - y.a, x.b - y.b, x.c - y.c}; }
inline Jet operator*(Jet x, Jet y) { return {x.a * y.a, x.b * y.a + x.a * y.b, x.c * y.a + 2 * x.b * y.b + x.a * y.c}; }
inline Jet sine(Jet x) {
  const double s = std::sin(x.a), c = std::cos(x.a);
  return {s, c * x.b, c * x.c - s * x.b * x.b};
}
inline Jet cosine(Jet x) {
  const double s = std::sin(x.a), c = std::cos(x.a);
  return {c, -s * x.b, -s * x.c - c * x.b * x.b};
}

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;
inline Vector operator+(Vector x, Vector y) { return {x[0] + y[0], x[1] + y[1], x[2] + y[2]}; }
inline Vector operator-(Vector x, Vector y) { return {x[0] - y[0], x[1] - y[1], x[2] - y[2]}; }
inline Vector operator*(double s, Vector x) { return {s * x[0], s * x[1], s * x[2]}; }
inline double inner(Vector x, Vector y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }
inline Vector outer(Vector x, Vector y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}
inline Vector at(const Numbers& x, int row) { return {x[3 * row], x[3 * row + 1], x[3 * row + 2]}; }
inline Matrix skew(Vector w) { return {{{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}}}; }
inline Vector operator*(const Matrix& A, Vector x) { return {inner(A[0], x), inner(A[1], x), inner(A[2], x)}; }
inline Matrix transposed(const Matrix& A) {
  Matrix B;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) B[k][i] = A[i][k];
  }
  return B;
}
inline Matrix operator*(const Matrix& A, const Matrix& B) {
  Matrix C;
  for (int i = 0; i < 3; ++i) C[i] = transposed(B) * A[i];
  return C;
}
inline Matrix operator+(const Matrix& A, const Matrix& B) { return {A[0] + B[0], A[1] + B[1], A[2] + B[2]}; }
inline Matrix operator-(const Matrix& A, const Matrix& B) { return {A[0] - B[0], A[1] - B[1], A[2] - B[2]}; }

// A pose that depends on time.
struct Motion {
  Matrix R{}, dR{}, ddR{};
  Vector p{}, dp{}, ddp{};

  Vector angular_velocity() const {  // dR R^T = [w]
    const Matrix W = dR * transposed(R);
    return {0.5 * (W[2][1] - W[1][2]), 0.5 * (W[0][2] - W[2][0]), 0.5 * (W[1][0] - W[0][1])};
  }
  Vector angular_acceleration() const {  // its derivative
    const Matrix W = ddR * transposed(R) + dR * transposed(dR);
    return {0.5 * (W[2][1] - W[1][2]), 0.5 * (W[0][2] - W[2][0]), 0.5 * (W[1][0] - W[0][1])};
  }
};
inline Motion operator*(const Motion& A, const Motion& B) {
  Motion C;
  C.R = A.R * B.R;
  C.dR = A.dR * B.R + A.R * B.dR;
  const Matrix cross_term = A.dR * B.dR;
  C.ddR = A.ddR * B.R + cross_term + cross_term + A.R * B.ddR;
  C.p = A.p + A.R * B.p;
  C.dp = A.dp + A.dR * B.p + A.R * B.dp;
  C.ddp = A.ddp + A.ddR * B.p + 2.0 * (A.dR * B.dp) + A.R * B.ddp;
  return C;
}
inline Motion still(const double* pose) {  // rows of (R | p)
  Motion X;
  for (int i = 0; i < 3; ++i) X.R[i] = {pose[4 * i], pose[4 * i + 1], pose[4 * i + 2]}, X.p[i] = pose[4 * i + 3];
  return X;
}

// Turn about a unit axis by an angle, and shift along it.
inline Motion turn(Vector axis, Jet angle) {
  const Matrix K = skew(axis), KK = K * K;
  const Jet s = sine(angle), c = Jet{1} - cosine(angle);
  Motion X;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      X.R[i][k] = (i == k) + s.a * K[i][k] + c.a * KK[i][k];
      X.dR[i][k] = s.b * K[i][k] + c.b * KK[i][k];
      X.ddR[i][k] = s.c * K[i][k] + c.c * KK[i][k];
    }
  }
  return X;
}
inline Motion slide(Vector axis, Jet x) {
  Motion X = still(kIdentityPose.data());
  X.p = x.a * axis, X.dp = x.b * axis, X.ddp = x.c * axis;
  return X;
}

// A frame that starts at (R, p) with twist (u, w) in its own axes, whose components change at the rates (du, dw).
inline Motion fly(const Matrix& R, Vector p, Vector u, Vector w, Vector du, Vector dw) {
  Motion X;
  X.R = R, X.p = p;
  X.dR = R * skew(w), X.dp = R * u;
  X.ddR = R * (skew(w) * skew(w) + skew(dw)), X.ddp = R * (outer(w, u) + du);
  return X;
}
inline Matrix rotation_of(const double* q) {  // quaternion (w, x, y, z), normalised
  const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double w = q[0] / n;
  const Vector u = {q[1] / n, q[2] / n, q[3] / n};
  const Matrix K = skew(u), KK = K * K;
  Matrix R;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) R[i][k] = (i == k) + 2 * w * K[i][k] + 2 * KK[i][k];
  }
  return R;
}

inline Motion joint_motion(const Tree& t, int i, const double* q, const double* v, const double* a) {
  const Vector x = at(t.axis, i), y = at(t.axis2, i);
  auto jet = [&](int k) { return Jet{q[k], v[k], a[k]}; };
  switch (t.kind[i]) {
    case tarsus::kFixed: return still(kIdentityPose.data());
    case tarsus::kRevolute: return turn(x, jet(0));
    case tarsus::kPrismatic: return slide(x, jet(0));
    case tarsus::kHelical: return turn(x, jet(0)) * slide(x, Jet{t.pitch[i]} * jet(0));
    case tarsus::kCylindrical: return slide(x, jet(0)) * turn(x, jet(1));
    case tarsus::kUniversal: return turn(x, jet(0)) * turn(y, jet(1));
    case tarsus::kSpherical: return fly(rotation_of(q), {}, {}, {v[0], v[1], v[2]}, {}, {a[0], a[1], a[2]});
    case tarsus::kPlanar: {
      const Vector n = t.sign[i] * outer(x, y);
      const Matrix R = turn(n, Jet{q[2]}).R;
      return fly(R, q[0] * x + q[1] * y, v[0] * x + v[1] * y, v[2] * n, a[0] * x + a[1] * y, a[2] * n);
    }
    default:
      return fly(rotation_of(q + 3), {q[0], q[1], q[2]}, {v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {a[0], a[1], a[2]},
                 {a[3], a[4], a[5]});
  }
}

// Motion of every body, from independent coordinates.
inline std::vector<Motion> body_motions(const Tree& t, const Numbers& q, const Numbers& v, const Numbers& a) {
  const Numbers tq = t.expand_q(q), tv = t.expand_v(v), ta = t.expand_v(a);
  std::vector<Motion> X;
  for (int i = 0; i < t.bodies(); ++i) {
    const Motion X_PB = still(&t.pose[12 * i]) *
                        joint_motion(t, i, tq.data() + t.tree_q[i], tv.data() + t.tree_v[i], ta.data() + t.tree_v[i]) *
                        still(&t.child_pose[12 * i]);
    X.push_back(i == 0 ? X_PB : X[t.parent[i]] * X_PB);
  }
  return X;
}

// What Newton and Euler need to know about one body.
struct BodyState {
  double mass;
  Vector c, dc, ddc;  // centre of mass
  Vector w, L, dL;    // angular velocity; angular momentum about the centre of mass and its rate
};
inline BodyState body_state(const Tree& t, int i, const Motion& X) {
  const double* m = &t.inertia[10 * i];
  const Vector com = {m[1], m[2], m[3]}, w = X.angular_velocity(), dw = X.angular_acceleration();
  const Matrix I = {{{m[4], m[7], m[8]}, {m[7], m[5], m[9]}, {m[8], m[9], m[6]}}};
  const Matrix I_W = X.R * I * transposed(X.R);
  const Vector L = I_W * w;
  return {m[0], X.p + X.R * com, X.dp + X.dR * com, X.ddp + X.ddR * com, w, L, I_W * dw + outer(w, L)};
}

// Everything that is linear in a velocity: one column per independent velocity.
struct Columns {
  std::vector<std::vector<Motion>> motion;   // [column][body]
  std::vector<std::vector<BodyState>> body;  // [column][body]

  Columns(const Tree& t, const Numbers& q) {
    for (int k = 0; k < t.nv; ++k) {
      Numbers unit(t.nv, 0.0), zero(t.nv, 0.0);
      unit[k] = 1.0;
      motion.push_back(body_motions(t, q, unit, zero));
      body.emplace_back();
      for (int i = 0; i < t.bodies(); ++i) body.back().push_back(body_state(t, i, motion.back()[i]));
    }
  }
};

inline Numbers rotor_forces(const Tree& t, const Numbers& a) {
  Numbers tree = t.expand_v(a);
  for (int k = 0; k < t.tree_nv; ++k) tree[k] *= t.armature[k];
  return t.reduce(tree);
}

// What armature a along slides needs beside a dv/dt: a omega x v, since their axes turn.
inline Numbers rotor_drift(const Tree& t, const Numbers& v) {
  const Numbers tv = t.expand_v(v);
  Numbers tree(t.tree_nv, 0.0);
  for (int i = 0; i < t.bodies(); ++i) {
    const int at = t.tree_v[i], slides = slides_of(t.kind[i]);
    if (slides == 0) continue;
    const Vector w = slides == 3 ? Vector{tv[at + 3], tv[at + 4], tv[at + 5]} : Vector{0, 0, t.sign[i] * tv[at + 2]};
    const Vector across = outer(w, {tv[at], tv[at + 1], slides == 3 ? tv[at + 2] : 0.0});
    for (int k = 0; k < slides; ++k) tree[at + k] = t.armature[at] * across[k];
  }
  return t.reduce(tree);
}

// M vdot + bias - J^T external by d'Alembert: each body's inertial force times how the body moves with each velocity.
inline Numbers inverse_dynamics(const Tree& t, const Columns& J, const Numbers& q, const Numbers& v, const Numbers& a,
                                const Numbers* external) {
  const std::vector<Motion> X = body_motions(t, q, v, a);
  Numbers tau = rotor_forces(t, a);
  const Numbers drift = rotor_drift(t, v);
  for (int k = 0; k < t.nv; ++k) tau[k] += drift[k];
  for (int i = 0; i < t.bodies(); ++i) {
    const BodyState b = body_state(t, i, X[i]);
    const Vector f = b.mass * (b.ddc - at(t.gravity, 0));
    for (int k = 0; k < t.nv; ++k) {
      tau[k] += inner(f, J.body[k][i].dc) + inner(b.dL, J.body[k][i].w);
      if (!external) continue;
      tau[k] -= inner(at(*external, 2 * i), J.motion[k][i].dp) + inner(at(*external, 2 * i + 1), J.body[k][i].w);
    }
  }
  return tau;
}

inline Numbers mass_matrix(const Tree& t, const Columns& J) {
  Numbers M(t.nv * t.nv, 0.0);
  for (int r = 0; r < t.nv; ++r) {
    for (int k = 0; k < t.nv; ++k) {
      for (int i = 0; i < t.bodies(); ++i) {
        const BodyState &x = J.body[r][i], &y = J.body[k][i];
        M[r * t.nv + k] += x.mass * inner(x.dc, y.dc) + inner(x.w, y.L);
      }
    }
    Numbers unit(t.nv, 0.0);
    unit[r] = 1.0;
    const Numbers rotors = rotor_forces(t, unit);
    for (int k = 0; k < t.nv; ++k) M[r * t.nv + k] += rotors[k];
  }
  return M;
}

}  // namespace tests
