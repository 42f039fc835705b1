// Partial derivatives of dynamics and kinematics.
#include "dispatch/coupled_derivatives.hpp"
#include "dispatch/kernel.hpp"
#include "dispatch/mass.hpp"
#include "kernels/derivatives/forward_dynamics_derivatives.hpp"
#include "kernels/derivatives/jacobian_derivative.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

size_t coupled_forward_scratch(const Model& m) {
  const size_t inverse = CoupledSpace<double>::size(m), mass = dense_scratch(m);
  return m.tree_nv + m.nv + (size_t)m.nv * m.nv + (inverse > mass ? inverse : mass);
}

// Derivatives of forward dynamics where joints depend on others: those of inverse dynamics, divided by the reduced mass matrix,
// whose couplings fill the zeros of the tree. x.a is tau and x.out the result, both in independent coordinates; passive forces
// are part of tau already, and of the derivatives.
template <class T>
void coupled_forward_derivatives(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const size_t n = m.tree_nv, nv = m.nv;
  T *vdot = scratch, *column = vdot + n, *M = column + nv, *rest = M + nv * nv;
  Context<T> y = x;
  y.out = column;
  solve_dense(y, rest);
  expand_acceleration(m, x.ws, static_cast<const T*>(column), true, vdot);
  y.a = vdot, y.out = x.out;
  coupled_inverse_derivatives(y, rest);
  T* inverse = x.out + 2 * nv * nv;
  for (size_t k = 0; k < nv * nv; ++k) M[k] = inverse[k];
  cholesky_factor(m.nv, M);
  zero_fill(inverse, nv * nv);
  for (size_t k = 0; k < nv; ++k) inverse[k * nv + k] = broadcast<T>(-1.0);
  for (size_t s = 0; s < 3; ++s) {
    for (size_t c = 0; c < nv; ++c) {
      T* first = x.out + s * nv * nv + c;
      for (size_t k = 0; k < nv; ++k) column[k] = -first[k * nv];
      cholesky_substitute(m.nv, static_cast<const T*>(M), column);
      for (size_t k = 0; k < nv; ++k) first[k * nv] = column[k];
    }
  }
}

size_t coupled_jacobian_scratch(const Model& m) {
  const size_t n = m.tree_nv;
  return 6 * n * n + 6 * n + coupling_derivatives_scratch(m);
}

// H = (d J_tree along G e_j) G + J_tree d_j G.
template <class T>
void coupled_jacobian_derivative(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const size_t n = m.tree_nv, nv = m.nv;
  T *H = scratch, *J = H + 6 * n * n, *rest = J + 6 * n;
  zero_fill(H, 6 * n * n + 6 * n), zero_fill(x.out, 6 * nv * nv);
  Context<T> y = x;
  y.out = H;
  jacobian_derivative(y);
  const T* G = x.ws.coupling;
  add_reduced(m, Reduction::kSquare, G, G, static_cast<const T*>(H), 6 * n * n, x.out);
  if (m.linear) return;
  y.out = J;
  frame_jacobian(y);
  const T* rest_state = nullptr;
  for_coupling_derivatives(m, x.ws, rest_state, rest_state, rest, [&](const Closure& c, const ClosureDerivatives<T>& d) {
    const int nd = c.dependents, ni = c.independents;
    const int* column = m.column + m.row[c.dof[0]];
    for (int j = 0; j < ni; ++j) {
      for (int k = 0; k < nd; ++k) {
        for (int i = 0; i < ni; ++i) {
          for (size_t r = 0; r < 6; ++r) {
            T& to = x.out[(r * nv + column[i]) * nv + column[j]];
            to = to + J[r * n + c.dof[k]] * d.slope[(size_t)(j * nd + k) * ni + i];
          }
        }
      }
    }
  });
}

constexpr Row kRows[] = {
    {.operation = {.function = "inverse_dynamics_derivatives",
                   .v = Length::kNv,
                   .a = Length::kNv,
                   .a_name = "vdot",
                   .external = true,
                   .passive = true,
                   .output = {{"tau_q_v_vdot", shape(3, axes::nv, axes::nv), Reduction::kSquare, true}}},
     .kernel = [](auto& x, auto* scratch) { inverse_dynamics_derivatives(x, three_squares(x.model, x.out), scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return VariationSpace<double>::size(m); },
     .coupled = [](auto& x, auto* scratch) { coupled_inverse_derivatives(x, scratch); },
     .coupled_scratch = [](const Model& m, const ConstraintTable*) { return CoupledSpace<double>::size(m); }},
    {.operation = {.function = "forward_dynamics_derivatives",
                   .v = Length::kNv,
                   .a = Length::kNv,
                   .a_name = "tau",
                   .external = true,
                   .passive = true,
                   .output = {{"vdot_q_v_tau", shape(3, axes::nv, axes::nv)}},
                   .force_given = true},
     .kernel = [](auto& x, auto* scratch) { forward_dynamics_derivatives(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return forward_derivatives_scratch(m); },
     .coupled = [](auto& x, auto* scratch) { coupled_forward_derivatives(x, scratch); },
     .coupled_scratch = [](const Model& m, const ConstraintTable*) { return coupled_forward_scratch(m); }},
    {.operation = {.function = "jacobian_derivative",
                   .frames = Frames::kOne,
                   .expressed_in = true,
                   .output = {{"H_WF", shape(6, axes::nv, axes::nv), Reduction::kSquare, true}}},
     .kernel = [](auto& x, auto*) { jacobian_derivative(x); },
     .coupled = [](auto& x, auto* scratch) { coupled_jacobian_derivative(x, scratch); },
     .coupled_scratch = [](const Model& m, const ConstraintTable*) { return coupled_jacobian_scratch(m); }},
};

}  // namespace

Rows derivative_rows() { return rows_of(kRows); }

}  // namespace tarsus::TARSUS_ISA
