// Active rows b_0, b_1, ... as an orthonormal basis: b_j = sum over i <= j of R_ij q_i. Gram-Schmidt twice when a row is added
// (Daniel, Gragg, Kaufman and Stewart 1976), rotations when one is taken out: no Gram matrix, whose condition is the square.
#pragma once
#include "optimization/padded_vectors.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kCancelled = 0.25;  // part of |b|^2 below which what is left is not yet orthogonal to rounding

struct ActiveRows {
  int width, capacity, count;
  double* Q;        // capacity x width: basis vectors
  double* R;        // capacity x capacity: column j of the triangle in row j
  double* inverse;  // capacity: reciprocal diagonal of R

  double* basis(int i) const { return Q + (size_t)i * width; }
  double* column(int j) const { return R + (size_t)j * capacity; }

  // h = Q b, z = b - Q' h; returns |z|^2. `square` is |b|^2: where much is cancelled, z is projected again.
  double project(const double* b, double square, double* h, double* z) const {
    copy(z, b, width);
    if (count == 0) return square;
    multiply_rows(Q, count, width, z, width, h);
    subtract_rows(z, h, Q, count, width, width);
    double rest = dot(z, z, width);
    for (int turn = 0; turn < 2 && rest < kCancelled * square; ++turn) square = rest, rest = project_again(h, z);
    return rest;
  }
  // The same of what is left, after which it is orthogonal to rounding.
  double project_again(double* h, double* z) const {
    double* more = z + width;
    multiply_rows(Q, count, width, z, width, more);
    subtract_rows(z, more, Q, count, width, width);
    for (int i = 0; i < count; ++i) h[i] += more[i];
    return dot(z, z, width);
  }
  // The projected row becomes the last one.
  void push(const double* h, const double* z, double length) {
    copy(column(count), h, count);
    column(count)[count] = length, inverse[count] = 1.0 / length;
    double* q = basis(count);
    clear(q, width);
    add_scaled(q, inverse[count], z, width);
    ++count;
  }
  // Row k leaves; those behind it move up. Parts of a vector along the basis, h, are turned with it where they are given: the
  // last one is then that along the vector that leaves, basis(count).
  void remove(int k, double* h = nullptr) {
    for (int j = k; j + 1 < count; ++j) copy(column(j), column(j + 1), j + 2);
    --count;
    for (int i = k; i < count; ++i) {
      const double a = column(i)[i], b = column(i)[i + 1], length = __builtin_sqrt(a * a + b * b);
      inverse[i] = 1.0 / length;
      if (!(length > 0.0)) continue;
      const double c = a * inverse[i], s = b * inverse[i];
      for (int j = i; j < count; ++j) {
        double* r = column(j);
        const double upper = r[i], under = r[i + 1];
        r[i] = c * upper + s * under, r[i + 1] = c * under - s * upper;
      }
      if (h) {
        const double upper = h[i], under = h[i + 1];
        h[i] = c * upper + s * under, h[i + 1] = c * under - s * upper;
      }
      double *p = basis(i), *q = basis(i + 1);
      for (int j = 0; j < width; j += kLanes) {
        const Pack u = load<Pack>(p + j), v = load<Pack>(q + j);
        store(p + j, c * u + s * v), store(q + j, c * v - s * u);
      }
    }
  }
  // h <- R^-1 h
  void solve(double* h) const {
    for (int j = count - 1; j >= 0; --j) {
      const double *r = column(j), x = h[j] * inverse[j];
      h[j] = x;
      int i = 0;
      for (; i + kLanes <= j; i += kLanes) store(h + i, load<Pack>(h + i) - x * load<Pack>(r + i));
      for (; i < j; ++i) h[i] -= x * r[i];
    }
  }
  // h <- R'^-1 h
  void solve_transposed(double* h) const {
    for (int j = 0; j < count; ++j) {
      const double* r = column(j);
      Pack sum{};
      int i = 0;
      for (; i + kLanes <= j; i += kLanes) sum += load<Pack>(r + i) * load<Pack>(h + i);
      double rest = h[j];
      for (; i < j; ++i) rest -= r[i] * h[i];
      h[j] = (rest - sum_lanes<kLanes>(sum)) * inverse[j];
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
