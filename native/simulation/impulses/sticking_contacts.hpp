// All closed contacts at once: the change of their impulses that brings every sticking one to rest and stops the normal motion of
// every slipping one, as one step of Newton's method with the directions of slip held, in the velocities of the touching bodies
// (motion_space.hpp). A standing robot is solved in one stroke where contact after contact takes dozens of sweeps.
//
// With rows J of the contacts, velocities e that they still have, and a small compliance eps that shares out what statics leaves
// open, dl = -(e + J dV) / eps.
#pragma once
#include "simulation/impulses/motion_space.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kRelativeCompliance = 1e-7;  // eps, relative to the sum of the responses of the contacts
constexpr double kInsideCone = 1e-9;          // relative distance of a sticking contact's impulse from its cone

template <bool kFresh, class T>
TARSUS_INLINE Participation<T> participation_of(const StepImpulse<T>& s, const T& per_eps, typename Bits<T>::type running) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), mu = s.local.friction, cap = (1.0 - kInsideCone) * mu * s.impulse.n;
  const T size = s.impulse.t1 * s.impulse.t1 + s.impulse.t2 * s.impulse.t2;
  const auto pressed = running & s.active & less<T>(zero, s.impulse.n), rough = pressed & less<T>(zero, mu);
  const auto sticks = kFresh ? rough : rough & less<T>(size, cap * cap);
  const auto slips = rough & ~sticks;
  const T per = select<T>(slips, 1.0 / sqrt_of<T>(larger<T>(size, broadcast<T>(kTiny))), zero);
  const T e1 = per * s.impulse.t1, e2 = per * s.impulse.t2;
  const T turn = select<T>(slips & less<T>(zero, s.gamma), 1.0 / (1.0 + per_eps * larger<T>(s.gamma, zero)), zero);
  return {select<T>(pressed, one, zero), select<T>(sticks, one, zero), mu * e1, mu * e2, -e2, e1, turn};
}

// Loads -J^T e / eps and blocks of K = J_f^T J_u / eps of all touching bodies, and how contacts take part. The rows of forces and
// of velocities differ for slipping contacts, and with them K is not symmetric.
template <bool kFresh, class T>
inline void add_contact_blocks(Robot<T>& r, int count, const T& per_eps, typename Bits<T>::type running) {
  const T zero = broadcast<T>(0.0);
  clear_equations(r);
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const Participation<T> part = participation_of<kFresh>(s, per_eps, running);
    r.part[i] = part;
    const Impulse<T> u = point_velocity(s, (kFresh ? r.body_free : r.body_end)[s.body]);
    const T e[4] = {u.n - s.required, u.t1, u.t2, part.side1 * u.t1 + part.side2 * u.t2};
    const T grip[3] = {zero, s.local.free1 * part.across, s.local.free2 * part.across};
    const bool turns = any<T>(less<T>(zero, part.turn));
    const Wrench<T> push = wrench_of(s, Impulse<T>{part.normal, part.slip1, part.slip2});
    const Wrench<T> side = wrench_of(s, Impulse<T>{zero, part.side1, part.side2});
    for (int a = 0; a < (turns ? 4 : 3); ++a) {
      const Vec3<T> axis = a == 3 ? side.f : s.axis[a], arm = a == 3 ? side.n : s.arm[a];
      const T& weight = a == 3 ? part.turn : grip[a];
      const Vec3<T> f = a == 0 ? push.f : weight * axis, m = a == 0 ? push.n : weight * arm;
      const T force[6] = {f.x, f.y, f.z, m.x, m.y, m.z}, row[6] = {axis.x, axis.y, axis.z, arm.x, arm.y, arm.z};
      for (int x = 0; x < 6; ++x) {
        const T w = per_eps * force[x];
        T *K = r.space.stiffness + 36 * s.body + 6 * x, &load = r.space.load[6 * s.body + x];
        load = load - w * e[a];
        for (int y = 0; y < 6; ++y) K[y] = K[y] + w * row[y];
      }
    }
  }
}

