// What a contact law is. A law is a structure of its parameters, one file in this folder and one row of table.hpp:
//
//   template <class T>
//   struct Law {
//     static constexpr const char* kName = "law";                // in Python
//     static constexpr const char* kParameters[] = {"stiffness"};  // the members, in their order; attributes in Python
//     static constexpr bool kSolved = false;                       // impulses are solved for: see SolvedImpulses below
//     static constexpr bool kVoigt = false;                        // it holds k d^2 / 2 along the normal; k is the first member
//     T stiffness;
//
//     LawForce<T> force(const Touch<T>& at, const ContactState<T>& s) const;          // explicit integrators
//     LinearLaw<T> linearised(const Touch<T>& at, const ContactState<T>& s, double dt) const;  // implicit steps
//     ContactState<T> after(const ContactState<T>& s, const LinearLaw<T>& l, const StepResult<T>& r) const;
//     T energy(const T& depth, const ContactState<T>& s) const;                        // stored [J]
//     T storing(const Touch<T>& at, const ContactState<T>& s, const LawForce<T>& f) const;  // its rate [W]
//     SolvedLaw<T> solved() const;                                                     // solved impulses
//   };
#pragma once
#include "contact/contact_state.hpp"

namespace tarsus::TARSUS_ISA {

// Where a contact point is and how it moves.
template <class T>
struct Touch {
  T depth, approach;  // d below the surface [m], its rate d' [m/s]
  Vec3<T> slide;      // velocity across the normal, world [m/s]
};

// The force that follows from the state, and the rate of the state.
template <class T>
struct LawForce {
  T normal;          // out of the ground, 0 or more [N]
  Vec3<T> friction;  // across the normal, world [N]
  T compression_rate;
  Vec3<T> deflection_rate;
};

// A law within one step of length dt, about its start. Along the normal N = stiffness d + damping (d - start) / dt with the depth
// d at the end of the step, where that pushes: the damper acts on the deformation, which was `start` at the start. Across it the
// force of sticking is -(held + gain u) with the velocity u at the end of the step; where that is beyond the cone the point slips
// with `friction` N.
template <class T>
struct LinearLaw {
  T stiffness, damping;
  T start;
  T friction;
  T gain;
  Vec3<T> held;
};

// What a step did to a contact.
template <class T>
struct StepResult {
  using Mask = typename Bits<T>::type;
  double dt;
  Mask active, sticks;  // where it pressed, and did not slip
  T depth;              // at the end
  Vec3<T> slide;        // velocity across the normal at the end
  Vec3<T> friction;     // the negative of the force across the normal
};

// A law whose impulses are solved for: Coulomb's friction, Newton's restitution.
template <class T>
struct SolvedLaw {
  T friction, restitution;
};

// Part of a law whose force follows from the state.
template <class T>
struct StateForce {
  static constexpr bool kSolved = false, kVoigt = false;
  TARSUS_INLINE SolvedLaw<T> solved() const { return {broadcast<T>(0.0), broadcast<T>(0.0)}; }
};

// A law whose impulses are solved for, without its name: no force follows from its state, and it has none.
template <class T>
struct SolvedImpulses {
  static constexpr const char* kParameters[] = {"friction", "restitution"};
  static constexpr bool kSolved = true, kVoigt = false;
  T friction, restitution;

  TARSUS_INLINE SolvedLaw<T> solved() const { return {friction, restitution}; }
  TARSUS_INLINE LawForce<T> force(const Touch<T>&, const ContactState<T>&) const {
    return {broadcast<T>(0.0), zero3<T>(), broadcast<T>(0.0), zero3<T>()};
  }
  TARSUS_INLINE LinearLaw<T> linearised(const Touch<T>&, const ContactState<T>&, double) const {
    const T zero = broadcast<T>(0.0);
    return {zero, zero, zero, zero, broadcast<T>(1.0), zero3<T>()};
  }
  TARSUS_INLINE ContactState<T> after(const ContactState<T>&, const LinearLaw<T>&, const StepResult<T>&) const {
    return {broadcast<T>(0.0), zero3<T>()};
  }
  TARSUS_INLINE T energy(const T&, const ContactState<T>&) const { return broadcast<T>(0.0); }
  TARSUS_INLINE T storing(const Touch<T>&, const ContactState<T>&, const LawForce<T>&) const { return broadcast<T>(0.0); }
};

}  // namespace tarsus::TARSUS_ISA
