// Motions that follow tasks and are free in their nullspace, Buschmann 2014 (5.100):
//   f(q, u, t) = J# w + (1 - J# J) u = u + J^T y,   S y = w - J u,   S = J J^T + k,
// with w = dw_d/dt + gain * error (5.5) and damping k near singularities only, as src/tarsus/ik/velocity/damped.py; and how they
// change, (A.53), (A.54), (A.59), transposed: for a vector m with S z = J m,
//   d(m . f)/du = m - J^T z
//   d(m . f)    = y^T dJ (m - J^T z) - z^T dJ f + z^T dw - (z . y) dk
// so that no derivative of the pseudoinverse is ever formed.
#pragma once
#include "dispatch/coupled.hpp"
#include "dispatch/reduction.hpp"
#include "ik/predictive_run.hpp"
#include "ik/smallest_eigenvalue.hpp"
#include "ik/task_curvature.hpp"
#include "kernels/derivatives/inverse_dynamics_derivatives.hpp"
#include "kernels/factorisation/cholesky.hpp"
#include "kernels/loops/coupling_derivatives.hpp"

namespace tarsus::TARSUS_ISA {

// What is kept of f at one sample.
struct FlowSample {
  double *f, *y, *factor, *axis;  // nv, rows, rows x rows: Cholesky factor of S, rows: weakest direction where damped
  double *damping, *error;        // one each
};

class NullspaceFlow {
 public:
  static size_t memory(const PredictiveRun& run) {
    const Model& m = *run.model;
    const size_t rows = run.tasks->rows, n = m.tree_nv;
    return rows * (n + m.nv) + 2 * rows * rows + 8 * rows + 8 * n + 3 * (size_t)m.nv + coupling_derivatives_scratch(m);
  }

  NullspaceFlow(const PredictiveRun& run, Workspace<double>& ws, double* memory)
      : run_(run), m_(*run.model), t_(*run.tasks), ws_(ws) {
    const size_t rows = t_.rows, n = m_.tree_nv;
    auto take = [&](double*& array, size_t count) { array = memory, memory += count; };
    take(tree_, rows * n), take(J_, rows * m_.nv), take(A_, rows * rows), take(V_, rows * rows), take(plain_, rows);
    take(z_, rows), take(c_, 3 * rows), take(x_, rows), take(b_, 3 * n), take(h_, n), take(row_, 3 * n), take(back_, m_.nv);
    scratch_ = memory;
  }

  // Weighted Jacobian into J_ (rows x nv), errors into plain_; false where a loop does not close.
  bool place(const double* q, const double* target) {
    const double* tree_q = q;
    ws_.failed_closure = -1;
    if (m_.coupled) {
      close_coordinates(m_, ws_, q, static_cast<const double*>(nullptr), false);
      if (ws_.failed_closure >= 0) return false;
      tree_q = ws_.tree_q;
    }
    double* tree = m_.coupled ? tree_ : J_;
    zero_fill(tree, (size_t)t_.rows * m_.tree_nv);
    task_rows(m_, t_, ws_, tree_q, target, plain_, tree);
    if (m_.coupled) {
      zero_fill(J_, (size_t)t_.rows * m_.nv);
      add_reduced_columns(m_, static_cast<const double*>(ws_.coupling), static_cast<const double*>(tree_), t_.rows, J_);
    }
    for (int i = 0; i < t_.blocks; ++i) {
      const TaskBlock& b = t_.block[i];
      for (int r = b.first; b.kind == kTaskPosture && r < b.first + b.rows; ++r) {
        plain_[r] = target[b.target + r - b.first] - q[t_.row[r].coordinate];
        J_[(size_t)r * m_.nv + t_.row[r].component] = t_.row[r].weight;
      }
    }
    return true;
  }

  double largest_error() const {
    double most = 0.0;
    for (int r = 0; r < t_.rows; ++r) {
      if (t_.row[r].weight > 0.0 && !(std::fabs(plain_[r]) <= most)) most = std::fabs(plain_[r]);
    }
    return most;
  }

