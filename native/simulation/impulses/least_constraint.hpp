// One step of Gauss' principle with unilateral contact and friction, discretised in time: Buschmann 2014 section 3.1, footnote
// 13; Gauss 1829; Moreau 1988; Anitescu 2006.
//
//   1. free motion: one articulated-body elimination with everything that step/implicit_step.hpp takes implicitly
//   2. response of the touching bodies to impulses, from the factors of that elimination (impulse_response.hpp)
//   3. impulses l of all contacts: u = G l + b stays outside the ground, l inside the friction cones (friction_cone.hpp). All
//      contacts are solved together in their regimes (contact_regimes.hpp), then contact after contact exactly with the others
//      held (block Gauss-Seidel); G itself is never formed: an impulse changes the velocities of the touching bodies, and a
//      contact reads the velocity of its body. What that does not settle is solved from the inside of the cones
//      (interior_point.hpp).
//   4. the motion with these impulses: with the factors of 1.
#pragma once
#include "simulation/impulses/contact_regimes.hpp"
#include "simulation/impulses/coupled_columns.hpp"
#include "simulation/impulses/interior_point.hpp"
#include "simulation/step/implicit_step.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostSweeps = 100;
constexpr int kPlainSweeps = 1;      // after which those that do not settle start again from the inside of the cones
constexpr int kCoupledSweeps = 16;   // before each of these, and then more and more rarely, sticking contacts are solved together
constexpr int kStallSweeps = 12;     // sweeps after which a lane whose impulses still change as much is left as it is:
constexpr double kStallRatio = 0.5;  // feet that squeeze the ground between their corners go round in circles of 1e-4
constexpr double kImpulseTolerance = 1e-8;  // largest change of an impulse in a sweep, relative to the largest impulse
constexpr double kInsideTolerance = 1e-5;   // the same behind solutions from the inside of the cones, exact by themselves
constexpr double kUnsettled = 1e-3;         // the same, from which on a step counts as not solved
constexpr int kImpulseGuesses = 5;  // passes whose trials are taken as they are: friction of joints at rest has no better ones
constexpr double kClosingSpeed = 1e-3;   // [m/s] contacts that this and their own speed may close in a step take part
constexpr double kLeastStrike = 1e-3;    // slowest impact with restitution, beside what gravity gives in two steps [m/s]
constexpr double kPredictedSpeed = 0.1;  // [rad/s or m/s] of a joint from which velocity terms are predicted
constexpr double kRecovery = 0.2;        // part of a penetration that is pushed out in a step,
constexpr double kRecoveryPush = 2.0;    // at a speed that this deceleration [m/s^2] takes back before the surface is reached,
constexpr double kMostRecovery = 0.1;    // and never faster than this [m/s]

// Place of the motion that a contact sees, among touchables and relative motions of the world.
template <class T>
TARSUS_INLINE int motion_slot(const Robot<T>& r, const Contact<T>& c) {
  return c.other < 0 ? r.world.slot[c.node] : r.world.touchables + c.motion;
}

// Contacts that may close within the step, and the motions that they see. Those of lanes that do not run take no part. Returns
// the number of contacts.
template <class T>
inline int list_impulses(Robot<T>& r, double dt, typename Bits<T>::type running) {
  r.response.clear(r.world.touchables + r.world.motions);
  int count = 0;
  for (int i = 0; i < r.world.contacts; ++i) {
    const Contact<T>& c = r.contact[i];
    if (!c.near) continue;
    const T speed = length(c.velocity) + length(end_velocity(r, c, dt)) + kClosingSpeed;
    const auto active = running & solved_lanes(c) & less<T>(-(dt * speed), c.depth) & within_reach<T>(c);
    if (!any<T>(active)) continue;
    r.response.index[motion_slot(r, c)] = kWanted;
    StepImpulse<T>& s = r.impulse[count++];
    s.contact = i, s.active = active;
  }
  list_motions(r);
  for (int k = 0; k < count; ++k) r.impulse[k].body = r.response.index[motion_slot(r, r.contact[r.impulse[k].contact])];
  return count;
}

// Two directions across a unit vector n (Duff et al. 2017).
template <class T>
TARSUS_INLINE void tangents(const Vec3<T>& n, Vec3<T>& t1, Vec3<T>& t2) {
  const T one = broadcast<T>(1.0), sign = select<T>(less<T>(n.z, broadcast<T>(0.0)), -one, one);
  const T a = -1.0 / (sign + n.z), b = n.x * n.y * a;
  t1 = {one + sign * n.x * n.x * a, sign * b, -(sign * n.x)};
  t2 = {b, sign + n.y * n.y * a, -n.y};
}

