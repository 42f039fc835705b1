// One contact point by itself: the impulse that keeps it out of the ground with Coulomb friction, everything else held.
// With impulse l and velocity u = G l + b in the axes (n, t1, t2) of the contact, one of these holds (Signorini 1933, Coulomb
// 1785):
//   open   l = 0,        u_n >= 0
//   stick  u = 0,        |l_t| <= mu l_n
//   slip   u_n = 0,      |l_t| = mu l_n,  u_t = -gamma l_t with gamma > 0
// which is the projection of least constraint onto the cone, with the term mu |u_t| of de Saxce and Feng 1998 added to u_n:
// without it a sliding point is lifted by mu |u_t| dt (Anitescu 2006).
#pragma once
#include "contact/contact_state.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kSlipIterations = 40;
constexpr double kSlipTolerance = 1e-13;    // of |l_t| / (mu l_n) - 1
constexpr double kImmobile = 1e-11;         // a direction less mobile than that, relative to the others, carries no impulse
constexpr double kLeastDenominator = 1e-3;  // of g_nn - mu g_nt.d, relative to g_nn: below it slip is nearly jammed

// G in axes in which S = G_tt - g_tn g_nt / g_nn is diagonal, so that (S + gamma) l_t = -r costs two divisions.
template <class T>
struct LocalProblem {
  T nn, n1, n2;    // g_nn, g_nt
  T s1, s2;        // eigenvalues of S
  T per_nn;        // 1 / g_nn
  T free1, free2;  // 1 where the eigenvalue is not zero
  T friction;
};

template <class T>
struct Impulse {
  T n, t1, t2;
};

// Rotation (c, s) that makes the matrix [a b; b d] diagonal.
template <class T>
TARSUS_INLINE void diagonalise(const T& a, const T& b, const T& d, T& c, T& s) {
  const T one = broadcast<T>(1.0), zero = broadcast<T>(0.0), h = 0.5 * (a - d), r = sqrt_of<T>(h * h + b * b);
  const auto round = ~less<T>(1e-14 * (magnitude<T>(a) + magnitude<T>(d)) + kTiny, r);  // rounding may leave a and d below 0
  const T safe = select<T>(round, one, r), cosine = sqrt_of<T>(0.5 + 0.5 * magnitude<T>(h) / safe);
  const T sine = 0.5 * b / (safe * cosine);
  c = select<T>(round, one, cosine);
  s = select<T>(round, zero, select<T>(less<T>(h, zero), -sine, sine));
}

