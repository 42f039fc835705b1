// Multipliers by a factorisation that exploits the tree, Buschmann 2014 (3.58), (3.61): vdot is eliminated first. With M = L^T L
// along the tree (sparse_cholesky.hpp), Y = L^-T J^T and y = L^-T force, the Schur complement is G = Y^T Y:
//   G lambda = target - Y^T y,   vdot = L^-1 (y + Y lambda).
// A column of Y is zero but on the ways from the constraint's joints to the root, and only common parts of these ways meet in G:
// O(n d^2 + m d^2 + m^2 d + m^3) for depth d.
#pragma once
#include "kernels/constraints/multiplier_problem.hpp"
#include "kernels/factorisation/sparse_cholesky.hpp"

namespace tarsus::TARSUS_ISA {

// L^-T applied to the rows of one block of J at once, in place; `rows` of them are given.
template <class T>
TARSUS_INLINE void respond_block(const Model& m, const PackedRows& packed, const T* L, const ConstraintTable& c,
                                 const RowBlock& b, T* const* row, int rows) {
  for (int e = b.response; e < b.response + b.responses; ++e) {
    const int k = c.response[e];
    const T* Lk = L + packed.start[k];
    long depth = packed.depth[k];
    const T inverse = Lk[depth];
    for (int r = 0; r < rows; ++r) row[r][k] = row[r][k] * inverse;
    for (int i = m.dof_parent[k]; i >= 0; i = m.dof_parent[i]) {
      const T l = Lk[--depth];
      for (int r = 0; r < rows; ++r) row[r][i] = row[r][i] - l * row[r][k];
    }
  }
}

// The Schur complement and the multipliers, once Y (rows as in J) and y are there; adds Y lambda to y.
template <class T>
inline void solve_response(const MultiplierProblem<T>& x, const T* Y, T* y, T* G) {
  const ConstraintTable& c = x.table;
  const int n = x.rows.count;
  if (n == 0) return;
  std::memset(static_cast<void*>(G), 0, (size_t)n * n * sizeof(T));
  const int* place = x.rows.place;
  add_gram(c, c.response_meeting, c.response_meetings, Y, x.width, [=](int r) TARSUS_LAMBDA { return place[r]; }, n, G);
  factor_response(n, G);
  T* rhs = x.lambda;  // of the independent rows, one after the other
  for_taken(x, [&](int i, int r, const RowBlock& b) TARSUS_LAMBDA {
    const T* row = Y + r * x.width;
    T sum = x.target[r];
    for_columns(c, b.felt, [&](int k) TARSUS_LAMBDA { sum = sum - row[k] * y[k]; });
    rhs[i] = sum;
  });
  cholesky_substitute(n, static_cast<const T*>(G), rhs);
  for_taken(x, [&](int i, int r, const RowBlock& b) TARSUS_LAMBDA {
    const T *row = Y + r * x.width, share = rhs[i];
    for_columns(c, b.felt, [&](int k) TARSUS_LAMBDA { y[k] = y[k] + share * row[k]; });
  });
}

// Moves the multipliers of independent rows from the front to their places.
template <class T>
inline void place_multipliers(const MultiplierProblem<T>& x) {
  for (int i = x.rows.count - 1; i >= 0; --i) {
    const T value = x.lambda[i];
    x.lambda[i] = broadcast<T>(0.0);
    x.lambda[x.rows.taken[i]] = value;
  }
}

// Trees: M is packed and factored already; x.vdot holds the force.
template <class T>
TARSUS_KERNEL void multipliers_sparse(const Model& m, const PackedRows& packed, const T* L, const MultiplierProblem<T>& x, T* Y,
                                      T* G) {
  const ConstraintTable& c = x.table;
  for (int i = 0; i < c.blocks; ++i) {
    const RowBlock& b = c.block[i];
    T* row[6];
    int rows = 0;
    for (int r = b.first; r < b.first + b.rows; ++r) {
      if (x.rows.place[r] < 0) continue;
      const T* J = x.jacobian + r * x.width;
      T* own = row[rows++] = Y + r * x.width;
      for_columns(c, b.felt, [&](int k) TARSUS_LAMBDA { own[k] = J[k]; });
    }
    if (rows > 0) respond_block(m, packed, L, c, b, row, rows);
  }
  sparse_rootward(m, packed, L, x.vdot);
  solve_response(x, static_cast<const T*>(Y), x.vdot, G);
  sparse_leafward(m, packed, L, x.vdot);
  place_multipliers(x);
}

// Models with dependent joints: couplings fill the zeros of M, which is factored as a dense matrix.
template <class T>
TARSUS_KERNEL void multipliers_filled(const T* L, const MultiplierProblem<T>& x, T* Y, T* G) {
  const int nv = static_cast<int>(x.width);
  std::memcpy(static_cast<void*>(Y), x.jacobian, (size_t)x.table.rows * nv * sizeof(T));
  for (int i = 0; i < x.rows.count; ++i) cholesky_forward(nv, L, Y + x.rows.taken[i] * x.width);
  cholesky_forward(nv, L, x.vdot);
  solve_response(x, static_cast<const T*>(Y), x.vdot, G);
  cholesky_backward(nv, L, x.vdot);
  place_multipliers(x);
}

}  // namespace tarsus::TARSUS_ISA
