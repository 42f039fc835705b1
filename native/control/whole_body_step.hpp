// One step of whole-body control: terms, equality rows eliminated, a quadratic program over what is left, and what follows from
// it, which is checked. Nothing is allocated. tests/control/whole_body/test_native_step.py compares with the program in Python.
#pragma once

#include "control/joint_limits.hpp"
#include "control/squares.hpp"
#include "control/step_memory.hpp"
#include "control/whole_body_checks.hpp"
#include "optimization/dual_active_set.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kBodyNormTolerance = 1e-3;  // of quaternions; more is a mistake, not rounding
constexpr double kYield = 1e2;  // weight of limits that cannot all hold, over the largest weight of a task and over 1
constexpr int kMostTurns = 1;   // programs with more rows, before all are taken

class WholeBodyStep {
 public:
  WholeBodyStep(const BodyRun& run, BodyMemory& memory)
      : run_(run), p_(*run.problem), m_(*p_.model), s_(memory), u_(memory.unknowns), tasks_(task_rows_of(p_)) {
    forced_ = p_.cone_rows + p_.contacts;
    for (int k = 0; k < m_.nv; ++k) forced_ += has_torque_limit(k);
  }

  // Robot i from its state.
  void solve(long i) {
    if (run_.status[i] = read(i); run_.status[i] != kBodySolved) return forget(i);
    const BodyWishes<double> wishes{run_.target + i * run_.target_stride,
                                    {run_.velocity + i * run_.rate_stride, run_.acceleration + i * run_.rate_stride, run_.gain},
                                    run_.contact};
    const BodyTerms<double> terms = BodyTerms<double>::at(p_, s_.terms);
    if (body_terms<double>(p_, s_.single, s_.q, s_.v, wishes, terms)) return finish(i, terms);
    run_.status[i] = kBodyLoopOpen;
    forget(i);
  }

  // Robot i from its terms.
  void finish(long i, const BodyTerms<double>& terms) {
    begin(i, terms);
    end(i, command(i));
  }
  // Robot i from its terms and from its program, whose unknowns are in the memory.
  void finish(long i, const BodyTerms<double>& terms, double unit, const FactoredProgram& program) {
    begin(i, terms);
    unit_ = unit, program_ = program;
    end(i, answer(i));
  }

  // The optimum of robot i from its program alone: x, null where it must be finished from its terms. Of these only places of
  // contacts are read, and rows of torques that the last robot had at their limits; others are not looked at. U of the program is
  // null in the end where it is not its factor any more.
  const double* optimum(long i, const BodyTerms<double>& terms, double unit, FactoredProgram& program) {
    begin(i, terms);
    if (any_side(s_.side + program_sides(p_), program_sides(p_)) || !find_joint_limits()) return nullptr;
    unit_ = unit, program_ = program;
    const QpStatus status = minimise_watched(i, true, s_.side, false);
    program = program_;
    return status == kQpOptimal ? s_.x : nullptr;
  }
  // Calls f(k, side) for all torques with limits, with the bound that the last robot ended at; `variables` are those of the
  // program.
  template <class F>
  void for_torque_sides(int variables, F f) const {
    signed char* side = s_.side + (p_.limits.any ? variables : 0) + p_.cone_rows + p_.contacts;
    for (int k = 0; k < m_.nv; ++k) {
      if (has_torque_limit(k)) f(k, *side++);
    }
  }

