// All contacts at once from the inside of their cones, where sweeps from contact to contact do not settle: feet that squeeze the
// ground between their corners, many light bodies that lie on each other.
//
// With l_n scaled by mu and u_n by 1 / mu both cones are |x_t| <= x_n, and Coulomb's law with the term of de Saxce and Feng 1998
// is
//   w = u + |w_t| n in the cone,   l in the cone,   l . w = 0.
// The path l o w = s n (o the product of Jordan) leads from s > 0 to the solution at s = 0; Newton's method follows it, with the
// scaling P of Nesterov and Todd 1997, P l = P^-1 w, and predictor and corrector of Mehrotra 1992: Acary, Armand, Nguyen and
// Shpakovych 2022. The derivative of |w_t| is taken along, so that the matrix is not symmetric. With N = dw / du, the step is
//   P dl + P^-1 dw = d,   dw = N (J dV - miss)   =>   (1 + A^T J^T P^-2 N J A) z = A^T J^T (P^-1 d + P^-2 N miss).
#pragma once
#include "simulation/impulses/motion_space.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostInnerSteps = 20;
constexpr double kInnerTolerance = 1e-6;  // of velocities, relative to those without impulses; its square of the work l . w
constexpr double kLeastFriction = 1e-3;   // smooth contacts get this much friction on the way
constexpr double kInwards = 0.03;         // how far inwards of impulses on the boundary it begins
constexpr double kLeastCentring = 0.01;   // part of the work l . w that a step aims at, at least
constexpr double kWayToBoundary = 0.99;   // part of the way to the boundary that a step takes
constexpr double kLeastInnerStep = 0.02;  // steps below it lead nowhere: what is there is taken

// x o y, and the x of l o x = y.
template <class T>
TARSUS_INLINE Impulse<T> jordan(const Impulse<T>& x, const Impulse<T>& y) {
  return {x.n * y.n + x.t1 * y.t1 + x.t2 * y.t2, x.n * y.t1 + y.n * x.t1, x.n * y.t2 + y.n * x.t2};
}
template <class T>
TARSUS_INLINE Impulse<T> jordan_quotient(const Impulse<T>& l, const Impulse<T>& y) {
  const T det = l.n * l.n - l.t1 * l.t1 - l.t2 * l.t2, per = 1.0 / l.n;
  const T n = (l.n * y.n - l.t1 * y.t1 - l.t2 * y.t2) / det;
  return {n, per * (y.t1 - n * l.t1), per * (y.t2 - n * l.t2)};
}
template <class T>
TARSUS_INLINE T dot(const Impulse<T>& x, const Impulse<T>& y) {
  return x.n * y.n + x.t1 * y.t1 + x.t2 * y.t2;
}
template <class T>
TARSUS_INLINE Impulse<T> plus(const Impulse<T>& x, const T& a, const Impulse<T>& y) {
  return {x.n + a * y.n, x.t1 + a * y.t1, x.t2 + a * y.t2};
}

// (2 v v^T - diag(1, -1, -1)) x, and with the inverse matrix.
template <class T>
TARSUS_INLINE Impulse<T> reflect(const Impulse<T>& v, const Impulse<T>& x) {
  const T a = 2.0 * dot(v, x);
  return {a * v.n - x.n, a * v.t1 + x.t1, a * v.t2 + x.t2};
}
template <class T>
TARSUS_INLINE Impulse<T> reflect_back(const Impulse<T>& v, const Impulse<T>& x) {
  return reflect(Impulse<T>{v.n, -v.t1, -v.t2}, x);
}
template <class T>
TARSUS_INLINE Impulse<T> times(const T& a, const Impulse<T>& x) {
  return {a * x.n, a * x.t1, a * x.t2};
}
template <class T>
TARSUS_INLINE Impulse<T> times_inverse(const InnerContact<T>& c, const Impulse<T>& x) {
  const T* m = c.inverse;
  return {m[0] * x.n + m[1] * x.t1 + m[2] * x.t2, m[1] * x.n + m[3] * x.t1 + m[4] * x.t2, m[2] * x.n + m[4] * x.t1 + m[5] * x.t2};
}

