// Constraints by multipliers: their rows and the dynamics under them; compiled apart from the other kernels.
#pragma once
#include "dispatch/call.hpp"
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

// Entries of scratch memory that an operation needs, for packs or for one state.
template <class T>
size_t constrained_scratch(int operation, const Model& m, const ConstraintTable& c);

// x.q and x.v are the tree's, v and tau independent. Failures are left in x.ws: a pair without direction, lanes that must be
// taken one by one.
template <class T>
void constrained(int operation, const Context<T>& x, const T* v, const T* tau, T* scratch);

}  // namespace tarsus::TARSUS_ISA
