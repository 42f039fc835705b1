// Levenberg-Marquardt for many targets, one in each lane: the method of src/tarsus/ik/position/levenberg_marquardt.py, step by
// step, which is also what tests compare with. A lane that is done takes the next start of its target, those with the least error
// first, or the next target; no lane depends on its neighbours.
#pragma once
#include <cmath>
#include <cstring>

#include "ik/damped_step.hpp"
#include "ik/independent_task_rows.hpp"
#include "ik/position_run.hpp"

namespace tarsus::TARSUS_ISA {

// Damping as a share of |e|^2: the first, the smallest, and that beyond which there is no way down; its factors after success
// and failure; and what keeps equations regular where the error is gone.
constexpr double kFirstDamping = 1e-2, kLeastDamping = 1e-9, kMostDamping = 1e6, kEasier = 0.25, kHarder = 4.0, kFloor = 1e-14;
// Relative fall of the error in a step below which it is flat, and such steps in a row that end a start.
constexpr double kFlat = 1e-12, kFlatSteps = 8.0;
constexpr double kWorst = 1e300;     // of starts whose loops do not close, and of errors that are beyond all measure
constexpr int kRoundsUnasked = 256;  // between looks for what ends the run

template <class T>
class PositionSolver {
  using Mask = typename Bits<T>::type;

 public:
  // Entries of memory beside the workspace.
  static size_t memory(const PositionRun& run) {
    const size_t rows = run.tasks->rows, nv = run.model->nv, nq = run.model->nq, postures = run.postures;
    const size_t square = rows < nv ? rows : nv;
    return rows * (run.model->tree_nv + 2 * nv + 3) + square * square + 3 * nv + 2 * nq + 2 * run.tasks->targets + postures;
  }

  PositionSolver(const PositionRun& run, Workspace<T>& ws, T* memory) : run_(run), m_(*run.model), t_(*run.tasks), ws_(ws) {
    const size_t rows = t_.rows, square = t_.rows < m_.nv ? t_.rows : m_.nv;
    zero_fill(memory, PositionSolver::memory(run));  // lanes without a target compute with these
    auto take = [&](T*& array, size_t count) { array = memory, memory += count; };
    take(tree_, rows * m_.tree_nv), take(J_, rows * m_.nv), take(there_J_, rows * m_.nv);
    take(e_, rows), take(there_e_, rows), take(y_, rows), take(B_, square * square);
    take(way_, m_.nv), take(free_, m_.nv), take(q_, m_.nq), take(there_, m_.nq);
    take(target_, t_.targets), take(one_target_, t_.targets), take(score_, run.postures);
  }

  // All targets of the part, unless the run is ended.
  void solve() {
    next_ = run_.begin;
    if (next_ >= run_.end) return;
    for (int l = 0; l < lanes<T>; ++l) {
      copy_in(run_.q0 + next_ * m_.nq, m_.nq, l, q_), copy_in(run_.target + next_ * t_.targets, t_.targets, l, target_);
    }
    for (int l = 0; l < lanes<T>; ++l) take_target(l);
    for (int round = 0; busy_ > 0; ++round) {
      if (round % kRoundsUnasked == 0 && run_.interrupted && run_.interrupted(run_.caller)) return;
      take_step();
      accept_step();
    }
  }

 private:
  const PositionRun& run_;
  const Model& m_;
  const TaskTable& t_;
  Workspace<T>& ws_;
  // Configuration, weighted errors and Jacobian where the lanes are, and where their steps lead.
  T *q_, *e_, *J_, *there_, *there_e_, *there_J_;
  T *way_, *free_;  // step, and 0 for freedoms that are held at their limits, else 1
  T *target_, *one_target_, *tree_, *y_, *B_;
  T* score_;  // postures: errors that the target of each lane has there
  // Of the lanes: half the square of the error (infinite before the first evaluation), largest error, factor of damping, steps
  // taken and flat ones in a row.
  T now_ = broadcast<T>(HUGE_VAL), residual_{}, factor_{}, iteration_{}, flat_{};
  long member_[lanes<T>];  // whose target it is; -1 for none
  int start_[lanes<T>];    // number of its start
  int busy_ = 0;           // lanes with a target
  long next_ = 0;          // target to be taken

  static void copy_in(const double* from, int count, int l, T* to) {
    for (int k = 0; k < count; ++k) set_lane(to[k], l, from[k]);
  }

  // The next target into a lane, if there is one.
  void take_target(int l) {
    member_[l] = -1;
    if (next_ >= run_.end) return;
    const long i = member_[l] = next_++;
    copy_in(run_.target + i * t_.targets, t_.targets, l, target_);
    if (run_.first == 0) {
      run_.residual[i] = HUGE_VAL, run_.status[i] = kPositionExhausted, run_.iterations[i] = 0, run_.worst[i] = 0;
      std::memcpy(run_.q + i * m_.nq, run_.q0 + i * m_.nq, m_.nq * sizeof(double));
    } else {
      score_postures(l);
    }
    ++busy_;
    begin(l, run_.first);
  }

