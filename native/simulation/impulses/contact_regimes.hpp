// Which contacts are open, stick and slip: Newton's method on Coulomb's law with the regimes of all contacts as unknowns (primal-
// dual active sets, Alart and Curnier 1991; Hintermueller, Ito and Kunisch 2002). All contacts are solved together in their
// present regimes (sticking_contacts.hpp); what a regime does not bear, pull of a closed contact, approach of an open one,
// friction beyond the cone or along the motion, changes it for the next solve. From the regimes of the last step one solve is
// often enough and three mostly are. The solution depends on its regimes alone, not on the impulses it was reached from.
#pragma once
#include "simulation/impulses/sticking_contacts.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostRegimeSolves = 12;
constexpr double kRegimeTolerance = 1e-10;    // impulses of the wrong sign below this part of the largest one do not count
constexpr double kDirectionTolerance = 1e-5;  // change of a direction of slip behind which the next one would be 1e-10
constexpr double kOnCone = 1e-9;              // relative excess of the square of friction that counts as on the cone

// The regime in which the contact ended the last step, with the impulse of which it starts.
template <class T>
TARSUS_INLINE void begin_regime(const StepImpulse<T>& s, ContactRegime<T>& g) {
  const T zero = broadcast<T>(0.0), cap = (1.0 - kInsideCone) * s.local.friction * s.impulse.n;
  const T size = s.impulse.t1 * s.impulse.t1 + s.impulse.t2 * s.impulse.t2;
  g.closed = s.active & less<T>(zero, s.impulse.n);
  g.slips = g.closed & less<T>(zero, s.local.friction) & ~less<T>(size, cap * cap);
  const T per = select<T>(g.slips, 1.0 / sqrt_of<T>(larger<T>(size, broadcast<T>(kTiny))), zero);
  g.e1 = per * s.impulse.t1, g.e2 = per * s.impulse.t2;
  const T guess = sqrt_of<T>(s.before.t1 * s.before.t1 + s.before.t2 * s.before.t2) * per;
  g.gamma = select<T>(g.slips, select<T>(less<T>(zero, s.gamma), s.gamma, guess), zero);
}

// Regimes that bear the impulses (r.change) and velocities of a solve, into r.next_regime; returns the lanes in which one differs
// from the present one.
template <class T>
inline typename Bits<T>::type judge_regimes(Robot<T>& r, int count, const T& per_eps) {
  const T zero = broadcast<T>(0.0), tiny = broadcast<T>(kTiny);
  T largest = zero;
  for (int i = 0; i < count; ++i) largest = larger<T>(largest, magnitude<T>(r.change[i].n));
  const T least = kRegimeTolerance * largest;
  auto changed = less<T>(zero, zero);
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const ContactRegime<T>& now = r.regime[i];
    const Impulse<T>& l = r.change[i];
    const Impulse<T> u = slip_velocity(s, r.body_trial[s.body]);
    // 1. open and closed
    const auto pulls = now.closed & less<T>(l.n, -least);
    const auto enters = s.active & ~now.closed & less<T>((u.n - s.required) * s.local.per_nn, -least);
    // 2. sticking beyond the cone; slip along its own friction, which would gain energy; a direction of slip that turns
    const auto rubs = now.closed & ~pulls & less<T>(zero, s.local.friction), slid = rubs & now.slips;
    const T cap = larger<T>(s.local.friction * l.n, zero), size = sqrt_of<T>(l.t1 * l.t1 + l.t2 * l.t2);
    const T per = 1.0 / larger<T>(size, tiny), e1 = per * l.t1, e2 = per * l.t2;
    const T against = -(u.t1 * e1 + u.t2 * e2), turned = now.e1 * e2 - now.e2 * e1;
    const auto loose = rubs & ~now.slips & less<T>(cap + least, size), stops = slid & less<T>(per_eps * against, cap);
    const auto turns = slid & less<T>(broadcast<T>(kDirectionTolerance), magnitude<T>(turned));
    changed = changed | pulls | enters | loose | stops | turns;
    // 3. the next regime
    const auto slips = loose | (slid & ~stops);
    const T gamma = select<T>(slid, against, size / per_eps) / larger<T>(cap, tiny);
    r.next_regime[i] = {(now.closed & ~pulls) | enters, slips, select<T>(slips, e1, zero), select<T>(slips, e2, zero),
                        select<T>(slips, gamma, zero)};
  }
  return changed;
}

