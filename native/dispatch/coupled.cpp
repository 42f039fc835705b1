#include "dispatch/coupled.hpp"

#include "kernels/clustered_body.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
void close_coordinates(const Model& m, Workspace<T>& ws, const T* q, const T* v, bool angles) {
  close(m, ws, q, v, angles);
}

template <class T>
void solve_coupled(int operation, const Context<T>& x, const T* v, const T* a, T* scratch) {
  if (operation == kSolveMass) {
    clustered_solve_mass(x.model, x.ws, x.q, a, x.out, scratch);
  } else {
    clustered_body(x.model, x.ws, x.q, x.v, v, a, x.external, x.out, scratch);
  }
}

template void close_coordinates<double>(const Model&, Workspace<double>&, const double*, const double*, bool);
template void close_coordinates<Pack>(const Model&, Workspace<Pack>&, const Pack*, const Pack*, bool);
template void solve_coupled<double>(int, const Context<double>&, const double*, const double*, double*);
template void solve_coupled<Pack>(int, const Context<Pack>&, const Pack*, const Pack*, Pack*);

}  // namespace tarsus::TARSUS_ISA