// The impulse of a slipping point, from r = b_t - g_tn b_n / g_nn and b_n < 0. A root gamma of |l_t| = mu l_n exists, since
// at 0 the point would stick beyond the cone and at infinity l_t vanishes: Newton on 1 / |l_t| = 1 / (mu l_n), which is linear
// where S is round, inside a bracket. `gamma` is where the last visit ended.
template <class T>
TARSUS_INLINE Impulse<T> slip_impulse(const LocalProblem<T>& g, const T& bn, const T& r1, const T& r2,
                                      typename Bits<T>::type wanted, T& gamma) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), tiny = broadcast<T>(kTiny);
  const T alone = -bn * g.per_nn, mean = 0.5 * (g.s1 + g.s2);
  T low = zero, high = broadcast<T>(1e12) * mean;
  const T guess = sqrt_of<T>(r1 * r1 + r2 * r2) / larger<T>(g.friction * alone, tiny) - mean;
  T x = select<T>(less<T>(zero, gamma), gamma, guess);
  x = larger<T>(zero, smaller<T>(x, high));
  T l1 = zero, l2 = zero, ln = alone, size = zero;
  auto open = wanted;
  for (int k = 0; k < kSlipIterations; ++k) {
    // 1. l_t = -(S + gamma)^-1 r, and l_n from u_n = 0
    const T i1 = g.free1 / (g.s1 + x + (one - g.free1)), i2 = g.free2 / (g.s2 + x + (one - g.free2));
    const T a1 = -(r1 * i1), a2 = -(r2 * i2), n = -(bn + g.n1 * a1 + g.n2 * a2) * g.per_nn;
    const T both = sqrt_of<T>(a1 * a1 + a2 * a2), cap = g.friction * n;
    l1 = select<T>(open, a1, l1), l2 = select<T>(open, a2, l2), ln = select<T>(open, n, ln), size = select<T>(open, both, size);
    const auto above = less<T>(cap, both);
    open = open & less<T>(kSlipTolerance * both, magnitude<T>(both - cap));
    if (!any<T>(open)) break;
    low = select<T>(above, x, low), high = select<T>(above, high, x);
    // 2. Newton's step, with d/dx of 1 / |l_t| and of 1 / (mu l_n), or the middle of the bracket
    const T d1 = -(a1 * i1), d2 = -(a2 * i2), dn = -(g.n1 * d1 + g.n2 * d2) * g.per_nn;
    const T fall = -(a1 * d1 + a2 * d2) / larger<T>(both * both * both, tiny);
    const T safe = select<T>(less<T>(zero, cap), cap, one);
    const T slope = fall + g.friction * dn / (safe * safe), value = 1.0 / larger<T>(both, tiny) - 1.0 / safe;
    const T step = x - value / select<T>(less<T>(zero, slope), slope, one);
    const auto good = less<T>(zero, cap) & less<T>(zero, slope) & less<T>(low, step) & less<T>(step, high);
    const T middle = sqrt_of<T>((low + 1e-3 * mean) * high);  // the bracket may span many orders of magnitude
    x = select<T>(open, select<T>(good, step, middle), x);
  }
  gamma = select<T>(wanted, x, gamma);
  // 3. with the direction found, u_n = 0 and the cone hold to the last bit.
  const T per = 1.0 / larger<T>(size, tiny), e1 = per * l1, e2 = per * l2;
  const T denominator = g.nn + g.friction * (g.n1 * e1 + g.n2 * e2);
  const auto regular = less<T>(kLeastDenominator * g.nn, denominator);
  const T exact = -bn / select<T>(regular, denominator, one);
  const T n = select<T>(regular, exact, larger<T>(ln, zero));
  return {n, g.friction * n * e1, g.friction * n * e2};
}

// The impulse that solves the contact alone, from the present one `l` and the velocity u that goes with it; u.n is counted from
// the velocity required at least.
template <class T>
TARSUS_INLINE Impulse<T> solve_contact(const LocalProblem<T>& g, const Impulse<T>& l, const Impulse<T>& u, T& gamma) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const T bn = u.n - (g.nn * l.n + g.n1 * l.t1 + g.n2 * l.t2);
  const T r1 = u.t1 - g.n1 * g.per_nn * u.n - g.s1 * l.t1, r2 = u.t2 - g.n2 * g.per_nn * u.n - g.s2 * l.t2;
  const T k1 = -(r1 * g.free1) / (g.s1 + (one - g.free1)), k2 = -(r2 * g.free2) / (g.s2 + (one - g.free2));
  const T kn = -(bn + g.n1 * k1 + g.n2 * k2) * g.per_nn;
  const T cap = g.friction * kn;
  const auto closed = less<T>(bn, zero);
  const auto slips = closed & (less<T>(kn, zero) | less<T>(cap * cap, k1 * k1 + k2 * k2));
  Impulse<T> next{select<T>(closed, kn, zero), select<T>(closed, k1, zero), select<T>(closed, k2, zero)};
  if (any<T>(slips)) {
    const Impulse<T> slide = slip_impulse(g, bn, r1, r2, slips, gamma);
    next = {select<T>(slips, slide.n, next.n), select<T>(slips, slide.t1, next.t1), select<T>(slips, slide.t2, next.t2)};
  }
  return next;
}

}  // namespace tarsus::TARSUS_ISA