// Velocity of a contact, or a change of it, in the scaled axes, and the wrench of a scaled impulse.
template <class T>
TARSUS_INLINE Impulse<T> scaled(const StepImpulse<T>& s, const InnerContact<T>& c, const Impulse<T>& u) {
  return {c.per_friction * u.n, s.local.free1 * u.t1, s.local.free2 * u.t2};
}
template <class T>
TARSUS_INLINE Impulse<T> true_impulse(const StepImpulse<T>& s, const InnerContact<T>& c, const Impulse<T>& l) {
  return {c.per_friction * l.n, s.local.free1 * l.t1, s.local.free2 * l.t2};
}
template <class T>
TARSUS_INLINE void add_load(Robot<T>& r, const StepImpulse<T>& s, const InnerContact<T>& c, const Impulse<T>& l) {
  const T zero = broadcast<T>(0.0);
  const Wrench<T> w = wrench_of(s, true_impulse(s, c, l));
  const T in[6] = {w.f.x, w.f.y, w.f.z, w.n.x, w.n.y, w.n.z};
  for (int x = 0; x < 6; ++x) {
    T& load = r.space.load[6 * s.body + x];
    load = load + select<T>(c.open, in[x], zero);
  }
}

// Impulses and velocities inside their cones: those that are there, moved inwards by a part of the largest impulse and of the
// velocities without impulses; or, if `fresh`, as if there were none.
template <class T>
inline T begin_inside(Robot<T>& r, int count, typename Bits<T>::type running, bool fresh) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  T sum = zero, contacts = zero, largest = zero, mobility = zero;
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    InnerContact<T>& c = r.inner[i];
    c.open = running & s.active;
    const T friction = larger<T>(s.local.friction, broadcast<T>(kLeastFriction));
    c.per_friction = 1.0 / friction;
    c.l = {friction * s.impulse.n, s.impulse.t1, s.impulse.t2};
    Impulse<T> b = scaled(s, c, slip_velocity(s, r.body_free[s.body]));
    b.n = b.n - c.per_friction * s.required;
    sum = sum + select<T>(c.open, dot(b, b), zero);
    mobility = mobility + select<T>(c.open, c.per_friction * c.per_friction * s.local.nn, zero);
    contacts = contacts + select<T>(c.open, one, zero);
    largest = larger<T>(largest, select<T>(c.open, c.l.n, zero));
  }
  contacts = larger<T>(contacts, one);
  const T size = sqrt_of<T>(sum / contacts) + kTiny;
  const T alone = size * sqrt_of<T>(contacts) / select<T>(less<T>(zero, mobility), mobility, one);
  const auto warm = less<T>(kInwards * alone, fresh ? zero : largest);  // else there are no impulses to start from
  const T inwards = select<T>(warm, kInwards * largest, alone), off = select<T>(warm, kInwards * size, size);
  for (int b = 0; b < r.response.bodies; ++b) r.body_trial[b] = r.body_free[b];
  for (int i = 0; i < count; ++i) {
    InnerContact<T>& c = r.inner[i];
    if (fresh) c.l = {zero, zero, zero};
    c.l.n = larger<T>(c.l.n, sqrt_of<T>(c.l.t1 * c.l.t1 + c.l.t2 * c.l.t2)) + inwards;
    c.l = {select<T>(c.open, c.l.n, one), select<T>(c.open, c.l.t1, zero), select<T>(c.open, c.l.t2, zero)};
    const Impulse<T> l{select<T>(c.open, c.l.n, zero), c.l.t1, c.l.t2};
    add_impulse(r, r.impulse[i], true_impulse(r.impulse[i], c, l), r.body_trial);
  }
  for (int i = 0; i < count; ++i) {
    InnerContact<T>& c = r.inner[i];
    const StepImpulse<T>& s = r.impulse[i];
    const Impulse<T> u = scaled(s, c, slip_velocity(s, r.body_trial[s.body]));
    const T slip = sqrt_of<T>(u.t1 * u.t1 + u.t2 * u.t2);
    c.w = {select<T>(c.open, larger<T>(u.n - c.per_friction * s.required, zero) + slip + off, one), select<T>(c.open, u.t1, zero),
           select<T>(c.open, u.t2, zero)};
  }
  return size;
}

