// Convex quadratic programs by the dual active set of Goldfarb and Idnani 1983, for small dense problems: from a set of active
// rows whose multipliers have the right sign, the most violated row is added, and rows whose multipliers would change sign leave,
// until no row is violated. Plain arrays, no heap, memory given; made to be called by other kernels.
//
//   U' U = H (+ D),  y = U x,  rows b_i = U'^-1 c_i   (y: distance from the minimum without rows in the norm of H)
//
// Beyond the paper:
// - a row that depends on active ones is told by its angle to their span, not by a zero that rounding never gives;
// - soft rows have a coordinate of their own in y, (b_i, 1 / sqrt(weight)), and no variable;
// - results are refined: the program is solved again for the correction, with the active rows kept. Where H is only
//   semidefinite, the same loop is the proximal point method (Rockafellar 1976) with D > 0, whose fixed point is the optimum of
//   H;
// - nothing is called infeasible before a point that merely fulfils the rows was looked for in the plain norm, nothing unbounded
//   without a ray that was checked.
//
// From other kernels: lay out a QpMemory (its size: layout with null), then DualActiveSet s(program, memory) with s.factor(),
// which must not be kIndefinite, s.pack() and s.solve(result); factor again after H has changed, pack after C has.
#pragma once
#include "math/comparison.hpp"
#include "optimization/program_rows.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFeasible = 1e-10;      // violation that is none, relative to the row times x, and to the bound
constexpr double kRank = 1e-10;          // sine of the angle between a row and the span of others below which it depends on them
constexpr double kRankRounding = 1e-14;  // the same, times the ratio of the pivots of U
constexpr double kSteep = 1e5;           // ratio of the pivots of U beyond which rows look alike: a conflict is looked at again
constexpr double kUneven = 100.0;        // ratio of the pivots of U beyond which the point is not as exact as x
constexpr double kDoubtful = 1e-4;       // violations of such points, relative to x, that may be rounding
constexpr double kPassedOn = 1e-8;       // violations of proximal steps, relative to x, that are left to the next one
constexpr int kMostDoubts = 5;           // conflicts at such points that are looked at again
constexpr double kGrain = 1e-15;         // rounding of the gradient, relative to the sizes it is made of
constexpr double kNoShare = 1e-11;       // share of an active row in another one that is rounding
constexpr double kRefined = 1e-12;       // scaled residuals at which nothing is left to refine
constexpr double kAccepted = 1e-9;       // scaled residuals of what is called optimal
constexpr double kRayTolerance = 1e-9;   // relative curvature, slope and approach to bounds along a ray
constexpr double kProximal[] = {0.1, 1e-8};  // D, relative to the diagonal of H, at first: the second where the first fails
constexpr double kProximalAlone = 1e-4;      // D, relative to g, where H is zero
constexpr double kSmallestProximal = 1e-14;
constexpr int kMostPasses = 120;
constexpr int kPassesOfOneShift = 4;  // before D is taken smaller
constexpr double kShrinkShift = 0.03;

class DualActiveSet : public ProgramRows {
 public:
  using ProgramRows::ProgramRows;

  Definiteness factor() {
    w_.kept = false;
    w_.sound = w_.U.factor(p_.H, pitch_of(p_), 0.0, 0.0, kSmallestPivot);
    if (w_.sound) return w_.definiteness = kDefinite;
    const double floor = kDiagonalFloor * largest_diagonal();
    const bool convex = floor == 0.0 ? is_zero() : w_.U.factor(p_.H, pitch_of(p_), kMissing, floor, 0.0);
    return w_.definiteness = convex ? kSemidefinite : kIndefinite;
  }

  void solve(QpResult& r) {
    r.iterations = r.passes = 0;
    shift_ = 0.0;
    if (w_.definiteness == kDefinite) {
      run(r);
      if (r.status != kQpInaccurate && !(r.status == kQpInfeasible && spread_ > kSteep)) return;
      r.warm = false;  // H is as good as singular where it matters
    }
    for (const double shift : kProximal) {
      shift_ = curvature() > 0.0 ? shift : kProximalAlone;
      run(r);
      if ((r.status != kQpInaccurate && r.status != kQpIterationLimit) || r.iterations > r.limit) return;
      r.warm = false;
    }
  }

