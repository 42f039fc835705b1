// A world to touch, a joint law and a run of several robots, with arrays of exactly the right size on the heap, so that the
// address sanitizer sees every access beyond them.
#pragma once
#include "simulation/run.hpp"
#include "tests/runner.hpp"

namespace tests {

// Numbers of contact laws and integrators by their names.
inline int law_number(const std::string& name) {
  const SimulationTable& table = *compiled_tables()[0]->simulation;
  for (int k = 0; k < table.laws; ++k) {
    if (table.law[k].name == name) return k;
  }
  return -1;
}
inline int integrator_number(const std::string& name) {
  const SimulationTable& table = *compiled_tables()[0]->simulation;
  for (int k = 0; k < table.integrators; ++k) {
    if (table.integrator[k].name == name) return k;
  }
  return -1;
}

// A parameter of a contact law, by its name.
inline double some_parameter(const std::string& name) {
  if (name == "friction") return 0.6;
  if (name == "restitution") return 0.2;
  return name.ends_with("stiffness") ? 2e3 : 20;
}

// A cube about the origin of a node, as a convex solid.
struct Cube {
  double corner[24];
  int loop[24];
  SolidFace face[6];
  SolidEdge edge[12];

  explicit Cube(double half) {
    for (int i = 0; i < 24; ++i) corner[i] = (i / 3 >> i % 3 & 1) ? half : -half;
    for (int f = 0; f < 6; ++f) {  // face f: axis f / 2, its lower or upper side
      const int axis = f / 2, a = 1 << (axis + 1) % 3, b = 1 << (axis + 2) % 3, side = (f % 2) << axis;
      const int around[4] = {side, side | a, side | a | b, side | b};
      face[f] = {{0, 0, 0}, half, 4, loop + 4 * f};
      face[f].normal[axis] = f % 2 ? 1 : -1;
      for (int k = 0; k < 4; ++k) loop[4 * f + k] = around[f % 2 ? k : 3 - k];
    }
    for (int k = 0; k < 12; ++k) {  // edge k: along an axis, between sides of the two others
      const int axis = k / 4, b = (axis + 1) % 3, c = (axis + 2) % 3, low = k % 2, high = k / 2 % 2;
      const int from = low << b | high << c;
      edge[k] = {{from, from | 1 << axis}, {2 * b + low, 2 * c + high}};
    }
  }
};

struct Scene {
  std::vector<Surface> surfaces;
  std::vector<Feature> features;
  std::vector<Solid> solids;
  std::vector<SolidPair> pairs;
  Numbers points;  // of round solids, two each
  std::vector<int> nodes, slots, motions;
  Numbers heights;
  World world{};

  explicit Scene(const tarsus::Model& m) : slots(m.nodes, -1) {
    for (int i = 0; i < m.nodes; ++i) nodes.push_back(i);
  }
  Surface& add_surface(int kind, int law) {
    Surface s{};
    s.kind = kind, s.law = law;
    for (int k = 0; k < 3; ++k) s.rotation[4 * k] = 1.0, s.half[k] = 0.4;
    const LawRow& row = compiled_tables()[0]->simulation->law[law];
    for (int k = 0; k < row.parameters; ++k) s.parameter[k] = some_parameter(row.parameter[k]);
    surfaces.push_back(s);
    return surfaces.back();
  }
  void add_field(int law, Random& r) {
    heights = r.numbers(5 * 4, 0.1);
    Surface& s = add_surface(kHeightField, law);
    s.columns = 5, s.rows = 4, s.height = heights.data();
    s.position[2] = -0.6;
    s.half[0] = 1.5, s.half[1] = 1.2, s.half[2] = 0.1;
  }
  void add_feature(int kind, int node, Random& r) {
    Feature f{};
    f.kind = kind, f.node = node, f.contact = world.contacts, f.radius = r.chance(0.5) ? 0.05 : 0;
    for (int k = 0; k < 3; ++k) f.a[k] = r.uniform(-0.3, 0.3), f.b[k] = r.uniform(-0.3, 0.3);
    world.contacts += kind == kSegment ? 2 : 1;
    if (slots[node] < 0) slots[node] = world.touchables++;
    features.push_back(f);
  }
  // Spheres, capsules and cubes on nodes, by turns; at most 64.
  void add_solid(int node, Random& r) {
    static const Cube cube(0.12);
    points.reserve(6 * 64);
    Solid s{};
    s.node = node;
    if (slots[node] < 0) slots[node] = world.touchables++;
    const int kind = static_cast<int>(solids.size()) % 3;
    if (kind == 2) {
      s.reach = 0.12 * 1.7321, s.corners = 8, s.faces = 6, s.edges = 12;
      s.corner = cube.corner, s.face = cube.face, s.edge = cube.edge;
    } else {
      s.radius = 0.1, s.reach = 0.7, s.corners = kind + 1, s.corner = points.data() + points.size();
      for (int k = 0; k < 6; ++k) points.push_back(r.uniform(-0.3, 0.3));
    }
    solids.push_back(s);
  }
  // All solids on different nodes touch, after all features are there.
  void add_pairs(int law) {
    for (int i = 0; i < static_cast<int>(solids.size()); ++i) {
      for (int j = 0; j < i; ++j) {
        if (solids[i].node == solids[j].node) continue;
        SolidPair p{};
        p.first = i, p.second = j, p.contact = world.contacts, p.law = law, p.motion = static_cast<int>(motions.size() / 2);
        motions.push_back(solids[i].node), motions.push_back(solids[j].node);
        p.slots = compiled_tables()[0]->simulation->slots(solids[i].corners, solids[j].corners);
        const LawRow& row = compiled_tables()[0]->simulation->law[law];
        for (int k = 0; k < row.parameters; ++k) p.parameter[k] = some_parameter(row.parameter[k]);
        world.contacts += p.slots;
        pairs.push_back(p);
      }
    }
  }
  const World& finish() {
    world.solids = static_cast<int>(solids.size()), world.solid = solids.data();
    world.pairs = static_cast<int>(pairs.size()), world.pair = pairs.data();
    world.motions = static_cast<int>(motions.size() / 2), world.motion = motions.data();
    world.surfaces = static_cast<int>(surfaces.size()), world.surface = surfaces.data();
    world.features = static_cast<int>(features.size()), world.feature = features.data();
    world.nodes = static_cast<int>(nodes.size()), world.node = nodes.data(), world.slot = slots.data();
    return world;
  }
};

// PD control to three knots a robot, or to one for all; torque limits; stops of all joints with one coordinate.
struct Control {
  Numbers kp, kd, limit, q, v, tau, lower, upper, stop_stiffness, stop_damping;
  std::vector<int> actuated, stop_q;
  JointLaw law{};

