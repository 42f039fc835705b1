// Steps of the smooth motion between events: Dormand and Prince's method of order 5, or where joints are damped or held so
// stiffly that its steps would become short, an implicit method of order 4 (ARK4(3)6L[2]SA of Kennedy and Carpenter 2003, the
// implicit part).
//
// The stages of the implicit one are solved by iteration with the stiffness of the joints alone, hg D + (hg)^2 K, which adds to
// the inertias of the joints: one articulated-body solve an iteration. What is left out is not stiff.
#pragma once
#include "simulation/integrators/dormand_prince_stages.hpp"
#include "simulation/rigid/phase.hpp"

namespace tarsus::TARSUS_ISA {

// Steps are explicit where their length times the fastest rate of decay is below the limit of stability, which is 3.3. An
// implicit step costs two to three explicit ones, and is worth it where accuracy allows longer ones.
constexpr double kExplicitLength = 3.0;   // longest explicit step
constexpr double kStableLength = 1.2;     // explicit steps longer than this are probably held back by stability:
constexpr int kHeldBack = 12;             // after so many of them the next is implicit,
constexpr double kImplicitLength = 12.0;  // and at once where accuracy would allow more than this,
constexpr double kLeastImplicit = 1.2;    // until steps become shorter than this
constexpr double kStiffest = 1e5;  // rates of decay above this are never left to explicit steps that want to be longer [1/s]
constexpr int kExplicitRun = 24;   // explicit steps after an implicit one that was refused
constexpr int kMostStageIterations = 12;
constexpr double kStageTolerance = 0.01;  // of the iteration, in units of the tolerance of a step
constexpr double kStageCaution = 3.0;     // times what iterations that contract leave is counted
constexpr double kSamePlace = 1e-15;      // configurations of a stage that differ by less are the same
constexpr double kWithin = 0.2;           // part of the tolerance that a step may use: errors of steps add up

constexpr double kFifthOrder =
    97.0 / 120000;                     // error of Dormand and Prince's method of x' = -x, times the fifth power of the step
constexpr double kProbedLength = 0.1;  // shorter first steps, times the fastest rate of decay, are taken without a probe

constexpr double kBend = 1e-7;  // steps may go on so long [s] over a place where rates bend

// Resistances D and stiffnesses K of a joint of the tree at one state.
struct JointStiffness {
  double damping, stiffness;
};
inline JointStiffness joint_stiffness(const Robot<double>& r, int k, const double* q, const double* v) {
  const Model& m = r.model;
  JointStiffness s{m.damping[k], m.spring_q[k] >= 0 ? m.stiffness[k] : 0.0};
  if (m.friction[k] > 0.0 && r.rigid.joint[k] == kCreeps && __builtin_fabs(v[k]) < kStictionSpeed)
    s.damping += m.friction[k] / kStictionSpeed;
  if (r.law.stop_q && r.law.stop_q[k] >= 0) {
    const double x = q[r.law.stop_q[k]];
    if (x < r.law.lower[k] || x > r.law.upper[k]) s.damping += r.law.stop_damping[k], s.stiffness += r.law.stop_stiffness[k];
  }
  const int c = r.driven(k);
  if (c >= 0 && __builtin_fabs(r.tau[c]) < r.law.limit[c]) s.damping += r.law.kd[c], s.stiffness += r.law.kp[c];
  return s;
}

class RigidSteps {
 public:
  RigidSteps(Robot<double>& r, RigidPhase& phase, double relative, double absolute)
      : r_(r), phase_(phase), n_(phase.size()), relative_(relative), absolute_(absolute) {
    double* memory = r.rigid.stages;
    auto take = [&](double*& x) { x = memory, memory += n_; };
    take(y_), take(next_), take(stage_), take(base_), take(sample_);
    for (double*& k : k_) take(k);
    for (double*& c : c_) take(c);
    resistance_ = memory;
  }

  double* y() { return y_; }
  double* next() { return next_; }
  double* sample() { return sample_; }
  const double* slope() const { return k_[0]; }
  const double* last_slope() const { return k_[implicit_ ? 5 : 6]; }

  // Rates at the present state.
  bool begin(double t) {
    if (!phase_.rate(y_, t, k_[0])) return false;
    decay_ = fastest_decay();
    return true;
  }