 private:
  void run(QpResult& r) {
    clear(w_.x, w_.width);
    if (!prepare_factor()) return fail(r, kQpInaccurate);
    start_active_rows(r);
    double before = kInfinity;
    for (r.passes = 1; r.passes <= kMostPasses; ++r.passes) {
      refer_to_x();
      settle(r);
      const Outcome outcome = add_violated_rows(r);
      if (outcome == kLimit || outcome == kTrouble) return fail(r, outcome == kLimit ? kQpIterationLimit : kQpInaccurate);
      if (outcome == kConflict) return tell_conflict(r);
      add_scaled(w_.x, 1.0, w_.delta, w_.width);
      if (!(largest(w_.x, w_.n) < kNoBound)) return fail(r, kQpUnbounded);
      if (shift_ > 0.0 && is_flat()) clear(w_.multiplier, w_.active.count);  // any point will do, and nothing holds it back
      write(r);
      judge(r);
      const double worst = larger(r.scaled_primal, r.scaled_dual);
      if (worst <= kRefined || (worst <= kAccepted && !(worst < 0.5 * before))) return conclude(r);
      if (shift_ > 0.0 && leads_down_for_ever()) return fail(r, kQpUnbounded);
      if (shift_ == 0.0 && !(worst < 0.5 * before)) break;
      before = worst;
      if (shift_ > 0.0 && r.passes % kPassesOfOneShift == 0 && shift_ > kSmallestProximal && !shrink_shift(r)) break;
    }
    conclude(r);
  }

  enum Outcome { kDone, kConflict, kLimit, kTrouble };

  // 1. U for the present D; without H, D is measured by g.
  bool prepare_factor() {
    bool good = true;
    if (shift_ > 0.0) {
      const double most = curvature(), slope = largest(p_.g, p_.n);
      const double floor = most > 0.0 ? kDiagonalFloor * most : slope > 0.0 ? slope : 1.0;
      good = w_.U.factor(p_.H, pitch_of(p_), shift_, floor, 0.0);
      w_.sound = false;
    } else if (!w_.sound) {
      good = w_.sound = w_.U.factor(p_.H, pitch_of(p_), 0.0, 0.0, kSmallestPivot);
    }
    if (good) w_.U.transpose();
    double most = 0.0, least = kInfinity;
    for (int i = 0; i < p_.n; ++i) {
      most = larger(most, w_.U.inverse[i]), least = smaller(least, w_.U.inverse[i]);
    }
    spread_ = most / least, longest_ = most;
    const double rounding = kRankRounding * spread_;
    rank_ = larger(p_.rank_tolerance > 0.0 ? p_.rank_tolerance : kRank, rounding);
    return good;
  }

  bool shrink_shift(const QpResult& r) {
    shift_ *= kShrinkShift;
    if (!prepare_factor()) return false;
    refill_active_rows(r.side, r.multiplier);
    return true;
  }

  // 2. Rows to begin with: equalities, and what was active before.
  void start_active_rows(QpResult& r) {
    for (int i = 0; i < w_.all; ++i) {
      if (!r.warm) r.side[i] = 0;
      if (r.side[i] > 0 && !(p_.upper[i] < kNoBound)) r.side[i] = 0;
      if (r.side[i] < 0 && !(p_.lower[i] > -kNoBound)) r.side[i] = 0;
    }
    if (w_.kept && shift_ == 0.0 && is_active_set(r.side)) {
      clear(w_.multiplier, w_.active.count);
    } else {
      refill_active_rows(r.side, nullptr);
    }
    w_.kept = shift_ == 0.0;
  }  // Whether exactly these rows are active, equalities included.
  bool is_active_set(const signed char* side) const {
    for (int i = 0; i < w_.all; ++i) {
      const bool wanted = side[i] != 0 || is_equality(i);
      if (wanted != (w_.place[i] >= 0)) return false;
      if (wanted && !is_equality(i) && w_.sign[w_.place[i]] != side[i]) return false;
    }
    return true;
  }

