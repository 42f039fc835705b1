// One step of semi-implicit Euler with stiff forces taken at its end: joint springs and dampers, torques of the joint law, and
// contacts. A force f0 - c a that is linear in the acceleration a of its point adds c to the inertia of the body (and dt kd +
// dt^2 kp to that of a joint), so that the step remains one articulated-body solve in O(n). What is not linear - contacts that
// open and close, sticking and slipping, torque limits - is settled by a few passes, each of which repeats that solve.
//
// Work is force times the mean of the velocities at the start and the end of the step. With M (v+ - v) = dt f that is the
// change of kinetic energy to the last bit, impacts of a single step included; what remains in the balance of energy is the
// potential of the displacement dt v+, dt/2 (G v - G v+), which does not add up over steps, and the change of M.
#pragma once
#include "simulation/derivative.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostPasses = 12;
constexpr int kFreePasses = 3;            // passes in which contacts may close; later ones only open them
constexpr double kForceTolerance = 1e-5;  // relative, of the normal force behind friction
constexpr double kTurnTolerance = 1e-8;   // 1 - cosine of the change of a direction of slip
constexpr double kNoLimit = 1e299;        // torque limits from here on are none
constexpr double kJointStiction = 1e-8;   // speed of a joint held by friction at its limit [rad/s or m/s]
constexpr double kForgotten = 1e-30;      // states of contacts in the air below this are zero [m]

// A resistance c_n along n and c_t across, at the point `arm`, as an inertia about the node's origin.
template <class T>
TARSUS_INLINE void add_point_inertia(const T& cn, const T& ct, const Vec3<T>& n, const Vec3<T>& arm, Articulated<T>& I) {
  const T d = cn - ct;
  const Vec3<T> u = d * n;
  const Sym3<T> K{ct + u.x * n.x, ct + u.y * n.y, ct + u.z * n.z, u.x * n.y, u.x * n.z, u.y * n.z};
  const Vec3<T> Kx{K.xx, K.xy, K.xz}, Ky{K.xy, K.yy, K.yz}, Kz{K.xz, K.yz, K.zz};
  const Vec3<T> X = arm.y * Kz - arm.z * Ky, Y = arm.z * Kx - arm.x * Kz, Z = arm.x * Ky - arm.y * Kx;  // [arm] K
  const Vec3<T> ax = cross(arm, X), ay = cross(arm, Y), az = cross(arm, Z);
  I.C = I.C + K;
  I.Bx += X, I.By += Y, I.Bz += Z;
  I.A = I.A + Sym3<T>{ax.x, ay.y, az.z, ax.y, ax.z, ay.z};
}

// A resistance c along the direction s alone.
template <class T>
TARSUS_INLINE void add_line_inertia(const T& c, const Vec3<T>& s, const Vec3<T>& arm, Articulated<T>& I) {
  const Vec3<T> f = c * s, m = cross(arm, s), n = c * m;
  I.C = I.C + Sym3<T>{f.x * s.x, f.y * s.y, f.z * s.z, f.x * s.y, f.x * s.z, f.y * s.z};
  I.Bx += m.x * f, I.By += m.y * f, I.Bz += m.z * f;
  I.A = I.A + Sym3<T>{n.x * m.x, n.y * m.y, n.z * m.z, n.x * m.y, n.x * m.z, n.y * m.z};
}

// Direction of slip and the part of the force of sticking that a slipping contact takes across it: the derivative of mu N s /
// |s|, Newton's method for the direction. Without it the direction of a point that almost sticks is not found.
template <class T>
TARSUS_INLINE void find_slip(const Vec3<T>& stick, const T& cap, Vec3<T>& slide, T& turning) {
  const T per = 1.0 / larger<T>(length(stick), broadcast<T>(kTiny));
  slide = per * stick;
  turning = smaller<T>(broadcast<T>(1.0), cap * per);
}

