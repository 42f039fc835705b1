// Constraints by multipliers: their rows and the dynamics under them.
#include "dispatch/constrained.hpp"

#include "dispatch/coupled.hpp"
#include "dispatch/kernel.hpp"
#include "dispatch/mass.hpp"
#include "kernels/dynamics/articulated_body.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

// Rows over the coordinates of the tree, then over independent ones; false where one of them has no direction.
template <class T>
bool evaluate_rows(const Context<T>& x, const ConstrainedSpace<T>& s) {
  const Model& m = x.model;
  const ConstraintTable& c = *x.constraints;
  const T* bias = m.coupled && !m.linear ? x.ws.bias : nullptr;
  const FailedPair failed = fill_rows(m, c, x.ws, x.q, x.v, bias, x.drive, s.rows);
  x.ws.failed_pair = failed.pair, x.ws.failed_pair_lanes = failed.lanes;
  if (m.coupled) {
    zero_fill(s.jacobian, (size_t)c.rows * m.nv);
    add_reduced_columns(m, static_cast<const T*>(x.ws.coupling), static_cast<const T*>(s.rows.jacobian), c.rows, s.jacobian);
  }
  return failed.pair < 0;
}

template <class T>
void constraint_rows(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  ConstrainedSpace<T> s;
  ConstrainedSpace<T>::layout(s, kNoMultipliers, m, *x.constraints, scratch);
  prepare_joints(m, x.ws, x.q);
  place_nodes(m, *x.constraints, x.ws, x.q);
  evaluate_rows(x, s);
  const T* const parts[] = {s.rows.violation, s.rows.velocity, s.rows.bias, s.jacobian};  // in the order of the outputs
  for (int k = 0; k < 4; ++k) {
    for (size_t i = 0; i < x.offset[k + 1] - x.offset[k]; ++i) x.out[x.offset[k] + i] = parts[k][i];
  }
}

// What a method needs before the rows: forces, inertias, and the nodes relative to the base. Accelerations or forces go to x.out.
template <class T>
void prepare_method(MultiplierMethod method, const Context<T>& x, const ConstrainedSpace<T>& s, PackedRows& packed) {
  const Model& m = x.model;
  const T* tau = x.a;
  if (method == kSparseMultipliers || method == kDenseMultipliers) {
    free_force(x, tau, x.out);
    if (method == kSparseMultipliers && !m.coupled) {
      factor_mass(m, x.ws, x.q, s.mass, packed);
      joint_screws_of(m, x.ws, 0);
      return;
    }
    put_mass(x, s.mass, s.reduced);
    if (method == kSparseMultipliers) cholesky_factor(m.nv, s.reduced);
  } else if (method == kRunsMultipliers && m.coupled) {
    coupled_forward_dynamics(x, s.cluster);
    prepare_joints(m, x.ws, x.q);
  } else {
    sweep<false>(m, x.ws, x.q, x.v, static_cast<const T*>(nullptr));
    if (x.external) subtract_external(m, x.ws, x.q, x.external);
    if (method == kRunsMultipliers) eliminate_joints(m, x.ws, x.q, tau, OwnInertia<T>{m}), accelerate(m, x.ws, x.q, x.out);
  }
  place_nodes(m, *x.constraints, x.ws, x.q);
}

template <class T>
void solve_method(MultiplierMethod method, const Context<T>& x, const ConstrainedSpace<T>& s, const PackedRows& packed,
                  const MultiplierProblem<T>& problem) {
  const Model& m = x.model;
  switch (method) {
    case kSparseMultipliers:
      if (m.coupled) {
        multipliers_filled(static_cast<const T*>(s.reduced), problem, s.Y, s.G);
      } else {
        multipliers_sparse(m, packed, static_cast<const T*>(s.mass + packed_tables_size(m)), problem, s.Y, s.G);
      }
      break;
    case kDenseMultipliers: multipliers_dense(static_cast<const T*>(m.coupled ? s.reduced : s.mass), problem, s.numbers); break;
    case kRecursiveMultipliers: multipliers_recursive(m, x.ws, x.q, x.a, problem, s.recursion); break;
    default: {
      auto run = [&](const T* rhs, T* result) {
        if (!m.coupled) return respond(m, x.ws, x.q, rhs, result);
        Context<T> y = x;
        y.a = rhs, y.out = result;
        coupled_solve_mass(y, s.cluster);
      };
      multipliers_by_runs(problem, run, s.Y, s.G, s.force);
    }
  }
}

