// Every operation of every instruction set against the jet oracle, for one state; and rows of batches against one state.
#pragma once
#include "tests/jet_oracle.hpp"
#include "tests/runner.hpp"

namespace tests {

constexpr double kParity = 1e-10;      // rounding of sums over some twenty bodies, relative to the largest entry
constexpr double kDifference4 = 1e-7;  // truncation of a fourth-order central difference with step 1e-3, and rounding / step
constexpr double kStep = 1e-3;
constexpr double kSolved = 1e-8;  // a solution with the mass matrix multiplied by it again: kParity times its condition

inline Numbers twist(const Motion& X, int expressed_in) {
  Vector u = X.dp, w = X.angular_velocity();
  if (expressed_in == 1) u = transposed(X.R) * u, w = transposed(X.R) * w;
  if (expressed_in == 2) u = u - outer(w, X.p);
  return {u[0], u[1], u[2], w[0], w[1], w[2]};
}
inline Numbers twist_rate(const Motion& X, int expressed_in) {
  const Vector w = X.angular_velocity();
  Vector u = X.ddp, dw = X.angular_acceleration();
  if (expressed_in == 2) u = u - outer(dw, X.p) - outer(w, X.dp);
  if (expressed_in == 1) u = transposed(X.R) * (u - outer(w, X.dp)), dw = transposed(X.R) * dw;
  return {u[0], u[1], u[2], dw[0], dw[1], dw[2]};
}
inline Motion frame_motion(const Tree& t, int frame, const std::vector<Motion>& bodies) {
  return bodies[t.frame_body[frame]] * still(&t.frame_pose[12 * frame]);
}
inline Numbers homogeneous(const Motion& X) {
  Numbers out;
  for (int i = 0; i < 3; ++i) append(out, {X.R[i][0], X.R[i][1], X.R[i][2], X.p[i]});
  append(out, {0, 0, 0, 1});
  return out;
}
inline Numbers as_columns(const std::vector<Numbers>& columns, int rows) {
  Numbers out(rows * columns.size());
  for (size_t k = 0; k < columns.size(); ++k) {
    for (int i = 0; i < rows; ++i) out[i * columns.size() + k] = columns[k][i];
  }
  return out;
}
inline Numbers times(const Numbers& A, const Numbers& x) {
  Numbers y(x.empty() ? 0 : A.size() / x.size(), 0.0);
  for (size_t i = 0; i < y.size(); ++i) {
    for (size_t k = 0; k < x.size(); ++k) y[i] += A[i * x.size() + k] * x[k];
  }
  return y;
}
inline Numbers plus(const Numbers& a, const Numbers& b, double factor = 1.0) {
  Numbers c = a;
  for (size_t i = 0; i < c.size(); ++i) c[i] += factor * b[i];
  return c;
}

// Linear and angular momentum about the common centre of mass.
inline Numbers momentum_of(const std::vector<BodyState>& bodies) {
  double mass = 0;
  Vector c{}, p{}, L{};
  for (const BodyState& b : bodies) mass += b.mass, c = c + b.mass * b.c, p = p + b.mass * b.dc;
  c = (1 / mass) * c;
  for (const BodyState& b : bodies) L = L + b.L + b.mass * outer(b.c - c, b.dc);
  return {p[0], p[1], p[2], L[0], L[1], L[2]};
}
inline Numbers center_of(const std::vector<BodyState>& bodies, bool velocity) {
  double mass = 0;
  Vector c{};
  for (const BodyState& b : bodies) mass += b.mass, c = c + b.mass * (velocity ? b.dc : b.c);
  return {c[0] / mass, c[1] / mass, c[2] / mass};
}
// Rotation vector from the rest (another one) to a unit quaternion, by the matrices of both.
inline Vector turned_from(const double* rest, const double* q) {
  const double angle = std::sqrt(rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2]);
  const double s = std::sin(0.5 * angle) / angle;
  const double quaternion[4] = {std::cos(0.5 * angle), s * rest[0], s * rest[1], s * rest[2]};
  const Matrix R = transposed(rotation_of(quaternion)) * rotation_of(q);
  const Vector sine = {0.5 * (R[2][1] - R[1][2]), 0.5 * (R[0][2] - R[2][0]), 0.5 * (R[1][0] - R[0][1])};
  const double length = std::sqrt(inner(sine, sine)), cosine = 0.5 * (R[0][0] + R[1][1] + R[2][2] - 1);
  return (std::atan2(length, cosine) / length) * sine;
}
// Forces of the springs of ball and free joints over the tree.
inline void add_pose_springs(const Tree& t, const Numbers& tq, Numbers& f) {
  for (int i = 0; i < t.bodies(); ++i) {
    const int start = t.kind[i] == kFree ? 3 : 0, k = t.tree_v[i];
    if (t.kind[i] != kSpherical && t.kind[i] != kFree) continue;
    const double* q = &tq[t.tree_q[i]];
    const Vector turn = turned_from(&t.rest[k + start], q + start);
    for (int d = 0; d < 3; ++d) f[k + start + d] -= t.stiffness[k + start] * turn[d];
    if (start == 0) continue;
    const Vector away = {q[0] - t.rest[k], q[1] - t.rest[k + 1], q[2] - t.rest[k + 2]};
    const Vector shift = transposed(rotation_of(q + 3)) * away;
    for (int d = 0; d < 3; ++d) f[k + d] -= t.stiffness[k] * shift[d];
  }
}
// What carries weights, by d'Alembert.
inline void add_carrying(const Tree& t, const Numbers& q, Numbers& tau) {
  const Columns J(t, q);
  for (int i = 0; i < t.bodies(); ++i) {
    const double* c = &t.carried[4 * i];
    for (int k = 0; k < t.nv; ++k) {
      const Motion& X = J.motion[k][i];
      tau[k] -= inner(at(t.gravity, 0), c[0] * X.dp + X.dR * Vector{c[1], c[2], c[3]});
    }
  }
}
inline Numbers passive_of(const Tree& t, const Numbers& q, const Numbers& v) {
  const Numbers tq = t.expand_q(q), tv = t.expand_v(v);
  Numbers f(t.tree_nv);
  for (int i = 0; i < t.bodies(); ++i) {
    const Size s = joint_size(t.kind[i]);
    for (int j = 0; j < s.nv; ++j) {
      const int k = t.tree_v[i] + j;
      f[k] = -t.damping[k] * tv[k] - t.friction[k] * ((tv[k] > 0) - (tv[k] < 0));
      if (s.nq == s.nv && t.kind[i] != kPlanar) f[k] -= t.stiffness[k] * (tq[t.tree_q[i] + j] - t.rest[k]);
    }
  }
  add_pose_springs(t, tq, f);
  Numbers tau = t.reduce(f);
  add_carrying(t, q, tau);
  return tau;
}
// Ten parameters of each body, linear in the dynamics: moments about the body's origin.
inline Numbers parameters_of(const Tree& t) {
  Numbers pi;
  for (int i = 0; i < t.bodies(); ++i) {
    const double *m = &t.inertia[10 * i], x = m[1], y = m[2], z = m[3], M = m[0];
    append(pi, {M, M * x, M * y, M * z, m[4] + M * (y * y + z * z), m[7] - M * x * y, m[5] + M * (x * x + z * z),
                m[8] - M * x * z, m[9] - M * y * z, m[6] + M * (x * x + y * y)});
  }
  return pi;
}

