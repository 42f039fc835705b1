// Passes of Newton's method through one implicit step (implicit_step.hpp): loads, solves by sweeps of the tree, and what follows
// from them for the next pass.
#pragma once
#include "simulation/constraints/projection.hpp"
#include "simulation/step/line_search.hpp"
#include "simulation/step/pair_resistance.hpp"
#include "simulation/step/velocity_terms.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostPasses = 400;
constexpr int kGuesses = 7;  // first passes, whose trials are taken as they are
constexpr int kMostCaps = 8;

// Bias wrenches, forces and implicit inertias of the present regimes.
template <class T>
TARSUS_KERNEL void load_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  for (int i = 0; i < m.nodes; ++i) r.ws.wrench[i] = r.bias[i];
  const T o = broadcast<T>(0.0);
  for (int s = 0; s < r.world.touchables; ++s) {
    r.added[s] = {{o, o, o, o, o, o}, {o, o, o, o, o, o}, zero3<T>(), zero3<T>(), zero3<T>()};
  }
  for (int j = 0; j < r.awakes; ++j) load_contact(r, r.contact[r.awake[j]], r.step_contact[r.awake[j]], dt);
  load_joints(r, tree, dt);
  load_springs(r);
}

// The same with the joints of a tree eliminated.
template <class T>
TARSUS_KERNEL void eliminate_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  load_step(r, tree, dt);
  eliminate_joints(r.model, r.ws, tree.q, static_cast<const T*>(r.force), step_inertia(r));
}

// Accelerations of all joints from what was eliminated.
template <class T>
TARSUS_INLINE void move_joints(Robot<T>& r, const TreeState<T>& tree) {
  if (!r.model.coupled) return accelerate(r.model, r.ws, tree.q, r.vdot);
  accelerate_swept_step(r.model, r.ws, tree.q, r.vdot, r.cluster);
  expand_rates(r, static_cast<const T*>(r.vdot), r.rate);
}

// Accelerations that follow from the loads of a step, also of the tree's joints.
template <class T>
TARSUS_INLINE void solve_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  if (m.coupled) {
    for (int k = 0; k < m.nv; ++k) r.total[k] = broadcast<T>(0.0);
    add_reduced_force(r, static_cast<const T*>(r.force), r.total);
    eliminate_swept_step(step_inertia(r), r.ws, tree.q, static_cast<const T*>(r.v), static_cast<const T*>(r.total), r.cluster);
  } else {
    eliminate_joints(m, r.ws, tree.q, static_cast<const T*>(r.force), step_inertia(r));
  }
  if (r.world.pairs > 0) prepare_pairs(r, tree, dt);
  add_couplings(m, r.ws, tree.q, r.cluster, r.pairs, r.couplings);
  if (r.pairs.acts) move_joints(r, tree), add_pair_forces(r, dt);
  move_joints(r, tree);
}

// A contact takes part in the step from now on, in lanes in which it has not yet. Those that do are in the order of their
// numbers, whoever woke first: sums over them are the same in any company.
template <class T>
TARSUS_INLINE void wake_contact(Robot<T>& r, int i, double dt, typename Bits<T>::type rising) {
  StepContact<T>& s = r.step_contact[i];
  if (s.awake) {
    const auto before = s.lanes;
    StepContact<T> begun = s;
    begun.lanes = rising;
    begin_contact(r, r.contact[i], r.displacement[i], dt, begun);
    s = select_lanes<T>(rising, begun, s), s.awake = true, s.lanes = before | rising;
    return;
  }
  s.awake = true, s.lanes = rising;
  begin_contact(r, r.contact[i], r.displacement[i], dt, s);
  int place = r.awakes++;
  for (; place > 0 && r.awake[place - 1] > i; --place) r.awake[place] = r.awake[place - 1];
  r.awake[place] = i;
}

// Motion at the start, contacts, and the regimes at constant velocity; `tree` is the state, expanded last, whose joints may be
// `prepared`. Returns it with velocities that remain.
template <class T>
TARSUS_INLINE TreeState<T> begin_step(Robot<T>& r, TreeState<T> tree, double t, double dt, bool prepared = false) {
  const Model& m = r.model;
  read_law(r, tree.q, t + dt);
  velocity_terms(r, tree.q, static_cast<const T*>(r.v), tree.v, prepared);
  if (m.coupled) {
    for (int k = 0; k < m.tree_nv; ++k) r.tree_v[k] = tree.v[k];
    tree.v = r.tree_v;
  }
  for (int k = 0; k < m.nv; ++k) r.mean[k] = r.v[k];
  for (int i = 0; i < m.nodes; ++i) r.turn[i] = r.ws.motion[i].w;
  begin_constraints(r, tree, t, dt);
  if (r.world.nodes > 0) update_contacts(r, tree.q, tree.v, r.displacement);
  for (int k = 0; k < m.tree_nv; ++k) r.vdot[k] = r.rate[k] = broadcast<T>(0.0);
  begin_joints(r, tree, dt);
  begin_springs(r, dt);
  r.awakes = 0;
  for (int j = 0; j < r.listeds; ++j) {
    const int i = r.listed[j];
    r.step_contact[i].awake = false;
    if (!r.contact[i].near) continue;
    r.step_contact[i].swing = swing_of(r, r.contact[i], dt);
    const auto rising = stirs(r.contact[i], r.displacement[i], dt);
    if (any<T>(rising)) wake_contact(r, i, dt, rising);
  }
  return tree;
}

