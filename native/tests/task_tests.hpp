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
    ++t.blocks, t.rows += rows, t.targets += static_cast<int>(numbers.size()), t.center = t.center || kind == kTaskCenter;
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
  std::vector<int> status(1, -1), iterations(1, -1), tried(1, -1);
  PositionRun run{};
  run.model = &m, run.tasks = &c.owned.table, run.q0 = q0.data(), run.target = c.target.data();
  run.tolerance = 1e-9, run.max_iterations = 200, run.starts = 1;
  run.q = q.data(), run.residual = residual.data(), run.status = status.data();
  run.iterations = iterations.data(), run.tried = tried.data(), run.end = 1;
  table.solve_positions(run);
  check(status[0] == kPositionSolved && residual[0] <= 1e-9, "a target that is near is not reached");
  check(tried[0] == 1 && iterations[0] > 0, "a start is not counted");
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
    }
  }
}

}  // namespace tests
