// Partial derivatives of dynamics and kinematics.
#include "dispatch/kernel.hpp"
#include "dispatch/mass.hpp"
#include "kernels/derivatives/forward_dynamics_derivatives.hpp"
#include "kernels/derivatives/jacobian_derivative.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

template <class T>
DerivativeSquares<T> three_squares(const Model& m, T* memory) {
  const size_t square = (size_t)m.tree_nv * m.tree_nv;
  return {memory, memory + square, memory + 2 * square, m.tree_nv};
}

// Entries of scratch of the following: vdot of the tree and of independent coordinates, three squares of the tree, variations.
size_t coupled_scratch(const Model& m) {
  return m.tree_nv + m.nv + (size_t)3 * m.tree_nv * m.tree_nv + VariationSpace<double>::size(m);
}

// Derivatives of forward dynamics where joints follow others with constant ratios: those of inverse dynamics reduced, then
// divided by the reduced mass matrix, whose couplings fill the zeros of the tree. x.a is tau and x.out the result, both in
// independent coordinates.
template <class T>
void coupled_forward_derivatives(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const size_t n = m.tree_nv, nv = m.nv, tree = 3 * n * n;
  T *vdot = scratch, *column = vdot + n, *squares = column + nv, *variations = squares + tree;
  Context<T> y = x;
  y.out = column;
  solve_dense(y, squares);
  expand_acceleration(m, x.ws, static_cast<const T*>(column), true, vdot);
  y.a = vdot;
  zero_fill(squares, tree);
  inverse_dynamics_derivatives(y, three_squares(m, squares), variations);
  zero_fill(x.out, 3 * nv * nv);
  const T* G = x.ws.coupling;
  add_reduced(m, Reduction::kSquare, G, G, static_cast<const T*>(squares), tree, x.out);
  T *M = squares, *inverse = x.out + 2 * nv * nv;
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

constexpr Row kRows[] = {
    {.operation = {.function = "inverse_dynamics_derivatives",
                   .v = Length::kNv,
                   .a = Length::kNv,
                   .a_name = "vdot",
                   .external = true,
                   .passive = true,
                   .output = {{"tau_q_v_vdot", shape(3, axes::nv, axes::nv), Reduction::kSquare, true}},
                   .constant_couplings = true},
     .kernel = [](auto& x, auto* scratch) { inverse_dynamics_derivatives(x, three_squares(x.model, x.out), scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return VariationSpace<double>::size(m); }},
    {.operation = {.function = "forward_dynamics_derivatives",
                   .v = Length::kNv,
                   .a = Length::kNv,
                   .a_name = "tau",
                   .external = true,
                   .passive = true,
                   .output = {{"vdot_q_v_tau", shape(3, axes::nv, axes::nv)}},
                   .constant_couplings = true,
                   .force_given = true},
     .kernel = [](auto& x, auto* scratch) { forward_dynamics_derivatives(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return forward_derivatives_scratch(m); },
     .coupled = [](auto& x, auto* scratch) { coupled_forward_derivatives(x, scratch); },
     .coupled_scratch = [](const Model& m, const ConstraintTable*) { return coupled_scratch(m); }},
    {.operation = {.function = "jacobian_derivative",
                   .frames = Frames::kOne,
                   .expressed_in = true,
                   .output = {{"H_WF", shape(6, axes::nv, axes::nv), Reduction::kSquare, true}},
                   .constant_couplings = true},
     .kernel = [](auto& x, auto*) { jacobian_derivative(x); }},
};

}  // namespace

Rows derivative_rows() { return rows_of(kRows); }

}  // namespace tarsus::TARSUS_ISA
