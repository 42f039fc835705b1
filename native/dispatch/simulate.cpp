#include "dispatch/simulate.hpp"

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

template <class T>
void run_all(Run& run) {
  RobotMemory<T> memory(run);
  if (!memory.ready()) {
    run.status = kRunOutOfMemory;
    return;
  }
  for (long row = run.begin; row < run.end_row && run.status == kRunOk; row += lanes<T>) {
    if (is_interrupted(run)) {
      run.status = kRunInterrupted;
      return;
    }
    const int rows = run.end_row - row < lanes<T> ? static_cast<int>(run.end_row - row) : lanes<T>;
    memory.load(run, row, rows);
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
      memory.store(run);
      for (int l = 0; l < rows; ++l) run.unsettled += static_cast<long>(lane(memory.robot().unsettled, l));
    }
  }
}

void run_simulation(Run& run, bool single) {
  if (single || Integrators::kRow[run.integrator].adaptive) {
    run_all<double>(run);
  } else {
    run_all<Pack>(run);
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

}  // namespace

const SimulationTable simulation_table = {run_simulation, run_rigid,           contact_force,    Laws::kCount,
                                          Laws::kRow,     Integrators::kCount, Integrators::kRow};

}  // namespace tarsus::TARSUS_ISA
