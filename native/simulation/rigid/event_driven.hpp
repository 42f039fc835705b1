// One robot on rigid ground from event to event: smooth steps in between (steps.hpp), located touch-downs, lift-offs, ends of
// slips and forces that leave their cones, impacts and modes at them (settlement.hpp). Where events follow one another too fast,
// or no loads are found at one, a short time is gone through in steps with solved impulses (least_constraint.hpp), and told.
#pragma once
#include "simulation/advance.hpp"
#include "simulation/rigid/event_location.hpp"
#include "simulation/rigid/event_work.hpp"
#include "simulation/rigid/settlement.hpp"
#include "simulation/rigid/steps.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kLooks = 4;              // parts in which a step is looked through for events
constexpr double kFalling = 1e-6;      // faster points have a time of touch that their gap corrects [m/s]
constexpr double kLargestShift = 0.1;  // largest correction of that time, relative to the step
constexpr int kTouchCorrections = 3;
constexpr double kTinyShift = 1e-9;     // corrections below this [s]
constexpr double kSmallShift = 1e-4;    // or below this part of the step need no new one: their third power is rounding
constexpr double kAtStop = 1e-9;        // joints so near to a stop [s] have reached it; the square of it is rounding
constexpr double kShortOfStop = 1e-5;   // part of the way to a stop that a step ends short of it
constexpr double kResting = 1e-10;      // velocities and accelerations up to this are rounding: the robot stands still
constexpr double kDeepestStart = 1e-4;  // a start deeper in the ground is refused [m]
constexpr double kFirstStep = 1e-3;     // [s]
constexpr double kUnshared = 1e-7;      // forces that cannot be shared in their cones are left so long at first [s],
constexpr double kMostUnshared = 1e-3;  // and twice as long each time that follows, up to this
constexpr double kActedReach = 1e-4;    // points that carried something in the last of them are closed up to this gap [m]

class EventDriven {
 public:
  EventDriven(Run& run, Robot<double>& r)
      : run_(run),
        r_(r),
        phase_(r),
        steps_(r, phase_, run.relative, run.absolute),
        log_{run, r.row},
        numbers_(run.phase + r.row * phase_numbers(run.world->contacts, r.model.tree_nv)),
        joint_numbers_(numbers_ + joint_phase(run.world->contacts)),
        work_(numbers_, joint_numbers_),
        end_(run.end) {
    spacing_ = run.dt * static_cast<double>(run.every);
    due_ = run.first_step / run.every + 1;
    t_ = run.start;
  }

  void go() {
    load();
    if (run_.sample_start) return sample_present();
    if (run_.check_start && !starts_above()) return;
    advance();
    store();
    run_.due_taken = taken_due_;
  }

 private:
  // -- state

  void load() {
    RigidMemory& rigid = r_.rigid;
    gather(steps_.y());
    h_ = numbers_[kPhaseStep] > 0.0 ? numbers_[kPhaseStep] : kFirstStep;
    settled_ = numbers_[kPhaseSettled] != 0.0, rigid.fineness = static_cast<int>(numbers_[kPhaseFineness]);
    rigid.slowest = larger<double>(numbers_[kPhaseSlowest], kSlowest);
    unshared_ = numbers_[kPhaseUnshared], pause_ = numbers_[kPhasePause] > 0.0 ? numbers_[kPhasePause] : kUnshared;
    for (int i = 0; i < r_.world.contacts; ++i) {
      const double* x = numbers_ + kPhaseHeader + (size_t)kPhasePoint * i;
      rigid.point[i] = {static_cast<int>(x[0]), {x[1], x[2], x[3]}, {x[4], x[5], x[6]}, x[7], x[8]};
      rigid.wanted[i] = 0;
    }
    const double* joint = joint_numbers_ + kPhaseJoints;
    for (int k = 0; k < r_.model.tree_nv; ++k) rigid.joint[k] = static_cast<signed char>(joint[k]);
    if (take_locks(r_)) settled_ = false;
    count_held(r_);
    find_closed(r_);
    find_reaches(r_);
  }