// One state of one model: the oracle's results, computed once, against those of a runner.
class Expected {
 public:
  Expected(const Tree& t, const Arguments& x) : t(t), x(x), zero(t.nv, 0.0), J(t, x.q), X(body_motions(t, x.q, x.v, x.a)) {
    for (int i = 0; i < t.bodies(); ++i) state.push_back(body_state(t, i, X[i]));
    coasting = body_motions(t, x.q, x.v, zero);
    M = tests::mass_matrix(t, J);
    bias = tests::inverse_dynamics(t, J, x.q, x.v, zero, nullptr);
  }

  void check_kinematics(const Runner& run) const {
    Numbers poses, frames;
    for (const Motion& b : X) append(poses, homogeneous(b));
    for (int f = 0; f < t.frames(); ++f) append(frames, homogeneous(frame_motion(t, f, X)));
    compare(run, kBodyPoses, x, poses);
    Arguments all = x;
    all.frame_count = t.frames();
    compare(run, kFramePoses, all, frames);
    std::vector<Numbers> screws;
    for (int k = 0; k < t.nv; ++k) {
      // a body behind the joint of column k: the first one that moves with it
      int body = 0;
      while (t.independent[body] == 0 || k < own_v(body) || k >= own_v(body) + joint_size(t.kind[body]).nv) ++body;
      screws.push_back(twist(J.motion[k][body], 2));
    }
    if (t.nv == t.tree_nv) compare(run, kJointScrews, x, as_columns(screws, 6));
    Numbers jacobians;
    for (int i = 0; i < t.bodies(); ++i) {
      std::vector<Numbers> columns;
      for (int k = 0; k < t.nv; ++k) columns.push_back(twist(J.motion[k][i], 0));
      append(jacobians, as_columns(columns, 6));
    }
    compare(run, kBodyJacobians, x, jacobians);
    for (int f = 0; f < t.frames(); ++f) {
      for (int e = 0; e < 3; ++e) check_frame(run, f, e);
    }
  }

