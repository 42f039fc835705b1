// Accelerations and contact forces with equality rows eliminated: each is a variable of the program, or a dense row of the
// variables.
//   C vdot = c                                   solved for accelerations,
//   M vdot - F y = -h, freedoms without drive    solved for forces, or where these do not reach for further accelerations
// The same of several robots, one a lane, where the same unknowns can be variables of all of them.
// Forces are counted in `unit`, the largest generalised force at rest, so that rows have entries of like size.
#pragma once
#include "control/body_terms.hpp"
#include "control/elimination.hpp"
#include "control/row_sum.hpp"

namespace tarsus::TARSUS_ISA {

// Unknowns are counted through: accelerations, then forces. Written by whom is said behind each field.
template <class T>
struct Unknowns {
  int nv, forces, idles;            // unknowns, and freedoms without drive
  int n, width, free_v;             // variables, the same padded, and accelerations among them <- express
  int dense, dense_v;               // dense rows, and accelerations among them, which come first <- express
  EqualityRows<T> contact, motion;  // <- solve_contacts, solve_motion
  int* idle;                        // idles: freedoms without drive <- the caller, once
  int *touched, *column;            // nv: accelerations of the columns of `contact`, and theirs, -1: none <- solve_contacts
  int* listed;                      // unknowns: those of the columns of `motion` <- solve_motion
  int* place;                       // unknowns: their variable, or kSolved, from `express` on -1 - dense row
  int* free;                        // n: unknowns that are variables <- express
  int* solved;                      // dense: unknowns that are rows <- express
  int runs;                         // accelerations that are variables, by stretches that follow each other <- express
  int *run_begin, *run_end;         // runs, at most nv: unknowns of a stretch
  T *D, *d;                         // dense x width, dense: x_solved = D x + d <- express
  T* sum;                           // padded nv: scratch
  static constexpr int kOpen = 0, kSolved = -1;

  static void layout(Unknowns& u, const BodyProblem& p, auto take) {
    const size_t nv = p.model->nv, forces = p.forces, all = nv + forces, width = row_width<T>(static_cast<int>(all));
    u.nv = p.model->nv, u.forces = p.forces, u.idles = 0;
    for (size_t k = 0; k < nv; ++k) u.idles += p.driven[k] == 0;
    const size_t idles = u.idles, dense = p.contact_rows + idles;
    auto take_rows = [&](EqualityRows<T>& e, size_t rows, size_t columns) {
      e.rows = static_cast<int>(rows), e.columns = static_cast<int>(columns), e.width = row_width<T>(e.columns);
      take(e.E, rows * e.width), take(e.e, rows), take(e.pivot, rows);
    };
    take_rows(u.contact, p.contact_rows, nv), take_rows(u.motion, idles, all);
    take(u.idle, idles), take(u.touched, nv), take(u.column, nv), take(u.listed, all), take(u.place, all), take(u.free, all),
        take(u.solved, dense), take(u.run_begin, nv), take(u.run_end, nv);
    take(u.D, dense * width), take(u.d, dense), take(u.sum, row_width<T>(p.model->nv));
  }

  Elimination eliminate(const BodyTerms<T>& t, const T& unit) {
    Elimination found = solve_contacts(t);
    if (found == kEliminated) found = solve_motion(t, unit);
    if (found == kEliminated) express();
    return found;
  }

  // row = g . (vdot, y) for g over accelerations `along` and, where it is given, `factor` times `across` over forces, `stride`
  // apart; the constant part is returned. Entries that are zero cost nothing.
  T substitute(const T* along, const T* across, size_t stride, const T& factor, T* row) const {
    T* to = row;
    for (int r = 0; r < runs; ++r) {
      for (int k = run_begin[r]; k < run_end[r]; ++k) *to++ = along[k];
    }
    for (int j = free_v; j < n; ++j) *to++ = across ? factor * across[(free[j] - nv) * stride] : T{};
    clear(to, width - n);
    RowSum<T> sum_of(row, width);
    T rest{};
    const int count = across ? dense : dense_v;
    for (int r = 0; r < count; ++r) {
      const T x = r < dense_v ? along[solved[r]] : factor * across[(solved[r] - nv) * stride];
      sum_of.add(x, D + (size_t)r * width), rest += x * d[r];
    }
    sum_of.finish();
    return rest;
  }

  // The same of some forces one after the other.
  T substitute_forces(int first, const double* factor, int count, T* row) const {
    clear(row, width);
    RowSum<T> sum_of(row, width);
    T rest{};
    for (int j = 0; j < count; ++j) {
      const int at = place[nv + first + j];
      if (at < 0) sum_of.add(factor[j], D + (size_t)(-1 - at) * width), rest += factor[j] * d[-1 - at];
    }
    sum_of.finish();
    for (int j = 0; j < count; ++j) {
      const int at = place[nv + first + j];
      if (at >= 0) row[at] += factor[j];
    }
    return rest;
  }