  void store() {
    numbers_[kPhaseStep] = h_, numbers_[kPhaseSettled] = settled_ ? 1.0 : 0.0, numbers_[kPhaseFineness] = r_.rigid.fineness;
    numbers_[kPhaseSlowest] = r_.rigid.slowest;
    numbers_[kPhaseUnshared] = unshared_, numbers_[kPhasePause] = pause_;
    for (int i = 0; i < r_.world.contacts; ++i) {
      const RigidPoint& p = r_.rigid.point[i];
      double* x = numbers_ + kPhaseHeader + (size_t)kPhasePoint * i;
      x[0] = p.mode, x[1] = p.direction.x, x[2] = p.direction.y, x[3] = p.direction.z, x[7] = p.level, x[8] = p.backward;
      x[4] = p.force.x, x[5] = p.force.y, x[6] = p.force.z;
      r_.contact[i].force = p.mode == kOpenPoint ? zero3<double>() : p.force;
    }
    double* joint = joint_numbers_ + kPhaseJoints;
    for (int k = 0; k < r_.model.tree_nv; ++k) joint[k] = r_.rigid.joint[k];
    scatter(steps_.y());
  }

  void gather(double* y) const {
    const Model& m = r_.model;
    for (int k = 0; k < m.nq; ++k) y[k] = r_.q[k];
    for (int k = 0; k < m.nv; ++k) y[m.nq + k] = r_.v[k];
    for (int k = 0; k < kWorks; ++k) y[m.nq + m.nv + k] = r_.work[k];
  }

  void scatter(const double* y) const {
    const Model& m = r_.model;
    for (int k = 0; k < m.nq; ++k) r_.q[k] = y[k];
    for (int k = 0; k < m.nv; ++k) r_.v[k] = y[m.nq + k];
    double work[kWorks];
    for (int k = 0; k < kWorks; ++k) work[k] = y[m.nq + m.nv + k];
    hold_dissipation(static_cast<const double*>(r_.work), work);
    for (int k = 0; k < kWorks; ++k) r_.work[k] = work[k];
    for (int i = 0; i < m.quaternions; ++i) normalize_quaternion(r_.q + m.quaternion[i]);
  }

  bool starts_above() {
    locate_at(r_, steps_.y());
    find_gaps(r_, r_.rigid.gap);
    int worst = -1;
    for (int i = 0; i < r_.world.contacts; ++i) {
      if (r_.rigid.gap[i] < -kDeepestStart && (worst < 0 || r_.rigid.gap[i] < r_.rigid.gap[worst])) worst = i;
    }
    if (worst < 0) return true;
    run_.status = kRunBelowGround, run_.row = r_.row, run_.time = t_, run_.closure = worst, run_.depth = -r_.rigid.gap[worst];
    return false;
  }

  // -- samples

  // The state y at a time, with the forces that it has in the present phase.
  void take_sample(const double* y, double t) {
    phase_.close(y, t);
    const bool slips = phase_.any_slips();  // then the motion depends on how forces are shared: it goes on as it was
    if (slips) keep_forces();
    if (phase_.force_margin() < 0.0 && Settlement(r_, phase_, log_).share_anew()) phase_.close(y, t);
    for (int i = 0; i < r_.world.contacts; ++i) r_.contact[i].force = zero3<double>();
    for (int i = 0; i < phase_.count(); ++i) {
      const ListedPoint& s = r_.rigid.listed[i];
      r_.contact[s.point].force = world_of(s, s.load);
    }
    const int rank = phase_.count() > 0 ? independent_constraints(r_, phase_.count()) : 0;
    if (slips) restore_forces();
    scatter(y);
    put_sample(t, rank);
  }
  void keep_forces() {
    for (int k = 0; k < r_.rigid.closeds; ++k) {
      const int i = r_.world.feature[r_.rigid.closed[k]].contact;
      r_.rigid.kept[i] = r_.rigid.point[i].force;
    }
  }
  void restore_forces() {
    for (int k = 0; k < r_.rigid.closeds; ++k) {
      const int i = r_.world.feature[r_.rigid.closed[k]].contact;
      r_.rigid.point[i].force = r_.rigid.kept[i];
    }
  }
  void put_sample(double t, int rank) {
    const long at = taken_++;
    record(run_, r_, at, t, false);
    if (run_.out_time) run_.out_time[at] = t;
    if (run_.out_dof) run_.out_dof[(size_t)at * run_.robots + r_.row] = r_.model.nv - r_.rigid.held - rank;
    run_.taken = taken_;
  }

