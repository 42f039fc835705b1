// Dense matrices of any size with overloaded operators, as plain as they can be: every result is a new matrix.
#pragma once
#include <cstddef>
#include <vector>

struct Matrix {
  int rows, columns;
  std::vector<double> entries;

  Matrix(int r, int c) : rows(r), columns(c), entries(static_cast<std::size_t>(r) * c, 0.0) {}
  double& operator()(int i, int j) { return entries[static_cast<std::size_t>(i) * columns + j]; }
  double operator()(int i, int j) const { return entries[static_cast<std::size_t>(i) * columns + j]; }

  Matrix transpose() const {
    Matrix result(columns, rows);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) result(j, i) = (*this)(i, j);
    return result;
  }

  void put(int row, int column, const Matrix& block) {
    for (int i = 0; i < block.rows; ++i)
      for (int j = 0; j < block.columns; ++j) (*this)(row + i, column + j) = block(i, j);
  }
};

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.columns; ++k)
      for (int j = 0; j < b.columns; ++j) result(i, j) += a(i, k) * b(k, j);
  return result;
}

inline Matrix operator*(double s, Matrix a) {
  for (double& x : a.entries) x *= s;
  return a;
}

inline Matrix operator+(Matrix a, const Matrix& b) {
  for (std::size_t i = 0; i < a.entries.size(); ++i) a.entries[i] += b.entries[i];
  return a;
}

// The matrix of the cross product with a vector of three entries.
inline Matrix skew(const Matrix& x) {
  Matrix result(3, 3);
  result(0, 1) = -x(2, 0), result(0, 2) = x(1, 0), result(1, 2) = -x(0, 0);
  result(1, 0) = x(2, 0), result(2, 0) = -x(1, 0), result(2, 1) = x(0, 0);
  return result;
}
