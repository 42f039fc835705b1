// One step of velocity-level inverse kinematics: rows of the tasks, bounds, a quadratic program, integration. Nothing is
// allocated. tests/ik/test_stepper.py compares with src/tarsus/optimization/hierarchy.py, level by level.
#pragma once
#include "ik/curvature_damping.hpp"
#include "ik/independent_task_rows.hpp"
#include "ik/joint_bounds.hpp"
#include "optimization/dual_active_set.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kStepNormTolerance = 1e-3;  // of quaternions; more is a mistake, not rounding
constexpr double kDependentRow = 1e-7;  // sine of the angle below which a row depends on others: bases made of less are rounding
constexpr double kUnmovedRow = 1e-11;   // length of a row of an upper level, relative to its longest one, that is rounding

// Memory of one step; written by whom is said behind each field.
struct StepMemory {
  int width;                 // padded nv
  double *tree, *J, *plain;  // rows x tree_nv, rows x nv, rows: weighted Jacobian, errors <- task rows
  double* b;                 // rows <- wishes: weighted velocities that are asked for
  double *dense, *diagonal;  // rows x width, width: padded rows of an objective, what has one entry a row <- objective
  double *H, *g;             // width x width, width <- objective
  double *C, *low, *high;    // (upper + followers + extra) x nv; all rows <- bounds, levels
  double *x, *multiplier;    // nv, all rows <- program
  double *q, *way;           // nq, nv: normalised; v dt
  signed char* side;         // all rows
  Workspace<double> ws;
  void* program;  // QpMemory

  static size_t layout(StepMemory& s, const StepProblem& p, char* memory) {
    const Model& m = *p.model;
    const size_t rows = p.tasks->rows, nv = m.nv, all = step_sides(p), held = all - (p.limits.bounded ? nv : 0);
    s.width = padded(m.nv);
    size_t used = (sizeof(StepMemory) + 63) / 64 * 64;
    auto take = [&]<class T>(T*& array, size_t count) {
      array = reinterpret_cast<T*>(memory + used);
      used += (count * sizeof(T) + 63) / 64 * 64;
    };
    take(s.tree, m.coupled ? rows * m.tree_nv : 0), take(s.J, rows * nv + kBlock), take(s.plain, rows), take(s.b, rows);
    take(s.dense, rows * s.width), take(s.diagonal, s.width), take(s.H, (size_t)s.width * s.width), take(s.g, s.width);
    take(s.C, held * nv + 8);
    take(s.low, all + 8), take(s.high, all + 8), take(s.x, s.width), take(s.multiplier, all + 8), take(s.q, m.nq + 1);
    take(s.way, nv), take(s.side, all + 8);
    char* block = memory + used;
    used += (Workspace<double>::layout(s.ws, m, memory ? block : nullptr) + 63) / 64 * 64;
    s.program = memory + used;
    QpMemory w;
    return used + QpMemory::layout(w, m.nv, static_cast<int>(held), p.limits.bounded, 0, nullptr);
  }
};

class VelocityStep {
 public:
  VelocityStep(const StepRun& run, StepMemory& memory)
      : run_(run), p_(*run.problem), m_(*p_.model), t_(*p_.tasks), s_(memory), first_(p_.limits.bounded ? m_.nv : 0) {
    upper_ = p_.levels > 1 ? p_.level_end[p_.levels - 2] : 0;
    rows_ = upper_ + p_.limits.followers + run.extra;
    clear(s_.x, s_.width);
  }

  void solve(long i) {
    begin(i);
    if (run_.status[i] = read(i); run_.status[i] != kStepSolved) return;
    if (!independent_task_rows(m_, t_, s_.ws, s_.q, run_.target + i * run_.target_stride, s_.tree, s_.plain, s_.J,
                               p_.limits.followers > 0)) {
      run_.status[i] = kStepLoopOpen;
      return;
    }
    if (!ask(i)) {
      run_.status[i] = kStepNotFinite;
      return;
    }
    for (int level = 0; level + 1 < p_.levels; ++level) clean(level > 0 ? p_.level_end[level - 1] : 0, p_.level_end[level]);
    bound(i);
    run_.status[i] = find_velocity();
    move(i);
  }

