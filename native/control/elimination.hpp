// Equality rows solved for some of their variables: Gauss-Jordan elimination with complete pivoting, which also tells which rows
// depend on others.
#pragma once
#include "optimization/padded_vectors.hpp"

namespace tarsus::TARSUS_ISA {

// Rows are brought to length one. Pivots below the first are rounding: the row depends on others. Between them, whether it does
// is a matter of rounding, and nobody else's answer would be the same.
constexpr double kNoPivot = 1e-12, kSmallPivot = 1e-5;
// By how much dependent rows may miss their right side, relative to the largest one; between the two it is in doubt.
constexpr double kConsistent = 1e-9, kContradicts = 1e-6;

enum Elimination { kEliminated, kRowsContradict, kRowsDoubtful };

struct EqualityRows {
  int rows, columns, width;  // width: padded columns
  double *E, *e;             // rows x width, rows: E x = e <- caller; x_pivot = e - sum of others <- eliminate
  double* most;              // rows: largest entry <- eliminate
  int* pivot;                // rows: column that a row is solved for, -1 where it depends on others <- eliminate

  double* row(int r) const { return E + (size_t)r * width; }

  Elimination eliminate() {
    double right = 1.0;
    for (int r = 0; r < rows; ++r) {
      const double size = __builtin_sqrt(dot(row(r), row(r), width)), scale = size > 0.0 ? 1.0 / size : 1.0;
      for (int j = 0; j < width; j += kLanes) store(row(r) + j, scale * load<Pack>(row(r) + j));
      e[r] *= scale, pivot[r] = -1, most[r] = largest(row(r), width);
      right = larger(right, __builtin_fabs(e[r]));
    }
    for (int done = 0; done < rows; ++done) {
      int next = -1;
      for (int r = 0; r < rows; ++r) {
        if (pivot[r] < 0 && (next < 0 || most[r] > most[next])) next = r;
      }
      if (!(most[next] > kNoPivot)) return judge_rest(right);
      if (!(most[next] > kSmallPivot)) return kRowsDoubtful;
      solve_for(next, column_of_largest(row(next)));
    }
    return kEliminated;
  }

 private:
  int column_of_largest(const double* a) const {
    int found = 0;
    for (int j = 1; j < columns; ++j) {
      if (__builtin_fabs(a[j]) > __builtin_fabs(a[found])) found = j;
    }
    return found;
  }
  void solve_for(int r, int column) {
    double* own = row(r);
    const double scale = 1.0 / own[column];
    for (int j = 0; j < width; j += kLanes) store(own + j, scale * load<Pack>(own + j));
    own[column] = 1.0, e[r] *= scale, pivot[r] = column;
    for (int i = 0; i < rows; ++i) {
      const double factor = row(i)[column];
      if (i == r || factor == 0.0) continue;
      double* other = row(i);
      add_scaled(other, -factor, own, width);
      other[column] = 0.0, e[i] -= factor * e[r];
      if (pivot[i] < 0) most[i] = largest(other, width);
    }
  }
  // Rows that are left depend on others: whether they say the same.
  Elimination judge_rest(double right) const {
    double missed = 0.0;
    for (int r = 0; r < rows; ++r) {
      if (pivot[r] < 0) missed = larger(missed, __builtin_fabs(e[r]));
    }
    if (missed <= kConsistent * right) return kEliminated;
    return missed > kContradicts * right ? kRowsContradict : kRowsDoubtful;
  }
};

}  // namespace tarsus::TARSUS_ISA
