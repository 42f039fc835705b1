// Memory of the robots that one thread works on, and the way of their states into it and out of it.
#pragma once
#include <cstdlib>

#include "simulation/advance.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class RobotMemory {
 public:
  // `by_events` for rigid contact by events.
  explicit RobotMemory(const Run& run, bool by_events = false) : robot_(*run.model, *run.world, *run.law, ws_, by_events) {
    const int stages = by_events ? 2 : Integrators::kRow[run.integrator].stages;
    const size_t kernel = Workspace<T>::layout(ws_, *run.model, nullptr);
    const size_t own = robot_.lay_out(nullptr, stages);
    memory_ = static_cast<char*>(std::aligned_alloc(64, kernel + own + 64));
    if (!memory_) return;
    std::memset(memory_, 0, kernel + own + 64);
    Workspace<T>::layout(ws_, *run.model, memory_);
    Workspace<T>::fill_constants(ws_, *run.model);
    robot_.lay_out(memory_ + kernel, stages);
    robot_.number_joints();
    const bool adaptive = by_events || Integrators::kRow[run.integrator].adaptive, elsewhere = run.out_rate || run.sample_start;
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

}  // namespace tarsus::TARSUS_ISA
