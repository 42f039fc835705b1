#include "dispatch/constrained.hpp"

#include "dispatch/evaluate.hpp"
#include "kernels/constraints/constrained_dynamics.hpp"

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
    add_reduced(m, kColumns, coupling_of(x.ws), coupling_of(x.ws), static_cast<const T*>(s.rows.jacobian),
                (size_t)c.rows * m.tree_nv, s.jacobian);
  }
  return failed.pair < 0;
}

template <class T>
void constraint_rows(const Context<T>& x, const ConstrainedSpace<T>& s) {
  const Model& m = x.model;
  const size_t rows = x.constraints->rows;
  prepare_joints(m, x.ws, x.q);
  place_nodes(m, *x.constraints, x.ws, x.q);
  evaluate_rows(x, s);
  for (size_t r = 0; r < rows; ++r) {
    x.out[r] = s.rows.violation[r], x.out[rows + r] = s.rows.velocity[r], x.out[2 * rows + r] = s.rows.bias[r];
  }
  for (size_t k = 0; k < rows * m.nv; ++k) x.out[3 * rows + k] = s.jacobian[k];
}

// What a method needs before the rows: forces, inertias, and the nodes relative to the base. Accelerations or forces go to x.out.
template <class T>
void prepare_method(int operation, const Context<T>& x, const T* v, const T* tau, const ConstrainedSpace<T>& s,
                    PackedRows& packed) {
  const Model& m = x.model;
  if (operation == kMultipliersSparse || operation == kMultipliersDense) {
    free_force(x, tau, x.out);
    if (operation == kMultipliersSparse && !m.coupled) {
      factor_mass(m, x.ws, x.q, s.mass, packed);
      joint_screws_of(m, x.ws, 0);
      return;
    }
    put_mass(x, s.mass, s.reduced);
    if (operation == kMultipliersSparse) cholesky_factor(m.nv, s.reduced);
  } else if (operation == kMultipliersRuns && m.coupled) {
    solve_coupled(kArticulatedBody, x, v, tau, s.cluster);
    prepare_joints(m, x.ws, x.q);
  } else {
    sweep<false>(m, x.ws, x.q, x.v, static_cast<const T*>(nullptr));
    if (x.external) subtract_external(m, x.ws, x.q, x.external);
    if (operation == kMultipliersRuns) eliminate_joints(m, x.ws, x.q, tau, OwnInertia<T>{m}), accelerate(m, x.ws, x.q, x.out);
  }
  place_nodes(m, *x.constraints, x.ws, x.q);
}

template <class T>
void solve_method(int operation, const Context<T>& x, const T* tau, const ConstrainedSpace<T>& s, const PackedRows& packed,
                  const MultiplierProblem<T>& problem) {
  const Model& m = x.model;
  switch (operation) {
    case kMultipliersSparse:
      if (m.coupled) {
        multipliers_filled(static_cast<const T*>(s.reduced), problem, s.Y, s.G);
      } else {
        multipliers_sparse(m, packed, static_cast<const T*>(s.mass + packed_tables_size(m)), problem, s.Y, s.G);
      }
      break;
    case kMultipliersDense: multipliers_dense(static_cast<const T*>(m.coupled ? s.reduced : s.mass), problem, s.numbers); break;
    case kMultipliersRecursive: multipliers_recursive(m, x.ws, x.q, tau, problem, s.recursion); break;
    default: {
      auto run = [&](const T* rhs, T* result) {
        Context<T> y = x;
        y.out = result;
        if (m.coupled) return solve_coupled(kSolveMass, y, static_cast<const T*>(nullptr), rhs, s.cluster);
        respond(m, x.ws, x.q, rhs, result);
      };
      multipliers_by_runs(problem, run, s.Y, s.G, s.force);
    }
  }
}

template <class T>
void constrained_dynamics(int operation, const Context<T>& x, const T* v, const T* tau, ConstrainedSpace<T>& s) {
  const Model& m = x.model;
  const ConstraintTable& c = *x.constraints;
  PackedRows packed{};
  prepare_method(operation, x, v, tau, s, packed);
  if (!evaluate_rows(x, s)) return;
  for (int r = 0; r < c.rows; ++r) {  // (3.61)
    s.target[r] = -(s.rows.bias[r] + 2.0 * x.alpha * s.rows.velocity[r] + x.beta * x.beta * s.rows.violation[r]);
  }
  const T* J = s.jacobian;
  if (!find_independent_rows(c, m.nv, J, x.rank_tolerance, s.G, s.Y, s.independent)) {
    x.ws.diverged = true;
    return;
  }
  T* lambda = x.out + multiplier_result(m, c).lambda;
  for (int r = 0; r < c.rows; ++r) lambda[r] = broadcast<T>(0.0);
  const MultiplierProblem<T> problem{c, s.independent, s.rows.wrench, J, s.target, lambda, x.out, (size_t)m.nv};
  solve_method(operation, x, tau, s, packed, problem);
  put_result(x, problem, s, v);
}

// The recursion is for trees, and the bindings refuse other models; here they are solved by runs, which is safe.
int method_for(int operation, const Model& m) {
  return operation == kMultipliersRecursive && m.coupled ? kMultipliersRuns : operation;
}

}  // namespace

template <class T>
size_t constrained_scratch(int operation, const Model& m, const ConstraintTable& c) {
  ConstrainedSpace<T> s;
  return ConstrainedSpace<T>::layout(s, method_for(operation, m), m, c, nullptr);
}

template <class T>
void constrained(int operation, const Context<T>& x, const T* v, const T* tau, T* scratch) {
  ConstrainedSpace<T> s;
  operation = method_for(operation, x.model);
  ConstrainedSpace<T>::layout(s, operation, x.model, *x.constraints, scratch);
  if (operation == kConstraintRows) {
    constraint_rows(x, s);
  } else {
    constrained_dynamics(operation, x, v, tau, s);
  }
}

template size_t constrained_scratch<double>(int, const Model&, const ConstraintTable&);
template size_t constrained_scratch<Pack>(int, const Model&, const ConstraintTable&);
template void constrained<double>(int, const Context<double>&, const double*, const double*, double*);
template void constrained<Pack>(int, const Context<Pack>&, const Pack*, const Pack*, Pack*);

}  // namespace tarsus::TARSUS_ISA
