// Models with dependent joints: their coordinates and their forward dynamics; compiled apart from the kernels of trees.
#pragma once
#include "dispatch/call.hpp"
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

// Coordinates of the tree into ws.tree_q (of four-bars with `angles` only), G into ws.coupling; with velocities also ws.tree_v,
// the rate of G and ws.bias.
template <class T>
void close_coordinates(const Model& m, Workspace<T>& ws, const T* q, const T* v, bool angles);

// Forward dynamics (kArticulatedBody) or M^-1 a (kSolveMass) in independent coordinates; x.q and x.v are the tree's, v and a
// independent.
template <class T>
void solve_coupled(int operation, const Context<T>& x, const T* v, const T* a, T* scratch);

}  // namespace tarsus::TARSUS_ISA
