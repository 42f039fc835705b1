// Contacts of one step among themselves (contact_space.hpp) with bounds of friction that follow the normal forces at once.
//
// Held bounds make the motion the minimum of a convex function, which is found from anywhere, but then they have to follow, and
// again. Here the bound is part of what is linearised: a point that slips along e has the force
//
//   f = N (n - mu e) - t (stick . p) p,   N = rest - resist (n . u),   p = n x e,   stick = hold + gain u,   t = mu N / |stick|,
//
// and Newton's method has the equations (1 + dt W C) u = u0 + dt W F with C not symmetric. There may be no solution, or several,
// and passes may go round in circles: this is a guess. What it finds counts where forces and velocities are those of each other,
// to the same tolerance as with held bounds; lanes in which a pivot is small, or that do not settle soon, begin anew with held
// bounds.
//
// Unknowns of a contact are its velocities along e, along p and along the normal: in these axes a contact that slips, or opens,
// has columns that vanish, and pivots without a bound that follows are 1 and more.
#pragma once
#include "simulation/step/contact_space.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kLeastFollowing = 0.05;

// Regime of a contact at its iterate. Where friction of a contact that sticks would lift it, it slips.
template <class T>
TARSUS_INLINE void linearise_following(OwnContact<T>& c, typename Bits<T>::type lanes_moving) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const T normal = select<T>(c.reach, larger<T>(c.rest - c.resist * c.velocity.z, zero), zero), cap = c.friction * normal;
  const T x = c.hold_x + c.gain * c.velocity.x, y = c.hold_y + c.gain * c.velocity.y, square = x * x + y * y;
  const auto still = ~lanes_moving, slips = ~less<T>(square, cap * cap), presses = less<T>(zero, normal);
  const auto lifts = c.active & ~c.slips & ~presses & less<T>(zero, c.friction * square);
  const auto rubs = slips & (less<T>(zero, cap) | lifts);
  c.active = (lanes_moving & (presses | lifts)) | (still & c.active);
  c.slips = (lanes_moving & slips) | (still & c.slips);
  T along_x = one, along_y = zero, turning = zero, slides = zero;
  if (any<T>(rubs)) {
    const T per = 1.0 / larger<T>(sqrt_of<T>(square), broadcast<T>(kTiny));
    along_x = select<T>(rubs, per * x, one), along_y = select<T>(rubs, per * y, zero);
    turning = select<T>(rubs, smaller<T>(one, cap * per), zero), slides = select<T>(rubs, c.friction, zero);
  }
  c.along_x = select<T>(lanes_moving, along_x, c.along_x), c.along_y = select<T>(lanes_moving, along_y, c.along_y);
  c.turning = select<T>(lanes_moving, turning, c.turning), c.slides = select<T>(lanes_moving, slides, c.slides);
}

// A contact without a force.
template <class T>
TARSUS_INLINE void rest_following(ContactSpace<T>& s, int i) {
  OwnContact<T>& c = s.own[i];
  const T zero = broadcast<T>(0.0);
  c.reach = c.active = c.slips = less<T>(zero, zero);
  c.along_x = broadcast<T>(1.0), c.along_y = c.turning = c.slides = zero;
  c.velocity = s.pushing[i] = zero3<T>();
}

// What the step began with, and the regime that it has reached, in these lanes.
template <class T>
TARSUS_KERNEL void begin_following(Robot<T>& r, int i, typename Bits<T>::type beginning) {
  const StepContact<T>& s = r.step_contact[i];
  OwnContact<T>& c = r.points.own[i];
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  c.reach = s.reach;
  c.rest = s.rest, c.resist = s.resist, c.gain = s.law.gain, c.friction = s.law.friction;
  c.slack = kStartTolerance * magnitude<T>(s.pull);
  c.hold_x = dot(c.axes.x, s.hold), c.hold_y = dot(c.axes.y, s.hold);
  const auto rubs = s.slips & less<T>(zero, s.cap), fresh = beginning & ~less<T>(zero, s.cap), known = beginning & ~fresh;
  c.velocity = select3<T>(beginning, c.axes * s.velocity, c.velocity);
  c.active = (known & s.active) | (~known & c.active), c.slips = (known & s.slips) | (~known & c.slips);
  c.along_x = select<T>(known, select<T>(rubs, dot(c.axes.x, s.slide), one), c.along_x);
  c.along_y = select<T>(known, select<T>(rubs, dot(c.axes.y, s.slide), zero), c.along_y);
  c.turning = select<T>(known, s.turning, c.turning), c.slides = select<T>(known, select<T>(rubs, c.friction, zero), c.slides);
  c.active = c.active & ~fresh;
  linearise_following(c, fresh);  // what touches for the first time has no bound of the step before
}

