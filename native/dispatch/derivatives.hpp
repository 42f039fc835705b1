// Partial derivatives of dynamics and kinematics; compiled apart from the kernels themselves.
#pragma once
#include "dispatch/call.hpp"
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

// Entries of scratch memory that an operation needs.
size_t derivative_scratch(int operation, const Model& m);

template <class T>
void derivative(int operation, const Context<T>& x, T* scratch);

}  // namespace tarsus::TARSUS_ISA
