// Levenberg-Marquardt for one target: the method of src/tarsus/ik/position/levenberg_marquardt.py, step by step, which is also
// what tests compare with. Starts that fail are followed by others, those with the least error first.
#pragma once
#include <cmath>
#include <cstring>

#include "ik/independent_task_rows.hpp"
#include "ik/position_run.hpp"
#include "kernels/factorisation/cholesky.hpp"

namespace tarsus::TARSUS_ISA {

// Damping as a share of |e|^2: the first, the smallest, and that beyond which there is no way down; its factors after success
// and failure; and what keeps equations regular where the error is gone.
constexpr double kFirstDamping = 1e-2, kLeastDamping = 1e-9, kMostDamping = 1e6, kEasier = 0.25, kHarder = 4.0, kFloor = 1e-14;
// Relative fall of the error in a step below which it is flat, and such steps in a row that end a start.
constexpr double kFlat = 1e-12;
constexpr int kFlatSteps = 8;
constexpr double kWorst = 1e300;  // of starts whose loops do not close

// x, or the bound that it is beyond. (Functions of the standard library would be one for all instruction sets.)
static inline double within(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

class PositionSolver {
 public:
  // Entries of memory beside the workspace.
  static size_t memory(const PositionRun& run) {
    const size_t rows = run.tasks->rows, nv = run.model->nv, nq = run.model->nq, k = run.postures;
    const size_t square = rows < nv ? rows : nv;
    return rows * (run.model->tree_nv + nv + 6) + square * square + 3 * nv + 3 * nq + k + 64;
  }

  PositionSolver(const PositionRun& run, Workspace<double>& ws, double* memory)
      : run_(run), m_(*run.model), t_(*run.tasks), ws_(ws) {
    const size_t rows = t_.rows, square = t_.rows < m_.nv ? t_.rows : m_.nv;
    auto take = [&](double*& array, size_t count) { array = memory, memory += count; };
    take(tree_, rows * m_.tree_nv), take(J_, rows * m_.nv), take(e_, rows), take(there_e_, rows), take(y_, rows + m_.nv);
    take(plain_, rows), take(B_, square * square), take(way_, m_.nv), take(free_, m_.nv);
    take(q_, m_.nq), take(there_, m_.nq), take(best_, m_.nq), take(score_, run.postures);
  }

  // All starts of member i of the batch, until one succeeds.
  void solve(long i) {
    target_ = run_.target + i * t_.targets;
    const double* q0 = run_.q0 + i * m_.nq;
    residual_ = HUGE_VAL, run_.status[i] = kPositionExhausted, run_.iterations[i] = 0;
    std::memcpy(best_, q0, m_.nq * sizeof(double));
    int tried = 0;
    for (; tried < run_.starts && run_.status[i] != kPositionSolved; ++tried) {
      if (tried > run_.postures) break;
      if (tried == 1) score_postures(q0);
      begin(tried == 0 ? nullptr : next_posture(), q0);
      descend(i);
    }
    run_.tried[i] = tried, run_.residual[i] = residual_;
    std::memcpy(run_.q + i * m_.nq, best_, m_.nq * sizeof(double));
  }

 private:
  const PositionRun& run_;
  const Model& m_;
  const TaskTable& t_;
  Workspace<double>& ws_;
  const double* target_ = nullptr;
  double residual_ = HUGE_VAL;  // of best_
  double *tree_, *J_, *e_, *there_e_, *y_, *plain_, *B_, *way_, *free_, *q_, *there_, *best_, *score_;

  // A start: q0, or a posture with what q0 keeps; inside the limits.
  void begin(const double* posture, const double* q0) {
    std::memcpy(q_, posture ? posture : q0, m_.nq * sizeof(double));
    for (int k = 0; posture && k < run_.kept; ++k) q_[run_.kept_q[k]] = q0[run_.kept_q[k]];
    clip(q_);
  }

  void clip(double* q) const {
    for (int k = 0; k < run_.bounds; ++k) {
      double& x = q[run_.bound_q[k]];
      x = within(x, run_.lower[k], run_.upper[k]);
    }
  }

  // Errors that the postures start with.
  void score_postures(const double* q0) {
    for (int k = 0; k < run_.postures; ++k) {
      begin(run_.posture + (size_t)k * m_.nq, q0);
      score_[k] = errors(q_, e_, false) ? square(e_) : kWorst;
    }
  }

  // The posture with the least of them, once each.
  const double* next_posture() {
    int k = 0;
    for (int i = 1; i < run_.postures; ++i) k = score_[i] < score_[k] ? i : k;
    score_[k] = HUGE_VAL;
    return run_.posture + (size_t)k * m_.nq;
  }

  double square(const double* e) const {
    double sum = 0.0;
    for (int r = 0; r < t_.rows; ++r) sum += e[r] * e[r];
    return 0.5 * sum;
  }

  // Weighted errors at q, plain ones in plain_, and the weighted Jacobian where asked for; false where a loop does not close.
  bool errors(const double* q, double* e, bool jacobian) {
    if (!independent_task_rows(m_, t_, ws_, q, target_, tree_, plain_, jacobian ? J_ : static_cast<double*>(nullptr)))
      return false;
    for (int r = 0; r < t_.rows; ++r) e[r] = t_.row[r].weight * plain_[r];
    return true;
  }

  double largest() const {
    double most = 0.0;
    for (int r = 0; r < t_.rows; ++r) {  // what has no weight is not asked for
      if (t_.row[r].weight > 0.0 && std::fabs(plain_[r]) > most) most = std::fabs(plain_[r]);
    }
    return most;
  }

  // Whether a freedom is at a limit that the way would leave, for all that have limits.
  bool leaves(int k, const double* way) const {
    const double x = q_[run_.bound_q[k]], u = way[run_.bound_v[k]];
    return (x <= run_.lower[k] && u < 0.0) || (x >= run_.upper[k] && u > 0.0);
  }

  // (J J^T + damping) y = e, way = J^T y, or (J^T J + damping) way = J^T e where that is smaller; columns that are not free count
  // as zero.
  void damped_step(double damping) {
    const int rows = t_.rows, nv = m_.nv;
    if (rows <= nv) {
      for (int r = 0; r < rows; ++r) {
        for (int s = 0; s <= r; ++s) {
          const double *a = J_ + (size_t)r * nv, *b = J_ + (size_t)s * nv;
          double sum = r == s ? damping : 0.0;
          for (int k = 0; k < nv; ++k) sum += free_[k] * a[k] * b[k];
          B_[(size_t)r * rows + s] = sum;
        }
        y_[r] = e_[r];
      }
      cholesky_solve(rows, B_, y_);
      for (int k = 0; k < nv; ++k) way_[k] = 0.0;
      for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < nv; ++k) way_[k] += free_[k] * J_[(size_t)r * nv + k] * y_[r];
      }
      return;
    }
    for (int k = 0; k < nv; ++k) {
      for (int l = 0; l <= k; ++l) B_[(size_t)k * nv + l] = k == l ? damping : 0.0;
      way_[k] = 0.0;
    }
    for (int r = 0; r < rows; ++r) {
      const double* a = J_ + (size_t)r * nv;
      for (int k = 0; k < nv; ++k) {
        const double x = free_[k] * a[k];
        way_[k] += x * e_[r];
        for (int l = 0; l <= k; ++l) B_[(size_t)k * nv + l] += x * free_[l] * a[l];
      }
    }
    cholesky_solve(nv, B_, way_);
  }

