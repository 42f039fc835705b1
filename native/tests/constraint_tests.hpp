// Constraints by multipliers: rows against differences, all methods against the equations of motion, redundancy, refusals.
#pragma once
#include "tests/operation_tests.hpp"

namespace tests {

constexpr double kConstrained = 1e-7;  // equations of motion times the condition of the mass matrix and of the rows

constexpr double kContradiction = 1e-7;  // share of their terms by which dependent rows differ: far above rounding

// Arrays of a table of constraints.
struct Constraints {
  std::vector<int> pair, pair_row, pair_place, joint, term;
  Numbers pair_pose, pair_row_data, joint_offset, factor, coefficient, drive;
  std::vector<bool> holonomic;
  int rows = 0;

  ConstraintArrays arrays() const {
    ConstraintArrays a{};
    a.rows = rows, a.drives = static_cast<int>(drive.size());
    a.pairs = static_cast<int>(pair_place.size()), a.pair_rows = static_cast<int>(pair_row.size() / 3);
    a.joints = static_cast<int>(joint_offset.size()), a.terms = static_cast<int>(factor.size());
    a.coefficients = static_cast<int>(coefficient.size());
    a.pair = pair.data(), a.pair_pose = pair_pose.data(), a.pair_row = pair_row.data(), a.pair_row_data = pair_row_data.data();
    a.pair_place = pair_place.data(), a.joint = joint.data(), a.joint_offset = joint_offset.data(), a.term = term.data();
    a.factor = factor.data(), a.coefficient = coefficient.data();
    return a;
  }

  // A pair between two frames (-1: the world) with one row of each kind; the frame A may follow a motion that stands still.
  void add_pair(int a, int b, const std::vector<int>& kinds, Random& r, bool driven = false) {
    const int number = static_cast<int>(pair_place.size());
    pair.insert(pair.end(), {a, b, driven ? static_cast<int>(drive.size()) : -1});
    if (driven) append(drive, random_pose(r, false)), append(drive, Numbers(12, 0.0));
    append(pair_pose, random_pose(r, false)), append(pair_pose, random_pose(r, false));
    pair_place.push_back(rows);
    for (int kind : kinds) {
      const Numbers n = r.unit(3), e = r.unit(3);
      Numbers t = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]};
      const double length = std::sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
      for (double& x : t) x /= length;
      const int entry = r.below(3);
      pair_row.insert(pair_row.end(), {number, kind, entry});
      append(pair_row_data, n), append(pair_row_data, t);
      append(pair_row_data, {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]});
      pair_row_data.push_back(0.3);
      holonomic.push_back((kind != kRowSphere && kind != kRowWheel) || entry == 2);
      ++rows;
    }
  }

  // q_a + 0.7 q_b - (0.1 + 0.2 q_c + 0.3 q_c^2) = 0.4 + given position, for axes of bodies.
  void add_joints(int a, int b, int c) {
    joint.insert(joint.end(), {rows++, 2, c, 0, 3, static_cast<int>(drive.size())});
    joint_offset.push_back(0.4);
    term.insert(term.end(), {a, 0, b, 0});
    append(factor, {1.0, 0.7}), append(coefficient, {0.1, 0.2, 0.3}), append(drive, {0.5, 0.0, 0.0});
    holonomic.push_back(true);
  }
};

// Two frames of different bodies.
inline bool choose_frames(const Tree& t, Random& r, int& a, int& b) {
  for (int trial = 0; trial < 50; ++trial) {
    a = r.below(t.frames() + 1) - 1, b = r.below(t.frames());
    if (a < 0 || t.frame_body[a] != t.frame_body[b]) return true;
  }
  return false;
}

