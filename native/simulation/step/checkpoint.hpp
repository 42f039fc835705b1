// Whether a step made energy of nothing, and the state before it, to which it then goes back.
//
// Over a step positions move by dt v+ and inertias and arms of contacts are those of its start. Parts that turn by some
// hundredths of a radian in a step, under the force of a contact, gain or lose energy by that; shorter steps do in proportion
// less.
#pragma once
#include "simulation/state_energy.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kMostGain = 0.05;  // of the kinetic energy in a second
constexpr double kMostLift = 1e-3;  // on height fields as much more as lifts the robot at this speed [m/s]: it may stand still

constexpr double kMostOfWork = 0.005;  // and of the work that actuators do and take, which is as wrong as the motion is

template <class T>
struct StepEnergy {
  T kinetic, total;
};

// Energy of the present state. Positions run ahead of velocities by half a step (free fall with semi-implicit Euler is exact for
// velocities half a step later): potential energy is taken half a step back, by the power of gravity g . p.
template <class T>
TARSUS_KERNEL StepEnergy<T> step_energy(Robot<T>& r, double dt) {
  const Model& m = r.model;
  const TreeState<T> tree = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
  if (r.world.contacts > 0 || r.springs > 0) {
    sweep<false>(m, r.ws, tree.q, tree.v, static_cast<const T*>(nullptr));
    update_contacts(r, tree.q, tree.v, r.displacement);
  }
  T energy[kEnergyParts], p[6];
  state_energy(r, tree, energy);
  momentum(Context<T>{m, r.ws, tree.q, tree.v, nullptr, nullptr, p});
  const T power = dot(vec3(m.gravity), Vec3<T>{p[0], p[1], p[2]});
  return {energy[kKinetic], total_energy(r, static_cast<const T*>(energy)) + (0.5 * dt) * power};
}

// Power of all actuators, whether they drive or brake, at the end of the last step.
template <class T>
inline T actuator_power(const Robot<T>& r) {
  T sum = broadcast<T>(0.0);
  for (int k = 0; k < r.model.nv; ++k) sum = sum + magnitude<T>(r.tau[k] * r.v[k]);
  return sum;
}

// The state of a robot at the start of a step.
template <class T>
struct Checkpoint {
  T* memory;  // Robot::checkpoint_size

  // Calls f(value now, value kept) of every number.
  template <class F>
  void each(Robot<T>& r, F f) const {
    T* kept = memory;
    for (int k = 0; k < r.model.nq; ++k) f(r.q[k], *kept++);
    for (int k = 0; k < r.model.nv; ++k) f(r.v[k], *kept++);
    for (int k = 0; k < kWorks; ++k) f(r.work[k], *kept++);
    for (int i = 0; i < r.world.contacts; ++i) {
      Vec3<T>&d = r.displacement[i], &c = r.contact[i].force;
      f(d.x, *kept++), f(d.y, *kept++), f(d.z, *kept++), f(c.x, *kept++), f(c.y, *kept++), f(c.z, *kept++);
    }
  }
  void keep(Robot<T>& r) const {
    each(r, [](T& now, T& kept) { kept = now; });
  }
  void go_back(Robot<T>& r, typename Bits<T>::type lanes_back) const {
    each(r, [&](T& now, T& kept) { now = select<T>(lanes_back, kept, now); });
    r.wake_pairs();
  }
};

}  // namespace tarsus::TARSUS_ISA
