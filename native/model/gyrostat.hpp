// Models with rotors: bodies that are the same at every angle and follow the joint beside them, such as those of motors.
#pragma once
#include "model/build.hpp"

namespace tarsus {

// Finds the rotors of a model whose clusters are known, and makes its gyrostat and, where it can, its driven tree.
void build_gyrostat(OwnedModel& m);

}  // namespace tarsus
