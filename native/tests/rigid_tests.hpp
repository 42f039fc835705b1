// Rigid contact by events on random robots, among them arms with more points than joints: forces are in their cones and act where
// points touch, nothing sinks in, and neither contact nor impacts add energy.
#pragma once
#include "simulation/rigid/phase_numbers.hpp"
#include "tests/simulation_tests.hpp"

namespace tests {

constexpr double kOutside = 1e-6;       // forces may be outside their cones by this part of their sum, samples lie between steps
constexpr double kTouching = 1e-6;      // forces act at points so near to the ground, and none is deeper in it [m]
constexpr double kOpenEnergy = 1e-5;    // energy that a run without stepped time may leave open, relative to what there is
constexpr double kRigidFriction = 0.6;  // some_parameter

// What a run told.
struct RigidLog {
  double stepped = 0;
  long impacts = 0, events = 0;
  static void note(void* log, const tarsus::RigidEvent& e) {
    auto& x = *static_cast<RigidLog*>(log);
    x.stepped += e.kind == kSteppedEvent ? e.speed : 0, x.impacts += e.kind == kImpactEvent, ++x.events;
  }
};

// A limp run of one robot by events; samples every dt.
inline RigidLog run_by_events(const KernelTable& table, const tarsus::Model& m, const World& world, const JointLaw& law,
                              Course& c, long steps, double dt) {
  RigidLog log;
  Run x{};
  x.model = &m, x.world = &world, x.law = &law, x.dt = dt, x.steps = steps, x.every = 1, x.end = steps * dt;
  x.relative = 1e-8, x.absolute = 1e-9, x.samples = steps, x.robots = 1, x.end_row = 1;
  const size_t n = steps, nz = 3 * world.contacts;
  c.step_size.assign(1, 0), c.tau.assign(m.nv, 0);
  c.out_q.assign(n * m.nq, 0), c.out_v.assign(n * m.nv, 0), c.out_tau.assign(n * m.nv, 0), c.out_position.assign(n * nz, 0);
  c.out_force.assign(n * nz, 0), c.out_displacement.assign(n * nz, 0), c.out_energy.assign(n * kEnergyParts, 0);
  Numbers phase(phase_numbers(world.contacts, m.tree_nv), 0), time(n, 0), dof(n, 0);
  x.q = c.q.data(), x.v = c.v.data(), x.displacement = c.displacement.data(), x.contact_force = c.force.data();
  x.work = c.work.data(), x.step_size = c.step_size.data(), x.tau = c.tau.data();
  x.out_q = c.out_q.data(), x.out_v = c.out_v.data(), x.out_tau = c.out_tau.data(), x.out_position = c.out_position.data();
  x.out_force = c.out_force.data(), x.out_displacement = c.out_displacement.data(), x.out_energy = c.out_energy.data();
  x.phase = phase.data(), x.out_time = time.data(), x.out_dof = dof.data();
  x.note = RigidLog::note, x.log = &log;
  void* memory = table.simulation->open_rigid(x);
  check(memory != nullptr, "memory of rigid contact");
  if (!memory) return log;
  table.simulation->run_rigid(x, memory);
  table.simulation->close_rigid(memory);
  c.status = x.status;
  for (size_t k = 0; k < n; ++k) check(dof[k] >= 0 && dof[k] <= m.nv, "degrees of freedom that are left");
  return log;
}

// Signorini's and Coulomb's conditions that samples show.
inline void check_forces(const Course& c, int contacts, long samples, double ground, const std::string& name) {
  for (long s = 0; s < samples; ++s) {
    const double* f = c.out_force.data() + 3 * s * contacts;
    const double* p = c.out_position.data() + 3 * s * contacts;
    double sum = 1e-9;
    for (int i = 0; i < contacts; ++i) sum += std::fabs(f[3 * i + 2]);
    for (int i = 0; i < contacts; ++i) {
      const double normal = f[3 * i + 2], across = std::hypot(f[3 * i], f[3 * i + 1]);
      check(normal >= -kOutside * sum, name + ": a force pulls");
      check(across <= kRigidFriction * normal + kOutside * sum, name + ": a force is outside its cone");
      if (normal > kOutside * sum)
        check(std::fabs(p[3 * i + 2] - ground) <= kTouching, name + ": a force acts where nothing touches");
    }
  }
}

inline void check_energy(const Course& c, long samples, bool stepped, const std::string& name) {
  auto part = [&](long s, int k) { return c.out_energy[s * kEnergyParts + k]; };
  auto mechanical = [&](long s) { return part(s, kKinetic) + part(s, kPotential) + part(s, kJointStored); };
  auto all = [&](long s) { return mechanical(s) + part(s, kGroundBalance) + part(s, kJointBalance) + part(s, kImpact); };
  double size = 1e-3;
  for (long s = 0; s < samples; ++s) size = std::fmax(size, std::fabs(mechanical(s) - mechanical(0)) + part(s, kKinetic));
  for (long s = 1; s < samples; ++s) {
    check(part(s, kImpact) >= part(s - 1, kImpact) - 1e-9 * size, name + ": an impact adds energy");
    check(mechanical(s) <= mechanical(s - 1) + kOpenEnergy * size,
          name + ": contact adds energy (" + std::to_string((mechanical(s) - mechanical(s - 1)) / size) + " of " +
              std::to_string(size) + " J)");
    if (!stepped)
      check(std::fabs(all(s) - all(0)) <= kOpenEnergy * size,
            name + ": energy is left open (" + std::to_string((all(s) - all(0)) / size) + " of " + std::to_string(size) + " J)");
  }
}

inline void test_rigid_contact() {
  Random r(83);
  const Wish wishes[] = {{"a fixed arm with more points than joints", 2, kFixed, {kRevolute}, 0.0, 0.0},
                         {"a short arm", 3, kFixed, {kRevolute, kSpherical}, 0.0, 0.0},
                         {"a body", 1, kFree, {kRevolute}, 0.0, 0.0},
                         {"a body with arms", 4, kFree, {kRevolute, kPrismatic}, 0.3, 0.0},
                         {"a planar robot", 4, kPlanar, {kRevolute}, 0.5, 0.0}};
  constexpr long kSamples = 40;
  constexpr double kSpacing = 2.5e-3;
  for (const KernelTable* table : usable_tables()) {
    long impacts = 0;
    for (int round = 0; round < 8; ++round) {
      for (const Wish& wish : wishes) {
        Tree tree = random_tree(wish, r);
        tree.gravity = {0, 0, -9.81};
        Machine machine{tree.name, build(tree), tree.random_q(r)};
        const tarsus::Model& m = machine.model->tables;
        Scene scene(m);
        scene.add_surface(kHalfSpace, law_number("compliant"));
        for (int i = m.node[0].arm == kRoot ? 1 : 0; i < m.nodes; ++i) {
          for (int k = 0; k < 4; ++k) scene.add_feature(kPoint, i, r);
        }
        scene.finish();
        place_plane(machine, scene, *table, r);
        Surface& ground = scene.surfaces[0];
        ground.position[2] -=
            (m.node[0].arm == kRoot ? 1e-3 : 0.3) + (round % 2 ? 0.02 : 1e-7);  // a fall, or a start on the ground
        ground.law = law_number("rigid");
        const LawRow& law = compiled_tables()[0]->simulation->law[ground.law];
        for (int k = 0; k < law.parameters; ++k) ground.parameter[k] = some_parameter(law.parameter[k]);
        Control limp(m, 1, false, false, r);
        for (Numbers* x : {&limp.kp, &limp.kd, &limp.tau}) std::fill(x->begin(), x->end(), 0.0);
        std::fill(limp.stop_q.begin(), limp.stop_q.end(), -1);
        Course c = some_course(machine, scene.world, 1, false, r);
        for (double& x : c.v) x *= round % 4 ? 0.3 : 0.0;
        const RigidLog log = run_by_events(*table, m, scene.world, limp.law, c, kSamples, kSpacing);
        const std::string name = machine.name + ", round " + std::to_string(round);
        check(c.status == 0, name + ": status " + std::to_string(c.status));
        check(log.stepped <= 0.2 * kSamples * kSpacing, name + ": stepped through");
        check_forces(c, scene.world.contacts, kSamples, ground.position[2], name);
        check_energy(c, kSamples, log.stepped > 0, name);
        impacts += log.impacts;
      }
    }
    check(impacts > 40, "there are impacts at all");
  }
}

}  // namespace tests
