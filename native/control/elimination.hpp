// Equality rows solved for some of their variables: Gauss-Jordan elimination with pivots of rows and columns, which also tells
// which rows depend on others.
#pragma once
#include "optimization/padded_vectors.hpp"

namespace tarsus::TARSUS_ISA {

// Rows are brought to length one. A row whose entries are below the first number depends on others; where they are above it and
// below the second one, whether it does is a matter of rounding.
constexpr double kNoPivot = 1e-12, kSmallPivot = 1e-5;
// Rows are solved for their largest entry; those where it is small wait for the others, which may make it larger.
constexpr double kPivots[] = {0.1, 1e-2, 1e-3, kSmallPivot};
// By how much dependent rows may miss their right side, relative to the largest one; between the two it is in doubt.
constexpr double kConsistent = 1e-9, kContradicts = 1e-6;

enum Elimination { kEliminated, kRowsContradict, kRowsDoubtful };

struct EqualityRows {
  int rows, columns, width;  // width: padded columns
  double *E, *e;             // rows x width, rows: E x = e <- caller; x_pivot = e - sum of others <- eliminate
  int* pivot;                // rows: column that a row is solved for, -1 where it depends on others <- eliminate

  double* row(int r) const { return E + (size_t)r * width; }

  Elimination eliminate() {
    double right = 1.0;
    for (int r = 0; r < rows; ++r) {
      const double size = __builtin_sqrt(dot(row(r), row(r), width)), scale = size > 0.0 ? 1.0 / size : 1.0;
      for (int j = 0; j < width; j += kLanes) store(row(r) + j, scale * load<Pack>(row(r) + j));
      e[r] *= scale, pivot[r] = -1;
      right = larger(right, __builtin_fabs(e[r]));
    }
    for (const double least : kPivots) {
      for (int r = 0; r < rows; ++r) {
        if (pivot[r] >= 0) continue;
        const double most = largest(row(r), width);
        if (most > least) solve_for(r, column_of(row(r), most));
      }
    }
    return judge_rest(right);
  }

 private:
  int column_of(const double* a, double size) const {
    int k = 0;
    while (k + 1 < columns && __builtin_fabs(a[k]) != size) ++k;
    return k;
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
    }
  }
  // Rows that are left depend on others: whether they say the same.
  Elimination judge_rest(double right) const {
    double missed = 0.0;
    for (int r = 0; r < rows; ++r) {
      if (pivot[r] >= 0) continue;
      if (largest(row(r), width) > kNoPivot) return kRowsDoubtful;
      missed = larger(missed, __builtin_fabs(e[r]));
    }
    if (missed <= kConsistent * right) return kEliminated;
    return missed > kContradicts * right ? kRowsContradict : kRowsDoubtful;
  }
};

}  // namespace tarsus::TARSUS_ISA