  // The damped step, solved again without joints that it would drive out of their limits. free_ is 0 for those, else 1.
  void find_way(double damping) {
    for (int k = 0; k < m_.nv; ++k) free_[k] = 1.0;
    for (int pass = 0; pass < 2; ++pass) {
      damped_step(damping);
      bool more = false;
      for (int k = 0; k < run_.bounds; ++k) {
        if (!leaves(k, way_)) continue;
        free_[run_.bound_v[k]] = 0.0, more = true;
      }
      if (!more) break;
    }
    for (int k = 0; k < m_.nv; ++k) way_[k] *= free_[k];
  }

  void move(const double* q, const double* way, double* to) {
    Context<double> x{m_, ws_, q, way, nullptr, nullptr, to};
    integrate(x);
    clip(to);
  }

  // Keeps what is better than what other starts found.
  void note(long i, int status, int iteration, double residual) {
    if (!(residual < residual_)) return;
    residual_ = residual, run_.status[i] = status, run_.iterations[i] = iteration;
    std::memcpy(best_, q_, m_.nq * sizeof(double));
  }

  // Whether a limit keeps the error from falling at q_, where J_ and e_ are.
  bool limited() {
    for (int k = 0; k < m_.nv; ++k) way_[k] = 0.0;
    for (int r = 0; r < t_.rows; ++r) {
      for (int k = 0; k < m_.nv; ++k) way_[k] += J_[(size_t)r * m_.nv + k] * e_[r];
    }
    for (int k = 0; k < run_.bounds; ++k) {
      if (leaves(k, way_)) return true;
    }
    return false;
  }

  // From one start to where the error vanishes or the way down ends.
  void descend(long i) {
    double factor = kFirstDamping;
    int flat = 0;
    if (!errors(q_, e_, true)) return;
    double now = square(e_), residual = largest();
    for (int iteration = 0;; ++iteration) {
      if (residual <= run_.tolerance) return note(i, kPositionSolved, iteration, residual);
      if (iteration == run_.max_iterations) return note(i, kPositionExhausted, iteration, residual);
      find_way(2.0 * now * factor + kFloor);
      move(q_, way_, there_);
      const bool closed = errors(there_, there_e_, false);
      const double next = closed ? square(there_e_) : HUGE_VAL;
      const bool good = next < now;
      flat = !good || next > (1.0 - kFlat) * now ? flat + 1 : 0;
      factor = within(factor * (good ? kEasier : kHarder), kLeastDamping, 2.0 * kMostDamping);
      if (good) {
        residual = largest(), now = next;
        double* const last = q_;
        q_ = there_, there_ = last;
        errors(q_, e_, true);
      }
      if (factor > kMostDamping || (flat >= kFlatSteps && residual > run_.tolerance)) {
        return note(i, limited() ? kPositionLimited : kPositionStuck, iteration + 1, residual);
      }
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
