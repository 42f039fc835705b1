// Programs of several robots: found together, one robot a lane, and handed to each robot's active set.
#pragma once
#include "control/pack_factor.hpp"
#include "dispatch/rows.hpp"

namespace tarsus::TARSUS_ISA {

// The first `rows` lanes of n packs, each to a row that begins `pitch` behind that of the lane before.
inline void store_lanes(double* to, size_t pitch, int n, int rows, const Pack* packs) {
  int j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    const double* block[kLanes];
    Pack r[kLanes];
    TARSUS_UNROLL
    for (int l = 0; l < kLanes; ++l) block[l] = reinterpret_cast<const double*>(packs + j + l);
    transpose(block, r);
    if (rows == kLanes) {
      TARSUS_UNROLL
      for (int l = 0; l < kLanes; ++l) store(to + l * pitch + j, r[l]);
    } else {
      for (int l = 0; l < rows; ++l) store(to + l * pitch + j, r[l]);
    }
  }
  for (; j < n; ++j) {
    for (int l = 0; l < rows; ++l) to[l * pitch + j] = packs[j][l];
  }
}

// Program of one robot whose H is factorised, or is not yet where U is null. Rows are padded to whole blocks.
struct FactoredProgram {
  double *H, *g;        // n x width, width
  double *U, *inverse;  // width x width, width: as of UpperFactor
};

// Unknowns, objective and factor of a pack, and their copies for each lane. Written by whom is said behind each field.
struct LanePrograms {
  Unknowns<Pack> unknowns;    // <- find
  Objective<Pack> objective;  // <- find
  PackFactor factor;          // <- find
  Pack unit;                  // of forces: the largest at rest <- find
  Bits<Pack>::type failed;    // lanes without factor <- find
  double* lanes;              // kLanes x pitch <- hand_over: what `program` and `unknowns_of` point to
  size_t pitch;
  int laid_out;  // variables that copies had last: zeros are where theirs are <- hand_over

  static void layout(LanePrograms& s, const BodyProblem& p, auto take) {
    Unknowns<Pack>::layout(s.unknowns, p, take), Objective<Pack>::layout(s.objective, p, s.unknowns, take);
    const int most = p.model->nv + p.forces, dense = s.unknowns.contact.rows + s.unknowns.idles;
    PackFactor::layout(s.factor, most, task_rows_of(p) + dense, take);
    const size_t width = padded(most);
    s.pitch = (2 * width + 2 + dense) * width + padded(dense);
    take(s.lanes, kLanes * s.pitch);
    s.laid_out = 0;
  }

  // False where lanes need different ways, or numbers that are not finite appear.
  bool find(const BodyProblem& p, const double* weight, const BodyTerms<Pack>& t) {
    const int nv = p.model->nv, tasks = task_rows_of(p);
    const Pack bad = poison_of(t.h, nv, kResultScale) + poison_of(t.c, p.contact_rows, kResultScale);
    if (!is_clean(bad + poison_of(t.a, tasks, kResultScale))) return false;
    unit = larger<Pack>(largest(t.h, nv), broadcast<Pack>(1.0));
    if (unknowns.eliminate(t, unit) != kEliminated || unknowns.n == 0) return false;
    objective.build(p, weight, unknowns, t);
    factor.build(objective, unknowns.n);
    failed = Bits<Pack>::type{};
    factor.factor(failed);
    return true;
  }

  void hand_over(int count) {
    const int n = unknowns.n, from = unknowns.width, width = padded(n);
    if (laid_out != n) std::memset(lanes, 0, kLanes * pitch * sizeof(double)), laid_out = n;
    const FactoredProgram first = program(0);
    for (int i = 0; i < n; ++i) {
      const int block = i / kBlock * kBlock;  // zeros of U are read from there on
      const size_t row = (size_t)i * from;
      for (int j = block; j < i; ++j) factor.U[row + j] = Pack{};
      store_lanes(first.H + (size_t)i * width, pitch, from, count, factor.H + row);
      store_lanes(first.U + (size_t)i * width + block, pitch, from - block, count, factor.U + row + block);
    }
    store_lanes(first.inverse, pitch, n, count, factor.inverse);
    store_lanes(first.g, pitch, from, count, objective.g);
    for (int r = 0; r < unknowns.dense; ++r) {
      store_lanes(dense_rows(0) + (size_t)r * width, pitch, from, count, unknowns.D + (size_t)r * from);
    }
    store_lanes(dense_rows(0) + (size_t)unknowns.dense * width, pitch, unknowns.dense, count, unknowns.d);
  }

  FactoredProgram program(int lane) const {
    const size_t width = padded(unknowns.n), square = width * width;
    double* begin = lanes + lane * pitch;
    return {begin, begin + 2 * square, begin + square, begin + 2 * square + width};
  }
  // Takes what the lanes share, and the lane's dense rows; what was there before comes back by assignment.
  void lend_unknowns(int lane, Unknowns<double>& u) const {
    const Unknowns<Pack>& s = unknowns;
    u.n = s.n, u.width = padded(s.n), u.free_v = s.free_v, u.dense = s.dense, u.dense_v = s.dense_v, u.runs = s.runs;
    u.place = s.place, u.free = s.free, u.solved = s.solved, u.run_begin = s.run_begin, u.run_end = s.run_end;
    u.D = dense_rows(lane), u.d = u.D + (size_t)u.dense * u.width;
  }

 private:
  double* dense_rows(int lane) const {
    const size_t width = padded(unknowns.n);
    return lanes + lane * pitch + (2 * width + 2) * width;
  }
};

}  // namespace tarsus::TARSUS_ISA
