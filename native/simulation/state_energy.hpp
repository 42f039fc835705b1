// Energy of the present state of a robot: the parts of the audit that are no sums over time, and what they are with those.
#pragma once
#include "kernels/dynamics/carried.hpp"
#include "kernels/dynamics/momentum.hpp"
#include "simulation/step/springs.hpp"
#include "simulation/tree_state.hpp"

namespace tarsus::TARSUS_ISA {

// Energy in the springs of all contacts, which are up to date.
template <class T>
inline T ground_energy(const Robot<T>& r) {
  T stored = broadcast<T>(0.0);
  for (int j = 0; j < r.listeds; ++j) {
    const int i = r.listed[j];
    if (r.contact[i].near) stored = stored + contact_energy(r.contact[i], r.displacement[i]);
  }
  return stored;
}

// Kinetic, potential and stored energy; contacts and poses are up to date, and ws.pose is not theirs any more afterwards.
template <class T>
inline void state_energy(Robot<T>& r, const TreeState<T>& tree, T* energy) {
  energy[kGroundStored] = ground_energy(r);
  const T springs = springs_energy(r);
  Context<T> x{r.model, r.ws, tree.q, tree.v, nullptr, nullptr, &energy[kKinetic]};
  kinetic_energy(x);
  x.out = &energy[kPotential];
  potential_energy(x);
  if (r.model.carried) energy[kPotential] = energy[kPotential] - carried_energy(r.model, r.ws, tree.q);
  energy[kJointStored] = springs + joint_energy(r.model, r.law, tree.q);
}

// The sum that exact integration keeps: with what was dissipated, less the work that was done.
template <class T>
inline T total_energy(const Robot<T>& r, const T* energy) {
  auto work = [&](EnergyPart part) TARSUS_LAMBDA { return r.work[work_index(part)]; };
  const T present = energy[kKinetic] + energy[kPotential] + energy[kGroundStored] + energy[kJointStored];
  const T lost = work(kGroundDissipated) + work(kJointDissipated) + work(kImpact);
  return present + lost - work(kActuator) - work(kExternal) - work(kConstraint);
}

}  // namespace tarsus::TARSUS_ISA
