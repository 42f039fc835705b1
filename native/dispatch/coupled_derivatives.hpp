// Derivatives of inverse dynamics where joints depend on others.
#pragma once
#include "dispatch/reduction.hpp"
#include "kernels/derivatives/inverse_dynamics_derivatives.hpp"
#include "kernels/dynamics/newton_euler.hpp"
#include "kernels/dynamics/passive.hpp"
#include "kernels/loops/coupling_derivatives.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
inline DerivativeSquares<T> three_squares(const Model& m, T* memory) {
  const size_t square = (size_t)m.tree_nv * m.tree_nv;
  return {memory, memory + square, memory + 2 * square, m.tree_nv};
}

// Where joints depend on others, v_tree = G(q) v, the derivatives of inverse dynamics are, with those of the tree T_q, T_v, M,
//   d tau / d q_j = (d_j G)^T tau_tree + G^T (T_q G e_j + T_v (d_j G) v + M d_j a),   a = G vdot + Gdot v
//   d tau / d v_j = G^T (T_v G e_j + M da / dv_j),   da / dv_j = (d_j G) v + Gdot e_j
//   d tau / d vdot = G^T M G
// Memory: force and change of velocity terms of the tree, its three squares, and what the kernels need.
template <class T>
struct CoupledSpace {
  T *force, *by_q, *by_v, *squares, *rest;
  CoupledSpace(const Model& m, T* memory)
      : force(memory),
        by_q(force + m.tree_nv),
        by_v(by_q + (size_t)m.tree_nv * m.nv),
        squares(by_v + (size_t)m.tree_nv * m.nv),
        rest(squares + (size_t)3 * m.tree_nv * m.tree_nv) {}
  static size_t size(const Model& m) {
    const size_t couplings = coupling_derivatives_scratch(m), variations = VariationSpace<double>::size(m);
    const size_t n = m.tree_nv;
    return n + 2 * n * m.nv + 3 * n * n + (couplings > variations ? couplings : variations);
  }
};

// tau_tree of the state.
template <class T>
inline void tree_force(const Context<T>& x, T* force) {
  const Model& m = x.model;
  inverse_dynamics(m, x.ws, x.q, x.v, x.a, x.external, force);
  if (!x.passive) return;
  passive_force(m, x.ws, x.q, x.v, x.ws.force2);
  for (int k = 0; k < m.tree_nv; ++k) force[k] = force[k] - x.ws.force2[k];
}

// What changes of G add, to the result itself and to what G^T is still to multiply.
template <class T>
inline void add_coupling_changes(const Context<T>& x, const CoupledSpace<T>& s, T* out_q) {
  const Model& m = x.model;
  const size_t n = m.tree_nv, nv = m.nv;
  const T *T_v = s.squares + n * n, *M = T_v + n * n;
  for_coupling_derivatives(m, x.ws, x.v, x.a, s.rest, [&](const Closure& c, const ClosureDerivatives<T>& d) {
    const int nd = c.dependents, ni = c.independents;
    const int* column = m.column + m.row[c.dof[0]];  // of the independents, the same for every dependent
    for (int j = 0; j < ni; ++j) {
      for (int k = 0; k < nd; ++k) {
        const size_t row = c.dof[k];
        const T* D = d.slope + (size_t)(j * nd + k) * ni;
        T along = broadcast<T>(0.0), turned = along;  // (d_j G) v, Gdot e_j
        for (int i = 0; i < ni; ++i) {
          const T rate = x.v[c.dof[nd + i]];
          along = along + D[i] * rate;
          turned = turned + d.slope[(size_t)(i * nd + k) * ni + j] * rate;
          T& to = out_q[column[i] * nv + column[j]];
          to = to + D[i] * s.force[row];
        }
        const T by_q = d.acceleration[j * nd + k], by_v = along + turned;
        for (size_t r = 0; r < n; ++r) {
          T &q = s.by_q[r * nv + column[j]], &v = s.by_v[r * nv + column[j]];
          q = q + T_v[r * n + row] * along + M[r * n + row] * by_q;
          v = v + M[r * n + row] * by_v;
        }
      }
    }
  });
}

// x.q, x.v and x.a are the tree's, x.out is independent. add(force, squares) may add forces of the tree that depend on q.
template <class T, class Add>
inline void coupled_inverse_derivatives(const Context<T>& x, T* scratch, Add add) {
  const Model& m = x.model;
  const size_t n = m.tree_nv, nv = m.nv, tree = 3 * n * n;
  const CoupledSpace<T> s(m, scratch);
  if (!m.linear) tree_force(x, s.force);
  zero_fill(s.squares, tree);
  inverse_dynamics_derivatives(x, three_squares(m, s.squares), s.rest);
  add(s.force, s.squares);
  zero_fill(x.out, 3 * nv * nv);
  const T* G = x.ws.coupling;
  add_reduced(m, Reduction::kSquare, G, G, static_cast<const T*>(s.squares), tree, x.out);
  if (m.linear) return;
  zero_fill(s.by_q, 2 * n * nv);
  add_coupling_changes(x, s, x.out);
  add_reduced_rows(m, G, static_cast<const T*>(s.by_q), nv, x.out);
  add_reduced_rows(m, G, static_cast<const T*>(s.by_v), nv, x.out + nv * nv);
}

template <class T>
inline void coupled_inverse_derivatives(const Context<T>& x, T* scratch) {
  coupled_inverse_derivatives(x, scratch, [](T*, T*) {});
}

}  // namespace tarsus::TARSUS_ISA
