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

constexpr double kStiffRate = 1500.0;  // joints whose velocities decay faster than this are integrated implicitly [1/s]
constexpr int kMostStageIterations = 12;
constexpr double kStageTolerance = 0.01;  // of the iteration, in units of the tolerance of a step
constexpr double kWithin = 0.02;          // part of the tolerance that a step may use: errors of steps add up
constexpr double kWithinStiff = 0.1;      // the same of the implicit method

// Resistances D and stiffnesses K of a joint of the tree at one state.
struct JointStiffness {
  double damping, stiffness;
};
inline JointStiffness joint_stiffness(const Robot<double>& r, int k, const double* q, const double* v) {
  const Model& m = r.model;
  JointStiffness s{m.damping[k], m.spring_q[k] >= 0 ? m.stiffness[k] : 0.0};
  if (m.friction[k] > 0.0 && __builtin_fabs(v[k]) < kStictionSpeed) s.damping += m.friction[k] / kStictionSpeed;
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

  // Rates at the present state.
  bool begin(double t) {
    if (!phase_.rate(y_, t, k_[0])) return false;
    implicit_ = is_stiff();
    return true;
  }

  // A step from y to `next`; returns the error in units of the tolerance, a large number where there is no such step.
  double attempt(double t, double h) {
    const bool done = implicit_ ? attempt_implicit(t, h) : attempt_explicit(t, h);
    if (!done) return 1e300;
    double sum = 0.0;
    for (size_t i = 0; i < n_; ++i) {
      const double size = larger<double>(__builtin_fabs(y_[i]), __builtin_fabs(next_[i]));
      const double error = implicit_ ? filtered(i, implicit_error(h, i)) : DormandPrinceStages::error(k_, h, i);
      const double scaled = error / ((implicit_ ? kWithinStiff : kWithin) * (absolute_ + relative_ * size));
      sum += scaled * scaled;
    }
    return std::sqrt(sum / static_cast<double>(n_));
  }
  bool is_implicit() const { return implicit_; }
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

  // Goes on from `next`; `smooth` where its rates are known already.
  void accept(bool smooth) {
    exchange(y_, next_);
    if (smooth) exchange(k_[0], k_[implicit_ ? 5 : 6]), implicit_ = is_stiff();
  }

 private:
  bool is_stiff() const {
    const Model& m = r_.model;
    const TreeState<double>& tree = phase_.tree();
    for (int k = 0; k < m.tree_nv; ++k) {
      const JointStiffness s = joint_stiffness(r_, k, tree.q, tree.v);
      const double mobility = m.coupled && r_.driven(k) < 0 ? 0.0 : r_.ws.eliminated[k].inverse;
      if (s.damping * mobility > kStiffRate || s.stiffness * mobility > kStiffRate * kStiffRate) return true;
    }
    for (int i = 0; i < phase_.count(); ++i) {
      const ListedPoint& s = r_.rigid.listed[i];
      if (s.turning * s.size > kStiffRate) return true;
    }
    return false;
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
      if (!solve_stage(t + kAt[s] * h, h * kGamma, k_[s], to)) return false;
      for (size_t i = (size_t)m.nq + m.nv; i < n_; ++i) to[i] = base_[i] + h * kGamma * k_[s][i];
    }
    return true;
  }

  // k = f(base + hg k), with the state there in `to`.
  bool solve_stage(double t, double hg, double* k, double* to) {
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
      before = change;
      if (change <= kStageTolerance) {
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
    for (int pass = 0; pass < 6; ++pass) {
      for (int i = 0; i < m.nq; ++i) to[i] = base_[i] + hg * k[i];
      configuration_rate(m, static_cast<const double*>(to), static_cast<const double*>(to + m.nq), k);
      if (m.manifolds == 0) break;
    }
    for (int i = 0; i < m.nq; ++i) to[i] = base_[i] + hg * k[i];
    for (size_t i = (size_t)m.nq + m.nv; i < n_; ++i) to[i] = base_[i];
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
  double h_ = 0.0;
  bool implicit_ = false;
};

}  // namespace tarsus::TARSUS_ISA
