// Forces of contacts that follow from the state, the rate of their own states and the energy they hold, whatever their law.
#pragma once
#include "contact/contacts.hpp"

namespace tarsus::TARSUS_ISA {

// Where a contact point is and how it moves with that velocity, as its law sees it.
template <class T>
TARSUS_INLINE Touch<T> touch_of(const Contact<T>& c) {
  const T approach = -dot(c.velocity, c.normal);
  return {c.depth, approach, c.velocity + approach * c.normal};
}

// Rates of a contact's displacement and of the energy in its springs.
template <class T>
struct ContactRates {
  Vec3<T> displacement;
  T stored;
};

// Sets c.force; returns the rates.
template <class T>
inline ContactRates<T> contact_force(Contact<T>& c, const Vec3<T>& displacement) {
  const ContactState<T> s = split_displacement(c.normal, displacement);
  const Touch<T> at = touch_of(c);
  const LawForce<T> f = by_law<LawForce<T>>(c, [&](const auto& law) TARSUS_LAMBDA { return law.force(at, s); });
  c.force = f.normal * c.normal + f.friction;
  return {displacement_of(c.normal, ContactState<T>{f.compression_rate, f.deflection_rate}),
          by_law<T>(c, [&](const auto& law) TARSUS_LAMBDA { return law.storing(at, s, f); })};
}

// Energy in the springs of a contact.
template <class T>
TARSUS_INLINE T contact_energy(const Contact<T>& c, const Vec3<T>& displacement) {
  const ContactState<T> s = split_displacement(c.normal, displacement);
  return by_law<T>(c, [&](const auto& law) TARSUS_LAMBDA { return law.energy(c.depth, s); });
}

}  // namespace tarsus::TARSUS_ISA
