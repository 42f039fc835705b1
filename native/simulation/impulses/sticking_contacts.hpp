// All closed contacts at once: the change of their impulses that brings every sticking one to rest and stops the normal motion of
// every slipping one, as one step of Newton's method with the directions of slip held, in the velocities of the touching bodies
// (motion_space.hpp). A standing robot is solved in one stroke where contact after contact takes dozens of sweeps.
//
// With rows J of the contacts, velocities e that they still have, and a small compliance eps that shares out what statics leaves
// open, dl = -(e + J dV) / eps.
#pragma once
#include "simulation/impulses/motion_space.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kRelativeCompliance = 2e-7;  // eps, relative to the response of the least mobile contact,
constexpr double kLeastCompliance = 1e-9;     // and bounds relative to the sum of the responses of the contacts
constexpr double kMostCompliance = 1e-7;
constexpr double kInsideCone = 1e-9;  // relative distance of a sticking contact's impulse from its cone

// How a contact takes part with the impulse it has; or in its regime.
template <class T>
TARSUS_INLINE Participation<T> participation_of(const StepImpulse<T>& s, const T& per_eps, typename Bits<T>::type running) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), mu = s.local.friction, cap = (1.0 - kInsideCone) * mu * s.impulse.n;
  const T size = s.impulse.t1 * s.impulse.t1 + s.impulse.t2 * s.impulse.t2;
  const auto pressed = running & s.active & less<T>(zero, s.impulse.n), rough = pressed & less<T>(zero, mu);
  const auto sticks = rough & less<T>(size, cap * cap), slips = rough & ~sticks;
  const T per = select<T>(slips, 1.0 / sqrt_of<T>(larger<T>(size, broadcast<T>(kTiny))), zero);
  const T e1 = per * s.impulse.t1, e2 = per * s.impulse.t2;
  const T turn = select<T>(slips & less<T>(zero, s.gamma), 1.0 / (1.0 + per_eps * larger<T>(s.gamma, zero)), zero);
  return {select<T>(pressed, one, zero), select<T>(sticks, one, zero), mu * e1, mu * e2, -e2, e1, turn};
}
template <class T>
TARSUS_INLINE Participation<T> participation_of(const StepImpulse<T>& s, const ContactRegime<T>& g, const T& per_eps) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), mu = s.local.friction;
  const auto sticks = g.closed & ~g.slips & less<T>(zero, mu);
  const T turn = select<T>(g.slips, 1.0 / larger<T>(one, per_eps * g.gamma), zero);
  return {select<T>(g.closed, one, zero), select<T>(sticks, one, zero), mu * g.e1, mu * g.e2, -g.e2, g.e1, turn};
}

// The friction that the normal impulse of a slipping contact brings with it.
template <bool kFresh, class T>
TARSUS_INLINE void add_slip_block(Robot<T>& r, const StepImpulse<T>& s, const Participation<T>& part, const T& per_eps) {
  const T zero = broadcast<T>(0.0);
  if (!any<T>(less<T>(zero, part.slip1 * part.slip1 + part.slip2 * part.slip2))) return;
  const Vec3<T>&n = s.axis[0], &m = s.arm[0];
  const Screw<T>& V = (kFresh ? r.body_free : r.body_end)[s.body];
  const Wrench<T> slip = wrench_of(s, Impulse<T>{zero, part.slip1, part.slip2});
  const T force[6] = {slip.f.x, slip.f.y, slip.f.z, slip.n.x, slip.n.y, slip.n.z}, row[6] = {n.x, n.y, n.z, m.x, m.y, m.z};
  const T e = dot(n, V.linear) + dot(m, V.angular) - s.required;
  T *K = r.space.stiffness + 36 * s.body, *load = r.space.load + 6 * s.body;
  for (int x = 0; x < 6; ++x) {
    const T w = per_eps * force[x];
    load[x] = load[x] - w * e;
    for (int y = 0; y < 6; ++y) K[6 * x + y] = K[6 * x + y] + w * row[y];
  }
}

// Adds rows of a contact that resist their own velocities e to the load and to the upper triangle of K of its body.
template <int kRows, class T>
TARSUS_INLINE void add_rows(Robot<T>& r, int body, const Vec3<T>* axis, const Vec3<T>* arm, const T* weight, const T* e) {
  T row[6][kRows], *K = r.space.stiffness + 36 * body, *load = r.space.load + 6 * body;
  for (int a = 0; a < kRows; ++a) {
    row[0][a] = axis[a].x, row[1][a] = axis[a].y, row[2][a] = axis[a].z;
    row[3][a] = arm[a].x, row[4][a] = arm[a].y, row[5][a] = arm[a].z;
  }
  for (int x = 0; x < 6; ++x) {
    T w[kRows];
    for (int a = 0; a < kRows; ++a) w[a] = weight[a] * row[x][a], load[x] = load[x] - w[a] * e[a];
    for (int y = x; y < 6; ++y) {
      T sum = K[6 * x + y];
      for (int a = 0; a < kRows; ++a) sum = sum + w[a] * row[y][a];
      K[6 * x + y] = sum;
    }
  }
}

