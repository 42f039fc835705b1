// Other formulations of forward and inverse dynamics than the recursive ones.
#include "dispatch/coupled.hpp"
#include "dispatch/kernel.hpp"
#include "dispatch/trees.hpp"
#include "kernels/formulations/composite_body_sparse.hpp"
#include "kernels/formulations/denoc.hpp"
#include "kernels/formulations/floating_inverse.hpp"
#include "kernels/formulations/gauss.hpp"
#include "kernels/formulations/newton_euler_global.hpp"
#include "kernels/formulations/newton_euler_sparse.hpp"
#include "kernels/formulations/reduced_mass.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

// The base, where floating inverse dynamics fails at q because the base has nothing to accelerate.
int massless_base(const Model& m, Workspace<double>& ws, const double* q) {
  if (m.node[0].dof == 0) return -1;
  if (m.coupled) close_coordinates(m, ws, q, static_cast<const double*>(nullptr), false);
  return no_base_inertia(m, ws, m.coupled ? ws.tree_q : q) ? 0 : -1;
}

constexpr Row kRows[] = {
    {.operation = forward_dynamics_by("composite-body-sparse"),
     .kernel = [](auto& x, auto* scratch) { composite_body_sparse(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return composite_body_sparse_scratch(m); },
     .coupled = [](auto& x, auto* scratch) { reduced_composite_body_sparse(x, scratch); },
     .coupled_scratch = [](const Model& m, const ConstraintTable*) { return reduced_rows_scratch(m); }},
    {.operation = forward_dynamics_by("newton-euler"),
     .kernel = [](auto& x, auto* scratch) { newton_euler(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return newton_euler_scratch(m); },
     .coupled = [](auto& x, auto* scratch) { reduced_newton_euler(x, scratch); },
     .coupled_scratch = [](const Model& m, const ConstraintTable*) { return reduced_newton_euler_scratch(m); }},
    {.operation = forward_dynamics_by("newton-euler-sparse"),
     .kernel = [](auto& x, auto* scratch) { newton_euler_sparse(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return newton_euler_sparse_scratch(m); },
     .coupled = [](auto& x, auto* scratch) { reduced_newton_euler_sparse(x, scratch); },
     .coupled_scratch = [](const Model& m, const ConstraintTable*) { return reduced_newton_euler_sparse_scratch(m); }},
    {.operation = forward_dynamics_by("denoc", "composite-body"),
     .kernel = [](auto& x, auto* scratch) { denoc(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return denoc_scratch(m); },
     .coupled = [](auto& x, auto* scratch) { forward_dynamics_dense(x, scratch); },
     .coupled_scratch = dense_scratch_of},
    {.operation = forward_dynamics_by("gauss", "composite-body"),
     .kernel = [](auto& x, auto* scratch) { gauss(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return gauss_scratch(m); },
     .coupled = [](auto& x, auto* scratch) { forward_dynamics_dense(x, scratch); },
     .coupled_scratch = dense_scratch_of},
    {.operation = inverse_dynamics_by("newton-euler"),
     .kernel = [](auto& x, auto* scratch) { inverse_newton_euler(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return predecessor_jacobians_scratch(m); }},
    {.operation = inverse_dynamics_by("denoc"), .kernel = [](auto& x, auto*) { inverse_denoc(x); }},
    {.operation = inverse_dynamics_by("gauss"),
     .kernel = [](auto& x, auto* scratch) { inverse_gauss(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return gauss_scratch(m); }},
    {.operation = {.function = "floating_inverse_dynamics",
                   .v = Length::kNv,
                   .a = Length::kJoints,
                   .a_name = "joint_acceleration",
                   .external = true,
                   .passive = true,
                   .output = {{"base_acceleration_and_tau", shape(axes::nv), Reduction::kVector}}},
     .kernel = [](auto& x, auto*) { floating_inverse_dynamics(x); },
     .culprit = massless_base},
};

}  // namespace

Rows formulation_rows() { return rows_of(kRows); }

}  // namespace tarsus::TARSUS_ISA