  void refill_active_rows(const signed char* side, const double* multiplier) {
    w_.active.count = 0;
    for (int i = 0; i < w_.all; ++i) w_.place[i] = -1, w_.idle[i] = w_.scale[i];
    int waiting[4], count = 0;
    auto push_waiting = [&] {
      if (count == 0) return;
      for (int k = 0; k < count; ++k) fill_row(waiting[k], side_of(waiting[k], side), w_.b + (size_t)k * w_.full);
      for (int k = count; count > 1 && k < 4; ++k) clear(w_.b + (size_t)k * w_.full, w_.full);
      if (count > 1) {
        w_.U.forward4(w_.b, w_.full);
      } else {
        w_.U.forward(w_.b, waiting[0] < first_ ? waiting[0] : 0);
      }
      for (int k = 0; k < count; ++k) {
        const int i = waiting[k];
        push_if_independent(i, side_of(i, side), w_.b + (size_t)k * w_.full, multiplier);
      }
      count = 0;
    };
    for (int turn = 0; turn < 2; ++turn) {  // equalities first
      const bool equality = turn == 0;
      for (int i = 0; i < w_.all; ++i) {
        if (is_equality(i) != equality || (!equality && side[i] == 0)) continue;
        waiting[count++] = i;
        if (count == 4) push_waiting();
      }
    }
    push_waiting();
  }

  double side_of(int i, const signed char* side) const { return is_equality(i) || side[i] > 0 ? 1.0 : -1.0; }

  void push_if_independent(int i, double sign, const double* b, const double* multiplier) {
    if (w_.active.count == w_.capacity) return;
    const double square = dot(b, b, w_.full), rest = w_.active.project(b, square, w_.h, w_.z);
    if (!(rest > rank_ * rank_ * square)) return;
    push(i, sign, __builtin_sqrt(rest), __builtin_sqrt(square), multiplier ? sign * multiplier[i] : 0.0);
  }

  // b = sign (c_i, 1 / sqrt(weight))
  void fill_row(int i, double sign, double* b) const {
    clear(b, w_.full);
    if (i < first_) {
      b[i] = sign;
    } else {
      add_scaled(b, sign, row(i), w_.width);
    }
    if (w_.soft_place[i] >= 0) b[w_.width + w_.soft_place[i]] = sign / __builtin_sqrt(p_.weight[i]);
  }
  // b = sign (U'^-1 c_i, 1 / sqrt(weight))
  void load_row(int i, double sign) {
    fill_row(i, sign, w_.b);
    w_.U.forward(w_.b, i < first_ ? i : 0);
  }

  // The row that is projected in h and z.
  void push(int i, double sign, double rest, double length, double multiplier) {
    const int k = w_.active.count;
    w_.index[k] = i, w_.sign[k] = sign, w_.length[k] = length, w_.multiplier[k] = multiplier, w_.reference[k] = 0.0,
    w_.place[i] = k;
    w_.idle[i] = 0.0;
    w_.active.push(w_.h, w_.z, rest);
  }

  void remove(int k, double* h = nullptr) {
    w_.place[w_.index[k]] = -1, w_.idle[w_.index[k]] = w_.scale[w_.index[k]];
    const int soft = w_.soft_place[w_.index[k]];
    w_.active.remove(k, h);
    for (int j = k; j < w_.active.count; ++j) {
      w_.index[j] = w_.index[j + 1], w_.sign[j] = w_.sign[j + 1], w_.length[j] = w_.length[j + 1];
      w_.multiplier[j] = w_.multiplier[j + 1], w_.reference[j] = w_.reference[j + 1], w_.place[w_.index[j]] = j;
    }
    if (soft < 0) return;
    for (int j = 0; j < w_.active.count; ++j) w_.active.basis(j)[w_.width + soft] = 0.0;  // nobody else has this coordinate
  }

  // Distance of the reference to the bound of an active row, in its direction.
  double target(int i, double sign) const { return sign > 0.0 ? p_.upper[i] - w_.offset[i] : w_.offset[i] - p_.lower[i]; }