// Friction (its negative) of a slipping contact, whose force of sticking is `stick`.
template <class T>
TARSUS_INLINE Vec3<T> slip_friction(const Contact<T>& c, const StepContact<T>& s, const Vec3<T>& stick) {
  return (c.law.friction * s.carried) * s.slide + s.turning * (stick - dot(stick, s.slide) * s.slide);
}

// Linearises a contact about the velocities at the start of the step and guesses its regime from them.
template <class T>
TARSUS_INLINE void begin_contact(const Robot<T>& r, const Contact<T>& c, const T* z, double dt, StepContact<T>& s) {
  const T zero = broadcast<T>(0.0);
  const ContactState<T> state = split_state(c, z);
  const auto viscous = less<T>(broadcast<T>(0.5), c.law.viscous), solved = less<T>(broadcast<T>(0.5), c.law.solved);
  const T kt = select<T>(viscous, zero, c.law.tangential_stiffness);
  s.normal = to_child(r.ws.pose[c.node].R, c.normal);
  const T resist = c.law.damping + dt * c.law.stiffness, approach = -dot(c.velocity, c.normal);
  s.pull = c.law.stiffness * c.depth + resist * approach;
  s.give = dt * resist;
  s.gain = c.law.tangential_damping + dt * kt;
  s.relaxed = zero;
  if (any<T>(less<T>(broadcast<T>(0.5), c.law.remembers))) {
    s.relaxed = state.compression * (1.0 / (1.0 + dt * c.law.stiffness / larger<T>(c.law.damping, broadcast<T>(kTiny))));
  }
  s.deflection = select3<T>(viscous, zero3<T>(), state.deflection);
  s.stick = kt * s.deflection + s.gain * (c.velocity + approach * c.normal);
  s.active = less<T>(zero, s.pull) & less<T>(s.relaxed, c.depth + dt * approach) & within_reach<T>(c) & ~solved;
  s.carried = larger<T>(s.pull, zero);
  const T cap = c.law.friction * s.carried;
  s.slips = less<T>(cap * cap, dot(s.stick, s.stick));
  s.slide = zero3<T>(), s.turning = zero;
  if (any<T>(s.slips)) find_slip(s.stick, cap, s.slide, s.turning);  // most contacts stick: no roots, no divisions
}

// Force at constant velocity, and resistance against acceleration, of a contact in its present regime.
template <class T>
TARSUS_INLINE void load_contact(Robot<T>& r, const Contact<T>& c, const StepContact<T>& s, double dt) {
  if (!any<T>(s.active)) return;
  const T zero = broadcast<T>(0.0);
  const Vec3<T> friction = select3<T>(s.slips, slip_friction(c, s, s.stick), s.stick);
  const Vec3<T> force = s.pull * c.normal - friction;
  apply_contact(r, c, select3<T>(s.active, force, zero3<T>()));
  const T cn = select<T>(s.active, s.give, zero), ct = select<T>(s.active & ~s.slips, dt * s.gain, zero);
  Articulated<T>& added = r.added[r.world.slot[c.node]];
  add_point_inertia(cn, ct, s.normal, c.arm, added);
  if (!any<T>(s.active & s.slips)) return;
  const T turn = select<T>(s.active & s.slips, dt * s.gain * s.turning, zero);
  add_line_inertia(turn, to_child(r.ws.pose[c.node].R, cross(c.normal, s.slide)), c.arm, added);
}

// Velocity of a contact point at the end of the step.
template <class T>
TARSUS_INLINE Vec3<T> end_velocity(const Robot<T>& r, const Contact<T>& c, double dt) {
  const Motion<T>& a = r.ws.motion[c.node];
  return c.velocity + dt * to_parent(r.ws.pose[c.node].R, a.a + cross(a.dw, c.arm));
}