  double next_due() const { return taken_due_ < due_samples() ? (due_ + taken_due_) * spacing_ : 1e300; }
  long due_samples() const { return (run_.first_step + run_.steps) / run_.every - run_.first_step / run_.every; }

  // The present state for those who ask; nothing is kept.
  void sample_present() {
    const Happenings silent{run_, r_.row};
    auto* note = run_.note;
    run_.note = nullptr;
    if (!settled_) {
      Settlement moment(r_, phase_, silent);
      moment.settle(steps_.y(), t_, [](const double*, double) {});
    }
    run_.note = note;
    take_sample(steps_.y(), t_);
  }

  // -- time

  bool at_end() const { return end_ - t_ <= 1e-12 * (end_ > 1.0 ? end_ : 1.0); }
  bool give_up(int status) {
    run_.status = status, run_.row = r_.row, run_.time = t_;
    return false;
  }

  void advance() {
    if (settled_) {
      phase_.close(steps_.y(), t_);
      settled_ = (phase_.force_margin() >= 0.0 || t_ < unshared_) && friction_left(r_) >= 0.0;
    }
    if (!settled_ && !settle()) return;
    while (!at_end()) {
      if (is_interrupted(run_)) {
        give_up(kRunInterrupted);
        return;
      }
      if (run_.take_impacts && taken_ + 4 + (due_samples() - taken_due_) > run_.samples) {
        give_up(kRunPaused);
        return;
      }
      if (!step()) return;
    }
    for (; taken_due_ < due_samples(); ++taken_due_) take_sample(steps_.y(), (due_ + taken_due_) * spacing_);
  }

  // One smooth step, or to the first event in it and through that; false where the run ends.
  bool step() {
    if (!fresh_ && !steps_.begin(t_)) {
      if (loop_failed(r_)) return !note_failed_loop(run_, r_, t_);
      return step_through();
    }
    if (!gapped_) phase_.begin_near(steps_.y()), gapped_ = true;
    fresh_ = true;
    if (anew_) h_ = steps_.first_length(t_, h_), anew_ = false, error_ = 1.0;
    if (rests()) {
      double* v = steps_.y() + r_.model.nq;
      for (int k = 0; k < r_.model.nv; ++k) v[k] = 0.0;
      t_ = end_;
      return true;
    }
    // Steps of the implicit method end with samples: between them it is less exact.
    const double allowed = steps_.choose(h_);
    const double stop = steps_.is_implicit() && next_due() > t_ + 1e-9 && next_due() < end_ ? next_due() : end_, room = stop - t_;
    const bool last = allowed >= room * (1 - 1e-12);
    const double used = last ? room : allowed;
    work_.count(t_, 1.0);
    if (work_.is_too_much()) return step_through();
    phase_.begin_slips();
    const double error = steps_.attempt(t_, used);
    if (loop_failed(r_)) {  // a shorter step may end before the place where it does
      if (used < 1e-13 * (1.0 + t_)) return !note_failed_loop(run_, r_, t_);
      r_.ws.failed_closure = -1, h_ = 0.5 * used;
      return true;
    }
    const double reached = error < 1e200 && used > kAtStop ? steps_.reaches_stop(used) : 1e300;
    if (reached < used) return cut_at_stop(reached);
    if (!(error <= 1.0)) {
      if (used < 1e-11 * (1.0 + t_)) return step_through();
      steps_.refuse();
      const double factor = error < 1e200 ? 0.9 * std::pow(error, -1.0 / steps_.order()) : 0.25;
      h_ = used * (factor > 0.1 ? factor : 0.1), refused_ = true;
      return true;
    }
    keep_branches(r_);
    const double next = used * growth(error);
    h_ = last && next > used ? larger<double>(h_, next) : next;
    // The last evaluation was at the end of an explicit step.
    const bool evaluated = !steps_.is_implicit(), drifts = phase_.drifts();
    const int nq = r_.model.nq;
    const bool dips = !evaluated || phase_.slips_dip() ||
                      joints_dip(r_, steps_.y() + nq, steps_.next() + nq, steps_.slope() + nq, steps_.last_slope() + nq);
    const double friction = friction_left(r_);
    double margin = t_ + used < unshared_ ? 1.0 : phase_.force_margin();
    if (!evaluated) locate_at(r_, steps_.next());
    phase_.list_near(used);
    steps_.extend(used);
    bool same = true;  // distribution of forces
    if (margin < 0.0) {
      phase_.close(steps_.next(), t_ + used);
      if (Settlement(r_, phase_, log_).share_anew()) margin = 1.0, same = false;
    }
    margin = smaller<double>(margin, friction);
    double event = 2.0;
    if (find_event(used, margin, dips, event)) return through_event(used, event);
    take_due(t_ + used, used);
    t_ = last ? stop : t_ + used;
    steps_.accept(true);
    phase_.keep_gaps();
    fresh_ = same;
    if (phase_.any_trembles()) phase_.allow_trembling(steps_.y(), used);
    if (phase_.any_closed() && (drifts || !evaluated) && phase_.project(steps_.y(), t_)) fresh_ = false;
    return finite();
  }