// Loads -J^T e / eps and blocks of K = J_f^T J_u / eps of all touching bodies, and how contacts take part. The rows of forces and
// of velocities differ for slipping contacts, and with them K is not symmetric: what is goes into its upper triangle first.
template <bool kFresh, class T>
inline void add_contact_blocks(Robot<T>& r, int count, const T& per_eps, typename Bits<T>::type running) {
  const T zero = broadcast<T>(0.0);
  clear_equations(r);
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    r.part[i] = kFresh ? participation_of(s, r.regime[i], per_eps) : participation_of(s, per_eps, running);
    const Participation<T>& part = r.part[i];
    const Impulse<T> u = slip_velocity(s, (kFresh ? r.body_free : r.body_end)[s.body]);
    const T e[4] = {u.n - s.required, u.t1, u.t2, part.side1 * u.t1 + part.side2 * u.t2};
    const T weight[4] = {per_eps * part.normal, per_eps * s.local.free1 * part.across, per_eps * s.local.free2 * part.across,
                         per_eps * part.turn};
    if (any<T>(less<T>(zero, part.turn))) {
      const Wrench<T> side = wrench_of(s, Impulse<T>{zero, part.side1, part.side2});
      const Vec3<T> axis[4] = {s.axis[0], s.axis[1], s.axis[2], side.f}, arm[4] = {s.arm[0], s.arm[1], s.arm[2], side.n};
      add_rows<4>(r, s.body, axis, arm, weight, e);
    } else {
      add_rows<3>(r, s.body, s.axis, s.arm, weight, e);
    }
  }
  for (int b = 0; b < r.response.bodies; ++b) {
    T* K = r.space.stiffness + 36 * b;
    for (int x = 1; x < 6; ++x) {
      for (int y = 0; y < x; ++y) K[6 * x + y] = K[6 * y + x];
    }
  }
  for (int i = 0; i < count; ++i) add_slip_block<kFresh>(r, r.impulse[i], r.part[i], per_eps);
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

// The impulse with which a contact resists its velocity u; `side` is the velocity across its slip that it resists.
template <class T>
TARSUS_INLINE Impulse<T> impulse_against(const StepImpulse<T>& s, const Participation<T>& part, const T& per_eps,
                                         const Impulse<T>& u, const T& side) {
  const T push = -(per_eps * part.normal) * (u.n - s.required), grip = -(per_eps * part.across);
  const T turn = -(per_eps * part.turn) * side;
  return {push, part.slip1 * push + grip * s.local.free1 * u.t1 + turn * part.side1,
          part.slip2 * push + grip * s.local.free2 * u.t2 + turn * part.side2};
}

// The impulses that go with the change of the velocities from V; velocities at its end into r.body_trial. `turned` tells that
// friction across slip is that of V already.
template <class T>
inline void find_changes(Robot<T>& r, int count, const T& per_eps, const Screw<T>* V, bool turned) {
  for (int b = 0; b < r.response.bodies; ++b) {
    const Screw<T>& d = r.space.change[b];
    r.body_trial[b] = {V[b].linear + d.linear, V[b].angular + d.angular};
  }
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const Participation<T>& part = r.part[i];
    const Impulse<T> u = slip_velocity(s, r.body_trial[s.body]);
    const bool across = turned && any<T>(less<T>(broadcast<T>(0.0), part.turn));
    const Impulse<T> d = across ? point_velocity(s, r.space.change[s.body]) : u;
    r.change[i] = impulse_against(s, part, per_eps, u, T(part.side1 * d.t1 + part.side2 * d.t2));
  }
}

// eps of a lane, inverted.
template <class T>
inline T stiffness_of_contacts(const Robot<T>& r, int count) {
  const T zero = broadcast<T>(0.0);
  T sum = broadcast<T>(kTiny), least = broadcast<T>(1e300);
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const auto moves1 = s.active & less<T>(zero, s.local.free1), moves2 = s.active & less<T>(zero, s.local.free2);
    sum = sum + select<T>(s.active, s.local.nn, zero);
    least = smaller<T>(least, select<T>(s.active, s.local.nn, least));
    least = smaller<T>(least, smaller<T>(select<T>(moves1, s.local.s1, least), select<T>(moves2, s.local.s2, least)));
  }
  return 1.0 / larger<T>(kLeastCompliance * sum, smaller<T>(kMostCompliance * sum, kRelativeCompliance * least));
}

// Solves for all of them: impulses into r.change, velocities into r.space.change; returns the lanes that could be solved. kFresh
// starts from no impulses at all, with every contact in its regime (contact_regimes.hpp).
template <bool kFresh, class T>
TARSUS_KERNEL typename Bits<T>::type solve_together(Robot<T>& r, int count, const T& per_eps, typename Bits<T>::type running) {
  add_contact_blocks<kFresh>(r, count, per_eps, running);
  const auto good = factorise_equations(r);
  solve_equations(r);
  find_changes(r, count, per_eps, kFresh ? r.body_free : r.body_end, false);
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

// Changes the impulses of running lanes as far as those of sticking contacts stay in their cones and none becomes negative. Along
// that way l^T G l / 2 + l^T b only falls where nothing slips; where something does, the sweeps decide about convergence.
template <class T>
inline void stop_sticking_contacts(Robot<T>& r, int count, typename Bits<T>::type running) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  running = running & solve_together<false>(r, count, stiffness_of_contacts(r, count), running);
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
