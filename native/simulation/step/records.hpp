// What a contact and a joint are in the course of one implicit step: data only.
#pragma once
#include "contact/contact_force.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct StepContact {
  using Mask = typename Bits<T>::type;
  bool awake;     // it takes part in the step in some lane; begin_step, wake_contact
  Mask lanes;     // those in which it does: in others it has no force, whoever woke it
  Vec3<T> swing;  // what it moves by beside its velocity at the end, for a unit of time, world; begin_step
  // Written by begin_contact, the same in all passes:
  ContactState<T> state;  // at the start of the step
  LinearLaw<T> law;       // about the start of the step
  Mask reach;             // lanes that are near the ground
  Vec3<T> normal;         // node axes
  T rest, resist;         // normal force rest + resist d' at the end of the step, where that is positive
  Vec3<T> hold;           // force of sticking (its negative) of a point that is still at the end of the step, world
  T pull;                 // the same at constant velocity
  Vec3<T> stick;          // force of sticking at constant velocity (its negative), world
  // Written by end_contact: depth at the end as the step sees it, and what was lost in the step [J].
  T end_depth, lost;
  // Force beside that of the law, as solved impulses give it, world; begin_contact, give_impulses:
  Vec3<T> given;
  // The iterate; written by take_contact:
  Vec3<T> velocity;  // of the point at the end of the step, world
  Vec3<T> balanced;  // force that takes part in the balance M vdot + bias = sum J^T f there
  // What the solve about the iterate gave; written by try_contact:
  Vec3<T> trial, trial_force;
  // The regime at the iterate; written by linearise_contact:
  Mask active, slips;
  T turning;      // part of the force of sticking that acts across the direction of slip
  Vec3<T> slide;  // direction of slip, world
  // Bound of friction, held while the motion is solved for; written by begin_contact and follow_normal_force:
  T cap;
  T cap_before, cap_miss;  // the one before, and by how much what was found with it differed
  Mask cap_followed;       // lanes in which they are there
};

template <class T>
struct StepJoint {
  using Mask = typename Bits<T>::type;
  // Written by begin_joints, the same in all passes:
  T torque, resist;  // of the law at constant velocity, and what it loses for a unit of acceleration
  T passive, yield;  // the same of damper and spring
  bool bent;         // there are limits, friction or stops: the torque has corners
  T low, high;       // forces of the two stops at constant velocity; negative where they do not push
  // The iterate; written by take_joint:
  T rate;      // acceleration of the joint
  T balanced;  // torque that takes part in the balance there
  // What the solve about the iterate gave; written by try_joints:
  T trial, trial_force;
  // The regime at the iterate; written by linearise_joint:
  Mask saturated, slips, at_low, at_high;  // torque at its limit, friction at its limit, at the lower or upper stop
  T limit;                                 // the torque where saturated
  T direction;                             // of motion, where friction is at its limit
};

// A spring between two points (springs.hpp).
template <class T>
struct StepSpring {
  // Written by begin_springs, the same in all passes:
  T distance, rate;  // at the start
  T swing;           // what the distance changes by beside its rate at the end, for a unit of time
  T pull, resist;    // force at constant velocity, and what it loses for a unit of acceleration
  int row;           // among the couplings
  // The iterate; written by take_springs:
  T at, balanced;
  // What the solve about the iterate gave; written by try_springs:
  T trial, trial_force;
  typename Bits<T>::type active;  // lanes in which it is not slack at the iterate
};

// Of all bodies; `gravity_power` is the power of gravity.
template <class T>
struct BodyEnergy {
  T kinetic, potential, gravity_power;
};

// Energy of the state as it is; `total` as of total_energy.
template <class T>
struct KeptEnergy {
  T kinetic, total, gravity_power;
  bool known = false;  // step_energy; not after the state has changed: RobotMemory::load, whole_step, Checkpoint::go_back
};

// How the lanes of a step are doing; written by settle_step and settle_points.
template <class T>
struct StepProgress {
  using Mask = typename Bits<T>::type;
  Mask settled;  // the motion is found: nothing of these lanes changes any more
  Mask fresh;    // the iterate does not balance: its first trial is taken as it is
  T caps;        // how often the bounds of friction have followed the normal forces
  bool renews;   // velocity terms are to be renewed before the next solve
};

}  // namespace tarsus::TARSUS_ISA
