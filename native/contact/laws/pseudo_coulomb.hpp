// Friction that is viscous below the cone, Shah et al. section 2.2 (Python: contact/pseudo_coulomb.py).
#pragma once
#include "contact/laws/compliant.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE Vec3<T> viscous_friction(const LawValues<T>& law, const Vec3<T>& u, const T& limit) {
  const T c = smaller<T>(law.tangential_damping, limit / larger<T>(length(u), broadcast<T>(kTiny)));
  return -(c * u);
}

}  // namespace tarsus::TARSUS_ISA
