// Steps of whole-body control of random trees, coupled ones included: torques are those of the equations of motion, batches give
// what single steps give, contacts that say the same twice are solved and those that contradict each other are told. Arrays have
// exactly the size that a step may touch.
#pragma once
#include <cstdlib>

#include "control/whole_body_run.hpp"
#include "tests/task_tests.hpp"

namespace tests {

constexpr double kSamePaths = 1e-7;  // results of packs and of single states, relative to the largest
constexpr int kBodies = 11;          // robots of a batch: no whole number of packs

// A patch with a square of four points, a point, or forces at points; facets |f_x|, |f_y| <= 0.5 f_z.
struct BodyCase {
  const Model& m;
  PositionCase tasks;
  std::vector<BodyContact> contacts;
  Numbers cone, arm, numbers, velocity, gain, weight, tau_max, v_max, a_max;
  std::vector<int> driven;
  BodyProblem p{};

  explicit BodyCase(const Model& model, double most) : m(model), tau_max(model.nv, most), driven(model.nv, 1) {
    for (int k = 0; k < 4; ++k) {
      const double s = k % 2 ? 1.0 : -1.0;
      Numbers row{k < 2 ? s : 0.0, k < 2 ? 0.0 : s, 0.5, 0.0, 0.0, 0.0};
      cone.insert(cone.end(), row.begin(), row.end());
    }
    for (int k = 0; k < 4; ++k) {  // of forces at two points
      Numbers row(6, 0.0);
      row[3 * (k / 2)] = k % 2 ? 1.0 : -1.0, row[3 * (k / 2) + 2] = 0.5;
      cone.insert(cone.end(), row.begin(), row.end());
    }
    arm = {0.1, 0.0, 0.0, -0.1, 0.0, 0.0};
    v_max.assign(m.nv, HUGE_VAL), a_max.assign(m.nv, HUGE_VAL);
    for (int k = 0; k < m.node[0].dof && is_floating(m.node[0]); ++k) driven[k] = 0, tau_max[k] = HUGE_VAL;
  }

  void touch(int freedoms, bool points, const Numbers& place) {
    BodyContact c{};
    c.frame = m.frame[0], c.rotation[0] = c.rotation[4] = c.rotation[8] = 1.0, c.friction = 0.6, c.freedoms = freedoms;
    c.row = p.contact_rows, c.rows = 6 - freedoms, c.force = p.forces, c.points = points ? 2 : 0;
    c.forces = points ? 6 : c.rows, c.cones = c.forces == 6 ? 4 : 0;
    c.cone = cone.data() + (points ? 24 : 0), c.arm = arm.data(), c.slot = 0;
    p.contact_rows += c.rows, p.forces += c.forces, p.cone_rows += c.cones, p.contacts += 1, p.slots = 1;
    contacts.push_back(c);
    Numbers own(kContactNumbers, 0.0);
    own[kContactGain] = 10.0, own[kContactMost] = HUGE_VAL, own[kContactPosed] = place.empty() ? 0.0 : 1.0;
    for (int k = 0; k < 12 && !place.empty(); ++k) own[kContactRotation + k] = place[k];
    numbers.insert(numbers.end(), own.begin(), own.end());
  }