// Compares the regime of a contact with the motion that followed from it; true where it had to change.
template <class T>
TARSUS_INLINE bool settle_contact(const Robot<T>& r, const Contact<T>& c, double dt, int pass, StepContact<T>& s) {
  const T zero = broadcast<T>(0.0);
  const auto solved = less<T>(broadcast<T>(0.5), c.law.solved);
  const Vec3<T> u = end_velocity(r, c, dt);
  const T approach = -dot(u, c.normal), depth = c.depth + dt * approach;
  const T normal = c.law.stiffness * depth + c.law.damping * approach;
  auto active = less<T>(zero, normal) & within_reach<T>(c) & ~solved;
  active = pass < kFreePasses ? active & less<T>(s.relaxed, depth) : active & s.active;
  auto changed = active ^ s.active;
  const T kt = select<T>(less<T>(broadcast<T>(0.5), c.law.viscous), zero, c.law.tangential_stiffness);
  const Vec3<T> stick = kt * s.deflection + s.gain * (u + approach * c.normal);
  const T cap = c.law.friction * larger<T>(normal, zero);
  auto slips = less<T>(cap * cap, dot(stick, stick));
  if (pass >= kFreePasses) slips = slips | s.slips;
  changed = changed | (active & (slips ^ s.slips));
  Vec3<T> slide = zero3<T>();
  T turning = zero;
  if (any<T>(active & slips)) {
    find_slip(stick, cap, slide, turning);
    const auto moved = less<T>(kForceTolerance * cap, c.law.friction * magnitude<T>(normal - s.carried)) |
                       less<T>(dot(slide, s.slide), broadcast<T>(1 - kTurnTolerance));
    changed = changed | (active & slips & moved);
  }
  if (!any<T>(changed)) return false;
  s.active = (changed & active) | (~changed & s.active), s.slips = (changed & slips) | (~changed & s.slips);
  s.carried = select<T>(changed, larger<T>(normal, zero), s.carried);  // lanes that are settled keep every bit
  s.slide = select3<T>(changed, slide, s.slide);
  s.turning = select<T>(changed, turning, s.turning);
  return true;
}

// The force that acted, and the contact's state at the end of the step.
template <class T>
TARSUS_INLINE void end_contact(Robot<T>& r, Contact<T>& c, const StepContact<T>& s, double dt, T* z) {
  const T zero = broadcast<T>(0.0);
  const Vec3<T> u = end_velocity(r, c, dt);
  const T approach = -dot(u, c.normal), depth = c.depth + dt * approach;
  const T normal = select<T>(s.active, c.law.stiffness * depth + c.law.damping * approach, zero);
  const auto viscous = less<T>(broadcast<T>(0.5), c.law.viscous), remembers = less<T>(broadcast<T>(0.5), c.law.remembers);
  const T kt = select<T>(viscous, zero, c.law.tangential_stiffness);
  const Vec3<T> along = u + approach * c.normal, stick = kt * s.deflection + s.gain * along;
  const auto sticks = s.active & ~s.slips;
  Vec3<T> friction = stick, deflection = s.deflection + dt * along;
  if (any<T>(~sticks)) {
    friction = select3<T>(sticks, stick, select3<T>(s.active, slip_friction(c, s, stick), zero3<T>()));
    deflection = select3<T>(sticks, deflection, s.deflection + (dt / s.gain) * (friction - kt * s.deflection));
  }
  c.force = normal * c.normal - friction;
  deflection = select3<T>(viscous, zero3<T>(), deflection);
  const T compression = select<T>(remembers, select<T>(s.active, depth, s.relaxed), zero);
  const Vec3<T> state = deflection + compression * c.normal;
  const auto gone = less<T>(dot(state, state), broadcast<T>(kForgotten * kForgotten));
  z[0] = select<T>(gone, zero, state.x), z[1] = select<T>(gone, zero, state.y), z[2] = select<T>(gone, zero, state.z);
  T& work = r.work[kGroundWork - kGroundWork];
  work = work - (0.5 * dt) * dot(c.force, c.velocity + u);
}