  void check_momentum(const Runner& run) const {
    compare(run, kCenterOfMass, x, center_of(state, false));
    compare(run, kMomentum, x, momentum_of(state));
    std::vector<Numbers> com, momentum;
    for (int k = 0; k < t.nv; ++k) com.push_back(center_of(J.body[k], true)), momentum.push_back(momentum_of(J.body[k]));
    compare(run, kComJacobian, x, as_columns(com, 3));
    compare(run, kMomentumMatrix, x, as_columns(momentum, 6));
    double kinetic = 0, potential = 0;
    for (const BodyState& b : state) {
      kinetic += 0.5 * (b.mass * inner(b.dc, b.dc) + inner(b.w, b.L));
      potential -= b.mass * inner(at(t.gravity, 0), b.c);
    }
    const Numbers tv = t.expand_v(x.v);
    for (int k = 0; k < t.tree_nv; ++k) kinetic += 0.5 * t.armature[k] * tv[k] * tv[k];
    compare(run, kKineticEnergy, x, {kinetic});
    compare(run, kPotentialEnergy, x, {potential});
  }

  void check_dynamics(const Runner& run) const {
    compare(run, kMassMatrix, x, M);
    compare(run, kBiasForce, x, bias);
    compare(run, kGravityForce, x, tests::inverse_dynamics(t, J, x.q, zero, zero, nullptr));
    compare(run, kPassiveForce, x, passive_of(t, x.q, x.v));
    for (int option = 0; option < 4; ++option) {  // with external wrenches, with passive forces
      Arguments y = x;
      y.with_external = option & 1, y.passive = option >> 1;
      Numbers tau = tests::inverse_dynamics(t, J, x.q, x.v, x.a, y.with_external ? &x.external : nullptr);
      if (y.passive) tau = plus(tau, passive_of(t, x.q, x.v), -1);
      compare(run, kInverseDynamics, y, tau);
      compare(run, kInverseNewtonEuler, y, tau);
      compare(run, kInverseDenoc, y, tau);
      compare(run, kInverseGauss, y, tau);
      check_floating(run, y);
      y.a = tau;  // forward dynamics undoes it
      compare(run, kArticulatedBody, y, x.a);
      compare(run, kCompositeBody, y, x.a);
      compare(run, kCompositeBodySparse, y, x.a);
      compare(run, kNewtonEuler, y, x.a);
      compare(run, kNewtonEulerSparse, y, x.a);
      compare(run, kDenoc, y, x.a);
      compare(run, kGauss, y, x.a);
    }
    Arguments y = x;
    y.a = times(M, x.a);
    compare(run, kSolveMass, y, x.a);
    const Numbers Y = result(run, kTorqueRegressor, x);
    const Numbers rotors = plus(rotor_forces(t, x.a), rotor_drift(t, x.v));
    const Numbers tau = plus(tests::inverse_dynamics(t, J, x.q, x.v, x.a, nullptr), rotors, -1);
    if (t.nv > 0)
      check_close(times(Y, parameters_of(t)), tau, kParity, label(run, kTorqueRegressor) + "regressor times parameters");
    check_coriolis(run);
  }

