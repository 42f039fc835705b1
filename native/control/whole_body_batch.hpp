// Steps of whole-body control of many robots: terms, programs and their factors of several at once, one a lane; active sets and
// what follows from them one by one.
#pragma once
#include "control/whole_body_step.hpp"
#include "dispatch/rows.hpp"

namespace tarsus::TARSUS_ISA {

class WholeBodyBatch {
 public:
  WholeBodyBatch(const BodyRun& run, BodyMemory& memory)
      : run_(run), p_(*run.problem), m_(*p_.model), s_(memory), step_(run, memory), rows_(task_rows_of(p_)) {
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
    hand_over_terms(count);
    LanePrograms& programs = s_.programs;
    const bool found = programs.find(p_, run_.weight, BodyTerms<Pack>::at(p_, s_.pack_terms));
    if (found) programs.hand_over(count);
    const Unknowns<double> own = s_.unknowns;
    for (int l = 0; l < count; ++l) {
      const BodyTerms<double> terms = BodyTerms<double>::at(p_, s_.lanes + l * BodyTerms<double>::size(p_));
      if (found && !programs.failed[l]) {
        programs.lend_unknowns(l, s_.unknowns);
        step_.finish(begin + l, terms, programs.unit[l], programs.program(l));
        s_.unknowns = own;
      } else {
        step_.finish(begin + l, terms);
      }
    }
  }

 private:
  const BodyRun& run_;
  const BodyProblem& p_;
  const Model& m_;
  BodyMemory& s_;
  WholeBodyStep step_;
  const int rows_;
  int targets_;

  static void spread(const double* from, int n, Pack* to) {
    for (int k = 0; k < n; ++k) to[k] = broadcast<Pack>(from[k]);
  }

  // Copies of the terms for each lane, but for rows of postures, which nobody reads.
  void hand_over_terms(int count) {
    const size_t pitch = BodyTerms<double>::size(p_);
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
