// Which rows of a Jacobian are independent, and how the others follow from them. Rows that share no column are judged apart, so
// that the work grows with the number of loops, not with its cube.
//
// A pivoted Cholesky factorisation of J J^T takes rows as long as they stand out of those taken before. It sees rows as they are
// down to the square root of rounding only; what is left out is therefore verified, J_D = C J_I, and doubtful cases are decided
// by pivoted orthogonalisation of the rows themselves (one state at a time).
//
// Multipliers of least norm: with B = (1; C) every force J^T lambda = J_I^T B^T lambda, so that lambda = B (B^T B)^-1 lambda_I.
#pragma once
#include "kernels/factorisation/cholesky.hpp"
#include "kernels/workspace.hpp"
#include "model/constraints.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kStandsOut = 1e-6;      // share of a row's square that is independent of others: taken without doubt
constexpr double kPreferred = 0.02;      // share from which on rows are taken in the order given
constexpr double kFollows = 1e-10;       // below it a row seems to follow from others
constexpr double kSmallestRow = 1e-280;  // square of rows that are zero

template <class T>
struct IndependentRows {
  T* factor;        // component_squares: lower triangles; rows of dependents hold C
  T *square, *row;  // largest_component^2; nv
  int* order;       // rows of each component, independent ones first
  int* rank;        // of each component
  int* taken;       // all independent rows, in ascending order
  int* place;       // of each row among them, -1 for dependent ones
  int count;        // of them
};

// Smallest lane.
template <class T>
TARSUS_INLINE double least(const T& x) {
  double y = lane(x, 0);
  for (int l = 1; l < lanes<T>; ++l) y = lane(x, l) < y ? lane(x, l) : y;
  return y;
}
template <class T>
TARSUS_INLINE double greatest(const T& x) {
  double y = lane(x, 0);
  for (int l = 1; l < lanes<T>; ++l) y = lane(x, l) > y ? lane(x, l) : y;
  return y;
}

// Calls f(k) for the columns of some ranges.
template <class F>
TARSUS_INLINE void for_columns(const ConstraintTable& c, const ColumnRanges& ranges, F f) {
  for (int i = ranges.first; i < ranges.first + ranges.count; ++i) {
    for (int k = c.range[i].begin; k < c.range[i].end; ++k) f(k);
  }
}

// One component: rows of J, n of them, and the lower triangle L.
template <class T>
struct RowComponent {
  int n;
  int* order;
  T* L;        // n x n
  T* inverse;  // n: of the diagonal of L
  const T* J;
  size_t width;
  const T* of(int i) const { return J + (size_t)order[i] * width; }
  // Exchanges rows and columns i < k of the lower triangle.
  void swap(int i, int k) const {
    if (i == k) return;
    exchange(order[i], order[k]);
    auto at = [&](int r, int c) -> T& { return L[(size_t)r * n + c]; };
    for (int c = 0; c < i; ++c) exchange(at(i, c), at(k, c));
    for (int c = i + 1; c < k; ++c) exchange(at(c, i), at(k, c));
    for (int c = k + 1; c < n; ++c) exchange(at(c, i), at(c, k));
    exchange(at(i, i), at(k, k));
  }
};