  // The motion that results needs the forces that result, and none at the base.
  void check_floating(const Runner& run, Arguments y) const {
    const int base = joint_size(t.kind[0]).nv;
    y.a.assign(x.a.begin() + base, x.a.end());
    const Numbers found = result(run, kFloatingInverseDynamics, y);
    Numbers vdot = x.a, expected = found;
    for (int k = 0; k < base; ++k) vdot[k] = found[k], expected[k] = 0.0;
    Numbers tau = tests::inverse_dynamics(t, J, x.q, x.v, vdot, y.with_external ? &x.external : nullptr);
    if (y.passive) tau = plus(tau, passive_of(t, x.q, x.v), -1);
    check_close(tau, expected, kSolved, label(run, kFloatingInverseDynamics) + "differs from the oracle");
  }

  // Derivatives along a direction that has nothing to do with the velocity, which checks all columns at once.
  void check_derivatives(const Runner& run) const {
    if (t.nv == 0) return;
    const Numbers direction = plus(zero, x.a, 0.4);
    for (int option = 0; option < 4; ++option) {  // with external wrenches, with passive forces
      Arguments y = x;
      y.with_external = option & 1, y.passive = option >> 1;
      const Numbers* external = y.with_external ? &x.external : nullptr;
      auto forces = [&](const Columns& columns, const Numbers& q, const Numbers& v) {
        const Numbers tau = tests::inverse_dynamics(t, columns, q, v, x.a, external);
        return y.passive ? plus(tau, passive_of(t, q, v), -1) : tau;
      };
      const Numbers by_q = differences([&](double h) {
        const Numbers q = moved(run, direction, h);
        return forces(Columns(t, q), q, x.v);
      });
      // At a step that turns no velocity round, where friction jumps.
      double reach = 1.0;
      const Numbers v = t.expand_v(x.v), dv = t.expand_v(direction);
      for (int k = 0; k < t.tree_nv; ++k) reach = std::min(reach, std::fabs(v[k] / (3 * kStep * dv[k])));
      Numbers by_v = differences([&](double h) { return forces(J, x.q, plus(x.v, direction, reach * h)); });
      for (double& e : by_v) e /= reach;
      const Numbers D = result(run, kInverseDynamicsDerivatives, y);
      const std::string what = label(run, kInverseDynamicsDerivatives);
      check_close(times(square(D, 0), direction), by_q, kDifference4, what + "d/dq differs from the oracle");
      check_close(times(square(D, 1), direction), by_v, kDifference4, what + "d/dv differs from the oracle");
      check_close(square(D, 2), M, kParity, what + "d/dvdot is not the mass matrix");
      y.a = forces(J, x.q, x.v);
      const Numbers F = result(run, kForwardDynamicsDerivatives, y);
      const std::string whose = label(run, kForwardDynamicsDerivatives);
      for (int part = 0; part < 2; ++part) {
        check_close(times(M, times(square(F, part), direction)), plus(zero, times(square(D, part), direction), -1), kSolved,
                    whose + "M d vdot is not -d tau");
      }
      check_close(times(M, times(square(F, 2), direction)), direction, kSolved, whose + "d/dtau is not the inverse");
    }
  }

  void check_manifold(const Runner& run) const {
    const Numbers q = x.q;
    Arguments y = x;
    y.v = zero;
    compare(run, kIntegrate, y, q);
    Arguments half = x;
    half.v = plus(zero, x.v, 0.5);
    half.q = result(run, kIntegrate, half);
    compare(run, kIntegrate, half, result(run, kIntegrate, x));  // halfway and on
    // its velocity, by central differences of body poses
    Numbers rate;
    for (const Motion& b : X) {
      for (int i = 0; i < 3; ++i) append(rate, {b.dR[i][0], b.dR[i][1], b.dR[i][2], b.dp[i]});
      append(rate, {0, 0, 0, 0});
    }
    check_close(along(run, kBodyPoses, x), rate, kDifference4, label(run, kIntegrate) + "velocity of integrate");
    y = x;
    y.v = plus(zero, x.v, 0.5);  // turns by less than pi
    Arguments between = x;
    between.a = result(run, kIntegrate, y);
    check_close(result(run, kDifference, between), plus(zero, x.v, 0.5), kParity, label(run, kDifference) + "undoes integrate");
    between.a = q;
    compare(run, kDifference, between, zero);
    compare(run, kNormalize, x, q);
  }