// Torque of a joint at constant velocity and what all implicit parts resist; the regime is the one guessed from the start.
template <class T>
TARSUS_KERNEL void begin_joints(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  for (int k = 0; k < m.tree_nv; ++k) {
    StepJoint<T>& s = r.step_joint[k];
    const int c = r.driven(k);
    s.torque = s.resist = broadcast<T>(0.0);
    if (c < 0) continue;
    s.torque = r.reference.tau[c] + r.law.kd[c] * (r.reference.v[c] - r.v[c]);
    s.resist = broadcast<T>(dt * r.law.kd[c]);
  }
  for (int i = 0; i < m.vector_dofs; ++i) {
    const int k = m.vector_v[i], j = m.vector_q[i];
    if (r.law.kp[k] == 0.0) continue;
    StepJoint<T>& s = r.step_joint[r.own_dof(k)];
    s.torque = s.torque + r.law.kp[k] * (r.reference.q[j] - r.q[j] - dt * r.v[k]);
    s.resist = s.resist + dt * dt * r.law.kp[k];
  }
  for (int k = 0; k < m.tree_nv; ++k) {
    StepJoint<T>& s = r.step_joint[k];
    const T zero = broadcast<T>(0.0), v = tree.v[k];
    const double limit = r.limit(k);
    s.saturated = s.slips = s.low = s.high = less<T>(zero, zero);
    s.limit = zero;
    if (limit < kNoLimit) {
      s.saturated = less<T>(broadcast<T>(limit), magnitude<T>(s.torque));
      s.limit = limited<T>(s.torque, limit);
    }
    if (m.friction[k] > 0.0) {
      s.direction = select<T>(less<T>(v, zero), broadcast<T>(-1.0), broadcast<T>(1.0));
      s.slips = less<T>(broadcast<T>(kJointStiction), magnitude<T>(v));
    }
    if (r.law.stop_q && r.law.stop_q[k] >= 0) {
      const T x = tree.q[r.law.stop_q[k]] + dt * v;
      s.low = less<T>(x, broadcast<T>(r.law.lower[k])), s.high = less<T>(broadcast<T>(r.law.upper[k]), x);
    }
  }
}

// r.total and r.joint_inertia for the present regimes; the passive part of the torque also into r.passive.
template <class T>
TARSUS_KERNEL void load_joints(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  for (int k = 0; k < m.tree_nv; ++k) {
    const StepJoint<T>& s = r.step_joint[k];
    const T zero = broadcast<T>(0.0), v = tree.v[k];
    T passive = -(m.damping[k] * v), resist = broadcast<T>(dt * m.damping[k]);
    if (m.spring_q[k] >= 0 && m.stiffness[k] != 0.0) {
      passive = passive - m.stiffness[k] * (tree.q[m.spring_q[k]] + dt * v - m.rest[k]);
      resist = resist + dt * dt * m.stiffness[k];
    }
    if (m.friction[k] > 0.0) {
      const double gain = m.friction[k] / kJointStiction;
      passive = passive - select<T>(s.slips, m.friction[k] * s.direction, gain * v);
      resist = resist + select<T>(s.slips, zero, broadcast<T>(dt * gain));
    }
    if (r.law.stop_q && r.law.stop_q[k] >= 0) {
      const T x = tree.q[r.law.stop_q[k]] + dt * v;
      const double stiffness = r.law.stop_stiffness[k], damping = r.law.stop_damping[k];
      const T push = select<T>(s.low, stiffness * (r.law.lower[k] - x) - damping * v,
                               select<T>(s.high, stiffness * (r.law.upper[k] - x) - damping * v, zero));
      passive = passive + push;
      resist = resist + select<T>(s.low | s.high, broadcast<T>(dt * damping + dt * dt * stiffness), zero);
    }
    r.passive[k] = passive;
    r.force[k] = passive + select<T>(s.saturated, s.limit, s.torque);
    r.joint_inertia[k] = m.armature[k] + resist + select<T>(s.saturated, zero, s.resist);
  }
}