// Numbers of one pass of a contact: its force is F - C u in (e, p, n), C = ((along, 0, -slides normal), (0, across, 0),
// (0, 0, normal)).
template <class T>
struct FollowingForce {
  T along, across, normal;
  Vec3<T> given;
};
template <class T>
TARSUS_INLINE FollowingForce<T> following_force(const OwnContact<T>& c) {
  const T zero = broadcast<T>(0.0);
  const T e = c.along_x * c.hold_x + c.along_y * c.hold_y, p = c.along_x * c.hold_y - c.along_y * c.hold_x;
  const T turning = select<T>(c.slips, c.turning, broadcast<T>(1.0));
  const T given_e = select<T>(c.slips, c.slides * c.rest, e), given_p = turning * p;
  return {select<T>(c.active & ~c.slips, c.gain, zero),
          select<T>(c.active, turning * c.gain, zero),
          select<T>(c.active, c.resist, zero),
          {select<T>(c.active, -given_e, zero), select<T>(c.active, -given_p, zero), select<T>(c.active, c.rest, zero)}};
}

// Numbers in a row of n equations: 1 + dt W C, and the right-hand side.
constexpr int following_stride(int n) { return n + 1; }

// Rows of contact a, column of contact b, of 1 + dt W C and of u0 + dt W F, with the contacts in `acting`.
template <class T>
TARSUS_INLINE void load_block(const ContactSpace<T>& s, int n, int a, int b, const FollowingForce<T>& f, double dt) {
  const int stride = following_stride(3 * n);
  const OwnContact<T>&o = s.own[s.acting[a]], &c = s.own[s.acting[b]];
  const Square3<T>& W = s.response_of(s.acting[a], s.acting[b]);
  // 1. columns along e, p and n
  auto columns = [&](const Vec3<T>& w, Vec3<T>& row, T& right) TARSUS_LAMBDA {
    const T e = c.along_x * w.x + c.along_y * w.y, p = c.along_x * w.y - c.along_y * w.x;
    row = {f.along * e, f.across * p, f.normal * (w.z - c.slides * e)};
    right = f.given.x * e + f.given.y * p + f.given.z * w.z;
  };
  Vec3<T> x, y, z;
  T right_x, right_y, right_z;
  columns(W.x, x, right_x), columns(W.y, y, right_y), columns(W.z, z, right_z);
  // 2. the same of rows
  Vec3<T> e = o.along_x * x + o.along_y * y, p = o.along_x * y - o.along_y * x;
  if (a == b) e.x = e.x + 1.0, p.y = p.y + 1.0, z.z = z.z + 1.0;
  T* to = s.matrix + (size_t)(3 * a) * stride;
  auto put = [&](T* at, const Vec3<T>& row, const T& right, const T& free) TARSUS_LAMBDA {
    at[3 * b] = row.x, at[3 * b + 1] = row.y, at[3 * b + 2] = row.z;
    at[3 * n] = (b == 0 ? free : at[3 * n]) + dt * right;
  };
  const Vec3<T>& u = s.free[s.acting[a]];
  put(to, e, o.along_x * right_x + o.along_y * right_y, o.along_x * u.x + o.along_y * u.y);
  put(to + stride, p, o.along_x * right_y - o.along_y * right_x, o.along_x * u.y - o.along_y * u.x);
  put(to + 2 * stride, z, right_z, u.z);
}

template <class T>
TARSUS_KERNEL void load_following(const ContactSpace<T>& s, int n, double dt) {
  for (int b = 0; b < n; ++b) {
    FollowingForce<T> f = following_force(s.own[s.acting[b]]);
    f.along = dt * f.along, f.across = dt * f.across, f.normal = dt * f.normal;
    for (int a = 0; a < n; ++a) load_block(s, n, a, b, f, dt);
  }
}

// Solves these equations, `known` of them where that is not 0; returns lanes in which some pivot is too small. The solution takes
// the place of the right-hand side.
template <int known, class T>
TARSUS_KERNEL typename Bits<T>::type eliminate_following(T* matrix, int count) {
  const int n = known > 0 ? known : count, stride = following_stride(n);
  const T one = broadcast<T>(1.0), least = broadcast<T>(kLeastFollowing);
  auto jams = less<T>(one, one);
  for (int k = 0; k < n; ++k) {
    T* pivot = matrix + (size_t)k * stride;
    const auto small = ~less<T>(least, pivot[k]);
    jams = jams | small;
    const T per = 1.0 / select<T>(small, one, pivot[k]);
    for (int j = k + 1; j <= n; ++j) pivot[j] = per * pivot[j];
    for (int i = k + 1; i < n; ++i) {
      T* row = matrix + (size_t)i * stride;
      const T l = row[k];
      for (int j = k + 1; j <= n; ++j) row[j] = row[j] - l * pivot[j];
    }
  }
  for (int k = n - 1; k > 0; --k) {
    const T x = matrix[(size_t)k * stride + n];
    for (int i = 0; i < k; ++i) {
      T* row = matrix + (size_t)i * stride;
      row[n] = row[n] - row[k] * x;
    }
  }
  return jams;
}
template <class T>
TARSUS_INLINE typename Bits<T>::type eliminate_following(T* matrix, int contacts) {
  switch (contacts) {  // most robots that move fast stand on few feet: loops of known length
    case 1: return eliminate_following<3>(matrix, 3);
    case 2: return eliminate_following<6>(matrix, 6);
    case 3: return eliminate_following<9>(matrix, 9);
    case 4: return eliminate_following<12>(matrix, 12);
    default: return eliminate_following<0>(matrix, 3 * contacts);
  }
}

