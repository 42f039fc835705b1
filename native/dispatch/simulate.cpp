#include "dispatch/simulate.hpp"

#include <new>

#include "dispatch/rigid.hpp"
#include "simulation/robot_memory.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

// Adaptive integrators take one robot at a time: packs never come here with them.
template <class Integrator, class T>
void integrate_robots(Run& run, Robot<T>& r) {
  if constexpr (!Integrator::kAdaptive) {
    take_steps<Integrator>(run, r);
  } else if constexpr (lanes<T> == 1) {
    take_adaptive_steps<Integrator>(run, r);
  }
}

// Marks the robot that failed, so that the others go on from where they were; false where the run ends with it.
bool bears_failure(Run& run) {
  if (!run.failed || run.status == kRunInterrupted) return false;
  run.failed[run.row] = run.status, run.failed_time[run.row] = run.time;
  run.status = kRunOk;
  return true;
}

// How many robots from a place on go into one pack: they are in the same world.
template <class T>
int rows_together(const Run& run, long place) {
  const World* world = &world_of(run, robot_at(run, place));
  int rows = 1;
  while (rows < lanes<T> && place + rows < run.end_row && &world_of(run, robot_at(run, place + rows)) == world) ++rows;
  return rows;
}

template <class T>
void run_all(Run& run, RobotMemory<T>& memory) {
  memory.prepare(run);
  int rows = 0;
  for (long place = run.begin; place < run.end_row && run.status == kRunOk; place += rows) {
    if (is_interrupted(run)) {
      run.status = kRunInterrupted;
      return;
    }
    rows = rows_together<T>(run, place);
    if (!memory.load(run, place, rows)) continue;
    if (run.sample_start) {
      bool caused = true;
      Integrators::visit(run.integrator,
                         [&]<class Integrator>() { caused = run.sample_start != kSampleActed || !Integrator::kKnowsForces; });
      record(run, memory.robot(), 0, run.start, caused);
      note_failed_loop(run, memory.robot(), run.start);
    } else if (run.out_rate) {
      store_flow(run, memory.robot());
      note_failed_loop(run, memory.robot(), run.start);
    } else {
      Integrators::visit(run.integrator, [&]<class Integrator>() { integrate_robots<Integrator>(run, memory.robot()); });
      if (run.status != kRunOk && bears_failure(run)) {
        place -= rows;  // the others once more: they do not depend on the one that failed
        continue;
      }
      if (run.status != kRunOk) return;  // the state stays as it was
      memory.store(run), memory.take_notes(run);
    }
  }
}

bool in_packs(int integrator, bool single) { return !single && !Integrators::kRow[integrator].adaptive; }

template <class T>
void* open_memory(const Run& run) {
  auto* memory = new (std::nothrow) RobotMemory<T>(run);
  if (memory && memory->ready()) return memory;
  delete memory;
  return nullptr;
}

void* open_simulation(const Run& run, bool single) {
  return in_packs(run.integrator, single) ? open_memory<Pack>(run) : open_memory<double>(run);
}

void close_simulation(void* memory, int integrator, bool single) {
  if (in_packs(integrator, single)) {
    delete static_cast<RobotMemory<Pack>*>(memory);
  } else {
    delete static_cast<RobotMemory<double>*>(memory);
  }
}

void run_simulation(Run& run, void* memory, bool single) {
  if (in_packs(run.integrator, single)) {
    run_all(run, *static_cast<RobotMemory<Pack>*>(memory));
  } else {
    run_all(run, *static_cast<RobotMemory<double>*>(memory));
  }
}

void contact_force(int law, const double* parameter, long rows, const double* depth, const double* velocity, double* force) {
  Laws::visit(law, parameter, [&](const auto& l) {
    for (long i = 0; i < rows; ++i, velocity += 3, force += 3) {
      const Touch<double> at{depth[i], -velocity[2], {velocity[0], velocity[1], 0.0}};
      const LawForce<double> f = l.force(at, {0.0, zero3<double>()});
      force[0] = f.friction.x, force[1] = f.friction.y, force[2] = f.normal;
    }
  });
}

void touch(const World& world, int pair, const double* X, const double* Y, double* out) {
  auto placed = [](const double* x) { return Placed<double>{{vec3(x), vec3(x + 3), vec3(x + 6)}, vec3(x + 9)}; };
  Slots found;
  touch_pair(world, world.pair[pair], placed(X), placed(Y), 1e3, found);
  for (int k = 0; k < world.pair[pair].slots; ++k, out += 10) {
    const SolidContact& s = found.slot[k];
    out[0] = s.depth;
    put_vectors(&s.first, 1, out + 1), put_vectors(&s.second, 1, out + 4), put_vectors(&s.normal, 1, out + 7);
  }
}

void distances(const World& world, long rows, const double* point, double* gap, double* normal) {
  for (long i = 0; i < rows; ++i, point += 3, normal += 3) {
    Contact<double> c;
    nearest_surface(world, vec3(point), 0.0, kBoundless, c);
    gap[i] = -c.depth, normal[0] = c.normal.x, normal[1] = c.normal.y, normal[2] = c.normal.z;
  }
}

}  // namespace

const SimulationTable simulation_table = {
    open_simulation,     close_simulation, run_simulation, open_rigid, close_rigid,  run_rigid,
    contact_force,       distances,        touch,          slots_of,   Laws::kCount, Laws::kRow,
    Integrators::kCount, Integrators::kRow};

}  // namespace tarsus::TARSUS_ISA