 private:
  const StepRun& run_;
  const StepProblem& p_;
  const Model& m_;
  const TaskTable& t_;
  StepMemory& s_;
  const int first_;  // rows of the program that are bounds
  int upper_, rows_;

  // 1. A result that is a robot at rest, for all that may go wrong.
  void begin(long i) const {
    copy(run_.next + i * m_.nq, run_.q + i * m_.nq, m_.nq);
    clear(run_.v + i * m_.nv, m_.nv), clear(run_.missed + i * t_.rows, t_.rows);
  }

  int read(long i) {
    const double* q = run_.q + i * m_.nq;
    if (!all_finite(q, m_.nq) || (run_.before && !all_finite(run_.before + i * m_.nv, m_.nv))) return kStepNotFinite;
    copy(s_.q, q, m_.nq);
    for (int k = 0; k < m_.quaternions; ++k) {
      double* h = s_.q + m_.quaternion[k];
      const double norm = __builtin_sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3]);
      if (!(__builtin_fabs(norm - 1.0) <= kStepNormTolerance)) return kStepBadNorm;
      for (int j = 0; j < 4; ++j) h[j] /= norm;
    }
    return kStepSolved;
  }

  // 2. b = weight (velocity + gain error), Buschmann 2014 (5.5).
  bool ask(long i) {
    const double* velocity = run_.velocity + i * run_.velocity_stride;
    for (int r = 0; r < t_.rows; ++r) s_.b[r] = t_.row[r].weight * (velocity[r] + p_.gain[r] * s_.plain[r]);
    return all_finite(s_.b, t_.rows);
  }

  // Rows of an upper level that nothing but rounding is left of become zero: the program takes every row for what it says.
  void clean(int begin, int end) {
    double most = 0.0;
    for (int r = begin; r < end; ++r) most = larger(most, square(s_.J + (size_t)r * m_.nv));
    for (int r = begin; r < end; ++r) {
      double* row = s_.J + (size_t)r * m_.nv;
      if (square(row) <= kUnmovedRow * kUnmovedRow * most) clear(row, m_.nv);
    }
  }
  double square(const double* row) const {
    double sum = 0.0;
    for (int k = 0; k < m_.nv; ++k) sum += row[k] * row[k];
    return sum;
  }

  // 3. Bounds of v, then rows: upper levels, followers, the caller's.
  void bound(long i) {
    if (p_.limits.bounded) joint_bounds(p_, s_.q, run_.before ? run_.before + i * m_.nv : nullptr, s_.low, s_.high);
    copy(s_.C, s_.J, upper_ * m_.nv);
    copy(s_.low + first_, s_.b, upper_), copy(s_.high + first_, s_.b, upper_);
    const int followers = p_.limits.followers, at = upper_ + followers;
    if (followers > 0) {
      follower_bounds(p_, s_.ws, s_.C + (size_t)upper_ * m_.nv, s_.low + first_ + upper_, s_.high + first_ + upper_);
    }
    const size_t extra = run_.extra;
    copy(s_.C + (size_t)at * m_.nv, run_.C + i * extra * m_.nv, run_.extra * m_.nv);
    copy(s_.low + first_ + at, run_.lower + i * extra, run_.extra),
        copy(s_.high + first_ + at, run_.upper + i * extra, run_.extra);
  }

  // 4. H = A'A + damping, g = -A'b of rows [begin, end), which are whole blocks. Rows of postures have one entry each.
  void objective(int begin, int end, double damping) {
    const int n = m_.nv, width = s_.width;
    clear(s_.g, width), clear(s_.diagonal, width);
    int count = 0;
    for (int i = 0; i < t_.blocks; ++i) {
      const TaskBlock& block = t_.block[i];
      if (block.first < begin || block.first >= end) continue;
      add_curvature_damping(m_, t_, block, s_.ws, s_.J, p_.gain, s_.plain, p_.dt, s_.diagonal);
      for (int r = block.first; r < block.first + block.rows; ++r) {
        if (block.kind == kTaskPosture) {
          const int k = t_.row[r].component;
          const double w = t_.row[r].weight;
          s_.diagonal[k] += w * w, s_.g[k] -= w * s_.b[r];
          continue;
        }
        double* row = s_.dense + (size_t)count++ * width;
        copy(row, s_.J + (size_t)r * n, n), clear(row + n, width - n);
        add_scaled(s_.g, -s_.b[r], row, width);
      }
    }
    for (int k = 0; k < n; ++k) {
      add_column(k, count);
      s_.H[(size_t)k * width + k] += s_.diagonal[k] + damping;
    }
    mirror();
  }

  // Row k of A'A from the block of its diagonal on; entries of A that are zero are left out.
  void add_column(int k, int count) {
    const int width = s_.width, from = k / kBlock * kBlock;
    double *h = s_.H + (size_t)k * width, factor[kMostDense];
    const double* row[kMostDense];
    clear(h + from, width - from);
    for (int begin = 0; begin < count;) {
      int used = 0;
      for (; begin < count && used < kMostDense; ++begin) {
        const double* a = s_.dense + (size_t)begin * width;
        if (a[k] != 0.0) row[used] = a, factor[used++] = a[k];
      }
      for (int j = from; j < width; j += kBlock) {
        Pack sum[kBlock / kLanes] = {};
        for (int r = 0; r < used; ++r) {
          TARSUS_UNROLL
          for (int l = 0; l < kBlock / kLanes; ++l) sum[l] += factor[r] * load<Pack>(row[r] + j + l * kLanes);
        }
        TARSUS_UNROLL
        for (int l = 0; l < kBlock / kLanes; ++l) store(h + j + l * kLanes, load<Pack>(h + j + l * kLanes) + sum[l]);
      }
    }
  }
  static constexpr int kMostDense = 64;  // rows that are added at a time

  // The lower triangle of H from the upper one, block by block; blocks on the diagonal are complete.
  void mirror() {
    const int width = s_.width;
    for (int i = 0; i < width; i += kLanes) {
      for (int j = (i / kBlock + 1) * kBlock; j < width; j += kLanes) {
        const double* row[kLanes];
        Pack column[kLanes];
        TARSUS_UNROLL
        for (int l = 0; l < kLanes; ++l) row[l] = s_.H + (size_t)(i + l) * width + j;
        transpose(row, column);
        TARSUS_UNROLL
        for (int l = 0; l < kLanes; ++l) store(s_.H + (size_t)(j + l) * width + i, column[l]);
      }
    }
  }

  // 5. The program with the first `held` rows of upper levels; the others are not there.
  QpStatus minimise(int held, bool warm, signed char* side) {
    const int skipped = upper_ - held;
    QuadraticProgram program{m_.nv,  rows_,   p_.limits.bounded, s_.H,          s_.g,    s_.C,
                             s_.low, s_.high, nullptr,           kDependentRow, s_.width};
    for (int r = 0; skipped > 0 && r < skipped; ++r) {
      s_.low[first_ + held + r] = -__builtin_inf(), s_.high[first_ + held + r] = __builtin_inf();
    }
    QpMemory& w = *static_cast<QpMemory*>(s_.program);
    QpMemory::layout(w, m_.nv, rows_, p_.limits.bounded, 0, static_cast<char*>(s_.program));
    DualActiveSet solver(program, w);
    if (solver.factor() == kIndefinite) return kQpInaccurate;
    solver.pack();
    QpResult r{};
    r.x = s_.x, r.multiplier = s_.multiplier, r.side = side, r.warm = warm, r.limit = 20 * (m_.nv + rows_) + 100;
    solver.solve(r);
    return r.status;
  }

  // 6. All upper levels as they ask, if that is possible; else one after the other, as well as possible.
  int find_velocity() {
    const int last = p_.levels - 1;
    objective(upper_, p_.level_end[last], p_.damping);
    signed char* side = run_.side ? run_.side : s_.side;
    QpStatus status = minimise(upper_, run_.side != nullptr, side);
    if (status == kQpOptimal) return kStepSolved;
    if (upper_ == 0 || status != kQpInfeasible) return stop(status);
    for (int level = 0; level < last; ++level) {
      status = settle_level(level > 0 ? p_.level_end[level - 1] : 0, p_.level_end[level]);
      if (status != kQpOptimal) return stop(status);
    }
    copy(s_.way, s_.x, m_.nv);
    objective(upper_, p_.level_end[last], p_.damping);
    if (minimise(upper_, false, s_.side) != kQpOptimal) copy(s_.x, s_.way, m_.nv);  // no room is left for the last level
    return kStepHeldBack;
  }

  // Rows [begin, end) of one level, where those before have their places: as they ask, or damped and as well as possible.
  QpStatus settle_level(int begin, int end) {
    copy(s_.low + first_ + begin, s_.b + begin, end - begin), copy(s_.high + first_ + begin, s_.b + begin, end - begin);
    clear(s_.H, s_.width * s_.width), clear(s_.g, s_.width);
    for (int k = 0; k < m_.nv; ++k) s_.H[(size_t)k * s_.width + k] = 1.0;
    QpStatus status = minimise(end, false, s_.side);
    if (status != kQpInfeasible) return status;
    objective(begin, end, p_.damping);
    status = minimise(begin, false, s_.side);
    lock(begin, end);
    return status;
  }

  // Rows of a level stay where they are at x.
  void lock(int begin, int end) {
    for (int r = begin; r < end; ++r) {
      double value = 0.0;
      for (int k = 0; k < m_.nv; ++k) value += s_.J[(size_t)r * m_.nv + k] * s_.x[k];
      s_.low[first_ + r] = s_.high[first_ + r] = value;
    }
  }

  // As near to rest as the bounds of the joints allow.
  int stop(QpStatus status) {
    for (int k = 0; k < m_.nv; ++k) s_.x[k] = p_.limits.bounded ? clamped(0.0, s_.low[k], s_.high[k]) : 0.0;
    return status == kQpInfeasible ? kStepInfeasible : kStepFailed;
  }

  // 7. Integration; coordinates that were within their limits stay within them, rounding or not.
  void move(long i) {
    double *v = run_.v + i * m_.nv, *next = run_.next + i * m_.nq, *missed = run_.missed + i * t_.rows;
    copy(v, s_.x, m_.nv);
    for (int k = 0; k < m_.nv; ++k) s_.way[k] = v[k] * p_.dt;
    Context<double> x{m_, s_.ws, s_.q, s_.way, nullptr, nullptr, next};
    integrate(x);
    for (int j = 0; j < p_.limits.flats; ++j) {
      const double at = s_.q[p_.limits.flat_q[j]], low = p_.limits.q_min[j], high = p_.limits.q_max[j];
      double& to = next[p_.limits.flat_q[j]];
      if (at >= low && at <= high) to = clamped(to, low, high);
    }
    for (int i = 0; i < t_.blocks; ++i) {  // A v; rows of J are followed by others or by zeros where x is padded by zeros
      const TaskBlock& block = t_.block[i];
      if (block.kind != kTaskPosture) {
        multiply_rows(s_.J + (size_t)block.first * m_.nv, block.rows, m_.nv, s_.x, s_.width, missed + block.first);
        continue;
      }
      for (int r = block.first; r < block.first + block.rows; ++r) missed[r] = t_.row[r].weight * v[t_.row[r].component];
    }
    for (int r = 0; r < t_.rows; ++r) {
      missed[r] = t_.row[r].weight > 0.0 ? (missed[r] - s_.b[r]) / t_.row[r].weight : 0.0;
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
