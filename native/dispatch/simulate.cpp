#include "dispatch/simulate.hpp"

#include <cstdlib>

#include "simulation/advance.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

// Memory of the robots that one thread works on.
template <class T>
class Station {
 public:
  explicit Station(const Run& run) : robot_(*run.model, *run.world, *run.law, ws_) {
    const bool solves = run.integrator == kLeastConstraintEuler;
    const size_t kernel = Workspace<T>::layout(ws_, *run.model, nullptr);
    const size_t own = robot_.lay_out(nullptr, stages_of(run.integrator), solves);
    memory_ = static_cast<char*>(std::aligned_alloc(64, kernel + own + 64));
    if (!memory_) return;
    std::memset(memory_, 0, kernel + own + 64);
    Workspace<T>::layout(ws_, *run.model, memory_);
    Workspace<T>::fill_constants(ws_, *run.model);
    robot_.lay_out(memory_ + kernel, stages_of(run.integrator), solves);
    robot_.number_joints();
  }
  ~Station() { std::free(memory_); }
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;
  bool ready() const { return memory_ != nullptr; }

  void load(const Run& run, long row, int rows) {
    robot_.row = row, robot_.rows = rows;
    ws_.failed_closure = -1;
    robot_.referred = false;
    read(run.q, run.model->nq, robot_.q), read(run.v, run.model->nv, robot_.v);
    read(run.z, 3 * (size_t)run.world->contacts, robot_.z), read(run.work, kWorks, robot_.work);
    T* external = const_cast<T*>(robot_.external);
    if (!run.external) robot_.external = nullptr;
    if (run.external) read(run.external, 6 * (size_t)run.model->bodies, external);
  }
  void store(const Run& run) {
    write(robot_.q, run.model->nq, run.q), write(robot_.v, run.model->nv, run.v);
    write(robot_.z, 3 * (size_t)run.world->contacts, run.z), write(robot_.work, kWorks, run.work);
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

template <class T>
void run_all(Run& run) {
  Station<T> station(run);
  if (!station.ready()) {
    run.status = kRunOutOfMemory;
    return;
  }
  for (long row = run.begin; row < run.end_row && run.status == kRunOk; row += lanes<T>) {
    const int rows = run.end_row - row < lanes<T> ? static_cast<int>(run.end_row - row) : lanes<T>;
    station.load(run, row, rows);
    if (run.integrator == kFlow && !run.sample_start) {
      store_flow(run, station.robot());
      continue;
    }
    if (run.sample_start) {
      record(run, station.robot(), 0, run.start, true);
      continue;
    }
    if constexpr (lanes<T> == 1) {
      if (run.integrator == kDormandPrince) {
        take_adaptive_steps(run, station.robot());
        station.store(run);
        continue;
      }
    }
    take_steps(run, station.robot());
    station.store(run);
  }
}

}  // namespace

void run_simulation(Run& run, bool single) {
  if (single || run.integrator == kDormandPrince) {
    run_all<double>(run);
  } else {
    run_all<Pack>(run);
  }
}

}  // namespace tarsus::TARSUS_ISA
