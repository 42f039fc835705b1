// Steps of inverse kinematics, as they leave an instruction set.
#pragma once
#include "ik/step_run.hpp"
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

extern const StepTable step_table;

}  // namespace tarsus::TARSUS_ISA
