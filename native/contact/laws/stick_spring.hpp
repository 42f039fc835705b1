// Coulomb friction of a massless element that sticks to the ground: a spring and a damper with the deflection xi, across the
// normal. Inside the cone the point sticks, xi' is its velocity; on the cone it slips, and xi' follows from the force.
#pragma once
#include "contact/laws/law.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct StickSpring {
  T stiffness, damping;

  // -k xi - c u, brought back onto the cone where it is outside.
  TARSUS_INLINE Vec3<T> friction(const Vec3<T>& xi, const Vec3<T>& u, const T& limit) const {
    const Vec3<T> f = -(stiffness * xi) - damping * u;
    const T size = length(f), scale = smaller<T>(broadcast<T>(1.0), limit / larger<T>(size, broadcast<T>(kTiny)));
    return scale * f;
  }

  // xi' from the force that the element carries: the tangential velocity while it sticks, less while it slips, relaxation in
  // the air.
  TARSUS_INLINE Vec3<T> rate(const Vec3<T>& xi, const Vec3<T>& force) const {
    return -(1.0 / damping) * (force + stiffness * xi);
  }

  // Friction at the end of a step for a unit of velocity there: c + dt k, since xi moves on by dt u.
  TARSUS_INLINE T gain(double dt) const { return damping + dt * stiffness; }

  // xi at the end of a step: moved with the point where it sticks, otherwise from the friction f = k xi + (c + dt k) xi'.
  TARSUS_INLINE Vec3<T> after(const Vec3<T>& xi, const LinearLaw<T>& l, const StepResult<T>& r) const {
    const Vec3<T> moved = xi + r.dt * r.slide;
    if (!any<T>(~r.sticks)) return moved;
    return select3<T>(r.sticks, moved, xi + (r.dt / l.gain) * (r.friction - l.held));
  }

  // Rate of its energy.
  TARSUS_INLINE T storing(const Vec3<T>& xi, const Vec3<T>& rate) const { return stiffness * dot(xi, rate); }

  // Twice the energy of the spring.
  TARSUS_INLINE T doubled_energy(const Vec3<T>& xi) const { return stiffness * dot(xi, xi); }
};

}  // namespace tarsus::TARSUS_ISA