// What is left of the conditions in each lane.
template <class T>
struct InnerState {
  T work, miss, scale, contacts;  // l . w; largest miss; |l . b|; contacts
};
template <class T>
inline InnerState<T> look_inside(Robot<T>& r, int count) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), tiny = broadcast<T>(kTiny);
  InnerState<T> state{zero, zero, zero, zero};
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    InnerContact<T>& c = r.inner[i];
    const T slip = sqrt_of<T>(c.w.t1 * c.w.t1 + c.w.t2 * c.w.t2), per = 1.0 / larger<T>(slip, tiny);
    const T required = c.per_friction * s.required;
    const Impulse<T> u = scaled(s, c, slip_velocity(s, r.body_trial[s.body])),
                     b = scaled(s, c, slip_velocity(s, r.body_free[s.body]));
    c.slip = {zero, per * c.w.t1, per * c.w.t2};
    c.miss = {c.w.n - u.n + required - slip, c.w.t1 - u.t1, c.w.t2 - u.t2};
    const T miss = larger<T>(magnitude<T>(c.miss.n), larger<T>(magnitude<T>(c.miss.t1), magnitude<T>(c.miss.t2)));
    state.work = state.work + select<T>(c.open, dot(c.l, c.w), zero);
    state.miss = larger<T>(state.miss, select<T>(c.open, miss, zero));
    state.scale = state.scale + select<T>(c.open, dot(c.l, b) - c.l.n * required, zero);
    state.contacts = state.contacts + select<T>(c.open, one, zero);
  }
  state.scale = magnitude<T>(state.scale);
  state.contacts = larger<T>(state.contacts, one);
  return state;
}

// P of all contacts, and the blocks J^T P^-2 N J.
template <class T>
inline void scale_contacts(Robot<T>& r, int count) {
  const T zero = broadcast<T>(0.0), tiny = broadcast<T>(kTiny);
  clear_equations(r);
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    InnerContact<T>& c = r.inner[i];
    // 1. the scaling point a = (w / |w| + J l / |l|) / 2 g, whose root is v
    const T of_l = sqrt_of<T>(larger<T>(c.l.n * c.l.n - c.l.t1 * c.l.t1 - c.l.t2 * c.l.t2, tiny));
    const T of_w = sqrt_of<T>(larger<T>(c.w.n * c.w.n - c.w.t1 * c.w.t1 - c.w.t2 * c.w.t2, tiny));
    const T per_l = 1.0 / of_l, per_w = 1.0 / of_w, ratio = of_w * per_l;
    const T g = 0.5 / sqrt_of<T>(0.5 + 0.5 * per_l * per_w * dot(c.l, c.w));
    const Impulse<T> a{g * (per_w * c.w.n + per_l * c.l.n), g * (per_w * c.w.t1 - per_l * c.l.t1),
                       g * (per_w * c.w.t2 - per_l * c.l.t2)};
    const T root = 1.0 / sqrt_of<T>(2.0 * (a.n + 1.0));
    c.v = {root * (a.n + 1.0), root * a.t1, root * a.t2};
    c.beta = sqrt_of<T>(ratio);
    c.scaled = times(c.beta, reflect(c.v, c.l));
    // 2. P^-2 = (2 a' a'^T - diag(1, -1, -1)) / beta^2 with a' = (a_n, -a_t), and K = P^-2 N
    const T per = 1.0 / ratio, two = 2.0 * per;
    T* m = c.inverse;
    m[0] = two * a.n * a.n - per, m[1] = -(two * a.n * a.t1), m[2] = -(two * a.n * a.t2);
    m[3] = two * a.t1 * a.t1 + per, m[4] = two * a.t1 * a.t2, m[5] = two * a.t2 * a.t2 + per;
    const T e1 = c.slip.t1, e2 = c.slip.t2;
    const T K[3][3] = {{m[0], m[1] + e1 * m[0], m[2] + e2 * m[0]},
                       {m[1], m[3] + e1 * m[1], m[4] + e2 * m[1]},
                       {m[2], m[4] + e1 * m[2], m[5] + e2 * m[2]}};
    // 3. rows of the contact in scaled axes
    const T along[3] = {select<T>(c.open, c.per_friction, zero), select<T>(c.open, s.local.free1, zero),
                        select<T>(c.open, s.local.free2, zero)};
    T row[3][6];
    for (int x = 0; x < 3; ++x) {
      const Vec3<T> f = along[x] * s.axis[x], n = along[x] * s.arm[x];
      row[x][0] = f.x, row[x][1] = f.y, row[x][2] = f.z, row[x][3] = n.x, row[x][4] = n.y, row[x][5] = n.z;
    }
    T* block = r.space.stiffness + 36 * s.body;
    for (int y = 0; y < 6; ++y) {
      T p[3];
      for (int x = 0; x < 3; ++x) {
        p[x] = select<T>(c.open, K[x][0] * row[0][y] + K[x][1] * row[1][y] + K[x][2] * row[2][y], zero);
      }
      for (int x = 0; x < 6; ++x) {
        block[6 * x + y] = block[6 * x + y] + row[0][x] * p[0] + row[1][x] * p[1] + row[2][x] * p[2];
      }
    }
  }
}