  // A start: q0, or the posture with the least error that has not been tried. Its evaluation counts as a step that leads down.
  void begin(int l, int start) {
    const double* q0 = run_.q0 + member_[l] * m_.nq;
    start_[l] = start;
    if (start == 0) {
      copy_in(q0, m_.nq, l, q_);
    } else {
      take_posture(best_posture(l), q0, l, q_);
    }
    for (int k = 0; k < run_.bounds; ++k) {
      T& x = q_[run_.bound_q[k]];
      set_lane(x, l, within(lane(x, l), run_.lower[k], run_.upper[k]));
    }
    set_lane(now_, l, HUGE_VAL), set_lane(residual_, l, HUGE_VAL), set_lane(factor_, l, kFirstDamping / kEasier);
    set_lane(iteration_, l, -1.0), set_lane(flat_, l, 0.0);
  }

  static double within(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

  // A posture with what q0 keeps.
  void take_posture(int posture, const double* q0, int l, T* q) const {
    copy_in(run_.posture + (size_t)posture * m_.nq, m_.nq, l, q);
    for (int k = 0; k < run_.kept; ++k) set_lane(q[run_.kept_q[k]], l, q0[run_.kept_q[k]]);
  }

  // Errors that a lane's target has at the postures, several of them at once.
  void score_postures(int l) {
    for (int k = 0; k < t_.targets; ++k) one_target_[k] = broadcast<T>(lane(target_[k], l));
    for (int first = 0; first < run_.postures; first += lanes<T>) {
      for (int j = 0; j < lanes<T>; ++j) {
        const int posture = first + j < run_.postures ? first + j : run_.postures - 1;
        take_posture(posture, run_.q0 + member_[l] * m_.nq, j, there_);
      }
      clip(there_);
      independent_task_rows(m_, t_, ws_, there_, one_target_, tree_, there_e_, static_cast<T*>(nullptr));
      for (int r = 0; r < t_.rows; ++r) there_e_[r] = t_.row[r].weight * there_e_[r];
      const T sum = half_square(there_e_);
      for (int j = 0; j < lanes<T> && first + j < run_.postures; ++j) {
        set_lane(score_[first + j], l, ws_.failing >> j & 1 ? kWorst : lane(sum, j));
      }
    }
  }

  // The posture with the least of them, once each.
  int best_posture(int l) {
    int best = 0;
    for (int k = 1; k < run_.postures; ++k) best = lane(score_[k], l) < lane(score_[best], l) ? k : best;
    set_lane(score_[best], l, HUGE_VAL);
    return best;
  }

  void clip(T* q) const {
    for (int k = 0; k < run_.bounds; ++k) {
      T& x = q[run_.bound_q[k]];
      x = smaller<T>(larger<T>(x, broadcast<T>(run_.lower[k])), broadcast<T>(run_.upper[k]));
    }
  }

  T half_square(const T* e) const {
    T sum = broadcast<T>(0.0);
    for (int r = 0; r < t_.rows; ++r) sum = sum + e[r] * e[r];
    return 0.5 * sum;
  }

  // Holds freedoms that are at a limit which the way would leave; false where there are none.
  bool hold() {
    const T zero = broadcast<T>(0.0);
    Mask held{};
    for (int k = 0; k < run_.bounds; ++k) {
      const T x = q_[run_.bound_q[k]], u = way_[run_.bound_v[k]];
      const Mask below = ~less<T>(broadcast<T>(run_.lower[k]), x) & less<T>(u, zero);
      const Mask above = ~less<T>(x, broadcast<T>(run_.upper[k])) & less<T>(zero, u);
      T& free = free_[run_.bound_v[k]];
      free = select<T>(below | above, zero, free);
      held |= below | above;
    }
    return any<T>(held);
  }

  // Damped steps, solved again without joints that they would drive out of their limits, to `there_`. Lanes that have not been
  // evaluated stay.
  void take_step() {
    const int rows = t_.rows, nv = m_.nv;
    const Mask placed = less<T>(now_, broadcast<T>(HUGE_VAL));
    const T damping = select<T>(placed, 2.0 * now_ * factor_, broadcast<T>(1.0)) + kFloor;
    for (int k = 0; k < nv; ++k) free_[k] = broadcast<T>(1.0);
    damped_step(rows, nv, static_cast<const T*>(J_), static_cast<const T*>(e_), damping, B_, y_, way_);
    if (hold()) {
      for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < nv; ++k) there_J_[(size_t)r * nv + k] = free_[k] * J_[(size_t)r * nv + k];
      }
      damped_step(rows, nv, static_cast<const T*>(there_J_), static_cast<const T*>(e_), damping, B_, y_, way_);
      hold();
    }
    for (int k = 0; k < nv; ++k) way_[k] = free_[k] * way_[k];
    Context<T> x{m_, ws_, q_, way_, nullptr, nullptr, there_};
    integrate(x);
    clip(there_);
    for (int k = 0; k < m_.nq; ++k) there_[k] = select<T>(placed, there_[k], q_[k]);
  }