// The recursion is for trees, and the bindings refuse other models; here they are solved by runs, which is safe.
MultiplierMethod method_for(MultiplierMethod method, const Model& m) {
  return method == kRecursiveMultipliers && m.coupled ? kRunsMultipliers : method;
}

size_t constrained_scratch(MultiplierMethod method, const Model& m, const ConstraintTable& c) {
  ConstrainedSpace<double> s;
  return ConstrainedSpace<double>::layout(s, method_for(method, m), m, c, nullptr);
}

template <class T>
void constrained_dynamics(MultiplierMethod method, const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const ConstraintTable& c = *x.constraints;
  ConstrainedSpace<T> s;
  method = method_for(method, m);
  ConstrainedSpace<T>::layout(s, method, m, c, scratch);
  PackedRows packed{};
  prepare_method(method, x, s, packed);
  if (!evaluate_rows(x, s)) return;
  for (int r = 0; r < c.rows; ++r) {  // (3.61)
    s.target[r] = -(s.rows.bias[r] + 2.0 * x.alpha * s.rows.velocity[r] + x.beta * x.beta * s.rows.violation[r]);
  }
  const T* J = s.jacobian;
  if (!find_independent_rows(c, m.nv, J, x.rank_tolerance, s.G, s.Y, s.independent)) {
    x.ws.diverged = true;
    return;
  }
  T* lambda = x.out + x.offset[kLambda];
  for (int r = 0; r < c.rows; ++r) lambda[r] = broadcast<T>(0.0);
  const MultiplierProblem<T> problem{c, s.independent, s.rows.wrench, J, s.target, lambda, x.out, (size_t)m.nv};
  solve_method(method, x, s, packed, problem);
  put_result(x, problem, s);
}

template <MultiplierMethod kMethod>
consteval Row constrained_dynamics_by(const char* method) {
  constexpr auto kernel = [](auto& x, auto* scratch) { constrained_dynamics(kMethod, x, scratch); };
  constexpr Scratch scratch = [](const Model& m, const ConstraintTable* c) { return constrained_scratch(kMethod, m, *c); };
  return {.operation = {.function = "constrained_dynamics",
                        .method = method,
                        .v = Length::kNv,
                        .a = Length::kNv,
                        .a_name = "tau",
                        .external = true,
                        .passive = true,
                        .constraints = true,
                        .stabilised = true,
                        .output = {{"vdot", shape(axes::nv)},  // in the order of MultiplierResult
                                   {"joint_force", shape(axes::nv)},
                                   {"multipliers", shape(axes::rows)},
                                   {"wrenches", shape(axes::pairs, 2, 6)},
                                   {"rank", shape()},
                                   {"contradiction", shape()}},
                        .trees_only = kMethod == kRecursiveMultipliers,
                        .force_given = true},
          .kernel = kernel,
          .scratch = scratch,
          .coupled = kernel,
          .coupled_scratch = scratch};
}

constexpr Row kRows[] = {
    {.operation = {.function = "constraint_rows",
                   .v = Length::kNv,
                   .constraints = true,
                   .output = {{"violation", shape(axes::rows)},
                              {"velocity", shape(axes::rows)},
                              {"bias", shape(axes::rows)},
                              {"jacobian", shape(axes::rows, axes::nv)}}},
     .kernel = [](auto& x, auto* scratch) { constraint_rows(x, scratch); },
     .scratch = [](const Model& m, const ConstraintTable* c) { return constrained_scratch(kNoMultipliers, m, *c); }},
    constrained_dynamics_by<kSparseMultipliers>("sparse"),
    constrained_dynamics_by<kRecursiveMultipliers>("recursive"),
    constrained_dynamics_by<kRunsMultipliers>("runs"),
    constrained_dynamics_by<kDenseMultipliers>("dense"),
};

}  // namespace

template <class T>
void constrained_dynamics_sparse(const Context<T>& x, T* scratch) {
  constrained_dynamics(kSparseMultipliers, x, scratch);
}
template void constrained_dynamics_sparse<double>(const Context<double>&, double*);
template void constrained_dynamics_sparse<Pack>(const Context<Pack>&, Pack*);

Rows constrained_rows() { return rows_of(kRows); }

}  // namespace tarsus::TARSUS_ISA
