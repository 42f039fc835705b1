// Passes of Newton's method in the space of contacts (contact_space.hpp), for robots with few of them: the joints are eliminated
// again only where their regimes change, velocity terms follow in rounds.
//
//   1. forces of contacts and velocities of their points, until they are those of each other; the bounds of friction move with
//      the normal forces in the first passes, later they are held and follow as in passes.hpp
//   2. the motion of the whole robot; velocity terms follow its mean velocity, contacts that enter the ground wake: from 1 again
//
// What a lane does depends on its own numbers alone: where it waits for others it stays as it is.
#pragma once
#include "simulation/step/contact_space.hpp"
#include "simulation/step/passes.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kLivePasses = 5;   // of a round, in which bounds of friction move with normal forces
constexpr int kMostRounds = 40;  // of velocity terms

// Lanes in which forces and velocities of the last solve are not those of each other; they are the trial of these lanes.
template <class T>
TARSUS_KERNEL typename Bits<T>::type try_points(Robot<T>& r, typename Bits<T>::type searching, typename Bits<T>::type live) {
  auto rough = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    const Contact<T>& c = r.contact[i];
    StepContact<T>& s = r.step_contact[i];
    s.trial = select3<T>(searching, r.points.reached[i], s.trial);
    s.trial_force = select3<T>(searching, r.points.force[i], s.trial_force);
    const T approach = -dot(s.trial, c.normal), normal = normal_force(s, approach);
    s.cap = select<T>(live, s.law.friction * normal, s.cap);
    const Vec3<T> force = normal * c.normal - bounded_friction(s, sticking_force(c, s, s.trial, approach));
    rough = rough | differs_from(force, s.trial_force, s);
  }
  return rough;
}

// Loads the joints in their present regimes; eliminates them anew where their inertia has changed.
template <class T>
TARSUS_KERNEL void renew_joints(Robot<T>& r, const TreeState<T>& tree, double dt, bool stale) {
  T* before = r.points.inertia;
  auto differs = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  if (r.points.bends) {
    for (int k = 0; k < r.model.tree_nv; ++k) before[k] = r.joint_inertia[k];
    load_joints(r, tree, dt);
    for (int k = 0; k < r.model.tree_nv; ++k) {
      differs = differs | less<T>(before[k], r.joint_inertia[k]) | less<T>(r.joint_inertia[k], before[k]);
    }
  }
  if (stale || any<T>(differs)) eliminate_points(r, tree);
  send_bias(r, tree);
  free_points(r, dt);
}

// One round: lanes in which contacts and joints agree with the velocity terms at the end of it. `fresh` lanes begin with an
// iterate that does not balance.
template <class T>
TARSUS_KERNEL typename Bits<T>::type solve_round(Robot<T>& r, const TreeState<T>& tree, double dt, StepProgress<T>& progress) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  auto found = less<T>(zero, zero);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const auto searching = ~(progress.settled | found);
    const bool guess = pass + 1 < kLivePasses;  // the next pass
    const auto live = pass < kLivePasses ? searching : less<T>(zero, zero);
    // 1. lanes whose forces are those of the motion
    solve_points(r, dt, live);
    auto rough = try_points(r, searching, live);
    if (r.points.bends) {
      accelerate_under_contacts(r, tree);
      rough = rough | try_joints(r, tree, dt);
    }
    auto moving = searching & rough;
    T part = one;
    if (any<T>(moving & ~progress.fresh)) {
      part = search_line(r, tree, dt, moving & ~progress.fresh);
      part = select<T>(progress.fresh, one, part);
      moving = moving & less<T>(zero, part);
    }
    // 2. bounds of friction that were held follow
    const auto capped = searching & ~moving & ~live & less<T>(progress.caps, broadcast<T>(kMostCaps));
    auto again = less<T>(zero, zero);
    if (any<T>(capped)) {
      for (int j = 0; j < r.awakes; ++j) {
        again = again | follow_normal_force(r.contact[r.awake[j]], capped, r.step_contact[r.awake[j]]);
      }
      progress.caps = select<T>(again, progress.caps + 1.0, progress.caps);
    }
    found = found | (searching & ~moving & ~again);
    moving = moving | again;
    if (!any<T>(moving)) break;
    // 3. the next iterate
    take_trial(r, tree, moving, select<T>(again, one, part), dt, guess);
    if (r.points.bends) renew_joints(r, tree, dt, false);
    progress.fresh = guess ? moving : again;
  }
  return found;
}

// A first pass of lanes that are not settled, which is a guess of their contacts and of their mean velocity; a few are settled.
template <class T>
TARSUS_KERNEL void guess_points(Robot<T>& r, const TreeState<T>& tree, double dt, StepProgress<T>& progress) {
  const auto open = ~progress.settled;
  solve_points(r, dt, open);
  auto rough = try_points(r, open, open);
  accelerate_under_contacts(r, tree);
  if (r.points.bends) rough = rough | try_joints(r, tree, dt);
  const auto found = open & ~rough, woken = wake_entering(r, dt, found), changed = follow_mean_velocity(r, tree, dt, open);
  progress.settled = progress.settled | (found & ~woken & ~changed);
  if (any<T>(changed)) renew_velocity_terms(r, tree);
  take_trial(r, tree, ~progress.settled, broadcast<T>(1.0), dt, true);
}

// In lanes that are not settled.
template <class T>
TARSUS_KERNEL void settle_points(Robot<T>& r, const TreeState<T>& tree, double dt, StepProgress<T>& progress) {
  r.points.bends = false;
  for (int k = 0; k < r.model.tree_nv; ++k) r.points.bends = r.points.bends || r.step_joint[k].bent;
  load_joints(r, tree, dt);
  renew_joints(r, tree, dt, true);
  const int awakes = r.awakes;
  guess_points(r, tree, dt, progress);
  progress.fresh = ~progress.settled;
  bool stale = r.awakes > awakes;
  auto lost = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  for (int round = 0; round < kMostRounds && any<T>(~progress.settled); ++round) {
    renew_joints(r, tree, dt, stale);
    const auto found = solve_round(r, tree, dt, progress);
    lost = lost | ~(progress.settled | found);
    accelerate_under_contacts(r, tree);
    const int awakes = r.awakes;
    const auto woken = wake_entering(r, dt, found);
    const auto changed = follow_mean_velocity(r, tree, dt, found);
    const auto again = woken | changed;
    progress.settled = progress.settled | (found & ~again);
    if (!any<T>(again)) break;
    if (any<T>(changed)) renew_velocity_terms(r, tree);
    take_trial(r, tree, again, broadcast<T>(1.0), dt, true);
    progress.fresh = again, progress.settled = progress.settled | lost;
    stale = r.awakes > awakes;
  }
  progress.settled = progress.settled & ~lost;
}

}  // namespace tarsus::TARSUS_ISA
