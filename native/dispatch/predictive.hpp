// Predictive inverse kinematics, compiled apart from the other kernels.
#pragma once
#include "ik/predictive_run.hpp"

namespace tarsus::TARSUS_ISA {

void solve_predictive(PredictiveRun& run);

}  // namespace tarsus::TARSUS_ISA