template <class T>
TARSUS_INLINE StepProgress<T> begin_progress(typename Bits<T>::type running) {
  const T zero = broadcast<T>(0.0);
  return {~running, less<T>(zero, broadcast<T>(1.0)), zero, false};
}

// Velocity terms at r.mean; angular velocities of the nodes remain those of the start, and their poses, in which loops are
// closed. Velocities of a trial may be wild: they tell nothing about loops.
template <class T>
TARSUS_KERNEL void renew_velocity_terms(Robot<T>& r, const TreeState<T>& tree) {
  const double judged = r.ws.time_step;
  r.ws.time_step = 0.0;
  const TreeState<T> mean = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.mean));
  r.ws.time_step = judged;
  velocity_terms(r, mean.q, static_cast<const T*>(r.mean), mean.v, !r.model.coupled);
  for (int i = 0; i < r.model.nodes; ++i) r.ws.motion[i].w = r.turn[i];
  if (r.model.coupled) locate_nodes(r.model, r.world, r.ws, tree.q, tree.v, r.speed);
}

// Wakes contacts that enter the ground in lanes whose motion was found; true in these lanes.
template <class T>
TARSUS_KERNEL typename Bits<T>::type wake_entering(Robot<T>& r, double dt, typename Bits<T>::type lanes_found) {
  auto woken = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  if (!any<T>(lanes_found)) return woken;
  for (int j = 0; j < r.listeds; ++j) {
    const int i = r.listed[j];
    StepContact<T>& s = r.step_contact[i];
    if (!r.contact[i].near) continue;
    const auto asleep = s.awake ? lanes_found & ~s.lanes : lanes_found;
    if (!any<T>(asleep)) continue;
    const auto enters = asleep & enters_ground(r, r.contact[i], s, dt);
    if (!any<T>(enters)) continue;
    wake_contact(r, i, dt, enters);
    s.trial = select3<T>(enters, end_velocity(r, r.contact[i], dt), s.trial);
    s.trial_force = select3<T>(enters, zero3<T>(), s.trial_force);
    woken = woken | enters;
  }
  return woken;
}

// Moves the iterate of these lanes that part of the way to the trial.
template <class T>
TARSUS_KERNEL void take_trial(Robot<T>& r, const TreeState<T>& tree, typename Bits<T>::type moving, const T& part, double dt,
                              bool guess) {
  take_joints(r, tree, moving, part, dt, guess);
  take_springs(r, moving, part);
  for (int j = 0; j < r.awakes; ++j) take_contact(r.contact[r.awake[j]], moving, part, guess, r.step_contact[r.awake[j]]);
}

// Compares the motion that a solve gave with the forces it was found with, and moves on; true where all lanes are settled. The
// motion stays until the next solve: velocity terms that follow are renewed before that (StepProgress::renews).
template <class T>
TARSUS_KERNEL bool settle_step(Robot<T>& r, const TreeState<T>& tree, double dt, int pass, StepProgress<T>& progress,
                               int guesses = kGuesses) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  // 1. lanes whose forces are those of the motion
  auto rough = try_joints(r, tree, dt) | try_springs(r, kForceTolerance);
  for (int j = 0; j < r.awakes; ++j) {
    rough = rough | try_contact(r, r.contact[r.awake[j]], dt, r.step_contact[r.awake[j]]);
  }
  const auto open = ~progress.settled;
  auto moving = open & rough;
  T part = one;
  if (any<T>(moving & ~progress.fresh)) {
    part = search_line(r, tree, dt, moving & ~progress.fresh);
    part = select<T>(progress.fresh, one, part);
    moving = moving & less<T>(zero, part);
  }
  // 2. what was held follows the motion that was found; velocity terms follow guesses, too
  const bool guess = pass + 2 < guesses;  // the next pass
  const auto found = open & ~moving;
  auto again = less<T>(zero, zero);
  if (any<T>(found)) {
    const auto capped = found & less<T>(progress.caps, broadcast<T>(kMostCaps));
    for (int j = 0; j < r.awakes; ++j) {
      again = again | follow_normal_force(r.contact[r.awake[j]], capped, r.step_contact[r.awake[j]]);
    }
    progress.caps = select<T>(again, progress.caps + 1.0, progress.caps);
  }
  again = again | wake_entering(r, dt, found);
  const auto changed = follow_mean_velocity(r, tree, dt, guess ? open : found);
  again = again | changed;
  progress.renews = any<T>(changed);
  progress.settled = progress.settled | (found & ~again);
  if (!any<T>(~progress.settled)) return true;
  // 3. the next iterate
  moving = moving | again;
  part = select<T>(again, one, part);
  take_trial(r, tree, moving, part, dt, guess);
  progress.fresh = guess ? moving : again;
  return false;
}

// Passes through the tree, at most so many, in lanes that are not settled; true where all are.
template <class T>
TARSUS_INLINE bool pass_tree(Robot<T>& r, const TreeState<T>& tree, double dt, int most, StepProgress<T>& progress) {
  for (int pass = 0; pass < most; ++pass) {
    if (progress.renews) renew_velocity_terms(r, tree);
    load_step(r, tree, dt);
    solve_step(r, tree, dt);
    if (settle_step(r, tree, dt, pass, progress)) return true;
  }
  return false;
}

}  // namespace tarsus::TARSUS_ISA
