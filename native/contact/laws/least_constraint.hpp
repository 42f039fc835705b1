// Rigid ground in time steps: impulses of a step solve a convex problem (simulation/impulses/; Python:
// contact/laws/least_constraint.py).
#pragma once
#include "contact/laws/law.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct LeastConstraint : NoForce<T> {
  static constexpr const char* kName = "least-constraint";
  static constexpr const char* kParameters[] = {"friction", "restitution"};
  T friction, restitution;

  TARSUS_INLINE SolvedLaw<T> solved() const { return {friction, restitution}; }
};

}  // namespace tarsus::TARSUS_ISA