  // Evaluates the steps; those that lead down are taken, damping is adapted, and starts that have ended are followed by others.
  void accept_step() {
    independent_task_rows(m_, t_, ws_, there_, target_, tree_, there_e_, there_J_);
    T largest = broadcast<T>(0.0);
    for (int r = 0; r < t_.rows; ++r) {  // what has no weight is not asked for
      if (t_.row[r].weight > 0.0) largest = larger<T>(largest, magnitude<T>(there_e_[r]));
      there_e_[r] = t_.row[r].weight * there_e_[r];
    }
    T next = smaller<T>(half_square(there_e_), broadcast<T>(kWorst));  // also of errors whose squares overflow
    for (int l = 0; ws_.failing && l < lanes<T>; ++l) {
      if (ws_.failing >> l & 1) set_lane(next, l, HUGE_VAL);
    }
    const Mask good = less<T>(next, now_), steep = ~less<T>((1.0 - kFlat) * now_, next) & good;
    flat_ = select<T>(steep, broadcast<T>(0.0), flat_ + 1.0);
    factor_ = factor_ * select<T>(good, broadcast<T>(kEasier), broadcast<T>(kHarder));
    factor_ = smaller<T>(larger<T>(factor_, broadcast<T>(kLeastDamping)), broadcast<T>(2.0 * kMostDamping));
    iteration_ = iteration_ + 1.0;
    now_ = select<T>(good, next, now_), residual_ = select<T>(good, largest, residual_);
    if (any<T>(~good)) {
      for (int k = 0; k < m_.nq; ++k) q_[k] = select<T>(good, there_[k], q_[k]);
      for (int r = 0; r < t_.rows; ++r) e_[r] = select<T>(good, there_e_[r], e_[r]);
      for (size_t k = 0; k < (size_t)t_.rows * m_.nv; ++k) J_[k] = select<T>(good, there_J_[k], J_[k]);
    } else {
      exchange(q_, there_), exchange(e_, there_e_), exchange(J_, there_J_);
    }
    end_starts();
  }

  void end_starts() {
    const T tolerance = broadcast<T>(run_.tolerance);
    const Mask solved = ~less<T>(tolerance, residual_), open = ~less<T>(now_, broadcast<T>(HUGE_VAL));
    const Mask stuck = less<T>(broadcast<T>(kMostDamping), factor_) | ~less<T>(flat_, broadcast<T>(kFlatSteps));
    const Mask exhausted = ~less<T>(iteration_, broadcast<T>(run_.max_iterations));
    if (!any<T>(solved | open | stuck | exhausted)) return;
    for (int l = 0; l < lanes<T>; ++l) {
      if (member_[l] >= 0) end_start(l);
    }
  }

  // Looks whether the start of a lane has ended.
  void end_start(int l) {
    const bool open = !(lane(now_, l) < HUGE_VAL), solved = lane(residual_, l) <= run_.tolerance;
    const bool stuck = lane(factor_, l) > kMostDamping || lane(flat_, l) >= kFlatSteps;
    if (solved) {
      note(l, kPositionSolved);
    } else if (stuck && !open) {
      note(l, limited(l) ? kPositionLimited : kPositionStuck);
    } else if (lane(iteration_, l) >= run_.max_iterations) {
      note(l, kPositionExhausted);
    } else if (!open) {
      return;
    }
    run_.tried[member_[l]] = start_[l] + 1;
    if (solved || start_[l] + 1 >= run_.starts || start_[l] >= run_.postures) {
      --busy_;
      take_target(l);
    } else {
      if (start_[l] == 0) score_postures(l);
      begin(l, start_[l] + 1);
    }
  }

  // Whether a limit keeps the error of a lane from falling.
  bool limited(int l) const {
    for (int k = 0; k < run_.bounds; ++k) {
      const double x = lane(q_[run_.bound_q[k]], l);
      double u = 0.0;
      for (int r = 0; r < t_.rows; ++r) u += lane(J_[(size_t)r * m_.nv + run_.bound_v[k]], l) * lane(e_[r], l);
      if ((x <= run_.lower[k] && u < 0.0) || (x >= run_.upper[k] && u > 0.0)) return true;
    }
    return false;
  }

  // Keeps what is better than what other starts found.
  void note(int l, int status) {
    const long i = member_[l];
    if (!(lane(residual_, l) < run_.residual[i])) return;
    run_.residual[i] = lane(residual_, l), run_.status[i] = status, run_.iterations[i] = static_cast<int>(lane(iteration_, l));
    for (int k = 0; k < m_.nq; ++k) run_.q[i * m_.nq + k] = lane(q_[k], l);
    double most = -1.0;
    for (int r = 0; r < t_.rows; ++r) {
      const double weight = t_.row[r].weight, size = weight > 0.0 ? std::fabs(lane(e_[r], l)) / weight : -1.0;
      if (size > most) most = size, run_.worst[i] = r;
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
