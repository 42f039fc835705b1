// The impulse of one contact with friction fulfils Signorini's and Coulomb's conditions, and no lane depends on another.
#pragma once
#include "tests/math_tests.hpp"

namespace tests {

constexpr double kConditions = 1e-9;  // relative: Newton's method ends at 1e-13, ill-conditioned problems lose some digits

inline void check_contact(const double* p, const double* b, const double* l, const std::string& name) {
  const double nn = p[0], mu = p[5], g[2] = {p[1], p[2]}, s[2] = {p[3], p[4]};
  const double across = g[0] * l[1] + g[1] * l[2], un = b[0] + nn * l[0] + across;
  double ut[2], slide = 0, grip = std::hypot(l[1], l[2]);
  for (int k = 0; k < 2; ++k) {
    ut[k] = b[1 + k] + g[k] * l[0] + s[k] * l[1 + k] + g[k] * across / nn;
    slide = std::hypot(slide, ut[k]);
  }
  const double speed = std::hypot(b[0], std::hypot(b[1], b[2])) * (1 + std::hypot(g[0], g[1]) / nn);
  check(l[0] >= 0 && un >= -kConditions * speed && std::fabs(un * l[0]) <= kConditions * speed * (1 + l[0]), name + ": normal");
  check(grip <= mu * l[0] * (1 + kConditions), name + ": outside the cone");
  if (grip < mu * l[0] * (1 - 1e-6)) check(slide <= kConditions * speed, name + ": slips inside the cone");
  const double against = ut[0] * l[1] + ut[1] * l[2];
  check(std::fabs(against + slide * grip) <= 1e-6 * speed * (1 + grip), name + ": friction is not opposite to the motion");
}

inline void test_contacts_with_friction() {
  Random r(41);
  for (const Probe* probe : usable_probes()) {
    const int n = probe->lanes;
    for (int round = 0; round < 4000; ++round) {
      Numbers problem(6 * n), b(3 * n), l(3 * n), alone(3 * n);
      for (int i = 0; i < n; ++i) {
        double* p = &problem[6 * i];
        p[0] = std::exp(r.uniform(-3, 3));
        p[1] = r.uniform(-1, 1) * p[0], p[2] = r.uniform(-1, 1) * p[0];
        p[3] = p[0] * std::exp(r.uniform(-3, 3)), p[4] = p[0] * std::exp(r.uniform(-3, 3));
        p[5] = r.chance(0.1) ? 0.0 : r.uniform(0, 0.9);
        for (int k = 0; k < 3; ++k) b[3 * i + k] = r.uniform(-1, 1);
      }
      probe->solve_contact(problem.data(), b.data(), l.data());
      for (int i = 0; i < n; ++i) check_contact(&problem[6 * i], &b[3 * i], &l[3 * i], probe->name);
      Numbers problems, bs;  // lane 0 in the company of its own copies
      for (int i = 0; i < n; ++i) {
        problems.insert(problems.end(), problem.begin(), problem.begin() + 6), bs.insert(bs.end(), b.begin(), b.begin() + 3);
      }
      probe->solve_contact(problems.data(), bs.data(), alone.data());
      check_same(Numbers(alone.begin(), alone.begin() + 3), Numbers(l.begin(), l.begin() + 3), "lanes of one pack");
    }
  }
}

}  // namespace tests
