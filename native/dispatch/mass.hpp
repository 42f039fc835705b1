// The equations of motion in independent coordinates, M vdot = tau - bias, with a dense mass matrix.
#pragma once
#include "dispatch/reduction.hpp"
#include "kernels/dynamics/composite_body.hpp"
#include "kernels/dynamics/newton_euler.hpp"
#include "kernels/factorisation/cholesky.hpp"

namespace tarsus::TARSUS_ISA {

// tau - bias: what is left to accelerate the masses.
template <class T>
inline void free_force(const Context<T>& x, const T* tau, T* force) {
  const Model& m = x.model;
  const int n = m.tree_nv;
  for (int k = 0; k < m.nv; ++k) force[k] = tau[k];
  if (m.coupled) {
    inverse_dynamics(m, x.ws, x.q, x.v, static_cast<const T*>(x.ws.bias), x.external, x.ws.force);
    for (int k = 0; k < n; ++k) x.ws.force[k] = -x.ws.force[k];
    add_reduced_vector(m, static_cast<const T*>(x.ws.coupling), static_cast<const T*>(x.ws.force), force);
  } else {
    bias_force(m, x.ws, x.q, x.v, x.external, x.ws.force);
    for (int k = 0; k < n; ++k) force[k] = force[k] - x.ws.force[k];
  }
}

// Mass matrix of the tree into M, of independent coordinates (coupled models only) into `reduced`; returns the latter, or M.
template <class T>
inline T* put_mass(const Context<T>& x, T* M, T* reduced) {
  const Model& m = x.model;
  const size_t n = m.tree_nv, nv = m.nv;
  zero_fill(M, n * n);
  mass_matrix(m, x.ws, x.q, M);
  if (!m.coupled) return M;
  zero_fill(reduced, nv * nv);
  const T* G = x.ws.coupling;
  add_reduced_square(m, G, G, static_cast<const T*>(M), reduced);
  return reduced;
}

inline size_t dense_scratch(const Model& m) { return (size_t)m.tree_nv * m.tree_nv + (m.coupled ? (size_t)m.nv * m.nv : 0); }

// Accelerations from the mass matrix of composite bodies; x.a is tau and x.out vdot, both in independent coordinates.
template <class T>
inline void solve_dense(const Context<T>& x, T* scratch) {
  free_force(x, x.a, x.out);
  T* M = put_mass(x, scratch, scratch + (size_t)x.model.tree_nv * x.model.tree_nv);
  cholesky_solve(x.model.nv, M, x.out);
}

}  // namespace tarsus::TARSUS_ISA
