// The filter of an inertial unit and contacts beside dense products and identities of Kalman's gain.
#pragma once
#include <random>

#include "estimation/invariant_filter.hpp"
#include "tests/check.hpp"

namespace tests {

// A filter of two contacts, the second one a patch, at random, with everything that it points to.
struct RandomFilter {
  static constexpr int kSize = 24;
  const std::vector<int> patch{1};
  std::vector<int> on = std::vector<int>(8, 1);
  Numbers R, x, bias, C, P, gravity{0.0, 0.0, -9.81};
  tarsus::FilterState state{};
  const tarsus::FilterNoise noise{1e-3, 1e-2, 1e-3, 1e-2, 1e-4, 2e-3, 4e-3, 5e-3, 5e-3, 2e-2};
  std::mt19937_64 random;

  explicit RandomFilter(unsigned seed) : random(seed) {
    R = rotation(), C = rotation(), x = drawn(12), bias = drawn(6, 0.1);
    const Numbers A = drawn(kSize * kSize, 0.1);
    P = product(A, transposed(A));
    state = {2, 1, patch.data(), on.data(), R.data(), x.data(), bias.data(), C.data(), P.data(), gravity.data()};
  }
  Numbers drawn(int count, double scale = 1.0) {
    std::normal_distribution<double> normal(0.0, scale);
    Numbers out(count);
    for (double& number : out) number = normal(random);
    return out;
  }
  Numbers rotation() {
    Numbers E(9);
    tarsus::filtering::exponential(drawn(3).data(), E.data());
    return E;
  }
  // Of square matrices.
  static int side(const Numbers& A) { return static_cast<int>(std::lround(std::sqrt(static_cast<double>(A.size())))); }
  static Numbers product(const Numbers& A, const Numbers& B) {
    const int n = side(A);
    Numbers out(A.size(), 0.0);
    for (int i = 0; i < n * n * n; ++i) out[i / n] += A[i / (n * n) * n + i % n] * B[i % n * n + i / n % n];
    return out;
  }
  static Numbers transposed(const Numbers& A) {
    const int n = side(A);
    Numbers out(A.size());
    for (int i = 0; i < n * n; ++i) out[i] = A[i % n * n + i / n];
    return out;
  }
};

// P = F P F^T with F written down entry by entry from the equations of the errors.
inline void test_filter_steps() {
  using namespace tarsus;
  constexpr int n = RandomFilter::kSize;
  const double dt = 2e-3;
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomFilter f(seed);
    Numbers F(n * n, 0.0), S(9), L(9);
    for (int i = 0; i < n; ++i) F[i * (n + 1)] = 1.0;
    const auto put = [&](int row, int column, const Numbers& B, double factor) {
      for (int i = 0; i < 9; ++i) F[(3 * row + i / 3) * n + 3 * column + i % 3] = factor * B[i];
    };
    put(0, 1, f.R, -dt), put(3, 2, f.R, -dt), put(4, 2, f.R, -0.5 * dt * dt);
    put(4, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, dt);
    filtering::cross_matrix(f.gravity.data(), S.data());
    put(3, 0, S, dt), put(4, 0, S, 0.5 * dt * dt);
    for (int k = 0; k < 4; ++k) {
      filtering::cross_matrix(f.x.data() + 3 * k, S.data());
      filtering::multiply(S.data(), f.R.data(), L.data());
      put(3 + k, 1, L, -dt);
    }
    const Numbers expected = RandomFilter::product(RandomFilter::product(F, f.P), RandomFilter::transposed(F));
    filtering::transport(f.state, dt);
    check_close(f.P, expected, 1e-14, "a step of the covariance differs from F P F^T");
    const Numbers before = f.P;
    filtering::grow(f.state, f.noise, dt, 1.0, 1.0);
    double trace = 0.0;  // that of the noise: dt times the squares of all densities, and of the arms that gyroscopes turn
    for (int i = 0; i < n; ++i) trace += f.P[i * (n + 1)] - before[i * (n + 1)];
    double arms = 3.0, spread = 3.0 * (1e-6 + 1e-4 + 1e-4 + 2 * 25e-6) + 2 * 4e-4 + 25e-6;
    for (const double part : f.x) arms += 2.0 * part * part;
    check_close({trace / dt}, {arms * 1e-6 + spread}, 1e-11, "noise of a step differs from its closed form");
  }
}

