// Steps of all integrators, laws and shapes of ground: packs against single robots, packs with other neighbours,
// and robots that are lost on the way.
#pragma once
#include "tests/closure_tests.hpp"
#include "tests/course.hpp"

namespace tests {

// Integrators with fixed steps, and the first one again with solved impulses.
struct Steps {
  const char* integrator;
  bool solved;
};
constexpr Steps kFixedSteps[] = {
    {"semi-implicit-euler", false}, {"runge-kutta-4", false}, {"implicit-midpoint", false}, {"semi-implicit-euler", true}};
constexpr double kSameMotion = 1e-7;  // packs and single robots sum in another order; contacts amplify that within six steps

struct Machine {
  std::string name;
  std::unique_ptr<OwnedModel> model;
  Numbers q;  // of one robot
};

inline std::vector<Machine> machines(Random& r) {
  std::vector<Machine> found;
  const Wish wishes[] = {
      {"a free robot", 9, kFree, {kRevolute, kPrismatic, kHelical, kCylindrical, kUniversal, kSpherical, kPlanar}, 0.5, 0.5},
      {"a planar robot", 6, kPlanar, {kRevolute}, 1.0, 0.3},
      {"an arm", 5, kFixed, {kRevolute, kSpherical}, 0.3, 0.0},
      {"a geared robot", 8, kFree, {kRevolute, kPrismatic}, 0.5, 0.4, 0.5},
      {"a robot with rotors", 6, kFree, {kRevolute}, 0.5, 0.4, 0.0, true, 0.8},
      {"many bodies", 22, kFree, {kRevolute}, 0.6, 0.6}};
  for (const Wish& wish : wishes) {
    const Tree t = random_tree(wish, r);
    found.push_back({t.name, build(t), t.random_q(r)});
    for (int k = 0; k < (wish.base == kFree ? 3 : wish.base == kPlanar ? 2 : 0); ++k) found.back().q[k] = 0;
  }
  const LoopedTree plain = four_bar_tree(kFree, r);
  for (const LoopedTree& t : {by_iteration(plain), by_combinations(plain), in_closed_form(plain)}) {
    found.push_back({t.name, build_looped(t), t.random_q(r)});
    for (int k = 0; k < 3; ++k) found.back().q[k] = 0;
  }
  return found;
}

// A plane through the robot, a wall, a box and hills; solved contacts have the plane alone, since a robot between two walls
// that it has run into has no way out.
inline Scene some_scene(const tarsus::Model& m, bool solved, Random& r) {
  Scene scene(m);
  scene.add_surface(kHalfSpace, law_number(solved ? "least-constraint" : "compliant")).position[2] = -0.1;
  if (!solved) {
    Surface& wall = scene.add_surface(kHalfSpace, law_number("pseudo-coulomb"));
    const double turned[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    std::copy(turned, turned + 9, wall.rotation);
    wall.position[0] = -0.4;
    for (double& x : scene.add_surface(kBox, law_number("visco-elastic-sole")).position) x = r.uniform(-0.3, 0.3);
    scene.add_field(law_number("compliant"), r);
  }
  for (int i = m.node[0].arm == kRoot ? 1 : 0; i < m.nodes; ++i) {
    scene.add_feature(kPoint, i, r);
    if (r.chance(0.5)) scene.add_feature(kSegment, i, r);
  }
  for (int i = m.node[0].arm == kRoot ? 1 : 0; !solved && i < m.nodes && i < 8; i += 2) scene.add_solid(i, r);
  if (!solved) scene.add_pairs(law_number("compliant"));
  scene.finish();
  return scene;
}

inline Course some_course(const Machine& machine, const World& world, long robots, bool pushed, Random& r) {
  const tarsus::Model& m = machine.model->tables;
  Course c;
  for (long i = 0; i < robots; ++i) append(c.q, machine.q);
  c.v = r.numbers(robots * m.nv, 1), c.work.assign(robots * kWorks, 0);
  c.displacement.assign(robots * 3 * world.contacts, 0), c.force.assign(robots * 3 * world.contacts, 0);
  if (pushed) c.external = r.numbers(robots * 6 * m.bodies, 5);
  return c;
}

// Puts the plane a little above the lowest point of an arm, which cannot leave the ground everywhere at once, and well into
// robots that can.
inline void place_plane(const Machine& machine, Scene& scene, const KernelTable& table, Random& r) {
  const tarsus::Model& m = machine.model->tables;
  const Control control(m, 1, false, false, r);
  scene.surfaces[0].position[2] = 100;  // everything is inside
  Course c = some_course(machine, scene.world, 1, false, r);
  Journey{m, scene.world, control.law, integrator_number("semi-implicit-euler"), 1}.run(table, c, true, 0, 1, true);
  double lowest = 100;
  for (const Feature& f : scene.features) {
    if (f.kind == kPoint) lowest = std::fmin(lowest, c.out_position[3 * f.contact + 2]);
  }
  scene.surfaces[0].position[2] = lowest + (m.node[0].arm == kRoot ? 1e-3 : 0.3);
}

// Rows of some robots, from arrays with one row a robot in each of `samples`.
inline Numbers rows_of(const Numbers& x, long robots, long begin, long end, size_t samples = 1) {
  Numbers found;
  const size_t size = x.size() / (robots * samples);
  for (size_t s = 0; s < samples; ++s) {
    found.insert(found.end(), x.begin() + (s * robots + begin) * size, x.begin() + (s * robots + end) * size);
  }
  return found;
}

inline void check_robots(const Course& a, const Course& b, long robots, long begin, long end, size_t samples, double tolerance,
                         const std::string& what) {
  const std::pair<const Numbers Course::*, const char*> results[] = {
      {&Course::out_q, "q"},           {&Course::out_v, "v"},          {&Course::out_tau, "torques"},
      {&Course::out_energy, "energy"}, {&Course::out_force, "forces"}, {&Course::out_displacement, "contact states"}};
  for (const auto& [member, name] : results) {
    if ((a.*member).empty()) continue;
    const Numbers x = rows_of(a.*member, robots, begin, end, samples), y = rows_of(b.*member, robots, begin, end, samples);
    if (tolerance == 0) {
      check_same(x, y, what + ": " + name);
    } else {
      check_close(x, y, tolerance, what + ": " + name);
    }
  }
}

inline bool touches(const Course& c) {
  for (double f : c.out_force) {
    if (f != 0) return true;
  }
  return false;
}

inline void test_simulation() {
  Random r(51);
  for (const Machine& machine : machines(r)) {
    const tarsus::Model& m = machine.model->tables;
    for (const auto& [name, solved] : kFixedSteps) {
      if (m.coupled && solved) continue;  // refused in Python
      const int integrator = integrator_number(name);
      const bool fourth = std::string(name) == "runge-kutta-4", gravity = !solved && std::string(name) == "semi-implicit-euler";
      Scene scene = some_scene(m, solved, r);
      if (solved) place_plane(machine, scene, *usable_tables()[0], r);
      const World& world = scene.world;
      for (const KernelTable* table : usable_tables()) {
        tally().where = machine.name + ", " + name + (solved ? " with impulses, " : ", ") + table->name;
        const long robots = 2 * table->lanes + 1;
        const Control control(m, robots, !fourth, gravity, r);
        const Journey journey{m, world, control.law, integrator, robots};
        const Course start = some_course(machine, world, robots, fourth, r);
        Course whole = start, alone = start, part = start, sampled = start;
        journey.run(*table, sampled, false, 0, robots, true);
        check(sampled.q == start.q && sampled.v == start.v, "a sample changes the state");
        journey.run(*table, whole, false, 0, robots);
        journey.run(*table, alone, true, 0, robots);
        check(whole.status == 0 && alone.status == 0, "a step fails");
        const size_t samples = journey.steps / journey.every;
        check_robots(whole, alone, robots, 0, robots, samples, kSameMotion, "packs and single robots");
        journey.run(*table, part, false, 1, robots - 1);  // other neighbours
        check_robots(part, whole, robots, 1, robots - 1, samples, 0, "robots and their neighbours");
        check(touches(whole), "nothing touches");
      }
    }
  }
}

// The adaptive integrator and the rates of the state, which are those that all others integrate.
inline void test_adaptive_steps() {
  Random r(52);
  for (const Machine& machine : machines(r)) {
    const tarsus::Model& m = machine.model->tables;
    const Scene scene = some_scene(m, false, r);
    const World& world = scene.world;
    for (const KernelTable* table : usable_tables()) {
      tally().where = machine.name + ", adaptive, " + table->name;
      const long robots = table->lanes + 1;
      const Control control(m, robots, true, false, r);
      const Course start = some_course(machine, world, robots, true, r);
      Course adaptive = start, fourth = start, rates = start, single = start;
      Journey journey{m, world, control.law, integrator_number("dormand-prince"), robots};
      journey.run(*table, adaptive, false, 0, robots);
      journey.integrator = integrator_number("runge-kutta-4"), journey.dt = 1e-4, journey.steps = 60, journey.every = 20;
      journey.run(*table, fourth, true, 0, robots);
      check(adaptive.status == 0 && fourth.status == 0, "a step fails");
      check_close(adaptive.q, fourth.q, 1e-4, "adaptive and fixed steps");
      journey.rates = true;
      journey.run(*table, rates, false, 0, robots);
      journey.run(*table, single, true, 0, robots);
      check_close(rates.rate, single.rate, 1e-9, "rates of packs and of single robots");
      check(rates.q == start.q, "rates change the state");
    }
  }
}

// A robot whose motion is lost, or whose loop does not close any more, is named.
inline void test_lost_robots() {
  tally().where = "lost robots";
  Random r(53);
  const Tree t = random_tree({"an arm", 3, kFixed, {kRevolute}}, r);
  const Machine arm{t.name, build(t), t.random_q(r)};
  const tarsus::Model& m = arm.model->tables;
  Scene scene(m);
  const World& world = scene.finish();
  for (const KernelTable* table : usable_tables()) {
    const long robots = table->lanes + 2, lost = table->lanes + 1;
    const Control control(m, robots, false, false, r);
    for (const auto& [name, solved] : kFixedSteps) {
      if (solved) continue;  // nothing touches
      Course c = some_course(arm, world, robots, false, r);
      c.v[lost * m.nv] = 1e99;
      const Journey journey{m, world, control.law, integrator_number(name), robots};
      journey.run(*table, c, false, 0, robots);
      check(c.status != 0 && c.row == lost, "a robot that is lost is not named");
    }
  }
}

}  // namespace tests