  const Tree& t;
  const Arguments& x;

 private:
  std::string label(const Runner& run, int operation) const {
    return std::string(run.name()) + " " + operation_name(operation) + " of " + t.name + ": ";
  }
  int own_v(int body) const { return t.leader_v[t.tree_v[body] < t.tree_nv ? t.tree_v[body] : t.tree_nv - 1]; }

  Numbers result(const Runner& run, int operation, const Arguments& y) const {
    const Outcome o = run.single(operation, y);
    check(o.status == kOk, label(run, operation) + "is refused");
    return o.out;
  }
  void compare(const Runner& run, int operation, const Arguments& y, const Numbers& expected) const {
    check_close(result(run, operation, y), expected, kParity, label(run, operation) + "differs from the oracle");
  }

  // Derivative of f at zero: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h.
  template <class F>
  static Numbers differences(F f) {
    const Numbers near = plus(f(kStep), f(-kStep), -1), far = plus(f(2 * kStep), f(-2 * kStep), -1);
    Numbers rate(near.size());
    for (size_t i = 0; i < rate.size(); ++i) rate[i] = (8 * near[i] - far[i]) / (12 * kStep);
    return rate;
  }
  Numbers moved(const Runner& run, const Numbers& v, double time) const {
    Arguments y = x;
    y.v = plus(zero, v, time);
    return result(run, kIntegrate, y);
  }
  Numbers square(const Numbers& stacked, int which) const {
    const size_t size = (size_t)t.nv * t.nv;
    return Numbers(stacked.begin() + which * size, stacked.begin() + (which + 1) * size);
  }

  // Derivative of a result along the motion v.
  Numbers along(const Runner& run, int operation, const Arguments& y) const {
    return differences([&](double time) {
      Arguments there = y;
      there.q = moved(run, y.v, time);
      return result(run, operation, there);
    });
  }

  void check_frame(const Runner& run, int frame, int expressed_in) const {
    Arguments y = x;
    y.frame = frame, y.expressed_in = expressed_in;
    const Motion F = frame_motion(t, frame, X);
    compare(run, kFramePoses, y, homogeneous(F));
    compare(run, kFrameVelocity, y, twist(F, expressed_in));
    compare(run, kFrameAcceleration, y, twist_rate(F, expressed_in));
    if (expressed_in == 0) {
      Numbers all = homogeneous(F);
      for (const Numbers& more : {twist(F, 0), twist_rate(F, 0)}) all.insert(all.end(), more.begin(), more.end());
      compare(run, kFrameMotions, y, all);
    }
    compare(run, kJacobianDotV, y, twist_rate(frame_motion(t, frame, coasting), expressed_in));
    std::vector<Numbers> columns;
    for (int k = 0; k < t.nv; ++k) columns.push_back(twist(frame_motion(t, frame, J.motion[k]), expressed_in));
    compare(run, kJacobian, y, as_columns(columns, 6));
    const Numbers rate = result(run, kJacobianDot, y);
    check_close(rate, along(run, kJacobian, y), kDifference4, label(run, kJacobianDot) + "differs from differences");
    if (t.nv > 0) check_close(times(rate, x.v), result(run, kJacobianDotV, y), kParity, label(run, kJacobianDot) + "times v");
    const Numbers H = result(run, kJacobianDerivative, y);
    if (t.nv > 0) check_close(times(H, x.v), rate, kParity, label(run, kJacobianDerivative) + "times v is not its rate");
  }