// After a correction P' H^T = P H^T S^-1 N, which is P' H^T N^-1 S = P H^T; what is seen too far off changes nothing.
inline void test_filter_corrections() {
  using namespace tarsus;
  constexpr int n = RandomFilter::kSize, rows = 9;
  const int source[] = {4, 4, 0}, block[] = {5, 6, 7}, used[] = {0, 1};
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomFilter f(seed);
    Numbers scratch(filter_scratch(f.state)), p_IC = f.drawn(6, 0.1), R_IC = f.rotation(), J(2 * 6 * 4, 0.0);
    const Numbers second = f.rotation(), X_BI{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    R_IC.insert(R_IC.end(), second.begin(), second.end());
    const SeenContacts seen{p_IC.data(), R_IC.data(), X_BI.data(), J.data(), 24, 4, 4};
    const auto seen_by = [&](const Numbers& P, int i, int row) {  // entry of P H^T
      return P[i * n + 3 * source[row / 3] + row % 3] - P[i * n + 3 * block[row / 3] + row % 3];
    };
    const Numbers before = f.P, R = f.R, x = f.x;
    int missed[2] = {0, 0};
    check(!correct_filter(f.state, f.noise, seen, used, 2, 1e-9, missed, scratch.data()) && missed[0] && missed[1],
          "contacts beyond the gate are believed");
    check_same(f.P, before, "contacts beyond the gate change the covariance");
    check_same(f.x, x, "contacts beyond the gate change the state");
    check_same(f.R, R, "contacts beyond the gate change the orientation");
    check(correct_filter(f.state, f.noise, seen, used, 2, HUGE_VAL, missed, scratch.data()), "contacts are not believed");
    Numbers found, expected;
    for (int i = 0; i < n; ++i) {
      for (int c = 0; c < rows; ++c) {
        double sum = seen_by(f.P, i, c);  // times N^-1 N
        for (int r = 0; r < rows; ++r) {
          const double own = r < 6 ? f.noise.contact : f.noise.contact_turn;
          const double S = seen_by(before, 3 * source[r / 3] + r % 3, c) - seen_by(before, 3 * block[r / 3] + r % 3, c);
          sum += seen_by(f.P, i, r) / (own * own) * S;
        }
        found.push_back(sum), expected.push_back(seen_by(before, i, c));
      }
    }
    check_close(found, expected, 1e-9, "the gain is not Kalman's");  // S is some 1e5 times N
    check_same(f.P, RandomFilter::transposed(f.P), "the covariance is not symmetric");
  }
}

// A base that carries the unit at a pose: what is told is the inverse of how the unit moves with it.
inline void test_base_of_filter() {
  using namespace tarsus;
  for (unsigned seed = 0; seed < 50; ++seed) {
    RandomFilter f(seed);
    const Numbers R_BI = f.rotation(), p = f.drawn(3), w = f.drawn(3), still(6, 0.0);
    const Numbers X_BI{R_BI[0], R_BI[1], R_BI[2], p[0], R_BI[3], R_BI[4], R_BI[5], p[1],
                       R_BI[6], R_BI[7], R_BI[8], p[2], 0,       0,       0,       1};
    Numbers q(7), v(6), R_WB(9), arm(3), speed(3), moved(3), turned(3), back(9), expected(9);
    base_of_filter(f.state, X_BI.data(), w.data(), still.data(), q.data(), v.data());
    // The rotation matrix of the quaternion times R_BI is R.
    const double s = q[3], a = q[4], b = q[5], c = q[6];
    R_WB = {1 - 2 * (b * b + c * c), 2 * (a * b - s * c), 2 * (a * c + s * b), 2 * (a * b + s * c),    1 - 2 * (a * a + c * c),
            2 * (b * c - s * a),     2 * (a * c - s * b), 2 * (b * c + s * a), 1 - 2 * (a * a + b * b)};
    filtering::multiply(R_WB.data(), R_BI.data(), back.data());
    check_close(back, f.R, 1e-14, "the orientation of the base differs");
    check(q[3] >= 0.0, "the quaternion of the base has a negative scalar");
    filtering::turn(R_WB.data(), p.data(), arm.data());
    check_close({q[0] + arm[0], q[1] + arm[1], q[2] + arm[2]}, {f.x[3], f.x[4], f.x[5]}, 1e-14, "the place of the base differs");
    filtering::turn(R_BI.data(), w.data(), turned.data());
    check_close({v[3], v[4], v[5]}, turned, 1e-14, "the angular velocity of the base differs");
    moved = {v[0] + v[4] * p[2] - v[5] * p[1], v[1] + v[5] * p[0] - v[3] * p[2], v[2] + v[3] * p[1] - v[4] * p[0]};
    filtering::turn(R_WB.data(), moved.data(), speed.data());
    check_close(speed, {f.x[0], f.x[1], f.x[2]}, 1e-14, "the velocity of the base differs");
  }
}

}  // namespace tests
