// Models with dependent joints: their coordinates and their forward dynamics; compiled apart from the kernels of trees.
#pragma once
#include "dispatch/call.hpp"
#include "kernels/dynamics/articulated_body.hpp"

namespace tarsus::TARSUS_ISA {

// Coordinates of the tree into ws.tree_q (of four-bars with `angles` only), G into ws.coupling; with velocities also ws.tree_v,
// the rate of G and ws.bias.
template <class T>
void close_coordinates(const Model& m, Workspace<T>& ws, const T* q, const T* v, bool angles);

// Forward dynamics (kArticulatedBody) or M^-1 a (kSolveMass) in independent coordinates; x.q and x.v are the tree's, v and a
// independent.
template <class T>
void solve_coupled(int operation, const Context<T>& x, const T* v, const T* a, T* scratch);

// The two halves of forward dynamics, between which further wrenches may be taken off ws.wrench: the motion at vdot = 0 of the
// closed tree, and the solve.
template <class T>
void sweep_coupled(const Model& m, Workspace<T>& ws, const T* tree_q, const T* tree_v);
template <class T>
void solve_swept(const Model& m, Workspace<T>& ws, const T* tree_q, const T* v, const T* tau, T* vdot, T* scratch);
// The same with inertias that a time step adds.
template <class T>
void solve_swept_step(const AddedInertia<T>& added, Workspace<T>& ws, const T* tree_q, const T* v, const T* tau, T* vdot,
                      T* scratch);

// The same on a driven tree (Model::driven), whose coordinates are the independent ones.
template <class T>
void solve_driven(int operation, const Model& tree, Workspace<T>& ws, const T* q, const T* v, const T* a, T* out);

}  // namespace tarsus::TARSUS_ISA
