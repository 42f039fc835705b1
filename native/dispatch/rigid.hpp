// Runs on rigid ground by events.
#pragma once
#include "simulation/run.hpp"

namespace tarsus::TARSUS_ISA {

void run_rigid(Run& run);

}  // namespace tarsus::TARSUS_ISA