  void close(bool limited) {
    const int rows = tasks.owned.table.rows;
    velocity.assign(rows, 0.1), gain.assign(rows, 5.0), weight.assign(rows, 2.0);
    p.model = &m, p.tasks = &tasks.owned.table, p.contact = contacts.data(), p.wrenches = true;
    for (const BodyContact& c : contacts) p.wrenches = p.wrenches && c.points == 0;
    p.driven = driven.data(), p.tau_max = tau_max.data(), p.acceleration_weight = p.force_weight = 0.1;
    p.limits.any = limited, p.limits.gain = 10.0, p.limits.v_max = v_max.data(), p.limits.a_max = a_max.data();
  }
};

struct BodyOutcome {
  Numbers out;
  std::vector<int> status;
};

// `side`: rows to begin with, and those that the last robot ended at.
inline BodyOutcome commanded(const KernelTable& table, const BodyCase& c, const Numbers& q, const Numbers& v, int count,
                             bool batch, std::vector<signed char>* side = nullptr) {
  const size_t bytes = (table.whole_body->bytes(c.p, batch) + 63) / 64 * 64;
  void* memory = std::aligned_alloc(64, bytes);
  std::memset(memory, 0, bytes);
  table.whole_body->prepare(c.p, batch, memory);
  BodyOutcome found{Numbers(body_results(c.p) * count, NAN), std::vector<int>(count, -1)};
  std::vector<int> iterations(count, -1);
  BodyRun run{};
  run.problem = &c.p, run.q = q.data(), run.v = v.data(), run.target = c.tasks.target.data();
  run.velocity = run.acceleration = c.velocity.data(), run.gain = c.gain.data(), run.weight = c.weight.data();
  run.contact = c.numbers.data(), run.out = found.out.data(), run.status = found.status.data();
  run.iterations = iterations.data(), run.end = count, run.side = side ? side->data() : nullptr;
  (batch ? table.whole_body->run_batch : table.whole_body->run)(run, memory);
  std::free(memory);
  for (double x : found.out) check(std::isfinite(x), "a command has numbers that are not finite");
  return found;
}

inline void check_same(const Numbers& a, const Numbers& b, const char* message) {
  double most = 1.0, off = 0.0;
  for (size_t k = 0; k < a.size(); ++k) most = std::fmax(most, std::fabs(a[k])), off = std::fmax(off, std::fabs(a[k] - b[k]));
  check(off <= kSamePaths * most, message);
}

// Without contacts: tau is inverse dynamics of vdot, passive forces included.
inline void check_free_motion(const KernelTable& table, const Runner& runner, BodyCase& c, const Numbers& q, const Numbers& v) {
  const BodyOutcome found = commanded(table, c, q, v, 1, false);
  check(found.status[0] == kBodySolved, "a robot without contacts is not commanded");
  Arguments x;
  x.q = q, x.v = v, x.a.assign(found.out.begin(), found.out.begin() + c.m.nv), x.passive = 1;
  const Numbers tau(found.out.begin() + c.m.nv, found.out.begin() + 2 * c.m.nv);
  check_same(runner.single(kInverseDynamics, x).out, tau, "torques are not those of the equations of motion");
}

inline Numbers repeated(const Tree& t, Random& r, const Numbers& one, bool velocity, int count, const Runner& runner) {
  Numbers all;
  for (int k = 0; k < count; ++k) {
    Arguments x;
    x.q = one, x.v = r.numbers(t.nv, 0.05);
    const Numbers next = velocity ? r.numbers(t.nv, 0.3) : runner.single(kIntegrate, x).out;
    all.insert(all.end(), next.begin(), next.end());
  }
  return all;
}

inline void check_contacts(const KernelTable& table, const Runner& runner, const Tree& t, Random& r, const Numbers& q0,
                           bool points, bool limited) {
  FrameTable world{};
  world.node = -1;
  BodyCase c(runner.model(), 1e4);
  add_frame_tasks(c.tasks, runner, q0, world);
  Arguments x;
  x.q = q0;
  c.tasks.add(kTaskCenter, world, world, 3, runner.single(kCenterOfMass, x).out);
  c.tasks.add(kTaskSight, c.m.frame[0], world, 2, {5.0, 1.0, 2.0});
  c.tasks.add(kTaskMomentum, world, world, 3, {});
  c.tasks.add(kTaskSpin, world, world, 3, {});
  if (limited) c.v_max.assign(c.m.nv, 1e-3), c.a_max.assign(c.m.nv, 30.0);
  c.touch(0, points, {}), c.touch(0, false, {}), c.touch(3, false, {});  // the same three times
  c.close(limited);
  const Numbers q = repeated(t, r, q0, false, kBodies, runner), v = repeated(t, r, q0, true, kBodies, runner);
  const BodyOutcome apart = commanded(table, c, q, v, kBodies, false), together = commanded(table, c, q, v, kBodies, true);
  int solved = 0;
  for (int k = 0; k < kBodies; ++k) {
    check(apart.status[k] == together.status[k], "a batch ends in another way than a single step");
    check(apart.status[k] <= kBodyInaccurate || apart.status[k] == kBodyDoubtful, "contacts that say the same are refused");
    solved += apart.status[k] <= kBodyLimitsMissed;
  }
  check(solved > kBodies / 2, "most robots in contact are not commanded");
  check_same(apart.out, together.out, "a batch gives something else than single steps");
}

// Torques that need more than limits allow: rows that nobody expected enter the program, and the command is that of the program
// with all rows from the beginning, and of one that begins with the rows of the last.
inline void check_torque_limits(const KernelTable& table, const Runner& runner, const Numbers& q, const Numbers& v,
                                bool touches) {
  FrameTable world{};
  world.node = -1;
  BodyCase c(runner.model(), 1e6);
  add_frame_tasks(c.tasks, runner, q, world);
  if (touches) c.touch(0, false, {});
  c.close(false);
  const int nv = c.m.nv;
  const BodyOutcome wide = commanded(table, c, q, v, 1, false);
  check(wide.status[0] == kBodySolved, "a robot with wide limits of torques is not commanded");
  double most = 0.0;
  for (int k = nv; k < 2 * nv; ++k) most = std::fmax(most, std::fabs(wide.out[k]));
  for (int k = 0; k < nv; ++k) c.tau_max[k] = c.driven[k] ? 0.6 * most : HUGE_VAL;
  std::vector<signed char> none(body_sides(c.p), 0), all(body_sides(c.p), 1);
  const BodyOutcome first = commanded(table, c, q, v, 1, false, &none), again = commanded(table, c, q, v, 1, false, &none);
  const BodyOutcome whole = commanded(table, c, q, v, 1, false, &all);
  check(first.status[0] == kBodySolved && again.status[0] == kBodySolved && whole.status[0] == kBodySolved,
        "limits of torques are not kept");
  int reached = 0;
  for (int k = 0; k < nv; ++k) {
    const double size = std::fabs(first.out[nv + k]);
    check(!(size > c.tau_max[k]), "a torque is beyond its limit");
    reached += c.driven[k] && size > (1.0 - 1e-9) * c.tau_max[k];
  }
  check(reached > 0, "no torque is at its limit");
  check_same(first.out, again.out, "a step that begins with the rows of the last one gives something else");
  check_same(first.out, whole.out, "a program with all rows from the beginning gives something else");
}

inline void check_refusals(const KernelTable& table, const Runner& runner, const Numbers& q, const Numbers& v) {
  FrameTable world{};
  world.node = -1;
  BodyCase c(runner.model(), 1e4);
  add_frame_tasks(c.tasks, runner, q, world);
  Arguments x;
  x.q = q;
  const Numbers X = runner.single(kFramePoses, x).out;  // axes as they are: contacts must not be turned away
  const Numbers here{X[0], X[4], X[8], X[1], X[5], X[9], X[2], X[6], X[10], X[3], X[7], X[11]};
  Numbers there = here;
  there.back() += 1.0;
  c.touch(0, false, here), c.touch(0, false, there);
  c.close(false);
  check(commanded(table, c, q, v, 1, false).status[0] == kBodyContradictory, "contacts at two places are not told");
  Numbers bad = v;
  bad[0] = NAN;
  check(commanded(table, c, q, bad, 1, false).status[0] == kBodyNotFinite, "a velocity that is not finite is not refused");
}

inline void test_whole_body() {
  const Wish wishes[] = {
      {"an arm", 7, kFixed, {kRevolute}, 0.5, 0.0},
      {"all joints", 9, kFree, {kRevolute, kPrismatic, kHelical, kCylindrical, kUniversal, kSpherical, kPlanar}},
      {"followers", 12, kFree, {kRevolute}, 0.5, 0.3, 0.4}};
  FrameTable world{};
  world.node = -1;
  for (const KernelTable* table : usable_tables()) {
    Random r(23);
    for (const Wish& wish : wishes) {
      tally().where = std::string(table->name) + ", " + wish.name;
      const Tree t = random_tree(wish, r);
      const auto model = build(t);
      const Runner runner(*table, *model);
      const Numbers q = t.random_q(r), v = r.numbers(t.nv, 0.5);
      BodyCase alone(runner.model(), 1e6);
      add_frame_tasks(alone.tasks, runner, q, world);
      alone.close(false);
      check_free_motion(*table, runner, alone, q, v);
      for (bool points : {false, true}) {
        for (bool limited : {false, true}) check_contacts(*table, runner, t, r, q, points, limited);
      }
      for (bool touches : {false, true}) check_torque_limits(*table, runner, q, v, touches);
      check_refusals(*table, runner, q, v);
    }
  }
}

}  // namespace tests
