// Steps of inverse kinematics of one instruction set.
#include "dispatch/velocity_step.hpp"

#include "ik/velocity_step.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

size_t bytes(const StepProblem& p) {
  StepMemory s;
  return StepMemory::layout(s, p, nullptr);
}

void prepare(const StepProblem& p, void* memory) {
  StepMemory& s = *static_cast<StepMemory*>(memory);
  StepMemory::layout(s, p, static_cast<char*>(memory));
  Workspace<double>::fill_constants(s.ws, *p.model);
}

void run(const StepRun& r, void* memory) {
  VelocityStep step(r, *static_cast<StepMemory*>(memory));
  for (long i = r.begin; i < r.end; ++i) step.solve(i);
}

}  // namespace

extern const StepTable step_table;
const StepTable step_table = {bytes, prepare, run};

}  // namespace tarsus::TARSUS_ISA
