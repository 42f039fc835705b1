// The objective over the variables that are left, as rows of least squares and a diagonal:
//   1/2 x'H x + g'x,  H = A'A + diagonal,  g = -A'b - pull
// of one robot, or of several, one a lane.
#pragma once
#include "control/unknowns.hpp"

namespace tarsus::TARSUS_ISA {

// Written by whom is said behind each field.
template <class T>
struct Objective {
  int count;         // rows <- build
  T *rows, *right;   // (task rows + dense) x width, the same: A, b <- build
  T *pull, *g;       // nv, width: of all accelerations; gradient <- build
  double* stiff;     // nv: sum of stiff vdot^2 - 2 pull vdot <- build
  double* diagonal;  // width <- build

  static void layout(Objective& o, const BodyProblem& p, const Unknowns<T>& u, auto take) {
    const size_t nv = p.model->nv, width = row_width<T>(p.model->nv + p.forces), tasks = task_rows_of(p);
    const size_t dense = u.contact.rows + u.idles;
    take(o.rows, (tasks + dense) * width), take(o.right, tasks + dense), take(o.pull, nv), take(o.g, width);
    take(o.stiff, nv), take(o.diagonal, width);
  }

  // Postures and small accelerations have one unknown each: together stiff vdot^2 - 2 pull vdot.
  void build(const BodyProblem& p, const double* weight, const Unknowns<T>& u, const BodyTerms<T>& t) {
    const int nv = p.model->nv, width = u.width;
    count = 0;
    clear(pull, nv), clear(g, width);
    for (int k = 0; k < nv; ++k) stiff[k] = p.acceleration_weight * p.acceleration_weight;
    for (int i = 0; p.tasks && i < p.tasks->blocks; ++i) {
      const TaskBlock& block = p.tasks->block[i];
      for (int r = block.first; r < block.first + block.rows; ++r) {
        const double w = weight[r];
        if (block.kind == kTaskPosture) {
          const int k = p.tasks->row[r].component;
          stiff[k] += w * w, pull[k] += w * w * t.a[r];
        } else if (w > 0.0) {
          T* row = rows + (size_t)count * width;
          const T rest = u.substitute(t.J + (size_t)r * nv, nullptr, 0, T{}, row);
          scale_row(row, w, row, width);
          right[count++] = w * (t.a[r] - rest);
        }
      }
    }
    add_small(p.force_weight, u);
    RowSum<T> sum_of(g, width);
    for (int r = 0; r < count; ++r) sum_of.add(-right[r], rows + (size_t)r * width);
    sum_of.finish();
    for (int j = 0; j < u.n; ++j) {
      const bool acceleration = j < u.free_v;
      diagonal[j] = acceleration ? stiff[u.free[j]] : p.force_weight * p.force_weight;
      if (acceleration) g[j] -= pull[u.free[j]];
    }
  }

 private:
  // Dense unknowns: sqrt(stiff) vdot = pull / sqrt(stiff), and force_weight y = 0.
  void add_small(double force_weight, const Unknowns<T>& u) {
    for (int r = 0; r < u.dense; ++r) {
      const int k = u.solved[r];
      const bool acceleration = r < u.dense_v;
      const double w = acceleration ? __builtin_sqrt(stiff[k]) : force_weight;
      scale_row(rows + (size_t)count * u.width, w, u.D + (size_t)r * u.width, u.width);
      right[count++] = (acceleration ? pull[k] / w : T{}) - w * u.d[r];
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