// Axes of a contact in which its own problem is simple, and that problem.
template <class T>
TARSUS_INLINE void localise(const Robot<T>& r, const Contact<T>& c, const SolvedLaw<T>& law, double dt, StepImpulse<T>& s) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  // 1. columns of G = J W J^T along n, t1, t2
  s.axis[0] = to_child(r.ws.pose[c.node].R, c.normal);
  tangents(s.axis[0], s.axis[1], s.axis[2]);
  Impulse<T> column[3];
  for (int a = 0; a < 3; ++a) s.arm[a] = cross(c.arm, s.axis[a]);
  for (int a = 0; a < 3; ++a) {
    Screw<T> V{zero3<T>(), zero3<T>()};
    add_own_response(r, s.body, Wrench<T>{s.axis[a], s.arm[a]}, V);
    column[a] = point_velocity(s, V);
  }
  // 2. S = G_tt - g_tn g_nt / g_nn; a point that cannot move along n takes no part
  const T all = column[0].n + column[1].t1 + column[2].t2;
  const auto moves = less<T>(kImmobile * all, column[0].n);
  s.active = s.active & moves;
  const T nn = select<T>(moves, column[0].n, one), per = 1.0 / nn, n1 = column[0].t1, n2 = column[0].t2;
  const T a = column[1].t1 - n1 * n1 * per, b = column[1].t2 - n1 * n2 * per, d = column[2].t2 - n2 * n2 * per;
  // 3. tangents turned into the axes in which S is diagonal
  T cosine, sine;
  diagonalise(a, b, d, cosine, sine);
  auto turn = [&](Vec3<T>* x) TARSUS_LAMBDA {
    const Vec3<T> first = cosine * x[1] + sine * x[2];
    x[2] = cosine * x[2] - sine * x[1], x[1] = first;
  };
  turn(s.axis), turn(s.arm);
  const Vec3<T> skin = to_child(r.ws.pose[c.node].R, c.skin + (0.5 * dt) * c.bend);
  s.skin = {zero, dot(skin, s.axis[1]), dot(skin, s.axis[2])};
  const T s1 = cosine * cosine * a + 2.0 * cosine * sine * b + sine * sine * d, s2 = a + d - s1;
  const auto free1 = less<T>(kImmobile * all, s1), free2 = less<T>(kImmobile * all, s2);
  s.local = {nn,
             cosine * n1 + sine * n2,
             cosine * n2 - sine * n1,
             select<T>(free1, s1, zero),
             select<T>(free2, s2, zero),
             per,
             select<T>(free1, one, zero),
             select<T>(free2, one, zero),
             law.friction};
}

// The least normal velocity at the end of the step: what closes a gap, what pushes a penetration out, or what Newton's law of
// restitution returns of the velocity before.
template <class T>
TARSUS_INLINE void require_velocity(const Robot<T>& r, const Contact<T>& c, const T& restitution, double dt, double least_strike,
                                    StepImpulse<T>& s) {
  const T zero = broadcast<T>(0.0), inside = larger<T>(c.depth, zero);
  const T normal = dot(c.velocity, c.normal);
  const T slowly = smaller<T>(sqrt_of<T>(kRecoveryPush * inside), broadcast<T>(kMostRecovery));
  const T push = r.urge * smaller<T>((kRecovery / dt) * inside, slowly);
  const auto closes = less<T>(dt * point_velocity(s, r.body_free[s.body]).n, c.depth);
  s.strikes = closes & less<T>(normal, broadcast<T>(-least_strike));
  const T still = select<T>(less<T>(zero, c.depth), push, (1.0 / dt) * c.depth);
  const auto bounces = s.strikes & less<T>(zero, restitution);
  s.required = select<T>(bounces, larger<T>(still, -(r.bounce * restitution * normal)), still);
  s.push = larger<T>(zero, still);
}

