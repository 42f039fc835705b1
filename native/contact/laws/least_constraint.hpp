// Rigid ground in time steps: impulses of a step solve a convex problem (simulation/impulses/; Python:
// contact/laws/least_constraint.py).
#pragma once
#include "contact/laws/law.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct LeastConstraint : SolvedImpulses<T> {
  static constexpr const char* kName = "least-constraint";
};

}  // namespace tarsus::TARSUS_ISA
