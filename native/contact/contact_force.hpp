// Forces of contacts that follow from the state, law by law, the rate of their own states and the energy they hold.
#pragma once
#include "contact/laws/pseudo_coulomb.hpp"
#include "contact/laws/visco_elastic_sole.hpp"

namespace tarsus::TARSUS_ISA {

// The state of a contact is one vector in world axes: along the normal the compression of a sole, tangentially the deflection
// of the stick spring.
template <class T>
struct ContactState {
  T compression;
  Vec3<T> deflection;
};
template <class T>
TARSUS_INLINE ContactState<T> split_state(const Contact<T>& c, const T* z) {
  const Vec3<T> all{z[0], z[1], z[2]};
  const T along = dot(all, c.normal);
  return {c.law.remembers * along, all - along * c.normal};
}

// Sets c.force; returns z'.
template <class T>
inline Vec3<T> contact_force(Contact<T>& c, const T* z) {
  const ContactState<T> s = split_state(c, z);
  const T approach = -dot(c.velocity, c.normal);
  const Vec3<T> u = c.velocity + approach * c.normal;
  T compression_rate;
  const T sole = sole_force(c.law, c.depth, approach, s.compression, compression_rate);
  const T voigt = voigt_force(c.law, c.depth, approach);
  const auto remembers = less<T>(broadcast<T>(0.5), c.law.remembers), viscous = less<T>(broadcast<T>(0.5), c.law.viscous);
  const auto solved = less<T>(broadcast<T>(0.5), c.law.solved);
  const T zero = broadcast<T>(0.0);
  const T normal = select<T>(solved, zero, select<T>(remembers, sole, voigt));
  const T limit = c.law.friction * normal;
  const Vec3<T> friction = select3<T>(viscous, viscous_friction(c.law, u, limit), stick_friction(c.law, s.deflection, u, limit));
  c.force = normal * c.normal + friction;
  const Vec3<T> slide = select3<T>(viscous | solved, zero3<T>(), deflection_rate(c.law, s.deflection, friction));
  return slide + select<T>(remembers, compression_rate, zero) * c.normal;
}

// Energy in the springs of a contact.
template <class T>
TARSUS_INLINE T contact_energy(const Contact<T>& c, const T* z) {
  const ContactState<T> s = split_state(c, z);
  const T zero = broadcast<T>(0.0);
  const auto remembers = less<T>(broadcast<T>(0.5), c.law.remembers), viscous = less<T>(broadcast<T>(0.5), c.law.viscous);
  const auto solved = less<T>(broadcast<T>(0.5), c.law.solved);
  const T deep = select<T>(remembers, s.compression, larger<T>(c.depth, zero));
  const T shear = select<T>(viscous, zero, c.law.tangential_stiffness * dot(s.deflection, s.deflection));
  return select<T>(solved, zero, 0.5 * (c.law.stiffness * deep * deep + shear));
}

}  // namespace tarsus::TARSUS_ISA