// Compares the regimes of the joints with the acceleration that followed; true where one had to change.
template <class T>
TARSUS_KERNEL bool settle_joints(Robot<T>& r, const TreeState<T>& tree, double dt, int pass) {
  const Model& m = r.model;
  bool changed = false;
  for (int k = 0; k < m.tree_nv; ++k) {
    StepJoint<T>& s = r.step_joint[k];
    const T zero = broadcast<T>(0.0), v = tree.v[k] + dt * r.rate[k];
    const T torque = s.torque - s.resist * r.rate[k];
    auto differs = less<T>(zero, zero);
    const double limit = r.limit(k);
    if (limit < kNoLimit) {
      auto saturated = less<T>(broadcast<T>(limit), magnitude<T>(torque));
      if (pass >= kFreePasses) saturated = saturated | s.saturated;
      differs = saturated ^ s.saturated;
      s.saturated = saturated;
      s.limit = select<T>(differs, limited<T>(torque, limit), s.limit);
    }
    if (m.friction[k] > 0.0) {
      auto slips = less<T>(broadcast<T>(kJointStiction), magnitude<T>(v));
      const auto turned = s.slips & less<T>(v * s.direction, zero);  // friction holds a joint, it does not drive it back
      slips = slips & ~turned;
      if (pass >= kFreePasses) slips = s.slips & ~turned;
      s.direction = select<T>(slips & ~s.slips, select<T>(less<T>(v, zero), broadcast<T>(-1.0), broadcast<T>(1.0)), s.direction);
      differs = differs | (slips ^ s.slips);
      s.slips = slips;
    }
    if (r.law.stop_q && r.law.stop_q[k] >= 0) {
      const T x = tree.q[r.law.stop_q[k]] + dt * v;
      const double stiffness = r.law.stop_stiffness[k], damping = r.law.stop_damping[k];
      auto low = less<T>(x, broadcast<T>(r.law.lower[k])) & less<T>(zero, stiffness * (r.law.lower[k] - x) - damping * v);
      auto high = less<T>(broadcast<T>(r.law.upper[k]), x) & less<T>(stiffness * (r.law.upper[k] - x) - damping * v, zero);
      if (pass >= kFreePasses) low = low & s.low, high = high & s.high;
      differs = differs | (low ^ s.low) | (high ^ s.high);
      s.low = low, s.high = high;
    }
    changed = changed || any<T>(differs);
  }
  return changed;
}

// Work of the joint law and on the passive elements of the joints, with the torques that acted and the mean velocity.
template <class T>
TARSUS_KERNEL void end_joints(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  T actuator = broadcast<T>(0.0), joints = broadcast<T>(0.0);
  for (int k = 0; k < m.tree_nv; ++k) {
    const StepJoint<T>& s = r.step_joint[k];
    const T zero = broadcast<T>(0.0), v = tree.v[k] + (0.5 * dt) * r.rate[k];
    const T implicit = r.joint_inertia[k] - m.armature[k], own = select<T>(s.saturated, zero, s.resist);
    const T torque = select<T>(s.saturated, s.limit, s.torque - s.resist * r.rate[k]);
    r.passive[k] = r.passive[k] - (implicit - own) * r.rate[k];
    if (const int c = r.driven(k); c >= 0) r.tau[c] = torque;
    actuator = actuator + torque * v;
    joints = joints - r.passive[k] * v;
  }
  r.work[kActuator - kGroundWork] = r.work[kActuator - kGroundWork] + dt * actuator;
  r.work[kJointWork - kGroundWork] = r.work[kJointWork - kGroundWork] + dt * joints;
}

// Bias wrenches, forces and implicit inertias of the present regimes.
template <class T>
TARSUS_KERNEL void load_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  for (int i = 0; i < m.nodes; ++i) r.ws.wrench[i] = r.bias[i];
  const T o = broadcast<T>(0.0);
  for (int s = 0; s < r.world.touchables; ++s) {
    r.added[s] = {{o, o, o, o, o, o}, {o, o, o, o, o, o}, zero3<T>(), zero3<T>(), zero3<T>()};
  }
  for (int i = 0; i < r.world.contacts; ++i) {
    if (r.contact[i].near) load_contact(r, r.contact[i], r.step_contact[i], dt);
  }
  load_joints(r, tree, dt);
}

