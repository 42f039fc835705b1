// Semi-implicit Euler: velocities first, with stiff forces taken at the end of the step, then positions with the new velocities.
#pragma once
#include "simulation/impulses/impulse_steps.hpp"

namespace tarsus::TARSUS_ISA {

struct SemiImplicitEuler {
  static constexpr const char* kName = "semi-implicit-euler";
  static constexpr bool kAdaptive = false, kKnowsForces = true;
  static constexpr int kStages = 2;  // velocities, and the configuration moved by them

  // Where a surface has a law whose impulses are solved for, they are part of the step.
  template <class T>
  static void step(Robot<T>& r, double t, double dt) {
    const auto all = less<T>(broadcast<T>(0.0), broadcast<T>(1.0));
    if (r.solves_impulses) {
      least_constraint_step(r, t, dt, all);
    } else {
      implicit_step(r, t, dt, all);
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
