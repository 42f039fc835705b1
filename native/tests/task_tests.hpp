// Inverse kinematics of random trees, coupled ones included: targets are where frames, centre of mass and coordinates are at some
// configuration, and solutions must bring them there again. Arrays have exactly the size that the solver may touch.
#pragma once
#include "tests/runner.hpp"

namespace tests {

struct PositionCase {
  OwnedTasks owned;
  Numbers target;

  void add(int kind, const FrameTable& frame, const FrameTable& reference, int rows, const Numbers& numbers) {
    TaskTable& t = owned.table;
    TaskBlock b{kind, t.rows, rows, t.targets, frame, reference, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    owned.blocks.push_back(b);
    for (int r = 0; r < rows; ++r) owned.rows.push_back({r, 0, r == 1 ? 2.0 : 1.0});
    target.insert(target.end(), numbers.begin(), numbers.end());
    ++t.blocks, t.rows += rows, t.targets += static_cast<int>(numbers.size());
    t.center = t.center || kind == kTaskCenter || kind == kTaskMomentum || kind == kTaskSpin;
    t.block = owned.blocks.data(), t.row = owned.rows.data();
  }
};

// The pose of frame 0 as a place, and as nine numbers of its axes by rows.
inline void add_frame_tasks(PositionCase& c, const Runner& runner, const Numbers& q, const FrameTable& world) {
  Arguments x;
  x.q = q;
  const Numbers X = runner.single(kFramePoses, x).out;
  const FrameTable& frame = runner.model().frame[0];
  c.add(kTaskPosition, frame, world, 3, {X[3], X[7], X[11]});
  c.add(kTaskOrientation, frame, world, 3, {X[0], X[1], X[2], X[4], X[5], X[6], X[8], X[9], X[10]});
}

inline void check_solved(const KernelTable& table, const Model& m, const PositionCase& c, const Numbers& q0) {
  Numbers q(m.nq, NAN), residual(1, NAN);
  std::vector<int> status(1, -1), iterations(1, -1), tried(1, -1), worst(1, -1);
  PositionRun run{};
  run.model = &m, run.tasks = &c.owned.table, run.q0 = q0.data(), run.target = c.target.data();
  run.tolerance = 1e-9, run.max_iterations = 200, run.starts = 1;
  run.q = q.data(), run.residual = residual.data(), run.status = status.data();
  run.iterations = iterations.data(), run.tried = tried.data(), run.worst = worst.data(), run.end = 1;
  table.solve_positions(run);
  check(status[0] == kPositionSolved && residual[0] <= 1e-9, "a target that is near is not reached");
  check(tried[0] == 1 && iterations[0] > 0, "a start is not counted");
}

// Results of a run over some targets, from one start each and from postures that all share.
struct PositionResults {
  Numbers q, residual;
  std::vector<int> status, iterations, tried, worst;

  PositionResults(const KernelTable& table, const Model& m, const PositionCase& c, const Numbers& q0, const Numbers& target,
                  const Numbers& posture, long count) {
    q.assign(count * m.nq, NAN), residual.assign(count, NAN);
    status.assign(count, -1), iterations.assign(count, -1), tried.assign(count, -1), worst.assign(count, -1);
    PositionRun run{};
    run.model = &m, run.tasks = &c.owned.table, run.q0 = q0.data(), run.target = target.data();
    run.posture = posture.data(), run.postures = static_cast<int>(posture.size()) / m.nq, run.starts = run.postures + 1;
    run.tolerance = 1e-9, run.max_iterations = 30;
    run.q = q.data(), run.residual = residual.data(), run.status = status.data(), run.iterations = iterations.data();
    run.tried = tried.data(), run.worst = worst.data(), run.end = count;
    table.solve_positions(run);
  }
};

// Targets in any company have the results that they have alone, bit by bit.
inline void check_lanes_are_apart(const KernelTable& table, const Runner& runner, const Tree& t, Random& r) {
  const Model& m = runner.model();
  FrameTable world{};
  world.node = -1;
  constexpr long kMany = 21;
  Numbers q0, target, posture;
  PositionCase shape;
  for (long i = 0; i < kMany; ++i) {
    PositionCase c;
    add_frame_tasks(c, runner, t.random_q(r), world);
    const Numbers start = t.random_q(r);
    q0.insert(q0.end(), start.begin(), start.end()), target.insert(target.end(), c.target.begin(), c.target.end());
    if (i == 0) add_frame_tasks(shape, runner, start, world);
  }
  for (int k = 0; k < 5; ++k) {
    const Numbers more = t.random_q(r);
    posture.insert(posture.end(), more.begin(), more.end());
  }
  const PositionResults all(table, m, shape, q0, target, posture, kMany);
  const size_t nq = m.nq, targets = shape.owned.table.targets;
  for (long i = 0; i < kMany; ++i) {
    const Numbers own_q0(q0.begin() + i * nq, q0.begin() + (i + 1) * nq);
    const Numbers own_target(target.begin() + i * targets, target.begin() + (i + 1) * targets);
    const PositionResults one(table, m, shape, own_q0, own_target, posture, 1);
    check(std::equal(one.q.begin(), one.q.end(), all.q.begin() + i * nq), "a solution depends on its neighbours");
    check(one.residual[0] == all.residual[i] && one.status[0] == all.status[i], "an outcome depends on its neighbours");
    check(one.iterations[0] == all.iterations[i] && one.tried[0] == all.tried[i] && one.worst[0] == all.worst[i],
          "a count depends on its neighbours");
  }
}

inline void test_inverse_kinematics() {
  const Wish wishes[] = {
      {"an arm", 7, kFixed, {kRevolute}, 0.5, 0.0},
      {"all joints", 9, kFree, {kRevolute, kPrismatic, kHelical, kCylindrical, kUniversal, kSpherical, kPlanar}},
      {"followers", 12, kFree, {kRevolute}, 0.5, 0.3, 0.4}};
  FrameTable world{};
  world.node = -1;
  for (const KernelTable* table : usable_tables()) {
    Random r(17);
    for (const Wish& wish : wishes) {
      tally().where = std::string(table->name) + ", " + wish.name;
      const Tree t = random_tree(wish, r);
      const auto model = build(t);
      const Runner runner(*table, *model);
      const Numbers q = t.random_q(r);
      Arguments x;
      x.q = q, x.v = r.numbers(t.nv, 0.05);
      const Numbers near = runner.single(kIntegrate, x).out;
      PositionCase c;
      add_frame_tasks(c, runner, q, world);
      if (t.nv > 12) c.add(kTaskCenter, world, world, 3, runner.single(kCenterOfMass, x).out);
      check_solved(*table, model->tables, c, near);
      check_lanes_are_apart(*table, runner, t, r);
    }
  }
}

}  // namespace tests
