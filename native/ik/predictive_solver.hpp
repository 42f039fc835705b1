// Conjugate gradients for optimal control (Lasdon et al. 1967), Buschmann 2014 algorithm 11, with what the text leaves open: the
// step is constant or found by backtracking, bounded inputs are projected, and no result is worse than what came before.
#pragma once
#include "ik/horizon.hpp"

namespace tarsus::TARSUS_ISA {

// Share of the expected decrease that a step must bring; by how much it is shortened and lengthened at most by interpolation.
constexpr double kArmijo = 1e-4, kShortest = 0.1, kLongest = 10.0;
constexpr int kMostCuts = 40;
// Part of -|g|^2 by which a direction must descend at least, else it is replaced by -g.
constexpr double kDescent = 0.1;
// Of the cost: what is lost in it for certain, and what may be, after sums over a horizon.
constexpr double kRounding = 1e-15, kUnseen = 1e-12;
constexpr double kFirstStep = 0.1;  // times the inverse of the weight of velocities

class PredictiveSolver {
 public:
  static size_t memory(const PredictiveRun& run) {
    const size_t nv = run.model->nv;
    return Horizon::memory(run) + 3 * Trajectory::memory(run) + (3 * (size_t)run.steps + 1) * nv + 3 * nv;
  }

  PredictiveSolver(PredictiveRun& run, Workspace<double>& ws, double* memory, char* packs)
      : run_(run), m_(*run.model), count_((size_t)run.steps * run.model->nv), horizon_(run, ws, memory, packs) {
    memory += Horizon::memory(run);
    for (Trajectory& x : memory_) memory = x.lay_out(run, memory);
    auto take = [&](double*& array, size_t count) { array = memory, memory += count; };
    take(lambda_, count_ + m_.nv), take(g_, count_), take(s_, count_), take(g0_, m_.nv), take(s0_, m_.nv), take(x0_, m_.nv);
    now_ = memory_, next_ = memory_ + 1, spare_ = memory_ + 2;
  }

  void solve() {
    begin();
    if (!(now_->cost < HUGE_VAL)) {
      run_.status = kPredictiveFailed;
      return;
    }
    run_.failed_step = -1;
    if (!run_.local) {
      descend();
      gradient();
    }
    write();
  }

 private:
  PredictiveRun& run_;
  const Model& m_;
  const size_t count_;
  Horizon horizon_;
  Trajectory memory_[3], *now_, *next_, *spare_;
  double *lambda_, *g_, *s_;  // of now_: adjoint, gradient (projected at bounds), direction
  double *g0_, *s0_, *x0_;    // the same of the start, and a change of it
  bool conjugate_ = false;    // the direction has a part of the one before

  void begin() {
    run_.failed_step = -1, run_.iterations = run_.evaluations = 0, run_.status = kPredictiveExhausted;
    std::memcpy(now_->start, run_.q0, m_.nq * sizeof(double));
    for (size_t i = 0; i < count_; ++i) now_->input[i] = bounded(i, run_.local ? 0.0 : run_.input[i]);
    for (int k = 0; k < m_.nv; ++k) s0_[k] = g0_[k] = 0.0;
    horizon_.forward(*now_);
    run_.history[0] = now_->cost;
  }

  double bounded(size_t i, double x) const {
    if (!run_.most) return x;
    const double most = run_.most[i % m_.nv];
    return x > most ? most : x < -most ? -most : x;
  }

  // Whether an input is at a bound that `way` would leave.
  bool leaves(size_t i, double way) const {
    if (!run_.most) return false;
    const double most = run_.most[i % m_.nv], x = now_->input[i];
    return (x >= most && way > 0.0) || (x <= -most && way < 0.0);
  }

  // Scale between changes of the start and of inputs: a start moves as by an input over a tenth of the horizon.
  double start_scale() const { return 10.0 / (run_.steps * run_.dt); }

  void gradient() {
    horizon_.backward(*now_, lambda_, g_);
    if (run_.free_start) horizon_.project_at_start(*now_, lambda_, g0_);
  }

  // <g, x> over the horizon and the start; g without entries that bounds hold.
  double product(const double* a, const double* b, const double* a0, const double* b0) const {
    double sum = 0.0, start = 0.0;
    for (size_t i = 0; i < count_; ++i) sum += a[i] * b[i];
    for (int k = 0; k < m_.nv && run_.free_start; ++k) start += a0[k] * b0[k];
    return run_.dt * sum + start;
  }
  double free_square() const {
    double sum = 0.0, start = 0.0;
    for (size_t i = 0; i < count_; ++i) sum += leaves(i, -g_[i]) ? 0.0 : g_[i] * g_[i];
    for (int k = 0; k < m_.nv && run_.free_start; ++k) start += g0_[k] * g0_[k];
    return run_.dt * sum + start_scale() * start;
  }

  void face_downhill() {
    conjugate_ = false;
    for (size_t i = 0; i < count_; ++i) s_[i] = leaves(i, -g_[i]) ? 0.0 : -g_[i];
    for (int k = 0; k < m_.nv; ++k) s0_[k] = -start_scale() * g0_[k];
  }

