// Equality rows solved for some of their variables: Gauss-Jordan elimination with pivots of rows and columns, which also tells
// which rows depend on others. Rows of several robots, one a lane, are solved for the same variables; where they cannot be, they
// are doubtful.
#pragma once
#include "control/row_operations.hpp"

namespace tarsus::TARSUS_ISA {

// Rows are brought to length one. A row whose entries are below the first number depends on others; where they are above it and
// below the second one, whether it does is a matter of rounding.
constexpr double kNoPivot = 1e-12, kSmallPivot = 1e-5;
// Rows are solved for their largest entry; those where it is small wait for the others, which may make it larger.
constexpr double kPivots[] = {0.1, 1e-2, 1e-3, kSmallPivot};
// By how much dependent rows may miss their right side, relative to the largest one; between the two it is in doubt.
constexpr double kConsistent = 1e-9, kContradicts = 1e-6;

enum Elimination { kEliminated, kRowsContradict, kRowsDoubtful };

template <class T>
struct EqualityRows {
  int rows, columns, width;  // width: padded columns
  T *E, *e;                  // rows x width, rows: E x = e <- caller; x_pivot = e - sum of others <- eliminate
  int* pivot;                // rows: column that a row is solved for, -1 where it depends on others <- eliminate

  T* row(int r) const { return E + (size_t)r * width; }

  Elimination eliminate() {
    const T one = broadcast<T>(1.0);
    T right = one;
    for (int r = 0; r < rows; ++r) {
      const T size = sqrt_of<T>(dot(row(r), row(r), width)), scale = select<T>(less<T>(T{}, size), one / size, one);
      scale_row(row(r), scale, row(r), width);
      e[r] *= scale, pivot[r] = -1;
      right = larger<T>(right, magnitude<T>(e[r]));
    }
    for (const double least : kPivots) {
      for (int r = 0; r < rows; ++r) {
        if (pivot[r] >= 0) continue;
        const Pivot found = find_pivot(row(r), columns, width);
        if (found.size > least) solve_for(r, found.column);
      }
    }
    return judge_rest(right);
  }

 private:
  void solve_for(int r, int column) {
    T* own = row(r);
    const T scale = 1.0 / own[column];
    scale_row(own, scale, own, width);
    own[column] = broadcast<T>(1.0), e[r] *= scale, pivot[r] = column;
    for (int i = 0; i < rows; ++i) {
      const T factor = row(i)[column];
      if (i == r || is_zero(factor)) continue;
      T* other = row(i);
      add_scaled(other, -factor, own, width);
      other[column] = T{}, e[i] -= factor * e[r];
    }
  }
  // Rows that are left depend on others: whether they say the same.
  Elimination judge_rest(const T& right) const {
    double missed = 0.0;
    for (int r = 0; r < rows; ++r) {
      if (pivot[r] >= 0) continue;
      if (most_of(largest(row(r), width)) > kNoPivot) return kRowsDoubtful;
      missed = larger(missed, most_of(magnitude<T>(e[r]) / right));
    }
    if (missed <= kConsistent) return kEliminated;
    return missed > kContradicts && lanes<T> == 1 ? kRowsContradict : kRowsDoubtful;
  }
};

}  // namespace tarsus::TARSUS_ISA
