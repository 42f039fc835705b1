// Other formulations of forward and inverse dynamics than the recursive ones; compiled apart from them.
#pragma once
#include "dispatch/call.hpp"
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

// Entries of scratch memory that an operation needs.
size_t formulation_scratch(int operation, const Model& m);

// x.q, x.v, x.a are coordinates of the tree; x.a is vdot for inverse and tau for forward dynamics.
template <class T>
void formulation(int operation, const Context<T>& x, T* scratch);

// Whether kFloatingInverseDynamics fails at q because the base has nothing to accelerate.
bool base_is_massless(const Model& m, Workspace<double>& ws, const double* q);

}  // namespace tarsus::TARSUS_ISA
