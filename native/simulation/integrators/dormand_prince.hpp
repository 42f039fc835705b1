// Runge-Kutta of order 5 with step size control by an embedded formula of order 4 (Dormand and Prince 1980) and a continuous
// extension of order 4 (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.6). One robot at a
// time, because every robot has steps of its own.
#pragma once
#include "simulation/flow.hpp"

namespace tarsus::TARSUS_ISA {

class DormandPrince {
 public:
  static constexpr const char* kName = "dormand-prince";
  static constexpr bool kAdaptive = true, kKnowsForces = false;
  static constexpr int kStages = 16;  // y, the next one, the stage, k1 .. k7, five coefficients of the extension, a sample

  DormandPrince(Robot<double>& r, double relative, double absolute)
      : r_(r), n_(r.state_size()), relative_(relative), absolute_(absolute), y_(r.scratch), next_(y_ + n_), stage_(next_ + n_) {
    for (int s = 0; s < 7; ++s) k_[s] = stage_ + (s + 1) * n_;
    for (int s = 0; s < 5; ++s) c_[s] = stage_ + (s + 8) * n_;
    sample_ = stage_ + 13 * n_;
  }

  // From t to end with steps that start at `step`; calls sample(time, y) at (first + k) spacing, k = 1, 2, ... Returns false
  // where the steps became too small, or give_up() is true; a loop that made them so is left in Workspace::failed_closure.
  template <class Sample, class GiveUp>
  bool run(double t, double end, double& step, double spacing, long first, long samples, Sample sample, GiveUp give_up) {
    gather_state(r_, y_);
    reached_ = t;
    long next_sample = 1;
    flow(r_, static_cast<const double*>(y_), t, k_[0]);
    if (loop_failed(r_)) return false;
    int failed = -1;  // loop that failed in a step since the last one that was taken
    double h = step > 0.0 ? step : 1e-4;
    while (t < end) {
      if (give_up()) return false;
      const double room = end - t;
      const bool last = h >= room * (1 - 1e-12);
      const double used = last ? room : h;
      if (used < 1e-14 * (1.0 + __builtin_fabs(t)) && (!last || failed >= 0)) {
        r_.ws.failed_closure = failed;
        return false;
      }
      const double error = attempt(t, used);
      if (loop_failed(r_)) {  // a shorter step may end before the place where it does
        failed = r_.ws.failed_closure, r_.ws.failed_closure = -1;
        h = 0.5 * used;
        continue;
      }
      const double factor = error > 0.0 ? 0.9 * std::pow(error, -0.2) : 5.0;
      const double change = !(factor > 0.2) ? 0.2 : factor > 5.0 ? 5.0 : factor;
      if (!(error <= 1.0)) {
        h = used * (change < 1.0 ? change : 0.5);
        continue;
      }
      keep_branches(r_);  // the last stage is the end of the step
      extend(used);
      const double reached = last ? end : t + used;
      for (; next_sample <= samples; ++next_sample) {
        const double at = (first + next_sample) * spacing;
        if (at > reached + 1e-12 * (1 + __builtin_fabs(reached))) break;
        interpolate((at - t) / used);
        scatter_state(r_, static_cast<const double*>(sample_));
        sample(at);
        if (loop_failed(r_)) return false;
      }
      t = reached_ = reached, failed = -1;
      double* swap = y_;
      y_ = next_, next_ = swap;
      swap = k_[0], k_[0] = k_[6], k_[6] = swap;
      if (!last || change < 1.0) h = used * change;
      if (last && h < used) h = used;
    }
    step = h;
    scatter_state(r_, static_cast<const double*>(y_));
    return true;
  }

  double reached() const { return reached_; }  // time of the last step that was taken

 private:
  // All seven stages from y_ with step h; the result in next_. Returns the error in units of the tolerance, nothing of value
  // where a loop fails in a stage.
  double attempt(double t, double h) {
    static constexpr double a[7][6] = {{},
                                       {1.0 / 5},
                                       {3.0 / 40, 9.0 / 40},
                                       {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                       {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                       {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                       {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double at[7] = {0.0, 0.2, 0.3, 0.8, 8.0 / 9, 1.0, 1.0};
    static constexpr double e[7] = {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    for (int s = 1; s < 7; ++s) {
      double* to = s == 6 ? next_ : stage_;
      for (size_t i = 0; i < n_; ++i) {
        double sum = 0.0;
        for (int j = 0; j < s; ++j) sum += a[s][j] * k_[j][i];
        to[i] = y_[i] + h * sum;
      }
      flow(r_, static_cast<const double*>(to), t + at[s] * h, k_[s]);
      if (loop_failed(r_)) return 0.0;
    }
    double sum = 0.0;
    for (size_t i = 0; i < n_; ++i) {
      double error = 0.0;
      for (int s = 0; s < 7; ++s) error += e[s] * k_[s][i];
      const double size = __builtin_fabs(y_[i]) > __builtin_fabs(next_[i]) ? __builtin_fabs(y_[i]) : __builtin_fabs(next_[i]);
      const double scaled = h * error / (absolute_ + relative_ * size);
      sum += scaled * scaled;
    }
    return std::sqrt(sum / static_cast<double>(n_));
  }

  void extend(double h) {
    static constexpr double d[7] = {-12715105075.0 / 11282082432,  0.0,
                                    87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                    701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                    69997945.0 / 29380423};
    for (size_t i = 0; i < n_; ++i) {
      const double difference = next_[i] - y_[i], bend = h * k_[0][i] - difference;
      double sum = 0.0;
      for (int s = 0; s < 7; ++s) sum += d[s] * k_[s][i];
      c_[0][i] = y_[i], c_[1][i] = difference, c_[2][i] = bend, c_[3][i] = difference - h * k_[6][i] - bend, c_[4][i] = h * sum;
    }
  }

  void interpolate(double x) {
    for (size_t i = 0; i < n_; ++i) {
      sample_[i] = c_[0][i] + x * (c_[1][i] + (1 - x) * (c_[2][i] + x * (c_[3][i] + (1 - x) * c_[4][i])));
    }
  }

  Robot<double>& r_;
  size_t n_;
  double relative_, absolute_, reached_ = 0.0;
  double *y_, *next_, *stage_, *k_[7], *c_[5], *sample_;
};

}  // namespace tarsus::TARSUS_ISA
