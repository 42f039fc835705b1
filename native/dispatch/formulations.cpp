#include "dispatch/formulations.hpp"

#include "dispatch/coupled.hpp"
#include "kernels/formulations/composite_body_sparse.hpp"
#include "kernels/formulations/denoc.hpp"
#include "kernels/formulations/floating_inverse.hpp"
#include "kernels/formulations/gauss.hpp"
#include "kernels/formulations/newton_euler_global.hpp"
#include "kernels/formulations/newton_euler_sparse.hpp"

namespace tarsus::TARSUS_ISA {

size_t formulation_scratch(int operation, const Model& m) {
  switch (operation) {
    case kNewtonEuler: return newton_euler_scratch(m);
    case kNewtonEulerSparse: return newton_euler_sparse_scratch(m);
    case kCompositeBodySparse: return composite_body_sparse_scratch(m);
    case kDenoc: return denoc_scratch(m);
    case kGauss: return gauss_scratch(m);
    case kInverseNewtonEuler: return predecessor_jacobians_scratch(m);
    case kInverseDenoc: return 0;
    case kInverseGauss: return gauss_scratch(m);
    default: return 0;
  }
}

template <class T>
void formulation(int operation, const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  if (m.tree_nv == 0) return;
  switch (operation) {
    case kNewtonEuler: newton_euler(x, scratch); break;
    case kNewtonEulerSparse: newton_euler_sparse(x, scratch); break;
    case kCompositeBodySparse: composite_body_sparse(x, scratch); break;
    case kDenoc: denoc(x, scratch); break;
    case kGauss: gauss(x, scratch); break;
    case kInverseNewtonEuler: inverse_newton_euler(x, scratch); break;
    case kInverseDenoc: inverse_denoc(x); break;
    case kInverseGauss: inverse_gauss(x, scratch); break;
    case kFloatingInverseDynamics: floating_inverse_dynamics(x); break;
    default: break;
  }
}

bool base_is_massless(const Model& m, Workspace<double>& ws, const double* q) {
  if (m.node[0].dof == 0) return false;
  if (m.coupled) close_coordinates(m, ws, q, static_cast<const double*>(nullptr), false);
  return no_base_inertia(m, ws, m.coupled ? ws.tree_q : q);
}

template void formulation<double>(int, const Context<double>&, double*);
template void formulation<Pack>(int, const Context<Pack>&, Pack*);

}  // namespace tarsus::TARSUS_ISA
