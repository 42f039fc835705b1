// Contacts in one implicit step: linearised about its start, with the friction bounded by a cap that is held while the motion is
// solved for. The force of a contact is then minus the gradient of a convex function of the velocity of its point at the end of
// the step, so that the motion is the minimum of one convex function (implicit_step.hpp). What depends on the law is in
// contact/laws/.
#pragma once
#include "simulation/robot.hpp"
#include "simulation/step/contact_inertia.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kForceTolerance = 1e-6;      // relative: forces that differ by this are the same,
constexpr double kStartTolerance = 1e-10;     // and those that differ by this part of the force at the start
constexpr double kCapTolerance = 1e-5;        // relative, of the bound of friction
constexpr double kSlackSpeed = 0.1;           // [m/s] that contacts may gain in a step without being looked at before
constexpr double kLeastDisplacement = 1e-30;  // states of contacts below this are zero [m]

// Normal force at the end of the step.
template <class T>
TARSUS_INLINE T normal_force(const StepContact<T>& s, const T& approach) {
  return select<T>(s.reach, larger<T>(s.rest + s.resist * approach, broadcast<T>(0.0)), broadcast<T>(0.0));
}

// Force of sticking (its negative) of a point with the velocity u at the end of the step.
template <class T>
TARSUS_INLINE Vec3<T> sticking_force(const Contact<T>& c, const StepContact<T>& s, const Vec3<T>& u, const T& approach) {
  return s.hold + s.law.gain * (u + approach * c.normal);
}

// Where the force of sticking is not inside the bound of friction.
template <class T>
TARSUS_INLINE typename Bits<T>::type beyond_cap(const StepContact<T>& s, const Vec3<T>& stick) {
  return ~less<T>(dot(stick, stick), s.cap * s.cap);
}

// Friction (its negative): the force of sticking, brought back to the bound.
template <class T>
TARSUS_INLINE Vec3<T> bounded_friction(const StepContact<T>& s, const Vec3<T>& stick) {
  const auto slips = beyond_cap(s, stick);
  if (!any<T>(slips)) return stick;  // most contacts stick: no roots, no divisions
  return select3<T>(slips, (s.cap / larger<T>(length(stick), broadcast<T>(kTiny))) * stick, stick);
}

// The force of a contact whose point has the velocity u at the end of the step.
template <class T>
TARSUS_INLINE Vec3<T> force_at(const Contact<T>& c, const StepContact<T>& s, const Vec3<T>& u) {
  const T approach = -dot(u, c.normal);
  return normal_force(s, approach) * c.normal - bounded_friction(s, sticking_force(c, s, u, approach));
}

// Friction (its negative) of a slipping contact, linearised about the iterate: the derivative of cap s / |s| is part of it,
// without which the direction of a point that almost sticks is not found.
template <class T>
TARSUS_INLINE Vec3<T> slip_friction(const StepContact<T>& s, const Vec3<T>& stick) {
  return s.cap * s.slide + s.turning * (stick - dot(stick, s.slide) * s.slide);
}

// The regime at the iterate: what the force of the contact is linearised to.
template <class T>
TARSUS_INLINE void linearise_contact(const Contact<T>& c, StepContact<T>& s) {
  const T zero = broadcast<T>(0.0), approach = -dot(s.velocity, c.normal);
  const Vec3<T> stick = sticking_force(c, s, s.velocity, approach);
  s.active = s.reach & less<T>(zero, s.rest + s.resist * approach);
  s.slips = beyond_cap(s, stick);
  s.slide = zero3<T>(), s.turning = zero;
  const auto rubs = s.slips & less<T>(zero, s.cap);
  if (!any<T>(rubs)) return;
  const T per = 1.0 / larger<T>(length(stick), broadcast<T>(kTiny));
  s.slide = select3<T>(rubs, per * stick, s.slide);
  s.turning = select<T>(rubs, smaller<T>(broadcast<T>(1.0), s.cap * per), zero);
}

