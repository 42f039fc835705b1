// Visco-elastic sole on rigid ground: the layer's compression is a state of first order, Buschmann 2014 section 3.6
// (Python: contact/visco_elastic_sole.py).
#pragma once
#include "contact/laws/compliant.hpp"

namespace tarsus::TARSUS_ISA {

// Force of the layer with compression u and its rate u' = (f - k u) / c. Off the ground (u above the depth) it relaxes without
// force. A layer that the integrator left a little short of the ground is brought back to it with its own time constant.
template <class T>
TARSUS_INLINE T sole_force(const LawValues<T>& law, const T& depth, const T& rate, const T& u, T& u_rate) {
  const T zero = broadcast<T>(0.0), relax = law.stiffness / larger<T>(law.damping, broadcast<T>(kTiny));
  const auto touches = less<T>(u - 1e-12, depth);
  const T pressed = larger<T>(law.stiffness * depth + law.damping * rate, zero);
  const T force = select<T>(touches & less<T>(zero, depth), pressed, zero);
  const T follow = select<T>(less<T>(zero, force), rate + relax * (depth - u), -relax * u);
  u_rate = select<T>(touches, follow, -relax * u);
  return force;
}

}  // namespace tarsus::TARSUS_ISA
