// Closures: a four-bar closed by Newton's method and in closed form must be the same mechanism in every operation; polynomial
// and linear closures, followers inside a loop, configurations that cannot be closed.
#pragma once
#include "tests/operation_tests.hpp"

namespace tests {

// A planar four-bar on a free or fixed ground: crank, coupler on the crank, rocker; coupler and rocker meet.
struct LoopedTree : Tree {
  std::vector<int> closure_kind, closure_size, closure_dof, closure_coordinate, closure_independent, closure_row;
  Numbers closure_row_data, closure_slope, closure_table, closure_weight, closure_grid, reference_q;

  ModelArrays looped() const {
    ModelArrays a = arrays();
    a.closures = static_cast<int>(closure_kind.size());
    a.closure_kind = closure_kind.data(), a.closure_size = closure_size.data(), a.closure_dof = closure_dof.data();
    a.closure_coordinate = closure_coordinate.data(), a.closure_independent = closure_independent.data();
    a.closure_row = closure_row.data(), a.closure_row_data = closure_row_data.data();
    a.closure_slope = closure_slope.data(), a.closure_table = closure_table.data(), a.closure_grid = closure_grid.data();
    a.closure_weight = closure_weight.data(), a.reference_q = reference_q.data();
    return a;
  }

  // A joint depends on others from now on: it has no coordinates of its own.
  void make_dependent(int body) {
    independent[body] = 0, own_q[body] = -1;
    nq = nv = 0;
    for (int i = 0; i < bodies(); ++i) {
      const tarsus::JointSize size = tarsus::joint_size(kind[i]);
      for (int k = 0; k < size.nq; ++k) leader_q[tree_q[i] + k] = independent[i] ? nq + k : -1;
      for (int k = 0; k < size.nv; ++k) leader_v[tree_v[i] + k] = independent[i] ? nv + k : -1;
      if (!independent[i]) continue;
      own_q[i] = nq;
      nq += size.nq, nv += size.nv;
    }
  }
};

constexpr double kGround = 1.0, kCrank = 0.4, kCoupler = 0.9, kRocker = 0.7;

inline LoopedTree four_bar_tree(int base, Random& r) {
  LoopedTree t;
  static_cast<Tree&>(t) = random_tree({"a four-bar", 4, base, {kRevolute}, 1.0, 0.0, 0.0, true}, r);
  t.parent = {-1, 0, 1, 0};
  const double places[4] = {0, 0, kCrank, kGround};
  for (int i = 1; i < 4; ++i) {
    const double X[12] = {1, 0, 0, places[i], 0, 1, 0, 0, 0, 0, 1, 0}, same[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    std::copy(X, X + 12, t.pose.begin() + 12 * i), std::copy(same, same + 12, t.child_pose.begin() + 12 * i);
    for (int k = 0; k < 3; ++k) t.axis[3 * i + k] = k == 2;
  }
  t.make_dependent(2), t.make_dependent(3);
  const int v = t.tree_v[1], q = t.tree_q[1];
  t.closure_dof = {v + 1, v + 2, v}, t.closure_coordinate = {q + 1, q + 2, q};
  t.closure_independent = {t.own_q[1], t.leader_v[v]};
  t.reference_q.assign(t.tree_nq, 0.0);
  t.reference_q[q] = 1.3, t.reference_q[q + 1] = -0.94497695, t.reference_q[q + 2] = 1.64103383;
  t.closure_slope = {-1.15488818, 0.4825704};
  return t;
}

// Coupler and rocker meet: five conditions of a revolute joint, of which three are redundant.
inline LoopedTree by_iteration(LoopedTree t) {
  t.name += " by iteration";
  t.closure_kind = {kLoopClosure}, t.closure_size = {2, 1, 5, 0, 0, 0}, t.closure_grid = {0, 1};
  const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < 5; ++k) {
    append(t.closure_row_data, {kCoupler, 0, 0, kRocker, 0, 0});
    const double* a = axes[k % 3];
    append(t.closure_row_data, {a[0], a[1], a[2], 0, 0, 1});
    for (int x : {k < 3 ? int(kAlong) : int(kAcross), 2, 3}) t.closure_row.push_back(x);
  }
  return t;
}

// Combinations of the conditions in place of all of them, as for loops that are not exact.
inline LoopedTree by_combinations(const LoopedTree& plain) {
  LoopedTree t = by_iteration(plain);
  t.name = plain.name + " by combinations";
  t.closure_size.back() = 3;
  t.closure_weight = {1, 0.2, 0.3, 0, 0.1, -0.4, 1, 0, 0.2, 0, 0, 0, 1, 0.5, 0};
  return t;
}

inline LoopedTree in_closed_form(LoopedTree t) {
  t.name += " in closed form";
  t.closure_kind = {kFourBarClosure}, t.closure_size = {2, 1, 0, 0, 0, 0}, t.closure_grid = {0, 1};
  t.closure_table = {kGround, kCrank, kCoupler, kRocker, 1, 1, 1, 0, 1, 1, 1, 0, -1, 0, 3, 1, 1, 0, 0, 1.6};
  return t;
}

inline std::unique_ptr<OwnedModel> build_looped(const LoopedTree& t) {
  auto model = std::make_unique<OwnedModel>();
  const std::string message = model->build(t.looped());
  check(message.empty(), t.name + " does not build: " + message);
  return model;
}

inline void test_four_bars() {
  tally().where = "four-bars";
  Random r(21);
  for (int base : {kFixed, kFree}) {
    const LoopedTree plain = four_bar_tree(base, r), iterated = by_iteration(plain), closed = in_closed_form(plain);
    const auto one = build_looped(iterated), other = build_looped(closed), third = build_looped(by_combinations(plain));
    for (const KernelTable* table : usable_tables()) {
      const Runner a(*table, *one), b(*table, *other), c(*table, *third);
      for (int trial = 0; trial < 5; ++trial) {
        const Arguments x = random_arguments(iterated, r);
        for (int operation = 0; operation < kOperations; ++operation) {
          Arguments y = x;
          if (row(operation).a == Length::kNq) y.a = iterated.random_q(r);
          const Outcome p = a.single(operation, y), q = b.single(operation, y), s = c.single(operation, y);
          check_close(s.out, p.out, 1e-9, operation_name(operation) + " of combinations");
          check(p.status == kOk && q.status == kOk && s.status == kOk, operation_name(operation) + " is refused");
          Numbers left = p.out, right = q.out;
          if (operation == kJointPositions) {  // the same angles, perhaps a turn apart
            for (Numbers* list : {&left, &right}) {
              for (double& angle : *list) angle = std::sin(angle);
            }
          }
          check_close(left, right, 1e-9, operation_name(operation) + " by iteration and in closed form");
        }
        Arguments back = x;
        back.a = a.single(kInverseDynamics, x).out;
        check_close(a.single(kArticulatedBody, back).out, x.a, 1e-9, "forward after inverse dynamics");
        check_close(a.single(kCompositeBody, back).out, x.a, 1e-9, "composite bodies after inverse dynamics");
      }
    }
  }
}

// A rocker that is too short to be reached all the way round.
inline void test_loops_that_do_not_close() {
  tally().where = "loops that do not close";
  Random r(22);
  for (bool iterate : {true, false}) {
    LoopedTree t = four_bar_tree(kFixed, r);
    t = iterate ? by_iteration(t) : in_closed_form(t);
    for (int i = 1; i < 4; ++i) t.pose[12 * i + 3] *= i == 3 ? 1.25 : 1.0;  // reached at some crank angles only
    t.reference_q = {1.3, -1.0115116, 1.98261394}, t.closure_slope = {-1.28251175, 0.48806985};
    if (!iterate) t.closure_table[0] *= 1.25;
    const auto model = build_looped(t);
    for (const KernelTable* table : usable_tables()) {
      const Runner run(*table, *model);
      Arguments x = random_arguments(t, r);
      x.q[0] = 3.1;
      const Outcome single = run.single(kArticulatedBody, x);
      check(single.status == kLoopOpen && single.index == 0, "an open loop is accepted");
      double closed = 1.3, beyond = 3.1;  // the loop is refused before it opens: its rates have no digits there
      while (beyond - closed > 1e-12) {
        x.q[0] = 0.5 * (closed + beyond);
        (run.single(kArticulatedBody, x).status == kOk ? closed : beyond) = x.q[0];
      }
      x.q[0] = beyond;
      check(run.single(kArticulatedBody, x).status == kLoopSingular, "a loop at its dead point is accepted");
      Arguments all;
      const int count = 2 * run.lanes() + 1, row = run.lanes() + 1;
      for (int i = 0; i < count; ++i) {
        x.q[0] = i == row ? 3.1 : 1.0;
        append(all.q, x.q), append(all.v, x.v), append(all.a, x.a);
      }
      const Outcome batch = run.rows(kArticulatedBody, all, count);
      check(batch.status == kLoopOpen && batch.row == row, "an open loop in a batch is not named");
    }
  }
}

}  // namespace tests
