// Passes of Newton's method in the space of contacts (contact_space.hpp), for robots with few of them: the joints are eliminated
// once, and again only where their regimes change.
//
//   1. a round: forces of contacts and velocities of their points, until they are those of each other and of the bounds of
//      friction, with velocity terms and regimes of joints held
//   2. the motion of the whole robot; velocity terms follow its mean velocity, regimes of joints its accelerations, contacts that
//      enter the ground wake: from 1 again
//
// What is settled here is so by the same measures as in passes.hpp. Lanes that are not after some rounds go on there. What a lane
// does depends on its own numbers alone: where it waits for others it stays as it is.
#pragma once
#include "simulation/step/following_bounds.hpp"
#include "simulation/step/passes.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kPointGuesses = 5;      // first passes of a round, whose trials are taken as they are
constexpr int kMostPointPasses = 60;  // of a round
constexpr int kMostPointCaps = 24;    // how often bounds of friction follow in a step
constexpr int kMostRounds = 16;
constexpr int kFollowingRounds = 6, kFollowingPasses = 4, kFirstPasses = 2;
constexpr int kRoughRounds = 3;  // first rounds, in which bounds of friction are found roughly: velocity terms change still
constexpr double kRoughCapTolerance = 0.03;  // of these, relative

// Lanes in which forces and velocities of the last solve are not those of each other; they are the trial of these lanes.
template <class T>
TARSUS_KERNEL typename Bits<T>::type try_points(Robot<T>& r, typename Bits<T>::type searching) {
  auto rough = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    StepContact<T>& s = r.step_contact[i];
    s.trial = select3<T>(searching, r.points.reached[i], s.trial);
    s.trial_force = select3<T>(searching, r.points.force[i], s.trial_force);
    rough = rough | differs_from(force_at(r.contact[i], s, s.trial), s.trial_force, s);
  }
  return rough;
}

// Bounds of friction follow the normal forces in these lanes; true where that changes something.
template <class T>
TARSUS_KERNEL typename Bits<T>::type follow_normal_forces(Robot<T>& r, typename Bits<T>::type found, double tolerance,
                                                          StepProgress<T>& progress) {
  const auto capped = found & less<T>(progress.caps, broadcast<T>(kMostPointCaps));
  auto again = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  if (!any<T>(capped)) return again;
  for (int j = 0; j < r.awakes; ++j) {
    again = again | follow_normal_force(r.contact[r.awake[j]], capped, r.step_contact[r.awake[j]], tolerance);
  }
  progress.caps = select<T>(again, progress.caps + 1.0, progress.caps);
  return again;
}

// One round in these lanes; returns those in which contacts agree with the motion, and with the bounds of friction to this part.
// The first iterate does not balance.
template <class T>
TARSUS_KERNEL typename Bits<T>::type solve_round(Robot<T>& r, const TreeState<T>& tree, double dt, typename Bits<T>::type open,
                                                 double tolerance, StepProgress<T>& progress) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  auto found = less<T>(zero, zero), fresh = open;
  for (int pass = 0; pass < kMostPointPasses; ++pass) {
    const auto searching = open & ~found;
    const bool guess = pass + 1 < kPointGuesses;  // the next pass
    // 1. lanes whose forces are those of the motion
    solve_points(r, dt);
    auto moving = searching & try_points(r, searching);
    T part = one;
    if (any<T>(moving & ~fresh)) {
      part = search_line(r, tree, dt, moving & ~fresh, false);
      part = select<T>(fresh, one, part);
      moving = moving & less<T>(zero, part);
    }
    // 2. bounds of friction, which were held, follow
    const auto again = follow_normal_forces(r, searching & ~moving, tolerance, progress);
    found = found | (searching & ~moving & ~again);
    moving = moving | again;
    if (!any<T>(moving)) break;
    // 3. the next iterate
    part = select<T>(again, one, part);
    for (int j = 0; j < r.awakes; ++j) take_contact(r.contact[r.awake[j]], moving, part, guess, r.step_contact[r.awake[j]]);
    fresh = guess ? moving : again;
  }
  return found;
}

