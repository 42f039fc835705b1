// A motion over a horizon for a given input, forward, and the gradient of its cost, backward. Discrete in time, so that the
// gradient is exactly that of the cost: with f_k of NullspaceFlow and phi of the positions,
//   q_k+1 = q_k (dt f_k),   Phi = dt sum_k (w_v |f_k|^2 + w_a |input_k|^2) + dt sum' phi(q_k)      (first and last halved)
//   m_k = (step)^T lambda_k+1 + 2 w_v f_k
//   lambda_k = (step)^T lambda_k+1 + dt (dphi/dq + (df/dq)^T m_k),   g_k = (df/du)^T m_k
// which are (5.112), (5.113) and (A.55) with (A.56), (A.57) by steps. With an augmented state (5.120)-(5.129) u_k+1 = u_k + dt
// input_k, lambda2_k = lambda2_k+1 + dt g_k, and the gradient for the input is 2 w_a input_k + lambda2_k+1, (5.126), (A.62),
// (A.63).
#pragma once
#include "ik/collision_along.hpp"
#include "ik/group_adjoint.hpp"
#include "ik/nullspace_flow.hpp"
#include "ik/position_cost.hpp"

namespace tarsus::TARSUS_ISA {

// One motion: its input, and what `forward` makes of it. Rows of samples one behind the other.
struct Trajectory {
  double *start, *input;          // nq, steps x nv
  double *q, *u;                  // (steps + 1) x nq, (steps + 1) x nv
  double *f, *y, *factor, *axis;  // steps of FlowSample
  double *damping, *error;        // steps, steps + 1
  double* phi;                    // (steps + 1) x nv: gradients of positions, with dt and weights
  double cost;                    // infinite where it cannot be evaluated
  double parts[kCostParts];

  static size_t memory(const PredictiveRun& run) {
    const Model& m = *run.model;
    const size_t n = run.steps, rows = run.tasks->rows, nq = m.nq, nv = m.nv;
    return (n + 2) * nq + n * 2 * nv + 2 * (n + 1) * nv + n * (2 * rows + rows * rows + 1) + n + 1;
  }
  double* lay_out(const PredictiveRun& run, double* memory) {
    const Model& m = *run.model;
    const size_t n = run.steps, rows = run.tasks->rows, nq = m.nq, nv = m.nv;
    auto take = [&](double*& array, size_t count) { array = memory, memory += count; };
    take(start, nq), take(input, n * nv), take(q, (n + 1) * nq), take(u, (n + 1) * nv), take(f, n * nv), take(y, n * rows);
    take(factor, n * rows * rows), take(axis, n * rows), take(damping, n), take(error, n + 1), take(phi, (n + 1) * nv);
    return memory;
  }
};

class Horizon {
 public:
  static size_t memory(const PredictiveRun& run) {
    const size_t rows = run.tasks->rows;
    return NullspaceFlow::memory(run) + 5 * (size_t)run.model->nv + run.model->nq + 2 * rows + rows * rows + 2;
  }

  // `memory` as told above, `packs` as CollisionAlong asks for.
  Horizon(PredictiveRun& run, Workspace<double>& ws, double* memory, char* packs)
      : run_(run),
        m_(*run.model),
        ws_(ws),
        flow_(run, ws, memory),
        collisions_(run, packs),
        together_(CollisionAlong::together(run)) {
    const size_t rows = run.tasks->rows;
    memory += NullspaceFlow::memory(run);
    auto take = [&](double*& array, size_t count) { array = memory, memory += count; };
    take(mu_, m_.nv), take(by_q_, m_.nv), take(passed_, m_.nv), take(way_, m_.nv), take(rest_, m_.nv), take(to_, m_.nq);
    take(single_.y, rows), take(single_.axis, rows), take(single_.factor, rows * rows), take(single_.damping, 1);
    take(single_.error, 1);
    single_.f = way_;
  }

  // q, u, f and costs from start and input.
  void forward(Trajectory& x) {
    const int nv = m_.nv, nq = m_.nq, steps = run_.steps;
    ++run_.evaluations;
    for (double& part : x.parts) part = 0.0;
    std::memcpy(x.q, x.start, nq * sizeof(double));
    for (int k = 0; k < nv && run_.augmented; ++k) x.u[k] = run_.u0[k];
    for (int i = 0; i < steps; ++i) {
      if (!advance(x, i)) return give_up(x, i);
    }
    if (!flow_.place(x.q + (size_t)steps * nq, target(steps))) return give_up(x, steps);
    x.error[steps] = flow_.largest_error();
    add_positions(x, steps, 0.5 * run_.dt);
    if (together_) collisions_.add_samples(x.q, steps + 1, run_.dt, x.parts, x.phi);
    x.cost = 0.0;
    for (double part : x.parts) x.cost += part;
    if (!(std::fabs(x.cost) < 1e300)) give_up(x, steps);
  }

