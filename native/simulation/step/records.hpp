// What a contact and a joint are in the course of one implicit step: data only.
#pragma once
#include "contact/contact_force.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct StepContact {
  using Mask = typename Bits<T>::type;
  // Written by begin_contact, the same in all passes:
  ContactState<T> state;  // at the start of the step
  LinearLaw<T> law;       // about the start of the step
  Vec3<T> normal;         // node axes
  T pull, give;           // normal force at constant velocity; what it loses for a unit of acceleration
  Vec3<T> stick;          // force of sticking at constant velocity (its negative), world
  // The regime; guessed by begin_contact, corrected by settle_contact after each pass:
  Mask active, slips;
  T carried;      // normal force that friction was computed from
  T turning;      // part of the force of sticking that acts across the direction of slip
  Vec3<T> slide;  // direction of slip, world
};

template <class T>
struct StepJoint {
  using Mask = typename Bits<T>::type;
  // Written by begin_joints, the same in all passes:
  T torque, resist;  // of the law at constant velocity, and what it loses for a unit of acceleration
  // The regime; guessed by begin_joints, corrected by settle_joints after each pass:
  Mask saturated, slips, low, high;  // torque at its limit, friction at its limit, at the lower or upper stop
  T limit;                           // the torque where saturated
  T direction;                       // of motion, where friction is at its limit
};

}  // namespace tarsus::TARSUS_ISA
