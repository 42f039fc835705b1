// Accelerations and contact forces with equality rows eliminated: each is a variable of the program, or a dense row of the
// variables.
//   C vdot = c                                   solved for accelerations,
//   M vdot - F y = -h, freedoms without drive    solved for forces, or where these do not reach for further accelerations
// Forces are counted in `unit`, the largest generalised force at rest, so that rows have entries of like size.
#pragma once
#include "control/body_terms.hpp"
#include "control/elimination.hpp"

namespace tarsus::TARSUS_ISA {

// Unknowns are counted through: accelerations, then forces. Written by whom is said behind each field.
struct Unknowns {
  int nv, forces, idles;         // unknowns, and freedoms without drive
  int n, width, free_v;          // variables, the same padded, and accelerations among them <- express
  int dense, dense_v;            // dense rows, and accelerations among them, which come first <- express
  EqualityRows contact, motion;  // <- solve_contacts, solve_motion
  int* idle;                     // idles: freedoms without drive <- the caller, once
  int* listed;                   // unknowns: those of the columns of `motion` <- solve_motion
  int* place;                    // unknowns: their variable, or kSolved, from `express` on -1 - dense row
  int* free;                     // n: unknowns that are variables <- express
  int* solved;                   // dense: unknowns that are rows <- express
  int runs;                      // accelerations that are variables, by stretches that follow each other <- express
  int *run_begin, *run_end;      // runs, at most nv: unknowns of a stretch
  double *D, *d;                 // dense x width, dense: x_solved = D x + d <- express
  double* sum;                   // padded nv: scratch
  static constexpr int kOpen = 0, kSolved = -1;

  static void layout(Unknowns& u, const BodyProblem& p, auto take) {
    const size_t nv = p.model->nv, forces = p.forces, all = nv + forces, width = padded(static_cast<int>(all));
    u.nv = p.model->nv, u.forces = p.forces, u.idles = 0;
    for (size_t k = 0; k < nv; ++k) u.idles += p.driven[k] == 0;
    const size_t idles = u.idles, dense = p.contact_rows + idles;
    auto take_rows = [&](EqualityRows& e, size_t rows, size_t columns) {
      e.rows = static_cast<int>(rows), e.columns = static_cast<int>(columns), e.width = padded(e.columns);
      take(e.E, rows * e.width), take(e.e, rows), take(e.most, rows), take(e.pivot, rows);
    };
    take_rows(u.contact, p.contact_rows, nv), take_rows(u.motion, idles, all);
    take(u.idle, idles), take(u.listed, all), take(u.place, all), take(u.free, all), take(u.solved, dense), take(u.run_begin, nv),
        take(u.run_end, nv);
    take(u.D, dense * width), take(u.d, dense), take(u.sum, padded(p.model->nv));
  }

  Elimination eliminate(const BodyTerms<double>& t, double unit) {
    Elimination found = solve_contacts(t);
    if (found == kEliminated) found = solve_motion(t, unit);
    if (found == kEliminated) express();
    return found;
  }

  // row = g . (vdot, y) for g over accelerations `along` and, where it is given, `factor` times `across` over forces, `stride`
  // apart; the constant part is returned. Entries that are zero cost nothing.
  double substitute(const double* along, const double* across, size_t stride, double factor, double* row) const {
    double* to = row;
    for (int r = 0; r < runs; ++r) {
      for (int k = run_begin[r]; k < run_end[r]; ++k) *to++ = along[k];
    }
    for (int j = free_v; j < n; ++j) *to++ = across ? factor * across[(free[j] - nv) * stride] : 0.0;
    clear(to, width - n);
    const int count = across ? dense : dense_v;
    double rest = 0.0, share[kTogether];
    const double* rows[kTogether];
    for (int r = 0; r < count;) {
      int used = 0;
      for (; r < count && used < kTogether; ++r) {
        const double x = r < dense_v ? along[solved[r]] : factor * across[(solved[r] - nv) * stride];
        if (x == 0.0) continue;
        share[used] = x, rows[used++] = D + (size_t)r * width, rest += x * d[r];
      }
      add_rows(row, share, rows, used);
    }
    return rest;
  }

  // Values of all unknowns at x.
  void values(const double* x, double* unknown) const {
    for (int j = 0; j < n; ++j) unknown[free[j]] = x[j];
    for (int r = 0; r < dense; ++r) unknown[solved[r]] = d[r] + dot(D + (size_t)r * width, x, width);
  }

 private:
  static constexpr int kTogether = 4;  // rows that are added in one pass