// Some rows of every kind, about a third of the degrees of freedom.
inline Constraints random_constraints(const Tree& t, Random& r) {
  Constraints c;
  std::vector<int> axes;
  for (int i = 1; i < t.bodies(); ++i) {
    if (t.independent[i] && joint_size(t.kind[i]).nv == 1) axes.push_back(i);
  }
  const int wanted = t.nv / 3,
            all[] = {kRowAlong, kRowOrientation, kRowTilt, kRowAngle, kRowThread, kRowDistance, kRowSphere, kRowWheel};
  if (wanted > 0 && axes.size() >= 3) c.add_joints(axes[0], axes[axes.size() / 2], axes.back());
  int a, b;
  while (c.rows < wanted && choose_frames(t, r, a, b)) {
    const std::vector<int> kinds = {all[r.below(8)], all[r.below(8)]};
    c.add_pair(a, b, c.rows + 2 <= wanted ? kinds : std::vector<int>{kinds[0]}, r, a < 0 && r.chance(0.5));
  }
  return c;
}

inline Numbers part_of(const Numbers& x, size_t begin, size_t size) {
  return Numbers(x.begin() + begin, x.begin() + begin + size);
}

// Rows at a state and along a motion: the rate of the violation is the velocity, and so on.
inline void check_rows_of(const Tree& t, const Runner& run, const Constraints& c, const Arguments& x) {
  const size_t m = c.rows;
  auto at = [&](double h) {
    Arguments y = x;
    for (int k = 0; k < t.nv; ++k) y.v[k] = x.v[k] * h + x.a[k] * h * h / 2;
    y.q = run.single(kIntegrate, y).out;
    y.v = plus(x.v, x.a, h);
    return run.single(kConstraintRows, y).out;
  };
  const Numbers here = at(0);
  Numbers rate(here.size());
  const double weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, steps[] = {-2, -1, 1, 2};
  for (int i = 0; i < 4; ++i) rate = plus(rate, at(steps[i] * 1e-4), weights[i] / 1e-4);
  Numbers slope = part_of(rate, 0, m), velocity = part_of(here, m, m);
  for (size_t r = 0; r < m; ++r) {
    if (!c.holonomic[r]) slope[r] = velocity[r] = 0.0;
  }
  const std::string what = std::string(run.name()) + " constraints of " + t.name + ": ";
  check_close(slope, velocity, 1e-6, what + "velocity is not the rate of the violation");
  const Numbers second = plus(times(part_of(here, 3 * m, m * t.nv), x.a), part_of(here, 2 * m, m));
  check_close(part_of(rate, m, m), second, 1e-6, what + "jacobian and bias are not the rate of the velocity");
}

// M vdot + bias = tau + J^T lambda, and rows obey (3.61).
inline void check_multipliers(const Tree& t, const Runner& run, const Constraints& c, const Arguments& x) {
  const size_t m = c.rows, nv = t.nv;
  const Numbers rows = run.single(kConstraintRows, x).out, J = part_of(rows, 3 * m, m * nv);
  for (int operation = kMultipliersSparse; operation < kOperations; ++operation) {
    const std::string what = std::string(run.name()) + " " + operation_name(operation) + " of " + t.name + ": ";
    const Outcome o = run.single(operation, x);
    check(o.status == kOk, what + "is refused");
    if (o.status != kOk) continue;
    Arguments y = x;
    y.a = part_of(o.out, 0, nv);
    const Numbers needed = run.single(kInverseDynamics, y).out, force = part_of(o.out, nv, nv);
    check_close(needed, plus(x.a, force), kConstrained, what + "equations of motion");
    Numbers by_rows(nv, 0.0), wanted(m), found = times(J, y.a);
    for (size_t r = 0; r < m; ++r) {
      for (size_t k = 0; k < nv; ++k) by_rows[k] += J[r * nv + k] * o.out[2 * nv + r];
      wanted[r] = -rows[2 * m + r] - 2 * x.alpha * rows[m + r] - x.beta * x.beta * rows[r];
    }
    check_close(by_rows, force, kConstrained, what + "joint force is not J^T lambda");
    const bool independent = o.out[o.out.size() - 2] == static_cast<double>(m);
    if (independent) check_close(found, wanted, kConstrained, what + "constraints");
  }
}

