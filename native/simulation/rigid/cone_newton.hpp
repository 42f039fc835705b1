// Loads of all listed points in their friction cones by Newton's method on the equations of Alart and Curnier 1991, damped: with
// u = free + G l, g = 1 / r the size of a point's own response, and x = l - r u,
//   l_n = max(0, x_n),   l_t = x_t brought back to the disc of radius mu max(0, x_n);
// points that slip in a given direction have l_t = -mu d l_n. Dense in the loads of all points; where these are redundant G is
// made regular by a part of it that the residual does not know, so that what is found obeys the law exactly.
#pragma once
#include "simulation/rigid/held_parts.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostNewtonSteps = 40;
constexpr int kMostNewtonHalvings = 8;
constexpr double kNewtonRegular = 1e-11;  // added to G, relative to the size of each point's response
constexpr double kNewtonDone = 1e-12;     // residual as a load, relative to the largest load

class ConeNewton {
 public:
  ConeNewton(Robot<double>& r, int count) : r_(r), count_(count), n_(3 * count) {
    double* memory = r.rigid.newton;
    auto take = [&](double*& x, size_t size) { x = memory, memory += size; };
    const size_t n = n_;
    take(G_, n * n), take(matrix_, n * n), take(l_, n), take(u_, n), take(residual_, n), take(step_, n), take(trial_, n);
    complete_responses(r, count);
    find_responses();
  }
  static bool holds(int count) { return count <= kMostNewtonPoints; }

  // From the loads that are there; leaves loads and motions, and returns the residual relative to the largest load.
  double solve() {
    for (int i = 0; i < count_; ++i) put(l_ + 3 * i, point(i).load);
    double merit = look(l_);
    for (int step = 0; step < kMostNewtonSteps && worst_ > kNewtonDone; ++step) {
      if (!find_step()) break;
      double way = 1.0, next = 0.0;
      for (int k = 0; k < kMostNewtonHalvings; ++k, way *= 0.5) {
        for (int i = 0; i < n_; ++i) trial_[i] = l_[i] + way * step_[i];
        next = look(trial_);
        if (next < (1.0 - 0.1 * way) * merit) break;
      }
      const bool better = next < merit;
      if (!better && step > 3 && next > 0.999 * merit) {
        if (!(next < 1.5 * merit) || ++stalls_ > 3) break;
      }
      for (int i = 0; i < n_; ++i) l_[i] = trial_[i];
      merit = next;
    }
    look(l_);
    take();
    return worst_;
  }

  // The loads that were found, with motions and parts.
  void take() {
    for (int i = 0; i < count_; ++i) point(i).load = {l_[3 * i], l_[3 * i + 1], l_[3 * i + 2]};
    follow_loads(r_, count_);
    for (int i = 0; i < count_; ++i) recognise(i);
  }

 private:
  ListedPoint& point(int i) const { return r_.rigid.listed[i]; }
  static void put(double* to, const Impulse<double>& x) { to[0] = x.n, to[1] = x.t1, to[2] = x.t2; }

