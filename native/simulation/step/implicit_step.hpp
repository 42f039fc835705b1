// One step of semi-implicit Euler with stiff forces taken at its end: joint springs and dampers, torques of the joint law, and
// contacts. A force f0 - c a that is linear in the acceleration a of its point adds c to the inertia of the body (and dt kd +
// dt^2 kp to that of a joint), so that the step remains one articulated-body solve in O(n). What is not linear - contacts that
// open and close, sticking and slipping, torque limits - is settled by a few passes, each of which repeats that solve.
//
// Work is force times the mean of the velocities at the start and the end of the step. With M (v+ - v) = dt f that is the
// change of kinetic energy to the last bit, impacts of a single step included; what remains in the balance of energy is the
// potential of the displacement dt v+, dt/2 (G v - G v+), which does not add up over steps, and the change of M.
#pragma once
#include "simulation/derivative.hpp"
#include "simulation/step/base_axes.hpp"
#include "simulation/step/joints.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostPasses = 12;

// Bias wrenches, forces and implicit inertias of the present regimes.
template <class T>
TARSUS_KERNEL void load_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  for (int i = 0; i < m.nodes; ++i) r.ws.wrench[i] = r.bias[i];
  const T o = broadcast<T>(0.0);
  for (int s = 0; s < r.world.touchables; ++s) {
    r.added[s] = {{o, o, o, o, o, o}, {o, o, o, o, o, o}, zero3<T>(), zero3<T>(), zero3<T>()};
  }
  for (int i = 0; i < r.world.contacts; ++i) {
    if (r.contact[i].near) load_contact(r, r.contact[i], r.step_contact[i], dt);
  }
  load_joints(r, tree, dt);
}

template <class T>
TARSUS_INLINE AddedInertia<T> step_inertia(const Robot<T>& r) {
  return {r.model, r.world.slot, r.added, r.joint_inertia};
}

// The same with the joints of a tree eliminated.
template <class T>
TARSUS_KERNEL void eliminate_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  load_step(r, tree, dt);
  eliminate_joints(r.model, r.ws, tree.q, static_cast<const T*>(r.force), step_inertia(r));
}

// Accelerations that follow from the present regimes, also of the tree's joints.
template <class T>
TARSUS_INLINE void accelerate_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  if (!m.coupled) {
    eliminate_step(r, tree, dt);
    return accelerate(m, r.ws, tree.q, r.vdot);
  }
  load_step(r, tree, dt);
  for (int k = 0; k < m.nv; ++k) r.total[k] = broadcast<T>(0.0);
  add_reduced_force(r, static_cast<const T*>(r.force), r.total);
  solve_swept_step(step_inertia(r), r.ws, tree.q, static_cast<const T*>(r.v), static_cast<const T*>(r.total), r.vdot, r.cluster);
  expand_rates(r, static_cast<const T*>(r.vdot), r.rate);
}

// Motion at the start, contacts, and the guesses of all regimes; returns the coordinates of the tree.
template <class T>
TARSUS_INLINE TreeState<T> begin_step(Robot<T>& r, double t, double dt) {
  const Model& m = r.model;
  const TreeState<T> tree = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
  read_law(r, tree.q, t + dt);
  if (m.coupled) {
    sweep_coupled(m, r.ws, tree.q, tree.v);
  } else {
    sweep<false>(m, r.ws, tree.q, tree.v, static_cast<const T*>(nullptr));
  }
  keep_axes(r, dt);
  if (m.coupled) expand_rates(r, static_cast<const T*>(r.v), r.ws.tree_v);
  if (r.world.nodes > 0) update_contacts(r, tree.q, tree.v, r.displacement);
  if (r.external) subtract_external(m, r.ws, tree.q, r.external);
  for (int i = 0; i < m.nodes; ++i) r.bias[i] = r.ws.wrench[i];
  for (int k = 0; k < m.tree_nv; ++k) r.vdot[k] = r.rate[k] = broadcast<T>(0.0);
  begin_joints(r, tree, dt);
  for (int i = 0; i < r.world.contacts; ++i) {
    if (r.contact[i].near) begin_contact(r, r.contact[i], r.displacement[i], dt, r.step_contact[i]);
  }
  return tree;
}

// Compares all regimes with the motion that followed from them; true where one had to change.
template <class T>
TARSUS_INLINE bool settle_step(Robot<T>& r, const TreeState<T>& tree, double dt, int pass) {
  bool changed = settle_joints(r, tree, dt, pass);
  for (int i = 0; i < r.world.contacts; ++i) {
    if (r.contact[i].near && settle_contact(r, r.contact[i], dt, pass, r.step_contact[i])) changed = true;
  }
  return changed;
}

// Forces, states of contacts, work, and the state at the end of the step.
template <class T>
TARSUS_INLINE void end_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  for (int i = 0; i < r.world.contacts; ++i) {
    if (r.contact[i].near) {
      end_contact(r, r.contact[i], r.step_contact[i], dt, r.displacement[i]);
    } else {
      r.displacement[i] = r.contact[i].force = zero3<T>();
    }
  }
  end_joints(r, tree, dt);
  if (r.external) {
    T& work = r.work[work_index(kExternal)];
    work = work + dt * external_power(r, 0.5 * dt);
  }
  for (int k = 0; k < m.nv; ++k) r.v[k] = r.v[k] + dt * r.vdot[k];
  straighten(r, dt, r.total);
  move(r, static_cast<const T*>(r.q), static_cast<const T*>(r.total), broadcast<T>(dt), r.scratch, r.scratch + m.nv);
  for (int k = 0; k < m.nq; ++k) r.q[k] = r.scratch[m.nv + k];
  turn_axes(r, dt);
}

// From time t to t + dt.
template <class T>
TARSUS_KERNEL void implicit_step(Robot<T>& r, double t, double dt) {
  const TreeState<T> tree = begin_step(r, t, dt);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    accelerate_step(r, tree, dt);
    if (pass + 1 == kMostPasses || !settle_step(r, tree, dt, pass)) break;
  }
  end_step(r, tree, dt);
}

}  // namespace tarsus::TARSUS_ISA
