// Loads in friction cones of all listed points, u = free + G l: every point opens (l = 0, u_n >= required), sticks (u = 0, |l_t| <=
// mu l_n) or slips (u_n = required, l_t = -mu l_n u_t / |u_t|). The same problem gives forces and accelerations of closed points,
// and impulses and velocities of an impact.
//
//   1. parts are guessed and their loads solved for; points whose loads or motions contradict their parts change them
//   2. where that goes round in circles: from the inside of the cones (inner_loads.hpp), and 1. again from what that tells
#pragma once
#include "simulation/rigid/inner_loads.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostPartChanges = 40;
constexpr int kChangesTogether = 12;        // first rounds, in which all points change that want to; then the worst one
constexpr double kLoadNoise = 1e-13;        // loads below this part of their sum are none
constexpr double kMotionNoise = 1e-11;      // motions below this part of those without loads are none
constexpr double kDirectionNoise = 1e-12;   // directions of slip that differ by this are the same
constexpr double kInnerResidual = 1e-7;     // of complementarity with which loads from the inside are taken as they are

enum ConeAnswer { kNoLoads, kNearLoads, kExactLoads };

class ConeProblem {
 public:
  ConeProblem(Robot<double>& r, int count) : r_(r), count_(count) {}

  // Loads, motions and parts of the listed points, from no loads.
  ConeAnswer solve() {
    for (int i = 0; i < count_; ++i) {
      point(i).load = {0.0, 0.0, 0.0};
      press(point(i));
    }
    if (follow_parts()) return kExactLoads;
    return solve_from_inside();
  }

  // The same from loads in the middle of all that do.
  ConeAnswer solve_from_inside() {
    InnerLoads(r_, count_).solve();
    if (!finite()) return kNoLoads;
    for (int i = 0; i < count_; ++i) recognise(i);
    for (int i = 0; i < count_; ++i) kept(i) = point(i).load;
    if (follow_parts()) return kExactLoads;
    for (int i = 0; i < count_; ++i) point(i).load = kept(i), recognise(i);
    follow_loads(r_, count_);
    return residual() <= kInnerResidual ? kNearLoads : kNoLoads;
  }

