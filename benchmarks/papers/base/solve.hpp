// M x = r by Cholesky's factorisation, on all entries and on those that the tree lets differ from zero.
#pragma once
#include <cmath>

#include "matrix.hpp"

// M = L L^T.
inline Matrix solve_dense(Matrix M, Matrix x) {
  const int n = M.rows;
  for (int k = 0; k < n; ++k) {
    M(k, k) = std::sqrt(M(k, k));
    for (int i = k + 1; i < n; ++i) M(i, k) /= M(k, k);
    for (int j = k + 1; j < n; ++j)
      for (int i = j; i < n; ++i) M(i, j) -= M(i, k) * M(j, k);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) x(i, 0) -= M(i, j) * x(j, 0);
    x(i, 0) /= M(i, i);
  }
  for (int i = n - 1; i >= 0; --i) {
    x(i, 0) /= M(i, i);
    for (int j = 0; j < i; ++j) x(j, 0) -= M(i, j) * x(i, 0);
  }
  return x;
}

// M = L^T L, the reversed factorisation, which keeps the zeros between branches: Featherstone 2005.
inline Matrix solve_reversed_sparse(Matrix M, Matrix x, const std::vector<int>& parent) {
  const int n = M.rows;
  for (int k = n - 1; k >= 0; --k) {
    M(k, k) = std::sqrt(M(k, k));
    for (int i = parent[k]; i >= 0; i = parent[i]) M(k, i) /= M(k, k);
    for (int i = parent[k]; i >= 0; i = parent[i])
      for (int j = i; j >= 0; j = parent[j]) M(i, j) -= M(k, i) * M(k, j);
  }
  for (int i = n - 1; i >= 0; --i) {
    x(i, 0) /= M(i, i);
    for (int j = parent[i]; j >= 0; j = parent[j]) x(j, 0) -= M(i, j) * x(i, 0);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = parent[i]; j >= 0; j = parent[j]) x(i, 0) -= M(i, j) * x(j, 0);
    x(i, 0) /= M(i, i);
  }
  return x;
}
