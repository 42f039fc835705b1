// Forward dynamics by the Newton-Euler method with global Jacobians, Buschmann 2014 (3.23)-(3.28): every body's Jacobian has a
// column for every degree of freedom, zeros included, and the mass matrix is factorised as a full one. O(n^3), the plain method
// that all others are measured by.
#pragma once
#include "kernels/cholesky.hpp"
#include "kernels/global_jacobians.hpp"

namespace tarsus::TARSUS_ISA {

inline size_t newton_euler_scratch(const Model& m) {
  const size_t nv = m.tree_nv;
  return 6 * nv * (m.nodes + 1) + nv * nv;
}

template <class T>
TARSUS_KERNEL void newton_euler(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const long nv = m.tree_nv;
  auto jacobian_of = [&](int i) { return JacobianRows<T>{scratch + 6 * nv * i, nv}; };
  T *F = scratch + 6 * nv * m.nodes, *M = F + 6 * nv;
  std::memset(static_cast<void*>(scratch), 0, sizeof(T) * newton_euler_scratch(m));
  // ws.wrench = M_i (dJ_i/dt v + c_i) + h_i: what each body needs at vdot = 0, gravity and external wrenches counted (3.25)
  sweep<false>(m, x.ws, x.q, x.v, static_cast<const T*>(nullptr));
  if (x.external) subtract_external(m, x.ws, x.q, x.external);
  for (long k = 0; k < nv; ++k) x.out[k] = x.a[k];
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    if (n.arm == kRoot) continue;  // J = 0
    const JacobianRows<T> J = jacobian_of(i);
    carry_jacobian(m, x.ws, x.q, i, n.parent < 0 ? J : jacobian_of(n.parent), n.parent < 0 ? 0 : nv, J, n.v);
    if (n.body < 0) continue;
    weigh_jacobian(n, J, nv, F);
    for (long r = 0; r < nv; ++r) add_mass_row(J, F, nv, r, M + r * nv, nv);            // M = sum J_i^T M_i J_i (3.27)
    for (long r = 0; r < nv; ++r) x.out[r] = x.out[r] - project(J, r, x.ws.wrench[i]);  // u - h (3.28)
  }
  for (long k = 0; k < nv; ++k) M[k * nv + k] = M[k * nv + k] + m.armature[k];
  cholesky_solve(m.tree_nv, M, x.out);
}

}  // namespace tarsus::TARSUS_ISA
