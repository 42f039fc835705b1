// Friction that is viscous below the cone, Shah et al. section 2.2, on a Voigt element (Python: contact/laws/pseudo_coulomb.py).
#pragma once
#include "contact/laws/voigt_element.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct PseudoCoulomb : StateForce<T> {
  static constexpr const char* kName = "pseudo-coulomb";
  static constexpr bool kVoigt = true;
  static constexpr const char* kParameters[] = {"stiffness", "damping", "friction", "viscosity"};
  T stiffness, damping, friction, viscosity;

  // Friction -min(c_t, mu N / |u|) u.
  TARSUS_INLINE LawForce<T> force(const Touch<T>& at, const ContactState<T>&) const {
    const T normal = voigt_force(stiffness, damping, at), limit = friction * normal;
    const T c = smaller<T>(viscosity, limit / larger<T>(length(at.slide), broadcast<T>(kTiny)));
    return {normal, -(c * at.slide), broadcast<T>(0.0), zero3<T>()};
  }
  TARSUS_INLINE LinearLaw<T> linearised(const Touch<T>& at, const ContactState<T>&, double) const {
    return {stiffness, damping, voigt_deformation(at.depth), friction, viscosity, zero3<T>()};
  }
  TARSUS_INLINE ContactState<T> after(const ContactState<T>&, const LinearLaw<T>&, const StepResult<T>&) const {
    return {broadcast<T>(0.0), zero3<T>()};
  }
  TARSUS_INLINE T energy(const T& depth, const ContactState<T>&) const { return 0.5 * doubled_voigt_energy(stiffness, depth); }
  TARSUS_INLINE T storing(const Touch<T>& at, const ContactState<T>&, const LawForce<T>&) const {
    return stiffness * voigt_deformation(at.depth) * at.approach;
  }
};

}  // namespace tarsus::TARSUS_ISA
