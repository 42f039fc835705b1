// Partial derivatives of accelerations and multipliers under constraints.
#include "dispatch/constrained.hpp"
#include "dispatch/coupled_derivatives.hpp"
#include "dispatch/kernel.hpp"
#include "dispatch/mass.hpp"
#include "kernels/constraints/constraint_variations.hpp"
#include "kernels/constraints/multiplier_derivatives.hpp"
#include "kernels/derivatives/forward_dynamics_derivatives.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

// Results in their order.
enum DerivativeResult { kVdotDerivatives, kMultiplierDerivatives, kStateRank, kStateContradiction };

// Memory of one evaluation; `rest` is what the kernels of inverse dynamics need.
template <class T>
struct DerivativesSpace {
  T *constrained, *motion;                     // ConstrainedSpace, its results
  size_t at[kContradiction + 1];               // of the results
  T *by_q, *by_v;                              // rows x tree_nv
  T *turning, *unused;                         // rows x tree_nv: d(J y) / dq
  T *reduced_q, *reduced_v, *reduced_turning;  // rows x nv, the tree's own where no joint depends on others
  T *X, *G, *lambda, *lacking;                 // rows x nv, rows x rows, rows, rows
  T *acceleration, *y, *tree_y;                // tree_nv, nv, tree_nv
  T *mass, *block;                             // nv x nv, a block of columns
  int* place;                                  // tree_nv
  RowGradient<T>* gradient;
  T* rest;

  static size_t layout(DerivativesSpace& s, const Model& m, const ConstraintTable& c, T* memory) {
    size_t used = 0;
    auto take = [&]<class U>(U*& array, size_t count) {
      array = reinterpret_cast<U*>(memory + used);
      used += (count * sizeof(U) + sizeof(T) - 1) / sizeof(T);
    };
    const size_t rows = c.rows, n = m.tree_nv, nv = m.nv;
    take(s.block, n * kBlock * kColumnsPerPack<T>);  // the first, because packs are aligned
    ConstrainedSpace<T> space;
    take(s.constrained, ConstrainedSpace<T>::layout(space, kSparseMultipliers, m, c, nullptr));
    const size_t length[] = {nv, nv, rows, 12 * (size_t)c.pairs, 1, 1};
    size_t all = 0;
    for (int k = 0; k <= kContradiction; ++k) s.at[k] = all, all += length[k];
    take(s.motion, all);
    take(s.by_q, rows * n), take(s.by_v, rows * n), take(s.turning, rows * n), take(s.unused, rows * n);
    s.reduced_q = s.by_q, s.reduced_v = s.by_v, s.reduced_turning = s.turning;
    if (m.coupled) take(s.reduced_q, rows * nv), take(s.reduced_v, rows * nv), take(s.reduced_turning, rows * nv);
    take(s.X, rows * nv), take(s.G, rows * rows), take(s.lambda, rows), take(s.lacking, rows);
    take(s.acceleration, n), take(s.y, nv), take(s.tree_y, n);
    take(s.mass, nv * nv), take(s.place, n), take(s.gradient, c.largest_block);
    take(s.rest, (m.coupled ? CoupledSpace<double>::size(m) : VariationSpace<double>::size(m)) + 8);
    return used;
  }
};

size_t derivatives_scratch(const Model& m, const ConstraintTable* c) {
  DerivativesSpace<double> single;
  DerivativesSpace<Pack> packs;  // whole numbers take as many entries of one state as of a pack
  const size_t a = DerivativesSpace<double>::layout(single, m, *c, nullptr);
  const size_t b = DerivativesSpace<Pack>::layout(packs, m, *c, nullptr);
  return a > b ? a : b;
}

// Rows at the state's velocities and accelerations, and their forces off the square (null: not wanted).
template <class T>
void vary_state(const Context<T>& x, const ConstrainedSpace<T>& c, const DerivativesSpace<T>& s, T* square) {
  const Model& m = x.model;
  const ConstraintTable& table = *x.constraints;
  place_nodes(m, table, x.ws, x.q);
  const RowVariations<T> out{s.by_q, s.by_v, square, s.motion + s.at[kLambda], s.place};
  const RowWeights weight{1.0, 2.0 * x.alpha, x.beta * x.beta};
  vary_rows(m, table, x.ws, x.q, x.v, static_cast<const T*>(s.acceleration), x.drive, weight, c.rows, s.gradient, out);
}