inline void test_constraints() {
  tally().where = "constraints";
  unsigned seed = 500;
  long compared = 0, all_rows = 0;
  std::vector<Wish> all = wishes();
  for (const Wish& wish : all) {
    Random r(++seed);
    const Tree t = random_tree(wish, r);
    const auto model = build(t);
    const Constraints c = random_constraints(t, r);
    OwnedConstraints owned;
    const std::string wrong = owned.build(c.arrays(), model->tables);
    check(wrong.empty(), "constraints of " + t.name + ": " + wrong);
    for (const KernelTable* table : usable_tables()) {
      const Runner run(*table, *model);
      const int most = 2 * run.lanes() + 1;
      Arguments batch;
      std::vector<Arguments> states;
      for (int i = 0; i < most; ++i) {
        Arguments x = random_arguments(t, r);
        x.constraints = &owned.table, x.drive = c.drive, x.alpha = 0.7, x.beta = 0.4;
        x.with_external = true, x.passive = true;
        append(batch.q, x.q), append(batch.v, x.v), append(batch.a, x.a), append(batch.external, x.external);
        append(batch.drive, x.drive);
        states.push_back(x);
      }
      batch.constraints = &owned.table, batch.alpha = 0.7, batch.beta = 0.4, batch.with_external = true, batch.passive = 1;
      check_rows_of(t, run, c, states[0]);
      check_multipliers(t, run, c, states[0]);
      for (int operation = kConstrainedDerivatives; operation < kOperations; ++operation) {
        const std::string what = std::string(run.name()) + " " + operation_name(operation) + " of " + t.name + ": ";
        const Outcome whole = run.rows(operation, batch, most);
        check(whole.status == kOk, what + "a batch is refused");
        const size_t size = whole.out.size() / most;
        all_rows += most;
        for (int i = 0; i < most && whole.status == kOk; ++i) {
          const Outcome one = run.single(operation, states[i]);
          const Numbers found = part_of(whole.out, i * size, size);
          if (row(operation).stabilised && one.out.back() > kContradiction) {  // then motions are not unique
            check(found.back() > kContradiction, what + "a contradiction is seen in one state only");
          } else {
            check_close(found, one.out, kConstrained, what + "row and single state differ"), ++compared;
          }
        }
      }
    }
  }
  check(2 * compared > all_rows, "most constraints contradict each other");
}

// The same pair twice and a row that follows from it: ranks, halves of forces, and lanes that differ.
inline void test_redundant_constraints() {
  tally().where = "redundant constraints";
  Random r(31);
  const Tree t = random_tree({"a humanoid", 14, kFree, {kRevolute}, 0.6, 0.3}, r);
  const auto model = build(t);
  const std::vector<int> point = {kRowAlong, kRowAlong, kRowAlong};
  Random first(3), second(3);
  Constraints once, twice;
  once.add_pair(-1, 0, point, first);
  twice.add_pair(-1, 0, point, second);
  second = Random(3);
  twice.add_pair(-1, 0, point, second);
  OwnedConstraints one, two;
  check(one.build(once.arrays(), model->tables).empty() && two.build(twice.arrays(), model->tables).empty(), "build");
  const size_t nv = t.nv;
  for (const KernelTable* table : usable_tables()) {
    const Runner run(*table, *model);
    const int rows = run.lanes() + 1;
    Arguments all;
    for (int i = 0; i < rows; ++i) {
      const Arguments x = random_arguments(t, r);
      append(all.q, x.q), append(all.v, x.v), append(all.a, x.a);
    }
    for (int operation = kMultipliersSparse; operation < kOperations; ++operation) {
      const std::string what = std::string(run.name()) + " " + operation_name(operation) + ": ";
      all.constraints = &one.table;
      const Outcome a = run.rows(operation, all, rows);
      all.constraints = &two.table;
      const Outcome b = run.rows(operation, all, rows);
      check(a.status == kOk && b.status == kOk, what + "refused");
      for (int i = 0; i < rows; ++i) {
        const Numbers x = part_of(a.out, i * (a.out.size() / rows), a.out.size() / rows);
        const Numbers y = part_of(b.out, i * (b.out.size() / rows), b.out.size() / rows);
        check(x[x.size() - 2] == 3 && y[y.size() - 2] == 3, what + "rank");
        check(y.back() < 1e-9, what + "equal rows contradict each other");
        check_close(part_of(y, 0, 2 * nv), part_of(x, 0, 2 * nv), kConstrained, what + "motion");
        for (int copy = 0; copy < 2; ++copy) {
          check_close(plus(Numbers(3, 0.0), part_of(y, 2 * nv + 3 * copy, 3), 2.0), part_of(x, 2 * nv, 3), kConstrained,
                      what + "copies do not share the force");
        }
      }
    }
  }
}

