// Steps of inverse kinematics of random trees, coupled ones included: hard tasks are met where bounds allow, bounds hold where
// they do not. Arrays have exactly the size that a step may touch.
#pragma once
#include <cstdlib>

#include "ik/step_run.hpp"
#include "tests/task_tests.hpp"

namespace tests {

constexpr double kStepTime = 0.01, kFast = 1e3, kSlow = 0.01;

struct StepCase {
  const Model& m;
  PositionCase tasks;
  std::vector<int> level_end;
  Numbers gain, speed, acceleration, velocity;

  StepCase(const Model& model, double fastest) : m(model), speed(model.nv, fastest), acceleration(model.nv, HUGE_VAL) {}

  StepProblem problem() {
    StepProblem p{};
    gain.assign(tasks.owned.table.rows, 10.0), velocity.assign(tasks.owned.table.rows, 0.0);
    p.model = &m, p.tasks = &tasks.owned.table, p.levels = static_cast<int>(level_end.size());
    p.level_end = level_end.data(), p.gain = gain.data(), p.dt = kStepTime, p.damping = 1e-6;
    p.limits.bounded = true, p.limits.share = 1.0;
    p.limits.v_max = speed.data(), p.limits.a_max = acceleration.data();
    return p;
  }
};

// One step from q; returns its velocity.
inline Numbers stepped(const KernelTable& table, StepCase& c, const Numbers& q, int& status, Numbers& missed) {
  const StepProblem p = c.problem();
  const size_t bytes = (table.stepping->bytes(p) + 63) / 64 * 64;
  void* memory = std::aligned_alloc(64, bytes);
  std::memset(memory, 0, bytes);
  table.stepping->prepare(p, memory);
  Numbers next(c.m.nq, NAN), v(c.m.nv, NAN);
  missed.assign(p.tasks->rows, NAN);
  StepRun run{};
  run.problem = &p, run.q = q.data(), run.target = c.tasks.target.data(), run.velocity = c.velocity.data();
  run.next = next.data(), run.v = v.data(), run.missed = missed.data(), run.status = &status, run.end = 1;
  table.stepping->run(run, memory);
  std::free(memory);
  for (double x : next) check(std::isfinite(x) || status == kStepNotFinite, "a step leads to numbers that are not finite");
  return v;
}

inline void check_step(const KernelTable& table, const Runner& runner, const Tree& t, Random& r, double fastest) {
  FrameTable world{};
  world.node = -1;
  StepCase c(runner.model(), fastest);
  const Numbers q = t.random_q(r);
  Arguments x;
  x.q = q, x.v = r.numbers(t.nv, 0.01);
  const Numbers near = runner.single(kIntegrate, x).out;
  add_frame_tasks(c.tasks, runner, near, world);
  c.level_end.push_back(c.tasks.owned.table.rows);
  x.q = near;
  c.tasks.add(kTaskCenter, world, world, 3, runner.single(kCenterOfMass, x).out);
  c.level_end.push_back(c.tasks.owned.table.rows);
  int status = -1;
  Numbers missed;
  const Numbers v = stepped(table, c, q, status, missed);
  check(status == kStepSolved || status == kStepHeldBack, "a step within bounds fails");
  for (double y : v) check(std::fabs(y) <= fastest * (1.0 + 1e-9), "a bound does not hold");
  for (int k = 0; status == kStepSolved && k < c.level_end[0]; ++k) check(std::fabs(missed[k]) < 1e-8, "a hard task is missed");
  Numbers bad = q;
  bad[0] = NAN;
  for (double y : stepped(table, c, bad, status, missed)) check(y == 0.0, "a robot that is nowhere moves");
  check(status == kStepNotFinite, "a configuration that is not finite is not refused");
}

inline void test_velocity_steps() {
  const Wish wishes[] = {
      {"an arm", 7, kFixed, {kRevolute}, 0.5, 0.0},
      {"all joints", 9, kFree, {kRevolute, kPrismatic, kHelical, kCylindrical, kUniversal, kSpherical, kPlanar}},
      {"followers", 12, kFree, {kRevolute}, 0.5, 0.3, 0.4}};
  for (const KernelTable* table : usable_tables()) {
    Random r(19);
    for (const Wish& wish : wishes) {
      tally().where = std::string(table->name) + ", " + wish.name;
      const Tree t = random_tree(wish, r);
      const auto model = build(t);
      const Runner runner(*table, *model);
      for (double fastest : {kFast, kSlow}) check_step(*table, runner, t, r, fastest);
    }
  }
}

}  // namespace tests
