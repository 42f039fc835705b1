// Quadratic programs, as they leave an instruction set.
#pragma once
#include "math/pack.hpp"
#include "optimization/quadratic_program.hpp"

namespace tarsus::TARSUS_ISA {

extern const OptimizationTable optimization_table;

}  // namespace tarsus::TARSUS_ISA
