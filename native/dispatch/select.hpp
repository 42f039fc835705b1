// Choosing among the instruction sets that were compiled.
#pragma once
#include <string>
#include <vector>

#include "dispatch/call.hpp"

namespace tarsus {

std::vector<const KernelTable*> compiled_tables();  // slowest first
bool runs_here(const KernelTable& table);
// The fastest table that runs on this machine, or the one named by `forced`; null and a message where that is impossible.
const KernelTable* select_table(const char* forced, std::string& message);

}  // namespace tarsus
