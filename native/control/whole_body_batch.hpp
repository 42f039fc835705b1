// Steps of whole-body control of many robots: terms, programs and their factors of several at once, one a lane; active sets and
// what follows from them one by one.
#pragma once
#include "control/whole_body_step.hpp"
#include "dispatch/rows.hpp"

namespace tarsus::TARSUS_ISA {

class WholeBodyBatch {
 public:
  WholeBodyBatch(const BodyRun& run, BodyMemory& memory)
      : run_(run),
        p_(*run.problem),
        m_(*p_.model),
        s_(memory),
        step_(run, memory),
        rows_(task_rows_of(p_)),
        pitch_(BodyTerms<double>::size(p_)) {
    targets_ = p_.tasks ? p_.tasks->targets : 0;
    if (run.target_stride == 0) spread(run.target, targets_, s_.pack_target);
    if (run.rate_stride == 0) spread(run.velocity, rows_, s_.pack_rates), spread(run.acceleration, rows_, s_.pack_rates + rows_);
  }

  void begin_chain() { step_.begin_chain(); }

  // Robots [begin, end), as many as there are lanes at most.
  void solve(long begin, long end) {
    const int count = static_cast<int>(end - begin);
    bool fine = true;
    for (long i = begin; i < end; ++i) fine = (run_.status[i] = step_.read(i)) == kBodySolved && fine;
    if (!fine || !find_terms(begin, count)) {
      for (long i = begin; i < end; ++i) step_.solve(i);
      return;
    }
    given_ = false;
    LanePrograms& programs = s_.programs;
    if (!programs.find(p_, run_.weight, BodyTerms<Pack>::at(p_, s_.pack_terms))) {
      for (int l = 0; l < count; ++l) step_.finish(begin + l, terms_of(l, count));
      return;
    }
    programs.hand_over(count);
    const BodyTerms<Pack> terms = BodyTerms<Pack>::at(p_, s_.pack_terms);
    store_lanes(BodyTerms<double>::at(p_, s_.lanes).place, pitch_, kPlaceNumbers * p_.contacts, count, terms.place);
    bool open[kLanes];  // lanes whose answers follow together
    for (int l = 0; l < count; ++l) open[l] = find_optimum(begin, l, count, true);
    answer_together(begin, count, open);
  }

 private:
  const BodyRun& run_;
  const BodyProblem& p_;
  const Model& m_;
  BodyMemory& s_;
  WholeBodyStep step_;
  const int rows_;
  const size_t pitch_;  // of the terms of a lane
  int targets_;
  bool given_ = false;  // whether lanes have copies of their terms

  static void spread(const double* from, int n, Pack* to) {
    for (int k = 0; k < n; ++k) to[k] = broadcast<Pack>(from[k]);
  }

  // Whether a lane has its optimum and no more, for those that are answered together; else it has its answer.
  bool find_optimum(long begin, int l, int count, bool together) {
    LanePrograms& programs = s_.programs;
    if (programs.failed[l]) return step_.finish(begin + l, terms_of(l, count)), false;
    const Unknowns<double> own = s_.unknowns;
    programs.lend_unknowns(l, s_.unknowns);
    FactoredProgram program = programs.program(l);
    const double unit = programs.unit[l], *x = nullptr;
    if (together) {
      step_.for_torque_sides(s_.unknowns.n, [&](int k, signed char side) {
        if (side != 0 && !given_) give_torque(l, k);
      });
      x = step_.optimum(begin + l, lane(l), unit, program);
    }
    if (!program.U) programs.failed[l] = -1;
    if (x) {
      copy(s_.answers.optima + (size_t)l * s_.answers.pitch, x, s_.unknowns.width);
    } else if (program.U) {
      step_.finish(begin + l, terms_of(l, count), unit, program);
    }
    s_.unknowns = own;
    if (!x && !program.U) step_.finish(begin + l, terms_of(l, count));
    return x;
  }
  // Answers of open lanes. Where they do not hold, the lane has another optimum, which expects torques beyond their limits to be
  // at them; where that does not hold either, it goes on by itself.
  void answer_together(long begin, int count, bool (&open)[kLanes]) {
    for (int turn = 0; any_open(open, count); ++turn) {
      const Bits<Pack>::type good =
          s_.answers.find(p_, run_.contact, s_.programs, BodyTerms<Pack>::at(p_, s_.pack_terms), s_.pack_q, s_.pack_v);
      const size_t results = body_results(p_);
      store_lanes(s_.answers.rows, results, static_cast<int>(results), count, s_.answers.out);
      for (int l = 0; l < count; ++l) {
        if (!open[l]) continue;
        if (good[l]) {
          std::memcpy(run_.out + (begin + l) * results, s_.answers.rows + l * results, results * sizeof(double));
          run_.status[begin + l] = kBodySolved, open[l] = false;
        } else {
          if (turn == 0) expect_limits(l);
          open[l] = find_optimum(begin, l, count, turn == 0);
        }
      }
    }
  }
  static bool any_open(const bool (&open)[kLanes], int count) {
    bool some = false;
    for (int l = 0; l < count; ++l) some = some || open[l];
    return some;
  }
  void expect_limits(int l) {
    step_.for_torque_sides(s_.programs.unknowns.n, [&](int k, signed char& side) {
      const double tau = s_.answers.torque[k][l];
      if (__builtin_fabs(tau) > p_.tau_max[k]) side = tau > 0.0 ? 1 : -1;
    });
  }

