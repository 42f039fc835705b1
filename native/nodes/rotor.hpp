// Rotors on the parent of a joint that turn with it, as parts of a gyrostat: their mass is the parent's, and what is left is
// the moment of momentum h = rate `spin` about axes fixed to the parent. Kane and Levinson 1985, section 3.10; Buschmann 2014
// section 3.4.2 has them as bodies.
#pragma once
#include "nodes/motion.hpp"

namespace tarsus::TARSUS_ISA {

// What they need at the joint and of the parent.
template <class T>
struct RotorLoad {
  T force;
  Vec3<T> moment;
};

// At vdot = 0, from the motion of the node itself; all vectors in its axes. With w, dw of the parent (`carry` undone), the
// equation of the rotor about its axis is spin . dw, and the parent feels w x h.
template <class V, class T>
TARSUS_INLINE RotorLoad<T> rotor_load(const Motion<T>& m, const T& rate, const Vec3<T>& spin) {
  Vec3<T> w = m.w, dw = m.dw;
  if constexpr (V::facts.angle) {
    w.z = w.z - rate;
    dw.x = dw.x - w.y * rate;
    dw.y = dw.y + w.x * rate;
  }
  return {dot(dw, spin), rate * cross(w, spin)};
}

}  // namespace tarsus::TARSUS_ISA