  // The method for a step that may be as long as h by its accuracy; returns how long it may be.
  double choose(double h) {
    const double length = decay_ * h;
    held_back_ = !implicit_ && length > kStableLength ? held_back_ + 1 : 0;
    const bool wanted = decay_ > kStiffest ? length > kLeastImplicit
                        : implicit_        ? length > kLeastImplicit && explicit_run_ == 0
                                           : explicit_run_ == 0 && (length > kImplicitLength || held_back_ > kHeldBack);
    implicit_ = wanted;
    if (implicit_) return h;
    if (explicit_run_ > 0) --explicit_run_;
    return smaller<double>(h, kExplicitLength / larger<double>(decay_, 1e-300));
  }
  void refuse() {
    if (implicit_) explicit_run_ = kExplicitRun;
  }

  // A step from y to `next`; returns the error in units of the tolerance, a large number where there is no such step.
  double attempt(double t, double h) {
    const bool done = implicit_ ? attempt_implicit(t, h) : attempt_explicit(t, h);
    if (!done) return 1e300;
    next_decay_ = fastest_decay();
    double sum = 0.0;
    for (size_t i = 0; i < n_; ++i) {
      const double size = larger<double>(__builtin_fabs(y_[i]), __builtin_fabs(next_[i]));
      const double error = implicit_ ? filtered(i, implicit_error(h, i)) : DormandPrinceStages::error(k_, h, i);
      const double scaled = error / (kWithin * (absolute_ + relative_ * size));
      sum += scaled * scaled;
    }
    return std::sqrt(sum / static_cast<double>(n_));
  }
  bool is_implicit() const { return implicit_; }

  // A first step from the present state, whose rates are there, not longer than h. What decays with the fastest rate has the
  // amplitude y'' / rate^2, and y'' is in the change of the rates over a short step.
  double first_length(double t, double h) {
    const double probe = 1e-3 * smaller<double>(h, 1.0 / larger<double>(decay_, 1e-300));
    for (size_t i = 0; i < n_; ++i) stage_[i] = y_[i] + probe * k_[0][i];
    if (!(decay_ * h > kProbedLength) || !phase_.rate(stage_, t + probe, k_[1])) return h;
    double sum = 0.0;
    for (size_t i = 0; i < n_; ++i) {
      const double scaled = (k_[1][i] - k_[0][i]) / (probe * kWithin * (absolute_ + relative_ * __builtin_fabs(y_[i])));
      sum += scaled * scaled;
    }
    const double bend = std::sqrt(sum / static_cast<double>(n_));
    return smaller<double>(h, std::pow(kFifthOrder * decay_ * decay_ * decay_ * larger<double>(bend, 1e-300), -0.2));
  }
  double order() const { return implicit_ ? 4.0 : 5.0; }

  // The state at the part x of the last attempt, into sample().
  void extend(double h) {
    h_ = h;
    if (!implicit_) DormandPrinceStages::extend(n_, y_, next_, h, k_, c_);
  }
  double* at(double x) {
    if (!implicit_) {
      DormandPrinceStages::interpolate(n_, c_, x, sample_);
      return sample_;
    }
    const double *first = k_[0], *last = k_[5];  // Hermite's cubic
    const double b = x * x * (3.0 - 2.0 * x), c = x * (1.0 - x) * (1.0 - x) * h_, d = -x * x * (1.0 - x) * h_;
    for (size_t i = 0; i < n_; ++i) sample_[i] = y_[i] + b * (next_[i] - y_[i]) + c * first[i] + d * last[i];
    return sample_;
  }