// (d J) y for the motion y of the tree.
template <class T>
void vary_motion(const Context<T>& x, const ConstrainedSpace<T>& c, const DerivativesSpace<T>& s) {
  const Model& m = x.model;
  place_nodes(m, *x.constraints, x.ws, x.q);
  const RowVariations<T> out{s.turning, s.unused, nullptr, nullptr, s.place};
  const T* rest = nullptr;
  vary_rows(m, *x.constraints, x.ws, x.q, static_cast<const T*>(s.tree_y), rest, x.drive, {0.0, 1.0, 0.0}, c.rows, s.gradient,
            out);
}

// Rows over independent coordinates: X G, and what changes of G add.
template <class T>
void reduce_rows(const Context<T>& x, const ConstrainedSpace<T>& space, const DerivativesSpace<T>& s) {
  const Model& m = x.model;
  const size_t rows = x.constraints->rows, n = m.tree_nv, nv = m.nv;
  const T *G = x.ws.coupling, *J = space.rows.jacobian;
  zero_fill(s.reduced_q, rows * nv), zero_fill(s.reduced_v, rows * nv);
  add_reduced_columns(m, G, static_cast<const T*>(s.by_q), rows, s.reduced_q);
  add_reduced_columns(m, G, static_cast<const T*>(s.by_v), rows, s.reduced_v);
  if (m.linear) return;
  for_coupling_derivatives(m, x.ws, x.v, static_cast<const T*>(s.acceleration), s.rest,
                           [&](const Closure& c, const ClosureDerivatives<T>& d) {
                             const int nd = c.dependents, ni = c.independents;
                             const int* column = m.column + m.row[c.dof[0]];
                             for (int j = 0; j < ni; ++j) {
                               for (int k = 0; k < nd; ++k) {
                                 const size_t at = c.dof[k];
                                 T along = broadcast<T>(0.0), turned = along;  // (d_j G) v, Gdot e_j
                                 for (int i = 0; i < ni; ++i) {
                                   const T rate = x.v[c.dof[nd + i]];
                                   along = along + d.slope[(size_t)(j * nd + k) * ni + i] * rate;
                                   turned = turned + d.slope[(size_t)(i * nd + k) * ni + j] * rate;
                                 }
                                 for (size_t r = 0; r < rows; ++r) {
                                   T &q = s.reduced_q[r * nv + column[j]], &v = s.reduced_v[r * nv + column[j]];
                                   q = q + s.by_v[r * n + at] * along + J[r * n + at] * d.acceleration[j * nd + k];
                                   v = v + J[r * n + at] * (along + turned);
                                 }
                               }
                             }
                           });
}

// The same of (d J) y, where J G is the Jacobian.
template <class T>
void reduce_turning(const Context<T>& x, const ConstrainedSpace<T>& space, const DerivativesSpace<T>& s) {
  const Model& m = x.model;
  const size_t rows = x.constraints->rows, n = m.tree_nv, nv = m.nv;
  const T* J = space.rows.jacobian;
  zero_fill(s.reduced_turning, rows * nv);
  add_reduced_columns(m, static_cast<const T*>(x.ws.coupling), static_cast<const T*>(s.turning), rows, s.reduced_turning);
  if (m.linear) return;
  const T* none = nullptr;
  for_coupling_derivatives(m, x.ws, none, none, s.rest, [&](const Closure& c, const ClosureDerivatives<T>& d) {
    const int nd = c.dependents, ni = c.independents;
    const int* column = m.column + m.row[c.dof[0]];
    for (int j = 0; j < ni; ++j) {
      for (int k = 0; k < nd; ++k) {
        T along = broadcast<T>(0.0);
        for (int i = 0; i < ni; ++i) along = along + d.slope[(size_t)(j * nd + k) * ni + i] * s.y[column[i]];
        for (size_t r = 0; r < rows; ++r) {
          T& to = s.reduced_turning[r * nv + column[j]];
          to = to + J[r * n + c.dof[k]] * along;
        }
      }
    }
  });
}

