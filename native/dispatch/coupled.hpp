// Models with dependent joints: their coordinates and their forward dynamics; compiled apart from the kernels of trees.
#pragma once
#include "kernels/dynamics/articulated_body.hpp"

namespace tarsus::TARSUS_ISA {

// Coordinates of the tree into ws.tree_q (of four-bars with `angles` only), G into ws.coupling; with velocities also ws.tree_v,
// the rate of G and ws.bias.
template <class T>
void close_coordinates(const Model& m, Workspace<T>& ws, const T* q, const T* v, bool angles);

// Forward dynamics, and M^-1 x.a; x.q and x.v are the tree's, x.independent_v, x.a and x.out independent. `scratch` has
// Model::cluster_memory entries.
template <class T>
void coupled_forward_dynamics(const Context<T>& x, T* scratch);
template <class T>
void coupled_solve_mass(const Context<T>& x, T* scratch);

// Forward dynamics in parts: the motion at vdot = 0 of the closed tree, after which further wrenches may be taken off ws.wrench,
template <class T>
void sweep_coupled(const Model& m, Workspace<T>& ws, const T* tree_q, const T* tree_v);
// and the solve, in two halves, between which impulses and rows (simulation/step/couplings.hpp) may change what the eliminated
// joints do: `scratch` keeps their factors. Without velocities `v` the model is at rest.
template <class T>
void eliminate_swept(const Model& m, Workspace<T>& ws, const T* tree_q, const T* v, const T* tau, T* scratch);
// The same with inertias that a time step adds.
template <class T>
void eliminate_swept_step(const AddedInertia<T>& added, Workspace<T>& ws, const T* tree_q, const T* v, const T* tau, T* scratch);
template <class T>
void accelerate_swept_step(const Model& m, Workspace<T>& ws, const T* tree_q, T* vdot, T* scratch);

// The same on the driven tree (Model::driven), whose coordinates are the independent ones.
template <class T>
void driven_forward_dynamics(const Context<T>& x);
template <class T>
void driven_mass_solution(const Context<T>& x);

}  // namespace tarsus::TARSUS_ISA
