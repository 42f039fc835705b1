// Runs one pack of robots, or one robot, through a stretch of simulation and records samples on the way.
#pragma once
#include "dispatch/rows.hpp"
#include "simulation/integrators/table.hpp"

namespace tarsus::TARSUS_ISA {

constexpr long kStepsUnasked = 8;       // until a run asks whether to give up
constexpr double kSlopeError = 1e-4;    // of the dependents' velocities that adaptive integrators bear, relative
constexpr double kLeastSteepest = 1e3;  // loops less steep than this are borne with any tolerance

template <class T>
inline void store_result(double* out, size_t n, const Run& run, long sample, const Robot<T>& r, const T* x) {
  if (!out) return;
  double* to = out + ((size_t)sample * run.robots + r.row) * n;
  if constexpr (lanes<T> == 1) {
    for (size_t k = 0; k < n; ++k) to[k] = x[k];
  } else {
    store_rows(to, n, r.rows, x);
  }
}

// y' of the state at the start of the stretch, for integrators outside.
template <class T>
inline void store_flow(const Run& run, Robot<T>& r) {
  T *y = r.scratch, *rate = y + r.state_size();
  gather_state(r, y);
  flow(r, static_cast<const T*>(y), run.start, rate);
  store_result(run.out_rate, r.state_size(), run, 0, r, static_cast<const T*>(rate));
}

// Positions, forces and displacements of all contacts.
template <class T>
inline void record_contacts(const Run& run, Robot<T>& r, long sample) {
  const Vec3<T> zero = zero3<T>();
  const int contacts = r.world.contacts;
  const size_t n = 3 * (size_t)contacts;
  for (int i = 0; i < contacts; ++i) {
    const Contact<T>& c = r.contact[i];
    // A force of the step that led here acted at a point, even if the contact has ended since.
    const auto acted = less<T>(broadcast<T>(0.0), dot(c.force, c.force));
    const Vec3<T> p = select3<T>(within_reach<T>(c) | acted, c.point, zero);
    put_vectors(&p, 1, r.line + 3 * i);
  }
  store_result(run.out_position, n, run, sample, r, static_cast<const T*>(r.line));
  for (int i = 0; i < contacts; ++i) {
    const Vec3<T> f = r.contact[i].force + zero;  // no force has no sign, whoever shares the pack
    put_vectors(&f, 1, r.line + 3 * i);
  }
  store_result(run.out_force, n, run, sample, r, static_cast<const T*>(r.line));
  put_vectors(r.displacement, contacts, r.line);
  store_result(run.out_displacement, n, run, sample, r, static_cast<const T*>(r.line));
}

// Energies and contacts of the present state. Forces and torques are those of the step that led here; `evaluate` asks for
// those of the state itself, as integrators without a force of their own need.
template <class T>
inline void record(const Run& run, Robot<T>& r, long sample, double t, bool evaluate) {
  const Model& m = r.model;
  const T *q = r.q, *v = r.v;
  if (evaluate) derivative(r, q, v, r.displacement, t);
  const TreeState<T> tree = expand_state(r, q, v);
  if ((!evaluate && r.world.contacts > 0) || r.springs > 0) {
    sweep<false>(m, r.ws, tree.q, tree.v, static_cast<const T*>(nullptr));
    update_contacts(r, tree.q, tree.v, r.displacement);
  }
  record_contacts(run, r, sample);
  if (run.out_energy) {
    T energy[kEnergyParts];
    state_energy(r, tree, energy);
    for (int k = 0; k < kWorks; ++k) energy[kGroundBalance + k] = r.work[k];
    store_result(run.out_energy, kEnergyParts, run, sample, r, static_cast<const T*>(energy));
  }
  store_result(run.out_q, m.nq, run, sample, r, q);
  store_result(run.out_v, m.nv, run, sample, r, v);
  store_result(run.out_tau, m.nv, run, sample, r, static_cast<const T*>(r.tau));
  if (r.constraints.any()) {
    store_result(run.out_constraint, r.constraints.count(), run, sample, r, static_cast<const T*>(r.constraints.force));
  }
}

// The first robot whose state is not finite, or -1.
template <class T>
inline int first_not_finite(const Robot<T>& r) {
  T bad = broadcast<T>(0.0);
  for (int k = 0; k < r.model.nq; ++k) bad = bad + poison(r.q[k], kArgumentScale);
  for (int k = 0; k < r.model.nv; ++k) bad = bad + poison(r.v[k], kArgumentScale);
  for (int l = 0; l < r.rows; ++l) {
    if (!(lane(bad, l) == 0.0)) return l;
  }
  return -1;
}

// The first robot whose step could not be solved, or -1.
template <class T>
inline int first_unsolved(const Robot<T>& r) {
  if (!any<T>(r.unsolved)) return -1;
  const T found = select<T>(r.unsolved, broadcast<T>(1.0), broadcast<T>(0.0));
  for (int l = 0; l < r.rows; ++l) {
    if (lane(found, l) != 0.0) return l;
  }
  return -1;
}

// Notes a kinematic loop that could not be closed, or was singular, in a stage on the way; false where there is none.
template <class T>
inline bool note_failed_loop(Run& run, const Robot<T>& r, double time) {
  if (!loop_failed(r)) return false;
  const RunStatus status[] = {kRunLoopOpen, kRunLoopSingular, kRunLoopJumped};  // by ClosureFailure
  run.status = status[r.ws.failed_how];
  run.row = r.source[__builtin_ctz(r.ws.failed_lanes)], run.time = time, run.closure = r.ws.failed_closure;
  return true;
}

// Notes a constraint that could not be closed; false where there is none.
template <class T>
inline bool note_open_constraint(Run& run, const Robot<T>& r, double time) {
  if (r.constraints.open_row < 0) return false;
  const T found = select<T>(r.constraints.open, broadcast<T>(1.0), broadcast<T>(0.0));
  int l = 0;
  while (l + 1 < lanes<T> && lane(found, l) == 0.0) ++l;
  run.status = kRunConstraintOpen, run.row = r.source[l], run.time = time, run.closure = r.constraints.open_row;
  return true;
}

// Steepness of loops (kernels/loops/regularity.hpp) that a run bears. What an adaptive integrator knows of the independent
// coordinates is its tolerance: times the steepness it is the relative error of the dependents' velocities.
static inline double steepest_loop(const Run& run, bool adaptive) {
  if (!adaptive) return kSteepestLoop;
  const double steepest = kSlopeError / (run.relative + run.absolute);
  return steepest < kLeastSteepest ? kLeastSteepest : steepest < kSteepestLoop ? steepest : kSteepestLoop;
}

template <class Integrator, class T>
inline void take_steps(Run& run, Robot<T>& r) {
  long sample = 0;
  for (long step = 0; step < run.steps; ++step) {
    const double t = (run.first_step + step) * run.dt;
    if (step % kStepsUnasked == kStepsUnasked - 1 && is_interrupted(run)) {
      run.status = kRunInterrupted, run.row = r.row, run.time = t;
      return;
    }
    r.keeps_next = true;
    Integrator::step(r, t, run.dt);
    if (note_failed_loop(run, r, t) || note_open_constraint(run, r, t)) return;
    const int lost = first_not_finite(r);
    const int unsolved = first_unsolved(r);
    if (lost >= 0 || unsolved >= 0) {
      run.status = lost >= 0 ? kRunNonFinite : kRunUnsolved, run.row = r.source[lost >= 0 ? lost : unsolved], run.time = t;
      return;
    }
    if (!run.silent && (run.first_step + step + 1) % run.every == 0) {
      record(run, r, sample++, t + run.dt, !Integrator::kKnowsForces);
    } else if (step + 1 == run.steps && r.kept_q) {  // the next run begins without what is kept here
      expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
    }
    if (note_failed_loop(run, r, t)) return;
  }
}

template <class Integrator>
inline void take_adaptive_steps(Run& run, Robot<double>& r) {
  Integrator method(r, run.relative, run.absolute);
  long sample = 0;
  const double spacing = run.dt * run.every;
  const long first = run.first_step / run.every;
  const bool reached = method.run(
      run.start, run.end, run.step_size[r.row], spacing, first, run.samples, [&](double t) { record(run, r, sample++, t, true); },
      [&] { return is_interrupted(run); });
  if (is_interrupted(run)) {
    run.status = kRunInterrupted, run.row = r.row, run.time = method.reached();
    return;
  }
  if (note_failed_loop(run, r, method.reached()) || note_open_constraint(run, r, method.reached())) return;
  const int lost = first_not_finite(r);
  if (reached && lost < 0) return;
  run.status = lost >= 0 ? kRunNonFinite : kRunStepTooSmall;
  run.row = r.row, run.time = method.reached();
}

}  // namespace tarsus::TARSUS_ISA