  // A joint reaches a stop after a time within the last attempt: a step that ends just before, and on over it.
  bool cut_at_stop(double after) {
    if (!cut_) before_cut_ = h_, cut_ = true;
    if (after > kAtStop) {
      h_ = (1.0 - kShortOfStop) * after;
      return true;
    }
    after = (1.0 + kShortOfStop) * after + 1e-16 * (1.0 + t_);
    take_due(t_, 1.0);
    steps_.pass(after);
    t_ += after, h_ = before_cut_;
    fresh_ = gapped_ = cut_ = false, anew_ = true;
    return true;
  }

  // Length of the next step relative to the last: by its error and, where errors grow, by how fast (Gustafsson 1991).
  double growth(double error) {
    const double least = larger<double>(error, 1e-9), order = steps_.order();
    const double found = 0.9 * std::pow(least, -0.9 / order) * std::pow(error_, 0.2 / order);
    const double most = refused_ ? 1.0 : 5.0;
    error_ = larger<double>(least, 1e-3), refused_ = false;
    return found < 0.2 ? 0.2 : found > most ? most : found;
  }

  bool finite() {
    const double* y = steps_.y();
    for (size_t k = 0; k < phase_.size(); ++k) {
      if (!(__builtin_fabs(y[k]) < 1e12)) return give_up(kRunNonFinite);
    }
    return true;
  }

  // Nothing moves, and nothing will before the law or a push changes.
  bool rests() const {
    if (r_.law.knots > 1) return false;
    const int nq = r_.model.nq;
    for (int k = 0; k < r_.model.nv; ++k) {
      if (!(__builtin_fabs(steps_y()[nq + k]) <= kResting && __builtin_fabs(steps_.slope()[nq + k]) <= kResting)) return false;
    }
    return true;
  }
  const double* steps_y() const { return const_cast<EventDriven*>(this)->steps_.y(); }

  // Samples until a time within the last attempt, of length h.
  void take_due(double until, double h) {
    for (; next_due() <= until + 1e-12 * (1.0 + until); ++taken_due_) {
      const double at = next_due(), x = (at - t_) / h;
      take_sample(x >= 1.0 ? steps_.next() : steps_.at(x), at);
    }
  }

  // -- events

  // Least of what must not become negative, at the part x of the attempt; forces are looked at if `with_forces`.
  double value_at(double x, double h, bool with_forces) {
    const double* y = x >= 1.0 ? steps_.next() : steps_.at(x);
    const RigidPhase::Look now = phase_.look(y);
    double least = smaller<double>(now.gap, now.slip);
    if (with_forces && least >= 0.0 && (phase_.any_closed() || r_.rigid.stuck > 0)) {
      phase_.close(y, t_ + x * h);
      const double friction = friction_left(r_);
      const double margin = t_ + x * h < unshared_ ? 1.0 : phase_.force_margin();
      const bool shared = margin < 0.0 && Settlement(r_, phase_, log_).share_anew(true);
      least = smaller<double>(smaller<double>(least, shared ? kConeTolerance : margin), friction);
    }
    return least;
  }