// How far an impulse may go along d before it leaves its cone; at most 1.
template <class T>
TARSUS_INLINE T way_to_cone(const StepImpulse<T>& s, const T& sticks, const Impulse<T>& d) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), square = s.local.friction * s.local.friction;
  const Impulse<T>& l = s.impulse;
  const T a = square * d.n * d.n - d.t1 * d.t1 - d.t2 * d.t2, c = square * l.n * l.n - l.t1 * l.t1 - l.t2 * l.t2;
  const T b = square * l.n * d.n - l.t1 * d.t1 - l.t2 * d.t2, root = b * b - a * c;
  const T below = sqrt_of<T>(larger<T>(root, zero)) - b;
  const T cone = select<T>(less<T>(zero, root) & less<T>(c, below), c / select<T>(less<T>(zero, below), below, one), one);
  const T flat = select<T>(less<T>(l.n + d.n, zero), l.n / select<T>(less<T>(d.n, zero), -d.n, one), one);
  return select<T>(less<T>(zero, sticks), smaller<T>(cone, flat), flat);
}

// The impulses that go with the change of the velocities from V.
template <class T>
inline void find_changes(Robot<T>& r, int count, const T& per_eps, const Screw<T>* V) {
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const Impulse<T> u = point_velocity(s, V[s.body]), d = point_velocity(s, r.space.change[s.body]);
    const Participation<T>& part = r.part[i];
    const T push = -(per_eps * part.normal) * (u.n - s.required + d.n), grip = -(per_eps * part.across);
    const T turn = -(per_eps * part.turn) * (part.side1 * (u.t1 + d.t1) + part.side2 * (u.t2 + d.t2));
    r.change[i] = {push, part.slip1 * push + grip * s.local.free1 * (u.t1 + d.t1) + turn * part.side1,
                   part.slip2 * push + grip * s.local.free2 * (u.t2 + d.t2) + turn * part.side2};
  }
}

// eps of a lane, inverted.
template <class T>
inline T stiffness_of_contacts(const Robot<T>& r, int count) {
  T sum = broadcast<T>(kTiny);
  for (int i = 0; i < count; ++i) sum = sum + select<T>(r.impulse[i].active, r.impulse[i].local.nn, broadcast<T>(0.0));
  return 1.0 / (kRelativeCompliance * sum);
}

// Solves for all of them: impulses into r.change, velocities into r.space.change; returns the lanes that could be solved. kFresh
// starts from no impulses at all, with every contact that had one before taken for sticking.
template <bool kFresh, class T>
TARSUS_KERNEL typename Bits<T>::type solve_together(Robot<T>& r, int count, typename Bits<T>::type running) {
  const T per_eps = stiffness_of_contacts(r, count);
  add_contact_blocks<kFresh>(r, count, per_eps, running);
  const auto good = factorise_equations(r);
  solve_equations(r);
  find_changes(r, count, per_eps, kFresh ? r.body_free : r.body_end);
  return good;
}

// Adds the changes to the impulses and velocities of some lanes.
template <class T>
inline void add_changes(Robot<T>& r, int count, typename Bits<T>::type lanes_of) {
  for (int i = 0; i < count; ++i) {
    Impulse<T>& l = r.impulse[i].impulse;
    const Impulse<T>& d = r.change[i];
    l = {select<T>(lanes_of, l.n + d.n, l.n), select<T>(lanes_of, l.t1 + d.t1, l.t1), select<T>(lanes_of, l.t2 + d.t2, l.t2)};
  }
  for (int b = 0; b < r.response.bodies; ++b) {
    const Screw<T>& d = r.space.change[b];
    r.body_end[b].linear = select3<T>(lanes_of, r.body_end[b].linear + d.linear, r.body_end[b].linear);
    r.body_end[b].angular = select3<T>(lanes_of, r.body_end[b].angular + d.angular, r.body_end[b].angular);
  }
}