  // Gradient g (steps x nv) of the cost with respect to the input, over dt, and the adjoint lambda ((steps + 1) x nv).
  void backward(const Trajectory& x, double* lambda, double* g) {
    const int nv = m_.nv, nq = m_.nq, steps = run_.steps;
    const double dt = run_.dt, two = 2.0 * run_.weight[kVelocityCost];
    std::memcpy(lambda + (size_t)steps * nv, x.phi + (size_t)steps * nv, nv * sizeof(double));
    for (int k = 0; k < nv; ++k) rest_[k] = 0.0;  // lambda2
    for (int i = steps - 1; i >= 0; --i) {
      const FlowSample s = sample(x, i);
      double *here = lambda + (size_t)i * nv, *own = g + (size_t)i * nv;
      pass_step_back(m_, s.f, dt, here + nv, passed_, mu_);
      for (int k = 0; k < nv; ++k) mu_[k] += two * run_.velocity_scale[k] * s.f[k];
      flow_.transposed(x.q + (size_t)i * nq, target(i), s, mu_, own, by_q_);
      for (int k = 0; k < nv; ++k) here[k] = passed_[k] + x.phi[(size_t)i * nv + k] + dt * by_q_[k];
      if (!run_.augmented) continue;
      for (int k = 0; k < nv; ++k) {
        const double by_u = own[k];
        own[k] = 2.0 * run_.weight[kAccelerationCost] * x.input[(size_t)i * nv + k] + rest_[k];
        rest_[k] += dt * by_u;
      }
    }
  }

  // (1 - J# J) x at the start of a motion.
  void project_at_start(const Trajectory& x, const double* vector, double* out) {
    flow_.project(x.q, target(0), sample(x, 0), vector, out);
  }

  // The configuration start (dx), brought back to where the tasks are at the start; false where that fails.
  bool retract(const double* start, const double* dx, double* to) {
    const double error = error_of(start);
    if (error < 0.0) return false;
    move(start, dx, to);
    for (int k = 0; k < m_.nv; ++k) passed_[k] = 0.0;
    for (int turn = 0; turn < kMostReturns; ++turn) {
      if (!flow_.evaluate(to, target(0), nullptr, passed_, single_)) return false;
      if (*single_.error <= kReturned || *single_.error <= error) return true;
      move(to, single_.f, to_);
      std::memcpy(to, to_, m_.nq * sizeof(double));
    }
    return false;
  }

  const double* target(int i) const { return run_.target + (size_t)i * run_.tasks->targets; }

 private:
  static constexpr int kMostReturns = 20;
  static constexpr double kReturned = 1e-12;  // error of the tasks [m, rad]
  PredictiveRun& run_;
  const Model& m_;
  Workspace<double>& ws_;
  NullspaceFlow flow_;
  CollisionAlong collisions_;
  const bool together_;  // collisions are looked at behind a motion
  double *mu_, *by_q_, *passed_, *way_, *rest_, *to_;
  FlowSample single_;

  FlowSample sample(const Trajectory& x, int i) const {
    const size_t rows = run_.tasks->rows;
    return {x.f + (size_t)i * m_.nv, x.y + i * rows, x.factor + i * rows * rows, x.axis + i * rows, x.damping + i, x.error + i};
  }

  double error_of(const double* q) { return flow_.place(q, target(0)) ? flow_.largest_error() : -1.0; }

  void move(const double* q, const double* way, double* to) {
    Context<double> x{m_, ws_, q, way, nullptr, nullptr, to};
    integrate(x);
  }

  void give_up(Trajectory& x, int step) {
    x.cost = HUGE_VAL;
    run_.failed_step = step;
  }

  // Costs of sample i, at which the nodes are placed.
  void add_positions(Trajectory& x, int i, double share) {
    double* phi = x.phi + (size_t)i * m_.nv;
    position_cost(run_, x.q + (size_t)i * m_.nq, share, x.parts, phi);
    if (!together_) collisions_.add_sample(ws_, share, x.parts, phi);
  }

  // Step i of a motion; false where a loop does not close.
  bool advance(Trajectory& x, int i) {
    const int nv = m_.nv, nq = m_.nq;
    const double dt = run_.dt;
    const double* q = x.q + (size_t)i * nq;
    double *u = x.u + (size_t)i * nv, *input = x.input + (size_t)i * nv, *phi = x.phi + (size_t)i * nv;
    const double share = i == 0 ? 0.5 * dt : dt;
    const FlowSample s = sample(x, i);
    if (run_.local) {  // u = -grad / w_v (5.14)
      if (!flow_.place(q, target(i))) return false;
      add_positions(x, i, share);
      for (int k = 0; k < nv; ++k) input[k] = -phi[k] / (share * run_.weight[kVelocityCost] * run_.velocity_scale[k]);
    }
    if (!run_.augmented) std::memcpy(u, input, nv * sizeof(double));
    if (!flow_.evaluate(q, target(i), run_.rate + (size_t)i * run_.tasks->rows, u, s)) return false;
    if (!run_.local) add_positions(x, i, share);
    for (int k = 0; k < nv; ++k) {
      x.parts[kVelocityCost] += dt * run_.weight[kVelocityCost] * run_.velocity_scale[k] * s.f[k] * s.f[k];
      way_[k] = dt * s.f[k];
      if (!run_.augmented) continue;
      x.parts[kAccelerationCost] += dt * run_.weight[kAccelerationCost] * input[k] * input[k];
      u[nv + k] = u[k] + dt * input[k];
    }
    move(q, way_, x.q + (size_t)(i + 1) * nq);
    return true;
  }
};

}  // namespace tarsus::TARSUS_ISA