  void check_coriolis(const Runner& run) const {
    const Numbers C = result(run, kCoriolisMatrix, x);
    Numbers sum = C;
    for (int r = 0; r < t.nv; ++r) {
      for (int k = 0; k < t.nv; ++k) sum[r * t.nv + k] += C[k * t.nv + r];
    }
    check_close(sum, along(run, kMassMatrix, x), kDifference4, label(run, kCoriolisMatrix) + "C + C^T is not dM/dt");
    if (t.nv == 0) return;
    check_close(plus(times(C, x.v), result(run, kGravityForce, x)), bias, kParity,
                label(run, kCoriolisMatrix) + "C v + g is not the bias");
  }

  Numbers zero;
  Columns J;
  std::vector<Motion> X, coasting;
  std::vector<BodyState> state;
  Numbers M, bias;
};

// Symmetric with positive pivots of its Cholesky factorisation.
inline void check_positive(const Numbers& M, int n, const std::string& what) {
  Numbers L = M;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k)
      check(std::fabs(M[i * n + k] - M[k * n + i]) <= kParity * (1 + std::fabs(M[i * n + k])), what + " is not symmetric");
    for (int k = 0; k <= i; ++k) {
      double sum = L[i * n + k];
      for (int j = 0; j < k; ++j) sum -= L[i * n + j] * L[k * n + j];
      if (i == k) check(sum > 0, what + " is not positive definite");
      L[i * n + k] = i == k ? std::sqrt(sum) : sum / L[k * n + k];
    }
  }
}

// Rows of batches of every size up to three packs: each row is what it is in any other batch, bit by bit, and what one state
// gives up to rounding; begin and end are kept to.
inline void check_rows(const Tree& t, const Runner& run, Random& r) {
  const int most = 3 * run.lanes();
  std::vector<Arguments> states;
  Arguments all;
  for (int i = 0; i < most; ++i) {
    states.push_back(random_arguments(t, r));
    append(all.q, states[i].q), append(all.v, states[i].v), append(all.a, states[i].a), append(all.external, states[i].external);
  }
  for (int operation = 0; operation < kOperations; ++operation) {
    const std::string label = std::string(run.name()) + " " + operation_name(operation) + " of " + t.name + ": ";
    const Operation& info = row(operation);
    Arguments batch = all;
    if (info.a == Length::kNq) {
      batch.a.clear();
      for (int i = 0; i < most; ++i) append(batch.a, states[(i + 1) % most].q);
    }
    const size_t length = size_of_a(info, run.model());
    if (info.a == Length::kJoints) {
      batch.a.clear();
      for (int i = 0; i < most; ++i) batch.a.insert(batch.a.end(), states[i].a.begin(), states[i].a.begin() + length);
    }
    batch.with_external = info.external, batch.passive = info.external && r.chance(0.5);
    batch.frame = r.below(t.frames()), batch.expressed_in = r.below(3);
    const Outcome whole = run.rows(operation, batch, most);
    check(whole.status == kOk, label + "a batch is refused");
    const size_t size = whole.out.size() / most;
    auto part = [&](long begin, long end) { return Numbers(whole.out.begin() + begin * size, whole.out.begin() + end * size); };
    for (int i = 0; i < most; ++i) {
      Arguments one = batch;
      one.q = states[i].q, one.v = states[i].v, one.external = states[i].external;
      one.a = info.a == Length::kNq ? states[(i + 1) % most].q : states[i].a;
      const Outcome single = run.single(operation, one);
      check(single.status == kOk, label + "one state is refused");
      check_close(part(i, i + 1), single.out, kParity, label + "row and single state differ");
    }
    for (int count = 0; count < most; ++count) {
      Arguments fewer = batch;  // arrays exactly as long as the batch
      fewer.q.resize(count * t.nq), fewer.v.resize(count * t.nv), fewer.external.resize(count * 6 * t.bodies());
      fewer.a.resize(count * length);
      const Outcome some = run.rows(operation, fewer, count);
      check(some.status == kOk, label + "a small batch is refused");
      check_same(some.out, part(0, count), label + "results depend on the batch size");
    }
    const long begin = 1 + r.below(run.lanes()), end = most - 1;
    const Outcome inner = run.rows(operation, batch, most, begin, end);
    Numbers expected(begin * size, Runner::untouched);
    append(expected, part(begin, end)), append(expected, Numbers(size, Runner::untouched));
    check_close(inner.out, expected, kParity, label + "rows outside [begin, end) are touched, or others are not");
  }
}