// In a step of length dt a point of a body that turns moves by dt u + dt^2 / 2 b, with its velocity u = J v at the end, in the
// attitude of the start, and b = J' v: this is dt / 2 b. Without it the end of a thin capsule that rolls fast, and turns, is
// screwed into the ground. Motions are those of the velocity terms, at the start; likewise of the surface, where that moves.
template <class T>
TARSUS_INLINE Vec3<T> swing_of(const Robot<T>& r, const Contact<T>& c, double dt) {
  const Motion<T>& a = r.ws.motion[c.node];
  const Vec3<T> rising = a.a + cross(a.dw, c.axis) + cross(a.w, cross(a.w, c.axis));  // gravity is part of it
  const Vec3<T> own = to_parent(r.ws.pose[c.node].R, rising);
  if (c.other < 0) return (0.5 * dt) * (own + vec3(r.model.gravity) - c.bend);
  const Motion<T>& b = r.ws.motion[c.other];
  const Vec3<T> theirs = b.a + cross(b.dw, c.other_axis) + cross(b.w, cross(b.w, c.other_axis));
  return (0.5 * dt) * (own - to_parent(r.ws.pose[c.other].R, theirs));
}

// Linearises the law about the start of the step, in the lanes in which the contact takes part (s.lanes). Friction is bounded by
// the normal force of the last step at first.
template <class T>
TARSUS_INLINE void begin_contact(const Robot<T>& r, const Contact<T>& c, const Vec3<T>& displacement, double dt,
                                 StepContact<T>& s) {
  const T zero = broadcast<T>(0.0);
  const Touch<T> at = touch_of(c);
  s.state = split_displacement(c.normal, displacement);
  s.law = by_law<LinearLaw<T>>(c, [&](const auto& law) TARSUS_LAMBDA { return law.linearised(at, s.state, dt); });
  s.reach = s.lanes & within_reach<T>(c);
  s.normal = to_child(r.ws.pose[c.node].R, c.normal);
  // With the depth d + dt d' at the end and a damper that acts on the deformation: k (d + dt d') + c (d + dt d' - start) / dt.
  const T sinking = -dot(s.swing, c.normal);
  s.resist = s.law.damping + dt * s.law.stiffness;
  s.rest = s.law.stiffness * c.depth + s.law.damping * ((1.0 / dt) * (c.depth - s.law.start)) + s.resist * sinking;
  s.hold = s.law.held + s.law.gain * (s.swing + sinking * c.normal);
  s.pull = s.rest + s.resist * at.approach;
  s.stick = s.hold + s.law.gain * at.slide;
  s.cap = s.law.friction * select<T>(s.reach, larger<T>(dot(c.force, c.normal), zero), zero);
  s.cap_before = s.cap_miss = zero, s.cap_followed = less<T>(zero, zero);
  s.velocity = s.trial = c.velocity, s.balanced = s.trial_force = s.given = zero3<T>();
  linearise_contact(c, s);
}

// Acceleration of a contact point that the last solve gave, relative to the body that it touches, world.
template <class T>
TARSUS_INLINE Vec3<T> point_acceleration(const Robot<T>& r, const Contact<T>& c) {
  const Motion<T>& a = r.ws.motion[c.node];
  const Vec3<T> own = to_parent(r.ws.pose[c.node].R, a.a + cross(a.dw, c.arm));
  if (c.other < 0) return own;
  const Motion<T>& b = r.ws.motion[c.other];
  return own - to_parent(r.ws.pose[c.other].R, b.a + cross(b.dw, c.other_arm));
}

// Its velocity at the end of the step.
template <class T>
TARSUS_INLINE Vec3<T> end_velocity(const Robot<T>& r, const Contact<T>& c, double dt) {
  return c.velocity + dt * point_acceleration(r, c);
}

// Lanes in which a contact cannot be left alone until the motion brings it to the ground: it is not above it by more than it
// moves in the step at the velocity of the start and some more, or remembers something.
template <class T>
TARSUS_INLINE typename Bits<T>::type stirs(const Contact<T>& c, const Vec3<T>& displacement, double dt) {
  const T zero = broadcast<T>(0.0), way = dt * (kSlackSpeed + length(c.velocity));
  const T kept = dot(displacement, displacement) + dot(c.force, c.force);
  return less<T>(-way, c.depth) | less<T>(zero, kept);
}

// Lanes in which a contact that was left alone enters the ground.
template <class T>
TARSUS_INLINE typename Bits<T>::type enters_ground(const Robot<T>& r, const Contact<T>& c, const StepContact<T>& s, double dt) {
  const auto below = less<T>(broadcast<T>(0.0), c.depth - dt * dot(end_velocity(r, c, dt) + s.swing, c.normal));
  return within_reach<T>(c) & below & ~solved_lanes(c);
}