  // 3. The program as seen from x and the multipliers: what is left of the gradient of the Lagrangian there, and rows there. Only
  // corrections are computed from now on, so that their rounding is relative to them.
  void refer_to_x() {
    if (is_origin()) {
      clear(w_.gradient, w_.width);
    } else {
      multiply_by_H(w_.x, w_.gradient);
    }
    double size = largest(w_.gradient, p_.n) + largest(p_.g, p_.n);
    for (int j = 0; j < p_.n; ++j) w_.gradient[j] += p_.g[j];
    for (int k = 0; k < w_.active.count; ++k) {
      add_row(w_.gradient, w_.sign[k] * w_.multiplier[k], w_.index[k]);
      size += __builtin_fabs(w_.multiplier[k]) * w_.norm[w_.index[k]];
    }
    grain_ = kGrain * size * longest_;
    find_offsets();
    clear(w_.y0, w_.full);
    add_scaled(w_.y0, -1.0, w_.gradient, w_.width);
    w_.U.forward(w_.y0, 0);
    for (int k = 0; k < w_.active.count; ++k) {
      w_.reference[k] = w_.multiplier[k];
      const int i = w_.index[k], soft = w_.soft_place[i];
      if (soft >= 0) w_.y0[w_.width + soft] = -w_.sign[k] * w_.multiplier[k] / __builtin_sqrt(p_.weight[i]);
    }
  }

  // 4. Minimum with all active rows at their bounds; rows with multipliers of the wrong sign leave, the worst first.
  void settle(QpResult& r) {
    for (;;) {
      const int count = w_.active.count;
      double* h = w_.h;
      for (int k = 0; k < count; ++k) h[k] = target(w_.index[k], w_.sign[k]);
      w_.active.solve_transposed(h);
      copy(w_.y, w_.y0, w_.full);
      multiply_rows(w_.active.Q, count, w_.full, w_.y, w_.full, w_.multiplier);
      for (int k = 0; k < count; ++k) w_.multiplier[k] -= h[k];
      subtract_rows(w_.y, w_.multiplier, w_.active.Q, count, w_.full, w_.full);
      w_.active.solve(w_.multiplier);
      for (int k = 0; k < count; ++k) w_.multiplier[k] += w_.reference[k];
      int worst = -1;
      double least = 0.0, most = 0.0;
      for (int k = 0; k < count; ++k) most = larger(most, __builtin_fabs(w_.multiplier[k]) * w_.length[k]);
      for (int k = 0; k < count; ++k) {
        const double l = w_.multiplier[k] * w_.length[k];
        if (l < least - 1e-14 * most && l < -grain_ && !is_equality(w_.index[k])) least = l, worst = k;
      }
      if (worst < 0) return;
      release(worst);
      ++r.iterations;
    }
  }

  // 5. The most violated row, relative to its length: -1 where none is.
  int most_violated(double& sign, double& most) {
    copy(w_.delta, w_.y, w_.width);
    w_.U.backward(w_.delta);
    copy(w_.sum, w_.delta, w_.width), add_scaled(w_.sum, 1.0, w_.x, w_.width);
    const double reach = larger(1.0, largest(w_.sum, p_.n));
    multiply(w_.delta, w_.value);
    double *value = w_.value, *score = w_.score;
    const double *offset = w_.offset, *upper = p_.upper, *lower = p_.lower, *norm = w_.norm, *idle = w_.idle;
    // One row, or as many as a pack has lanes: what is violated has its distance as score, all others have 0.
    const auto judge_rows = [&]<class T>(int i) TARSUS_LAMBDA {
      const T at = load<T>(value + i) + load<T>(offset + i), high = load<T>(upper + i), low = load<T>(lower + i);
      store(value + i, at);
      const T over = at - high, under = low - at;
      const auto above = less<T>(under, over);
      const T by = select<T>(above, over, under), bound = magnitude<T>(select<T>(above, high, low));
      const T distance = load<T>(idle + i) * by;  // NaN for active rows without a bound: not above anything
      const T counts = kFeasible * (load<T>(norm + i) * broadcast<T>(reach) + bound);
      store(score + i, select<T>(less<T>(counts, by), distance, broadcast<T>(0.0)));
    };
    int i = 0;
    for (; i + kLanes <= w_.all; i += kLanes) judge_rows.template operator()<Pack>(i);
    for (; i < w_.all; ++i) judge_rows.template operator()<double>(i);
    most = largest(score, w_.all);
    int found = most > 0.0 ? 0 : -1;
    while (found >= 0 && score[found] != most) ++found;
    if (found >= 0) sign = value[found] > upper[found] ? 1.0 : -1.0;
    return found;
  }

