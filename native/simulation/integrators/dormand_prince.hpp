// Runge-Kutta of order 5 with step size control by an embedded formula of order 4 (Dormand and Prince 1980) and a continuous
// extension of order 4 (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.6). One robot at a
// time, because every robot has steps of its own.
#pragma once
#include "simulation/constraints/projection.hpp"
#include "simulation/flow.hpp"
#include "simulation/integrators/dormand_prince_stages.hpp"

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
      Stages::extend(n_, y_, next_, used, k_, c_);
      const double reached = last ? end : t + used;
      for (; next_sample <= samples; ++next_sample) {
        const double at = (first + next_sample) * spacing;
        if (at > reached + 1e-12 * (1 + __builtin_fabs(reached))) break;
        Stages::interpolate(n_, c_, (at - t) / used, sample_);
        scatter_state(r_, static_cast<const double*>(sample_));
        close_state(r_, at);
        sample(at);
        if (loop_failed(r_) || r_.constraints.open_row >= 0) return false;
      }
      t = reached_ = reached, failed = -1;
      double* swap = y_;
      y_ = next_, next_ = swap;
      swap = k_[0], k_[0] = k_[6], k_[6] = swap;
      if (r_.constraints.any()) {  // the next step starts from a closed state
        scatter_state(r_, static_cast<const double*>(y_));
        close_state(r_, t);
        if (r_.constraints.open_row >= 0) return false;
        gather_state(r_, y_);
        flow(r_, static_cast<const double*>(y_), t, k_[0]);
      }
      if (!last || change < 1.0) h = used * change;
      if (last && h < used) h = used;
    }
    step = h;
    scatter_state(r_, static_cast<const double*>(y_));
    return true;
  }

  double reached() const { return reached_; }  // time of the last step that was taken

 private:
  using Stages = DormandPrinceStages;

  // All seven stages from y_ with step h; the result in next_. Returns the error in units of the tolerance, nothing of value
  // where a loop fails in a stage.
  double attempt(double t, double h) {
    const bool done = Stages::attempt(n_, y_, t, h, k_, stage_, next_, [&](const double* y, double at, double* k) {
      flow(r_, y, at, k);
      return !loop_failed(r_);
    });
    if (!done) return 0.0;
    double sum = 0.0;
    for (size_t i = 0; i < n_; ++i) {
      const double size = __builtin_fabs(y_[i]) > __builtin_fabs(next_[i]) ? __builtin_fabs(y_[i]) : __builtin_fabs(next_[i]);
      const double scaled = Stages::error(k_, h, i) / (absolute_ + relative_ * size);
      sum += scaled * scaled;
    }
    const size_t idle = r_.constraints.any() ? 0 : 1;  // work of constraints: no part of the mean where there are none
    return std::sqrt(sum / static_cast<double>(n_ - idle));
  }

  Robot<double>& r_;
  size_t n_;
  double relative_, absolute_, reached_ = 0.0;
  double *y_, *next_, *stage_, *k_[7], *c_[5], *sample_;
};

}  // namespace tarsus::TARSUS_ISA