// Force at constant velocity, and resistance against acceleration, of a contact in its present regime.
template <class T>
TARSUS_INLINE void load_contact(Robot<T>& r, const Contact<T>& c, const StepContact<T>& s, double dt) {
  const T zero = broadcast<T>(0.0);
  const auto rubs = less<T>(zero, s.cap);
  if (!any<T>(s.active | rubs)) return;
  const Vec3<T> friction = select3<T>(s.slips, slip_friction(s, s.stick), s.stick);
  apply_contact(r, c, select<T>(s.active, s.pull, zero) * c.normal - friction);
  if (c.other >= 0) return;  // resistances between two bodies: pair_resistance.hpp
  const T cn = select<T>(s.active, dt * s.resist, zero), ct = select<T>(s.slips, zero, dt * s.law.gain);
  Articulated<T>& added = r.added[r.world.slot[c.node]];
  add_point_inertia(cn, ct, s.normal, c.arm, added);
  if (!any<T>(s.slips & rubs)) return;
  const T turn = select<T>(s.slips, dt * s.law.gain * s.turning, zero);
  add_line_inertia(turn, to_child(r.ws.pose[c.node].R, cross(c.normal, s.slide)), c.arm, added);
}

// Whether the force of a contact is not the one that a motion was found with.
template <class T>
TARSUS_INLINE typename Bits<T>::type differs_from(const Vec3<T>& force, const Vec3<T>& taken, const StepContact<T>& s) {
  const Vec3<T> miss = force - taken;
  const T slack = kStartTolerance * magnitude<T>(s.pull);
  return less<T>((kForceTolerance * kForceTolerance) * dot(force, force) + slack * slack, dot(miss, miss));
}

// The velocity that a solve gave, and the linearised force in it; true in lanes where that is not the force of the contact.
template <class T>
TARSUS_INLINE typename Bits<T>::type try_contact(const Robot<T>& r, const Contact<T>& c, double dt, StepContact<T>& s) {
  const T zero = broadcast<T>(0.0);
  s.trial = end_velocity(r, c, dt);
  const T approach = -dot(s.trial, c.normal), normal = select<T>(s.active, s.rest + s.resist * approach, zero);
  const Vec3<T> stick = sticking_force(c, s, s.trial, approach);
  const Vec3<T> linear = normal * c.normal - select3<T>(s.slips, slip_friction(s, stick), stick);
  s.trial_force = linear + s.given;
  return differs_from(normal_force(s, approach) * c.normal - bounded_friction(s, stick), linear, s);
}

// Lets the bound of friction follow the normal force that was found where they differ by more than this part; true in lanes where
// friction changes by it.
template <class T>
TARSUS_INLINE typename Bits<T>::type follow_normal_force(const Contact<T>& c, typename Bits<T>::type lanes_found,
                                                         StepContact<T>& s, double tolerance = kCapTolerance) {
  const T approach = -dot(s.trial, c.normal), cap = s.law.friction * normal_force(s, approach);
  const Vec3<T> stick = sticking_force(c, s, s.trial, approach);
  const T least = smaller<T>(s.cap, cap);
  const auto differs =
      lanes_found & ~less<T>(dot(stick, stick), least * least) & less<T>(tolerance * cap, magnitude<T>(cap - s.cap));
  // The bound that is found is a function of the one that is held. Where two of them are known, the fixed point of their secant
  // is taken (Aitken), if it is one that the bounds approach.
  const T one = broadcast<T>(1.0), miss = cap - s.cap, way = s.cap - s.cap_before;
  const T slope = (miss - s.cap_miss) / select<T>(less<T>(magnitude<T>(way), broadcast<T>(kTiny)), one, way);
  const auto known = s.cap_followed & less<T>(-2.0 * one, slope) & less<T>(slope, -0.1 * one);
  const T secant = larger<T>(s.cap - miss / select<T>(known, slope, one), broadcast<T>(0.0));
  s.cap_before = select<T>(differs, s.cap, s.cap_before), s.cap_miss = select<T>(differs, miss, s.cap_miss);
  s.cap = select<T>(differs, select<T>(known, secant, cap), s.cap);
  s.cap_followed = s.cap_followed | differs;
  return differs;
}

// What a guess takes back of the way to the trial: a slip that the trial reverses has stuck in between, where the force of
// sticking is least. Without it guesses go to and fro between slips in both directions.
template <class T>
TARSUS_INLINE Vec3<T> overshoot(const Contact<T>& c, const StepContact<T>& s) {
  const T zero = broadcast<T>(0.0);
  const Vec3<T> from = sticking_force(c, s, s.velocity, T(-dot(s.velocity, c.normal)));
  const Vec3<T> to = sticking_force(c, s, s.trial, T(-dot(s.trial, c.normal))), change = to - from, way = s.trial - s.velocity;
  const auto reverses = s.slips & less<T>(dot(from, to), zero);
  if (!any<T>(reverses)) return zero3<T>();
  const T back = select<T>(reverses, dot(to, change) / larger<T>(dot(change, change), broadcast<T>(kTiny)), zero);
  return back * (way - dot(way, c.normal) * c.normal);
}

