// All closed contacts at once: the change of their impulses that brings every sticking one to rest and stops the normal motion of
// every slipping one, as one step of Newton's method with the directions of slip held. Contacts of one
// body share its six velocities, so that the equations are six a touching body, however many contacts there are, and a standing
// robot is solved in one stroke where contact after contact takes dozens of sweeps.
//
// With velocities V of the touching bodies, W = L L^T their response to impulses, rows J of the contacts, velocities e
// that they still have, and a small compliance eps that shares out what statics leaves open,
//   dl = -(e + J dV) / eps,  dV = W J^T dl   =>   dV = -L (1 + L^T K L)^-1 L^T J^T e / eps,   K = J^T J / eps.
#pragma once
#include "simulation/impulses/dense_systems.hpp"
#include "simulation/robot.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kRelativeCompliance = 1e-7;  // eps, relative to the sum of the responses of the contacts
constexpr double kDependent = 1e-13;  // pivots of W below that, relative to the largest one, are directions that cannot move
constexpr double kLeastPivot = 1e-6;  // of 1 + L^T K L, whose pivots are 1 and more where all contacts stick
constexpr double kInsideCone = 1e-9;  // relative distance of a sticking contact's impulse from its cone

// What an impulse changes in the velocities of the touching bodies.
template <class T>
TARSUS_INLINE void add_response(const T* block, const Wrench<T>& w, Screw<T>& V) {
  const T in[6] = {w.f.x, w.f.y, w.f.z, w.n.x, w.n.y, w.n.z};
  for (int c = 0; c < 6; ++c) {
    const T* b = block + 6 * c;
    V.linear += in[c] * Vec3<T>{b[0], b[1], b[2]};
    V.angular += in[c] * Vec3<T>{b[3], b[4], b[5]};
  }
}
template <class T>
TARSUS_INLINE void add_impulse(Robot<T>& r, const StepImpulse<T>& s, const Impulse<T>& l) {
  const Wrench<T> w = wrench_of(s, l);
  for (int k = 0; k < r.response.bodies; ++k) add_response(r.response.response_of(k, s.body), w, r.body_end[k]);
}

// The bodies that each lane touches, in their common order.
template <class T>
inline void list_own_bodies(Robot<T>& r, int count) {
  auto& k = r.sticking;
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  for (int b = 0; b < r.response.bodies; ++b) k.all_load[b] = zero;
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    k.all_load[s.body] = select<T>(s.active, one, k.all_load[s.body]);
  }
  T length = zero;
  for (int b = 0; b < r.response.bodies; ++b) length = length + k.all_load[b];
  k.few = less<T>(length, broadcast<T>(kMostCoupledBodies + 0.5));
  k.bodies = 0;
  for (int i = 0; i < kMostCoupledBodies * lanes<T>; ++i) k.own[i] = -1;
  for (int l = 0; l < lanes<T>; ++l) {
    int n = 0;
    for (int b = 0; b < r.response.bodies && n < kMostCoupledBodies; ++b) {
      if (lane(k.all_load[b], l) > 0.0) k.own[lanes<T> * n++ + l] = b;
    }
    k.bodies = n > k.bodies ? n : k.bodies;
  }
}

// Sets lane l of `size` numbers to those of from(body), for place p of its list; zero behind its end.
template <class T, class From>
TARSUS_INLINE void gather_own(const StickingContacts<T>& k, int p, int size, T* to, From from) {
  for (int l = 0; l < lanes<T>; ++l) {
    const int b = k.own[lanes<T> * p + l];
    const T* x = b < 0 ? nullptr : from(b);
    for (int i = 0; i < size; ++i) set_lane(to[i], l, x ? lane(x[i], l) : 0.0);
  }
}

// L of the responses of the bodies that touch.
template <class T>
inline void factorise_responses(Robot<T>& r) {
  auto& k = r.sticking;
  const int n = 6 * k.bodies;
  for (int t = 0; t < k.bodies; ++t) {
    for (int f = 0; f <= t; ++f) {
      for (int l = 0; l < lanes<T>; ++l) {
        const int to = k.own[lanes<T> * t + l], from = k.own[lanes<T> * f + l];
        const T* block = to < 0 || from < 0 ? nullptr : r.response.response_of(to, from);
        for (int c = 0; c < 6; ++c) {
          for (int e = 0; e < 6; ++e) set_lane(k.factor[(6 * t + e) * n + 6 * f + c], l, block ? lane(block[6 * c + e], l) : 0.0);
        }
      }
    }
  }
  factorise(k.factor, n, kDependent);
  for (int i = 0; i < n; ++i) {  // above the diagonal only what the products with blocks read
    for (int j = i + 1; j < 6 * (i / 6 + 1); ++j) k.factor[i * n + j] = broadcast<T>(0.0);
  }
}

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