// Cholesky factorisation of the Gram matrix in x.L with pivots: the first row that stands out well, or else the one that stands
// out most, in the lane where it does least. Preferring the first keeps the choice while a mechanism moves: inside a step of an
// integrator redundant rows agree up to the error of the stage only, and a choice that changes would cost it its order.
// Returns the rank, or -1 where lanes disagree or the case is in doubt.
template <class T>
inline int factor_gram(const RowComponent<T>& x, const T& smallest) {
  const int n = x.n;
  T* share_of = x.inverse;  // 1 / own square of rows not taken yet, zero for rows that are nothing
  for (int i = 0; i < n; ++i) {
    const T own = x.L[(size_t)i * n + i];
    share_of[i] = 1.0 / own;
    for (int l = 0; l < lanes<T>; ++l) {
      if (!(lane(own, l) > lane(smallest, l))) set_lane(share_of[i], l, 0.0);
    }
  }
  for (int j = 0; j < n; ++j) {
    // Pivot: what is left of row i in the direction of no row before, as a share of its own square.
    int best = -1;
    double share = kStandsOut;
    for (int i = j; i < n; ++i) {
      const T left = x.L[(size_t)i * n + i];
      const double least_share = least(T(left * share_of[i]));
      if (least_share > share && least(T(left - 4.0 * smallest)) > 0.0) best = i, share = least_share;
      if (share > kPreferred) break;
    }
    // Nothing stands out: the rank is j, unless what is left of some row is neither small nor large.
    if (best < 0) {
      for (int i = j; i < n; ++i) {
        const T left = x.L[(size_t)i * n + i];
        if (greatest(T(left * share_of[i])) > kFollows && greatest(T(left - smallest)) > 0.0) return -1;
      }
      return j;
    }
    // Column j of L, and what it takes off the rows behind.
    x.swap(j, best);
    exchange(share_of[j], share_of[best]);
    const T inverse = 1.0 / sqrt_of(x.L[(size_t)j * n + j]);
    x.inverse[j] = inverse;
    for (int i = j; i < n; ++i) x.L[(size_t)i * n + j] = x.L[(size_t)i * n + j] * inverse;
    for (int i = j + 1; i < n; ++i) {
      T* Li = x.L + (size_t)i * n;
      const T l = Li[j];
      for (int k = j + 1; k <= i; ++k) Li[k] = Li[k] - l * x.L[(size_t)k * n + j];
    }
  }
  return n;
}

// The same by orthogonalisation of the rows, twice each; L_ij is the share of row i along the j-th direction.
inline int factor_rows(const RowComponent<double>& x, double smallest, double* Q) {
  const int n = x.n, width = static_cast<int>(x.width);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < width; ++k) Q[(size_t)i * width + k] = x.of(i)[k];
    for (int k = 0; k < n; ++k) x.L[(size_t)i * n + k] = 0.0;
  }
  auto product = [&](int i, int k) {
    double sum = 0.0;
    for (int c = 0; c < width; ++c) sum += Q[(size_t)i * width + c] * Q[(size_t)k * width + c];
    return sum;
  };
  for (int j = 0; j < n; ++j) {
    // Pivot: the first row of which enough is left, else the longest.
    int best = j;
    for (int i = j; i < n; ++i) {
      if (product(i, i) > product(best, best)) best = i;
      double own = 0.0;
      for (int c = 0; c < width; ++c) own += x.of(i)[c] * x.of(i)[c];
      if (product(i, i) > kPreferred * own && product(i, i) > smallest) {
        best = i;
        break;
      }
    }
    const double square = product(best, best);
    if (!(square > smallest)) return j;
    x.swap(j, best);
    for (int c = 0; c < width; ++c) exchange(Q[(size_t)j * width + c], Q[(size_t)best * width + c]);
    // The j-th direction, and its shares in the rows behind.
    const double length = __builtin_sqrt(square);
    x.L[(size_t)j * n + j] = length;
    x.inverse[j] = 1.0 / length;
    for (int c = 0; c < width; ++c) Q[(size_t)j * width + c] /= length;
    for (int i = j + 1; i < n; ++i) {
      for (int pass = 0; pass < 2; ++pass) {
        const double share = product(i, j);
        x.L[(size_t)i * n + j] += share;
        for (int c = 0; c < width; ++c) Q[(size_t)i * width + c] -= share * Q[(size_t)j * width + c];
      }
    }
  }
  return n;
}

// Rows of dependents: C = L_D L_I^-1 in place.
template <class T>
inline void relate_dependents(const RowComponent<T>& x, int rank) {
  const int n = x.n;
  for (int i = rank; i < n; ++i) {
    T* C = x.L + (size_t)i * n;
    for (int j = rank - 1; j >= 0; --j) {
      T sum = C[j];
      for (int k = j + 1; k < rank; ++k) sum = sum - C[k] * x.L[(size_t)k * n + j];
      C[j] = sum * x.inverse[j];
    }
  }
}

