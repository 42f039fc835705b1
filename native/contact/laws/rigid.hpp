// Rigid ground between events: constraint forces and impacts are those of Python (contact/rigid/), native code tells them only
// how the robot moves without them (contact/laws/rigid.py).
#pragma once
#include "contact/laws/law.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Rigid : NoForce<T> {
  static constexpr const char* kName = "rigid";
  static constexpr const char* kParameters[] = {"friction", "restitution"};
  T friction, restitution;

  TARSUS_INLINE SolvedLaw<T> solved() const { return {friction, restitution}; }
};

}  // namespace tarsus::TARSUS_ISA