// Loads J^T e / eps and blocks of K = J_f^T J_u / eps of all touching bodies, and how contacts take part. The rows of forces and
// of velocities differ for slipping contacts, and with them K is not symmetric.
template <bool kFresh, class T>
inline void add_contact_blocks(Robot<T>& r, int count, const T& per_eps, typename Bits<T>::type running) {
  auto& k = r.sticking;
  const T zero = broadcast<T>(0.0);
  for (int i = 0; i < 36 * r.response.bodies; ++i) k.all_stiffness[i] = zero;
  for (int i = 0; i < 6 * r.response.bodies; ++i) k.all_load[i] = zero;
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const Participation<T> part = participation_of<kFresh>(s, per_eps, running);
    k.part[i] = part;
    const Impulse<T> u = point_velocity(s, (kFresh ? r.body_free : r.body_end)[s.body]);
    const T e[4] = {u.n - s.required, s.local.free1 * u.t1, s.local.free2 * u.t2, part.side1 * u.t1 + part.side2 * u.t2};
    const bool turns = any<T>(less<T>(zero, part.turn));
    const Wrench<T> push = wrench_of(s, Impulse<T>{part.normal, part.slip1, part.slip2});
    const Wrench<T> side = wrench_of(s, Impulse<T>{zero, part.side1, part.side2});
    for (int a = 0; a < (turns ? 4 : 3); ++a) {
      const Vec3<T> axis = a == 3 ? side.f : s.axis[a], arm = a == 3 ? side.n : s.arm[a];
      const T& weight = a == 3 ? part.turn : part.across;
      const Vec3<T> f = a == 0 ? push.f : weight * axis, m = a == 0 ? push.n : weight * arm;
      const T force[6] = {f.x, f.y, f.z, m.x, m.y, m.z}, row[6] = {axis.x, axis.y, axis.z, arm.x, arm.y, arm.z};
      for (int x = 0; x < 6; ++x) {
        const T w = per_eps * force[x];
        T* K = k.all_stiffness + 36 * s.body + 6 * x;
        k.all_load[6 * s.body + x] = k.all_load[6 * s.body + x] + w * e[a];
        for (int y = 0; y < 6; ++y) K[y] = K[y] + w * row[y];
      }
    }
  }
}