  // 6. Rows are added until none is violated. Before a conflict is believed, a point is looked for that merely fulfils the rows,
  // the one nearest to the origin: H, which may make all rows look alike, has no part in it.
  Outcome add_violated_rows(QpResult& r) {
    Outcome outcome = approach(r);
    if (outcome != kConflict) return outcome;
    w_.U.become_identity();
    w_.sound = w_.kept = false;
    spread_ = longest_ = 1.0, grain_ = 0.0, rank_ = p_.rank_tolerance > 0.0 ? p_.rank_tolerance : kRank;
    write(r);
    refill_active_rows(r.side, nullptr);
    clear(w_.x, w_.width), clear(w_.y0, w_.full);
    find_offsets();
    settle(r);
    if ((outcome = approach(r)) != kDone) return outcome;
    add_scaled(w_.x, 1.0, w_.delta, w_.width);
    write(r);
    if (!prepare_factor()) return kTrouble;
    refill_active_rows(r.side, nullptr);
    refer_to_x();
    settle(r);
    outcome = approach(r);
    return outcome == kConflict ? kTrouble : outcome;
  }

  Outcome approach(QpResult& r) {
    bool fresh = spread_ < kUneven;  // where it is not, small violations may be rounding of the point
    for (int doubts = 0;;) {
      double sign = 1.0, by = 0.0;
      const int i = most_violated(sign, by);
      if (i < 0) return kDone;
      const double reach = larger(1.0, largest(w_.x, p_.n));
      if (!fresh && by < kDoubtful * reach) {
        refresh(r);
        fresh = true;
        continue;
      }
      if (shift_ > 0.0 && by < kPassedOn * reach && spread_ > kUneven) return kDone;
      const Outcome outcome = add(i, sign, r);
      if (outcome == kLimit) return outcome;
      if (outcome == kConflict) {
        if (spread_ < kUneven || ++doubts > kMostDoubts) return kConflict;
        refresh(r);
      }
      fresh = spread_ < kUneven || outcome == kConflict;
    }
  }

  // The minimum for the active rows, seen from itself; not of proximal steps, which end where rows hold and not before.
  void refresh(QpResult& r) {
    settle(r);
    if (shift_ > 0.0) return;
    copy(w_.delta, w_.y, w_.width);
    w_.U.backward(w_.delta);
    add_scaled(w_.x, 1.0, w_.delta, w_.width);
    refer_to_x();
    settle(r);
  }

  bool is_origin() const { return largest(w_.x, p_.n) == 0.0; }
  void find_offsets() {
    if (is_origin()) {
      clear(w_.offset, w_.all);
    } else {
      multiply(w_.x, w_.offset);
    }
  }

  // One row to its bound (Goldfarb and Idnani 1983, algorithm 1, step 2).
  Outcome add(int i, double sign, QpResult& r) {
    load_row(i, sign);
    const double square = dot(w_.b, w_.b, w_.full), length = __builtin_sqrt(square), goal = target(i, sign);
    double multiplier = 0.0, rest = w_.active.project(w_.b, square, w_.h, w_.z);
    for (;;) {
      if (++r.iterations > r.limit) return kLimit;
      const bool depends = !(rest > rank_ * rank_ * square) || w_.active.count == w_.capacity;
      double* share = w_.share;  // b = z + sum of shares of active rows
      copy(share, w_.h, w_.active.count);
      w_.active.solve(share);
      int leaving = -1;
      double step = kInfinity;
      for (int k = 0; k < w_.active.count; ++k) {
        if (share[k] * w_.length[k] > kNoShare * length && !is_equality(w_.index[k])) {
          const double t = larger(w_.multiplier[k], 0.0) / share[k];
          if (t < step) step = t, leaving = k;
        }
      }
      const double whole = depends ? kInfinity : larger(dot(w_.b, w_.y, w_.full) - goal, 0.0) / rest;
      if (leaving < 0 && depends) {
        conflict_ = i, conflict_sign_ = sign, conflict_length_ = length;
        return kConflict;
      }
      const bool arrives = whole <= step;
      const double t = arrives ? whole : step;
      for (int k = 0; k < w_.active.count; ++k) w_.multiplier[k] -= t * share[k];
      multiplier += t;
      if (!depends) add_scaled(w_.y, -t, w_.z, w_.full);
      if (arrives) {
        push(i, sign, __builtin_sqrt(rest), length, multiplier);
        return kDone;
      }
      const int soft = w_.soft_place[w_.index[leaving]];
      release(leaving, w_.h);
      rest = take_back(square, soft);
    }
  }
  // What is left of b after a row has left: the part along the vector of the basis that left with it comes back, but for the
  // coordinate that only this row had, if it was soft.
  double take_back(double square, int soft) {
    const int last = w_.active.count;
    add_scaled(w_.z, w_.h[last], w_.active.basis(last), w_.full);
    if (soft >= 0) w_.z[w_.width + soft] = 0.0;
    const double rest = dot(w_.z, w_.z, w_.full);
    return rest < kCancelled * square && last > 0 ? w_.active.project_again(w_.h, w_.z) : rest;
  }

