// What a SimulatorCore owns: tables of its runs, the memory in which robots are stepped, and what both need alive.
#pragma once
#include <vector>

#include "bindings/constant_law.hpp"
#include "bindings/world.hpp"

namespace tarsus {

struct Simulator {
  Run run{};  // what does not change; a call fills in the rest
  JointLaw law{};
  GivenMotions given{};
  std::vector<TwoPointSpring> springs;
  bool single = false, busy = false;
  int threads = 1;
  std::vector<void*> memory, rigid_memory;  // one a thread
  // A law of given torques:
  std::vector<double> torque, nothing, unlimited;
  std::vector<int> none;
  ConstantLaw constant;
  // What differs from robot to robot:
  std::vector<double> bodies, friction;
  std::vector<const World*> worlds;
  // Who shares a pack with whom:
  std::vector<long> order;
  std::vector<double> likeness;
  // What pointers of `run` and `law` need alive:
  PyObject *model = nullptr, *world = nullptr, *settings = nullptr, *references = nullptr, *external = nullptr, *state = nullptr,
           *kept_worlds = nullptr, *off = nullptr, *constraints = nullptr, *motions = nullptr, *engaged = nullptr;

  Simulator() = default;
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;
  ~Simulator() {
    forget_memory();
    for (PyObject* kept : {model, world, settings, references, external, state, kept_worlds, off, constraints, motions, engaged})
      Py_XDECREF(kept);
  }
  // The next run makes it anew.
  void forget_memory() {
    for (void*& piece : memory) active_table->simulation->close(piece, run.integrator, single), piece = nullptr;
    for (void*& piece : rigid_memory) active_table->simulation->close_rigid(piece), piece = nullptr;
  }
};

struct SimulatorObject {
  PyObject_HEAD Simulator* simulator;
};

}  // namespace tarsus
