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
    const size_t square = (size_t)kMostFewRows * kMostFewRows;
    take(G_, square), take(matrix_, square), take(lower_, square), take(upper_, square);
    take(left_, kMostFewRows), take(step_, kMostFewRows), take(compliance_, kMostFewRows);
    take(force_, (size_t)kMostFewRows * r.model.nv);
    list_rows();
    find_responses();
  }

  // L U = G + eps, rows exchanged; L and U column after column.
  bool factorise(double eps) {
    double largest = 0.0;
    for (int i = 0; i < m_; ++i) {
      for (int j = 0; j < w_; j += kLanes) store(matrix_ + i * w_ + j, load<Pack>(G_ + i * w_ + j));
      matrix_[i * w_ + i] += eps + compliance_[i];
      largest = larger<double>(largest, __builtin_fabs(G_[i * w_ + i]));
      order_[i] = i;
    }
    for (int k = 0; k < m_; ++k) {
      int best = k;
      for (int i = k + 1; i < m_; ++i) {
        if (__builtin_fabs(matrix_[i * w_ + k]) > __builtin_fabs(matrix_[best * w_ + k])) best = i;
      }
      double *pivot = matrix_ + k * w_, *other = matrix_ + best * w_;
      if (!(__builtin_fabs(other[k]) > kFewPivot * largest)) return false;
      if (best != k) {
        for (int c = 0; c < w_; ++c) exchange(pivot[c], other[c]);
        for (int c = 0; c < k; ++c) exchange(lower_[c * w_ + k], lower_[c * w_ + best]);
        exchange(order_[k], order_[best]);
      }
      const double per = inverse_[k] = 1.0 / pivot[k];
      for (int i = 0; i < w_; i += kLanes) store(lower_ + k * w_ + i, Pack{}), store(upper_ + k * w_ + i, Pack{});
      for (int i = 0; i < k; ++i) upper_[k * w_ + i] = matrix_[i * w_ + k];
      for (int i = k + 1; i < m_; ++i) {  // entries before column k are not looked at any more
        double* row = matrix_ + i * w_;
        const double part = row[k] * per;
        lower_[k * w_ + i] = part;
        subtract(row, part, pivot, k / kLanes * kLanes, w_);
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

  // to -= x from, in whole packs from entry `first` on to at least `last`; behind the last row all vectors hold zeros.
  static TARSUS_INLINE void subtract(double* to, double x, const double* from, int first, int last) {
    for (int c = first; c < last; c += kLanes) store(to + c, load<Pack>(to + c) - x * load<Pack>(from + c));
  }

  void list_rows() {
    m_ = 0;
    for (int i = 0; i < count_; ++i) {
      for (int k = 0, rows = rows_of(point(i), row_ + m_); k < rows; ++k) {
        compliance_[m_] = row_[m_].compliance, of_[m_++] = i;
      }
    }
    w_ = (m_ + kLanes - 1) / kLanes * kLanes;
    for (int i = m_; i < w_; ++i) left_[i] = step_[i] = compliance_[i] = 0.0;
  }

  // F A of all rows, column after column, and from that G.
  void find_responses() {
    const int nv = r_.model.nv, most = r_.response.most;
    for (int d = 0; d < nv * w_; d += kLanes) store(force_ + d, Pack{});
    for (int j = 0; j < m_; ++j) {
      const double* h = r_.rigid.columns + (size_t)3 * most * of_[j];
      const Impulse<double>& f = row_[j].force;
      const int body = point(of_[j]).body, *column = r_.response.columns_of(body);
      for (int x = 0; x < r_.response.width[body]; ++x) {
        force_[column[x] * w_ + j] = f.n * h[3 * x] + f.t1 * h[3 * x + 1] + f.t2 * h[3 * x + 2];
      }
    }
    for (int first = 0, rows; first < m_; first += rows) {  // rows of one point
      for (rows = 1; first + rows < m_ && of_[first + rows] == of_[first];) ++rows;
      rows == 1 ? find_products<1>(first) : rows == 2 ? find_products<2>(first) : find_products<3>(first);
    }
  }

  // kRows rows of G from the same point.
  template <int kRows>
  void find_products(int first) {
    const double* h = r_.rigid.columns + (size_t)3 * r_.response.most * of_[first];
    const int body = point(of_[first]).body, width = r_.response.width[body], *column = r_.response.columns_of(body);
    for (int c = 0; c < w_; c += kLanes) {
      Pack sum[kRows] = {};
      for (int x = 0; x < width; ++x) {
        const Pack from = load<Pack>(force_ + column[x] * w_ + c);
        TARSUS_UNROLL
        for (int k = 0; k < kRows; ++k) {
          const Impulse<double>& u = row_[first + k].motion;
          sum[k] += (u.n * h[3 * x] + u.t1 * h[3 * x + 1] + u.t2 * h[3 * x + 2]) * from;
        }
      }
      TARSUS_UNROLL
      for (int k = 0; k < kRows; ++k) store(G_ + (first + k) * w_ + c, sum[k]);
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
    for (int i = 0; i < m_; ++i) step_[i] = -left_[order_[i]];
    for (int k = 0; k < m_; ++k) {
      const double x = step_[k], *l = lower_ + k * w_;
      subtract(step_, x, l, k / kLanes * kLanes, w_);
    }
    for (int k = m_ - 1; k >= 0; --k) {
      const double x = step_[k] *= inverse_[k], *u = upper_ + k * w_;
      subtract(step_, x, u, 0, k + 1);
    }
    for (int i = 0; i < m_; ++i) {
      Pack sum{};
      for (int c = 0; c < w_; c += kLanes) sum += load<Pack>(G_ + i * w_ + c) * load<Pack>(step_ + c);
      left_[i] += compliance_[i] * step_[i];
      for (int x = 0; x < kLanes; ++x) left_[i] += sum[x];
      Impulse<double>& l = point(of_[i]).load;
      const Impulse<double>& f = row_[i].force;
      l = {l.n + step_[i] * f.n, l.t1 + step_[i] * f.t1, l.t2 + step_[i] * f.t2};
    }
  }

  Robot<double>& r_;
  const int count_;
  int m_ = 0, w_ = 0;  // rows, and the length of a row of a matrix
  int of_[kMostFewRows], order_[kMostFewRows];
  PartRow row_[kMostFewRows + 3];
  double inverse_[kMostFewRows];
  double *G_, *matrix_, *lower_, *upper_, *left_, *step_, *compliance_, *force_;
};

}  // namespace tarsus::TARSUS_ISA
