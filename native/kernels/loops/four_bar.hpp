// Planar four-bar in closed form: the two dependent angles of a loop of four revolute joints with parallel axes.
// Seen from one link (ground) the crank p0 p1 turns by phi about p0; coupler p1 p2 and rocker p3 p2 meet in
//   p2 = p1 + x d + y d_perp,  d = p3 - p1,  x = (l2^2 - l3^2 + d^2) / (2 d^2),  y = branch sqrt(l2^2 / d^2 - x^2).
// Angles are kept as unit vectors: sines and cosines of the joints come out without an arc tangent.
#pragma once
#include "kernels/kinematics/joints.hpp"
#include "kernels/loops/regularity.hpp"

namespace tarsus::TARSUS_ISA {

// Numbers of a four-bar, in the order of Closure::table.
struct FourBarNumbers {
  double ground, crank, coupler, rocker, branch;
  double crank_sign, crank_cosine, crank_sine;  // phi = sign q + constant
  struct Follower {
    double pivot;  // 1: coupler against crank, 2: rocker against coupler, 3: rocker against ground
    double sign;   // q = sign psi + constant
    double cosine, sine;
    double winding, middle;  // q stays within half a turn of winding q_independent + middle
  } follower[2];
};
static_assert(sizeof(FourBarNumbers) == kFourBarNumbers * sizeof(double));

template <class T>
struct Turned {  // a unit vector: cosine and sine of an angle
  T c, s;
};
template <class T>
TARSUS_INLINE Turned<T> sum_of(const Turned<T>& a, const Turned<T>& b) {
  return {a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}
template <class T>
TARSUS_INLINE Turned<T> difference_of(const Turned<T>& a, const Turned<T>& b) {
  return {a.c * b.c + a.s * b.s, a.s * b.c - a.c * b.s};
}

// Angles of the dependents as unit vectors, and their first three derivatives with respect to the independent joint.
template <class T>
struct FourBar {
  Turned<T> angle[2];
  T slope[2], curvature[2], jerk[2];
  T steepness;  // see regularity.hpp: the columns of coupler and rocker are as long as these, s is the sine between them
  int open;     // lanes in which the links do not reach each other, or coupler and rocker are in line
};

template <class T>
TARSUS_INLINE FourBar<T> four_bar(const FourBarNumbers& n, const T& q) {
  T s, c;
  sincos(q, s, c);
  const Turned<T> phi =
      sum_of(Turned<T>{c, n.crank_sign * s}, Turned<T>{broadcast<T>(n.crank_cosine), broadcast<T>(n.crank_sine)});
  const T dx = n.ground - n.crank * phi.c, dy = -(n.crank * phi.s), inverse = 1.0 / (dx * dx + dy * dy);
  const double l2 = n.coupler * n.coupler, l3 = n.rocker * n.rocker;
  const T x = 0.5 + (0.5 * (l2 - l3)) * inverse, square = l2 * inverse - x * x;
  FourBar<T> r;
  r.open = 0;
  for (int l = 0; l < lanes<T>; ++l) r.open |= lane(square, l) > 1e-20 ? 0 : 1 << l;
  const T y = n.branch * sqrt_of(square);
  const Turned<T> coupler{(1.0 / n.coupler) * (x * dx - y * dy), (1.0 / n.coupler) * (x * dy + y * dx)};
  const Turned<T> rocker{(1.0 / n.rocker) * ((x - 1.0) * dx - y * dy), (1.0 / n.rocker) * ((x - 1.0) * dy + y * dx)};
  // Slopes against phi from the closing condition's derivative, and their derivative in turn.
  const Turned<T> meet = difference_of(rocker, coupler), to_rocker = difference_of(phi, rocker),
                  to_coupler = difference_of(phi, coupler);
  const T k = 1.0 / meet.s;
  const double a2 = n.crank / n.coupler, a3 = n.crank / n.rocker;
  const T g2 = a2 * to_rocker.s * k, g3 = a3 * to_coupler.s * k;
  r.steepness = larger_magnitude(larger_magnitude(broadcast<T>(0.0), to_rocker.s), to_coupler.s) * (k * k);
  const T turn = meet.c * (g3 - g2) * k;
  const T h2 = a2 * to_rocker.c * (1.0 - g3) * k - g2 * turn, h3 = a3 * to_coupler.c * (1.0 - g2) * k - g3 * turn;
  const T change = meet.c * (h3 - h2) * k - (g3 - g2) * (g3 - g2) - turn * turn;  // of turn
  const T j2 =
      -(a2 * k) * (to_rocker.s * (1.0 - g3) * (1.0 - g3) + to_rocker.c * (h3 + (1.0 - g3) * turn)) - h2 * turn - g2 * change;
  const T j3 =
      -(a3 * k) * (to_coupler.s * (1.0 - g2) * (1.0 - g2) + to_coupler.c * (h2 + (1.0 - g2) * turn)) - h3 * turn - g3 * change;
  for (int i = 0; i < 2; ++i) {
    const FourBarNumbers::Follower& f = n.follower[i];
    const bool at_crank = f.pivot == 1.0, at_ground = f.pivot == 3.0;
    const Turned<T> psi = at_crank ? difference_of(coupler, phi) : at_ground ? rocker : meet;
    r.angle[i] = sum_of(Turned<T>{psi.c, f.sign * psi.s}, Turned<T>{broadcast<T>(f.cosine), broadcast<T>(f.sine)});
    const T slope = at_crank ? T(g2 - 1.0) : at_ground ? g3 : T(g3 - g2), curvature = at_crank ? h2 : at_ground ? h3 : T(h3 - h2);
    r.slope[i] = (f.sign * n.crank_sign) * slope;  // d psi / d q = d psi / d phi, times both signs
    r.curvature[i] = f.sign * curvature;           // sign^2 = 1
    r.jerk[i] = (f.sign * n.crank_sign) * (at_crank ? j2 : at_ground ? j3 : T(j3 - j2));
  }
  return r;
}

// Speeds of the dependents' angles for a rate of the independent joint: see regularity.hpp.
template <class T>
inline LoopSpeeds<T> four_bar_speeds(const FourBar<T>& bar, const T& rate) {
  const T zero = broadcast<T>(0.0), square = rate * rate;
  LoopSpeeds<T> r{zero, larger_magnitude(zero, rate)};
  for (int i = 0; i < 2; ++i) {
    r.change = larger_magnitude(r.change, T(bar.curvature[i] * square));
    r.speed = larger_magnitude(r.speed, T(bar.slope[i] * rate));
  }
  return r;
}

}  // namespace tarsus::TARSUS_ISA