// Takes the regimes that were judged better, in these lanes.
template <class T>
inline void take_regimes(Robot<T>& r, int count, typename Bits<T>::type lanes_of) {
  for (int i = 0; i < count; ++i) {
    ContactRegime<T>& g = r.regime[i];
    const ContactRegime<T>& next = r.next_regime[i];
    g.closed = (g.closed & ~lanes_of) | (next.closed & lanes_of), g.slips = (g.slips & ~lanes_of) | (next.slips & lanes_of);
    g.e1 = select<T>(lanes_of, next.e1, g.e1), g.e2 = select<T>(lanes_of, next.e2, g.e2);
    g.gamma = select<T>(lanes_of, next.gamma, g.gamma);
  }
}

// Lanes in which no contact pulls or sticks beyond its cone with the changes of the impulses.
template <class T>
inline typename Bits<T>::type bears_changes(const Robot<T>& r, int count) {
  const T zero = broadcast<T>(0.0);
  auto bears = less<T>(zero, broadcast<T>(1.0));
  for (int i = 0; i < count; ++i) {
    const Impulse<T>&l = r.impulse[i].impulse, &d = r.change[i];
    const T n = l.n + d.n, t1 = l.t1 + d.t1, t2 = l.t2 + d.t2, cap = r.impulse[i].local.friction * n;
    const auto beyond = less<T>((1.0 + kOnCone) * cap * cap, t1 * t1 + t2 * t2);
    bears = bears & ~less<T>(n, zero) & ~beyond;
  }
  return bears;
}

// The impulses that go with the regimes, from no impulses at all; a second solve with the same factors takes the compliance out.
template <class T>
inline void take_solution(Robot<T>& r, int count, typename Bits<T>::type lanes_of) {
  const T zero = broadcast<T>(0.0), per_eps = stiffness_of_contacts(r, count);
  for (int b = 0; b < r.response.bodies; ++b) r.body_impulse[b] = {zero3<T>(), zero3<T>()};
  for (int i = 0; i < count; ++i) {
    StepImpulse<T>& s = r.impulse[i];
    Impulse<T>& l = s.impulse;
    const Impulse<T>& d = r.change[i];
    l = {select<T>(lanes_of, d.n, l.n), select<T>(lanes_of, d.t1, l.t1), select<T>(lanes_of, d.t2, l.t2)};
    s.gamma = select<T>(lanes_of, r.regime[i].gamma, s.gamma);
    r.body_impulse[s.body] += wrench_of(s, l);
  }
  // Velocities from the impulses themselves: those of the solve do not show the rounding of these, which a small eps makes large.
  for_pushed_motions(r, [&](int b, const Screw<T>& V) TARSUS_LAMBDA {
    r.body_end[b].linear = select3<T>(lanes_of, V.linear, r.body_end[b].linear);
    r.body_end[b].angular = select3<T>(lanes_of, V.angular, r.body_end[b].angular);
  });
  // Velocities that are left, as loads: -J^T e / eps
  clear_loads(r);
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const Participation<T>& part = r.part[i];
    const Impulse<T> u = slip_velocity(s, r.body_end[s.body]);
    reinterpret_cast<Wrench<T>*>(r.space.load)[s.body] += wrench_of(s, impulse_against(s, part, per_eps, u, zero));
  }
  solve_equations(r);
  find_changes(r, count, per_eps, r.body_end, true);
  add_changes(r, count, lanes_of & bears_changes(r, count));
}

// Solves with regimes until they bear their solution. Returns the lanes in which they do; the others keep what they had.
template <class T>
TARSUS_KERNEL typename Bits<T>::type solve_regimes(Robot<T>& r, int count, typename Bits<T>::type open) {
  auto running = open, failed = ~open;
  const T stiff = stiffness_of_contacts(r, count);
  for (int i = 0; i < count; ++i) begin_regime(r.impulse[i], r.regime[i]);
  for (int k = 0; k < kMostRegimeSolves; ++k) {
    const auto good = solve_together<true>(r, count, stiff, running);
    const auto changed = judge_regimes(r, count, stiff);
    failed = failed | (running & ~good);
    running = running & good & changed;
    if (!any<T>(running)) break;
    take_regimes(r, count, running);
  }
  const auto found = ~running & ~failed;
  if (any<T>(found)) take_solution(r, count, found);
  return found;
}

}  // namespace tarsus::TARSUS_ISA