  // Largest deviation from complementarity as a load, relative to the largest load: |l - P(l - (u + mu |u_t| n) / g)|.
  double residual() const {
    double worst = 0.0, largest = 1e-300;
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = r_.rigid.listed[i];
      const double rate = 1.0 / larger<double>(s.size, 1e-300);
      const double n = s.motion.n - s.required;
      largest = larger<double>(largest, larger<double>(__builtin_fabs(s.load.n) + across(s.load), rate * __builtin_fabs(n)));
      if (s.sliding) {
        const double next = larger<double>(s.load.n - rate * n, 0.0);
        worst = larger<double>(worst, __builtin_fabs(s.load.n - next));
        continue;
      }
      const double slip = across(s.motion);
      largest = larger<double>(largest, rate * slip);
      const Impulse<double> x{s.load.n - rate * (n + s.friction * slip), s.load.t1 - rate * s.motion.t1,
                              s.load.t2 - rate * s.motion.t2};
      const Impulse<double> p = project(x, s.friction);
      const Impulse<double> d{s.load.n - p.n, s.load.t1 - p.t1, s.load.t2 - p.t2};
      worst = larger<double>(worst, std::sqrt(dot(d, d)));
    }
    return worst / largest;
  }

 private:
  ListedPoint& point(int i) const { return r_.rigid.listed[i]; }
  Impulse<double>& kept(int i) const { return r_.change[i]; }

  static Impulse<double> project(const Impulse<double>& x, double mu) {
    const double size = across(x);
    if (size <= mu * x.n) return x;
    if (mu * size <= -x.n) return {0.0, 0.0, 0.0};
    const double n = (x.n + mu * size) / (1.0 + mu * mu);
    return {n, mu * n * x.t1 / size, mu * n * x.t2 / size};
  }

  static void press(ListedPoint& s) { s.part = s.sliding ? kSlides : kSticks; }

  bool finite() const {
    double bad = 0.0;
    for (int i = 0; i < count_; ++i) {
      const Impulse<double>& l = point(i).load;
      bad += poison(l.n, kResultScale) + poison(l.t1, kResultScale) + poison(l.t2, kResultScale);
    }
    return bad == 0.0;
  }

  // The part that a load and a motion from the inside of the cones belong to.
  void recognise(int i) const {
    ListedPoint& s = point(i);
    const double load = s.size * __builtin_fabs(s.load.n), away = s.motion.n - s.required;
    if (load < away) {
      s.part = kFreePart, s.load = {0.0, 0.0, 0.0};
      return;
    }
    press(s);
    const double size = across(s.load), slip = across(s.motion);
    if (!s.sliding && size > 0.99 * s.friction * s.load.n && slip > 1e-6 * load) {
      s.part = kTurns, s.e1 = s.load.t1 / size, s.e2 = s.load.t2 / size, s.gamma = slip / size;
    }
  }

  // How much a point contradicts its part; `change` makes it take another one.
  double judge(ListedPoint& s, double load_noise, double motion_noise, bool change) const {
    if (s.part == kFreePart) {
      const double into = s.required - s.motion.n;
      if (into <= motion_noise) return 0.0;
      if (change) press(s);
      return into / larger<double>(s.size, 1e-300);
    }
    if (s.load.n < -load_noise) {
      const double pull = -s.load.n;
      if (change) s.part = kFreePart, s.load = {0.0, 0.0, 0.0};
      return pull;
    }
    const double size = across(s.load), limit = s.friction * s.load.n;
    if (s.part == kSticks && size > limit + load_noise) {
      if (change) {
        s.part = kTurns, s.e1 = s.load.t1 / size, s.e2 = s.load.t2 / size, s.gamma = -1.0;
        s.load.t1 = limit * s.e1, s.load.t2 = limit * s.e2;
      }
      return size - limit;
    }
    if (s.part != kTurns) return 0.0;
    const double back = s.motion.t1 * s.e1 + s.motion.t2 * s.e2;
    if (back > motion_noise) {
      if (change) s.part = kSticks;
      return back / larger<double>(s.size, 1e-300);
    }
    return turn(s, motion_noise, change);
  }

  // A direction of slip that is not yet against the motion.
  static double turn(ListedPoint& s, double motion_noise, bool change) {
    const double slip = across(s.motion), size = across(s.load);
    if (slip <= motion_noise || !(size > 0.0)) return 0.0;
    const double side = (s.e1 * s.motion.t2 - s.e2 * s.motion.t1) / slip, off = (s.e1 * s.load.t2 - s.e2 * s.load.t1) / size;
    if (__builtin_fabs(side) <= kDirectionNoise && __builtin_fabs(off) <= kDirectionNoise) return 0.0;
    if (change) {
      if (s.gamma >= 0.0) s.e1 = s.load.t1 / size, s.e2 = s.load.t2 / size;
      s.gamma = slip / larger<double>(s.friction * s.load.n, 1e-300);
      const double limit = s.friction * s.load.n;
      s.load.t1 = limit * s.e1, s.load.t2 = limit * s.e2;
    }
    return size * (__builtin_fabs(side) + __builtin_fabs(off));
  }

  // Solves and changes parts until none contradicts its loads and motions.
  bool follow_parts() {
    for (int round = 0; round < kMostPartChanges; ++round) {
      if (!solve_parts(r_, count_)) return false;
      double sum = 0.0;
      for (int i = 0; i < count_; ++i) sum += __builtin_fabs(point(i).load.n);
      const double load_noise = kLoadNoise * sum, motion_noise = kMotionNoise * motion_scale(r_, count_);
      double worst = 0.0;
      int where = -1;
      for (int i = 0; i < count_; ++i) {
        const double miss = judge(point(i), load_noise, motion_noise, round < kChangesTogether);
        if (miss > worst) worst = miss, where = i;
      }
      if (where < 0) return true;
      if (round >= kChangesTogether) judge(point(where), load_noise, motion_noise, true);
    }
    return false;
  }

  Robot<double>& r_;
  const int count_;
};

}  // namespace tarsus::TARSUS_ISA
