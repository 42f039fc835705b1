#include "dispatch/coupled.hpp"

#include "kernels/loops/clustered_body.hpp"
#include "kernels/loops/driven_body.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
void close_coordinates(const Model& m, Workspace<T>& ws, const T* q, const T* v, bool angles) {
  close(m, ws, q, v, angles);
}

template <class T>
void coupled_forward_dynamics(const Context<T>& x, T* scratch) {
  clustered_body(x.model, x.ws, x.q, x.v, x.independent_v, x.a, x.external, x.out, scratch);
}

template <class T>
void coupled_solve_mass(const Context<T>& x, T* scratch) {
  clustered_solve_mass(x.model, x.ws, x.q, x.a, x.out, scratch);
}

template <class T>
void sweep_coupled(const Model& m, Workspace<T>& ws, const T* tree_q, const T* tree_v) {
  sweep_closed(m, ws, tree_q, tree_v, false);
}

template <class T>
void eliminate_swept(const Model& m, Workspace<T>& ws, const T* tree_q, const T* v, const T* tau, T* scratch) {
  eliminate_clustered(m, ws, tree_q, tau, Bias<T>{v && !m.linear, false, v}, OwnInertia<T>{m, ws.bodies}, scratch);
}

template <class T>
void eliminate_swept_step(const AddedInertia<T>& added, Workspace<T>& ws, const T* tree_q, const T* v, const T* tau, T* scratch) {
  eliminate_clustered(added.m, ws, tree_q, tau, Bias<T>{!added.m.linear, false, v}, added, scratch);
}

template <class T>
void accelerate_swept_step(const Model& m, Workspace<T>& ws, const T* tree_q, T* vdot, T* scratch) {
  accelerate_clustered(m, ws, tree_q, true, vdot, scratch);
}

template <class T>
void driven_forward_dynamics(const Context<T>& x) {
  driven_body(*x.model.driven, x.ws, x.q, x.v, x.a, x.out);
}

template <class T>
void driven_mass_solution(const Context<T>& x) {
  driven_solve_mass(*x.model.driven, x.ws, x.q, x.a, x.out);
}

template void close_coordinates<double>(const Model&, Workspace<double>&, const double*, const double*, bool);
template void close_coordinates<Pack>(const Model&, Workspace<Pack>&, const Pack*, const Pack*, bool);
template void coupled_forward_dynamics<double>(const Context<double>&, double*);
template void coupled_forward_dynamics<Pack>(const Context<Pack>&, Pack*);
template void coupled_solve_mass<double>(const Context<double>&, double*);
template void coupled_solve_mass<Pack>(const Context<Pack>&, Pack*);
template void sweep_coupled<double>(const Model&, Workspace<double>&, const double*, const double*);
template void sweep_coupled<Pack>(const Model&, Workspace<Pack>&, const Pack*, const Pack*);
template void eliminate_swept<double>(const Model&, Workspace<double>&, const double*, const double*, const double*, double*);
template void eliminate_swept<Pack>(const Model&, Workspace<Pack>&, const Pack*, const Pack*, const Pack*, Pack*);
template void eliminate_swept_step<double>(const AddedInertia<double>&, Workspace<double>&, const double*, const double*,
                                           const double*, double*);
template void eliminate_swept_step<Pack>(const AddedInertia<Pack>&, Workspace<Pack>&, const Pack*, const Pack*, const Pack*,
                                         Pack*);
template void accelerate_swept_step<double>(const Model&, Workspace<double>&, const double*, double*, double*);
template void accelerate_swept_step<Pack>(const Model&, Workspace<Pack>&, const Pack*, Pack*, Pack*);
template void driven_forward_dynamics<double>(const Context<double>&);
template void driven_forward_dynamics<Pack>(const Context<Pack>&);
template void driven_mass_solution<double>(const Context<double>&);
template void driven_mass_solution<Pack>(const Context<Pack>&);

}  // namespace tarsus::TARSUS_ISA