  // 1. The state, normalised.
  int read(long i) {
    const double *q = run_.q + i * m_.nq, *v = run_.v + i * m_.nv;
    if (!all_finite(q, m_.nq) || !all_finite(v, m_.nv)) return kBodyNotFinite;
    copy(s_.q, q, m_.nq), copy(s_.v, v, m_.nv);
    for (int k = 0; k < m_.quaternions; ++k) {
      double* h = s_.q + m_.quaternion[k];
      const double norm = __builtin_sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3]);
      if (!(__builtin_fabs(norm - 1.0) <= kBodyNormTolerance)) return kBodyBadNorm;
      for (int j = 0; j < 4; ++j) h[j] /= norm;
    }
    return kBodySolved;
  }

  // Robots from here on begin with the active rows of the one before them, this one with none.
  void begin_chain() {
    std::memset(s_.side, 0, body_sides(p_));
    chained_ = true;
  }

  // Zeros, for all that may go wrong.
  void forget(long i) const { clear(run_.out + i * body_results(p_), static_cast<int>(body_results(p_))); }

 private:
  const BodyRun& run_;
  const BodyProblem& p_;
  const Model& m_;
  BodyMemory& s_;
  Unknowns<double>& u_;
  const int tasks_;
  BodyTerms<double> t_{};
  FactoredProgram program_{};
  double unit_ = 1.0, scale_ = 1.0;  // of forces: the largest at rest, the largest that the motion needs
  long robot_ = 0;
  bool chained_ = false;
  int limits_ = 0;    // rows of the program
  int forced_ = 0;    // rows of cones, normal forces and torques, which come first; not all are in the program
  int watching_ = 0;  // those that are
  int first_ = 0;     // bounds of variables before them
  int soft_ = 0;      // rows that yield

  void begin(long i, const BodyTerms<double>& terms) {
    t_ = terms, robot_ = i;
    run_.iterations[i] = 0;
  }
  void end(long i, int status) const {
    run_.status[i] = status;
    if (status > kBodyLimitsMissed) forget(i);
  }

  int command(long i) {
    if (!all_finite(t_.h, m_.nv) || !all_finite(t_.a, tasks_) || !all_finite(t_.c, p_.contact_rows)) return kBodyNotFinite;
    unit_ = larger(largest(t_.h, m_.nv), 1.0);
    const Elimination found = u_.eliminate(t_, unit_);
    if (found != kEliminated) return found == kRowsContradict ? kBodyContradictory : kBodyDoubtful;
    // 2. H and g.
    Objective<double>& o = s_.objective;
    o.build(p_, run_.weight, u_, t_);
    square(o.rows, o.count, u_.n, u_.width, o.diagonal, s_.H);
    program_ = {s_.H, o.g, nullptr, nullptr};
    return answer(i);
  }
  int answer(long i) {
    const QpStatus status = optimise(i);
    if (status == kQpOptimal) return tell(i);
    return status == kQpInfeasible ? kBodyInfeasible : status == kQpIterationLimit ? kBodyIterationLimit : kBodyInaccurate;
  }

  // The program with hard limits; where these leave no room, with limits that yield. Both begin with the rows that the last step
  // ended at, the second one, where that did not yield, with those at which the first one found that there is no room.
  QpStatus optimise(long i) {
    signed char *side = run_.side ? run_.side : s_.side, *yielding = side + program_sides(p_);
    if (!run_.side && !chained_) std::memset(side, 0, body_sides(p_));
    const bool some = find_joint_limits();
    if (some) {
      const QpStatus status = minimise_watched(i, true, side);
      if (status == kQpOptimal) std::memset(yielding, 0, program_sides(p_));
      if (status == kQpOptimal || !p_.limits.any) return status;
    }
    if (some && !any_side(yielding, program_sides(p_))) expect_yielding(side, yielding);
    return minimise_watched(i, false, yielding);
  }
  // Of cones, normal forces and torques only those rows are in the program that were active before, and those that its solution
  // violates: with them it is solved again. Most are never touched, and a row costs more than what it says of one solution.
  // Without torques, only rows of contacts are looked at.
  QpStatus minimise_watched(long i, bool hard, signed char* side, bool torques = true) {
    first_ = hard && p_.limits.any ? u_.n : 0;
    const int most = torques ? forced_ : p_.cone_rows + p_.contacts;
    for (int t = 0; t < forced_; ++t) s_.watched[t] = side[first_ + t] != 0;
    for (int turn = 0;; ++turn) {
      limit(hard);
      const QpStatus status = minimise(i, side, turn > 0);
      if (status == kQpInaccurate && watching_ < most) {  // perhaps not with all of them
        std::memset(s_.watched, 1, most);
        continue;
      }
      if (status != kQpOptimal) return status;
      if (!(torques ? find_values() : find_forces())) return kQpInaccurate;
      bool some = watch_contacts();
      if (torques) some = watch_torques() || some;
      if (!some) return status;
      if (turn == kMostTurns) std::memset(s_.watched, 1, most);
    }
  }
  // Whether the solution violates a row that is not in the program; it is from now on.
  bool watch(int t, double value, double low, double high) {
    const double bound = larger(low > -kNoBound ? __builtin_fabs(low) : 0.0, high < kNoBound ? __builtin_fabs(high) : 0.0);
    const double beyond = larger(low - value, value - high);
    const bool violated = !s_.watched[t] && beyond > kFeasible * (unit_ + bound);
    if (violated) s_.watched[t] = 1;
    return violated;
  }
  bool watch_contacts() {
    bool some = false;
    int t = 0;
    for (int i = 0; i < p_.contacts; ++i) {
      const BodyContact& c = p_.contact[i];
      const double *y = s_.unknown + m_.nv + c.force, *number = run_.contact + (size_t)i * kContactNumbers;
      const bool inside = beyond_facets(c, s_.facets[i], y) <= kFeasible * unit_;
      for (int r = 0; !inside && r < c.cones; ++r) {
        double value = 0.0;
        for (int j = 0; j < c.forces; ++j) value += c.cone[(size_t)r * c.forces + j] * y[j];
        some = watch(t + r, value, 0.0, __builtin_inf()) || some;
      }
      t += c.cones;
      some = watch(t++, normal_force_of(i, y), number[kContactLeast], number[kContactMost]) || some;
    }
    return some;
  }
  bool watch_torques() {
    bool some = false;
    int t = p_.cone_rows + p_.contacts;
    for (int k = 0; k < m_.nv; ++k) {
      if (has_torque_limit(k)) some = watch(t++, s_.torque[k], -p_.tau_max[k], p_.tau_max[k]) || some;
    }
    return some;
  }
  double normal_force_of(int i, const double* y) const { return normal_force(p_.contact[i], t_.place + kPlaceNumbers * i, y); }
  bool has_torque_limit(int k) const { return p_.driven[k] && p_.tau_max[k] < kNoBound; }
  static bool any_side(const signed char* side, int count) {
    signed char some = 0;
    for (int k = 0; k < count; ++k) some |= side[k];
    return some != 0;
  }
  void expect_yielding(const signed char* hard, signed char* to) {
    double* bent = s_.sum;
    for (int k = 0; k < m_.nv; ++k) bent[k] = u_.place[k] >= 0 ? hard[u_.place[k]] : 0;
    const signed char* row = hard + first_ + forced_;
    for (int r = 0; r < u_.dense_v; ++r) {
      if (is_limited(u_.solved[r])) bent[u_.solved[r]] = *row++;
    }
    std::memcpy(to, hard + first_, forced_);
    to += forced_;
    for (int k = 0; k < m_.nv; ++k) {
      if (is_limited(k)) *to++ = bent[k] < 0.0 ? -1 : bent[k] > 0.0 ? 1 : 0;
    }
    std::memcpy(to, row, run_.extra);
  }
  bool crossed(int k) const { return s_.least[k] > s_.most[k]; }
  bool is_limited(int k) const { return s_.least[k] > -kNoBound || s_.most[k] < kNoBound; }

  // 3. Rows: cones and normal forces of each contact in units of force, torques, limits of joints. They are n apart; what is
  // written behind one is overwritten by the next.
  void limit(bool hard) {
    limits_ = soft_ = 0;
    for (int k = 0; k < first_; ++k) {
      const bool acceleration = k < u_.free_v;
      s_.low[k] = acceleration ? s_.least[u_.free[k]] : -__builtin_inf();
      s_.high[k] = acceleration ? s_.most[u_.free[k]] : __builtin_inf();
    }
    add_watched_rows();
    watching_ = limits_;
    if (!p_.limits.any) return;
    for (int r = 0; hard && r < u_.dense_v; ++r) {
      const int k = u_.solved[r];
      if (is_limited(k)) add_acceleration_row(k, s_.least[k], s_.most[k]);
    }
    for (int r = 0; hard && r < run_.extra; ++r) add_extra_row(r);
    if (!hard) add_yielding_rows();
  }
  void add_watched_rows() {
    const signed char* watched = s_.watched;
    for (int i = 0; i < p_.contacts; ++i) {
      const BodyContact& c = p_.contact[i];
      const double* number = run_.contact + (size_t)i * kContactNumbers;
      for (int r = 0; r < c.cones; ++r) {
        if (*watched++) add_force_row(c, c.cone + (size_t)r * c.forces, c.forces, 0.0, __builtin_inf());
      }
      if (!*watched++) continue;
      add_force_row(c, normal_row(c, t_.place + kPlaceNumbers * i, s_.normal), c.points > 0 ? c.forces : 3,
                    number[kContactLeast] / unit_, number[kContactMost] / unit_);
    }
    for (int k = 0; k < m_.nv; ++k) {
      if (!has_torque_limit(k) || !*watched++) continue;
      double* row = s_.A + (size_t)limits_ * u_.n;
      const double rest = t_.h[k] + u_.substitute(t_.M + (size_t)k * m_.nv, t_.F + k, m_.nv, -unit_, row);
      bound(-p_.tau_max[k] - rest, p_.tau_max[k] - rest);
    }
  }
  void add_extra_row(int r) {
    const double rest = u_.substitute(run_.extra_A + (size_t)r * m_.nv, nullptr, 0, 0.0, s_.A + (size_t)limits_ * u_.n);
    bound(run_.extra_low[r] - rest, __builtin_inf());
  }
  void bound(double low, double high) {
    s_.low[first_ + limits_] = low, s_.high[first_ + limits_] = high, s_.yield[first_ + limits_] = __builtin_inf(), ++limits_;
  }

  // Accelerations within all limits of joints; false where there are none.
  bool find_joint_limits() {
    if (!p_.limits.any) return true;
    for (int k = 0; k < m_.nv; ++k) s_.least[k] = -__builtin_inf(), s_.most[k] = __builtin_inf();
    for_joint_limits(p_, run_.q + robot_ * m_.nq, run_.v + robot_ * m_.nv, [&](int k, double low, double high) {
      s_.least[k] = larger(s_.least[k], low), s_.most[k] = smaller(s_.most[k], high);
    });
    bool some = true;
    for (int k = 0; k < m_.nv; ++k) some = some && s_.least[k] <= s_.most[k];
    return some;
  }
  void add_acceleration_row(int k, double low, double high) {
    double* row = s_.A + (size_t)limits_ * u_.n;
    clear(row, u_.width);
    if (u_.place[k] >= 0) {
      row[u_.place[k]] = 1.0;
      return bound(low, high);
    }
    const int r = -1 - u_.place[k];
    copy(row, u_.D + (size_t)r * u_.width, u_.n);
    bound(low - u_.d[r], high - u_.d[r]);
  }
  // The tightest limits of each acceleration, soft: kYield over the largest weight of a task. Two rows where they cross.
  void add_yielding_rows() {
    double w = 1.0;
    for (int r = 0; r < tasks_; ++r) w = larger(w, run_.weight[r]);
    const double cost = (kYield * w) * (kYield * w);
    auto yields = [&] { s_.yield[limits_ - 1] = cost, ++soft_; };
    for (int k = 0; k < m_.nv; ++k) {
      if (is_limited(k)) add_acceleration_row(k, s_.least[k], crossed(k) ? __builtin_inf() : s_.most[k]), yields();
    }
    for (int r = 0; r < run_.extra; ++r) add_extra_row(r), yields();
    for (int k = 0; k < m_.nv; ++k) {
      if (crossed(k)) add_acceleration_row(k, -__builtin_inf(), s_.most[k]), yields();
    }
  }

  void add_force_row(const BodyContact& c, const double* factor, int count, double low, double high) {
    const double rest = u_.substitute_forces(c.force, factor, count, s_.A + (size_t)limits_ * u_.n);
    bound(low - rest, high - rest);
  }

  // 4. The program, whose H may be factorised since the last one.
  QpStatus minimise(long i, signed char* side, bool factorised) {
    const bool bounded = first_ > 0;
    const double* yield = soft_ > 0 ? s_.yield : nullptr;
    QuadraticProgram program{u_.n, limits_, bounded, program_.H, program_.g, s_.A, s_.low, s_.high, yield, 0.0, u_.width};
    QpMemory& w = *static_cast<QpMemory*>(s_.program);
    QpMemory::layout(w, u_.n, limits_, bounded, soft_, static_cast<char*>(s_.program));
    DualActiveSet solver(program, w);
    if (u_.n == 0) return kQpInaccurate;
    if (program_.U) w.U.U = program_.U, w.U.inverse = program_.inverse;
    if (!factorised && program_.U) w.definiteness = kDefinite, w.sound = true, w.U.transposed = false;
    if (!factorised && !program_.U) solver.factor();
    if (w.definiteness == kIndefinite) return kQpInaccurate;
    solver.pack();
    QpResult r{};
    r.x = s_.x, r.multiplier = s_.multiplier, r.side = s_.own_side, r.warm = true;
    r.limit = 10 * (u_.n + limits_) + 100;
    take_sides(side);
    solver.solve(r);
    tell_sides(side);
    if (!w.sound) program_.U = nullptr;  // it was needed for something else
    run_.iterations[i] += r.iterations;
    clear(s_.x + u_.n, u_.width - u_.n);
    return r.status;
  }

  // Sides of the rows of the program from those of all rows, and back; rows that are not watched are not active.
  void take_sides(const signed char* side) const {
    signed char* own = s_.own_side;
    std::memcpy(own, side, first_);
    own += first_, side += first_;
    for (int t = 0; t < forced_; ++t) {
      if (s_.watched[t]) *own++ = side[t];
    }
    std::memcpy(own, side + forced_, limits_ - watching_);
  }
  void tell_sides(signed char* side) const {
    const signed char* own = s_.own_side;
    std::memcpy(side, own, first_);
    own += first_, side += first_;
    for (int t = 0; t < forced_; ++t) side[t] = s_.watched[t] ? *own++ : 0;
    std::memcpy(side + forced_, own, limits_ - watching_);
  }

  // Forces at the solution; false where they are no numbers.
  bool find_forces() {
    double* force = s_.unknown + m_.nv;
    for (int j = 0; j < p_.forces; ++j) force[j] = unit_ * u_.value(m_.nv + j, s_.x);
    return all_finite(force, p_.forces);
  }
  // Unknowns and generalised forces at the solution; false where they are no numbers.
  bool find_values() {
    const int nv = m_.nv;
    u_.values(s_.x, s_.unknown);
    double *force = s_.unknown + nv, *pull = s_.pull_back;
    for (int j = 0; j < p_.forces; ++j) force[j] *= unit_, pull[j] = -force[j];
    if (!all_finite(s_.unknown, nv + p_.forces)) return false;
    copy(s_.torque, t_.h, nv), clear(s_.torque + nv, padded(nv) - nv);
    add_rows(s_.torque, t_.M, nv, s_.unknown);  // symmetric
    scale_ = larger(unit_, largest(s_.torque, nv));
    add_rows(s_.torque, t_.F, p_.forces, pull);
    return true;
  }

  // 5. Accelerations, torques, wrenches and what tasks miss; inaccurate where equations of motion, contacts or limits do not
  // hold.
  int tell(long i) {
    double *vdot = run_.out + i * body_results(p_), *tau = vdot + m_.nv, *wrench = tau + m_.nv, *missed = wrench + 6 * p_.slots;
    copy(vdot, s_.unknown, m_.nv);
    const double* force = s_.unknown + m_.nv;
    const bool moves = find_torques(tau);
    if (!moves || !contacts_hold(vdot) || !cones_hold(force, largest(tau, m_.nv))) return kBodyInaccurate;
    clear(wrench, 6 * p_.slots);
    for (int c = 0; c < p_.contacts; ++c) {
      add_wrench(p_.contact[c], t_.place + kPlaceNumbers * c, force + p_.contact[c].force, wrench + 6 * p_.contact[c].slot);
    }
    for (int b = 0; p_.tasks && b < p_.tasks->blocks; ++b) {
      const TaskBlock& block = p_.tasks->block[b];
      for (int r = block.first; r < block.first + block.rows; ++r) {
        missed[r] =
            t_.a[r] - (block.kind == kTaskPosture ? vdot[p_.tasks->row[r].component] : product(t_.J + (size_t)r * m_.nv, vdot));
      }
    }
    missed[tasks_] = unit_;
    return limits_hold(vdot, largest(tau, m_.nv)) ? kBodySolved : kBodyLimitsMissed;
  }
  // Of rows of terms, which are not padded.
  double product(const double* a, const double* b) const {
    Pack sum{};
    int k = 0;
    for (; k + kLanes <= m_.nv; k += kLanes) sum += load<Pack>(a + k) * load<Pack>(b + k);
    double rest = 0.0;
    for (; k < m_.nv; ++k) rest += a[k] * b[k];
    return rest + sum_lanes<kLanes>(sum);
  }
  // sum += rows, nv apart, times their factors. Behind the end of a row its padded sum takes what is there, which is nobody's.
  void add_rows(double* sum, const double* rows, int count, const double* factor) const {
    const int nv = m_.nv, width = padded(nv);
    int i = 0;
    for (; i + 4 <= count; i += 4) {
      const double* a = rows + (size_t)i * nv;
      for (int j = 0; j < width; j += kLanes) {
        Pack x = load<Pack>(sum + j);
        TARSUS_UNROLL
        for (int k = 0; k < 4; ++k) x += factor[i + k] * load<Pack>(a + k * nv + j);
        store(sum + j, x);
      }
    }
    for (; i < count; ++i) add_scaled(sum, factor[i], rows + (size_t)i * nv, width);
  }

  // tau = M vdot + h - F y, which is zero where no drive is; then within limits.
  bool find_torques(double* tau) const {
    const int nv = m_.nv;
    copy(tau, s_.torque, nv);
    double left = 0.0, beyond = 0.0, most = 0.0;
    for (int k = 0; k < nv; ++k) {
      const double size = __builtin_fabs(tau[k]);
      if (p_.driven[k]) {
        most = larger(most, size), beyond = larger(beyond, size - p_.tau_max[k]);
        tau[k] = tau[k] > p_.tau_max[k] ? p_.tau_max[k] : tau[k] < -p_.tau_max[k] ? -p_.tau_max[k] : tau[k];
      } else {
        left = larger(left, size), tau[k] = 0.0;
      }
    }
    return left <= kMotionHolds * scale_ && beyond <= kLimitHolds * (unit_ + most);
  }
  bool contacts_hold(const double* vdot) const {
    const double scale = larger(larger(1.0, largest(t_.c, p_.contact_rows)), largest(vdot, m_.nv));
    double left = 0.0;
    for (int r = 0; r < p_.contact_rows; ++r) {
      left = larger(left, __builtin_fabs(product(t_.C + (size_t)r * m_.nv, vdot) - t_.c[r]));
    }
    return left <= kMotionHolds * scale;
  }
  bool limits_hold(const double* vdot, double torque) const {
    double beyond = 0.0;
    for (int k = 0; p_.limits.any && k < m_.nv; ++k) {
      beyond = larger(beyond, larger(s_.least[k] - vdot[k], vdot[k] - s_.most[k]));
    }
    for (int r = 0; r < run_.extra; ++r) {
      beyond = larger(beyond, run_.extra_low[r] - product(run_.extra_A + (size_t)r * m_.nv, vdot));
    }
    return beyond <= kLimitHolds * (1.0 + torque / unit_);
  }
  bool cones_hold(const double* force, double torque) const {
    double beyond = 0.0;
    for (int i = 0; i < p_.contacts; ++i) {
      const BodyContact& c = p_.contact[i];
      const double *y = force + c.force, *number = run_.contact + (size_t)i * kContactNumbers;
      beyond = larger(beyond, beyond_facets(c, s_.facets[i], y));
      const double normal = normal_force_of(i, y);
      beyond = larger(beyond, larger(number[kContactLeast] - normal, normal - number[kContactMost]));
    }
    return beyond <= kLimitHolds * (unit_ + torque);
  }
};

}  // namespace tarsus::TARSUS_ISA