template <class T>
TARSUS_INLINE AddedInertia<T> step_inertia(const Robot<T>& r) {
  return {r.model, r.world.slot, r.added, r.joint_inertia};
}

// The same with the joints of a tree eliminated.
template <class T>
TARSUS_KERNEL void eliminate_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  load_step(r, tree, dt);
  eliminate_joints(r.model, r.ws, tree.q, static_cast<const T*>(r.force), step_inertia(r));
}

// Accelerations that follow from the present regimes, also of the tree's joints.
template <class T>
TARSUS_INLINE void accelerate_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  if (!m.coupled) {
    eliminate_step(r, tree, dt);
    return accelerate(m, r.ws, tree.q, r.vdot);
  }
  load_step(r, tree, dt);
  for (int k = 0; k < m.nv; ++k) r.total[k] = broadcast<T>(0.0);
  add_reduced_force(r, static_cast<const T*>(r.force), r.total);
  solve_swept_step(step_inertia(r), r.ws, tree.q, static_cast<const T*>(r.v), static_cast<const T*>(r.total), r.vdot, r.cluster);
  expand_rates(r, static_cast<const T*>(r.vdot), r.rate);
}

// The linear velocity of a free or planar joint has the axes of a body that turns. Euler's method on these components makes a
// spinning body faster by (omega dt)^2 / 2 a step; so steps keep the axes of the start of the step while they advance
// (v + dt omega x v replaces v, the rates are those of the components), move the origin straight, and turn the result at the end.
template <class T>
inline void keep_axes(Robot<T>& r, double dt) {
  for (int i = 0; i < r.model.manifolds; ++i) {
    const Manifold& f = r.model.manifold[i];
    T* v = r.v + f.v;
    if (f.arm == kFloat) {
      const Vec3<T> u = Vec3<T>{v[0], v[1], v[2]} + dt * cross(Vec3<T>{v[3], v[4], v[5]}, Vec3<T>{v[0], v[1], v[2]});
      v[0] = u.x, v[1] = u.y, v[2] = u.z;
    } else if (f.arm == kPlane) {
      const T turn = (dt * f.sign) * v[2], x = v[0] - turn * v[1];
      v[1] = v[1] + turn * v[0], v[0] = x;
    }
  }
}
// Velocities whose exponential takes the origin straight along dt v: the inverse of the left Jacobian of the rotation, to fourth
// order in its angle.
template <class T>
inline void straighten(Robot<T>& r, double dt, T* out) {
  for (int k = 0; k < r.model.nv; ++k) out[k] = r.v[k];
  for (int i = 0; i < r.model.manifolds; ++i) {
    const Manifold& f = r.model.manifold[i];
    T* v = out + f.v;
    const T zero = broadcast<T>(0.0);
    if (f.arm != kFloat && f.arm != kPlane) continue;
    const bool flat = f.arm == kPlane;
    const Vec3<T> w = flat ? Vec3<T>{zero, zero, (dt * f.sign) * v[2]} : dt * Vec3<T>{v[3], v[4], v[5]};
    const Vec3<T> u{v[0], v[1], flat ? zero : v[2]}, across = cross(w, u), back = cross(w, across);
    v[0] = u.x - 0.5 * across.x + (1.0 / 12) * back.x, v[1] = u.y - 0.5 * across.y + (1.0 / 12) * back.y;
    if (!flat) v[2] = u.z - 0.5 * across.z + (1.0 / 12) * back.z;
  }
}
template <class T>
inline void turn_axes(Robot<T>& r, double dt) {
  for (int i = 0; i < r.model.manifolds; ++i) {
    const Manifold& f = r.model.manifold[i];
    T* v = r.v + f.v;
    if (f.arm == kFloat) {  // Rodrigues' formula with -dt omega
      const Vec3<T> w{v[3], v[4], v[5]}, u{v[0], v[1], v[2]};
      const T angle = dt * length(w), per = dt / larger<T>(angle, broadcast<T>(kTiny));
      T s, c;
      sincos(angle, s, c);
      const Vec3<T> e = per * w, across = cross(u, e);
      const Vec3<T> turned = c * u + s * across + ((1.0 - c) * dot(e, u)) * e;
      v[0] = turned.x, v[1] = turned.y, v[2] = turned.z;
    } else if (f.arm == kPlane) {
      T s, c;
      sincos((dt * f.sign) * v[2], s, c);
      const T x = c * v[0] + s * v[1];
      v[1] = c * v[1] - s * v[0], v[0] = x;
    }
  }
}

