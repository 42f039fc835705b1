// Loads of parts with few rows, in the space of the rows: the steps of held_parts.hpp,
//   dl = -(e + G dl) / eps,   G = J W F^T,   so   (G + eps) dl = -e,
// with J W F^T from the columns A of the touching bodies, W = A A^T. Rows of compliances have them beside eps.
#pragma once
#include "simulation/rigid/part_rows.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFewPivot = 1e-14;  // pivots below this part of the largest row are none

class FewRows {
 public:
  // Whether the rows of the listed points are fewer than the equations that they would have otherwise.
  static bool fits(const Robot<double>& r, int count) {
    if (count > kMostFewRows) return false;
    int rows = 0;
    for (int i = 0; i < count; ++i) rows += number_of_rows(r.rigid.listed[i]);
    const int otherwise = r.space.by_bodies ? 6 * r.response.bodies : r.model.nv;
    return rows <= kMostFewRows && rows <= otherwise;
  }

  FewRows(Robot<double>& r, int count) : r_(r), count_(count) {
    double* memory = r.rigid.few;
    auto take = [&](double*& x, size_t size) { x = memory, memory += size; };
    take(G_, kMostFewRows * kMostFewRows), take(matrix_, kMostFewRows * kMostFewRows), take(left_, kMostFewRows);
    take(step_, kMostFewRows), take(compliance_, kMostFewRows), take(force_, (size_t)kMostFewRows * r.model.nv);
    list_rows();
    find_responses();
  }

  // L U = G + eps, rows exchanged.
  bool factorise(double eps) {
    double largest = 0.0;
    for (int i = 0; i < m_; ++i) {
      for (int j = 0; j < m_; ++j) matrix_[i * m_ + j] = G_[i * m_ + j];
      matrix_[i * m_ + i] += eps + compliance_[i];
      largest = larger<double>(largest, __builtin_fabs(G_[i * m_ + i]));
      order_[i] = i;
    }
    for (int k = 0; k < m_; ++k) {
      int best = k;
      for (int i = k + 1; i < m_; ++i) {
        if (__builtin_fabs(matrix_[i * m_ + k]) > __builtin_fabs(matrix_[best * m_ + k])) best = i;
      }
      double *pivot = matrix_ + k * m_, *other = matrix_ + best * m_;
      if (!(__builtin_fabs(other[k]) > kFewPivot * largest)) return false;
      if (best != k) {
        for (int c = 0; c < m_; ++c) exchange(pivot[c], other[c]);
        exchange(order_[k], order_[best]);
      }
      pivot[k] = 1.0 / pivot[k];
      for (int i = k + 1; i < m_; ++i) {
        double* row = matrix_ + i * m_;
        const double part = row[k] * pivot[k];
        row[k] = part;
        for (int c = k + 1; c < m_; ++c) row[c] -= part * pivot[c];
      }
    }
    return true;
  }

  // Steps until they lead no further; returns the motion that is left, relative to that without loads.
  double approach(double tolerance) {
    find_left();
    double before = 1e300, left = largest_left(), scale = motion_scale(r_, count_);
    for (int step = 0; step < kMostPartSteps && left > tolerance * scale; ++step) {
      if (step > 2 && left > 0.5 * before) break;
      before = left;
      improve();
      left = largest_left(), scale = motion_scale(r_, count_);
      if (!(left < kMostLoad * scale)) break;
    }
    follow_loads(r_, count_);
    return motion_left(r_, count_) / motion_scale(r_, count_);
  }

 private:
  ListedPoint& point(int i) const { return r_.rigid.listed[i]; }

  void list_rows() {
    m_ = 0;
    for (int i = 0; i < count_; ++i) {
      for (int k = 0, rows = rows_of(point(i), row_ + m_); k < rows; ++k) {
        compliance_[m_] = row_[m_].compliance, of_[m_++] = i;
      }
    }
  }

  // F A of all rows, column after column, and from that G.
  void find_responses() {
    const int nv = r_.model.nv, most = r_.response.most;
    for (int d = 0; d < nv * m_; ++d) force_[d] = 0.0;
    for (int j = 0; j < m_; ++j) {
      const double* h = r_.rigid.columns + (size_t)3 * most * of_[j];
      const Impulse<double>& f = row_[j].force;
      const int body = point(of_[j]).body, *column = r_.response.columns_of(body);
      for (int x = 0; x < r_.response.width[body]; ++x) {
        force_[column[x] * m_ + j] = f.n * h[3 * x] + f.t1 * h[3 * x + 1] + f.t2 * h[3 * x + 2];
      }
    }
    for (int i = 0; i < m_; ++i) {
      const double* h = r_.rigid.columns + (size_t)3 * most * of_[i];
      const Impulse<double>& u = row_[i].motion;
      const int body = point(of_[i]).body, *column = r_.response.columns_of(body);
      double* G = G_ + i * m_;
      for (int j = 0; j < m_; ++j) G[j] = 0.0;
      for (int x = 0; x < r_.response.width[body]; ++x) {
        const double part = u.n * h[3 * x] + u.t1 * h[3 * x + 1] + u.t2 * h[3 * x + 2];
        const double* from = force_ + column[x] * m_;
        for (int j = 0; j < m_; ++j) G[j] += part * from[j];
      }
    }
  }

  void find_left() {
    for (int i = 0, at = 0; i < count_; ++i) {
      PartRow row[3];
      for (int k = 0, rows = rows_of(point(i), row); k < rows; ++k) left_[at++] = row[k].left;
    }
  }
  double largest_left() const {
    double largest = 0.0;
    for (int i = 0; i < m_; ++i) largest = larger<double>(largest, __builtin_fabs(left_[i]));
    return largest;
  }

  // One step of the loads, and what it leaves.
  void improve() {
    for (int i = 0; i < m_; ++i) {
      double sum = -left_[order_[i]];
      for (int k = 0; k < i; ++k) sum -= matrix_[i * m_ + k] * step_[k];
      step_[i] = sum;
    }
    for (int i = m_ - 1; i >= 0; --i) {
      for (int k = i + 1; k < m_; ++k) step_[i] -= matrix_[i * m_ + k] * step_[k];
      step_[i] *= matrix_[i * m_ + i];
    }
    for (int i = 0; i < m_; ++i) {
      double sum = compliance_[i] * step_[i];
      for (int j = 0; j < m_; ++j) sum += G_[i * m_ + j] * step_[j];
      left_[i] += sum;
      Impulse<double>& l = point(of_[i]).load;
      const Impulse<double>& f = row_[i].force;
      l = {l.n + step_[i] * f.n, l.t1 + step_[i] * f.t1, l.t2 + step_[i] * f.t2};
    }
  }

  Robot<double>& r_;
  const int count_;
  int m_ = 0, of_[kMostFewRows], order_[kMostFewRows];
  PartRow row_[kMostFewRows + 3];
  double *G_, *matrix_, *left_, *step_, *compliance_, *force_;
};

}  // namespace tarsus::TARSUS_ISA
