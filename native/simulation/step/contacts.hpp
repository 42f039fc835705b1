// Contacts in one implicit step: linearised about its start, with a regime (open or closed, sticking or slipping) that is guessed
// first and then compared with the motion that follows from it. What depends on the law is in contact/laws/.
#pragma once
#include "simulation/robot.hpp"
#include "simulation/step/contact_inertia.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kFreePasses = 3;                // passes in which contacts may close; later ones only open them
constexpr double kForceTolerance = 1e-5;      // relative, of the normal force behind friction
constexpr double kTurnTolerance = 1e-8;       // 1 - cosine of the change of a direction of slip
constexpr double kLeastDisplacement = 1e-30;  // states of contacts below this are zero [m]

// Normal force of the linearised law.
template <class T>
TARSUS_INLINE T normal_force(const LinearLaw<T>& l, const T& depth, const T& approach) {
  return l.preload + l.stiffness * depth + l.damping * approach;
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
TARSUS_INLINE Vec3<T> slip_friction(const StepContact<T>& s, const Vec3<T>& stick) {
  return (s.law.friction * s.carried) * s.slide + s.turning * (stick - dot(stick, s.slide) * s.slide);
}

// Linearises a contact about the velocities at the start of the step and guesses its regime from them.
template <class T>
TARSUS_INLINE void begin_contact(const Robot<T>& r, const Contact<T>& c, const Vec3<T>& displacement, double dt,
                                 StepContact<T>& s) {
  const T zero = broadcast<T>(0.0);
  const Touch<T> at = touch_of(c);
  s.state = split_displacement(c.normal, displacement);
  s.law = by_law<LinearLaw<T>>(c, [&](const auto& law) TARSUS_LAMBDA { return law.linearised(at, s.state, dt); });
  s.normal = to_child(r.ws.pose[c.node].R, c.normal);
  // With an acceleration a of the point, its depth at the end is d + dt (d' - dt a) and N = pull - give a.
  const T resist = s.law.damping + dt * s.law.stiffness;
  s.pull = s.law.preload + s.law.stiffness * c.depth + resist * at.approach;
  s.give = dt * resist;
  s.stick = s.law.held + s.law.gain * at.slide;
  s.active = less<T>(zero, s.pull) & less<T>(s.law.least_depth, c.depth + dt * at.approach) & within_reach<T>(c);
  s.carried = larger<T>(s.pull, zero);
  const T cap = s.law.friction * s.carried;
  s.slips = less<T>(cap * cap, dot(s.stick, s.stick));
  s.slide = zero3<T>(), s.turning = zero;
  if (any<T>(s.slips)) find_slip(s.stick, cap, s.slide, s.turning);  // most contacts stick: no roots, no divisions
}

// Force at constant velocity, and resistance against acceleration, of a contact in its present regime.
template <class T>
TARSUS_INLINE void load_contact(Robot<T>& r, const Contact<T>& c, const StepContact<T>& s, double dt) {
  if (!any<T>(s.active)) return;
  const T zero = broadcast<T>(0.0);
  const Vec3<T> friction = select3<T>(s.slips, slip_friction(s, s.stick), s.stick);
  const Vec3<T> force = s.pull * c.normal - friction;
  apply_contact(r, c, select3<T>(s.active, force, zero3<T>()));
  const T cn = select<T>(s.active, s.give, zero), ct = select<T>(s.active & ~s.slips, dt * s.law.gain, zero);
  Articulated<T>& added = r.added[r.world.slot[c.node]];
  add_point_inertia(cn, ct, s.normal, c.arm, added);
  if (!any<T>(s.active & s.slips)) return;
  const T turn = select<T>(s.active & s.slips, dt * s.law.gain * s.turning, zero);
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
  const Vec3<T> u = end_velocity(r, c, dt);
  const T approach = -dot(u, c.normal), depth = c.depth + dt * approach, normal = normal_force(s.law, depth, approach);
  // 1. closed where the force pushes; the first passes may close contacts, the later ones only open them
  auto active = less<T>(zero, normal) & within_reach<T>(c);
  active = pass < kFreePasses ? active & less<T>(s.law.least_depth, depth) : active & s.active;
  auto changed = active ^ s.active;
  // 2. slipping where the force of sticking is outside the cone
  const Vec3<T> stick = s.law.held + s.law.gain * (u + approach * c.normal);
  const T cap = s.law.friction * larger<T>(normal, zero);
  auto slips = less<T>(cap * cap, dot(stick, stick));
  if (pass >= kFreePasses) slips = slips | s.slips;
  changed = changed | (active & (slips ^ s.slips));
  // 3. friction mu N e with the normal force N and the direction e that were found
  Vec3<T> slide = zero3<T>();
  T turning = zero;
  if (any<T>(active & slips)) {
    find_slip(stick, cap, slide, turning);
    const auto moved = less<T>(kForceTolerance * cap, s.law.friction * magnitude<T>(normal - s.carried)) |
                       less<T>(dot(slide, s.slide), broadcast<T>(1 - kTurnTolerance));
    changed = changed | (active & slips & moved);
  }
  if (!any<T>(changed)) return false;
  // 4. lanes that are settled keep every bit
  s.active = (changed & active) | (~changed & s.active), s.slips = (changed & slips) | (~changed & s.slips);
  s.carried = select<T>(changed, larger<T>(normal, zero), s.carried);
  s.slide = select3<T>(changed, slide, s.slide);
  s.turning = select<T>(changed, turning, s.turning);
  return true;
}

// The force that acted, the contact's displacement at the end of the step and its work.
template <class T>
TARSUS_INLINE void end_contact(Robot<T>& r, Contact<T>& c, const StepContact<T>& s, double dt, Vec3<T>& displacement) {
  const T zero = broadcast<T>(0.0);
  const Vec3<T> u = end_velocity(r, c, dt);
  const T approach = -dot(u, c.normal), depth = c.depth + dt * approach;
  const T normal = select<T>(s.active, normal_force(s.law, depth, approach), zero);
  const Vec3<T> along = u + approach * c.normal, stick = s.law.held + s.law.gain * along;
  const auto sticks = s.active & ~s.slips;
  Vec3<T> friction = stick;
  if (any<T>(~sticks)) friction = select3<T>(sticks, stick, select3<T>(s.active, slip_friction(s, stick), zero3<T>()));
  c.force = normal * c.normal - friction;
  const StepResult<T> result{dt, s.active, sticks, depth, along, friction};
  const ContactState<T> after =
      by_law<ContactState<T>>(c, [&](const auto& law) TARSUS_LAMBDA { return law.after(s.state, s.law, result); });
  const Vec3<T> moved = displacement_of(c.normal, after);
  const auto gone = less<T>(dot(moved, moved), broadcast<T>(kLeastDisplacement * kLeastDisplacement));
  displacement = select3<T>(gone, zero3<T>(), moved);
  T& work = r.work[work_index(kGroundWork)];
  work = work - (0.5 * dt) * dot(c.force, c.velocity + u);
}

}  // namespace tarsus::TARSUS_ISA