  // f at (q, u); without rates errors alone are followed, with a gain of one.
  bool evaluate(const double* q, const double* target, const double* rate, const double* u, const FlowSample& s) {
    if (!place(q, target)) return false;
    const int rows = t_.rows, nv = m_.nv;
    *s.error = largest_error();
    factorise(s);
    for (int r = 0; r < rows; ++r) {
      const double* row = J_ + (size_t)r * nv;
      double sum = t_.row[r].weight * (rate ? rate[r] + run_.gain[r] * plain_[r] : plain_[r]);
      for (int k = 0; k < nv; ++k) sum -= row[k] * u[k];
      s.y[r] = sum;
    }
    cholesky_substitute(rows, static_cast<const double*>(s.factor), s.y);
    for (int k = 0; k < nv; ++k) s.f[k] = u[k];
    add_transposed(s.y, s.f);
    return true;
  }

  // Gradients of mu . f with respect to u (nv) and q (nv) at a sample where f was evaluated.
  void transposed(const double* q, const double* target, const FlowSample& s, const double* mu, double* by_u, double* by_q) {
    place(q, target);
    const int rows = t_.rows, nv = m_.nv;
    for (int r = 0; r < rows; ++r) z_[r] = row_times(r, mu);
    cholesky_substitute(rows, static_cast<const double*>(s.factor), z_);
    for (int k = 0; k < nv; ++k) back_[k] = 0.0;
    add_transposed(z_, back_);  // J^T z
    for (int k = 0; k < nv; ++k) by_u[k] = mu[k] - back_[k], by_q[k] = 0.0;
    for (int r = 0; r < rows; ++r) x_[r] = -run_.gain[r] * z_[r];
    add_transposed(x_, by_q);  // z^T dw, but for the turning of errors
    // 1. the forms c^T dJ b
    const int forms = *s.damping > 0.0 && rows <= nv ? 3 : 2;
    double yz = 0.0;
    for (int r = 0; r < rows; ++r) c_[r] = s.y[r], c_[rows + r] = -z_[r], yz += s.y[r] * z_[r];
    expand(by_u, b_), expand(s.f, b_ + m_.tree_nv);
    if (forms == 3) {  // -(z . y) dk, dk = -(damping / near)^2 d(smallest squared singular value) = .. 2 a^T dJ J^T a
      const double scale = 2.0 * yz * run_.damping * run_.damping / (run_.near * run_.near);
      for (int r = 0; r < rows; ++r) c_[2 * rows + r] = scale * s.axis[r];
      for (int k = 0; k < nv; ++k) back_[k] = 0.0;
      add_transposed(s.axis, back_);
      expand(back_, b_ + 2 * m_.tree_nv);
    }
    // 2. their gradients over the tree, which moves with the independent coordinates
    zero_fill(h_, m_.tree_nv);
    for (int i = 0; i < forms; ++i) add_task_curvature(m_, t_, ws_, c_ + i * rows, b_ + (size_t)i * m_.tree_nv, h_);
    add_turned_errors(m_, t_, ws_, target, x_, h_);
    if (!m_.coupled) {
      for (int k = 0; k < nv; ++k) by_q[k] += h_[k];
      return;
    }
    add_reduced_vector(m_, static_cast<const double*>(ws_.coupling), static_cast<const double*>(h_), by_q);
    if (!m_.linear) add_coupling_curvature(forms, by_q);
  }

  // out = (1 - J# J) x at the sample.
  void project(const double* q, const double* target, const FlowSample& s, const double* x, double* out) {
    place(q, target);
    for (int r = 0; r < t_.rows; ++r) z_[r] = -row_times(r, x);
    cholesky_substitute(t_.rows, static_cast<const double*>(s.factor), z_);
    for (int k = 0; k < m_.nv; ++k) out[k] = x[k];
    add_transposed(z_, out);
  }