// A rod whose ends coincide is told with its row.
inline void test_constraints_without_direction() {
  tally().where = "constraints without direction";
  Random r(32);
  Tree t = random_tree({"a body", 1, kFree}, r);
  std::copy(kIdentityPose.begin(), kIdentityPose.end(), t.frame_pose.begin());
  const auto model = build(t);
  Constraints c;
  c.add_pair(-1, 0, {kRowDistance}, r);
  std::copy(kIdentityPose.begin(), kIdentityPose.end(), c.pair_pose.begin());
  std::copy(kIdentityPose.begin(), kIdentityPose.end(), c.pair_pose.begin() + 12);
  OwnedConstraints owned;
  check(owned.build(c.arrays(), model->tables).empty(), "build");
  for (const KernelTable* table : usable_tables()) {
    const Runner run(*table, *model);
    Arguments all;
    const int rows = 2 * run.lanes(), bad = run.lanes() + 1;
    for (int i = 0; i < rows; ++i) {
      Arguments x = random_arguments(t, r);
      if (i >= bad) x.q = {0, 0, 0, 1, 0, 0, 0};
      append(all.q, x.q), append(all.v, x.v), append(all.a, x.a);
    }
    all.constraints = &owned.table;
    for (int operation = kConstrainedDerivatives; operation < kOperations; ++operation) {
      const Outcome o = run.rows(operation, all, rows);
      check(o.status == kPairSingular && o.row == bad && o.index == 0, std::string(run.name()) + " " + operation_name(operation));
    }
  }
}

// Numbers that point nowhere do not become tables.
inline void test_inconsistent_constraints() {
  tally().where = "inconsistent constraints";
  Random r(33);
  const Tree t = random_tree({"an arm", 6, kFixed, {kRevolute}, 0.5, 0.0}, r);
  const auto model = build(t);
  auto refused = [&](const Constraints& c) {
    OwnedConstraints owned;
    return !owned.build(c.arrays(), model->tables).empty();
  };
  Constraints good;
  int a = -1, b = 0;
  while (t.frame_body[b] == 0) ++b;
  good.add_pair(a, b, {kRowAlong, kRowTilt}, r, true), good.add_joints(1, 2, 3);
  check(!refused(good), "good ones");
  auto with = [&](auto change) {
    Constraints c = good;
    change(c);
    return refused(c);
  };
  check(with([&](Constraints& c) { c.pair[1] = t.frames(); }), "frame out of range");
  check(with([&](Constraints& c) { c.pair[0] = c.pair[1]; }), "a body tied to itself");
  check(with([&](Constraints& c) { c.pair[2] = 20; }), "drive out of range");
  check(with([&](Constraints& c) { c.pair_row[1] = 8; }), "kind out of range");
  check(with([&](Constraints& c) { c.pair_row[2] = 3; }), "entry out of range");
  check(with([&](Constraints& c) { c.pair_place[0] = 2; }), "rows that overlap");
  check(with([&](Constraints& c) { c.rows = 5; }), "rows that are missing");
  check(with([&](Constraints& c) { c.term[0] = 6; }), "joint out of range");
  check(with([&](Constraints& c) { c.term[1] = 1; }), "second axis of a hinge");
  check(with([&](Constraints& c) { c.joint[4] = 9; }), "coefficients out of range");
}

}  // namespace tests