// The steps dl and dw for the aims of all contacts, and how far they may go; at most 1.
template <class T>
inline T step_inside(Robot<T>& r, int count) {
  const T one = broadcast<T>(1.0), zero = broadcast<T>(0.0);
  clear_loads(r);
  for (int i = 0; i < count; ++i) {
    InnerContact<T>& c = r.inner[i];
    Impulse<T> turned = c.miss;  // N miss
    turned.n = turned.n + dot(c.slip, c.miss);
    add_load(r, r.impulse[i], c, plus(c.aim, one, times_inverse(c, turned)));
  }
  solve_equations(r);
  auto way = [&](const Impulse<T>& x, const Impulse<T>& d) TARSUS_LAMBDA {
    const T a = d.n * d.n - d.t1 * d.t1 - d.t2 * d.t2, b = x.n * d.n - x.t1 * d.t1 - x.t2 * d.t2;
    const T c = x.n * x.n - x.t1 * x.t1 - x.t2 * x.t2, root = b * b - a * c;
    const T below = sqrt_of<T>(larger<T>(root, zero)) - b;
    return select<T>(less<T>(zero, root) & less<T>(zero, below), c / select<T>(less<T>(zero, below), below, one),
                     broadcast<T>(1e300));
  };
  T least = broadcast<T>(1e300);
  for (int i = 0; i < count; ++i) {
    const StepImpulse<T>& s = r.impulse[i];
    InnerContact<T>& c = r.inner[i];
    c.dw = plus(scaled(s, c, point_velocity(s, r.space.change[s.body])), -one, c.miss);
    c.dw.n = c.dw.n + dot(c.slip, c.dw);
    c.dl = plus(c.aim, -one, times_inverse(c, c.dw));
    least = smaller<T>(least, select<T>(c.open, smaller<T>(way(c.l, c.dl), way(c.w, c.dw)), least));
  }
  return least;
}

// Aims of a corrector: centre the products at `target`, less what the predictor misses.
template <class T>
inline void aim_at_centre(Robot<T>& r, int count, const T& target) {
  const T one = broadcast<T>(1.0);
  for (int i = 0; i < count; ++i) {
    InnerContact<T>& c = r.inner[i];
    const T per = 1.0 / c.beta;
    const Impulse<T> dl = times(c.beta, reflect(c.v, c.dl)), dw = times(per, reflect_back(c.v, c.dw));
    Impulse<T> y = times(-one, jordan(dl, dw));
    y.n = y.n + target;
    c.aim = times(per, reflect_back(c.v, plus(jordan_quotient(c.scaled, y), -one, c.scaled)));
  }
}

// Lanes whose impulses are numbers: where contacts hardly move, the last steps may leave none.
template <class T>
inline typename Bits<T>::type inside_is_finite(const Robot<T>& r, int count) {
  T bad = broadcast<T>(0.0);
  for (int i = 0; i < count; ++i) {
    const Impulse<T>& l = r.inner[i].l;
    bad = bad + poison(l.n, kResultScale) + poison(l.t1, kResultScale) + poison(l.t2, kResultScale);
  }
  return less<T>(magnitude<T>(bad), broadcast<T>(1.0));
}

