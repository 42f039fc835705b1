// Inverse kinematics, compiled apart from the other kernels.
#pragma once
#include "ik/position_run.hpp"

namespace tarsus::TARSUS_ISA {

void solve_positions(PositionRun& run);

}  // namespace tarsus::TARSUS_ISA