// Whether C leaves less of the dependent rows than may be left.
template <class T>
inline bool dependents_follow(const ConstraintTable& c, const ColumnRanges& columns, const RowComponent<T>& x, int rank,
                              const T& smallest, T* row) {
  for (int i = rank; i < x.n; ++i) {
    const T* C = x.L + (size_t)i * x.n;
    const T* own = x.of(i);
    for_columns(c, columns, [&](int k) TARSUS_LAMBDA { row[k] = own[k]; });
    for (int j = 0; j < rank; ++j) {
      const T *J = x.of(j), share = C[j];
      for_columns(c, columns, [&](int k) TARSUS_LAMBDA { row[k] = row[k] - share * J[k]; });
    }
    T sum = broadcast<T>(0.0);
    for_columns(c, columns, [&](int k) TARSUS_LAMBDA { sum = sum + row[k] * row[k]; });
    for (int l = 0; l < lanes<T>; ++l) {
      if (lane(sum, l) > lane(smallest, l)) return false;
    }
  }
  return true;
}

// Products of one row with `count` others at once, over some ranges of columns; several sums, because one would be a chain.
template <int count, class T>
TARSUS_INLINE void row_products(const ConstraintTable& c, const ColumnRanges& ranges, const T* a, const T* const* b, T* sum) {
  for (int s = 0; s < count; ++s) sum[s] = broadcast<T>(0.0);
  for_columns(c, ranges, [&](int k) TARSUS_LAMBDA {
    TARSUS_UNROLL
    for (int s = 0; s < count; ++s) sum[s] = sum[s] + a[k] * b[s][k];
  });
}

// A A^T for rows of A (each `width` long) into `gram` (size x size, lower triangle, which is zero before): only blocks that share
// columns meet. Row r of the table is row place(r) of the result, negative for those left out.
template <class T, class Place>
TARSUS_INLINE void add_gram(const ConstraintTable& c, const Meeting* meeting, int meetings, const T* A, size_t width, Place place,
                            size_t size, T* gram) {
  for (int i = 0; i < meetings; ++i) {
    const Meeting& x = meeting[i];
    const RowBlock &p = c.block[x.p], &q = c.block[x.q];
    const ColumnRanges ranges{x.first, x.ranges};
    for (int r = p.first; r < p.first + p.rows; ++r) {
      if (place(r) < 0) continue;
      const T *a = A + (size_t)r * width, *others[3];
      T sum[3], *to = gram + place(r) * size;
      int places[3], found = 0;
      const int end = x.p == x.q ? r + 1 : q.first + q.rows;
      for (int s = q.first; s < end; ++s) {
        if (place(s) < 0) continue;
        others[found] = A + (size_t)s * width, places[found++] = place(s);
        if (found < 3) continue;
        row_products<3>(c, ranges, a, others, sum);
        for (int n = 0; n < 3; ++n) to[places[n]] = sum[n];
        found = 0;
      }
      for (int n = 0; n < found; ++n) {
        row_products<1>(c, ranges, a, others + n, sum);
        to[places[n]] = sum[0];
      }
    }
  }
}