// 1 + L^T K L into `matrix` and -L^T J^T e / eps into `right`, for the bodies that each lane touches.
template <bool kFresh, class T>
inline void gather_equations(Robot<T>& r, int count, const T& per_eps, typename Bits<T>::type running) {
  auto& k = r.sticking;
  const int bodies = k.bodies, n = 6 * bodies;
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  // 1. K and the loads of the bodies in each lane's list
  add_contact_blocks<kFresh>(r, count, per_eps, running);
  for (int p = 0; p < bodies; ++p) {
    gather_own(k, p, 36, k.stiffness + 36 * p, [&](int b) { return k.all_stiffness + 36 * b; });
    gather_own(k, p, 6, k.load + 6 * p, [&](int b) { return k.all_load + 6 * b; });
  }
  // 2. product = K L, whose rows of body b have 6 (b + 1) columns
  for (int b = 0; b < bodies; ++b) {
    for (int x = 0; x < 6; ++x) {
      const T* K = k.stiffness + 36 * b + 6 * x;
      for (int c = 0; c < 6 * (b + 1); ++c) {
        T sum = zero;
        for (int y = 0; y < 6; ++y) sum = sum + K[y] * k.factor[(6 * b + y) * n + c];
        k.product[(6 * b + x) * n + c] = sum;
      }
    }
  }
  // 3. right = -L^T load, matrix = 1 + L^T product
  for (int i = 0; i < n; ++i) {
    T sum = zero;
    for (int x = i; x < n; ++x) sum = sum - k.factor[x * n + i] * k.load[x];
    k.right[i] = sum;
    for (int j = 0; j < n; ++j) {
      T entry = i == j ? one : zero;
      for (int x = i > j ? i : j / 6 * 6; x < n; ++x) entry = entry + k.factor[x * n + i] * k.product[x * n + j];
      k.matrix[i * n + j] = entry;
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

// Solves the equations above: impulses into `step`, velocities into `change`; returns the lanes that could be solved. kFresh
// starts from no impulses at all, with every contact that had one before taken for sticking.
template <bool kFresh, class T>
TARSUS_KERNEL typename Bits<T>::type solve_together(Robot<T>& r, int count, typename Bits<T>::type running) {
  auto& k = r.sticking;
  const int n = 6 * k.bodies;
  const T zero = broadcast<T>(0.0);
  T sum = broadcast<T>(kTiny);
  for (int i = 0; i < count; ++i) sum = sum + select<T>(r.impulse[i].active, r.impulse[i].local.nn, zero);
  const T per_eps = 1.0 / (kRelativeCompliance * sum);
  gather_equations<kFresh>(r, count, per_eps, running);
  const auto good = eliminate_rows(k.matrix, n, kLeastPivot, k.right) & k.few;
  for (int b = 0; b < r.response.bodies; ++b) k.change[b] = {zero3<T>(), zero3<T>()};
  for (int p = 0; p < k.bodies; ++p) {
    for (int x = 0; x < 6; ++x) {
      T sum = zero;
      for (int c = 0; c <= 6 * p + x; ++c) sum = sum + k.factor[(6 * p + x) * n + c] * k.right[c];
      for (int l = 0; l < lanes<T>; ++l) {
        const int b = k.own[lanes<T> * p + l];
        if (b >= 0) set_lane(reinterpret_cast<T*>(k.change + b)[x], l, lane(sum, l));
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    const Impulse<T> u = point_velocity(s, (kFresh ? r.body_free : r.body_end)[s.body]), d = point_velocity(s, k.change[s.body]);
    const Participation<T>& part = k.part[i];
    const T push = -(per_eps * part.normal) * (u.n - s.required + d.n), grip = -(per_eps * part.across);
    const T turn = -(per_eps * part.turn) * (part.side1 * (u.t1 + d.t1) + part.side2 * (u.t2 + d.t2));
    k.step[i] = {push, part.slip1 * push + grip * s.local.free1 * (u.t1 + d.t1) + turn * part.side1,
                 part.slip2 * push + grip * s.local.free2 * (u.t2 + d.t2) + turn * part.side2};
  }
  return good;
}

// The impulses with which all contacts that were closed before stick, shared out evenly, where they lie in the cones: what a
// standing robot needs, whatever it did before.
template <class T>
inline void start_from_sticking(Robot<T>& r, int count) {
  auto& k = r.sticking;
  const T zero = broadcast<T>(0.0);
  auto fits = less<T>(zero, broadcast<T>(1.0));
  fits = solve_together<true>(r, count, fits);
  for (int i = 0; i < count; ++i) {
    const Impulse<T>& d = k.step[i];
    const T cap = r.impulse[i].local.friction * d.n;
    fits = fits & ~less<T>(d.n, zero) & ~less<T>(cap * cap, d.t1 * d.t1 + d.t2 * d.t2);
  }
  for (int i = 0; i < count; ++i) {
    Impulse<T>& l = r.impulse[i].impulse;
    const Impulse<T>& d = k.step[i];
    l = {select<T>(fits, d.n, l.n), select<T>(fits, d.t1, l.t1), select<T>(fits, d.t2, l.t2)};
  }
  for (int b = 0; b < r.response.bodies; ++b) {
    const auto& d = k.change[b];
    r.body_end[b].linear = select3<T>(fits, r.body_free[b].linear + d.linear, r.body_end[b].linear);
    r.body_end[b].angular = select3<T>(fits, r.body_free[b].angular + d.angular, r.body_end[b].angular);
  }
}

// Changes the impulses of running lanes as far as those of sticking contacts stay in their cones and none becomes negative. Along
// that way l^T G l / 2 + l^T b only falls where nothing slips; where something does, the sweeps decide about convergence.
template <class T>
inline void stop_sticking_contacts(Robot<T>& r, int count, typename Bits<T>::type running) {
  auto& k = r.sticking;
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  running = running & solve_together<false>(r, count, running);
  T way = select<T>(running, one, zero);
  for (int i = 0; i < count; ++i) {
    way =
        smaller<T>(way, select<T>(less<T>(zero, k.part[i].normal), way_to_cone(r.impulse[i], k.part[i].across, k.step[i]), one));
  }
  for (int i = 0; i < count; ++i) {
    StepImpulse<T>& s = r.impulse[i];
    const Impulse<T>& d = k.step[i];
    const auto takes = running & less<T>(zero, k.part[i].normal);
    s.impulse = {select<T>(takes, s.impulse.n + way * d.n, s.impulse.n),
                 select<T>(takes, s.impulse.t1 + way * d.t1, s.impulse.t1),
                 select<T>(takes, s.impulse.t2 + way * d.t2, s.impulse.t2)};
  }
  for (int b = 0; b < r.response.bodies; ++b) {
    const auto& d = k.change[b];
    r.body_end[b].linear = select3<T>(running, r.body_end[b].linear + way * d.linear, r.body_end[b].linear);
    r.body_end[b].angular = select3<T>(running, r.body_end[b].angular + way * d.angular, r.body_end[b].angular);
  }
  for (int i = 0; i < count; ++i) {  // friction that has turned goes back onto its cone
    StepImpulse<T>& s = r.impulse[i];
    const auto turned = running & less<T>(zero, k.part[i].turn);
    if (!any<T>(turned)) continue;
    const Impulse<T> l = s.impulse;
    const T scale = s.local.friction * l.n / sqrt_of<T>(larger<T>(l.t1 * l.t1 + l.t2 * l.t2, broadcast<T>(kTiny)));
    s.impulse = {l.n, select<T>(turned, scale * l.t1, l.t1), select<T>(turned, scale * l.t2, l.t2)};
    add_impulse(r, s, Impulse<T>{zero, s.impulse.t1 - l.t1, s.impulse.t2 - l.t2});
  }
}

}  // namespace tarsus::TARSUS_ISA
