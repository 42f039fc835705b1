// Horizons of random trees, coupled ones included: gradients are those of differences of the cost, and optimisations bring it
// down. Arrays have exactly the size that the solver may touch.
#pragma once
#include "tests/task_tests.hpp"

namespace tests {

// All arrays of a run of one robot.
struct HorizonCase {
  static constexpr int kSteps = 9, kIterations = 6;
  const Model& m;
  PositionCase tasks;
  Numbers q0, target, rate, gain, scale, u0, input, length, history, q, v, u, adjoint, gradient, error, damped;
  std::vector<int> bound_q, bound_v;
  Numbers lower, upper, bound_gain, bound_activation;
  PredictiveRun run{};

  HorizonCase(const Model& model, const Runner& runner, const Numbers& start, Random& r, bool center) : m(model), q0(start) {
    FrameTable world{};
    world.node = -1;
    add_frame_tasks(tasks, runner, q0, world);
    Arguments x;
    x.q = q0;
    if (center) tasks.add(kTaskCenter, world, world, 2, runner.single(kCenterOfMass, x).out);
    const int rows = tasks.owned.table.rows;
    for (int i = 0; i <= kSteps; ++i) target.insert(target.end(), tasks.target.begin(), tasks.target.end());
    const size_t n = kSteps, nv = m.nv;
    rate = r.numbers(n * rows, 0.3), gain = Numbers(rows, 8.0), scale = Numbers(nv, 1.0), u0 = r.numbers(nv, 0.2);
    input = r.numbers(n * nv, 0.3), length = Numbers(1, 0.0), history = Numbers(kIterations + 1, NAN);
    q = Numbers((n + 1) * m.nq, NAN), v = u = gradient = Numbers(n * nv, NAN), adjoint = Numbers((n + 1) * nv, NAN);
    error = Numbers(n + 1, NAN), damped = Numbers(n, NAN);
    for (int i = 0; i < m.vector_dofs; ++i) bound_q.push_back(m.vector_q[i]), bound_v.push_back(m.vector_v[i]);
    lower = Numbers(bound_q.size(), -2.0), upper = Numbers(bound_q.size(), 2.0);
    bound_gain = Numbers(bound_q.size(), 1.0), bound_activation = Numbers(bound_q.size(), 1.9);
    fill();
  }

  void fill() {
    run.model = &m, run.tasks = &tasks.owned.table, run.steps = kSteps, run.dt = 0.02;
    run.q0 = q0.data(), run.target = target.data(), run.rate = rate.data(), run.gain = gain.data();
    run.near = 0.05, run.damping = 0.05;
    run.weight[kVelocityCost] = 1.0, run.weight[kLimitCost] = 0.5, run.weight[kAccelerationCost] = 0.01;
    run.velocity_scale = scale.data(), run.bounds = static_cast<int>(bound_q.size());
    run.bound_q = bound_q.data(), run.bound_v = bound_v.data(), run.lower = lower.data(), run.upper = upper.data();
    run.bound_gain = bound_gain.data(), run.bound_activation = bound_activation.data();
    run.limit = run.collision = {kCubicPotential, 1.0, 0.1, 0.5};
    run.u0 = u0.data(), run.tolerance = 1e-9, run.input = input.data(), run.length = length.data();
    run.history = history.data(), run.q = q.data(), run.v = v.data(), run.u = u.data(), run.adjoint = adjoint.data();
    run.gradient = gradient.data(), run.error = error.data(), run.damped = damped.data();
  }

  double cost(const KernelTable& table, const Numbers& at) {
    input = at, run.input = input.data(), run.max_iterations = 0;
    table.solve_predictive(run);
    return run.status == kPredictiveFailed ? NAN : history[0];
  }
};

inline void check_horizon(const KernelTable& table, HorizonCase& c, Random& r) {
  const Numbers at = c.input, way = r.numbers(at.size(), 1.0);
  const auto moved = [&](double h) {
    Numbers x = at;
    for (size_t i = 0; i < x.size(); ++i) x[i] += h * way[i];
    return x;
  };
  check(c.cost(table, at) > 0.0, "a horizon has no cost");
  double slope = 0.0;
  for (size_t i = 0; i < at.size(); ++i) slope += c.run.dt * c.gradient[i] * way[i];
  const double h = 1e-4, found = (c.cost(table, moved(h)) - c.cost(table, moved(-h))) / (2.0 * h);
  check(std::fabs(found - slope) <= 1e-5 * (std::fabs(slope) + 1e-2), "a gradient is not that of differences");
  const double before = c.cost(table, at);
  c.run.max_iterations = HorizonCase::kIterations;
  table.solve_predictive(c.run);
  check(c.run.iterations > 0 && c.history[c.run.iterations] < before, "an optimisation does not descend");
}

inline void test_predictive() {
  const Wish wishes[] = {
      {"an arm", 9, kFixed, {kRevolute}, 0.5, 0.0},
      {"all joints", 9, kFree, {kRevolute, kPrismatic, kHelical, kCylindrical, kUniversal, kSpherical, kPlanar}},
      {"followers", 12, kFree, {kRevolute}, 0.5, 0.3, 0.4}};
  for (const KernelTable* table : usable_tables()) {
    Random r(23);
    for (const Wish& wish : wishes) {
      tally().where = std::string(table->name) + ", " + wish.name;
      const Tree t = random_tree(wish, r);
      const auto model = build(t);
      const Runner runner(*table, *model);
      for (const bool augmented : {false, true}) {
        HorizonCase c(model->tables, runner, t.random_q(r), r, t.nv > 12);
        c.run.augmented = augmented;
        check_horizon(*table, c, r);
      }
      HorizonCase free(model->tables, runner, t.random_q(r), r, false);
      free.run.free_start = true, free.run.max_iterations = HorizonCase::kIterations;
      table->solve_predictive(free.run);
      check(free.history[free.run.iterations] <= free.history[0], "a free start costs more");
    }
  }
}

}  // namespace tests