  Control(const tarsus::Model& m, long robots, bool own, bool gravity, Random& r) {
    const int knots = own ? 3 : 1;
    const size_t copies = own ? robots : 1;
    kp.assign(m.nv, 0), kd = r.numbers(m.nv, 1), limit.assign(m.nv, 1e300);
    for (double& x : kd) x = std::fabs(x);
    for (int i = 0; i < m.vector_dofs; ++i) kp[m.vector_v[i]] = r.uniform(0, 40), limit[m.vector_v[i]] = r.uniform(1, 20);
    q = r.numbers(copies * knots * m.nq, 1), v = r.numbers(copies * knots * m.nv, 0.5), tau = r.numbers(copies * knots * m.nv, 1);
    actuated.assign(m.nv, 1), stop_q.assign(m.tree_nv, -1);
    lower.assign(m.tree_nv, -0.8), upper.assign(m.tree_nv, 0.8);
    stop_stiffness.assign(m.tree_nv, 500), stop_damping.assign(m.tree_nv, 5);
    for (int i = 0; i < m.nodes; ++i) {
      if (m.node[i].dof == 1) stop_q[m.node[i].v] = m.node[i].q;
    }
    law.kp = kp.data(), law.kd = kd.data(), law.gain_knots = 1, law.limit = limit.data();
    law.gravity = gravity, law.actuated = actuated.data(), law.knots = knots, law.spacing = 2e-3;
    law.q = q.data(), law.v = v.data(), law.tau = tau.data();
    law.stop_q = stop_q.data(), law.lower = lower.data(), law.upper = upper.data();
    law.stop_stiffness = stop_stiffness.data(), law.stop_damping = stop_damping.data();
    if (own) law.q_stride = knots * m.nq, law.v_stride = law.tau_stride = knots * m.nv;
  }
};

struct Course {  // states and results of all robots
  Numbers q, v, displacement, force, work, step_size, tau, external, rate;
  Numbers out_q, out_v, out_tau, out_position, out_force, out_energy, out_displacement;
  int status = 0;
  long row = -1;
};

struct Journey {
  const tarsus::Model& model;
  const World& world;
  const JointLaw& law;
  int integrator;
  long robots;
  long steps = 6, every = 1;
  bool rates = false;  // of the state, instead of steps
  double dt = 1e-3;

  // Runs the robots [begin, end) from where `c` is. `single` one after the other, each alone.
  void run(const tarsus::KernelTable& table, Course& c, bool single, long begin, long end, bool start = false) const {
    Run x{};
    x.model = &model, x.world = &world, x.law = &law;
    x.integrator = integrator, x.dt = dt, x.steps = steps, x.every = every;
    x.end = steps * dt, x.relative = x.absolute = 1e-6;
    x.samples = start ? 1 : steps / every, x.sample_start = start, x.robots = robots, x.begin = begin, x.end_row = end;
    const size_t n = robots, samples = x.samples, nz = 3 * world.contacts;
    c.step_size.resize(n), c.tau.resize(n * model.nv);
    c.rate.assign(n * (model.nq + model.nv + nz + kWorks), 0);
    c.out_q.resize(samples * n * model.nq), c.out_v.resize(samples * n * model.nv), c.out_tau.resize(samples * n * model.nv);
    c.out_position.resize(samples * n * nz), c.out_force.resize(samples * n * nz), c.out_displacement.resize(samples * n * nz);
    c.out_energy.resize(samples * n * kEnergyParts);
    x.q = c.q.data(), x.v = c.v.data(), x.displacement = c.displacement.data(), x.contact_force = c.force.data(),
    x.work = c.work.data(), x.step_size = c.step_size.data(), x.tau = c.tau.data();
    x.external = c.external.empty() ? nullptr : c.external.data();
    x.out_rate = rates ? c.rate.data() : nullptr;
    x.out_q = c.out_q.data(), x.out_v = c.out_v.data(), x.out_tau = c.out_tau.data(),
    x.out_displacement = c.out_displacement.data();
    x.out_position = c.out_position.data(), x.out_force = c.out_force.data(), x.out_energy = c.out_energy.data();
    void* memory = table.simulation->open(x, single);
    if (!single) {
      table.simulation->run(x, memory, false);
      c.status = x.status, c.row = x.row;
    }
    for (long i = begin; single && i < end; ++i) {
      x.begin = i, x.end_row = i + 1;
      table.simulation->run(x, memory, true);
      c.status = c.status != 0 ? c.status : x.status, c.row = x.row;
    }
    table.simulation->close(memory, integrator, single);
  }
};

}  // namespace tests