// Forces and velocities of all awake contacts (OwnContact::force, reached) in their present regimes; returns lanes in which they
// could not be found.
template <class T>
TARSUS_KERNEL typename Bits<T>::type solve_following(Robot<T>& r, double dt) {
  ContactSpace<T>& s = r.points;
  int n = 0;
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    s.own[i].force = zero3<T>();
    if (any<T>(s.own[i].active)) s.acting[n++] = i;
  }
  load_following(s, n, dt);
  const auto jams = eliminate_following(s.matrix, n);
  // forces of these velocities, and the velocities that they lead to: the same but for rounding, which may be large in lanes
  // with small pivots
  for (int a = 0; a < n; ++a) {
    OwnContact<T>& c = s.own[s.acting[a]];
    const FollowingForce<T> f = following_force(c);
    const int stride = following_stride(3 * n);
    const T* y = s.matrix + (size_t)(3 * a) * stride + 3 * n;
    const T e = y[0], p = y[stride], z = y[2 * stride];
    const T fe = f.given.x - f.along * e + c.slides * f.normal * z, fp = f.given.y - f.across * p;
    c.force = {c.along_x * fe - c.along_y * fp, c.along_x * fp + c.along_y * fe, f.given.z - f.normal * z};
  }
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    Vec3<T> a = zero3<T>();
    for (int b = 0; b < n; ++b) a += s.response_of(i, s.acting[b]) * s.own[s.acting[b]].force;
    s.own[i].reached = s.free[i] + dt * a;
  }
  return jams;
}

// Lanes in which the force of a contact with the velocity that was found is not the force it was found with.
template <class T>
TARSUS_INLINE typename Bits<T>::type differs_following(const OwnContact<T>& c) {
  const T zero = broadcast<T>(0.0);
  const T normal = select<T>(c.reach, larger<T>(c.rest - c.resist * c.reached.z, zero), zero), cap = c.friction * normal;
  Vec3<T> force{-(c.hold_x + c.gain * c.reached.x), -(c.hold_y + c.gain * c.reached.y), normal};
  const T square = force.x * force.x + force.y * force.y;
  const auto slips = ~less<T>(square, cap * cap);
  if (any<T>(slips)) {
    const T part = select<T>(slips, cap / larger<T>(sqrt_of<T>(square), broadcast<T>(kTiny)), broadcast<T>(1.0));
    force.x = part * force.x, force.y = part * force.y;
  }
  const Vec3<T> miss = force - c.force;
  return ~less<T>(dot(miss, miss), (kForceTolerance * kForceTolerance) * dot(force, force) + c.slack * c.slack + kTiny);
}

// The iterate is what was found, in these lanes; a slip that is reversed by it has stuck in between (overshoot).
template <class T>
TARSUS_INLINE void take_following(OwnContact<T>& c, typename Bits<T>::type lanes_moving) {
  const T zero = broadcast<T>(0.0);
  const T from_x = c.hold_x + c.gain * c.velocity.x, from_y = c.hold_y + c.gain * c.velocity.y;
  const T to_x = c.hold_x + c.gain * c.reached.x, to_y = c.hold_y + c.gain * c.reached.y;
  const auto reverses = lanes_moving & c.active & c.slips & less<T>(from_x * to_x + from_y * to_y, zero);
  Vec3<T> next = c.reached;
  if (any<T>(reverses)) {
    const T x = to_x - from_x, y = to_y - from_y;
    const T back = select<T>(reverses, (to_x * x + to_y * y) / larger<T>(x * x + y * y, broadcast<T>(kTiny)), zero);
    next.x = next.x - back * (c.reached.x - c.velocity.x), next.y = next.y - back * (c.reached.y - c.velocity.y);
  }
  c.velocity = select3<T>(lanes_moving, next, c.velocity);
  linearise_following(c, lanes_moving);
}

// Passes of these lanes, at most so many; returns those whose contacts agree with the motion. Lanes that jam are taken off
// `open`.
template <class T>
TARSUS_KERNEL typename Bits<T>::type pass_following(Robot<T>& r, double dt, int most, typename Bits<T>::type& open) {
  ContactSpace<T>& s = r.points;
  auto found = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  for (int pass = 0; pass < most; ++pass) {
    const auto jams = solve_following(r, dt);
    auto searching = open & ~found;
    open = open & ~(searching & jams), searching = searching & open;
    auto differs = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
    for (int j = 0; j < r.awakes; ++j) differs = differs | differs_following(s.own[r.awake[j]]);
    //
    for (int j = 0; j < r.awakes; ++j) {
      const int i = r.awake[j];
      s.pushing[i] = select3<T>(searching, s.own[i].force, s.pushing[i]);
      take_following(s.own[i], searching);
    }
    found = found | (searching & ~differs);
    if (!any<T>(searching & differs)) break;
  }
  return found;
}

}  // namespace tarsus::TARSUS_ISA