// Motion at the start, contacts, and the guesses of all regimes; returns the coordinates of the tree.
template <class T>
TARSUS_INLINE TreeState<T> begin_step(Robot<T>& r, double t, double dt) {
  const Model& m = r.model;
  const TreeState<T> tree = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
  read_law(r, tree.q, t + dt);
  if (m.coupled) {
    sweep_coupled(m, r.ws, tree.q, tree.v);
  } else {
    sweep<false>(m, r.ws, tree.q, tree.v, static_cast<const T*>(nullptr));
  }
  keep_axes(r, dt);
  if (m.coupled) expand_rates(r, static_cast<const T*>(r.v), r.ws.tree_v);
  if (r.world.nodes > 0) update_contacts(r, tree.q, tree.v, static_cast<const T*>(r.z));
  if (r.external) subtract_external(m, r.ws, tree.q, r.external);
  for (int i = 0; i < m.nodes; ++i) r.bias[i] = r.ws.wrench[i];
  for (int k = 0; k < m.tree_nv; ++k) r.vdot[k] = r.rate[k] = broadcast<T>(0.0);
  begin_joints(r, tree, dt);
  for (int i = 0; i < r.world.contacts; ++i) {
    if (r.contact[i].near) begin_contact(r, r.contact[i], r.z + 3 * i, dt, r.step_contact[i]);
  }
  return tree;
}

// Compares all regimes with the motion that followed from them; true where one had to change.
template <class T>
TARSUS_INLINE bool settle_step(Robot<T>& r, const TreeState<T>& tree, double dt, int pass) {
  bool changed = settle_joints(r, tree, dt, pass);
  for (int i = 0; i < r.world.contacts; ++i) {
    if (r.contact[i].near && settle_contact(r, r.contact[i], dt, pass, r.step_contact[i])) changed = true;
  }
  return changed;
}

// Forces, states of contacts, work, and the state at the end of the step.
template <class T>
TARSUS_INLINE void end_step(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  for (int i = 0; i < r.world.contacts; ++i) {
    T* z = r.z + 3 * i;
    if (r.contact[i].near) {
      end_contact(r, r.contact[i], r.step_contact[i], dt, z);
    } else {
      z[0] = z[1] = z[2] = broadcast<T>(0.0);
      r.contact[i].force = zero3<T>();
    }
  }
  end_joints(r, tree, dt);
  if (r.external) {
    T& work = r.work[kExternal - kGroundWork];
    work = work + dt * external_power(r, 0.5 * dt);
  }
  for (int k = 0; k < m.nv; ++k) r.v[k] = r.v[k] + dt * r.vdot[k];
  straighten(r, dt, r.total);
  move(r, static_cast<const T*>(r.q), static_cast<const T*>(r.total), broadcast<T>(dt), r.scratch, r.scratch + m.nv);
  for (int k = 0; k < m.nq; ++k) r.q[k] = r.scratch[m.nv + k];
  turn_axes(r, dt);
}

// From time t to t + dt.
template <class T>
TARSUS_KERNEL void implicit_step(Robot<T>& r, double t, double dt) {
  const TreeState<T> tree = begin_step(r, t, dt);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    accelerate_step(r, tree, dt);
    if (pass + 1 == kMostPasses || !settle_step(r, tree, dt, pass)) break;
  }
  end_step(r, tree, dt);
}

}  // namespace tarsus::TARSUS_ISA