// Finds the independent rows of J (rows x width). Returns false where the lanes of a pack must be looked at one by one. `gram`
// has rows x rows entries, `rows` as many as J.
template <class T>
inline bool find_independent_rows(const ConstraintTable& c, size_t width, const T* J, double tolerance, T* gram, T* rows,
                                  IndependentRows<T>& out) {
  const int m = c.rows;
  // G = J J^T, and the square below which a row is nothing.
  if (m > 0) std::memset(static_cast<void*>(gram), 0, (size_t)m * m * sizeof(T));
  add_gram(c, c.meeting, c.meetings, J, width, [](int r) TARSUS_LAMBDA { return r; }, m, gram);
  T smallest = broadcast<T>(0.0);
  for (int r = 0; r < m; ++r) smallest = larger_magnitude(smallest, gram[(size_t)r * m + r]);
  smallest = each_lane(
      smallest, [&](double x) { return tolerance * tolerance * x > kSmallestRow ? tolerance * tolerance * x : kSmallestRow; });
  // Components one by one: factorised, verified, and in doubt decided by orthogonalisation.
  size_t place = 0;
  for (int k = 0; k < c.components; ++k) {
    const int first = c.component_first[k], n = c.component_first[k + 1] - first;
    const RowComponent<T> x{n, out.order + first, out.factor + place, out.square, J, width};
    for (int i = 0; i < n; ++i) x.order[i] = c.component_row[first + i];
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        x.L[(size_t)i * n + j] = gram[(size_t)x.order[i] * m + x.order[j]];
      }
    }
    int rank = factor_gram(x, smallest);
    if (rank >= 0 && rank < n) {
      relate_dependents(x, rank);
      if (!dependents_follow(c, c.component_columns[k], x, rank, smallest, out.row)) rank = -1;
    }
    if constexpr (lanes<T> > 1) {
      if (rank < 0) return false;
    } else if (rank < 0) {
      rank = factor_rows(x, smallest, rows);
      relate_dependents(x, rank);
    }
    out.rank[k] = rank;
    place += (size_t)n * n;
  }
  // Independent rows in ascending order, whatever the order of their pivots.
  for (int r = 0; r < m; ++r) out.place[r] = -1;
  for (int k = 0; k < c.components; ++k) {
    for (int i = 0; i < out.rank[k]; ++i) out.place[out.order[c.component_first[k] + i]] = 0;
  }
  out.count = 0;
  for (int r = 0; r < m; ++r) {
    if (out.place[r] < 0) continue;
    out.place[r] = out.count;
    out.taken[out.count++] = r;
  }
  return true;
}

// Spreads multipliers of the independent rows over all rows, with the least norm; `lambda` is zero at the others before.
// Afterwards `rest` (in: what dependent rows lack, zero at the others) holds what no combination of rows reaches.
template <class T>
inline void spread_multipliers(const ConstraintTable& c, const IndependentRows<T>& rows, T* lambda, T* rest) {
  size_t place = 0;
  for (int k = 0; k < c.components; ++k) {
    const int first = c.component_first[k], n = c.component_first[k + 1] - first, rank = rows.rank[k];
    const int* order = rows.order + first;
    const T* C = rows.factor + place + (size_t)rank * n;  // n - rank rows
    place += (size_t)n * n;
    if (rank == n) continue;
    T *A = rows.square, *x = rows.row, *y = x + rank;
    for (int i = 0; i < rank; ++i) {
      for (int j = 0; j <= i; ++j) {
        T sum = broadcast<T>(i == j ? 1.0 : 0.0);
        for (int d = 0; d < n - rank; ++d) sum = sum + C[(size_t)d * n + i] * C[(size_t)d * n + j];
        A[i * rank + j] = sum;
      }
      x[i] = lambda[order[i]], y[i] = broadcast<T>(0.0);
      for (int d = 0; d < n - rank; ++d) y[i] = y[i] + C[(size_t)d * n + i] * rest[order[rank + d]];
    }
    cholesky_factor(rank, A);
    cholesky_substitute(rank, static_cast<const T*>(A), x);
    cholesky_substitute(rank, static_cast<const T*>(A), y);
    for (int i = 0; i < rank; ++i) lambda[order[i]] = x[i], rest[order[i]] = -y[i];
    for (int d = 0; d < n - rank; ++d) {
      T sum = broadcast<T>(0.0), reached = sum;
      for (int i = 0; i < rank; ++i) sum = sum + C[(size_t)d * n + i] * x[i], reached = reached + C[(size_t)d * n + i] * y[i];
      lambda[order[rank + d]] = sum, rest[order[rank + d]] = rest[order[rank + d]] - reached;
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
