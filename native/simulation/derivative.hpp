// The right-hand side of the equations of motion with contact: rates of velocity, contact states and work.
#pragma once
#include "kernels/kinematics/manifold.hpp"
#include "simulation/body_forces.hpp"
#include "simulation/constraints/constraints.hpp"
#include "simulation/step/springs.hpp"
#include "simulation/tree_state.hpp"

namespace tarsus::TARSUS_ISA {

// References of the law at time t, with gravity added to the torques where it is to be compensated, but for weights that are
// carried; tree_q is closed.
template <class T>
inline void read_law(Robot<T>& r, const T* tree_q, double t) {
  const Model& m = r.model;
  if (!r.references_constant) read_references(m, r.law, t, r.source, r.reference);
  r.references_constant = r.law.knots == 1 && !r.law.gravity;
  if (!r.law.gravity) return;
  const T zero = broadcast<T>(0.0);
  for (int k = 0; k < m.tree_nv; ++k) r.ws.force[k] = zero;
  sweep<false>(m, r.ws, tree_q, static_cast<const T*>(r.ws.force), static_cast<const T*>(nullptr));
  if (m.carried) subtract_carried(m, r.ws, tree_q);
  gather_forces(m, r.ws, tree_q, r.passive);
  for (int k = 0; k < m.nv; ++k) r.total[k] = zero;
  add_reduced_force(r, static_cast<const T*>(r.passive), r.total);
  for (int k = 0; k < m.nv; ++k) {
    if (r.law.actuated[k]) r.reference.tau[k] = r.reference.tau[k] + r.total[k];
  }
}

// Torques of the joint law, and of springs, dampers, friction and stops; velocities, and the wrenches that the motion needs
// without acceleration of the joints. Powers are cleared.
template <class T>
TARSUS_INLINE TreeState<T> load_motion(Robot<T>& r, const T* q, const T* v, double t) {
  const Model& m = r.model;
  const TreeState<T> tree = expand_state(r, q, v);
  read_law(r, tree.q, t);
  law_torque(m, r.law, r.reference, q, v, r.tau);
  joint_forces(m, r.law, tree.q, tree.v, r.passive);
  if (m.coupled) {
    sweep_coupled(m, r.ws, tree.q, tree.v);
  } else {
    sweep<false>(m, r.ws, tree.q, tree.v, static_cast<const T*>(nullptr));
  }
  for (int k = 0; k < kWorks; ++k) r.power[k] = broadcast<T>(0.0);
  return tree;
}

// External wrenches, taken off what the motion needs; forces on the independent coordinates, tau + G^T passive; their powers.
// Nodes are located.
template <class T>
TARSUS_INLINE void load_forces(Robot<T>& r, const TreeState<T>& tree, const T* v) {
  const Model& m = r.model;
  if (m.carried) subtract_carried(m, r.ws, tree.q);
  if (r.external) {
    subtract_external(m, r.ws, tree.q, r.external);
    r.power[work_index(kExternal)] = external_power(r);
  }
  T actuator = broadcast<T>(0.0);
  for (int k = 0; k < m.nv; ++k) {
    r.total[k] = r.tau[k];
    actuator = actuator + r.tau[k] * v[k];
  }
  add_reduced_force(r, static_cast<const T*>(r.passive), r.total);
  r.power[work_index(kActuator)] = actuator;
  r.power[work_index(kJointBalance)] = r.power[work_index(kJointDissipated)] = joint_loss(m, r.law, tree.q, tree.v);
}

// r.vdot, r.displacement_rate and r.power of a state at time t, with r.tau, r.passive and the forces of the contacts.
template <class T>
TARSUS_KERNEL void derivative(Robot<T>& r, const T* q, const T* v, const Vec3<T>* displacement, double t) {
  const Model& m = r.model;
  // 1. torques, velocities and the wrenches that the motion needs without acceleration of the joints
  const TreeState<T> tree = load_motion(r, q, v, t);
  load_constraints(r, tree, t);
  // 2. contacts and springs, taken off what the motion needs
  r.wake_pairs();
  if (r.world.nodes > 0) update_contacts(r, tree.q, tree.v, displacement);
  const T springs = apply_springs(r);
  T ground = broadcast<T>(0.0), outside = ground;
  for (int i = 0; i < r.world.contacts; ++i) {
    Contact<T>& c = r.contact[i];
    Vec3<T> rate = zero3<T>();
    if (c.near) {
      const ContactRates<T> rates = contact_force(c, displacement[i]);
      rate = rates.displacement + turning_of(r, c, displacement[i]);
      apply_contact(r, c, c.force);
      ground = ground - dot(c.force, c.velocity) - rates.stored;
      outside = outside + dot(c.force, c.skin);
    } else {
      c.force = zero3<T>();
    }
    r.displacement_rate[i] = rate;
  }
  r.power[work_index(kGroundBalance)] = r.power[work_index(kGroundDissipated)] = ground;
  // 3. external wrenches, forces on the independent coordinates
  load_forces(r, tree, v);
  r.power[work_index(kExternal)] = r.power[work_index(kExternal)] + outside;
  r.power[work_index(kJointBalance)] = r.power[work_index(kJointDissipated)] = springs + r.power[work_index(kJointBalance)];
  // 4. accelerations by the articulated-body algorithm, with constraints
  if (m.coupled) {
    eliminate_swept(m, r.ws, tree.q, v, static_cast<const T*>(r.total), r.cluster);
    add_couplings(m, r.ws, tree.q, r.cluster, r.couplings);
    accelerate_swept_step(m, r.ws, tree.q, r.vdot, r.cluster);
  } else {
    eliminate_joints(m, r.ws, q, static_cast<const T*>(r.total), OwnInertia<T>{m, r.ws.bodies});
    add_couplings(m, r.ws, q, r.cluster, r.couplings);
    accelerate(m, r.ws, q, r.vdot);
  }
  if (r.constraints.any()) r.power[work_index(kConstraint)] = take_constraint_forces(r, tree);
}

}  // namespace tarsus::TARSUS_ISA
