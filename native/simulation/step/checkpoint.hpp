// Whether a step made energy of nothing, and the state before it, to which it then goes back.
//
// Over a step positions move by dt v+ and inertias and arms of contacts are those of its start. Parts that turn by some
// hundredths of a radian in a step, under the force of a contact, gain or lose energy by that; shorter steps do in proportion
// less.
#pragma once
#include "simulation/state_energy.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kMostGain = 0.05;     // of the kinetic energy in a second
constexpr double kMostOfWork = 0.005;  // and of the work that actuators do and take, which is as wrong as the motion is

template <class T>
struct StepEnergy {
  T kinetic, total;
};

// Kinetic and potential energy of all bodies and the power of gravity, from one sweep in node axes that also leaves the poses of
// all nodes in the world, their angular velocities (ws.motion) and those of their origins (r.speed).
template <class T>
TARSUS_KERNEL BodyEnergy<T> body_energy(Robot<T>& r, const TreeState<T>& tree) {
  const Model& m = r.model;
  const T zero = broadcast<T>(0.0);
  const Vec3<T> g = widen<T>(vec3(m.gravity));
  T doubled = zero, potential = zero, power = zero;
  prepare_joints(m, r.ws, tree.q);
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    Vec3<T>&w = r.ws.motion[i].w, &u = r.speed[i];
    Placed<T>& X = r.ws.pose[i];
    if (is_fixed(n)) {
      X = {identity3<T>(), zero3<T>()}, w = u = zero3<T>();
    } else {
      const bool first = n.parent < 0;
      const Placed<T> parent = first ? Placed<T>{identity3<T>(), zero3<T>()} : r.ws.pose[n.parent];
      const Vec3<T> origin = first ? zero3<T>() : r.speed[n.parent], rate = first ? zero3<T>() : r.ws.motion[n.parent].w;
      visit_node(m, r.ws, tree.q, i, [&](const auto& J) TARSUS_LAMBDA {
        using V = std::remove_cvref_t<decltype(J)>;
        X = {compose(parent.R, J.R), parent.p + J.p.x * parent.R.a + J.p.y * parent.R.b + J.p.z * parent.R.c};
        Vec3<T> linear = to_child(J.R, origin + cross(rate, J.p)), turn = to_child(J.R, rate);
        T x[V::dof];
        load_rates<V>(n, tree.v, x);
        for_axes<V>([&]<int axis>(int d) TARSUS_LAMBDA { add_along<axis>(J, x[d], linear, turn); });
        w = turn, u = linear;
      });
    }
    if (n.body < 0) continue;
    with_body(m, r.ws.bodies, i, [&](const auto& b) TARSUS_LAMBDA {
      const Vec3<T> down = to_child(X.R, g), momentum = b.mass * u + cross(w, b.first);
      doubled = doubled + dot(u, momentum + cross(w, b.first)) + dot(w, b.inertia * w);
      potential = potential - b.mass * dot(g, X.p) - dot(down, b.first);
      power = power + dot(down, momentum);
      return zero;
    });
    if (!m.carried) continue;
    const Vec3<T> down = to_child(X.R, g), first = widen<T>(vec3(m.carried[i].first));
    potential = potential + m.carried[i].mass * dot(g, X.p) + dot(down, first);
    power = power - dot(down, m.carried[i].mass * u + cross(w, first));
  }
  for (int k = 0; k < m.tree_nv; ++k) doubled = doubled + m.armature[k] * tree.v[k] * tree.v[k];
  return {0.5 * doubled, potential, power};
}

// Energy of the present state, kept until that changes. Positions run ahead of velocities by half a step (free fall with
// semi-implicit Euler is exact for velocities half a step later): potential energy is taken half a step back, by the power of
// gravity.
template <class T>
TARSUS_KERNEL StepEnergy<T> step_energy(Robot<T>& r, double dt) {
  KeptEnergy<T>& kept = r.kept_energy;
  if (!kept.known) {
    const TreeState<T> tree = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
    const BodyEnergy<T> bodies = body_energy(r, tree);
    if (r.world.contacts > 0) touch_located(r, r.displacement);
    T energy[kEnergyParts];
    energy[kKinetic] = bodies.kinetic, energy[kPotential] = bodies.potential, energy[kGroundStored] = ground_energy(r);
    energy[kJointStored] = springs_energy(r) + joint_energy(r.model, r.law, tree.q);
    kept = {bodies.kinetic, total_energy(r, static_cast<const T*>(energy)), bodies.gravity_power, true};
  }
  return {kept.kinetic, kept.total + (0.5 * dt) * kept.gravity_power};
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
    r.kept_energy.known = false;
    r.wake_pairs();
  }
};

}  // namespace tarsus::TARSUS_ISA