// The impulse that the contact had in the last step, if it lies in the cone.
template <class T>
TARSUS_INLINE void start_from_last_force(const Robot<T>& r, const Contact<T>& c, double dt, StepImpulse<T>& s) {
  const T zero = broadcast<T>(0.0), tiny = broadcast<T>(kTiny);
  const Vec3<T> l = to_child(r.ws.pose[c.node].R, dt * r.start_force[s.contact]);
  const T n = larger<T>(dot(l, s.axis[0]), zero), x = s.local.free1 * dot(l, s.axis[1]), y = s.local.free2 * dot(l, s.axis[2]);
  const T scale = smaller<T>(broadcast<T>(1.0), s.local.friction * n / larger<T>(sqrt_of<T>(x * x + y * y), tiny));
  s.impulse = {select<T>(s.active, n, zero), select<T>(s.active, scale * x, zero), select<T>(s.active, scale * y, zero)};
  s.gamma = r.kept[s.contact].gamma;
}

// Everything about the listed contacts, and the start of the iteration: the impulses of the last step where they bring the
// velocities closer to the solution (l^T G l / 2 + l^T b below 0), nothing otherwise.
template <class T>
inline void begin_impulses(Robot<T>& r, int count, double dt) {
  const Vec3<double> g = vec3(r.model.gravity);
  const double least_strike = kLeastStrike + 2.0 * dt * std::sqrt(dot(g, g));
  const T zero = broadcast<T>(0.0);
  // 1. velocities of the touching bodies without impulses
  for (int k = 0; k < r.response.bodies; ++k) {
    r.body_free[k] = r.body_end[k] = motion_after(r, k, dt);
  }
  // 2. every contact by itself, with the impulse of the last step
  for (int i = 0; i < count; ++i) {
    StepImpulse<T>& s = r.impulse[i];
    const Contact<T>& c = r.contact[s.contact];
    const SolvedLaw<T> law = by_law<SolvedLaw<T>>(c, [](const auto& l) TARSUS_LAMBDA { return l.solved(); });
    localise(r, c, law, dt, s);
    s.before = slip_velocity(s, motion_after(r, s.body, 0.0));
    require_velocity(r, c, law.restitution, dt, least_strike, s);
    start_from_last_force(r, c, dt, s);
    add_impulse(r, s, s.impulse, r.body_end);
  }
  // 3. l^T G l / 2 + l^T b = sum l (u + b) / 2; where it is above 0, no impulses are better
  T merit = zero;
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const Impulse<T> b = slip_velocity(s, r.body_free[s.body]), u = slip_velocity(s, r.body_end[s.body]);
    merit = merit + s.impulse.n * (0.5 * (b.n + u.n) - s.required) + 0.5 * s.impulse.t1 * (b.t1 + u.t1) +
            0.5 * s.impulse.t2 * (b.t2 + u.t2);
  }
  const auto worse = less<T>(zero, merit);
  if (!any<T>(worse)) return;
  for (int i = 0; i < count; ++i) {
    Impulse<T>& l = r.impulse[i].impulse;
    l = {select<T>(worse, zero, l.n), select<T>(worse, zero, l.t1), select<T>(worse, zero, l.t2)};
  }
  for (int k = 0; k < r.response.bodies; ++k) {
    r.body_end[k].linear = select3<T>(worse, r.body_free[k].linear, r.body_end[k].linear);
    r.body_end[k].angular = select3<T>(worse, r.body_free[k].angular, r.body_end[k].angular);
  }
}

// What a sweep changed in each lane: squares of the largest change of an impulse and of the largest impulse.
template <class T>
struct SweepChange {
  T change, largest;
};

// Each contact exactly with the others held. A lane that is settled keeps every bit, so that robots do not depend on their
// neighbours in a pack.
template <class T>
inline SweepChange<T> sweep_contacts(Robot<T>& r, int count, bool forth, typename Bits<T>::type running) {
  const T zero = broadcast<T>(0.0);
  SweepChange<T> found{zero, zero};
  for (int k = 0; k < count; ++k) {
    StepImpulse<T>& s = r.impulse[forth ? k : count - 1 - k];
    const auto moving = running & s.active;
    Impulse<T> u = slip_velocity(s, r.body_end[s.body]);
    u.n = u.n - s.required;
    T gamma = s.gamma;
    const Impulse<T> l = solve_contact(s.local, s.impulse, u, gamma);
    s.gamma = select<T>(moving, gamma, s.gamma);
    const Impulse<T> d{select<T>(moving, l.n - s.impulse.n, zero), select<T>(moving, l.t1 - s.impulse.t1, zero),
                       select<T>(moving, l.t2 - s.impulse.t2, zero)};
    s.impulse = {select<T>(moving, l.n, s.impulse.n), select<T>(moving, l.t1, s.impulse.t1),
                 select<T>(moving, l.t2, s.impulse.t2)};
    found.change = larger<T>(found.change, d.n * d.n + d.t1 * d.t1 + d.t2 * d.t2);
    const Impulse<T>& now = s.impulse;  // none where the contact is not active
    found.largest = larger<T>(found.largest, now.n * now.n + now.t1 * now.t1 + now.t2 * now.t2);
    add_impulse(r, s, d, r.body_end);
  }
  return found;
}

