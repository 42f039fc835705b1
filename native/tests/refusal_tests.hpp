// Bad numbers are refused with the argument, the row and the entry; bad arrays do not become models.
#pragma once
#include <limits>

#include "tests/runner.hpp"

namespace tests {

inline Numbers& argument_of(Arguments& x, int k) { return k == 0 ? x.q : k == 1 ? x.v : k == 2 ? x.a : x.external; }

inline void check_refusal(const Outcome& o, int status, int argument, long row, int index, const std::string& what) {
  check(o.status == status, what + ": status " + std::to_string(o.status) + ", expected " + std::to_string(status));
  if (o.status != status) return;
  check(o.argument == argument && o.row == row && o.index == index,
        what + ": names argument " + std::to_string(o.argument) + ", row " + std::to_string(o.row) + ", entry " +
            std::to_string(o.index) + ", expected " + std::to_string(argument) + ", " + std::to_string(row) + ", " +
            std::to_string(index));
}

inline void test_non_finite_arguments() {
  tally().where = "numbers that are not finite";
  Random r(7);
  const Tree t = random_tree({"a robot", 7, kFree, {kRevolute, kSpherical, kPlanar}}, r);
  const auto model = build(t);
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (const KernelTable* table : usable_tables()) {
    const Runner run(*table, *model);
    const int count = 2 * run.lanes() + 1;
    for (int operation = 0; operation < kOperations; ++operation) {
      const Operation& info = row(operation);
      for (int k = 0; k < 4; ++k) {
        if ((k == 1 && info.v == Length::kNone) || (k == 2 && info.a == Length::kNone) || (k == 3 && !info.external)) continue;
        Arguments one = random_arguments(t, r), all;
        if (info.a == Length::kNq) one.a = t.random_q(r);
        one.a.resize(size_of_a(info, model->tables));
        one.with_external = info.external;
        const int index = r.below(static_cast<int>(argument_of(one, k).size()));
        const long row = r.below(count);
        const double value = bad[r.below(3)];
        all.with_external = info.external;
        for (int i = 0; i < count; ++i) {
          Arguments fine = one;
          if (i == row || (i > row && r.chance(0.5))) argument_of(fine, k)[index] = value;  // the first bad row counts
          for (int j = 0; j < 4; ++j) append(argument_of(all, j), argument_of(fine, j));
        }
        argument_of(one, k)[index] = value;
        const std::string what = std::string(run.name()) + " " + operation_name(operation);
        check_refusal(run.single(operation, one), kNonFinite, k, 0, index, what);
        check_refusal(run.rows(operation, all, count), kNonFinite, k, row, index, what + " in a batch");
      }
    }
  }
}

inline void test_quaternion_norms() {
  tally().where = "quaternion norms";
  Random r(8);
  const Tree t = random_tree({"a robot", 6, kFree, {kRevolute, kSpherical}}, r);
  const auto model = build(t);
  int ball = 1;
  while (t.kind[ball] != kSpherical) ++ball;
  const int starts[] = {3, t.own_q[ball]};
  for (const KernelTable* table : usable_tables()) {
    const Runner run(*table, *model);
    const int count = run.lanes() + 1;
    for (int operation = 0; operation < kOperations; ++operation) {
      for (int start : starts) {
        for (double norm : {1.002, 0.998, 0.0, 1.0005, 0.9995}) {
          Arguments one = random_arguments(t, r), all;
          if (operation == kDifference) one.a = t.random_q(r);
          const Numbers q = one.q;
          const long row = r.below(count);
          for (int i = 0; i < count; ++i) {
            Arguments x = one;
            for (int k = 0; k < 4 && i == row; ++k) x.q[start + k] *= norm;
            append(all.q, x.q), append(all.v, x.v), append(all.a, x.a), append(all.external, x.external);
          }
          for (int k = 0; k < 4; ++k) one.q[start + k] *= norm;
          const std::string what =
              std::string(run.name()) + " " + operation_name(operation) + " with norm " + std::to_string(norm);
          const Outcome single = run.single(operation, one), batch = run.rows(operation, all, count);
          const bool any_norm = operation == kNormalize && norm > 0;  // is what normalize is for
          if (std::fabs(norm - 1) > 1e-3 && !any_norm) {
            check_refusal(single, kQuaternionNorm, 0, 0, start, what);
            check_refusal(batch, kQuaternionNorm, 0, row, start, what + " in a batch");
            continue;
          }
          check(single.status == kOk && batch.status == kOk, what + " is refused");
          Arguments unit = one;  // and normalised on the way in
          unit.q = q;
          check_close(single.out, run.single(operation, unit).out, 1e-12, what + " is not normalised");
        }
      }
    }
  }
}

// The second configuration of a difference is checked as well.
inline void test_second_configuration() {
  tally().where = "second configuration";
  Random r(9);
  const Tree t = random_tree({"a free body", 1, kFree}, r);
  const auto model = build(t);
  for (const KernelTable* table : usable_tables()) {
    const Runner run(*table, *model);
    Arguments x = random_arguments(t, r);
    x.a = t.random_q(r);
    x.a[3] += 0.1;
    check(run.single(kDifference, x).status == kQuaternionNorm, "accepted");
    check(run.rows(kDifference, x, 1).status == kQuaternionNorm, "accepted in a batch");
  }
}

inline void test_massless_joints() {
  tally().where = "joints that move no inertia";
  Random r(10);
  for (int base : {kFixed, kFree}) {
    Tree t = random_tree({"a chain", 6, base, {kRevolute}, 0.5, 0.0, 0.0, false}, r);
    std::fill(t.inertia.begin() + 50, t.inertia.end(), 0.0);
    const auto model = build(t);
    for (const KernelTable* table : usable_tables()) {
      const Runner run(*table, *model);
      const Arguments x = random_arguments(t, r);
      check(run.single(kMassMatrix, x).status == kOk, "the mass matrix exists all the same");
      check(run.single(kInverseDynamics, x).status == kOk, "inverse dynamics exists all the same");
      for (int operation : {kArticulatedBody, kCompositeBody, kSolveMass}) {
        const std::string what = std::string(run.name()) + " " + operation_name(operation);
        check_refusal(run.single(operation, x), kSingular, 0, 0, 5, what);
        check_refusal(run.rows(operation, x, 1), kSingular, 0, 0, 5, what + " in a batch");
      }
    }
  }
}

inline void test_overflow() {
  tally().where = "overflow";
  Random r(11);
  const Tree t = random_tree({"a robot", 6, kFree, {kRevolute}}, r);
  const auto model = build(t);
  for (const KernelTable* table : usable_tables()) {
    const Runner run(*table, *model);
    Arguments x = random_arguments(t, r);
    x.v[2] = 1.1e100;  // finite, but its products may not be
    for (int operation : {kInverseDynamics, kArticulatedBody, kCompositeBody, kBiasForce, kKineticEnergy}) {
      const std::string what = std::string(run.name()) + " " + operation_name(operation);
      check_refusal(run.single(operation, x), kNonFinite, 1, 0, 2, what);
      check_refusal(run.rows(operation, x, 1), kNonFinite, 1, 0, 2, what + " in a batch");
    }
    x.v[2] = 0.9e100;
    check(run.single(kInverseDynamics, x).status == kOk, std::string(run.name()) + " refuses numbers that can be computed with");
  }
}

inline void test_inconsistent_arrays() {
  tally().where = "inconsistent arrays";
  Random r(12);
  const Tree good = random_tree({"a robot", 5, kFree, {kRevolute, kSpherical}}, r);
  auto refused = [](const Tree& t) { return !OwnedModel().build(t.arrays()).empty(); };
  check(!refused(good), "good arrays are refused");
  auto spoiled = [&](auto change, const char* what) {
    Tree t = good;
    change(t);
    check(refused(t), std::string(what) + " is accepted");
  };
  spoiled([](Tree& t) { t.parent[2] = 2; }, "a body that is its own parent");
  spoiled([](Tree& t) { t.parent[2] = 4; }, "a parent behind its child");
  spoiled([](Tree& t) { t.parent[2] = -1; }, "a second root");
  spoiled([](Tree& t) { t.parent[0] = 0; }, "no root");
  spoiled([](Tree& t) { t.kind[2] = 77; }, "an unknown joint");
  spoiled([](Tree& t) { t.kind[2] = kFixed; }, "a fixed joint");
  spoiled([](Tree& t) { t.tree_nq += 1; }, "a coordinate too many");
  spoiled([](Tree& t) { t.leader_q[1] = -1; }, "a negative leader");
  spoiled([](Tree& t) { t.leader_v[1] = t.nv; }, "a leader beyond the last");
  spoiled([](Tree& t) { t.frame_body[0] = t.bodies(); }, "a frame on nothing");
  spoiled([](Tree& t) { t.independent[1] = 0; }, "a joint without coordinates");
  Tree empty;
  empty.gravity = {0, 0, 0};
  check(refused(empty), "a model without bodies is accepted");
}

inline void test_selection() {
  tally().where = "choice of the instruction set";
  std::string message;
  const KernelTable* best = select_table(nullptr, message);
  check(best && runs_here(*best), "nothing chosen");
  check(best == usable_tables().back(), "not the fastest");
  check(select_table("baseline", message) == compiled_tables().front(), "not the one that was asked for");
  check(!select_table("no such set", message) && !message.empty(), "an unknown name is accepted");
}

}  // namespace tests