// Moves the iterate that part of the way to the trial; guesses need not balance.
template <class T>
TARSUS_INLINE void take_contact(const Contact<T>& c, typename Bits<T>::type lanes_moving, const T& part, bool guess,
                                StepContact<T>& s) {
  const Vec3<T> back = guess ? overshoot(c, s) : zero3<T>();
  s.velocity = select3<T>(lanes_moving, s.velocity + part * (s.trial - s.velocity) - back, s.velocity);
  s.balanced = select3<T>(lanes_moving, s.balanced + part * (s.trial_force - s.balanced), s.balanced);
  const StepContact<T> before = s;
  linearise_contact(c, s);
  s.active = (lanes_moving & s.active) | (~lanes_moving & before.active);
  s.slips = (lanes_moving & s.slips) | (~lanes_moving & before.slips);
  s.turning = select<T>(lanes_moving, s.turning, before.turning);
  s.slide = select3<T>(lanes_moving, s.slide, before.slide);
}

// A displacement at the end of the step: that of a contact between two bodies turns with the one that is touched.
template <class T>
TARSUS_INLINE Vec3<T> carried_round(const Robot<T>& r, const Contact<T>& c, const Vec3<T>& moved, double dt) {
  if (c.other < 0) return moved;
  const Motion<T>& b = r.ws.motion[c.other];
  const Vec3<T> half = (0.5 * dt) * to_parent(r.ws.pose[c.other].R, b.w + dt * b.dw);  // Cayley's rotation: lengths are kept
  const Vec3<T> once = cross(half, moved), twice = cross(half, once);
  return moved + (2.0 / (1.0 + dot(half, half))) * (once + twice);
}

// The force that acted, the contact's displacement at the end of the step (without its set: contact_sets.hpp), and what of its
// work was not stored; in these lanes. Where the contact took no part, nothing is left of it.
template <class T>
TARSUS_INLINE void end_contact(Robot<T>& r, Contact<T>& c, StepContact<T>& s, typename Bits<T>::type ending, double dt,
                               Vec3<T>& displacement) {
  const T zero = broadcast<T>(0.0);
  const Vec3<T> u = end_velocity(r, c, dt);
  const T approach = -dot(u, c.normal), normal = normal_force(s, approach);
  const Vec3<T> stick = sticking_force(c, s, u, approach), way = u + s.swing;
  const T deeper = -dot(way, c.normal), depth = c.depth + dt * deeper;
  const Vec3<T> along = way + deeper * c.normal;
  const auto active = less<T>(zero, normal), sticks = ~beyond_cap(s, stick);
  const Vec3<T> friction = bounded_friction(s, stick);
  const StepResult<T> result{dt, active, sticks, depth, along, friction};
  const ContactState<T> after =
      by_law<ContactState<T>>(c, [&](const auto& law) TARSUS_LAMBDA { return law.after(s.state, s.law, result); });
  const T stored =
      by_law<T>(c, [&](const auto& law) TARSUS_LAMBDA { return law.energy(depth, after) - law.energy(c.depth, s.state); });
  const Vec3<T> moved = displacement_of(c.normal, after), force = normal * c.normal - friction;
  const auto gone = less<T>(dot(moved, moved), broadcast<T>(kLeastDisplacement * kLeastDisplacement));
  T& balance = r.work[work_index(kGroundBalance)];
  s.end_depth = select<T>(s.lanes, depth, broadcast<T>(kNoContact));
  s.lost = select<T>(s.lanes, -(0.5 * dt) * dot(force, c.velocity + u) - stored, zero);
  balance = select<T>(ending, balance + s.lost, balance);
  T& outside = r.work[work_index(kExternal)];
  outside = select<T>(ending, outside + dt * dot(force, c.skin), outside);
  const Vec3<T> carried = select3<T>(s.lanes & ~gone, carried_round(r, c, moved, dt), zero3<T>());
  displacement = select3<T>(ending, carried, displacement);
  c.force = select3<T>(ending, force, c.force);
}

}  // namespace tarsus::TARSUS_ISA