  // The part of the attempt at which the first event is; false where there is none. Unless slips dip, or points are near, the end
  // of the attempt tells enough.
  bool find_event(double h, double margin, bool slips_dip, double& event) {
    double low = 0.0;
    if (margin >= 0.0 && !slips_dip && r_.rigid.nears == 0) return false;
    for (int k = 1; k <= kLooks; ++k) {
      const double x = static_cast<double>(k) / kLooks, value = value_at(x, h, false);
      const bool forces = margin < 0.0 && (k == kLooks || value < 0.0);
      if (value < 0.0 || forces) {
        event = first_negative(forces ? 0.0 : low, x, h, [&](double at) { return value_at(at, h, forces); });
        return true;
      }
      low = x;
    }
    return false;
  }

  // To the event at the part x of the attempt of length h, integrated anew, and through it.
  bool through_event(double h, double x) {
    phase_.look(x >= 1.0 ? steps_.next() : steps_.at(x), true);
    bool touches = false;
    for (int i = 0; i < r_.world.contacts; ++i) touches = touches || r_.rigid.wanted[i];
    const double until = t_ + x * h;
    for (; next_due() <= until - 1e-12 * (1.0 + until); ++taken_due_) {
      const double at = next_due();
      take_sample(steps_.at((at - t_) / h), at);
    }
    double used = x * h;
    if (!(steps_.attempt(t_, used) < 1e300)) return step_through();
    for (int pass = 0; touches && pass < (steps_.is_implicit() ? 1 : kTouchCorrections); ++pass) {
      const double shift = touch_shift(h);
      if (shift == 0.0 || !(used + shift > 0.0)) break;
      used += shift;
      if (__builtin_fabs(shift) < larger<double>(kTinyShift, kSmallShift * used)) {
        steps_.shift(used - shift, shift);
        break;
      }
      if (!(steps_.attempt(t_, used) < 1e300)) return step_through();
    }
    keep_branches(r_);
    t_ += used;
    steps_.accept(false);
    return settle() && finite();
  }

  // By how much the touch of the fastest falling point is missed [s].
  double touch_shift(double h) {
    locate_at(r_, steps_.next());
    const int count = list_points(r_, [&](int i) { return r_.rigid.wanted[i] != 0; });
    double shift = 1e300;
    for (int i = 0; i < count; ++i) {
      const ListedPoint& s = r_.rigid.listed[i];
      if (s.velocity.n < -kFalling) {
        shift =
            smaller<double>(shift, -(s.gap - larger<double>(-1.0, r_.rigid.point[s.point].level + kTouchDepth)) / s.velocity.n);
      }
    }
    return __builtin_fabs(shift) < kLargestShift * h && __builtin_fabs(shift) > 1e-15 * (1.0 + t_) ? shift : 0.0;
  }

  // Impacts and modes at the present state, and on from there.
  bool settle() {
    r_.rigid.slowest = kSlowest * work_.fade_rattle(t_), r_.rigid.loose = work_.is_loose(t_);
    Settlement moment(r_, phase_, log_);
    fresh_ = gapped_ = false, anew_ = true;
    const bool found = moment.settle(steps_.y(), t_, [&](const double* y, double t) {
      if (run_.take_impacts) take_sample(y, t);
    });
    if (moment.jumped() && run_.take_impacts) take_sample(steps_.y(), t_);
    settled_ = true;
    if (moment.lock_engaged())
      joint_numbers_[kPhaseLockImpulse] = r_.rigid.lock_impulse, joint_numbers_[kPhaseLockLoss] = moment.loss();
    if (moment.changed() && r_.rigid.closeds >= kRattlers) work_.rattle();
    pause_ = moment.fits() ? kUnshared : smaller<double>(2.0 * pause_, kMostUnshared);
    unshared_ = moment.fits() ? -1.0 : t_ + pause_;
    work_.count(t_, moment.changed() ? kMostSteps / kMostEvents : kJointEvent);
    if (found && !work_.is_too_much()) return true;
    return at_end() ? true : step_through();
  }

