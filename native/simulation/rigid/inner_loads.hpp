// Loads of all listed points from the inside of their cones: interior_point.hpp for points that have motions of their own (terms
// of velocities, slips that go on), with friction of slipping points in the direction of their slip. Where redundant points share
// a load, the path ends in the middle of all distributions.
#pragma once
#include "simulation/rigid/held_parts.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostInnerLoadSteps = 40;
constexpr double kInnerLoadTolerance = 1e-10;  // of motions, relative to those without loads; its square of the work l . w
constexpr double kGivenUp = 1e-4;              // steps below it lead nowhere

// Cones in scaled axes, l_n mu and u_n / mu; a sliding point is a half-line.
TARSUS_INLINE Impulse<double> scaled_motion(const InnerContact<double>& c, const Impulse<double>& u) {
  return {c.per_friction * u.n, u.t1, u.t2};
}
inline void set_load(ListedPoint& s, const InnerContact<double>& c, const Impulse<double>& l) {
  s.load = {c.per_friction * l.n, l.t1, l.t2};
  if (s.sliding) s.load = {l.n, -s.friction * s.d1 * l.n, -s.friction * s.d2 * l.n};
}

// How far x may go along d before it leaves its cone.
inline double way_inside(bool line, const Impulse<double>& x, const Impulse<double>& d) {
  if (line) return d.n < 0.0 ? -x.n / d.n : 1e300;
  const double a = d.n * d.n - d.t1 * d.t1 - d.t2 * d.t2, b = x.n * d.n - x.t1 * d.t1 - x.t2 * d.t2;
  const double c = x.n * x.n - x.t1 * x.t1 - x.t2 * x.t2, root = b * b - a * c, below = std::sqrt(root > 0 ? root : 0.0) - b;
  return root > 0 && below > 0 ? c / below : 1e300;
}

class InnerLoads {
 public:
  // `convex` holds the slips that Coulomb's law adds to the normal motions (ListedPoint::lift): such a problem always has a
  // solution.
  InnerLoads(Robot<double>& r, int count, bool convex = false) : r_(r), count_(count), convex_(convex) {}

  // Leaves the loads and motions of the listed points; returns whether it got to the solution.
  bool solve() {
    complete_responses(r_, count_);
    begin();
    for (int step = 0; step < kMostInnerLoadSteps; ++step) {
      look();
      if (work_ < kInnerLoadTolerance * kInnerLoadTolerance * scale_ && miss_ < kInnerLoadTolerance * size_) return true;
      scale();
      if (factorise_equations(r_) == 0) return false;
      for (int i = 0; i < count_; ++i) r_.inner[i].aim = times(-1.0, r_.inner[i].l);
      const double first = smaller<double>(1.0, find_step());
      double work = 0.0;
      for (int i = 0; i < count_; ++i) {
        const InnerContact<double>& c = r_.inner[i];
        const Impulse<double> l = plus(c.l, first, c.dl), w = plus(c.w, first, c.dw);
        work += point(i).sliding ? l.n * w.n : dot(l, w);
      }
      const double ratio = smaller<double>(1.0, __builtin_fabs(work) / work_);
      aim(larger<double>(ratio * ratio * ratio, 1e-3) * work_ / count_);
      const double way = smaller<double>(1.0, kWayToBoundary * find_step());
      if (!(way > kGivenUp)) return false;
      for (int i = 0; i < count_; ++i) {
        InnerContact<double>& c = r_.inner[i];
        c.l = plus(c.l, way, c.dl), c.w = plus(c.w, way, c.dw);
        set_load(point(i), c, c.l);
      }
      follow_loads(r_, count_);
    }
    return false;
  }

 private:
  ListedPoint& point(int i) const { return r_.rigid.listed[i]; }

