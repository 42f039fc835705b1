#include "dispatch/rigid.hpp"

#include <new>

#include "simulation/rigid/event_driven.hpp"
#include "simulation/robot_memory.hpp"

namespace tarsus::TARSUS_ISA {

void* open_rigid(const Run& run) {
  auto* memory = new (std::nothrow) RobotMemory<double>(run, true);
  if (memory && memory->ready()) return memory;
  delete memory;
  return nullptr;
}

void close_rigid(void* memory) { delete static_cast<RobotMemory<double>*>(memory); }

// One robot after the other: each has steps and events of its own.
void run_rigid(Run& run, void* opened) {
  auto& memory = *static_cast<RobotMemory<double>*>(opened);
  memory.prepare(run);
  for (long row = run.begin; row < run.end_row && run.status == kRunOk; ++row) {
    if (is_interrupted(run)) {
      run.status = kRunInterrupted;
      return;
    }
    memory.load(run, row, 1);
    EventDriven(run, memory.robot()).go();
    if (!run.sample_start) memory.store(run);
  }
}

}  // namespace tarsus::TARSUS_ISA
