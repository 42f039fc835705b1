// Rows and objective of a quadratic program, and how far a point is from its optimum.
#pragma once
#include "optimization/array_checks.hpp"
#include "optimization/program_memory.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFlat = 1e-6;  // gradients below this part of the diagonal of H times x are measured by it

class ProgramRows {
 public:
  ProgramRows(const QuadraticProgram& p, QpMemory& w) : p_(p), w_(w), first_(p.bounded ? p.n : 0) {}

  void pack() {
    for (int i = 0; i < w_.rows; ++i) {
      if (p_.n != w_.width) {
        double* to = w_.C + (size_t)i * w_.width;
        copy(to, p_.C + (size_t)i * p_.n, p_.n);
        clear(to + p_.n, w_.width - p_.n);
      }
      const double* c = row(first_ + i);
      const double norm = __builtin_sqrt(dot(c, c, w_.width));
      w_.norm[first_ + i] = norm, w_.scale[first_ + i] = norm > 0.0 ? 1.0 / norm : 1.0;
    }
    for (int i = 0; i < first_; ++i) w_.norm[i] = w_.scale[i] = 1.0;
    w_.kept = false;
    for (int i = 0, soft = 0; i < w_.all; ++i) w_.soft_place[i] = is_soft(i) ? soft++ : -1;
  }

  // Of x and multipliers in r, whoever found them.
  void residuals(QpResult& r) {
    copy(w_.b, r.x, p_.n), clear(w_.b + p_.n, w_.width - p_.n);
    multiply(w_.b, w_.value);
    judge(r);
    if (!is_finite(r)) r.scaled_primal = r.scaled_dual = kInfinity;
  }

 protected:
  bool is_finite(const QpResult& r) const { return all_finite(r.x, p_.n) && all_finite(r.multiplier, w_.all); }

  // The same where `value` holds the rows at x.
  void judge(QpResult& r) {
    double* sum = w_.sum;
    double size = largest(p_.g, p_.n);
    multiply_by_H(r.x, sum);
    size = larger(size, largest(sum, p_.n));
    r.objective = 0.0;
    for (int j = 0; j < p_.n; ++j) r.objective += r.x[j] * (0.5 * sum[j] + p_.g[j]), sum[j] += p_.g[j];
    const double reach = larger(1.0, largest(r.x, p_.n));
    size = larger(size, kFlat * curvature() * smaller(largest(r.x, p_.n), 1.0));
    r.primal = r.scaled_primal = r.complementarity = 0.0;
    for (int i = 0; i < w_.all; ++i) {
      const double value = w_.value[i], l = r.multiplier[i];
      const double over = value - p_.upper[i], under = p_.lower[i] - value;
      double gap = over > under ? over : under;
      if (gap <= 0.0 && l == 0.0) continue;  // holds, and holds nothing back: most rows
      size = larger(size, __builtin_fabs(l) * w_.norm[i]);
      add_row(sum, l, i);
      const double bound = __builtin_fabs(over > under ? p_.upper[i] : p_.lower[i]);
      const double scale = w_.norm[i] * reach + (bound < kNoBound ? bound : 0.0);
      if (is_soft(i)) {  // the multiplier of a soft row is its weight times what is missed
        const double missed = over > 0.0 ? over : under > 0.0 ? -under : 0.0;
        gap = __builtin_fabs(missed - l / p_.weight[i]);
      }
      r.primal = larger(r.primal, gap);
      if (l != 0.0 && !is_soft(i) && !is_equality(i)) {  // the bound that a multiplier belongs to is that of its sign
        const double distance = __builtin_fabs(l > 0.0 ? over : under);
        r.complementarity = larger(r.complementarity, __builtin_fabs(l) * distance);
        gap = larger(gap, distance);
      }
      if (gap > 0.0) r.scaled_primal = larger(r.scaled_primal, scale > 0.0 ? gap / scale : kInfinity);
    }
    r.dual = largest(sum, p_.n);
    r.scaled_dual = size > 0.0 ? r.dual / size : 0.0;
  }

  static constexpr double kInfinity = __builtin_inf();

  bool is_soft(int i) const { return p_.weight && p_.weight[i] < kInfinity; }
  bool is_equality(int i) const { return p_.lower[i] == p_.upper[i]; }
  // Rows of C, padded; in place where they need no padding.
  const double* rows() const { return p_.n == w_.width ? p_.C : w_.C; }
  const double* row(int i) const { return rows() + (size_t)(i - first_) * w_.width; }
  // All rows at x.
  void multiply(const double* x, double* result) const {
    copy(result, x, first_);
    multiply_rows(rows(), w_.rows, w_.width, x, w_.width, result + first_);
  }
  double row_times(int i, const double* x) const { return i < first_ ? x[i] : dot(row(i), x, w_.width); }
  void add_row(double* to, double factor, int i) const {
    if (i < first_) {
      to[i] += factor;
    } else {
      add_scaled(to, factor, row(i), w_.width);
    }
  }
  void multiply_by_H(const double* x, double* product) const {
    clear(product, w_.width);
    if (p_.pitch > 0) return add_rows(product, x, p_.H, p_.n, p_.pitch, w_.width);
    for (int i = 0; i < p_.n; ++i) {
      const double* row = p_.H + (size_t)i * p_.n;
      const double factor = x[i];
      for (int j = 0; factor != 0.0 && j < p_.n; ++j) product[j] += factor * row[j];
    }
  }
  double largest_diagonal() const {
    double most = 0.0;
    const size_t next = pitch_of(p_) + 1;
    for (int i = 0; i < p_.n; ++i) most = larger(most, __builtin_fabs(p_.H[i * next]));
    return most;
  }
  bool is_zero() const { return largest(p_.H, p_.n * pitch_of(p_)) == 0.0; }
  // Largest curvature that a variable can feel: of H, or of soft rows.
  double curvature() const {
    double most = largest_diagonal();
    for (int i = 0; p_.weight && i < w_.all; ++i) {
      if (is_soft(i)) most = larger(most, p_.weight[i] * w_.norm[i] * w_.norm[i]);
    }
    return most;
  }
  bool is_flat() const { return w_.soft == 0 && largest_diagonal() == 0.0 && largest(p_.g, p_.n) == 0.0; }

  const QuadraticProgram& p_;
  QpMemory& w_;
  const int first_;  // rows that are bounds
};

}  // namespace tarsus::TARSUS_ISA
