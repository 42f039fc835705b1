// One operation on one state or one pack of states: couplings expanded, the kernel called, the result reduced.
#pragma once
#include "dispatch/constrained.hpp"
#include "dispatch/coupled.hpp"
#include "dispatch/derivatives.hpp"
#include "dispatch/formulations.hpp"
#include "kernels/dynamics/articulated_body.hpp"
#include "kernels/dynamics/coriolis.hpp"
#include "kernels/dynamics/momentum.hpp"
#include "kernels/dynamics/passive.hpp"
#include "kernels/dynamics/regressor.hpp"
#include "kernels/factorisation/cholesky.hpp"
#include "kernels/kinematics/bodies.hpp"
#include "kernels/kinematics/manifold.hpp"

namespace tarsus::TARSUS_ISA {

// How a result over the coordinates of the tree becomes one over independent coordinates: not at all, as a covector,
// as columns, on both sides, or as rows; squares on both sides may be stacked.
enum Reduction { kKeep, kVector, kColumns, kSquare, kRows };

inline Reduction reduction_of(int operation) {
  switch (operation) {
    case kInverseDynamics:
    case kInverseNewtonEuler:
    case kInverseDenoc:
    case kInverseGauss:
    case kFloatingInverseDynamics:
    case kBiasForce:
    case kGravityForce:
    case kPassiveForce: return kVector;
    case kJacobian:
    case kJacobianDot:
    case kJointScrews:
    case kBodyJacobians:
    case kComJacobian:
    case kMomentumMatrix: return kColumns;
    case kMassMatrix:
    case kCoriolisMatrix:
    case kInverseDynamicsDerivatives:
    case kJacobianDerivative: return kSquare;
    case kTorqueRegressor: return kRows;
    default: return kKeep;
  }
}

// Results with entries that are zero because of the tree's shape; kernels write the others only.
inline bool has_gaps(int operation) {
  return operation == kJacobian || operation == kJacobianDot || operation == kBodyJacobians || operation == kMassMatrix ||
         operation == kCoriolisMatrix || operation == kTorqueRegressor || operation == kInverseDynamicsDerivatives ||
         operation == kJacobianDerivative;
}

inline bool is_solve(int operation) {
  return operation == kArticulatedBody || operation == kCompositeBody || operation == kSolveMass ||
         (operation >= kNewtonEuler && operation <= kGauss);
}

// Operations with the mass matrix in a denominator; their argument a is a force in independent coordinates.
inline bool divides_by_mass(int operation) {
  return is_solve(operation) || has_multipliers(operation) || operation == kForwardDynamicsDerivatives;
}

inline bool is_inverse_dynamics(int operation) {
  return operation == kInverseDynamics || (operation >= kInverseNewtonEuler && operation <= kInverseGauss);
}

inline bool on_manifold(int operation) { return operation == kIntegrate || operation == kDifference || operation == kNormalize; }

template <class T>
inline void zero_fill(T* x, size_t n) {
  if (n > 0) std::memset(static_cast<void*>(x), 0, n * sizeof(T));
}

// The kernel itself, over the coordinates of the tree.
template <class T>
inline void evaluate_tree(int operation, const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  if (is_formulation(operation)) return formulation(operation, x, scratch);
  if (is_derivative(operation)) return derivative(operation, x, scratch);
  switch (operation) {
    case kBodyPoses: body_poses(x); break;
    case kFramePoses: frame_poses(m, x.ws, x.q, x.frames, x.frame_count, x.out); break;
    case kFrameVelocity: frame_velocity(x); break;
    case kFrameAcceleration: frame_acceleration<true>(x); break;
    case kJacobian: frame_jacobian(x); break;
    case kJacobianDot: frame_jacobian_dot(x); break;
    case kJacobianDotV: frame_acceleration<false>(x); break;
    case kJointScrews: screws_at_origin(x); break;
    case kBodyJacobians: body_jacobians(x); break;
    case kCenterOfMass: center_of_mass(x); break;
    case kComJacobian: com_jacobian(x); break;
    case kMomentum: momentum(x); break;
    case kMomentumMatrix: momentum_matrix(x); break;
    case kInverseDynamics: inverse_dynamics(m, x.ws, x.q, x.v, x.a, x.external, x.out); break;
    case kMassMatrix: mass_matrix(m, x.ws, x.q, x.out); break;
    case kBiasForce: bias_force(m, x.ws, x.q, x.v, x.external, x.out); break;
    case kGravityForce:
      zero_fill(x.ws.force, m.tree_nv);
      bias_force(m, x.ws, x.q, static_cast<const T*>(x.ws.force), x.external, x.out);
      break;
    case kCoriolisMatrix: coriolis_matrix(x); break;
    case kSolveMass: solve_mass(m, x.ws, x.q, x.a, x.out); break;
    case kTorqueRegressor: torque_regressor(x); break;
    case kArticulatedBody: articulated_body(m, x.ws, x.q, x.v, x.a, x.external, x.out); break;
    case kKineticEnergy: kinetic_energy(x); break;
    case kPotentialEnergy: potential_energy(x); break;
    case kPassiveForce: passive_force(m, x.q, x.v, x.out); break;
    case kIntegrate: integrate(x); break;
    case kDifference: difference(x); break;
    case kNormalize: normalize(x); break;
    default: break;
  }
}

template <class T>
TARSUS_INLINE const T* coupling_of(const Workspace<T>& ws) {
  return ws.coupling;
}

// Adds G^T x, X G, G^T X G or G^T X to `out`, with the entries of G (or, on the right, of its rate) as values; `size` is the
// length of the whole tree result.
template <class T>
inline void add_reduced(const Model& m, Reduction how, const T* left, const T* right, const T* tree, size_t size, T* out) {
  const int n = m.tree_nv, nv = m.nv;
  auto entries = [&](int k, auto add) {
    for (int e = m.row[k]; e < m.row[k + 1]; ++e) add(e, m.column[e]);
  };
  if (how == kVector) {
    for (int k = 0; k < n; ++k) entries(k, [&](int e, int c) { out[c] = out[c] + left[e] * tree[k]; });
  } else if (how == kColumns) {
    const size_t rows = n > 0 ? size / n : 0;
    for (size_t r = 0; r < rows; ++r) {
      for (int k = 0; k < n; ++k)
        entries(k, [&](int e, int c) { out[r * nv + c] = out[r * nv + c] + right[e] * tree[r * n + k]; });
    }
  } else if (how == kSquare) {
    const size_t squares = n > 0 ? size / ((size_t)n * n) : 0;
    for (size_t s = 0; s < squares; ++s, tree += (size_t)n * n, out += (size_t)nv * nv) {
      for (int r = 0; r < n; ++r) {
        for (int k = 0; k < n; ++k) {
          const T x = tree[(size_t)r * n + k];
          entries(r, [&](int e, int row) {
            entries(k, [&](int f, int c) {
              T& to = out[(size_t)row * nv + c];
              to = to + (left[e] * right[f]) * x;
            });
          });
        }
      }
    }
  } else {
    const size_t columns = n > 0 ? size / n : 0;
    for (int r = 0; r < n; ++r) {
      entries(r, [&](int e, int row) {
        for (size_t c = 0; c < columns; ++c) out[row * columns + c] = out[row * columns + c] + left[e] * tree[r * columns + c];
      });
    }
  }
}

inline size_t tree_result_size(int operation, const Model& m, int frame_count) {
  if (!m.coupled) return result_size(operation, m, frame_count);
  Model tree = m;
  tree.nv = m.tree_nv;
  return result_size(operation, tree, frame_count);
}

// Entries of scratch memory that an operation needs beside its result.
inline size_t scratch_size(int operation, const Model& m, int frame_count) {
  if (m.coupled && (operation == kArticulatedBody || operation == kSolveMass)) return m.cluster_memory;
  if (operation == kCompositeBody || (m.coupled && is_solve(operation))) {
    return (size_t)m.tree_nv * m.tree_nv + (m.coupled ? (size_t)m.nv * m.nv : 0);
  }
  const size_t own = is_formulation(operation)  ? formulation_scratch(operation, m)
                     : is_derivative(operation) ? derivative_scratch(operation, m)
                                                : 0;
  return own + (m.coupled && reduction_of(operation) != kKeep ? tree_result_size(operation, m, frame_count) : 0);
}

// The same of a whole call.
template <class T>
inline size_t scratch_size(const Call& call) {
  if (has_constraints(call.operation)) return constrained_scratch<T>(call.operation, *call.model, *call.constraints);
  return scratch_size(call.operation, *call.model, call.frame_count);
}

// tau - bias in independent coordinates: what is left to accelerate the masses.
template <class T>
inline void free_force(const Context<T>& x, const T* tau, T* force) {
  const Model& m = x.model;
  const int n = m.tree_nv;
  for (int k = 0; k < m.nv; ++k) force[k] = tau[k];
  if (m.coupled) {
    inverse_dynamics(m, x.ws, x.q, x.v, static_cast<const T*>(x.ws.bias), x.external, x.ws.force);
    for (int k = 0; k < n; ++k) x.ws.force[k] = -x.ws.force[k];
    add_reduced(m, kVector, coupling_of(x.ws), coupling_of(x.ws), static_cast<const T*>(x.ws.force), n, force);
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
  add_reduced(m, kSquare, coupling_of(x.ws), coupling_of(x.ws), static_cast<const T*>(M), n * n, reduced);
  return reduced;
}

// Accelerations from the mass matrix: M vdot = tau - bias, in independent coordinates.
template <class T>
inline void solve_dense(const Context<T>& x, const T* tau, T* scratch) {
  free_force(x, tau, x.out);
  T* M = put_mass(x, scratch, scratch + (size_t)x.model.tree_nv * x.model.tree_nv);
  cholesky_solve(x.model.nv, M, x.out);
}

// vdot_tree = G vdot + bias.
template <class T>
inline void expand_acceleration(const Model& m, const Workspace<T>& ws, const T* vdot, bool moving, T* tree) {
  for (int k = 0; k < m.tree_nv; ++k) {
    T sum = moving ? ws.bias[k] : broadcast<T>(0.0);
    for (int e = m.row[k]; e < m.row[k + 1]; ++e) sum = sum + ws.coupling[e] * vdot[m.column[e]];
    tree[k] = sum;
  }
}

// Coordinates of the tree for a model with dependent joints. What an operation calls acceleration zero is, for the tree, the
// bias of the dependent joints.
template <class T>
inline void expand(int& operation, Context<T>& x, const T* q, const T* v, const T* a, bool force) {
  const Model& m = x.model;
  close_coordinates(m, x.ws, q, v, operation == kJointPositions || operation == kPassiveForce || x.passive);
  x.q = x.ws.tree_q;
  if (v) x.v = x.ws.tree_v;
  if (a && !force) {
    expand_acceleration(m, x.ws, a, v != nullptr, x.ws.tree_a);
    x.a = x.ws.tree_a;
  }
  if (m.linear) return;
  if (operation == kJacobianDotV || operation == kBiasForce) {
    operation = operation == kBiasForce ? kInverseDynamics : kFrameAcceleration;
    x.a = x.ws.bias;
  }
}

// What the rate of G adds to the rate of a Jacobian, J Gdot, and to the Coriolis matrix, G^T M Gdot.
template <class T>
inline void add_coupling_rate(int operation, Context<T> x, T* scratch, size_t size, T* out) {
  const Model& m = x.model;
  const bool square = operation == kCoriolisMatrix;
  x.out = scratch;
  zero_fill(scratch, size);
  evaluate_tree(square ? kMassMatrix : kJacobian, x, scratch + size);
  add_reduced(m, square ? kSquare : kColumns, coupling_of(x.ws), static_cast<const T*>(x.ws.coupling_rate),
              static_cast<const T*>(scratch), size, out);
}

// Accelerations of the joints with zeros for the base before them.
template <class T>
inline const T* with_resting_base(const Model& m, const T* joints, T* all) {
  const int base = m.node[0].dof;
  for (int k = 0; k < m.nv; ++k) all[k] = k < base ? broadcast<T>(0.0) : joints[k - base];
  return all;
}

// Results that are the coordinates of the tree themselves.
template <class T>
inline bool put_tree(int operation, const Context<T>& x, const T* q, const T* v, T* out) {
  const Model& m = x.model;
  if (operation == kJointPositions) {
    for (int k = 0; k < m.tree_nq; ++k) out[k] = m.coupled ? x.ws.tree_q[k] : q[k];
    for (int i = 0; i < m.nodes; ++i) {
      const Node& n = m.node[i];
      if (arm_of(n).quaternion >= 0) normalize_quaternion(out + n.q + arm_of(n).quaternion);
    }
  } else if (operation == kJointVelocities) {
    for (int k = 0; k < m.tree_nv; ++k) out[k] = m.coupled ? x.ws.tree_v[k] : v[k];
  } else if (operation == kCouplingMatrix) {
    zero_fill(out, (size_t)m.tree_nv * m.nv);
    for (int k = 0; k < m.tree_nv; ++k) {
      for (int e = m.row[k]; e < m.row[k + 1]; ++e) {
        out[(size_t)k * m.nv + m.column[e]] = m.coupled ? x.ws.coupling[e] : broadcast<T>(m.constant[e]);
      }
    }
  } else {
    return false;
  }
  return true;
}

// The whole operation. `zeroed` tells that the gaps of `out` are zero already.
template <class T>
inline void evaluate(const Call& call, Workspace<T>& ws, const T* q, const T* v, const T* a, const T* external, const T* drive,
                     T* out, T* scratch, bool zeroed) {
  const Model& m = *call.model;
  int operation = call.operation;
  Context<T> x{m,
               ws,
               q,
               v,
               a,
               external,
               out,
               call.frames,
               call.frame_count,
               call.expressed_in,
               call.passive,
               call.constraints,
               drive,
               call.alpha,
               call.beta,
               call.rank_tolerance};
  const bool solve = is_solve(operation) || has_multipliers(operation);
  ws.failed_closure = ws.failed_pair = -1;
  ws.diverged = false;
  // Wrenches on rotors and friction in their bearings need them as bodies and joints of their own.
  if (m.driven && (operation == kArticulatedBody || operation == kSolveMass) && !external && !call.passive)
    return solve_driven(operation, *m.driven, ws, q, v, a, out);
  // `expand` copies from the result's place, which closing loops leaves alone.
  if (operation == kFloatingInverseDynamics) x.a = a = with_resting_base(m, a, m.coupled ? out : ws.tree_a);
  if (m.coupled && !on_manifold(operation)) expand(operation, x, q, v, a, divides_by_mass(operation));
  if (put_tree(call.operation, x, q, v, out)) return;
  const T* tau = a;
  if (call.passive && divides_by_mass(operation)) {
    passive_force(m, x.q, x.v, ws.force2);
    T* sum = ws.tree_a;
    for (int k = 0; k < m.nv; ++k) sum[k] = m.coupled ? a[k] : a[k] + ws.force2[k];
    if (m.coupled) {
      add_reduced(m, kVector, coupling_of(ws), coupling_of(ws), static_cast<const T*>(ws.force2), m.tree_nv, sum);
    }
    tau = sum;
    x.a = sum;
  }
  if (has_constraints(operation)) return constrained(operation, x, v, tau, scratch);
  if (m.coupled && (operation == kArticulatedBody || operation == kSolveMass))
    return solve_coupled(operation, x, v, tau, scratch);
  if (operation == kCompositeBody || (m.coupled && solve)) return solve_dense(x, tau, scratch);
  const Reduction how = m.coupled ? reduction_of(call.operation) : kKeep;
  const size_t size = tree_result_size(call.operation, m, call.frame_count);
  if (how != kKeep) x.out = scratch;
  if (has_gaps(operation) && (how != kKeep || !zeroed)) zero_fill(x.out, size);
  evaluate_tree(operation, x, how != kKeep ? scratch + size : scratch);
  if (call.passive && is_inverse_dynamics(operation)) {
    passive_force(m, x.q, x.v, ws.force2);
    for (int k = 0; k < m.tree_nv; ++k) x.out[k] = x.out[k] - ws.force2[k];
  }
  if (how == kKeep) return;
  zero_fill(out, result_size(call.operation, m, call.frame_count));
  add_reduced(m, how, coupling_of(ws), coupling_of(ws), static_cast<const T*>(scratch), size, out);
  if (!m.linear && (operation == kCoriolisMatrix || operation == kJacobianDot))
    add_coupling_rate(operation, x, scratch, size, out);
}

}  // namespace tarsus::TARSUS_ISA