// The impulses with which all contacts that were closed before stick, shared out evenly, where they lie in the cones: what a
// standing robot needs, whatever it did before. A second solve with the same factors takes the compliance out. Returns the lanes
// in which they do.
template <class T>
inline typename Bits<T>::type start_from_sticking(Robot<T>& r, int count) {
  const T zero = broadcast<T>(0.0);
  auto fits = less<T>(zero, broadcast<T>(1.0));
  fits = solve_together<true>(r, count, fits);
  for (int i = 0; i < count; ++i) {
    const Impulse<T>& d = r.change[i];
    const T cap = r.impulse[i].local.friction * d.n;
    fits = fits & ~less<T>(d.n, zero) & ~less<T>(cap * cap, d.t1 * d.t1 + d.t2 * d.t2);
  }
  if (!any<T>(fits)) return fits;
  for (int i = 0; i < count; ++i) {
    Impulse<T>& l = r.impulse[i].impulse;
    l = {select<T>(fits, zero, l.n), select<T>(fits, zero, l.t1), select<T>(fits, zero, l.t2)};
  }
  for (int b = 0; b < r.response.bodies; ++b) {
    r.body_end[b].linear = select3<T>(fits, r.body_free[b].linear, r.body_end[b].linear);
    r.body_end[b].angular = select3<T>(fits, r.body_free[b].angular, r.body_end[b].angular);
  }
  add_changes(r, count, fits);
  // Velocities that are left, as loads: -J^T e / eps
  const T per_eps = stiffness_of_contacts(r, count);
  clear_loads(r);
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const Participation<T>& part = r.part[i];
    const Impulse<T> u = point_velocity(s, r.body_end[s.body]);
    const T grip = -(per_eps * part.across);
    const Wrench<T> w = wrench_of(
        s, Impulse<T>{-(per_eps * part.normal) * (u.n - s.required), grip * s.local.free1 * u.t1, grip * s.local.free2 * u.t2});
    Wrench<T>& load = reinterpret_cast<Wrench<T>*>(r.space.load)[s.body];
    load += w;
  }
  solve_equations(r);
  find_changes(r, count, per_eps, r.body_end);
  add_changes(r, count, fits);
  return fits;
}

// Changes the impulses of running lanes as far as those of sticking contacts stay in their cones and none becomes negative. Along
// that way l^T G l / 2 + l^T b only falls where nothing slips; where something does, the sweeps decide about convergence.
template <class T>
inline void stop_sticking_contacts(Robot<T>& r, int count, typename Bits<T>::type running) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  running = running & solve_together<false>(r, count, running);
  T way = select<T>(running, one, zero);
  for (int i = 0; i < count; ++i) {
    way = smaller<T>(way,
                     select<T>(less<T>(zero, r.part[i].normal), way_to_cone(r.impulse[i], r.part[i].across, r.change[i]), one));
  }
  for (int i = 0; i < count; ++i) {
    StepImpulse<T>& s = r.impulse[i];
    const Impulse<T>& d = r.change[i];
    const auto takes = running & less<T>(zero, r.part[i].normal);
    s.impulse = {select<T>(takes, s.impulse.n + way * d.n, s.impulse.n),
                 select<T>(takes, s.impulse.t1 + way * d.t1, s.impulse.t1),
                 select<T>(takes, s.impulse.t2 + way * d.t2, s.impulse.t2)};
  }
  for (int b = 0; b < r.response.bodies; ++b) {
    const auto& d = r.space.change[b];
    r.body_end[b].linear = select3<T>(running, r.body_end[b].linear + way * d.linear, r.body_end[b].linear);
    r.body_end[b].angular = select3<T>(running, r.body_end[b].angular + way * d.angular, r.body_end[b].angular);
  }
  for (int i = 0; i < count; ++i) {  // friction that has turned goes back onto its cone
    StepImpulse<T>& s = r.impulse[i];
    const auto turned = running & less<T>(zero, r.part[i].turn);
    if (!any<T>(turned)) continue;
    const Impulse<T> l = s.impulse;
    const T scale = s.local.friction * l.n / sqrt_of<T>(larger<T>(l.t1 * l.t1 + l.t2 * l.t2, broadcast<T>(kTiny)));
    s.impulse = {l.n, select<T>(turned, scale * l.t1, l.t1), select<T>(turned, scale * l.t2, l.t2)};
    add_impulse(r, s, Impulse<T>{zero, s.impulse.t1 - l.t1, s.impulse.t2 - l.t2}, r.body_end);
  }
}

}  // namespace tarsus::TARSUS_ISA