// Impulses of lanes that are settled are those of the pass in which they did; those of the others are kept.
template <class T>
inline void keep_impulses(Robot<T>& r, int count, typename Bits<T>::type open) {
  for (int i = 0; i < count; ++i) {
    StepImpulse<T>& s = r.impulse[i];
    KeptImpulse<T>& kept = r.kept[s.contact];
    const Impulse<T> l = s.impulse;
    s.impulse = {select<T>(open, l.n, kept.l.n), select<T>(open, l.t1, kept.l.t1), select<T>(open, l.t2, kept.l.t2)};
    kept = {s.impulse, select<T>(open, s.gamma, kept.gamma)};
  }
}

// Block Gauss-Seidel, helped by steps that change all contacts together. Returns the lanes that did not settle.
template <class T>
TARSUS_KERNEL typename Bits<T>::type solve_impulses(Robot<T>& r, int count, typename Bits<T>::type open) {
  auto running = open;
  begin_space(r, count);
  auto found = solve_regimes(r, count, open);  // lanes that are solved but for rounding
  const auto others = open & ~found;
  if (any<T>(others)) stop_sticking_contacts(r, count, others);
  T earlier = broadcast<T>(1e300);
  auto unsettled = running;  // lanes far from a solution
  for (int sweeps = 0; sweeps < kMostSweeps; ++sweeps) {
    // 1. all contacts together: from the inside of their cones where a few sweeps did not do, else by Newton's method
    if (sweeps == kPlainSweeps) {
      found = found | solve_inside(r, count, running, false);
    } else if (sweeps == kCoupledSweeps) {  // once more, from elsewhere
      found = found | solve_inside(r, count, running, true);
    } else if (sweeps > kPlainSweeps && (sweeps < kCoupledSweeps || (sweeps & (sweeps - 1)) == 0)) {
      stop_sticking_contacts(r, count, running);
    }
    // 2. contact after contact, forth and back in turns
    const SweepChange<T> last = sweep_contacts(r, count, sweeps % 2 == 0, running);
    // 3. lanes whose impulses do not change any more, or go round in circles, are done
    unsettled = (unsettled & ~running) | (running & less<T>((kUnsettled * kUnsettled) * last.largest, last.change));
    const T tolerance = select<T>(found, broadcast<T>(kInsideTolerance), broadcast<T>(kImpulseTolerance));
    running = running & less<T>(tolerance * tolerance * last.largest, last.change);
    if ((sweeps + 1) % kStallSweeps == 0) {
      running = running & less<T>(last.change, (kStallRatio * kStallRatio) * earlier);
      earlier = last.change;
    }
    if (!any<T>(running)) break;
  }
  keep_impulses(r, count, open);
  return unsettled;
}

// An impulse as a force over the step, world.
template <class T>
TARSUS_INLINE Vec3<T> force_of(const Robot<T>& r, const StepImpulse<T>& s, double dt) {
  return (1.0 / dt) * to_parent(r.ws.pose[r.contact[s.contact].node].R, wrench_of(s, s.impulse).f);
}

// The impulses as wrenches on the touching bodies, and what they change in the eliminated joints.
template <class T>
inline void take_from_motions(Robot<T>& r, int count, double dt) {
  for (int k = 0; k < r.response.bodies; ++k) r.body_impulse[k] = {zero3<T>(), zero3<T>()};
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const Wrench<T> w = wrench_of(s, s.impulse);
    r.body_impulse[s.body] += Wrench<T>{(1.0 / dt) * w.f, (1.0 / dt) * w.n};
  }
  take_impulses(r.model, r.ws, r.cluster, r.response, static_cast<const Wrench<T>*>(r.body_impulse));
}

