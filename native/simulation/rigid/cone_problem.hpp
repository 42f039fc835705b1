// Loads in friction cones of all listed points, u = free + G l: every point opens (l = 0, u_n >= required), sticks (u = 0, |l_t|
// <= mu l_n) or slips (u_n = required, l_t = -mu l_n u_t / |u_t|). The same problem gives forces and accelerations of closed
// points, and impulses and velocities of an impact.
//
//   1. parts are guessed and their loads solved for; points whose loads or motions contradict their parts change them
//   2. where that goes round in circles: from the inside of the cones (inner_loads.hpp), and 1. again from what that tells
#pragma once
#include "simulation/rigid/cone_newton.hpp"
#include "simulation/rigid/inner_loads.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostPartChanges = 16;
constexpr int kChangesTogether = 8;        // first rounds, in which all points change that want to; then the worst one
constexpr double kLoadNoise = 1e-13;       // loads below this part of their sum are none
constexpr double kMotionNoise = 1e-11;     // motions below this part of those without loads are none
constexpr double kDirectionNoise = 1e-12;  // directions of slip that differ by this are the same
constexpr double kNewtonFound = 1e-10;     // residual of loads that are exact, relative to the largest load
constexpr int kMostConvexProblems = 3;
constexpr int kSweepRounds = 3, kRoundSweeps = 40;
constexpr double kEdge = 1e2;            // times these noises are edges between modes
constexpr double kInnerResidual = 1e-7;  // of complementarity with which loads from the inside are taken as they are

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
    if (!follow_parts()) {
      for (int i = 0; i < count_; ++i) point(i).load = {0.0, 0.0, 0.0};
      return polish() ? kExactLoads : solve_from_inside();
    }
    bool all = true;
    for (int i = 0; i < count_; ++i) all = all && point(i).part != kFreePart;
    if (!all) share_evenly();
    return kExactLoads;
  }

  // The same from loads in the middle of all that do: from the inside of the cones at once, or from convex problems in turn,
  // whose slips follow the motions (Cadoux 2009).
  ConeAnswer solve_from_inside() {
    if (InnerLoads(r_, count_).solve() && finite()) {
      const ConeAnswer answer = recognise_all();
      if (answer != kNoLoads) return answer;
    }
    begin_sweeps();
    for (int round = 0; round < kSweepRounds; ++round) {
      for (int sweep = 0; sweep < kRoundSweeps; ++sweep) sweep_points(sweep % 2 == 0);
      follow_loads(r_, count_);
      if (!finite()) break;
      const ConeAnswer answer = recognise_all();
      if (answer != kNoLoads) return answer;
    }
    for (int i = 0; i < count_; ++i) point(i).lift = 0.0;
    for (int round = 0; round < kMostConvexProblems; ++round) {
      InnerLoads(r_, count_, true).solve();
      if (!finite()) return kNoLoads;
      const ConeAnswer answer = recognise_all();
      if (answer != kNoLoads) return answer;
      for (int i = 0; i < count_; ++i) point(i).lift = across(point(i).motion);
    }
    return kNoLoads;
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

  // Loads near a solution, made exact: by Newton's method, or where there are too many points for it by their parts.
  bool polish() {
    if (ConeNewton::holds(count_)) {
      ConeNewton newton(r_, count_);
      if (!(newton.solve() <= kNewtonFound)) return false;
      if (!solve_parts(r_, count_) || !(residual() <= kNewtonFound)) newton.take();  // rows that stick do not move at all
    } else {
      for (int i = 0; i < count_; ++i) recognise(i);
      if (!follow_parts()) return false;
    }
    share_evenly();
    return true;
  }

  // Loads from the inside made exact, or taken as they are where they are near enough.
  ConeAnswer recognise_all() {
    for (int i = 0; i < count_; ++i) kept(i) = point(i).load;
    if (polish()) return kExactLoads;
    for (int i = 0; i < count_; ++i) point(i).load = kept(i);
    follow_loads(r_, count_);
    for (int i = 0; i < count_; ++i) recognise(i);
    follow_loads(r_, count_);
    if (residual() <= kInnerResidual) return kNearLoads;
    // At the edge of a mode loads and motions are zero up to what an event is noticed with.
    if (follow_parts(kEdge)) return kNearLoads;
    for (int i = 0; i < count_; ++i) point(i).load = kept(i);
    follow_loads(r_, count_);
    return kNoLoads;
  }

  // Point after point exactly with the others held (friction_cone.hpp), from no loads: each one's own problem.
  void begin_sweeps() {
    complete_responses(r_, count_);
    for (int i = 0; i < count_; ++i) {
      ListedPoint& s = point(i);
      s.load = {0.0, 0.0, 0.0};
      const double* block = r_.response.response_of(s.body, s.body);
      Impulse<double> column[3];
      for (int a = 0; a < 3; ++a) {
        Screw<double> V{zero3<double>(), zero3<double>()};
        add_response(block, Wrench<double>{s.axis[a], s.arm[a]}, V);
        column[a] = along(s, V);
      }
      const double all = column[0].n + column[1].t1 + column[2].t2, nn = larger<double>(column[0].n, kImmobile * all + kTiny);
      const double per = 1.0 / nn, n1 = column[0].t1, n2 = column[0].t2;
      const double a = column[1].t1 - n1 * n1 * per, b = column[1].t2 - n1 * n2 * per, d = column[2].t2 - n2 * n2 * per;
      double cosine, sine;
      diagonalise(a, b, d, cosine, sine);
      const double s1 = cosine * cosine * a + 2.0 * cosine * sine * b + sine * sine * d, s2 = a + d - s1;
      const bool free1 = s1 > kImmobile * all, free2 = s2 > kImmobile * all;
      r_.impulse[i].local = {nn,  cosine * n1 + sine * n2, cosine * n2 - sine * n1, free1 ? s1 : 0.0, free2 ? s2 : 0.0,
                             per, free1 ? 1.0 : 0.0,       free2 ? 1.0 : 0.0,       s.friction};
      r_.impulse[i].gamma = 0.0;
      r_.part[i].slip1 = cosine, r_.part[i].slip2 = sine;
    }
    for (int k = 0; k < r_.response.bodies; ++k) r_.rigid.moved[k] = {zero3<double>(), zero3<double>()};
  }
  void sweep_points(bool forth) {
    for (int k = 0; k < count_; ++k) {
      const int i = forth ? k : count_ - 1 - k;
      ListedPoint& s = point(i);
      const Impulse<double> moved = along(s, r_.rigid.moved[s.body]);
      const double n = s.free.n + moved.n - s.required, u1 = s.free.t1 + moved.t1, u2 = s.free.t2 + moved.t2;
      Impulse<double> next;
      if (s.sliding) {
        next.n = larger<double>(s.load.n - n / larger<double>(s.own_sliding, 0.1 * s.own + kTiny), 0.0);
        next.t1 = -s.friction * s.d1 * next.n, next.t2 = -s.friction * s.d2 * next.n;
      } else {
        const double c = r_.part[i].slip1, e = r_.part[i].slip2;
        const Impulse<double> l{s.load.n, c * s.load.t1 + e * s.load.t2, c * s.load.t2 - e * s.load.t1};
        const Impulse<double> x =
            solve_contact(r_.impulse[i].local, l, Impulse<double>{n, c * u1 + e * u2, c * u2 - e * u1}, r_.impulse[i].gamma);
        next = {x.n, c * x.t1 - e * x.t2, e * x.t1 + c * x.t2};
      }
      const Wrench<double> w = wrench_of(s, Impulse<double>{next.n - s.load.n, next.t1 - s.load.t1, next.t2 - s.load.t2});
      for (int b = 0; b < r_.response.bodies; ++b) add_response(r_.response.response_of(b, s.body), w, r_.rigid.moved[b]);
      s.load = next;
    }
  }

  // The smallest loads of the parts that were found, where they do as well; points that were left out although they do not move
  // away take part in them.
  void share_evenly() {
    const double motion_noise = kMotionNoise * motion_scale(r_, count_);
    for (int i = 0; i < count_; ++i) {
      ListedPoint& s = point(i);
      kept(i) = s.load, r_.part[i].normal = s.part, s.load = {0.0, 0.0, 0.0};
      if (s.part != kFreePart || s.motion.n - s.required > motion_noise) continue;
      press(s);
      const double slip = across(s.motion);
      if (s.part != kSticks || slip <= motion_noise) continue;
      s.part = kTurns, s.e1 = -s.motion.t1 / slip, s.e2 = -s.motion.t2 / slip, s.gamma = -1.0;
    }
    bool good = solve_parts(r_, count_);
    double sum = 0.0;
    for (int i = 0; i < count_; ++i) sum += __builtin_fabs(point(i).load.n);
    for (int i = 0; i < count_ && good; ++i) good = judge(point(i), kLoadNoise * sum, motion_noise, false) == 0.0;
    if (good) return;
    for (int i = 0; i < count_; ++i) point(i).load = kept(i), point(i).part = static_cast<int>(r_.part[i].normal);
    follow_loads(r_, count_);
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
  bool follow_parts(double noise = 1.0) {
    for (int round = 0; round < kMostPartChanges; ++round) {
      if (!solve_parts(r_, count_)) return false;
      double sum = 0.0;
      for (int i = 0; i < count_; ++i) sum += __builtin_fabs(point(i).load.n);
      const double load_noise = noise * kLoadNoise * sum, motion_noise = noise * kMotionNoise * motion_scale(r_, count_);
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
