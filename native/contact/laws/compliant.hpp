// Compliant ground: Voigt element in the normal direction, Coulomb friction with a stick spring (Python: contact/compliant.py).
#pragma once
#include "contact/contacts.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kTiny = 1e-300;  // keeps quotients of vanishing vectors finite

// max(0, k d + c d') inside the ground.
template <class T>
TARSUS_INLINE T voigt_force(const LawValues<T>& law, const T& depth, const T& rate) {
  const T zero = broadcast<T>(0.0), f = law.stiffness * depth + law.damping * rate;
  return select<T>(less<T>(zero, depth), larger<T>(f, zero), zero);
}

// Friction of a massless element with deflection xi: -k_t xi - c_t u, brought back onto the cone where it is outside.
template <class T>
TARSUS_INLINE Vec3<T> stick_friction(const LawValues<T>& law, const Vec3<T>& xi, const Vec3<T>& u, const T& limit) {
  const Vec3<T> f = -(law.tangential_stiffness * xi) - law.tangential_damping * u;
  const T size = length(f), scale = smaller<T>(broadcast<T>(1.0), limit / larger<T>(size, broadcast<T>(kTiny)));
  return scale * f;
}

// xi' from the force that the element carries: the tangential velocity while it sticks, less while it slips, relaxation in
// the air.
template <class T>
TARSUS_INLINE Vec3<T> deflection_rate(const LawValues<T>& law, const Vec3<T>& xi, const Vec3<T>& force) {
  return -(1.0 / law.tangential_damping) * (force + law.tangential_stiffness * xi);
}

}  // namespace tarsus::TARSUS_ISA