  // A short time in steps with solved impulses.
  bool step_through() {
    if (work_.loosen(r_, t_)) return settle();
    const double time = work_.stepped_time(t_), length = EventWork::stepped_length(time);
    const double begin = t_, until = smaller<double>(end_, t_ + time);
    scatter(steps_.y());
    for (int i = 0; i < r_.world.contacts; ++i)
      r_.contact[i].force = r_.rigid.point[i].force, r_.displacement[i] = zero3<double>();
    while (until - t_ > 1e-12 * (1.0 + until)) {
      double stop = smaller<double>(until, t_ + length);
      if (until - stop < 1e-3 * length) stop = until;
      if (next_due() > t_ + 1e-12 && next_due() < stop - 1e-12) stop = next_due();
      least_constraint_step(r_, t_, stop - t_, less<double>(0.0, 1.0));
      if (note_failed_loop(run_, r_, t_)) return false;
      if (first_unsolved(r_) >= 0) return give_up(kRunUnsolved);
      if (first_not_finite(r_) >= 0) return give_up(kRunNonFinite);
      t_ = stop;
      for (; next_due() <= t_ + 1e-12 * (1.0 + t_); ++taken_due_) sample_stepped();
    }
    gather(steps_.y());
    log_.note(kSteppedEvent, -1, begin, t_ - begin, zero3<double>());
    work_.have_stepped(t_);
    take_stepped_modes();
    for_rubbing(r_, [&](int k) { r_.rigid.joint[k] = r_.rigid.joint[k] == kLockedJoint ? kLockedJoint : kCreeps; });
    count_held(r_);
    h_ = kFirstStep;
    if (at_end()) t_ = end_;
    return settle();
  }

  void sample_stepped() {
    locate_at(r_, gathered());
    const int count = list_points(r_, [&](int i) { return dot(r_.contact[i].force, r_.contact[i].force) > 0.0; });
    put_sample(next_due(), count > 0 ? stepped_rank(count) : 0);
  }
  const double* gathered() {
    gather(steps_.sample());
    return steps_.sample();
  }
  int stepped_rank(int count) {
    const TreeState<double> tree = move_without_contact(r_, steps_.sample(), t_, nullptr);
    for (int i = 0; i < count; ++i) r_.rigid.listed[i].part = kSticks, r_.rigid.listed[i].d1 = r_.rigid.listed[i].d2 = 0.0;
    begin_loads(r_, tree, count);
    return independent_constraints(r_, count);
  }

  // Points that carried something at last are closed, all others open.
  void take_stepped_modes() {
    RigidMemory& rigid = r_.rigid;
    locate_at(r_, steps_.y());
    find_gaps(r_, rigid.gap);
    for (int i = 0; i < r_.world.contacts; ++i) {
      RigidPoint& p = rigid.point[i];
      const bool carries = dot(r_.contact[i].force, r_.contact[i].force) > 0.0 && rigid.gap[i] < kActedReach;
      rigid.wanted[i] = carries ? 1 : 0;
      p.level = __builtin_fabs(rigid.gap[i]) > kHeldLevel ? rigid.gap[i] : 0.0;
      p.force = carries ? r_.contact[i].force : zero3<double>();
      if (p.mode == kOpenPoint || carries) continue;
      p.mode = kOpenPoint;
      log_.note(kLiftOffEvent, i, t_, 0.0, zero3<double>());
    }
    find_closed(r_);
  }

  Run& run_;
  Robot<double>& r_;
  RigidPhase phase_;
  RigidSteps steps_;
  Happenings log_;
  double *numbers_, *joint_numbers_;
  EventWork work_;
  double t_, end_, h_ = kFirstStep, spacing_, unshared_ = -1.0, pause_ = kUnshared;
  long due_, taken_due_ = 0, taken_ = 0;
  double before_cut_ = 0.0;  // length of steps before they were cut at a stop [s]
  double error_ = 1.0;       // of the last step, in units of the tolerance
  bool settled_ = false, fresh_ = false, anew_ = false, gapped_ = false, refused_ = false, cut_ = false;
};

}  // namespace tarsus::TARSUS_ISA