// The motion with the impulses: as wrenches on the touching bodies that change what is in the eliminated joints; or, where rows
// take part in it, by another solve with them as forces.
template <class T>
inline void move_with_impulses(Robot<T>& r, const TreeState<T>& tree, int count, double dt) {
  if (has_coupled_columns(r)) {
    if (count == 0) return;
    load_step(r, tree, dt);
    for (int i = 0; i < count; ++i) apply_contact(r, r.contact[r.impulse[i].contact], force_of(r, r.impulse[i], dt));
    return solve_step(r, tree, dt);
  }
  if (count > 0) take_from_motions(r, count, dt);
  move_joints(r, tree);
}

// Forces of contacts with impulses, and their work: that of the mean velocity, which is what the kinetic energy changes by.
// Along the normals it is the loss of an impact where something strikes, across them that of friction. Impulses of an impact
// act together: friction may push a point that the others turn back, and then gives what is lost elsewhere. So a part that gives
// is taken off the other one.
template <class T>
inline void end_impulses(Robot<T>& r, int count, double dt, typename Bits<T>::type ending) {
  const T zero = broadcast<T>(0.0);
  T normal = zero, across = zero, outside = zero;
  auto struck = less<T>(zero, zero);
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    Contact<T>& c = r.contact[s.contact];
    const Impulse<T> u = slip_velocity(s, motion_after(r, s.body, dt));
    normal = normal - 0.5 * s.impulse.n * (u.n + s.before.n);
    across = across - 0.5 * (s.impulse.t1 * (u.t1 + s.before.t1) + s.impulse.t2 * (u.t2 + s.before.t2));
    struck = struck | (s.strikes & less<T>(zero, s.impulse.n));
    outside = outside + s.impulse.t1 * s.skin.t1 + s.impulse.t2 * s.skin.t2;
    c.force = select3<T>(ending & s.active & solved_lanes(c), force_of(r, s, dt), c.force);
  }
  const T all = normal + across;
  const auto both = ~less<T>(normal, zero) & ~less<T>(across, zero);
  const T impact = select<T>(struck, select<T>(both, normal, larger<T>(all, zero)), zero);
  T &balance = r.work[work_index(kGroundBalance)], &loss = r.work[work_index(kImpact)];
  balance = select<T>(ending, balance + (all - impact), balance), loss = select<T>(ending, loss + impact, loss);
  T& work = r.work[work_index(kExternal)];
  work = select<T>(ending, work + outside, work);
}

// Eliminates all joints with what the step takes implicitly, and moves the nodes on the way to features without impulses:
// impulses follow from that motion, the rest from them.
template <class T>
inline void move_freely(Robot<T>& r, const TreeState<T>& tree, double dt) {
  const Model& m = r.model;
  if (r.couples) {
    load_step(r, tree, dt);
    return solve_step(r, tree, dt);
  }
  if (m.coupled) {
    load_step(r, tree, dt);
    for (int k = 0; k < m.nv; ++k) r.total[k] = broadcast<T>(0.0);
    add_reduced_force(r, static_cast<const T*>(r.force), r.total);
    eliminate_swept_step(step_inertia(r), r.ws, tree.q, static_cast<const T*>(r.v), static_cast<const T*>(r.total), r.cluster);
    accelerate_swept_step(m, r.ws, tree.q, r.vdot, r.cluster);
    return;
  }
  eliminate_step(r, tree, dt);
  const Motion<T> still{zero3<T>(), zero3<T>(), zero3<T>()};
  for (int k = 0; k < r.world.nodes; ++k) {
    const int i = r.world.node[k];
    if (is_fixed(m.node[i])) {
      r.ws.motion[i].dw = r.ws.motion[i].a = zero3<T>();
    } else {
      accelerate_alone(m, r.ws, tree.q, i, m.node[i].parent < 0 ? still : r.ws.motion[m.node[i].parent], r.vdot);
    }
  }
}

// Impulses as forces that take part in the balance of a step (step/line_search.hpp).
template <class T>
inline void give_impulses(Robot<T>& r, int count, double dt) {
  for (int j = 0; j < r.awakes; ++j) r.step_contact[r.awake[j]].given = zero3<T>();
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    if (!r.step_contact[s.contact].awake) wake_contact(r, s.contact, dt, solved_lanes(r.contact[s.contact]));
    r.step_contact[s.contact].given = force_of(r, s, dt);
  }
}

