// Derivatives of accelerations and multipliers from those of the equations: with the residuals
//   r1 = inverse dynamics - J^T lambda - tau,   r2 = J vdot + bias + 2 alpha (rate) + beta^2 (violation)
// that are zero,
//   (M, -J^T; J, 0) (d vdot; d lambda) = -(d r1; d r2)     Buschmann 2014 (3.58), (3.61) differentiated
// for the independent rows of J: with X = M^-1 J^T, G = J X and D = -M^-1 d r1,
//   d lambda = G^-1 (-d r2 - J D),   d vdot = D + X d lambda.
// Multipliers of redundant rows are those of least norm: with the pseudo-inverse J^+ and y such that J y = lambda,
//   d lambda = (J^T)^+ (J^T d lambda) + (1 - J J^+) (d J) y.
#pragma once
#include "kernels/constraints/multiplier_problem.hpp"

namespace tarsus::TARSUS_ISA {

// y + a x into y.
template <class T>
TARSUS_INLINE void add_row(size_t n, const T& a, const T* __restrict x, T* __restrict y) {
  for (size_t k = 0; k < n; ++k) y[k] = y[k] + a * x[k];
}

// M^-1 on many right-hand sides at once, from the factor of cholesky_factor: row(i) are their i-th entries, `width` of them.
template <class T, class Row>
TARSUS_KERNEL void cholesky_substitute_rows(int n, const T* L, size_t width, Row row) {
  for (int i = 0; i < n; ++i) {
    T* x = row(i);
    for (int k = 0; k < i; ++k) add_row<T>(width, -L[(size_t)i * n + k], row(k), x);
    for (size_t c = 0; c < width; ++c) x[c] = x[c] * L[(size_t)i * n + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    T* x = row(i);
    for (size_t c = 0; c < width; ++c) x[c] = x[c] * L[(size_t)i * n + i];
    for (int k = 0; k < i; ++k) add_row<T>(width, -L[(size_t)i * n + k], x, row(k));
  }
}

// The state of the equations, and where the derivatives go.
template <class T>
struct DerivedProblem {
  const ConstraintTable& table;
  const IndependentRows<T>& rows;
  size_t nv;
  const T* jacobian;      // rows x nv
  const T *by_q, *by_v;   // d r2 / dq, dv, rows x nv
  T *X, *G;               // rows x nv: row i of the independent ones is M^-1 J_i^T; their response, factored by respond()
  T *vdot, *multipliers;  // 3 x nv x nv with D before, 3 x rows x nv: by q, v, tau
};

// Factors G; X must be there.
template <class T>
inline void respond(const DerivedProblem<T>& x) {
  const int n = x.rows.count;
  for (int b = 0; b < x.table.blocks; ++b) {
    const RowBlock& block = x.table.block[b];
    for (int r = block.first; r < block.first + block.rows; ++r) {
      const int i = x.rows.place[r];
      if (i < 0) continue;
      const T* J = x.jacobian + (size_t)r * x.nv;
      for (int k = 0; k <= i; ++k) {
        T sum = broadcast<T>(0.0);
        for_columns(x.table, block.own, [&](int c) TARSUS_LAMBDA { sum = sum + J[c] * x.X[k * x.nv + c]; });
        x.G[(size_t)i * n + k] = sum;
      }
    }
  }
  factor_response(n, x.G);
}

// Derivatives by all of q, v and tau, for independent rows; those of dependent rows are zero afterwards.
template <class T>
TARSUS_KERNEL void derive_multipliers(const DerivedProblem<T>& x) {
  const int n = x.rows.count;
  const size_t nv = x.nv;
  for (int s = 0; s < 3; ++s) {
    T *D = x.vdot + s * nv * nv, *E = x.multipliers + (size_t)s * x.table.rows * nv;
    const T* r2 = s == 0 ? x.by_q : x.by_v;
    for (int b = 0; b < x.table.blocks; ++b) {
      const RowBlock& block = x.table.block[b];
      for (int r = block.first; r < block.first + block.rows; ++r) {
        T* to = E + r * nv;
        const bool taken = x.rows.place[r] >= 0;
        for (size_t c = 0; c < nv; ++c) to[c] = taken && s < 2 ? -r2[r * nv + c] : broadcast<T>(0.0);
        if (!taken) continue;
        const T* J = x.jacobian + r * nv;
        for_columns(x.table, block.own, [&](int k) TARSUS_LAMBDA { add_row<T>(nv, -J[k], D + k * nv, to); });
      }
    }
    auto row = [&](int i) TARSUS_LAMBDA { return E + x.rows.taken[i] * nv; };
    cholesky_substitute_rows(n, static_cast<const T*>(x.G), nv, row);
    for (int i = 0; i < n; ++i) {
      const T *response = x.X + i * nv, *share = row(i);
      for (size_t k = 0; k < nv; ++k) add_row<T>(nv, response[k], share, D + k * nv);
    }
  }
}

// Where rows are redundant: y with J y = lambda, from the multipliers of all rows. `share` has `rows` entries.
template <class T>
inline void multiplier_motion(const DerivedProblem<T>& x, const T* lambda, T* share, T* y) {
  const int n = x.rows.count;
  for (int i = 0; i < n; ++i) share[i] = lambda[x.rows.taken[i]];
  cholesky_substitute(n, static_cast<const T*>(x.G), share);
  for (size_t k = 0; k < x.nv; ++k) y[k] = broadcast<T>(0.0);
  for (int i = 0; i < n; ++i) add_row<T>(x.nv, share[i], x.X + i * x.nv, y);
}

// Spreads derivatives of independent multipliers over all rows; `turning` is (d J) y, rows x nv. `lambda` and `rest` have `rows`
// entries.
template <class T>
inline void spread_derivatives(const DerivedProblem<T>& x, const T* turning, T* lambda, T* rest) {
  const ConstraintTable& c = x.table;
  const size_t nv = x.nv;
  for (int s = 0; s < 3; ++s) {
    T* E = x.multipliers + (size_t)s * c.rows * nv;
    for (size_t j = 0; j < nv; ++j) {
      size_t place = 0;
      for (int r = 0; r < c.rows; ++r) lambda[r] = E[r * nv + j], rest[r] = broadcast<T>(0.0);
      for (int k = 0; s == 0 && k < c.components; ++k) {
        const int first = c.component_first[k], size = c.component_first[k + 1] - first, rank = x.rows.rank[k];
        const int* order = x.rows.order + first;
        for (int d = rank; d < size; ++d) {
          T lacks = turning[order[d] * nv + j];
          const T* C = x.rows.factor + place + (size_t)d * size;
          for (int i = 0; i < rank; ++i) lacks = lacks - C[i] * turning[order[i] * nv + j];
          rest[order[d]] = lacks;
        }
        place += (size_t)size * size;
      }
      spread_multipliers(c, x.rows, lambda, rest);
      for (int r = 0; r < c.rows; ++r) E[r * nv + j] = lambda[r] + rest[r];
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