  // G, column after column.
  void find_responses() {
    for (int j = 0; j < count_; ++j) {
      const ListedPoint& from = point(j);
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < r_.response.bodies; ++b) {
          r_.rigid.moved[b] = {zero3<double>(), zero3<double>()};
          add_response(r_.response.response_of(b, from.body), Wrench<double>{from.axis[a], from.arm[a]}, r_.rigid.moved[b]);
        }
        for (int i = 0; i < count_; ++i) {
          const Impulse<double> u = along(point(i), r_.rigid.moved[point(i).body]);
          double* G = G_ + (size_t)(3 * i) * n_ + 3 * j + a;
          G[0] = u.n, G[n_] = u.t1, G[2 * n_] = u.t2;
        }
      }
    }
  }

  // Residuals at loads l, the largest one relative to the largest load, and the merit.
  double look(const double* l) {
    double merit = 0.0, largest = 1e-300;
    worst_ = 0.0;
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      const double free[3] = {s.free.n - s.required, s.free.t1, s.free.t2};
      for (int a = 0; a < 3; ++a) {
        const double* G = G_ + (size_t)(3 * i + a) * n_;
        double sum = free[a];
        for (int k = 0; k < n_; ++k) sum += G[k] * l[k];
        u_[3 * i + a] = sum;
      }
      const double r = rate(s);
      const double *x = l + 3 * i, *u = u_ + 3 * i;
      double* f = residual_ + 3 * i;
      const double normal = x[0] - r * u[0];
      f[0] = x[0] - larger<double>(normal, 0.0);
      if (s.sliding) {
        f[1] = x[1] + s.friction * s.d1 * x[0], f[2] = x[2] + s.friction * s.d2 * x[0];
      } else {
        const double y1 = x[1] - r * u[1], y2 = x[2] - r * u[2], size = std::sqrt(y1 * y1 + y2 * y2);
        const double disc = s.friction * larger<double>(normal, 0.0), part = size > disc ? disc / size : 1.0;
        f[1] = x[1] - part * y1, f[2] = x[2] - part * y2;
      }
      const double sum = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
      merit += s.size * s.size * sum;
      worst_ = larger<double>(worst_, std::sqrt(sum));
      largest = larger<double>(largest, __builtin_fabs(x[0]));
    }
    worst_ /= largest;
    return merit;
  }
  static double rate(const ListedPoint& s) { return 1.0 / larger<double>(s.size, 1e-300); }

  // Newton's step at the last loads looked at.
  bool find_step() {
    look(l_);
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      const double r = rate(s), mu = s.friction;
      const double *x = l_ + 3 * i, *u = u_ + 3 * i;
      const double normal = x[0] - r * u[0];
      const bool closed = normal > 0.0;
      // rows of d(x - r u) are e_a - r G_a; T (2 x 3) is what the tangential residual subtracts of them
      double N = closed ? 1.0 : 0.0, T[2][3] = {};
      if (!s.sliding && closed) {
        const double y1 = x[1] - r * u[1], y2 = x[2] - r * u[2], size = std::sqrt(y1 * y1 + y2 * y2), disc = mu * normal;
        if (size <= disc) {
          T[0][1] = T[1][2] = 1.0;
        } else {
          const double e1 = y1 / size, e2 = y2 / size, part = disc / size;
          T[0][0] = mu * e1, T[1][0] = mu * e2;
          T[0][1] = part * e2 * e2, T[0][2] = T[1][1] = -part * e1 * e2, T[1][2] = part * e1 * e1;
        }
      }
      double* row[3] = {matrix_ + (size_t)(3 * i) * n_, matrix_ + (size_t)(3 * i + 1) * n_, matrix_ + (size_t)(3 * i + 2) * n_};
      const double *g0 = G_ + (size_t)(3 * i) * n_, *g1 = g0 + n_, *g2 = g1 + n_;
      for (int k = 0; k < n_; ++k) {
        row[0][k] = N * r * g0[k];
        row[1][k] = r * (T[0][0] * g0[k] + T[0][1] * g1[k] + T[0][2] * g2[k]);
        row[2][k] = r * (T[1][0] * g0[k] + T[1][1] * g1[k] + T[1][2] * g2[k]);
      }
      const double e = kNewtonRegular;
      row[0][3 * i] += 1.0 - N + N * e;
      for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 3; ++b) row[1 + a][3 * i + b] -= (1.0 - e) * T[a][b];
        row[1 + a][3 * i + 1 + a] += 1.0;
      }
      if (s.sliding) row[1][3 * i] += mu * s.d1, row[2][3 * i] += mu * s.d2;
    }
    for (int k = 0; k < n_; ++k) step_[k] = -residual_[k];
    return solve_dense();
  }

  // Gauss's elimination with rows exchanged.
  bool solve_dense() {
    for (int k = 0; k < n_; ++k) {
      int best = k;
      for (int i = k + 1; i < n_; ++i) {
        if (__builtin_fabs(matrix_[(size_t)i * n_ + k]) > __builtin_fabs(matrix_[(size_t)best * n_ + k])) best = i;
      }
      double *pivot = matrix_ + (size_t)k * n_, *other = matrix_ + (size_t)best * n_;
      if (!(__builtin_fabs(other[k]) > 1e-300)) return false;
      if (best != k) {
        for (int c = k; c < n_; ++c) {
          const double kept = pivot[c];
          pivot[c] = other[c], other[c] = kept;
        }
        const double kept = step_[k];
        step_[k] = step_[best], step_[best] = kept;
      }
      const double per = 1.0 / pivot[k];
      for (int i = k + 1; i < n_; ++i) {
        double* row = matrix_ + (size_t)i * n_;
        if (row[k] == 0.0) continue;
        const double part = row[k] * per;
        for (int c = k + 1; c < n_; ++c) row[c] -= part * pivot[c];
        step_[i] -= part * step_[k];
      }
    }
    for (int k = n_ - 1; k >= 0; --k) {
      const double* row = matrix_ + (size_t)k * n_;
      for (int c = k + 1; c < n_; ++c) step_[k] -= row[c] * step_[c];
      step_[k] /= row[k];
      if (!(__builtin_fabs(step_[k]) < 1e200)) return false;
    }
    return true;
  }

  // The part that a point has at the loads that were found.
  void recognise(int i) const {
    ListedPoint& s = point(i);
    const double r = rate(s);
    if (!(s.load.n - r * (s.motion.n - s.required) > 0.0)) {
      s.part = kFreePart, s.load = {0.0, 0.0, 0.0};
      return;
    }
    s.part = s.sliding ? kSlides : kSticks;
    if (s.sliding) return;
    const double y1 = s.load.t1 - r * s.motion.t1, y2 = s.load.t2 - r * s.motion.t2, size = std::sqrt(y1 * y1 + y2 * y2);
    if (!(size > s.friction * s.load.n)) return;
    s.part = kTurns, s.e1 = y1 / size, s.e2 = y2 / size, s.gamma = across(s.motion) / larger<double>(across(s.load), 1e-300);
  }

  Robot<double>& r_;
  const int count_, n_;
  double *G_, *matrix_, *l_, *u_, *residual_, *step_, *trial_, worst_ = 0.0;
  int stalls_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
