// Runs on rigid ground by events, in memory that one thread works on.
#pragma once
#include "simulation/run.hpp"

namespace tarsus::TARSUS_ISA {

void* open_rigid(const Run& run);
void close_rigid(void* memory);
void run_rigid(Run& run, void* memory);

}  // namespace tarsus::TARSUS_ISA