// The next pass starts from the impulses of this one, in lanes that are not settled: a lane that is keeps every bit.
template <class T>
inline void follow_impulses(Robot<T>& r, typename Bits<T>::type lanes_open) {
  for (int i = 0; i < r.world.contacts; ++i) {
    const Vec3<T> now = r.step_contact[i].awake ? r.step_contact[i].given : zero3<T>();
    r.start_force[i] = select3<T>(lanes_open, now, r.start_force[i]);
  }
}

// Velocity terms at the mean velocity that the forces of the last step would lead to, where the motion is fast: a solve without
// impulses, which saves one with impulses.
template <class T>
TARSUS_KERNEL void predict_velocity_terms(Robot<T>& r, const TreeState<T>& tree, double dt) {
  T fastest = broadcast<T>(0.0);
  for (int k = 0; k < r.model.tree_nv; ++k) {
    if (!r.translates[k]) fastest = larger<T>(fastest, magnitude<T>(tree.v[k]));
  }
  const auto fast = less<T>(broadcast<T>(kPredictedSpeed), fastest);
  if (!any<T>(fast)) return;
  load_step(r, tree, dt);
  for (int i = 0; i < r.world.contacts; ++i) {
    const Contact<T>& c = r.contact[i];
    if (c.near) apply_contact(r, c, select3<T>(solved_lanes(c), c.force, zero3<T>()));
  }
  solve_step(r, tree, dt);
  if (any<T>(follow_mean_velocity(r, tree, dt, fast))) renew_velocity_terms(r, tree);
}

// What a step did that tells whether to trust it.
template <class T>
struct ImpulseOutcome {
  typename Bits<T>::type struck, bounced;  // lanes with an impact, and with restitution in it
  typename Bits<T>::type unsettled;        // those whose impulses did not settle
  T urged;                                 // work of what pushes penetrations out [J]: the most that impulses may give
};

template <class T>
inline ImpulseOutcome<T> outcome_of(const Robot<T>& r, int count, typename Bits<T>::type unsettled) {
  const T zero = broadcast<T>(0.0);
  ImpulseOutcome<T> found{less<T>(zero, zero), less<T>(zero, zero), unsettled, zero};
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const auto strikes = s.strikes & less<T>(zero, s.impulse.n);
    found.struck = found.struck | strikes, found.bounced = found.bounced | (strikes & less<T>(s.push, s.required));
    found.urged = found.urged + s.impulse.n * s.push;
  }
  return found;
}

// From time t to t + dt in these lanes, whose state is expanded, by one solve.
template <class T>
TARSUS_KERNEL ImpulseOutcome<T> whole_impulse_step(Robot<T>& r, const TreeState<T>& state, double t, double dt,
                                                   typename Bits<T>::type running) {
  const TreeState<T> tree = begin_step(r, state, t, dt);
  r.kept_energy.known = false;
  predict_velocity_terms(r, tree, dt);
  const T zero = broadcast<T>(0.0);
  for (int i = 0; i < r.world.contacts; ++i) {
    r.start_force[i] = r.contact[i].force;
    r.kept[i] = {{zero, zero, zero}, zero};
  }
  StepProgress<T> progress = begin_progress<T>(running);
  int count = 0;
  auto unsettled = less<T>(broadcast<T>(1.0), broadcast<T>(0.0));
  for (int pass = 0; pass < kMostPasses; ++pass) {
    move_freely(r, tree, dt);
    count = list_impulses(r, dt, running);
    if (count > 0) {
      find_motion_columns(r, tree, dt);
      begin_impulses(r, count, dt);
      const auto open = ~progress.settled;
      unsettled = (unsettled & ~open) | solve_impulses(r, count, open);
    }
    move_with_impulses(r, tree, count, dt);
    give_impulses(r, count, dt);
    if (settle_step(r, tree, dt, pass, progress, kImpulseGuesses)) break;
    if (progress.renews) renew_velocity_terms(r, tree);
    follow_impulses(r, ~progress.settled);
  }
  unsettled = running & (unsettled | ~progress.settled);
  end_step(r, tree, running, dt);
  end_impulses(r, count, dt, running);
  end_constraints(r, t + dt, dt, running);
  settle_sets(r, running);
  keep_dissipation(r, kGroundBalance, kGroundDissipated);
  return outcome_of(r, count, unsettled);
}

}  // namespace tarsus::TARSUS_ISA
