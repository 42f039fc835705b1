// Rows between bodies and joints in one solve: their forces are those of their laws, and the motion is the one that these forces
// give where they act from outside. Trees, gears and loops; packs and single robots; rows that follow from others.
#pragma once
#include "tests/math_tests.hpp"
#include "tests/simulation_tests.hpp"

namespace tests {

constexpr double kRowLaw = 1e-8;  // relative: rounding times the condition of some ten rows

struct SomeRows {
  std::vector<int> node, hard;
  Numbers wrench, factor, number;
  int count = 0;

  // Hard rows first: two of bodies, one of joints, the first one again, one that moves nothing; then soft ones.
  SomeRows(const tarsus::Model& m, int lanes, Random& r) {
    const int first = m.node[0].arm == kRoot ? 1 : 0;
    auto some = [&] { return first + static_cast<int>(r.uniform(0, m.nodes - first)); };
    auto add = [&](int a, int b, bool joints, int is_hard) {
      node.push_back(a), node.push_back(b), hard.push_back(is_hard);
      append(wrench, r.numbers(12, 1));
      Numbers own(m.tree_nv, 0.0);
      for (double& x : own) x = joints && r.chance(0.3) ? r.uniform(-1, 1) : 0.0;
      append(factor, own);
      ++count;
    };
    add(some(), some(), false, 1), add(some(), -1, true, 1);
    add(node[0], node[1], false, 1);
    std::copy(wrench.begin(), wrench.begin() + 12, wrench.begin() + 24);
    add(-1, -1, false, 1);
    add(-1, -1, true, 0), add(some(), some(), false, 0), add(some(), some(), true, 0), add(some(), -1, false, 0);
    for (int l = 0; l < lanes; ++l) {
      for (int k = 0; k < count; ++k) {
        const double stiff[] = {0.0, 1e-3, 1.0, 1e6};
        number.push_back(r.uniform(-1, 1)), number.push_back(r.uniform(-1, 1)), number.push_back(stiff[(k + l) % 4]);
      }
      number[3 * (l * count + 2)] = number[3 * (l * count)];  // rows that are the same ask for the same
    }
  }
};

inline void check_rows(const SomeRows& rows, const Numbers& force, const Numbers& along, int lane, const std::string& name) {
  double largest = 1;
  for (int k = 0; k < rows.count; ++k) largest = std::fmax(largest, std::fabs(force[lane * rows.count + k]));
  for (int k = 0; k < rows.count; ++k) {
    const double *x = &rows.number[3 * (lane * rows.count + k)], l = force[lane * rows.count + k];
    const double a = along[lane * rows.count + k];
    if (!rows.hard[k]) {
      check(std::fabs(l - (x[1] - x[2] * a)) <= kRowLaw * (largest + x[2]), name + ": force of a soft row");
    } else if (k == 3) {
      check(l == 0 && a == 0, name + ": a row that moves nothing");
    } else {
      check(std::fabs(a - x[0]) <= kRowLaw, name + ": acceleration along a hard row");
    }
  }
  check(force[lane * rows.count + 2] == 0, name + ": a row that follows from others has a force");
}

inline void test_couplings() {
  Random r(61);
  for (const Machine& machine : machines(r)) {
    const tarsus::Model& m = machine.model->tables;
    for (const Probe* probe : usable_probes()) {
      for (const bool single : {true, false}) {
        const int n = single ? 1 : probe->lanes;
        const std::string name = machine.name + ", " + probe->name + (single ? ", single" : ", packs");
        SomeRows rows(m, n, r);
        Numbers q, tau = r.numbers(n * m.nv, 1), vdot(n * m.nv), given(n * m.nv), force(n * rows.count), along(n * rows.count);
        for (int l = 0; l < n; ++l) append(q, machine.q);
        probe->couple(m, {single, rows.count, rows.node.data(), rows.wrench.data(), rows.factor.data(), rows.hard.data(),
                          q.data(), tau.data(), rows.number.data(), vdot.data(), force.data(), along.data(), given.data()});
        for (int l = 0; l < n; ++l) check_rows(rows, force, along, l, name);
        check_close(vdot, given, kRowLaw, name + ": motion with the forces of the rows");
      }
    }
  }
}

}  // namespace tests
