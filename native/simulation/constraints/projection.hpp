// Back to the constraints, and what a step ends with: positions by Gauss-Newton steps, velocities by an impulse, both measured by
// the mass matrix (Buschmann 2014 section 3.4.1; Ascher et al. 1995).
#pragma once
#include "simulation/constraints/constraints.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostClosings = 8;
constexpr double kViolationLeft = 1e-12;  // violation that is left [m, rad],
constexpr double kViolationOpen = 1e-6;   // and from which on a constraint counts as open

// The largest violation, and the row that has it where it is open in lanes that are looked at.
template <class T>
inline T largest_violation(Robot<T>& r, typename Bits<T>::type looking, bool judge) {
  T largest = broadcast<T>(0.0);
  for (int row = 0; row < r.constraints.count(); ++row) {
    const T size = r.constraints.engaged[row] * magnitude<T>(r.constraints.rows.violation[row]);
    largest = larger<T>(largest, size);
    const auto open = looking & ~less<T>(size, broadcast<T>(kViolationOpen));
    if (judge && any<T>(open) && r.constraints.open_row < 0) r.constraints.open_row = row, r.constraints.open = open;
  }
  return largest;
}

// H^-1 J^T l for rows whose J H^-1 J^T l is the target, at the state that is prepared, with plain inertias; into `out` (nv).
template <class T, class Target>
inline void respond_to_rows(Robot<T>& r, const TreeState<T>& tree, Target target, T* out) {
  const Model& m = r.model;
  const T zero = broadcast<T>(0.0);
  for (int i = 0; i < m.nodes; ++i) r.ws.wrench[i] = {zero3<T>(), zero3<T>()};
  for (int k = 0; k < m.tree_nv; ++k) r.total[k] = zero;
  if (m.coupled) {
    eliminate_swept(m, r.ws, tree.q, static_cast<const T*>(nullptr), static_cast<const T*>(r.total), r.cluster);
  } else {
    eliminate_joints(m, r.ws, tree.q, static_cast<const T*>(r.total), OwnInertia<T>{m, r.ws.bodies});
  }
  add_constraints(r, target);
  add_couplings(m, r.ws, tree.q, r.cluster, r.couplings);
  if (m.coupled) {
    accelerate_swept_step(m, r.ws, tree.q, out, r.cluster);
  } else {
    accelerate(m, r.ws, tree.q, out);
  }
}

// Closes the state of these lanes at time t. `dt` is the step that led there: the impulse is part of its force; 0 where it is
// not.
template <class T>
TARSUS_KERNEL void project_state(Robot<T>& r, double t, double dt, typename Bits<T>::type lanes_closed) {
  const Model& m = r.model;
  RobotConstraints<T>& c = r.constraints;
  TreeState<T> tree{};
  auto prepare = [&] {
    tree = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
    prepare_joints(m, r.ws, tree.q);
    evaluate_constraints(r, tree, t, false);
  };
  // 1. positions, as long as they come closer
  prepare();
  T before = broadcast<T>(1e300), now = largest_violation(r, lanes_closed, false);
  auto moving = lanes_closed & less<T>(broadcast<T>(kViolationLeft), now);
  for (int i = 0; i < kMostClosings && any<T>(moving); ++i) {
    respond_to_rows(r, tree, [&](int row) TARSUS_LAMBDA { return T(-c.rows.violation[row]); }, r.drift);
    move(r, static_cast<const T*>(r.q), static_cast<const T*>(r.drift), broadcast<T>(1.0), c.tangent, c.moved);
    for (int k = 0; k < m.nq; ++k) r.q[k] = select<T>(moving, c.moved[k], r.q[k]);
    prepare();
    before = now, now = largest_violation(r, lanes_closed, false);
    moving = moving & less<T>(broadcast<T>(kViolationLeft), now) & less<T>(now, 0.5 * before);
  }
  largest_violation(r, lanes_closed, true);
  // 2. velocities
  respond_to_rows(r, tree, [&](int row) TARSUS_LAMBDA { return T(-c.rows.velocity[row]); }, r.drift);
  if (dt > 0.0) {
    spread_forces(r.couplings);
    T work = broadcast<T>(0.0);
    for_driven(*c.table, [&](int row) TARSUS_LAMBDA {
      const T impulse = r.couplings.row[c.number[row]].force;
      work = work + impulse * (rate_along(r, row, tree.v) - 0.5 * c.rows.velocity[row]);
    });
    T& sum = r.work[work_index(kConstraint)];
    sum = select<T>(lanes_closed, sum + work, sum);
    for (int row = 0; row < c.count(); ++row) {
      const T force = c.force[row] + (1.0 / dt) * r.couplings.row[c.number[row]].force;
      c.force[row] = select<T>(lanes_closed, force, c.force[row]);
    }
  }
  for (int k = 0; k < m.nv; ++k) r.v[k] = select<T>(lanes_closed, r.v[k] + r.drift[k], r.v[k]);
}

// Closes the state that an integrator without forces of its own ends a step with.
template <class T>
inline void close_state(Robot<T>& r, double t) {
  if (r.constraints.any()) project_state(r, t, 0.0, less<T>(broadcast<T>(0.0), broadcast<T>(1.0)));
}

// Forces and work of a step of length dt that ends at time t in these lanes, and its state, closed.
template <class T>
TARSUS_KERNEL void end_constraints(Robot<T>& r, double t, double dt, typename Bits<T>::type ending) {
  RobotConstraints<T>& c = r.constraints;
  if (!c.any() || !any<T>(ending)) return;
  T work = broadcast<T>(0.0);
  for_driven(*c.table, [&](int row) TARSUS_LAMBDA {
    const T mean = c.rows.velocity[row] + (0.5 * dt) * rate_along(r, row, static_cast<const T*>(r.rate));
    work = work + dt * r.couplings.row[c.number[row]].force * mean;
  });
  T& sum = r.work[work_index(kConstraint)];
  sum = select<T>(ending, sum + work, sum);
  spread_forces(r.couplings);
  for (int row = 0; row < c.count(); ++row) {
    c.force[row] = select<T>(ending, r.couplings.row[c.number[row]].force, c.force[row]);
  }
  project_state(r, t, dt, ending);
}

}  // namespace tarsus::TARSUS_ISA