  BodyTerms<double> lane(int l) const { return BodyTerms<double>::at(p_, s_.lanes + l * pitch_); }
  // The same, complete.
  BodyTerms<double> terms_of(int l, int count) {
    if (!given_) give_terms(count), given_ = true;
    return lane(l);
  }
  // What a row of torques is made of.
  void give_torque(int l, int k) {
    const BodyTerms<Pack> from = BodyTerms<Pack>::at(p_, s_.pack_terms);
    const BodyTerms<double> to = lane(l);
    const size_t nv = m_.nv;
    for (size_t j = 0; j < nv; ++j) to.M[k * nv + j] = from.M[k * nv + j][l];
    for (int j = 0; j < p_.forces; ++j) to.F[j * nv + k] = from.F[j * nv + k][l];
    to.h[k] = from.h[k][l];
  }
  // Copies of the terms for each lane, but for rows of postures, which nobody reads.
  void give_terms(int count) {
    const size_t pitch = pitch_;
    const BodyTerms<Pack> from = BodyTerms<Pack>::at(p_, s_.pack_terms);
    const BodyTerms<double> to = BodyTerms<double>::at(p_, s_.lanes);
    store_lanes(to.M, pitch, static_cast<int>(from.J - from.M), count, from.M);
    for (int b = 0; p_.tasks && b < p_.tasks->blocks; ++b) {
      const TaskBlock& block = p_.tasks->block[b];
      const size_t first = (size_t)block.first * m_.nv;
      if (block.kind != kTaskPosture) store_lanes(to.J + first, pitch, block.rows * m_.nv, count, from.J + first);
    }
    store_lanes(to.a, pitch, rows_ + kPlaceNumbers * p_.contacts, count, from.a);
  }

  // False where lanes need different ways.
  bool find_terms(long begin, int count) {
    load_rows(run_.q + begin * m_.nq, m_.nq, count, s_.pack_q), load_rows(run_.v + begin * m_.nv, m_.nv, count, s_.pack_v);
    for (int k = 0; k < m_.quaternions; ++k) {
      Pack* h = s_.pack_q + m_.quaternion[k];
      const Pack inverse = 1.0 / sqrt_of<Pack>(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3]);
      for (int j = 0; j < 4; ++j) h[j] = inverse * h[j];
    }
    if (run_.target_stride > 0) load_rows(run_.target + begin * targets_, targets_, count, s_.pack_target);
    if (run_.rate_stride > 0) {
      load_rows(run_.velocity + begin * rows_, rows_, count, s_.pack_rates);
      load_rows(run_.acceleration + begin * rows_, rows_, count, s_.pack_rates + rows_);
    }
    const BodyWishes<Pack> wishes{s_.pack_target, {s_.pack_rates, s_.pack_rates + rows_, run_.gain}, run_.contact};
    s_.pack.ws.diverged = false;
    return body_terms<Pack>(p_, s_.pack, s_.pack_q, s_.pack_v, wishes, BodyTerms<Pack>::at(p_, s_.pack_terms)) &&
           !s_.pack.ws.diverged;
  }
};

}  // namespace tarsus::TARSUS_ISA
