// Constraints as hard rows (step/couplings.hpp) of a robot's equations of motion: at acceleration level for integrators that ask
// for rates, and for positions at the end of a step in implicit steps.
//
// An implicit step moves positions by dt v+ and takes J at its start. It asks for v+ with
//   Phi + dt J v+ + dt^2 / 2 b = 0,   b = d^2 Phi / dt^2 without acceleration,
// so that positions stay closed to third order, then closes them (projection.hpp), and brings v+ into the tangent space at the
// end by an impulse there. Half of what turns the motion round acts at each end, and the two halves do no work together: this is
// RATTLE (Andersen 1983), which keeps energy to second order where a force at one end alone would leak it.
#pragma once
#include "simulation/constraints/given_motions.hpp"
#include "simulation/step/base_axes.hpp"
#include "simulation/tree_state.hpp"

namespace tarsus::TARSUS_ISA {

// Rows of all constraints at a state whose joints are prepared, at time t. ws.pose is not the world's afterwards.
template <class T>
TARSUS_KERNEL void evaluate_constraints(Robot<T>& r, const TreeState<T>& tree, double t, bool held) {
  const Model& m = r.model;
  const ConstraintTable& c = *r.constraints.table;
  read_given_motions(r.constraints, t, held);
  place_nodes(m, c, r.ws, tree.q);
  const T* bias = m.coupled && !m.linear ? r.ws.bias : nullptr;
  const FailedPair failed =
      fill_rows(m, c, r.ws, tree.q, tree.v, bias, static_cast<const T*>(r.constraints.drive), r.constraints.rows);
  if (failed.pair >= 0 && r.constraints.open_row < 0) {
    r.constraints.open_row = c.pair[failed.pair].first;
    r.constraints.open = lanes_of<T>(failed.lanes);
  }
}

// Adds all rows, with the accelerations along them that `target(row)` asks for.
template <class T, class Target>
inline void add_constraints(Robot<T>& r, Target target) {
  const ConstraintTable& c = *r.constraints.table;
  const size_t width = r.model.tree_nv;
  r.couplings.clear();
  for (int i = 0; i < c.blocks; ++i) {
    const RowBlock& b = c.block[i];
    for (int row = b.first; row < b.first + b.rows; ++row) {
      const int k = r.constraints.number[row] = r.couplings.add();
      r.couplings.row[k].hard = less<T>(broadcast<T>(0.0), r.constraints.engaged[row]);
      r.couplings.row[k].target = target(row);
      for (int e = b.column; e < b.column + b.columns; ++e) {
        r.couplings.turn(k, c.column[e], r.constraints.rows.jacobian[row * width + c.column[e]]);
      }
    }
  }
}

// J x of a row, for rates of the tree's joints.
template <class T>
inline T rate_along(const Robot<T>& r, int row, const T* rate) {
  const CouplingRow<T>& k = r.couplings.row[r.constraints.number[row]];
  T sum = broadcast<T>(0.0);
  for (int i = k.first; i < k.first + k.terms; ++i) sum = sum + r.couplings.term[i].factor * rate[r.couplings.term[i].dof];
  return sum;
}

// Whether a row follows a given motion, which may do work.
inline bool is_driven(const ConstraintTable& c, const RowBlock& b) {
  return b.joint >= 0 ? c.joint[b.joint].drive >= 0 : c.pair[b.pair].drive >= 0;
}

// Calls f(row) for the rows that follow given motions.
template <class F>
inline void for_driven(const ConstraintTable& c, F f) {
  for (int i = 0; c.drives > 0 && i < c.blocks; ++i) {
    const RowBlock& b = c.block[i];
    for (int row = b.first; is_driven(c, b) && row < b.first + b.rows; ++row) f(row);
  }
}

// Rows at acceleration level: J vdot = -dJ/dt v.
template <class T>
inline void load_constraints(Robot<T>& r, const TreeState<T>& tree, double t) {
  r.couplings.clear();
  if (!r.constraints.any()) return;
  evaluate_constraints(r, tree, t, false);
  add_constraints(r, [&](int row) TARSUS_LAMBDA { return T(-r.constraints.rows.bias[row]); });
}

// Forces that were found, as multipliers; the power of given motions.
template <class T>
inline T take_constraint_forces(Robot<T>& r, const TreeState<T>& tree) {
  T power = broadcast<T>(0.0);
  spread_forces(r.couplings);
  for (int row = 0; row < r.constraints.count(); ++row) {
    r.constraints.force[row] = r.couplings.row[r.constraints.number[row]].force;
  }
  for_driven(*r.constraints.table,
             [&](int row) TARSUS_LAMBDA { power = power + r.constraints.force[row] * rate_along(r, row, tree.v); });
  return power;
}

// Rows of an implicit step from t to t + dt; joints are prepared.
template <class T>
inline void begin_constraints(Robot<T>& r, const TreeState<T>& tree, double t, double dt) {
  r.couplings.clear();
  if (!r.constraints.any()) return;
  const RowSpace<T>& s = r.constraints.rows;
  evaluate_constraints(r, tree, t + dt, true);
  // Rates of a step have the axes of its start, which takes omega x v off them (step/base_axes.hpp).
  T* turning = r.total;
  for (int k = 0; k < r.model.tree_nv; ++k) turning[k] = broadcast<T>(0.0);
  drop_turning(r, static_cast<const T*>(r.v), turning);
  const double per = 1.0 / dt;
  add_constraints(r, [&](int row) TARSUS_LAMBDA { return T(-per * (s.velocity[row] + per * s.violation[row])); });
  for (int row = 0; row < r.constraints.count(); ++row) {
    T& target = r.couplings.row[r.constraints.number[row]].target;
    target = target - 0.5 * (s.bias[row] + rate_along(r, row, static_cast<const T*>(turning)));
  }
}

}  // namespace tarsus::TARSUS_ISA
