// Steps of whole-body control, as they leave an instruction set.
#pragma once
#include "control/whole_body_run.hpp"
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

extern const BodyTable body_table;

}  // namespace tarsus::TARSUS_ISA
