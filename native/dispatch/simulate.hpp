// Simulation of the robots of one run, compiled apart from the other kernels.
#pragma once
#include "simulation/run.hpp"

namespace tarsus::TARSUS_ISA {

extern const SimulationTable simulation_table;

}  // namespace tarsus::TARSUS_ISA
