// Memory of the robots that one thread works on, and the way of their states into it and out of it.
#pragma once
#include <cstdlib>

#include "simulation/advance.hpp"
#include "simulation/likeness.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class RobotMemory {
 public:
  // `by_events` for rigid contact by events.
  explicit RobotMemory(const Run& run, bool by_events = false) : robot_(run, ws_, by_events) {
    const int stages = by_events ? 2 : Integrators::kRow[run.integrator].stages;
    const size_t kernel = Workspace<T>::layout(ws_, *run.model, nullptr);
    const bool some_solve = by_events || solves_somewhere(run);
    const size_t own = robot_.lay_out(nullptr, stages, some_solve);
    memory_ = static_cast<char*>(std::aligned_alloc(64, kernel + own + 64));
    if (!memory_) return;
    std::memset(memory_, 0, kernel + own + 64);
    Workspace<T>::layout(ws_, *run.model, memory_);
    Workspace<T>::fill_constants(ws_, *run.model);
    robot_.lay_out(memory_ + kernel, stages, some_solve);
    robot_.number_joints();
  }
  ~RobotMemory() { std::free(memory_); }
  RobotMemory(const RobotMemory&) = delete;
  RobotMemory& operator=(const RobotMemory&) = delete;
  bool ready() const { return memory_ != nullptr; }

  // What a run asks of loops.
  void prepare(const Run& run) {
    const bool adaptive = robot_.by_events || Integrators::kRow[run.integrator].adaptive;
    const bool elsewhere = run.out_rate || run.sample_start;
    ws_.steepest = steepest_loop(run, (adaptive && !run.sample_start) || run.out_rate);
    ws_.time_step = adaptive || elsewhere ? 0.0 : run.dt;
  }

  // Robots from a place on; those that have failed are another one meanwhile. False where all have.
  bool load(const Run& run, long place, int rows) {
    const int contacts = run.world->contacts;
    robot_.row = robot_at(run, place), robot_.rows = rows;
    long other = -1;
    for (int l = rows - 1; l >= 0; --l) {
      if (!has_failed(run, robot_at(run, place + l))) other = robot_at(run, place + l);
    }
    if (other < 0) return false;
    for (int l = 0; l < lanes<T>; ++l) {
      const long own = robot_at(run, place + (l < rows ? l : rows - 1));
      const bool failed = has_failed(run, own);
      robot_.source[l] = failed ? other : own, robot_.keeps[l] = l < rows && !failed;
    }
    ws_.failed_closure = -1;
    robot_.wake_pairs(), robot_.listeds = 0;
    robot_.branches_kept = false, robot_.keeps_next = true;
    robot_.unsettled = broadcast<T>(0.0);
    robot_.references_constant = false, robot_.kept_energy.known = false;
    robot_.unsolved = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
    read(run.q, run.model->nq, robot_.q), read(run.v, run.model->nv, robot_.v), read(run.work, kWorks, robot_.work);
    read(run.displacement, 3 * (size_t)contacts, robot_.line);
    for (int i = 0; i < contacts; ++i) robot_.displacement[i] = as_vectors(robot_.line)[i];
    read(run.contact_force, 3 * (size_t)contacts, robot_.line);
    for (int i = 0; i < contacts; ++i) robot_.contact[i].force = as_vectors(robot_.line)[i];
    robot_.external = run.external ? robot_.outside : nullptr;
    if (run.external) read(run.external, 6 * (size_t)run.model->bodies, robot_.outside);
    load_constraints_of(run);
    load_differences(run);
    robot_.off = run.off ? robot_.switched : nullptr;
    if (run.off) read(run.off, contacts, robot_.switched);
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
    if (run.constraints) write(robot_.constraints.force, run.constraints->rows, run.constraint_force);
  }
  // What steps of these robots leave beside their state.
  void take_notes(Run& run) const {
    for (int l = 0; l < robot_.rows; ++l) {
      if (!robot_.keeps[l]) continue;
      run.unsettled += static_cast<long>(lane(robot_.unsettled, l));
      if (run.likeness) run.likeness[robot_.source[l]] = likeness(robot_, l);
    }
  }
  Robot<T>& robot() { return robot_; }

 private:
  void load_constraints_of(const Run& run) {
    RobotConstraints<T>& c = robot_.constraints;
    c.open_row = -1, c.given = run.given;
    robot_.couplings.clear();
    if (!c.any()) return;
    const int rows = c.count();
    read(run.constraint_force, rows, c.force);
    for (int k = 0; k < rows; ++k) c.engaged[k] = broadcast<T>(1.0);
    for (int l = 0; run.engaged && l < lanes<T>; ++l) {
      for (int k = 0; k < rows; ++k) set_lane(c.engaged[k], l, run.engaged[(size_t)robot_.source[l] * rows + k]);
    }
  }
  static bool solves_somewhere(const Run& run) {
    bool found = Robot<T>::solves(*run.world);
    for (long i = 0; run.world_of && i < run.robots; ++i) found = found || Robot<T>::solves(*run.world_of[i]);
    return found;
  }
  // What these robots have of their own.
  void load_differences(const Run& run) {
    robot_.enter(world_of(run, robot_.row));
    ws_.bodies = run.bodies ? robot_.own_bodies : nullptr;
    if (run.bodies) read(run.bodies, (size_t)run.model->nodes * kBodyNumbers, reinterpret_cast<T*>(robot_.own_bodies));
    robot_.friction = run.friction ? &robot_.own_friction : nullptr;
    if (run.friction) read(run.friction, 1, &robot_.own_friction);
  }
  void read(const double* from, size_t n, T* to) {
    const double* row[lanes<T>];
    for (int l = 0; l < lanes<T>; ++l) row[l] = from + (size_t)robot_.source[l] * n;
    size_t j = 0;
    if constexpr (lanes<T> > 1) {  // by blocks: entry by entry every store waits for the one before
      for (; j + kLanes <= n; j += kLanes) {
        const double* block[kLanes];
        for (int l = 0; l < kLanes; ++l) block[l] = row[l] + j;
        transpose(block, to + j);
      }
    }
    for (int l = 0; l < lanes<T>; ++l) {
      for (size_t k = j; k < n; ++k) set_lane(to[k], l, row[l][k]);
    }
  }
  void write(const T* from, size_t n, double* to) {
    size_t j = 0;
    if constexpr (lanes<T> > 1) {
      for (; j + kLanes <= n; j += kLanes) {
        const double* block[kLanes];
        Pack row[kLanes];
        for (int l = 0; l < kLanes; ++l) block[l] = reinterpret_cast<const double*>(from + j + l);
        transpose(block, row);
        for (int l = 0; l < robot_.rows; ++l) {
          if (robot_.keeps[l]) tarsus::TARSUS_ISA::store(to + (size_t)robot_.source[l] * n + j, row[l]);
        }
      }
    }
    for (int l = 0; l < robot_.rows; ++l) {
      if (!robot_.keeps[l]) continue;
      for (size_t k = j; k < n; ++k) to[(size_t)robot_.source[l] * n + k] = lane(from[k], l);
    }
  }
  Workspace<T> ws_;
  Robot<T> robot_;
  char* memory_;
};

}  // namespace tarsus::TARSUS_ISA