  // Value of an unknown at x.
  T value(int unknown, const T* x) const {
    const int at = place[unknown];
    return at >= 0 ? x[at] : d[-1 - at] + dot(D + (size_t)(-1 - at) * width, x, width);
  }
  // Values of all unknowns at x.
  void values(const T* x, T* unknown) const {
    for (int j = 0; j < n; ++j) unknown[free[j]] = x[j];
    for (int r = 0; r < dense; ++r) unknown[solved[r]] = d[r] + dot(D + (size_t)r * width, x, width);
  }

 private:
  // Rows of contacts have entries of few accelerations: the others are left out.
  Elimination solve_contacts(const BodyTerms<T>& t) {
    contact.columns = 0;
    for (int k = 0; k < nv; ++k) {
      int r = 0;
      while (r < contact.rows && is_zero(t.C[(size_t)r * nv + k])) ++r;
      column[k] = r < contact.rows ? contact.columns : -1;
      if (r < contact.rows) touched[contact.columns++] = k;
    }
    contact.width = row_width<T>(contact.columns);
    for (int r = 0; r < contact.rows; ++r) {
      const T* from = t.C + (size_t)r * nv;
      T* row = contact.row(r);
      for (int c = 0; c < contact.columns; ++c) row[c] = from[touched[c]];
      clear(row + contact.columns, contact.width - contact.columns);
    }
    copy(contact.e, t.c, contact.rows);
    const Elimination found = contact.eliminate();
    for (int k = 0; k < nv + forces; ++k) place[k] = kOpen;
    for (int r = 0; r < contact.rows; ++r) {
      if (contact.pivot[r] >= 0) place[touched[contact.pivot[r]]] = kSolved;
    }
    return found;
  }

  Elimination solve_motion(const BodyTerms<T>& t, const T& unit) {
    EqualityRows<T>& e = motion;
    e.columns = 0;
    for (int k = nv; k < nv + forces; ++k) listed[e.columns++] = k;
    for (int k = 0; k < nv; ++k) {
      if (place[k] == kOpen) listed[e.columns++] = k;
    }
    e.width = row_width<T>(e.columns);
    for (int r = 0; r < e.rows; ++r) fill_motion_row(t, 1.0 / unit, r);
    const Elimination found = e.eliminate();
    for (int r = 0; r < e.rows; ++r) {
      if (e.pivot[r] < 0) return kRowsDoubtful;  // forces reach all accelerations that contacts hold: this is rounding
      place[listed[e.pivot[r]]] = kSolved;
    }
    return found;
  }
  void fill_motion_row(const BodyTerms<T>& t, const T& scale, int r) {
    const int k = idle[r];
    const T* M = t.M + (size_t)k * nv;
    T right = -t.h[k], *row = motion.row(r);
    for (int c = 0; c < contact.columns; ++c) sum[c] = M[touched[c]];
    clear(sum + contact.columns, contact.width - contact.columns);
    RowSum<T> sum_of(sum, contact.width);
    for (int i = 0; i < contact.rows; ++i) {
      if (contact.pivot[i] < 0) continue;
      const T factor = M[touched[contact.pivot[i]]];
      sum_of.add(-factor, contact.row(i)), right -= factor * contact.e[i];
    }
    sum_of.finish();
    for (int j = 0; j < forces; ++j) row[j] = -t.F[(size_t)j * nv + k];
    for (int j = forces; j < motion.columns; ++j) {
      const int c = column[listed[j]];
      row[j] = scale * (c >= 0 ? sum[c] : M[listed[j]]);
    }
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
    width = row_width<T>(n);
    for (int r = 0; r < motion.rows; ++r) {
      if (listed[motion.pivot[r]] < nv) add_motion_row(r);
    }
    const int before = dense;  // accelerations that rows of contacts still have
    for (int r = 0; r < contact.rows; ++r) {
      if (contact.pivot[r] < 0) continue;
      const T* own = contact.row(r);
      T* to = begin_row(touched[contact.pivot[r]], contact.e[r]);
      for (int c = 0; c < contact.columns; ++c) {
        if (const int j = place[touched[c]]; j >= 0) to[j] = -own[c];
      }
      for (int i = 0; i < before; ++i) {
        if (column[solved[i]] < 0) continue;
        const T factor = own[column[solved[i]]];
        add_scaled(to, -factor, D + (size_t)i * width, width), d[dense - 1] -= factor * d[i];
      }
    }
    dense_v = dense;
    for (int r = 0; r < motion.rows; ++r) {
      if (listed[motion.pivot[r]] >= nv) add_motion_row(r);
    }
  }
  void add_motion_row(int r) {
    T* to = begin_row(listed[motion.pivot[r]], motion.e[r]);
    for (int j = 0; j < motion.columns; ++j) {
      if (place[listed[j]] >= 0) to[place[listed[j]]] = -motion.row(r)[j];
    }
  }
  T* begin_row(int unknown, const T& constant) {
    T* to = D + (size_t)dense * width;
    clear(to, width);
    place[unknown] = -1 - dense, solved[dense] = unknown, d[dense++] = constant;
    return to;
  }
};

}  // namespace tarsus::TARSUS_ISA