  // An active row leaves, and its part of the gradient at the reference comes back. `h` as of ActiveRows::remove.
  void release(int k, double* h = nullptr) {
    if (w_.reference[k] != 0.0) {
      double* b = w_.b + w_.full;  // beside the row that is being added
      fill_row(w_.index[k], w_.sign[k], b);
      w_.U.forward(b, w_.index[k] < first_ ? w_.index[k] : 0);
      add_scaled(w_.y0, w_.reference[k], b, w_.full);
    }
    remove(k, h);
  }

  // 7. Whether the last step, by itself, leads down without end: no curvature, no bound ahead.
  bool leads_down_for_ever() {
    const double size = largest(w_.delta, p_.n);
    if (!(size > 0.0)) return false;
    double slope = 0.0;
    for (int j = 0; j < w_.width; ++j) w_.delta[j] /= size;
    for (int j = 0; j < p_.n; ++j) slope += p_.g[j] * w_.delta[j];
    if (!(slope < -kRayTolerance * largest(p_.g, p_.n))) return false;
    multiply_by_H(w_.delta, w_.sum);
    if (largest(w_.sum, p_.n) > kRayTolerance * largest_diagonal()) return false;
    for (int i = 0; i < w_.all; ++i) {
      const double value = row_times(i, w_.delta), free = kRayTolerance * w_.norm[i];
      if ((value > free && p_.upper[i] < kNoBound) || (value < -free && p_.lower[i] > -kNoBound)) return false;
    }
    return true;
  }

  void write(QpResult& r) {
    copy(r.x, w_.x, p_.n);
    clear(r.multiplier, w_.all);
    for (int i = 0; i < w_.all; ++i) r.side[i] = 0;
    for (int k = 0; k < w_.active.count; ++k) {
      const int i = w_.index[k];
      const double l = is_equality(i) ? w_.multiplier[k] : larger(w_.multiplier[k], 0.0);
      r.multiplier[i] = w_.sign[k] * l;
      r.side[i] = w_.sign[k] * l < 0.0 || (l == 0.0 && w_.sign[k] < 0.0) ? -1 : 1;
    }
  }

  void conclude(QpResult& r) {
    const double worst = larger(r.scaled_primal, r.scaled_dual);
    const bool good = worst <= kAccepted && is_finite(r);
    r.status = good ? kQpOptimal : r.passes > kMostPasses ? kQpIterationLimit : kQpInaccurate;
  }

  void fail(QpResult& r, QpStatus status) {
    write(r);
    residuals(r);
    r.status = status;
  }

  // Multipliers of the rows that contradict each other: the last row, and what it is made of (its shares).
  void tell_conflict(QpResult& r) {
    add_scaled(w_.x, 1.0, w_.delta, w_.width);
    write(r);
    residuals(r);
    clear(r.multiplier, w_.all);
    r.multiplier[conflict_] = conflict_sign_;
    for (int k = 0; k < w_.active.count; ++k) {
      if (__builtin_fabs(w_.share[k]) * w_.length[k] > kNoShare * conflict_length_)
        r.multiplier[w_.index[k]] = -w_.share[k] * w_.sign[k];
    }
    r.status = kQpInfeasible;
  }

  double shift_ = 0.0, rank_ = 0.0, spread_ = 1.0;
  double longest_ = 1.0, grain_ = 0.0;  // largest reciprocal pivot of U; multipliers times |b| that are rounding
  int conflict_ = -1;
  double conflict_sign_ = 1.0, conflict_length_ = 0.0;
};

}  // namespace tarsus::TARSUS_ISA