 private:
  const PredictiveRun& run_;
  const Model& m_;
  const TaskTable& t_;
  Workspace<double>& ws_;
  double *tree_, *J_, *A_, *V_, *plain_, *z_, *c_, *x_, *b_, *h_, *row_, *back_, *scratch_;

  double row_times(int r, const double* v) const {
    double sum = 0.0;
    for (int k = 0; k < m_.nv; ++k) sum += J_[(size_t)r * m_.nv + k] * v[k];
    return sum;
  }

  // Adds J^T y.
  void add_transposed(const double* y, double* out) const {
    for (int r = 0; r < t_.rows; ++r) {
      const double* row = J_ + (size_t)r * m_.nv;
      for (int k = 0; k < m_.nv; ++k) out[k] += row[k] * y[r];
    }
  }

  // Velocities of the tree.
  void expand(const double* v, double* tree) const {
    for (int k = 0; k < m_.tree_nv; ++k) {
      if (!m_.coupled) {
        tree[k] = v[k];
        continue;
      }
      tree[k] = 0.0;
      for_entries(m_, k, [&](int e, int c) { tree[k] += ws_.coupling[e] * v[c]; });
    }
  }

  // Factor of J J^T + k with the damping k that the smallest singular value asks for.
  void factorise(const FlowSample& s) {
    const int n = t_.rows;
    double trace = 0.0, determinant = 1.0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) A_[i * n + j] = A_[j * n + i] = row_times(i, J_ + (size_t)j * m_.nv);
      trace += A_[i * n + i];
    }
    std::memcpy(s.factor, A_, (size_t)n * n * sizeof(double));
    *s.damping = 0.0;
    const double near2 = run_.near * run_.near;
    if (n <= m_.nv) {
      cholesky_factor(n, s.factor, [&](const double& d, const double&) {
        determinant *= d > 0.0 ? d : 0.0;
        return d > 0.0 ? d : 1.0;  // of no use, and replaced below
      });
      if (determinant > 0.0 && eigenvalue_bound(n, determinant, trace) >= near2) return;
      const double square = smallest_eigenvalue(n, A_, V_, s.axis);
      if (square >= near2) return;
      *s.damping = (1.0 - square / near2) * run_.damping * run_.damping;
    } else {
      *s.damping = run_.damping * run_.damping;  // more rows than freedoms
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) s.factor[i * n + j] = row_times(i, J_ + (size_t)j * m_.nv) + (i == j ? *s.damping : 0.0);
    }
    cholesky_factor(n, s.factor);
  }

  // What the change of the coupling matrix adds: c^T J_tree (d_j G) b.
  void add_coupling_curvature(int forms, double* by_q) {
    const int n = m_.tree_nv, rows = t_.rows;
    for (int i = 0; i < forms; ++i) {
      for (int k = 0; k < n; ++k) row_[i * n + k] = 0.0;
      for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < n; ++k) row_[i * n + k] += c_[i * rows + r] * tree_[(size_t)r * n + k];
      }
    }
    for_coupling_derivatives(m_, ws_, static_cast<const double*>(nullptr), static_cast<const double*>(nullptr), scratch_,
                             [&](const Closure& c, const ClosureDerivatives<double>& d) {
                               const int nd = c.dependents, ni = c.independents;
                               const int* column = m_.column + m_.row[c.dof[0]];
                               for (int j = 0; j < ni; ++j) {
                                 for (int k = 0; k < nd; ++k) {
                                   const double* D = d.slope + (size_t)(j * nd + k) * ni;
                                   for (int f = 0; f < forms; ++f) {
                                     double along = 0.0;
                                     for (int i = 0; i < ni; ++i) along += D[i] * b_[(size_t)f * n + c.dof[nd + i]];
                                     by_q[column[j]] += row_[f * n + c.dof[k]] * along;
                                   }
                                 }
                               }
                             });
  }
};

}  // namespace tarsus::TARSUS_ISA
