// All integrators. A new one is its own file in this folder, included here, and its name in the list; its number is the place in
// the list. An integrator is a class with
//
//   static constexpr const char* kName;   // in Python
//   static constexpr bool kAdaptive;      // chooses its steps by itself, one robot at a time
//   static constexpr bool kKnowsForces;   // forces of a step are those of contacts and torques; otherwise samples evaluate them
//   static constexpr int kStages;         // copies of the state that it keeps in Robot::scratch
//   template <class T> static void step(Robot<T>& r, double t, double dt);   // fixed steps: from t to t + dt
//   run(...), reached()                                                      // adaptive: see dormand_prince.hpp
#pragma once
#include "simulation/integrators/dormand_prince.hpp"
#include "simulation/integrators/implicit_midpoint.hpp"
#include "simulation/integrators/runge_kutta4.hpp"
#include "simulation/integrators/semi_implicit_euler.hpp"

namespace tarsus::TARSUS_ISA {

template <class... Integrator>
struct IntegratorList {
  static constexpr int kCount = sizeof...(Integrator);
  static constexpr IntegratorRow kRow[] = {{Integrator::kName, Integrator::kAdaptive, Integrator::kStages}...};

  // Calls f.operator()<Integrator>() of that number.
  template <class F>
  TARSUS_INLINE static void visit(int number, F f) {
    int place = 0;
    (void)((place++ == number ? (f.template operator()<Integrator>(), true) : false) || ...);
  }
};

using Integrators = IntegratorList<SemiImplicitEuler, RungeKutta4, DormandPrince, ImplicitMidpoint>;

}  // namespace tarsus::TARSUS_ISA