  // Loads and motions well inside their cones.
  void begin() {
    double sum = 0.0, mobility = 1e-300;
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      InnerContact<double>& c = r_.inner[i];
      c.per_friction = s.sliding ? 1.0 : 1.0 / larger<double>(s.friction, kLeastFriction);
      Impulse<double> b = scaled_motion(c, s.free);
      b.n -= c.per_friction * s.required;
      sum += s.sliding ? b.n * b.n : dot(b, b);
      mobility += c.per_friction * c.per_friction * s.own;
    }
    size_ = std::sqrt(sum / count_) + 1e-300;
    const double start = size_ * std::sqrt(static_cast<double>(count_)) / mobility;
    for (int i = 0; i < count_; ++i) {
      r_.inner[i].l = {start, 0.0, 0.0};
      set_load(point(i), r_.inner[i], r_.inner[i].l);
    }
    follow_loads(r_, count_);
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      InnerContact<double>& c = r_.inner[i];
      const Impulse<double> u = scaled_motion(c, s.motion);
      const double normal = larger<double>(u.n - c.per_friction * s.required, 0.0) + size_;
      c.w = s.sliding ? Impulse<double>{normal, 0.0, 0.0} : Impulse<double>{normal + across(u), u.t1, u.t2};
    }
  }

  // What is left of the conditions.
  void look() {
    work_ = miss_ = scale_ = 0.0;
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      InnerContact<double>& c = r_.inner[i];
      const Impulse<double> u = scaled_motion(c, s.motion), b = scaled_motion(c, s.free);
      const double required = c.per_friction * s.required, slip = across(c.w), per = 1.0 / larger<double>(slip, 1e-300);
      if (s.sliding) {
        c.slip = {0.0, 0.0, 0.0}, c.miss = {c.w.n - u.n + required, 0.0, 0.0};
        work_ += c.l.n * c.w.n, scale_ += c.l.n * __builtin_fabs(b.n - required);
      } else {
        c.slip = {0.0, convex_ ? 0.0 : per * c.w.t1, convex_ ? 0.0 : per * c.w.t2};
        c.miss = {c.w.n - u.n + required - (convex_ ? s.lift : slip), c.w.t1 - u.t1, c.w.t2 - u.t2};
        work_ += dot(c.l, c.w), scale_ += __builtin_fabs(dot(c.l, b) - c.l.n * required);
      }
      miss_ = larger<double>(miss_, __builtin_fabs(c.miss.n) + __builtin_fabs(c.miss.t1) + __builtin_fabs(c.miss.t2));
    }
    scale_ += 1e-300, work_ += 1e-300;
  }

  // P of all points, and the blocks F^T P^-2 N J.
  void scale() {
    clear_equations(r_);
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      InnerContact<double>& c = r_.inner[i];
      double K[3][3] = {};
      if (s.sliding) {
        c.inverse[0] = c.l.n / c.w.n;
        K[0][0] = c.inverse[0];
      } else {
        scale_cone(c, K);
      }
      // rows of forces and of motions in scaled axes
      const Impulse<double> n{c.per_friction, 0.0, 0.0}, t1{0.0, 1.0, 0.0}, t2{0.0, 0.0, 1.0};
      const Impulse<double> push = s.sliding ? Impulse<double>{1.0, -s.friction * s.d1, -s.friction * s.d2} : n;
      const Wrench<double> row[3] = {wrench_of(s, n), wrench_of(s, t1), wrench_of(s, t2)};
      const Wrench<double> force[3] = {wrench_of(s, push), row[1], row[2]};
      const double* J = reinterpret_cast<const double*>(row);
      const double* F = reinterpret_cast<const double*>(force);
      double* block = r_.space.stiffness + 36 * s.body;
      for (int y = 0; y < 6; ++y) {
        double p[3];
        for (int x = 0; x < 3; ++x) p[x] = K[x][0] * J[y] + K[x][1] * J[6 + y] + K[x][2] * J[12 + y];
        for (int x = 0; x < 6; ++x) block[6 * x + y] += F[x] * p[0] + F[6 + x] * p[1] + F[12 + x] * p[2];
      }
    }
  }
  static void scale_cone(InnerContact<double>& c, double K[3][3]) {
    const double of_l = std::sqrt(larger<double>(c.l.n * c.l.n - c.l.t1 * c.l.t1 - c.l.t2 * c.l.t2, 1e-300));
    const double of_w = std::sqrt(larger<double>(c.w.n * c.w.n - c.w.t1 * c.w.t1 - c.w.t2 * c.w.t2, 1e-300));
    const double per_l = 1.0 / of_l, per_w = 1.0 / of_w, ratio = of_w * per_l;
    const double g = 0.5 / std::sqrt(0.5 + 0.5 * per_l * per_w * dot(c.l, c.w));
    const Impulse<double> a{g * (per_w * c.w.n + per_l * c.l.n), g * (per_w * c.w.t1 - per_l * c.l.t1),
                            g * (per_w * c.w.t2 - per_l * c.l.t2)};
    const double root = 1.0 / std::sqrt(2.0 * (a.n + 1.0));
    c.v = {root * (a.n + 1.0), root * a.t1, root * a.t2};
    c.beta = std::sqrt(ratio);
    c.scaled = times(c.beta, reflect(c.v, c.l));
    const double per = 1.0 / ratio, two = 2.0 * per;
    double* m = c.inverse;
    m[0] = two * a.n * a.n - per, m[1] = -(two * a.n * a.t1), m[2] = -(two * a.n * a.t2);
    m[3] = two * a.t1 * a.t1 + per, m[4] = two * a.t1 * a.t2, m[5] = two * a.t2 * a.t2 + per;
    const double e1 = c.slip.t1, e2 = c.slip.t2;
    const double found[3][3] = {{m[0], m[1] + e1 * m[0], m[2] + e2 * m[0]},
                                {m[1], m[3] + e1 * m[1], m[4] + e2 * m[1]},
                                {m[2], m[4] + e1 * m[2], m[5] + e2 * m[2]}};
    std::memcpy(K, found, sizeof(found));
  }

  // Steps dl and dw for the aims, and how far they may go.
  double find_step() {
    clear_loads(r_);
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      InnerContact<double>& c = r_.inner[i];
      Impulse<double> turned = c.miss, l;
      if (s.sliding) {
        const double n = c.aim.n + c.inverse[0] * c.miss.n;
        l = {n, -s.friction * s.d1 * n, -s.friction * s.d2 * n};
      } else {
        turned.n += dot(c.slip, c.miss);
        l = plus(c.aim, 1.0, times_inverse(c, turned));
        l.n *= c.per_friction;
      }
      reinterpret_cast<Wrench<double>*>(r_.space.load)[s.body] += wrench_of(s, l);
    }
    solve_equations(r_);
    double least = 1e300;
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      InnerContact<double>& c = r_.inner[i];
      const Impulse<double> du = scaled_motion(c, along(s, r_.space.change[s.body]));
      if (s.sliding) {
        c.dw = {du.n - c.miss.n, 0.0, 0.0};
        c.dl = {c.aim.n - c.inverse[0] * c.dw.n, 0.0, 0.0};
      } else {
        c.dw = plus(du, -1.0, c.miss);
        c.dw.n += dot(c.slip, c.dw);
        c.dl = plus(c.aim, -1.0, times_inverse(c, c.dw));
      }
      least = smaller<double>(least, smaller<double>(way_inside(s.sliding, c.l, c.dl), way_inside(s.sliding, c.w, c.dw)));
    }
    return least;
  }

  // Aims of a corrector: centre the products at `target`, less what the predictor misses.
  void aim(double target) {
    for (int i = 0; i < count_; ++i) {
      InnerContact<double>& c = r_.inner[i];
      if (point(i).sliding) {
        c.aim = {(target - c.dl.n * c.dw.n) / c.w.n - c.l.n, 0.0, 0.0};
        continue;
      }
      const double per = 1.0 / c.beta;
      const Impulse<double> dl = times(c.beta, reflect(c.v, c.dl)), dw = times(per, reflect_back(c.v, c.dw));
      Impulse<double> y = times(-1.0, jordan(dl, dw));
      y.n += target;
      c.aim = times(per, reflect_back(c.v, plus(jordan_quotient(c.scaled, y), -1.0, c.scaled)));
    }
  }

  Robot<double>& r_;
  const int count_;
  const bool convex_;
  double size_ = 0.0, work_ = 0.0, miss_ = 0.0, scale_ = 0.0;
};

}  // namespace tarsus::TARSUS_ISA
