// Compliant ground: a Voigt element in the normal direction, Coulomb friction with a spring that sticks (Python:
// contact/laws/compliant.py).
#pragma once
#include "contact/laws/stick_spring.hpp"
#include "contact/laws/voigt_element.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Compliant : StateForce<T> {
  static constexpr const char* kName = "compliant";
  static constexpr bool kVoigt = true;
  static constexpr const char* kParameters[] = {"stiffness", "damping", "friction", "tangential_stiffness", "tangential_damping"};
  T stiffness, damping, friction;
  StickSpring<T> spring;

  TARSUS_INLINE LawForce<T> force(const Touch<T>& at, const ContactState<T>& s) const {
    const T normal = voigt_force(stiffness, damping, at);
    const Vec3<T> f = spring.friction(s.deflection, at.slide, friction * normal);
    return {normal, f, broadcast<T>(0.0), spring.rate(s.deflection, f)};
  }
  TARSUS_INLINE LinearLaw<T> linearised(const Touch<T>& at, const ContactState<T>& s, double dt) const {
    return {stiffness, damping, voigt_deformation(at.depth), friction, spring.gain(dt), spring.stiffness * s.deflection};
  }
  TARSUS_INLINE ContactState<T> after(const ContactState<T>& s, const LinearLaw<T>& l, const StepResult<T>& r) const {
    return {broadcast<T>(0.0), spring.after(s.deflection, l, r)};
  }
  TARSUS_INLINE T energy(const T& depth, const ContactState<T>& s) const {
    return 0.5 * (doubled_voigt_energy(stiffness, depth) + spring.doubled_energy(s.deflection));
  }
  TARSUS_INLINE T storing(const Touch<T>& at, const ContactState<T>& s, const LawForce<T>& f) const {
    return stiffness * voigt_deformation(at.depth) * at.approach + spring.storing(s.deflection, f.deflection_rate);
  }
};

}  // namespace tarsus::TARSUS_ISA
