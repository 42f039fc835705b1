#include "dispatch/rigid.hpp"

#include "simulation/rigid/event_driven.hpp"
#include "simulation/robot_memory.hpp"

namespace tarsus::TARSUS_ISA {

// One robot after the other: each has steps and events of its own.
void run_rigid(Run& run) {
  RobotMemory<double> memory(run, true);
  if (!memory.ready()) {
    run.status = kRunOutOfMemory;
    return;
  }
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
