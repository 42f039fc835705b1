// Visco-elastic sole on rigid ground: the layer's compression is a state of first order, Buschmann 2014 section 3.6
// (Python: contact/laws/visco_elastic_sole.py).
#pragma once
#include "contact/laws/stick_spring.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct ViscoElasticSole : StateForce<T> {
  static constexpr const char* kName = "visco-elastic-sole";
  static constexpr const char* kParameters[] = {"stiffness", "damping", "friction", "tangential_stiffness", "tangential_damping"};
  T stiffness, damping, friction;
  StickSpring<T> spring;

  // 1 / time constant of the layer.
  TARSUS_INLINE T decay() const { return stiffness / larger<T>(damping, broadcast<T>(kTiny)); }

  // Force of the layer with compression u and its rate u' = (f - k u) / c. Off the ground (u above the depth) it relaxes
  // without force. A layer that the integrator left a little short of the ground is brought back to it with its own time
  // constant.
  TARSUS_INLINE LawForce<T> force(const Touch<T>& at, const ContactState<T>& s) const {
    const T zero = broadcast<T>(0.0), relax = decay(), u = s.compression;
    const auto touches = less<T>(u - 1e-12, at.depth);
    const T pressed = larger<T>(stiffness * at.depth + damping * at.approach, zero);
    const T normal = select<T>(touches & less<T>(zero, at.depth), pressed, zero);
    const T follow = select<T>(less<T>(zero, normal), at.approach + relax * (at.depth - u), -relax * u);
    const Vec3<T> f = spring.friction(s.deflection, at.slide, friction * normal);
    return {normal, f, select<T>(touches, follow, -relax * u), spring.rate(s.deflection, f)};
  }
  // The damper acts on the compression; a layer short of the ground is brought to it at once.
  TARSUS_INLINE LinearLaw<T> linearised(const Touch<T>& at, const ContactState<T>& s, double dt) const {
    return {stiffness, damping, larger<T>(s.compression, at.depth), friction, spring.gain(dt), spring.stiffness * s.deflection};
  }
  // In the air the compression decays within the step to u / (1 + dt k / c); beyond that depth the layer touches.
  TARSUS_INLINE ContactState<T> after(const ContactState<T>& s, const LinearLaw<T>& l, const StepResult<T>& r) const {
    const T relaxed = s.compression * (1.0 / (1.0 + r.dt * decay()));
    return {select<T>(r.active, r.depth, relaxed), spring.after(s.deflection, l, r)};
  }
  TARSUS_INLINE T energy(const T&, const ContactState<T>& s) const {
    return 0.5 * (stiffness * s.compression * s.compression + spring.doubled_energy(s.deflection));
  }
  TARSUS_INLINE T storing(const Touch<T>&, const ContactState<T>& s, const LawForce<T>& f) const {
    return stiffness * s.compression * f.compression_rate + spring.storing(s.deflection, f.deflection_rate);
  }
};

}  // namespace tarsus::TARSUS_ISA