  // When, within the last attempt of length h, a joint comes to or from a stop. Rates jump where it comes, as damping acts at
  // once; they bend where the stop lets go, and where the joint has left it: such a place may be kBend late.
  double reaches_stop(double h) const {
    const Model& m = r_.model;
    double first = 1e300;
    if (!r_.law.stop_q || m.coupled) return first;
    const double* last = k_[implicit_ ? 5 : 6];
    for (int k = 0; k < m.tree_nv; ++k) {
      const int at = r_.law.stop_q[k], n = m.nq + k;
      if (at < 0) continue;
      for (double side = 1.0; side >= -1.0; side -= 2.0) {
        const double limit = side > 0.0 ? r_.law.upper[k] : r_.law.lower[k];
        const double room = side * (limit - y_[at]), left = side * (limit - next_[at]);
        const double from = -side * h * y_[n], to = -side * h * next_[n];
        if (room >= 0.0) {
          if (left < 0.0) first = smaller<double>(first, h * first_zero(room, left, from, to));
          continue;
        }
        const double stiffness = r_.law.stop_stiffness[k], damping = r_.law.stop_damping[k];
        const double push = -stiffness * room + side * damping * y_[n], pushed = -stiffness * left + side * damping * next_[n];
        double bend = 1e300;
        if ((push > 0.0) != (pushed > 0.0)) {
          const double d0 = h * side * (stiffness * y_[n] + damping * k_[0][n]);
          const double d1 = h * side * (stiffness * next_[n] + damping * last[n]);
          bend = h * first_zero(push, pushed, d0, d1);
        }
        if (push <= 0.0 && left >= 0.0) bend = smaller<double>(bend, h * first_zero(room, left, from, to));
        if (bend > kBend) first = smaller<double>(first, bend);
      }
    }
    return first;
  }
  // Where Hermite's cubic with these values and slopes at 0 and 1 changes its sign.
  static double first_zero(double a, double b, double slope, double end) {
    double low = 0.0, high = 1.0;
    for (int n = 0; n < 50; ++n) {
      const double x = 0.5 * (low + high), z = 1.0 - x;
      const double value = z * z * ((1.0 + 2.0 * x) * a + x * slope) + x * x * ((3.0 - 2.0 * x) * b - z * end);
      ((value >= 0.0) == (a >= 0.0) ? low : high) = x;
    }
    return high;
  }
  // On by a time so short that rates do not change; joints that reach their stops by it are beyond them by rounding.
  void pass(double by) {
    const Model& m = r_.model;
    for (size_t i = 0; i < n_; ++i) y_[i] += by * k_[0][i];
    for (int k = 0; k < m.tree_nv; ++k) {
      const int at = r_.law.stop_q[k];
      if (at < 0) continue;
      const double v = y_[m.nq + k], limit = v > 0.0 ? r_.law.upper[k] : r_.law.lower[k];
      const double beyond = limit + (v > 0.0 ? 1e-15 : -1e-15) * (1.0 + __builtin_fabs(limit));
      if (__builtin_fabs(y_[at] - limit) < __builtin_fabs(beyond - limit)) y_[at] = beyond;
    }
  }

  // The state at the end of the last attempt, of length h, so much later: its rates are there, and how they change since a
  // stage before the end, where that is long ago.
  void shift(double h, double by) {
    const double *rates = k_[implicit_ ? 5 : 6], *before = k_[4], since = h * (1.0 - (implicit_ ? kAt[4] : 8.0 / 9));
    const double half = __builtin_fabs(by) < 0.1 * since ? 0.5 * by * by / since : 0.0;
    for (size_t i = 0; i < n_; ++i) next_[i] += by * rates[i] + half * (rates[i] - before[i]);
  }

  // Goes on from `next`; `smooth` where its rates are known already.
  void accept(bool smooth) {
    exchange(y_, next_);
    if (smooth) exchange(k_[0], k_[implicit_ ? 5 : 6]), decay_ = next_decay_;
  }

 private:
  // Rate [1/s] at which the fastest of the held joints, or of the turning slips, decays.
  double fastest_decay() const {
    const Model& m = r_.model;
    const TreeState<double>& tree = phase_.tree();
    double fastest = 0.0;
    for (int k = 0; k < m.tree_nv; ++k) {
      const JointStiffness s = joint_stiffness(r_, k, tree.q, tree.v);
      const double mobility = m.coupled && r_.driven(k) < 0 ? 0.0 : r_.ws.eliminated[k].inverse;
      fastest = larger<double>(fastest, larger<double>(s.damping * mobility, std::sqrt(s.stiffness * mobility)));
    }
    for (int i = 0; i < phase_.count(); ++i) {
      const ListedPoint& s = r_.rigid.listed[i];
      fastest = larger<double>(fastest, s.turning * s.load.n * s.size);
    }
    return fastest;
  }

  bool attempt_explicit(double t, double h) {
    return DormandPrinceStages::attempt(n_, y_, t, h, k_, stage_, next_,
                                        [&](const double* y, double at, double* k) { return phase_.rate(y, at, k); });
  }

  static constexpr double kGamma = 0.25;
  static constexpr double kA[6][5] = {
      {},
      {1.0 / 4},
      {8611.0 / 62500, -1743.0 / 31250},
      {5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108},
      {15267082809.0 / 155376265600, -71443401.0 / 120774400, 730878875.0 / 902184768, 2285395.0 / 8070912},
      {82889.0 / 524892, 0.0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211}};
  static constexpr double kAt[6] = {0.0, 0.5, 83.0 / 250, 31.0 / 50, 17.0 / 20, 1.0};

  double implicit_error(double h, size_t i) const {
    static constexpr double e[6] = {82889.0 / 524892 - 4586570599.0 / 29645900160, 0.0,
                                    15625.0 / 83664 - 178811875.0 / 945068544,     69875.0 / 102672 - 814220225.0 / 1159782912,
                                    -2260.0 / 8211 + 3700637.0 / 11593932,         1.0 / 4 - 61727.0 / 225920};
    double error = 0.0;
    for (int s = 0; s < 6; ++s) error += e[s] * k_[s][i];
    return h * error;
  }