  // -g + beta s, Fletcher-Reeves, or -g where that would not descend. Returns the slope of the cost along it.
  double choose_direction(double square, double before) {
    const bool again = run_.steepest || before <= 0.0;
    const double beta = again ? 0.0 : square / before;
    if (again) face_downhill();
    for (size_t i = 0; i < count_ && !again; ++i) {
      s_[i] = beta * s_[i] - g_[i];
      if (leaves(i, s_[i])) s_[i] = 0.0;
    }
    conjugate_ = !again;
    if (!again && run_.free_start) {
      horizon_.project_at_start(*now_, s0_, x0_);  // what is left of it in the tangent space of the new start
      for (int k = 0; k < m_.nv; ++k) s0_[k] = beta * x0_[k] - start_scale() * g0_[k];
    }
    double slope = product(g_, s_, g0_, s0_);
    if (!(slope <= -kDescent * square)) {
      face_downhill();
      slope = product(g_, s_, g0_, s0_);
    }
    return slope;
  }

  // The motion a step along the direction into next_. Returns <g, change of the input>, which bounds may have shortened.
  double try_step(double step) {
    double expected = 0.0;
    for (size_t i = 0; i < count_; ++i) {
      next_->input[i] = bounded(i, now_->input[i] + step * s_[i]);
      expected += g_[i] * (next_->input[i] - now_->input[i]);
    }
    expected *= run_.dt;
    std::memcpy(next_->start, now_->start, m_.nq * sizeof(double));
    if (run_.free_start) {
      for (int k = 0; k < m_.nv; ++k) x0_[k] = step * s0_[k], expected += g0_[k] * x0_[k];
      if (!horizon_.retract(now_->start, x0_, next_->start)) {
        next_->cost = HUGE_VAL;
        return expected;
      }
    }
    horizon_.forward(*next_);
    return expected;
  }

  // Minimum of the parabola through the cost, its slope, and the cost of a step; within factors of that step.
  double interpolated(double step, double expected) const {
    const double rise = next_->cost - now_->cost - expected;  // what is above the tangent
    if (!(rise < HUGE_VAL)) return kShortest * step;
    const double best = rise > 0.0 ? -0.5 * expected / rise : kLongest;
    return step * (best < kShortest ? kShortest : best > kLongest ? kLongest : best);
  }

  // A step that brings less cost into next_; false where there is none.
  bool search(double slope) {
    if (run_.step > 0.0) {
      try_step(run_.step);
      return next_->cost < now_->cost;
    }
    if (!(slope < 0.0)) return false;
    double& length = *run_.length;
    if (!(length > 0.0)) length = kFirstStep / (run_.weight[kVelocityCost] > 0.0 ? run_.weight[kVelocityCost] : 1.0);
    double step = length;
    for (int cut = 0; cut < kMostCuts; ++cut) {
      const double expected = try_step(step);
      if (-expected <= kRounding * std::fabs(now_->cost)) return false;
      if (next_->cost <= now_->cost + kArmijo * expected && next_->cost < now_->cost) {
        refine(step, expected);
        return true;
      }
      const double shorter = interpolated(step, expected);
      step = shorter < 0.5 * step ? shorter : 0.5 * step;
    }
    return false;
  }

  // Another try at the minimum of the parabola, where that is somewhere else; the better of both is in next_.
  void refine(double step, double expected) {
    const double best = interpolated(step, expected);
    *run_.length = step;
    if (std::fabs(best - step) < 0.1 * step) return;
    exchange(next_, spare_);
    try_step(best);
    if (next_->cost < spare_->cost) {
      *run_.length = best;
    } else {
      exchange(next_, spare_);
    }
  }

  // Whether a step of the usual length would bring no more than what ends the search, or what rounding of the cost hides.
  bool is_flat(double slope) const {
    const double length = run_.step > 0.0 ? run_.step : *run_.length;
    const double least = run_.tolerance > kUnseen ? run_.tolerance : kUnseen;
    return -slope * length <= least * std::fabs(now_->cost);
  }

  static void exchange(Trajectory*& a, Trajectory*& b) {
    Trajectory* const c = a;
    a = b, b = c;
  }

  bool stops() const { return run_.interrupted && run_.interrupted(run_.caller); }

  void descend() {
    double before = 0.0;
    while (run_.iterations < run_.max_iterations) {
      gradient();
      const double square = free_square();
      if (!(square > 0.0)) return end(kPredictiveConverged);
      const double slope = choose_direction(square, before);
      if (!search(slope)) {
        if (!conjugate_ || run_.step > 0.0) return end(is_flat(slope) ? kPredictiveConverged : kPredictiveStuck);
        before = 0.0;  // once more, along the gradient
        continue;
      }
      exchange(now_, next_);
      run_.history[++run_.iterations] = now_->cost;
      const bool flat = std::fabs(next_->cost - now_->cost) <= run_.tolerance * std::fabs(next_->cost);
      if (flat && !conjugate_) return end(kPredictiveConverged);
      before = flat ? 0.0 : square;  // the gradient itself has the last word
      if (stops()) return end(kPredictiveInterrupted);
    }
  }

  void end(int status) { run_.status = status; }

  void write() {
    const size_t steps = run_.steps, nv = m_.nv, nq = m_.nq;
    const auto copy = [](double* to, const double* from, size_t count) { std::memcpy(to, from, count * sizeof(double)); };
    copy(run_.input, now_->input, count_), copy(run_.q, now_->q, (steps + 1) * nq), copy(run_.v, now_->f, count_);
    copy(run_.u, now_->u, count_), copy(run_.error, now_->error, steps + 1), copy(run_.damped, now_->damping, steps);
    for (int k = 0; k < kCostParts; ++k) run_.parts[k] = now_->parts[k];
    if (run_.local) return;
    copy(run_.adjoint, lambda_, count_ + nv), copy(run_.gradient, g_, count_);
  }
};

}  // namespace tarsus::TARSUS_ISA