// M^-1 times columns [first, first + width) of a matrix with `stride` entries a row, in place.
template <int count, class T>
void divide_columns(const TreePattern& tree, size_t n, const T* L, int first, int width, size_t down, size_t right, T* A,
                    Pack* memory) {
  auto* Y = reinterpret_cast<Pack(*)[count]>(memory);
  T* block = reinterpret_cast<T*>(memory);
  constexpr int stride = count * kColumnsPerPack<T>;
  for (size_t k = 0; k < n; ++k) {
    for (int b = 0; b < stride; ++b) block[k * stride + b] = b < width ? A[k * down + (first + b) * right] : broadcast<T>(0.0);
  }
  solve_block<count>(tree, n, L, 0, static_cast<int>(n), Y);
  for (size_t k = 0; k < n; ++k) {
    for (int b = 0; b < width; ++b) A[k * down + (first + b) * right] = block[k * stride + b];
  }
}

// Trees: D = -M^-1 (d r1 / dq, d r1 / dv, -1) and X = M^-1 J^T.
template <class T>
void divide_by_tree(const Context<T>& x, const ConstrainedSpace<T>& space, const DerivativesSpace<T>& s,
                    const DerivedProblem<T>& problem) {
  const Model& m = x.model;
  const size_t n = m.nv, square = n * n;
  Context<T> y = x;
  y.a = s.acceleration;
  zero_fill(problem.vdot, 2 * square);
  inverse_dynamics_derivatives(y, DerivativeSquares<T>{problem.vdot, problem.vdot + square, s.mass, m.nv}, s.rest);
  vary_state(x, space, s, problem.vdot);
  for (size_t k = 0; k < 2 * square; ++k) problem.vdot[k] = -problem.vdot[k];
  const TreePattern tree(m, reinterpret_cast<int*>(x.ws.force), reinterpret_cast<int*>(x.ws.force2));
  factor_by_tree(tree, n, s.mass);
  const T* L = s.mass;
  Pack* block = reinterpret_cast<Pack*>(s.block);
  for_blocks<T>(m.nv, [&]<int count>(int c, int width) {
    divide_columns<count>(tree, n, L, c, width, n, 1, problem.vdot, block);
    divide_columns<count>(tree, n, L, c, width, n, 1, problem.vdot + square, block);
    inverse_columns<count>(tree, n, L, c, width, problem.vdot + 2 * square, block);
  });
  for_blocks<T>(problem.rows.count,
                [&]<int count>(int c, int width) { divide_columns<count>(tree, n, L, c, width, 1, n, problem.X, block); });
}

// Models with dependent joints: the same with a dense mass matrix.
template <class T>
void divide_dense(const Context<T>& x, const ConstrainedSpace<T>& space, const DerivativesSpace<T>& s,
                  const DerivedProblem<T>& problem) {
  const Model& m = x.model;
  const ConstraintTable& c = *x.constraints;
  const size_t nv = m.nv, square = nv * nv, n = m.tree_nv;
  Context<T> y = x;
  y.a = s.acceleration, y.out = problem.vdot;
  coupled_inverse_derivatives(y, s.rest, [&](T* force, T* squares) {
    vary_state(x, space, s, squares);
    const T* lambda = s.motion + s.at[kLambda];
    for (int r = 0; !m.linear && r < c.rows; ++r) add_row<T>(n, -lambda[r], space.rows.jacobian + r * n, force);
  });
  T* unit = problem.vdot + 2 * square;
  for (size_t k = 0; k < square; ++k) s.mass[k] = unit[k];
  for (size_t k = 0; k < 2 * square; ++k) problem.vdot[k] = -problem.vdot[k];
  cholesky_factor(m.nv, s.mass);
  const T* L = s.mass;
  zero_fill(unit, square);
  for (size_t k = 0; k < nv; ++k) unit[k * nv + k] = broadcast<T>(1.0);
  for (int k = 0; k < 3; ++k) {
    cholesky_substitute_rows(m.nv, L, nv, [&](int i) TARSUS_LAMBDA { return problem.vdot + k * square + i * nv; });
  }
  for (int i = 0; i < problem.rows.count; ++i) cholesky_substitute(m.nv, L, problem.X + i * nv);
  reduce_rows(x, space, s);
}

