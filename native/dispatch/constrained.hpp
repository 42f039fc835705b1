// Dynamics under constraints for what builds on them; compiled in constrained.cpp.
#pragma once
#include "kernels/constraints/constrained_dynamics.hpp"

namespace tarsus::TARSUS_ISA {

// By the method "sparse": results in the order of MultiplierResult into x.out. `scratch` holds a ConstrainedSpace afterwards,
// unless ws.failed_pair or ws.diverged tell that there is no result.
template <class T>
void constrained_dynamics_sparse(const Context<T>& x, T* scratch);

}  // namespace tarsus::TARSUS_ISA
