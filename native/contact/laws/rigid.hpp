// Rigid ground between events: constraint forces and impacts are those of Python (contact/rigid/), native code tells them only
// how the robot moves without them (contact/laws/rigid.py).
#pragma once
#include "contact/laws/law.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Rigid : SolvedImpulses<T> {
  static constexpr const char* kName = "rigid";
};

}  // namespace tarsus::TARSUS_ISA