// The impulses found inside become those of the contacts, as far as their friction allows.
template <class T>
inline void take_inside(Robot<T>& r, int count, typename Bits<T>::type usable) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), tiny = broadcast<T>(kTiny);
  for (int b = 0; b < r.response.bodies; ++b) {
    r.body_end[b].linear = select3<T>(usable, r.body_free[b].linear, r.body_end[b].linear);
    r.body_end[b].angular = select3<T>(usable, r.body_free[b].angular, r.body_end[b].angular);
  }
  for (int i = 0; i < count; ++i) {
    StepImpulse<T>& s = r.impulse[i];
    Impulse<T> l = true_impulse(s, r.inner[i], r.inner[i].l);
    const T cap = s.local.friction * l.n, across = sqrt_of<T>(l.t1 * l.t1 + l.t2 * l.t2);
    const T fits = smaller<T>(one, cap / larger<T>(across, tiny));
    l = {l.n, fits * l.t1, fits * l.t2};
    const auto takes = usable & s.active;
    s.impulse = {select<T>(takes, l.n, s.impulse.n), select<T>(takes, l.t1, s.impulse.t1), select<T>(takes, l.t2, s.impulse.t2)};
    add_impulse(r, s, Impulse<T>{select<T>(takes, l.n, zero), select<T>(takes, l.t1, zero), select<T>(takes, l.t2, zero)},
                r.body_end);
  }
}

// Impulses of running lanes from the inside of the cones; body_end goes with them. Lanes whose equations cannot be solved keep
// what they had. Returns the lanes that got to the solution.
template <class T>
TARSUS_KERNEL typename Bits<T>::type solve_inside(Robot<T>& r, int count, typename Bits<T>::type running, bool fresh) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const T size = begin_inside(r, count, running, fresh);
  auto usable = running, found = less<T>(zero, zero);
  for (int step = 0; step < kMostInnerSteps; ++step) {
    // 1. lanes that are there
    const InnerState<T> now = look_inside(r, count);
    const auto there =
        running & less<T>(now.work, (kInnerTolerance * kInnerTolerance) * now.scale) & less<T>(now.miss, kInnerTolerance * size);
    found = found | there;
    running = running & ~there;
    if (!any<T>(running)) break;
    for (int i = 0; i < count; ++i) r.inner[i].open = r.inner[i].open & running;
    // 2. predictor: straight to the solution
    scale_contacts(r, count);
    const auto good = factorise_equations(r);
    for (int i = 0; i < count; ++i) r.inner[i].aim = times(-one, r.inner[i].l);
    const T first = smaller<T>(one, step_inside(r, count));
    T work = zero;
    for (int i = 0; i < count; ++i) {
      const InnerContact<T>& c = r.inner[i];
      work = work + select<T>(c.open, dot(plus(c.l, first, c.dl), plus(c.w, first, c.dw)), zero);
    }
    // 3. corrector: to the centre, the less the better the predictor was
    const T ratio = smaller<T>(one, magnitude<T>(work) / larger<T>(now.work, broadcast<T>(kTiny)));
    const T centring = larger<T>(broadcast<T>(kLeastCentring), ratio * ratio * ratio);
    aim_at_centre(r, count, centring * now.work / now.contacts);
    const T way = smaller<T>(one, kWayToBoundary * step_inside(r, count));
    // 4. a step; lanes whose equations cannot be solved give up, those with short steps stay where they are
    const auto moves = running & good & less<T>(zero, way);
    usable = usable & (~running | moves);
    for (int i = 0; i < count; ++i) {
      InnerContact<T>& c = r.inner[i];
      const Impulse<T> l = plus(c.l, way, c.dl), w = plus(c.w, way, c.dw);
      const auto takes = c.open & moves;
      c.l = {select<T>(takes, l.n, c.l.n), select<T>(takes, l.t1, c.l.t1), select<T>(takes, l.t2, c.l.t2)};
      c.w = {select<T>(takes, w.n, c.w.n), select<T>(takes, w.t1, c.w.t1), select<T>(takes, w.t2, c.w.t2)};
    }
    for (int b = 0; b < r.response.bodies; ++b) {
      Screw<T>& V = r.body_trial[b];
      V.linear = select3<T>(moves, V.linear + way * r.space.change[b].linear, V.linear);
      V.angular = select3<T>(moves, V.angular + way * r.space.change[b].angular, V.angular);
    }
    running = moves & less<T>(broadcast<T>(kLeastInnerStep), way);
  }
  usable = usable & inside_is_finite(r, count);
  take_inside(r, count, usable);
  return found & usable;
}

}  // namespace tarsus::TARSUS_ISA
