// A spring and a damper side by side between a point and the surface, which push and never pull.
#pragma once
#include "contact/laws/law.hpp"

namespace tarsus::TARSUS_ISA {

// max(0, k d + c d') inside the ground.
template <class T>
TARSUS_INLINE T voigt_force(const T& stiffness, const T& damping, const Touch<T>& at) {
  const T zero = broadcast<T>(0.0), f = stiffness * at.depth + damping * at.approach;
  return select<T>(less<T>(zero, at.depth), larger<T>(f, zero), zero);
}

// Deformation of the spring.
template <class T>
TARSUS_INLINE T voigt_deformation(const T& depth) {
  return larger<T>(depth, broadcast<T>(0.0));
}

// Twice the energy of the spring of a Voigt element.
template <class T>
TARSUS_INLINE T doubled_voigt_energy(const T& stiffness, const T& depth) {
  const T deep = voigt_deformation(depth);
  return stiffness * deep * deep;
}

}  // namespace tarsus::TARSUS_ISA