  // What the implicit method damps away is no error of it: (1 - hg T)^-1 of the error, with the stiffness of each joint alone.
  double filtered(size_t i, double error) const {
    const Model& m = r_.model;
    if (m.coupled || i < (size_t)m.nq || i >= (size_t)(m.nq + m.nv)) return error;
    const int k = static_cast<int>(i) - m.nq;
    return error / (1.0 + resistance_[k] * r_.ws.eliminated[k].inverse);
  }

  bool attempt_implicit(double t, double h) {
    const Model& m = r_.model;
    for (int s = 1; s < 6; ++s) {
      for (size_t i = 0; i < n_; ++i) {
        double sum = 0.0;
        for (int j = 0; j < s; ++j) sum += kA[s][j] * k_[j][i];
        base_[i] = y_[i] + h * sum;
      }
      double* to = s == 5 ? next_ : stage_;
      for (size_t i = 0; i < n_; ++i) k_[s][i] = k_[s - 1][i];
      if (!solve_stage(t + kAt[s] * h, h * kGamma, k_[s], to, s == 5)) return false;
      for (size_t i = (size_t)m.nq + m.nv; i < n_; ++i) to[i] = base_[i] + h * kGamma * k_[s][i];
    }
    return true;
  }

  // k = f(base + hg k), with the state there in `to`. Iterations end where what they leave is small, by how they contract (Hairer
  // and Wanner 1996, IV.8); at the `last` stage, whose forces tell of events, where they change nothing any more.
  bool solve_stage(double t, double hg, double* k, double* to, bool last) {
    const Model& m = r_.model;
    double before = 1e300;
    for (int iteration = 0; iteration < kMostStageIterations; ++iteration) {
      place_stage(hg, k, to);
      double* x = resistance_ + m.tree_nv;
      for (int i = 0; i < m.nv; ++i) x[i] = k[m.nq + i];
      find_resistance(to, hg);
      const JointResistance held{resistance_, x, hg};
      if (!phase_.rate(to, t, k, &held)) return false;
      double change = 0.0;
      for (int i = 0; i < m.nv; ++i) {
        const double size = absolute_ + relative_ * __builtin_fabs(to[m.nq + i]);
        change = larger<double>(change, hg * __builtin_fabs(k[m.nq + i] - x[i]) / size);
      }
      if (!(change < 1e200) || (iteration > 2 && change > 2.0 * before)) return false;
      const double rate = iteration > 0 ? change / before : 1.0;
      const double left = last ? change : smaller<double>(change, kStageCaution * rate * change);
      before = change;
      if (left <= kStageTolerance) {
        place_stage(hg, k, to);
        return true;
      }
    }
    return false;
  }

  // The state of a stage with the accelerations of k, and the rates of its configuration into k.
  void place_stage(double hg, double* k, double* to) {
    const Model& m = r_.model;
    for (int i = 0; i < m.nv; ++i) to[m.nq + i] = base_[m.nq + i] + hg * k[m.nq + i];
    for (size_t i = (size_t)m.nq + m.nv; i < n_; ++i) to[i] = base_[i];
    for (int pass = 0; pass < 6; ++pass) {
      double moved = 0.0;
      for (int i = 0; i < m.nq; ++i) {
        const double before = to[i];
        to[i] = base_[i] + hg * k[i];
        moved = larger<double>(moved, __builtin_fabs(to[i] - before));
      }
      if (pass > 0 && (m.manifolds == 0 || moved < kSamePlace)) return;
      configuration_rate(m, static_cast<const double*>(to), static_cast<const double*>(to + m.nq), k);
    }
    for (int i = 0; i < m.nq; ++i) to[i] = base_[i] + hg * k[i];
  }

  void find_resistance(const double* y, double hg) {
    const Model& m = r_.model;
    const TreeState<double> tree = expand_state(r_, y, y + m.nq);
    for (int k = 0; k < m.tree_nv; ++k) {
      const JointStiffness s = joint_stiffness(r_, k, tree.q, tree.v);
      resistance_[k] = hg * (s.damping + hg * s.stiffness);
    }
  }

  Robot<double>& r_;
  RigidPhase& phase_;
  const size_t n_;
  const double relative_, absolute_;
  double *y_, *next_, *stage_, *base_, *sample_, *k_[7], *c_[5], *resistance_;
  double h_ = 0.0, decay_ = 0.0, next_decay_ = 0.0;
  int explicit_run_ = 0, held_back_ = 0;
  bool implicit_ = false;
};

}  // namespace tarsus::TARSUS_ISA
