#include "dispatch/simulate.hpp"

#include <cstdlib>

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
    const bool adaptive = Integrators::kRow[run.integrator].adaptive, elsewhere = run.out_rate || run.sample_start;
    ws_.steepest = steepest_loop(run, (adaptive && !run.sample_start) || run.out_rate);
    ws_.time_step = adaptive || elsewhere ? 0.0 : run.dt;
  }
  ~RobotMemory() { std::free(memory_); }
  RobotMemory(const RobotMemory&) = delete;
  RobotMemory& operator=(const RobotMemory&) = delete;
  bool ready() const { return memory_ != nullptr; }

  void load(const Run& run, long row, int rows) {
    const int contacts = run.world->contacts;
    robot_.row = row, robot_.rows = rows;
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
    T* external = const_cast<T*>(robot_.external);
    if (!run.external) robot_.external = nullptr;
    if (run.external) read(run.external, 6 * (size_t)run.model->bodies, external);
  }
  void store(const Run& run) {
    const int contacts = run.world->contacts;
    write(robot_.q, run.model->nq, run.q), write(robot_.v, run.model->nv, run.v), write(robot_.work, kWorks, run.work);
    put_vectors(robot_.displacement, contacts, robot_.line);
    write(robot_.line, 3 * (size_t)contacts, run.displacement);
    for (int i = 0; i < contacts; ++i) put_vectors(&robot_.contact[i].force, 1, robot_.line + 3 * i);
    write(robot_.line, 3 * (size_t)contacts, run.contact_force);
  }
  Robot<T>& robot() { return robot_; }

 private:
  void read(const double* from, size_t n, T* to) {
    for (int l = 0; l < lanes<T>; ++l) {
      const double* x = from + (size_t)(robot_.row + (l < robot_.rows ? l : robot_.rows - 1)) * n;
      for (size_t k = 0; k < n; ++k) set_lane(to[k], l, x[k]);
    }
  }
  void write(const T* from, size_t n, double* to) {
    for (int l = 0; l < robot_.rows; ++l) {
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

const SimulationTable simulation_table = {run_simulation, contact_force,       Laws::kCount,
                                          Laws::kRow,     Integrators::kCount, Integrators::kRow};

}  // namespace tarsus::TARSUS_ISA