inline std::vector<Wish> wishes() {
  const std::vector<int> turns = {kRevolute},
                         all = {kRevolute, kPrismatic, kHelical, kCylindrical, kUniversal, kSpherical, kPlanar, kFree};
  const std::vector<int> axes = {kRevolute, kPrismatic, kHelical};
  return {{"a fixed body", 1},
          {"a free body", 1, kFree},
          {"a planar body", 1, kPlanar},
          {"a pendulum", 2},
          {"an arm", 8, kFixed, turns, 0.8, 0.0},
          {"an arm with skew axes", 7, kFixed, axes, 0.0, 0.0},
          {"a humanoid", 18, kFree, turns, 1.0, 0.35},
          {"a humanoid with skew axes", 14, kFree, turns, 0.5, 0.35},
          {"a walker in the plane", 9, kPlanar, turns, 0.7, 0.4},
          {"limbs that slide and screw", 13, kFree, axes, 0.5, 0.5},
          {"every joint on the ground", 12, kFixed, all},
          {"every joint in flight", 12, kFree, all},
          {"every joint in the plane", 10, kPlanar, all, 0.3},
          {"gears on the ground", 9, kFixed, axes, 0.5, 0.4, 0.5},
          {"gears in flight", 12, kFree, all, 0.5, 0.4, 0.6},
          {"no rotors", 10, kFree, turns, 0.7, 0.4, 0.0, false},
          {"drives on the ground", 6, kFixed, axes, 0.5, 0.4, 0.0, true, 0.7},
          {"a humanoid with drives", 12, kFree, turns, 0.8, 0.35, 0.0, true, 1.0},
          {"drives in the plane", 6, kPlanar, all, 0.5, 0.4, 0.0, true, 0.7},
          {"drives and gears", 8, kFree, axes, 0.5, 0.4, 0.3, true, 0.5}};
}

inline void test_operations() {
  unsigned seed = 0;
  std::vector<Wish> all = wishes();
  for (int copies = 1; copies < 3; ++copies) {
    const std::vector<Wish> more = wishes();
    all.insert(all.end(), more.begin(), more.end());
  }
  for (const Wish& wish : all) {
    Random r(++seed);
    const Tree t = random_tree(wish, r);
    const auto model = build(t);
    tally().where = "operations";
    for (int trial = 0; trial < 2; ++trial) {
      const Arguments x = random_arguments(t, r);
      const Expected expected(t, x);
      for (const KernelTable* table : usable_tables()) {
        const Runner run(*table, *model);
        expected.check_kinematics(run);
        expected.check_momentum(run);
        expected.check_dynamics(run);
        expected.check_derivatives(run);
        expected.check_manifold(run);
        check_positive(run.single(kMassMatrix, x).out, t.nv, "mass matrix of " + t.name);
      }
    }
    tally().where = "rows";
    for (const KernelTable* table : usable_tables()) check_rows(t, Runner(*table, *model), r);
  }
}

// All instruction sets give the same numbers on a long chain, where errors would grow.
inline void test_long_chain() {
  tally().where = "long chain";
  Random r(99);
  const Tree t = random_tree({"a chain of 400", 400, kFixed, {kRevolute}, 0.7, 0.0, 0.0, true}, r);
  const auto model = build(t);
  Arguments x = random_arguments(t, r);
  x.v = r.numbers(t.nv, 0.05);
  Numbers first;
  for (const KernelTable* table : usable_tables()) {
    const Runner run(*table, *model);
    const Numbers tau = run.single(kInverseDynamics, x).out;
    if (first.empty()) first = tau;
    check_close(tau, first, kParity, std::string("inverse dynamics of ") + table->name);
    Arguments y = x;
    y.a = tau;
    check_close(run.single(kArticulatedBody, y).out, x.a, 1e-6, std::string("forward after inverse dynamics of ") + table->name);
    check_close(run.rows(kArticulatedBody, y, 1).out, x.a, 1e-6,
                std::string("forward after inverse dynamics in a batch of ") + table->name);
  }
}

}  // namespace tests
