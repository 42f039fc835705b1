// Operations whose kernels work on the tree by recursions and screws: kinematics, momentum, the default dynamics.
#include "dispatch/trees.hpp"

#include "dispatch/coupled.hpp"
#include "dispatch/kernel.hpp"
#include "dispatch/mass.hpp"
#include "kernels/dynamics/articulated_body.hpp"
#include "kernels/dynamics/coriolis.hpp"
#include "kernels/dynamics/momentum.hpp"
#include "kernels/dynamics/passive.hpp"
#include "kernels/dynamics/regressor.hpp"
#include "kernels/kinematics/bodies.hpp"
#include "kernels/kinematics/coordinates.hpp"
#include "kernels/kinematics/frames.hpp"
#include "kernels/kinematics/manifold.hpp"
#include "kernels/limbs/limb_articulated_body.hpp"
#include "kernels/limbs/limb_inverse_dynamics.hpp"
#include "kernels/limbs/limb_joint_screws.hpp"
#include "kernels/limbs/limb_mass_matrix.hpp"

namespace tarsus::TARSUS_ISA {

using namespace axes;

namespace {

constexpr auto no_reduction = Reduction::kKeep;
constexpr auto vector = Reduction::kVector, columns = Reduction::kColumns, square = Reduction::kSquare;
constexpr bool gaps = true;

constexpr Row kRows[] = {
    // Poses, velocities and Jacobians.
    {.operation = {.function = "body_poses", .output = {{"X_WB", shape(nb, 4, 4)}}},
     .kernel = [](auto& x, auto*) { body_poses(x); }},
    {.operation = {.function = "frame_pose", .frames = Frames::kOne, .output = {{"X_WF", shape(4, 4)}}},
     .kernel = [](auto& x, auto*) { frame_poses(x.model, x.ws, x.q, x.frames, x.frame_count, x.out); }},
    {.operation = {.function = "frame_poses", .frames = Frames::kSeveral, .output = {{"X_WF", shape(axes::frames, 4, 4)}}},
     .kernel = [](auto& x, auto*) { frame_poses(x.model, x.ws, x.q, x.frames, x.frame_count, x.out); }},
    {.operation = {.function = "frame_velocity",
                   .v = Length::kNv,
                   .frames = Frames::kOne,
                   .expressed_in = true,
                   .output = {{"V_WF", shape(6)}}},
     .kernel = [](auto& x, auto*) { frame_velocity(x); }},
    {.operation = {.function = "frame_acceleration",
                   .v = Length::kNv,
                   .a = Length::kNv,
                   .a_name = "vdot",
                   .frames = Frames::kOne,
                   .expressed_in = true,
                   .output = {{"A_WF", shape(6)}}},
     .kernel = [](auto& x, auto*) { frame_acceleration<true>(x); }},
    {.operation = {.function = "frame_motions",
                   .v = Length::kNv,
                   .a = Length::kNv,
                   .a_name = "vdot",
                   .frames = Frames::kSeveral,
                   .output = {{"X_WF", shape(axes::frames, 4, 4)},
                              {"V_WF", shape(axes::frames, 6)},
                              {"A_WF", shape(axes::frames, 6)}}},
     .kernel = [](auto& x, auto* scratch) { frame_motions(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable*) { return 6 * (size_t)m.nodes; }},
    {.operation = {.function = "jacobian",
                   .frames = Frames::kOne,
                   .expressed_in = true,
                   .output = {{"J_WF", shape(6, nv), columns, gaps}}},
     .kernel = [](auto& x, auto*) { frame_jacobian(x); }},
    {.operation = {.function = "jacobian_dot",
                   .v = Length::kNv,
                   .frames = Frames::kOne,
                   .expressed_in = true,
                   .output = {{"Jdot_WF", shape(6, nv), columns, gaps}}},
     .kernel = [](auto& x, auto*) { frame_jacobian_dot(x); },
     .rate = [](auto& x, auto*) { frame_jacobian(x); }},
    {.operation = {.function = "jacobian_dot_v",
                   .v = Length::kNv,
                   .frames = Frames::kOne,
                   .expressed_in = true,
                   .output = {{"Jdot_v", shape(6)}}},
     .kernel = [](auto& x, auto*) { frame_acceleration<false>(x); },
     .biased = [](auto& x, auto*) { frame_acceleration<true>(x); }},
    {.operation = {.function = "joint_screws", .output = {{"S_W", shape(6, nv), columns}}},
     .kernel = [](auto& x, auto*) { screws_at_origin(x); },
     .limbs = [](const Call& call, const LimbPlan& plan,
                 LimbSpace& ws) { limb_joint_screws(*call.model, plan, ws, call.q, call.out); }},
    {.operation = {.function = "body_jacobians", .output = {{"J_WB", shape(nb, 6, nv), columns, gaps}}},
     .kernel = [](auto& x, auto*) { body_jacobians(x); }},

    // Masses, momentum, energy.
    {.operation = {.function = "center_of_mass", .output = {{"p_WC", shape(3)}}, .needs_mass = true},
     .kernel = [](auto& x, auto*) { center_of_mass(x); }},
    {.operation = {.function = "com_jacobian", .output = {{"J_WC", shape(3, nv), columns}}, .needs_mass = true},
     .kernel = [](auto& x, auto*) { com_jacobian(x); }},
    {.operation = {.function = "momentum", .v = Length::kNv, .output = {{"h_C", shape(6)}}, .needs_mass = true},
     .kernel = [](auto& x, auto*) { momentum(x); }},
    {.operation = {.function = "momentum_matrix", .output = {{"A_C", shape(6, nv), columns}}, .needs_mass = true},
     .kernel = [](auto& x, auto*) { momentum_matrix(x); }},
    {.operation = {.function = "momentum_dot_v", .v = Length::kNv, .output = {{"Adot_v", shape(6)}}, .needs_mass = true},
     .kernel = [](auto& x, auto*) { momentum_dot_v<false>(x); },
     .biased = [](auto& x, auto*) { momentum_dot_v<true>(x); }},
    {.operation = {.function = "kinetic_energy", .v = Length::kNv, .output = {{"energy", shape()}}},
     .kernel = [](auto& x, auto*) { kinetic_energy(x); }},
    {.operation = {.function = "potential_energy", .output = {{"energy", shape()}}},
     .kernel = [](auto& x, auto*) { potential_energy(x); }},

    // Dynamics.
    {.operation = inverse_dynamics_by("recursive"),
     .kernel = [](auto& x, auto*) { inverse_dynamics(x.model, x.ws, x.q, x.v, x.a, x.external, x.out); },
     .limbs = [](const Call& call, const LimbPlan& plan,
                 LimbSpace& ws) { limb_inverse_dynamics(*call.model, plan, ws, call.q, call.v, call.a, call.out); }},
    {.operation = {.function = "mass_matrix", .output = {{"M", shape(nv, nv), square, gaps}}},
     .kernel = [](auto& x, auto*) { mass_matrix(x.model, x.ws, x.q, x.out); },
     .limbs =
         [](const Call& call, const LimbPlan& plan, LimbSpace& ws) {
           zero_fill(call.out, (size_t)call.model->nv * call.model->nv);
           limb_mass_matrix(*call.model, plan, ws, call.q, call.out);
         }},
    {.operation = {.function = "bias_force", .v = Length::kNv, .output = {{"tau", shape(nv), vector}}},
     .kernel = [](auto& x, auto*) { bias_force(x.model, x.ws, x.q, x.v, x.external, x.out); },
     .biased = [](auto& x, auto*) { inverse_dynamics(x.model, x.ws, x.q, x.v, x.a, x.external, x.out); }},
    {.operation = {.function = "gravity_force", .output = {{"tau", shape(nv), vector}}},
     .kernel =
         [](auto& x, auto*) {
           zero_fill(x.ws.force, x.model.tree_nv);
           const auto* at_rest = x.ws.force;
           bias_force(x.model, x.ws, x.q, at_rest, x.external, x.out);
         }},
    {.operation = {.function = "coriolis_matrix", .v = Length::kNv, .output = {{"C", shape(nv, nv), square, gaps}}},
     .kernel = [](auto& x, auto*) { coriolis_matrix(x); },
     .rate = [](auto& x, auto*) { mass_matrix(x.model, x.ws, x.q, x.out); }},
    {.operation =
         {.function = "solve_mass", .a = Length::kNv, .a_name = "rhs", .output = {{"x", shape(nv)}}, .force_given = true},
     .kernel = [](auto& x, auto*) { solve_mass(x.model, x.ws, x.q, x.a, x.out); },
     .coupled = [](auto& x, auto* scratch) { coupled_solve_mass(x, scratch); },
     .coupled_scratch = [](const Model& m, const ConstraintTable*) { return (size_t)m.cluster_memory; },
     .driven = [](auto& x, auto*) { driven_mass_solution(x); }},
    {.operation = {.function = "torque_regressor",
                   .v = Length::kNv,
                   .a = Length::kNv,
                   .a_name = "vdot",
                   .output = {{"Y", shape(nv, 10 * nb), Reduction::kRows, gaps}}},
     .kernel = [](auto& x, auto*) { torque_regressor(x); }},
    {.operation = forward_dynamics_by("articulated-body"),
     .kernel = [](auto& x, auto*) { articulated_body(x.model, x.ws, x.q, x.v, x.a, x.external, x.out); },
     .coupled = [](auto& x, auto* scratch) { coupled_forward_dynamics(x, scratch); },
     .coupled_scratch = [](const Model& m, const ConstraintTable*) { return (size_t)m.cluster_memory; },
     .driven = [](auto& x, auto*) { driven_forward_dynamics(x); },
     .limbs = [](const Call& call, const LimbPlan& plan,
                 LimbSpace& ws) { limb_forward_dynamics(*call.model, plan, ws, call.q, call.v, call.a, call.out); },
     .driven_limbs =
         [](const Call& call, const LimbPlan& plan, LimbSpace& ws) {
           limb_forward_dynamics<true>(*call.model->driven, plan, ws, call.q, call.v, call.a, call.out);
         }},
    {.operation = forward_dynamics_by("composite-body"),
     .kernel = [](auto& x, auto* scratch) { forward_dynamics_dense(x, scratch); },
     .scratch = dense_scratch_of,
     .coupled = [](auto& x, auto* scratch) { forward_dynamics_dense(x, scratch); },
     .coupled_scratch = dense_scratch_of},
    {.operation = {.function = "passive_force", .v = Length::kNv, .output = {{"tau", shape(nv), vector}}, .angles = true},
     .kernel = [](auto& x, auto*) { passive_force(x.model, x.ws, x.q, x.v, x.out); }},

    // Coordinates.
    {.operation = {.function = "integrate", .v = Length::kNv, .output = {{"q", shape(nq)}}, .manifold = true},
     .kernel = [](auto& x, auto*) { integrate(x); }},
    {.operation = {.function = "difference",
                   .a = Length::kNq,
                   .q_name = "q1",
                   .a_name = "q2",
                   .output = {{"v", shape(nv)}},
                   .manifold = true},
     .kernel = [](auto& x, auto*) { difference(x); }},
    {.operation = {.function = "normalize", .output = {{"q", shape(nq)}}, .manifold = true, .any_norm = true},
     .kernel = [](auto& x, auto*) { normalize(x); }},
    {.operation = {.function = "joint_positions", .output = {{"q", shape(tree_nq)}}, .angles = true},
     .kernel = [](auto& x, auto*) { joint_positions(x); }},
    {.operation = {.function = "joint_velocities", .v = Length::kNv, .output = {{"v", shape(tree_nv)}}},
     .kernel = [](auto& x, auto*) { joint_velocities(x); }},
    {.operation = {.function = "coupling_matrix", .output = {{"G", shape(tree_nv, nv), no_reduction, gaps}}},
     .kernel = [](auto& x, auto*) { coupling_matrix(x); }},
};

}  // namespace

Rows tree_rows() { return rows_of(kRows); }

template <class T>
void forward_dynamics_dense(const Context<T>& x, T* scratch) {
  solve_dense(x, scratch);
}
template void forward_dynamics_dense<double>(const Context<double>&, double*);
template void forward_dynamics_dense<Pack>(const Context<Pack>&, Pack*);
size_t dense_scratch_of(const Model& m, const ConstraintTable*) { return dense_scratch(m); }

int massless_node(const Model& m, Workspace<double>& ws, const double* q) {
  if (m.coupled) close_coordinates(m, ws, q, static_cast<const double*>(nullptr), false);
  const double* tree_q = m.coupled ? ws.tree_q : q;
  zero_fill(ws.force, m.tree_nv);
  solve_mass(m, ws, tree_q, static_cast<const double*>(ws.force), ws.force2);
  for (int i = m.nodes - 1; i >= 0; --i) {
    bool overflowed = false;
    for (int k = 0; k < m.node[i].dof; ++k) {  // of several axes, the first without inertia spoils the others
      const double inverse = ws.eliminated[m.node[i].v + k].inverse;
      if (inverse > 1e300 || inverse <= 0.0) return i;
      overflowed |= inverse != inverse;
    }
    if (overflowed) return -1;
  }
  return -1;
}

}  // namespace tarsus::TARSUS_ISA