  void add_rows(double* row, const double* share, const double* const* rows, int count) const {
    if (count < kTogether) {
      for (int i = 0; i < count; ++i) add_scaled(row, share[i], rows[i], width);
      return;
    }
    for (int j = 0; j < width; j += kLanes) {
      Pack x = load<Pack>(row + j);
      TARSUS_UNROLL
      for (int i = 0; i < kTogether; ++i) x += share[i] * load<Pack>(rows[i] + j);
      store(row + j, x);
    }
  }

  Elimination solve_contacts(const BodyTerms<double>& t) {
    for (int r = 0; r < contact.rows; ++r) {
      copy(contact.row(r), t.C + (size_t)r * nv, nv), clear(contact.row(r) + nv, contact.width - nv);
    }
    copy(contact.e, t.c, contact.rows);
    const Elimination found = contact.eliminate();
    for (int k = 0; k < nv + forces; ++k) place[k] = kOpen;
    for (int r = 0; r < contact.rows; ++r) {
      if (contact.pivot[r] >= 0) place[contact.pivot[r]] = kSolved;
    }
    return found;
  }

  Elimination solve_motion(const BodyTerms<double>& t, double unit) {
    EqualityRows& e = motion;
    e.columns = 0;
    for (int k = nv; k < nv + forces; ++k) listed[e.columns++] = k;
    for (int k = 0; k < nv; ++k) {
      if (place[k] == kOpen) listed[e.columns++] = k;
    }
    e.width = padded(e.columns);
    for (int r = 0; r < e.rows; ++r) fill_motion_row(t, 1.0 / unit, r);
    const Elimination found = e.eliminate();
    for (int r = 0; r < e.rows; ++r) {
      if (e.pivot[r] < 0) return kRowsDoubtful;  // forces reach all accelerations that contacts hold: this is rounding
      place[listed[e.pivot[r]]] = kSolved;
    }
    return found;
  }
  void fill_motion_row(const BodyTerms<double>& t, double scale, int r) {
    const int k = idle[r];
    const double* M = t.M + (size_t)k * nv;
    double right = -t.h[k], *row = motion.row(r);
    copy(sum, M, nv), clear(sum + nv, contact.width - nv);
    for (int i = 0; i < contact.rows; ++i) {
      const double factor = contact.pivot[i] >= 0 ? M[contact.pivot[i]] : 0.0;
      if (factor == 0.0) continue;
      add_scaled(sum, -factor, contact.row(i), contact.width);
      right -= factor * contact.e[i];
    }
    for (int j = 0; j < forces; ++j) row[j] = -t.F[(size_t)j * nv + k];
    for (int j = forces; j < motion.columns; ++j) row[j] = scale * sum[listed[j]];
    clear(row + motion.columns, motion.width - motion.columns);
    motion.e[r] = scale * right;
  }

  void express() {
    n = dense = runs = 0;
    for (int k = 0; k < nv; ++k) {
      if (place[k] != kOpen) continue;
      if (n == 0 || free[n - 1] != k - 1) run_begin[runs++] = k;
      free[n] = k, place[k] = n++, run_end[runs - 1] = k + 1;
    }
    free_v = n;
    for (int k = nv; k < nv + forces; ++k) {
      if (place[k] == kOpen) free[n] = k, place[k] = n++;
    }
    width = padded(n);
    for (int r = 0; r < motion.rows; ++r) {
      if (listed[motion.pivot[r]] < nv) add_motion_row(r);
    }
    const int before = dense;  // accelerations that rows of contacts still have
    for (int r = 0; r < contact.rows; ++r) {
      if (contact.pivot[r] < 0) continue;
      const double* own = contact.row(r);
      double* to = begin_row(contact.pivot[r], contact.e[r]);
      for (int j = 0; j < free_v; ++j) to[j] = -own[free[j]];
      for (int i = 0; i < before; ++i) {
        const double factor = own[solved[i]];
        add_scaled(to, -factor, D + (size_t)i * width, width), d[dense - 1] -= factor * d[i];
      }
    }
    dense_v = dense;
    for (int r = 0; r < motion.rows; ++r) {
      if (listed[motion.pivot[r]] >= nv) add_motion_row(r);
    }
  }
  void add_motion_row(int r) {
    double* to = begin_row(listed[motion.pivot[r]], motion.e[r]);
    for (int j = 0; j < motion.columns; ++j) {
      if (place[listed[j]] >= 0) to[place[listed[j]]] = -motion.row(r)[j];
    }
  }
  double* begin_row(int unknown, double constant) {
    double* to = D + (size_t)dense * width;
    clear(to, width);
    place[unknown] = -1 - dense, solved[dense] = unknown, d[dense++] = constant;
    return to;
  }
};

}  // namespace tarsus::TARSUS_ISA
