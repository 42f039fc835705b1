// What a contact remembers from step to step.
#pragma once
#include "contact/distance.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kTiny = 1e-300;  // keeps quotients of vanishing vectors finite

// The state of a contact as its law sees it, with the normal of the moment. Between steps it is kept as two vectors in world
// axes, which do not depend on the normal: the displacement [m] and the force [N] (Robot::displacement, Robot::last_force).
// A law reads and writes the fields it needs; the others are zero.
template <class T>
struct ContactState {
  T compression;       // of a visco-elastic layer, along the normal [m]
  Vec3<T> deflection;  // of the spring that sticks to the ground, across the normal, world [m]
};

template <class T>
TARSUS_INLINE ContactState<T> split_displacement(const Vec3<T>& normal, const Vec3<T>& displacement) {
  const T along = dot(displacement, normal);
  return {along, displacement - along * normal};
}
template <class T>
TARSUS_INLINE Vec3<T> displacement_of(const Vec3<T>& normal, const ContactState<T>& s) {
  return s.deflection + s.compression * normal;
}

}  // namespace tarsus::TARSUS_ISA