// What dependent rows have of the multipliers of least norm.
template <class T>
void derive_redundant(const Context<T>& x, const ConstrainedSpace<T>& space, const DerivativesSpace<T>& s,
                      const DerivedProblem<T>& problem) {
  const Model& m = x.model;
  multiplier_motion(problem, static_cast<const T*>(s.motion + s.at[kLambda]), s.lambda, s.y);
  for (int k = 0; k < m.tree_nv; ++k) {
    if (!m.coupled) {
      s.tree_y[k] = s.y[k];
      continue;
    }
    s.tree_y[k] = broadcast<T>(0.0);
    for_entries(m, k, [&](int e, int c) { s.tree_y[k] = s.tree_y[k] + x.ws.coupling[e] * s.y[c]; });
  }
  if (m.coupled) prepare_joints(m, x.ws, x.q);
  vary_motion(x, space, s);
  if (m.coupled) reduce_turning(x, space, s);
  spread_derivatives(problem, static_cast<const T*>(s.reduced_turning), s.lambda, s.lacking);
}

template <class T>
void constrained_derivatives(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const ConstraintTable& c = *x.constraints;
  DerivativesSpace<T> s;
  DerivativesSpace<T>::layout(s, m, c, scratch);
  // The state: accelerations, multipliers, and which rows are independent.
  Context<T> y = x;
  y.out = s.motion, y.offset = s.at;
  constrained_dynamics_sparse(y, s.constrained);
  if (x.ws.failed_pair >= 0 || x.ws.diverged) return;
  ConstrainedSpace<T> space;
  ConstrainedSpace<T>::layout(space, kSparseMultipliers, m, c, s.constrained);
  space.independent.count = 0;
  for (int k = 0; k < c.components; ++k) space.independent.count += space.independent.rank[k];
  x.out[x.offset[kStateRank]] = s.motion[s.at[kRank]];
  x.out[x.offset[kStateContradiction]] = s.motion[s.at[kContradiction]];
  const T* vdot = s.motion;
  if (m.coupled) {
    expand_acceleration(m, x.ws, vdot, true, s.acceleration);
  } else {
    for (int k = 0; k < m.nv; ++k) s.acceleration[k] = vdot[k];
  }
  for (int i = 0; i < c.nodes; ++i) {
    const Node& n = m.node[c.node[i]];
    for (int k = n.v; k < n.v + n.dof; ++k) s.place[k] = c.node[i];
  }
  const DerivedProblem<T> problem{c,
                                  space.independent,
                                  (size_t)m.nv,
                                  space.jacobian,
                                  s.reduced_q,
                                  s.reduced_v,
                                  s.X,
                                  s.G,
                                  x.out + x.offset[kVdotDerivatives],
                                  x.out + x.offset[kMultiplierDerivatives]};
  for (int i = 0; i < problem.rows.count; ++i) {
    const T* J = problem.jacobian + (size_t)problem.rows.taken[i] * m.nv;
    for (int k = 0; k < m.nv; ++k) s.X[(size_t)i * m.nv + k] = J[k];
  }
  m.coupled ? divide_dense(x, space, s, problem) : divide_by_tree(x, space, s, problem);
  respond(problem);
  derive_multipliers(problem);
  if (problem.rows.count < c.rows) derive_redundant(x, space, s, problem);
}

constexpr auto kKernel = [](auto& x, auto* scratch) { constrained_derivatives(x, scratch); };

constexpr Row kRows[] = {{.operation = {.function = "constrained_dynamics_derivatives",
                                        .v = Length::kNv,
                                        .a = Length::kNv,
                                        .a_name = "tau",
                                        .external = true,
                                        .passive = true,
                                        .constraints = true,
                                        .stabilised = true,
                                        .output = {{"vdot_q_v_tau", shape(3, axes::nv, axes::nv)},  // as in DerivativeResult
                                                   {"multipliers_q_v_tau", shape(3, axes::rows, axes::nv)},
                                                   {"rank", shape()},
                                                   {"contradiction", shape()}},
                                        .force_given = true},
                          .kernel = kKernel,
                          .scratch = derivatives_scratch,
                          .coupled = kKernel,
                          .coupled_scratch = derivatives_scratch}};

}  // namespace

Rows constrained_derivative_rows() { return rows_of(kRows); }

}  // namespace tarsus::TARSUS_ISA
