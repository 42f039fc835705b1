// Long native calls that handlers of signals can end.
#pragma once
#include <atomic>
#include <chrono>
#include <thread>

#include "bindings/python.hpp"

namespace tarsus {

// A stretch of time without the GIL in which handlers of signals still run, every now and then: what they raise ends the run.
class Interruptible {
 public:
  // `run` has `interrupted` and `caller`, as simulation/run.hpp.
  template <class R>
  explicit Interruptible(R& run) : caller_(std::this_thread::get_id()), next_(Clock::now() + kPatience) {
    run.interrupted = [](void* self) { return static_cast<Interruptible*>(self)->ask(); };
    run.caller = this;
    state_ = PyEval_SaveThread();
  }
  ~Interruptible() { PyEval_RestoreThread(state_); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPatience{50};

  bool ask() {
    if (raised_.load(std::memory_order_relaxed)) return true;
    if (std::this_thread::get_id() != caller_ || Clock::now() < next_) return false;
    PyEval_RestoreThread(state_);
    if (PyErr_CheckSignals() < 0) raised_.store(true, std::memory_order_relaxed);
    state_ = PyEval_SaveThread();
    next_ = Clock::now() + kPatience;
    return raised_.load(std::memory_order_relaxed);
  }

  const std::thread::id caller_;
  Clock::time_point next_;
  std::atomic<bool> raised_{false};
  PyThreadState* state_;
};

}  // namespace tarsus
