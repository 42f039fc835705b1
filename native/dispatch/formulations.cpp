#include "dispatch/formulations.hpp"

#include "kernels/articulated_body.hpp"
#include "kernels/gauss.hpp"

namespace tarsus::TARSUS_ISA {

size_t formulation_scratch(int operation, const Model& m) {
  if (operation == kGauss || operation == kInverseGauss) return gauss_scratch(m);
  (void)operation, (void)m;
  return 0;
}

template <class T>
void formulation(int operation, const Context<T>& x, T* scratch) {
  (void)scratch;
  const Model& m = x.model;
  switch (operation) {
    case kInverseNewtonEuler:
    case kInverseDenoc: inverse_dynamics(m, x.ws, x.q, x.v, x.a, x.external, x.out); break;
    case kGauss: gauss(x, scratch); break;
    case kInverseGauss: inverse_gauss(x, scratch); break;
    default: articulated_body(m, x.ws, x.q, x.v, x.a, x.external, x.out); break;
  }
}

template void formulation<double>(int, const Context<double>&, double*);
template void formulation<Pack>(int, const Context<Pack>&, Pack*);

}  // namespace tarsus::TARSUS_ISA
