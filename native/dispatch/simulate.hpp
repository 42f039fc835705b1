// Simulation of the robots of one run, compiled apart from the other kernels.
#pragma once
#include "simulation/run.hpp"

namespace tarsus::TARSUS_ISA {

void run_simulation(Run& run, bool single);

}  // namespace tarsus::TARSUS_ISA
