#include "dispatch/simulate.hpp"

#include <cstdlib>
#include <new>

#include "simulation/advance.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

// Memory of the robots that one thread works on, and the way of their states into it and out of it.
template <class T>
class RobotMemory {
 public:
  explicit RobotMemory(const Run& run) : robot_(*run.model, *run.world, *run.law, ws_) {
    const int stages = Integrators::kRow[run.integrator].stages;
    const size_t kernel = Workspace<T>::layout(ws_, *run.model, nullptr);
    const size_t own = robot_.lay_out(nullptr, stages);
    memory_ = static_cast<char*>(std::aligned_alloc(64, kernel + own + 64));
    if (!memory_) return;
    std::memset(memory_, 0, kernel + own + 64);
    Workspace<T>::layout(ws_, *run.model, memory_);
    Workspace<T>::fill_constants(ws_, *run.model);
    robot_.lay_out(memory_ + kernel, stages);
    robot_.number_joints();
  }
  ~RobotMemory() { std::free(memory_); }
  RobotMemory(const RobotMemory&) = delete;
  RobotMemory& operator=(const RobotMemory&) = delete;
  bool ready() const { return memory_ != nullptr; }

  // What a run asks of loops.
  void prepare(const Run& run) {
    const bool adaptive = Integrators::kRow[run.integrator].adaptive, elsewhere = run.out_rate || run.sample_start;
    ws_.steepest = steepest_loop(run, (adaptive && !run.sample_start) || run.out_rate);
    ws_.time_step = adaptive || elsewhere ? 0.0 : run.dt;
  }

  // Robots from `row` on; those that have failed are another one meanwhile. False where all have.
  bool load(const Run& run, long row, int rows) {
    const int contacts = run.world->contacts;
    robot_.row = row, robot_.rows = rows;
    long other = -1;
    for (int l = rows - 1; l >= 0; --l) {
      if (!has_failed(run, row + l)) other = row + l;
    }
    if (other < 0) return false;
    for (int l = 0; l < lanes<T>; ++l) {
      const long own = row + (l < rows ? l : rows - 1);
      robot_.source[l] = has_failed(run, own) ? other : own;
    }
    ws_.failed_closure = -1;
    robot_.branches_kept = false, robot_.keeps_next = true;
    robot_.unsettled = broadcast<T>(0.0);
    robot_.references_constant = false;
    robot_.unsolved = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
    read(run.q, run.model->nq, robot_.q), read(run.v, run.model->nv, robot_.v), read(run.work, kWorks, robot_.work);
    read(run.displacement, 3 * (size_t)contacts, robot_.line);
    for (int i = 0; i < contacts; ++i) robot_.displacement[i] = as_vectors(robot_.line)[i];
    read(run.contact_force, 3 * (size_t)contacts, robot_.line);
    for (int i = 0; i < contacts; ++i) robot_.contact[i].force = as_vectors(robot_.line)[i];
    robot_.external = run.external ? robot_.outside : nullptr;
    if (run.external) read(run.external, 6 * (size_t)run.model->bodies, robot_.outside);
    return true;
  }
  void store(const Run& run) {
    const int contacts = run.world->contacts;
    write(robot_.q, run.model->nq, run.q), write(robot_.v, run.model->nv, run.v), write(robot_.work, kWorks, run.work);
    put_vectors(robot_.displacement, contacts, robot_.line);
    write(robot_.line, 3 * (size_t)contacts, run.displacement);
    for (int i = 0; i < contacts; ++i) put_vectors(&robot_.contact[i].force, 1, robot_.line + 3 * i);
    write(robot_.line, 3 * (size_t)contacts, run.contact_force);
    write(robot_.tau, run.model->nv, run.tau);
  }
  Robot<T>& robot() { return robot_; }

 private:
  void read(const double* from, size_t n, T* to) {
    for (int l = 0; l < lanes<T>; ++l) {
      const double* x = from + (size_t)robot_.source[l] * n;
      for (size_t k = 0; k < n; ++k) set_lane(to[k], l, x[k]);
    }
  }
  void write(const T* from, size_t n, double* to) {
    for (int l = 0; l < robot_.rows; ++l) {
      if (robot_.source[l] != robot_.row + l) continue;
      for (size_t k = 0; k < n; ++k) to[(size_t)(robot_.row + l) * n + k] = lane(from[k], l);
    }
  }
  Workspace<T> ws_;
  Robot<T> robot_;
  char* memory_;
};

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

template <class T>
void run_all(Run& run, RobotMemory<T>& memory) {
  memory.prepare(run);
  for (long row = run.begin; row < run.end_row && run.status == kRunOk; row += lanes<T>) {
    if (is_interrupted(run)) {
      run.status = kRunInterrupted;
      return;
    }
    const int rows = run.end_row - row < lanes<T> ? static_cast<int>(run.end_row - row) : lanes<T>;
    if (!memory.load(run, row, rows)) continue;
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
        row -= lanes<T>;  // the others once more: they do not depend on the one that failed
        continue;
      }
      if (run.status != kRunOk) return;  // the state stays as it was
      memory.store(run);
      for (int l = 0; l < rows; ++l) {
        if (memory.robot().source[l] == row + l) run.unsettled += static_cast<long>(lane(memory.robot().unsettled, l));
      }
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

}  // namespace

const SimulationTable simulation_table = {open_simulation, close_simulation, run_simulation,      contact_force,
                                          Laws::kCount,    Laws::kRow,       Integrators::kCount, Integrators::kRow};

}  // namespace tarsus::TARSUS_ISA
