// What the kernels of trees offer to the other files of their instruction set.
#pragma once
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

// The joint that moves no inertia, found by eliminating joints one by one; -1 where numbers merely overflowed.
int massless_node(const Model& m, Workspace<double>& ws, const double* q);

// Forward dynamics by the mass matrix of composite bodies and its Cholesky factor, in independent coordinates.
template <class T>
void forward_dynamics_dense(const Context<T>& x, T* scratch);
size_t dense_scratch_of(const Model& m, const ConstraintTable*);

}  // namespace tarsus::TARSUS_ISA