// Forces of the joints in their present regimes, and what is left of the motion without contacts. Joints are eliminated where
// that was not done, or their inertia has changed.
template <class T>
TARSUS_KERNEL void renew_joints(Robot<T>& r, const TreeState<T>& tree, double dt, bool first, bool bends) {
  T* before = r.points.inertia;
  auto differs = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  if (first || bends) load_joints(r, tree, dt);
  for (int k = 0; !first && bends && k < r.model.tree_nv; ++k) {
    differs = differs | less<T>(before[k], r.joint_inertia[k]) | less<T>(r.joint_inertia[k], before[k]);
  }
  if (first || any<T>(differs)) {
    eliminate_without_contacts(r, tree);
    for (int k = 0; k < r.model.tree_nv; ++k) before[k] = r.joint_inertia[k];
  }
  find_responses_of_points(r, tree);
  send_bias(r, tree);
  free_points(r, dt);
}

// Whether torques of some joint have corners.
template <class T>
TARSUS_INLINE bool has_bent_joints(const Robot<T>& r) {
  bool bends = false;
  for (int k = 0; k < r.model.tree_nv; ++k) bends = bends || r.step_joint[k].bent;
  return bends;
}

// Lanes that are settled with bounds of friction that follow at once; the others are where they were, but for their velocity
// terms and the regimes of their joints.
template <class T>
TARSUS_KERNEL void settle_following(Robot<T>& r, const TreeState<T>& tree, double dt, StepProgress<T>& progress) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const bool bends = has_bent_joints(r);
  auto open = ~progress.settled, woken = open;
  for (int i = 0; i < r.world.contacts; ++i) rest_following(r.points, i);
  for (int round = 0; round < kFollowingRounds && any<T>(open); ++round) {
    if (progress.renews) renew_velocity_terms(r, tree), progress.renews = false;
    renew_joints(r, tree, dt, round == 0, bends);
    for (int j = 0; any<T>(woken) && j < r.awakes; ++j) begin_following(r, r.awake[j], woken);
    const auto agree = pass_following(r, dt, round < 2 ? kFirstPasses : kFollowingPasses, open);
    accelerate_under_contacts(r, tree);
    auto again = open & ~agree;
    if (bends) again = again | (open & try_joints(r, tree, dt));
    woken = wake_entering(r, dt, open & agree);
    const auto changed = follow_mean_velocity(r, tree, dt, open);
    again = again | woken | changed;
    progress.renews = any<T>(changed);
    const auto settled = open & ~again;
    for (int j = 0; any<T>(settled) && j < r.awakes; ++j) {
      StepContact<T>& s = r.step_contact[r.awake[j]];
      const OwnContact<T>& c = r.points.own[r.awake[j]];
      s.cap = select<T>(settled, c.friction * select<T>(c.reach, larger<T>(c.rest - c.resist * c.velocity.z, zero), zero), s.cap);
    }
    if (any<T>(settled)) progress.settled = progress.settled | settled;
    open = again;
    if (bends && any<T>(open)) take_joints(r, tree, open, one, dt, true);
  }
}

// In lanes that are not settled; those that are in the end have their motion in ws.motion and r.vdot.
template <class T>
TARSUS_KERNEL void settle_points(Robot<T>& r, const TreeState<T>& tree, double dt, StepProgress<T>& progress) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const bool bends = has_bent_joints(r);
  auto open = ~progress.settled;
  if (progress.renews) renew_velocity_terms(r, tree);
  for (int round = 0; round < kMostRounds; ++round) {
    renew_joints(r, tree, dt, false, bends);
    const bool roughly = round < kRoughRounds;
    open = open & solve_round(r, tree, dt, open, roughly ? kRoughCapTolerance : kCapTolerance, progress);
    for (int j = 0; j < r.awakes; ++j) {
      r.points.pushing[r.awake[j]] = r.points.own[r.awake[j]].axes * r.step_contact[r.awake[j]].trial_force;
    }
    accelerate_under_contacts(r, tree);
    auto again = less<T>(zero, zero);
    if (bends) again = open & try_joints(r, tree, dt);
    if (roughly) again = again | follow_normal_forces(r, open, kCapTolerance, progress);
    again = again | wake_entering(r, dt, open);
    const auto changed = follow_mean_velocity(r, tree, dt, open);
    again = again | changed;
    progress.settled = progress.settled | (open & ~again);
    progress.renews = any<T>(changed);
    open = again;
    if (!any<T>(open) || round + 1 == kMostRounds) break;
    if (progress.renews) renew_velocity_terms(r, tree), progress.renews = false;
    take_trial(r, tree, open, one, dt, true);
  }
  progress.fresh = ~progress.settled;
  progress.caps = select<T>(progress.settled, progress.caps, zero);  // bounds of friction follow anew where others go on
}

}  // namespace tarsus::TARSUS_ISA
