// One operation on one state or one pack of states: couplings expanded, the kernel called, the result reduced.
#pragma once
#include "dispatch/derivatives.hpp"
#include "dispatch/formulations.hpp"
#include "kernels/articulated_body.hpp"
#include "kernels/bodies.hpp"
#include "kernels/cholesky.hpp"
#include "kernels/coriolis.hpp"
#include "kernels/manifold.hpp"
#include "kernels/momentum.hpp"
#include "kernels/passive.hpp"
#include "kernels/regressor.hpp"

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
inline bool divides_by_mass(int operation) { return is_solve(operation) || operation == kForwardDynamicsDerivatives; }

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
inline void expand(const Model& m, const T* v, T* tree) {
  for (int k = 0; k < m.tree_nv; ++k) tree[k] = m.ratio_v[k] * v[m.leader_v[k]];
}
template <class T>
inline void expand_position(const Model& m, const T* q, T* tree) {
  for (int k = 0; k < m.tree_nq; ++k) tree[k] = m.ratio_q[k] * q[m.leader_q[k]] + m.offset_q[k];
}

// G^T x, X G, G^T X G or G^T X for the coupling matrix G; `size` is the length of the whole tree result.
template <class T>
inline void reduce(const Model& m, Reduction how, const T* tree, size_t size, T* out) {
  const int n = m.tree_nv, nv = m.nv;
  auto add = [](T& to, const T& x) { to = to + x; };
  if (how == kVector) {
    zero_fill(out, nv);
    for (int k = 0; k < n; ++k) add(out[m.leader_v[k]], m.ratio_v[k] * tree[k]);
  } else if (how == kColumns) {
    const size_t rows = n > 0 ? size / n : 0;
    zero_fill(out, rows * nv);
    for (size_t r = 0; r < rows; ++r) {
      for (int k = 0; k < n; ++k) add(out[r * nv + m.leader_v[k]], m.ratio_v[k] * tree[r * n + k]);
    }
  } else if (how == kSquare) {
    const size_t squares = n > 0 ? size / ((size_t)n * n) : 0;
    zero_fill(out, squares * nv * nv);
    for (size_t s = 0; s < squares; ++s, tree += (size_t)n * n, out += (size_t)nv * nv) {
      for (int r = 0; r < n; ++r) {
        for (int k = 0; k < n; ++k) {
          add(out[(size_t)m.leader_v[r] * nv + m.leader_v[k]], (m.ratio_v[r] * m.ratio_v[k]) * tree[(size_t)r * n + k]);
        }
      }
    }
  } else {
    const size_t columns = n > 0 ? size / n : 0;
    zero_fill(out, columns * nv);
    for (int r = 0; r < n; ++r) {
      for (size_t c = 0; c < columns; ++c) add(out[m.leader_v[r] * columns + c], m.ratio_v[r] * tree[r * columns + c]);
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
  if (operation == kCompositeBody || (m.coupled && is_solve(operation))) {
    return (size_t)m.tree_nv * m.tree_nv + (m.coupled ? (size_t)m.nv * m.nv : 0);
  }
  const size_t own = is_formulation(operation)  ? formulation_scratch(operation, m)
                     : is_derivative(operation) ? derivative_scratch(operation, m)
                                                : 0;
  return own + (m.coupled && reduction_of(operation) != kKeep ? tree_result_size(operation, m, frame_count) : 0);
}

// Accelerations from the mass matrix: M vdot = tau - bias, in independent coordinates.
template <class T>
inline void solve_dense(int operation, const Context<T>& x, const T* tau, T* scratch) {
  const Model& m = x.model;
  const int n = m.tree_nv, nv = m.nv;
  for (int k = 0; k < nv; ++k) x.out[k] = tau[k];
  if (operation != kSolveMass) {
    bias_force(m, x.ws, x.q, x.v, x.external, x.ws.force);
    for (int k = 0; k < n; ++k) x.out[m.leader_v[k]] = x.out[m.leader_v[k]] - m.ratio_v[k] * x.ws.force[k];
  }
  T* M = scratch;
  zero_fill(M, (size_t)n * n);
  mass_matrix(m, x.ws, x.q, M);
  if (m.coupled) {
    reduce(m, kSquare, M, (size_t)n * n, M + (size_t)n * n);
    M += (size_t)n * n;
  }
  cholesky_solve(nv, M, x.out);
}

// The whole operation. `zeroed` tells that the gaps of `out` are zero already.
template <class T>
inline void evaluate(const Call& call, Workspace<T>& ws, const T* q, const T* v, const T* a, const T* external, T* out,
                     T* scratch, bool zeroed) {
  const Model& m = *call.model;
  const int operation = call.operation;
  Context<T> x{m, ws, q, v, a, external, out, call.frames, call.frame_count, call.expressed_in, call.passive};
  const bool solve = is_solve(operation);
  if (m.coupled && !on_manifold(operation)) {
    expand_position(m, q, ws.tree_q);
    x.q = ws.tree_q;
    if (v) expand(m, v, ws.tree_v), x.v = ws.tree_v;
    if (a && !divides_by_mass(operation)) expand(m, a, ws.tree_a), x.a = ws.tree_a;
  }
  const T* tau = a;
  if (call.passive && solve) {
    passive_force(m, x.q, x.v, ws.force2);
    T* sum = ws.tree_a;
    for (int k = 0; k < m.nv; ++k) sum[k] = a[k];
    for (int k = 0; k < m.tree_nv; ++k) sum[m.leader_v[k]] = sum[m.leader_v[k]] + m.ratio_v[k] * ws.force2[k];
    tau = sum;
    x.a = sum;
  }
  if (operation == kCompositeBody || (m.coupled && solve)) {
    solve_dense(operation, x, tau, scratch);
    return;
  }
  const Reduction how = m.coupled ? reduction_of(operation) : kKeep;
  const size_t size = tree_result_size(operation, m, call.frame_count);
  if (how != kKeep) x.out = scratch;
  if (has_gaps(operation) && (how != kKeep || !zeroed)) zero_fill(x.out, size);
  evaluate_tree(operation, x, how != kKeep ? scratch + size : scratch);
  if (call.passive && is_inverse_dynamics(operation)) {
    passive_force(m, x.q, x.v, ws.force2);
    for (int k = 0; k < m.tree_nv; ++k) x.out[k] = x.out[k] - ws.force2[k];
  }
  if (how != kKeep) reduce(m, how, scratch, size, out);
}

}  // namespace tarsus::TARSUS_ISA
