// What happens at one moment on rigid ground: impacts of what touches, and the modes that follow.
#pragma once
#include "simulation/rigid/joint_choice.hpp"
#include "simulation/rigid/phase.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kOnGround = 1e-9;              // points with a gap up to this can close [m]
constexpr double kApproach = 1e-10;             // points on the ground that approach it faster than this need an impact [m/s]
constexpr double kStopped = 1e-9;               // slower points were stopped by an impact [m/s]
constexpr int kMostRepeats = 8;                 // of impacts, and of choices of modes, at one moment
constexpr int kRestitutionHalvings = 20;        // bisections for the largest restitution that adds no energy
constexpr double kOpeningAcceleration = 1e-10;  // points that carry nothing open above this [m/s^2], relative to 1 + their own
constexpr double kStoppingTime = 3e-4;          // [s]
constexpr double kSlipOnset = 1e-11;   // points slip that accelerate by more than this part of what all forces do to them
constexpr double kNearMotion = 1e-6;   // the same two where loads are near the solution only
constexpr double kHeldLevel = 1e-8;    // closed points further from the ground than this are held where they are [m]
constexpr double kTouchDepth = 1e-12;  // open points touch when they fall so far below the ground, or where they were [m]

constexpr double kSmallMargin = 1e-3;  // forces nearer to the edges of their cones than this part of their sum are shared anew

// Receives what happens: events, and the state before the first impact that is one.
struct Happenings {
  Run& run;
  long row;
  void note(int kind, int contact, double time, double speed, const Vec3<double>& impulse) const {
    if (!run.note) return;
    const RigidEvent event{row, kind, contact, time, speed, {impulse.x, impulse.y, impulse.z}};
    run.note(run.log, event);
  }
};

class Settlement {
 public:
  // `before_jump(y, t)` is called before the first jump that is an event.
  Settlement(Robot<double>& r, RigidPhase& phase, const Happenings& log) : r_(r), phase_(phase), log_(log) {}

  bool jumped() const { return jumped_; }
  bool fits() const { return fits_; }
  bool lock_engaged() const { return lock_ >= 0; }
  double loss() const { return loss_; }      // energy that impacts took
  bool changed() const { return changed_; }  // modes of points, or velocities by an impact

  // Settles the state y at time t, in place; points in rigid.wanted touch. False where no loads were found.
  template <class BeforeJump>
  bool settle(double* y, double t, BeforeJump before_jump) {
    RigidMemory& rigid = r_.rigid;
    for (int i = 0; i < r_.world.contacts; ++i) rigid.before[i] = rigid.point[i];
    jumped_ = fits_ = changed_ = false, rigid.fineness = 0;
    const int impact = r_.model.nq + r_.model.nv + work_index(kImpact);
    const double lost = y[impact];
    lock_ = -1, rigid.lock_impulse = 0.0;
    bool found = true;
    for (int repeat = 0; repeat < kMostRepeats && found && !fits_; ++repeat) {
      found = choose(y, t, before_jump);
      if (!found) break;
      rigid.fineness = 0;
      phase_.project(y, t);
      phase_.close(y, t);
      while (phase_.force_margin() >= 0.0 && JointChoice(r_).yield()) phase_.close(y, t);
      fits_ = phase_.force_margin() >= 0.0 && friction_left(r_) >= 0.0;
    }
    if (found && fits_) share();
    loss_ = y[impact] - lost;
    note_changes(t);
    set_levels(y);
    return found;
  }

  // Whether the modes still hold at a state, the last that was closed, whose forces have left their cones: another distribution
  // over redundant points has the same accelerations. It is taken from then on, and moved to the middle of all that have unless
  // it is only `tried`.
  bool share_anew(bool tried = false) {
    if (phase_.force_margin() >= 0.0) return true;
    const int count = phase_.count();
    if (!phase_.solved() || count < 2) return false;
    if (ConeProblem(r_, count).solve() == kNoLoads) return false;
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += __builtin_fabs(point(i).load.n) + across(point(i).load);
    for (int i = 0; i < count; ++i) {
      const ListedPoint& s = point(i);
      if (s.motion.n > kOpeningAcceleration * (1.0 + __builtin_fabs(s.free.n))) return false;
      if (!s.sliding && across(s.motion) > kSlipOnset * sum * s.size) return false;
    }
    for (int i = 0; i < count; ++i) r_.rigid.point[point(i).point].force = world_of(point(i), point(i).load);
    for (int i = 0; i < count; ++i) point(i).part = point(i).sliding ? kSlides : kSticks;
    if (!tried) share();
    return true;
  }

 private:
  ListedPoint& point(int i) const { return r_.rigid.listed[i]; }

  // Points on the ground that do not leave it, or slower than `slowest`: rocking ends like bouncing.
  void list_candidates(const double* y, double t) {
    RigidMemory& rigid = r_.rigid;
    tree_ = move_without_contact(r_, y, t, nullptr);
    find_gaps(r_, rigid.gap);
    auto near = [&](int i) { return rigid.gap[i] <= kOnGround || rigid.point[i].mode != kOpenPoint || rigid.wanted[i]; };
    count_ = list_points(r_, near);
    bool leaves = false;
    for (int i = 0; i < r_.world.contacts; ++i) rigid.wanted[i] &= ~2;
    for (int i = 0; i < count_; ++i) {
      if (point(i).velocity.n > r_.rigid.slowest && !was_held(point(i))) rigid.wanted[point(i).point] |= 2, leaves = true;
    }
    if (leaves) count_ = list_points(r_, [&](int i) { return near(i) && !(rigid.wanted[i] & 2); });
  }

  template <class BeforeJump>
  bool choose(double* y, double t, BeforeJump before_jump) {
    JointChoice joints(r_);
    if (joints.engaging(y) >= 0) {
      lock_ = joints.engaging(y);
      if (!jumped_) before_jump(y, t);
      jumped_ = true;
    }
    locked_ = joints.hold(y, t);
    for (int repeat = 0;; ++repeat) {
      double fastest = approach(y, t);
      if (fastest <= kApproach || repeat == kMostRepeats) break;
      const bool freed = fastest > r_.rigid.slowest && joints.let_go();
      if (freed) fastest = approach(y, t);
      if (!strike(y, t, before_jump)) return false;
      locked_ = freed && joints.hold(y, t);
    }
    if (locked_) locked_ = false, list_candidates(y, t);
    ConeAnswer answer = solve_forces();
    while (joints.open(y + r_.model.nq) && joints.revise(y + r_.model.nq, accelerations(answer))) {
      list_candidates(y, t);
      answer = solve_forces();
    }
    bool stuck = false;
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      const bool none = s.sliding && s.friction > 0.0 && s.own_sliding <= 1e-9 * s.size;
      r_.rigid.wanted[s.point] = static_cast<char>((r_.rigid.wanted[s.point] & ~4) | (none ? 4 : 0));
      stuck = stuck || (none && (answer == kNoLoads || (s.part != kFreePart && s.load.n > 0.0)));
    }
    if (stuck) {
      if (!jam(y, t, before_jump)) return false;
      list_candidates(y, t);
      answer = solve_forces();
    }
    if (answer == kNoLoads) return false;
    take_modes(answer);
    return true;
  }

  // Whether the lock that has just engaged gave a closed point its velocity: it had none.
  bool was_held(const ListedPoint& s) const { return locked_ && r_.rigid.before[s.point].mode != kOpenPoint; }

  // Lists the candidates; the speed with which the fastest of them approaches the ground.
  double approach(const double* y, double t) {
    list_candidates(y, t);
    double fastest = 0.0;
    for (int i = 0; i < count_; ++i) fastest = larger<double>(fastest, -point(i).velocity.n);
    return fastest;
  }

  // Accelerations with the loads that were found, and what held joints carry.
  const double* accelerations(ConeAnswer answer) {
    const bool loaded = count_ > 0 && answer != kNoLoads;
    if (loaded) apply_loads(r_, tree_, count_);
    const double* vdot = loaded ? r_.vdot : r_.rigid.vdot;
    find_joint_forces(r_, vdot);
    return vdot;
  }

  ConeAnswer solve_forces() {
    for (int i = 0; i < count_; ++i) {
      ListedPoint& s = point(i);
      const double speed = across(s.velocity);
      s.sliding = speed > r_.rigid.slowest || s.friction == 0.0;
      s.d1 = s.sliding && speed > 0.0 ? s.velocity.t1 / larger<double>(speed, r_.rigid.slowest) : 0.0;
      s.d2 = s.sliding && speed > 0.0 ? s.velocity.t2 / larger<double>(speed, r_.rigid.slowest) : 0.0;
    }
    if (count_ == 0) return kExactLoads;
    begin_loads(r_, tree_, count_);
    free_accelerations(r_, count_);
    for (int i = 0; i < count_; ++i) {  // what moves slowly sticks where forces stop it soon, or slips the way it then goes
      ListedPoint& s = point(i);
      if (!s.sliding) s.free.t1 += s.velocity.t1 / kStoppingTime, s.free.t2 += s.velocity.t2 / kStoppingTime;
    }
    return ConeProblem(r_, count_).solve();
  }

  // Modes by what the points do: those that do not move away are closed, those that do not move along stick.
  void take_modes(ConeAnswer answer) {
    RigidMemory& rigid = r_.rigid;
    for (int k = 0; k < rigid.closeds; ++k) {
      RigidPoint& p = rigid.point[r_.world.feature[rigid.closed[k]].contact];
      p.mode = kOpenPoint, p.force = zero3<double>();
    }
    double sum = 0.0;
    for (int i = 0; i < count_; ++i) sum += __builtin_fabs(point(i).load.n) + across(point(i).load);
    const double near = answer == kNearLoads ? kNearMotion * motion_scale(r_, count_) : 0.0;
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      RigidPoint& p = rigid.point[s.point];
      const bool loaded = s.part != kFreePart && s.load.n > 0.0;
      const bool away = s.motion.n > larger<double>(kOpeningAcceleration * (1.0 + __builtin_fabs(s.free.n)), near);
      if (!loaded && away) continue;
      const double moves = across(s.motion), size = across(s.load);
      const bool slips = s.sliding || (s.part != kSticks && moves > larger<double>(kSlipOnset * sum * s.size, near));
      p.mode = slips ? kSlipPoint : kStickPoint;
      p.force = world_of(s, s.load);
      p.direction = zero3<double>();
      if (s.sliding) {
        p.direction = s.d1 * s.t1 + s.d2 * s.t2;
      } else if (slips && loaded && size > 0.0) {
        p.direction = (-s.load.t1 / size) * s.t1 + (-s.load.t2 / size) * s.t2;
      } else if (slips) {
        p.direction = (s.motion.t1 / moves) * s.t1 + (s.motion.t2 / moves) * s.t2;
      }
      if (rigid.before[s.point].mode == kOpenPoint) p.level = __builtin_fabs(s.gap) > kHeldLevel ? s.gap : 0.0;
    }
    find_closed(r_);
  }

  // Redundant points that carry almost nothing, or are at the edges of their cones, would end the phase at once: what they carry
  // together is shared from the middle of all distributions. The closed points are listed, with their forces.
  void share() {
    const int count = phase_.count();
    const double margin = phase_.force_margin();
    int rows = 0;
    for (int i = 0; i < count; ++i) rows += point(i).part == kSticks ? 3 : 1;
    if (count < 2 || margin > kSmallMargin || independent_constraints(r_, count) == rows) return;
    InnerLoads(r_, count).solve();
    const bool solved = solve_parts(r_, count);
    if (!solved || !(phase_.force_margin() > margin)) return;
    for (int i = 0; i < count; ++i) r_.rigid.point[point(i).point].force = world_of(point(i), point(i).load);
  }

  // Impulses of the listed points with part of the restitution; the energy that is lost, or none.
  bool solve_impact(double scale, double& loss) {
    free_velocities(r_, count_);
    for (int i = 0; i < count_; ++i) {
      ListedPoint& s = point(i);
      s.sliding = s.friction == 0.0, s.d1 = s.d2 = 0.0;
      s.required = s.velocity.n < -r_.rigid.slowest && !was_held(s) ? -scale * s.restitution * s.velocity.n : 0.0;
    }
    const ConeAnswer answer = ConeProblem(r_, count_).solve();
    loss = 0.0;
    for (int i = 0; i < count_; ++i) loss -= 0.5 * (dot(point(i).load, point(i).velocity) + dot(point(i).load, point(i).motion));
    return answer != kNoLoads;
  }

  // Newton's restitution, scaled down where friction would make it add energy (Kane and Levinson 1985).
  template <class BeforeJump>
  bool strike(double* y, double t, BeforeJump before_jump) {
    begin_loads(r_, tree_, count_);
    double loss = 0.0, energy = 0.0;
    bool found = solve_impact(1.0, loss);
    for (int i = 0; i < count_; ++i) energy += 0.5 * dot(point(i).load, point(i).velocity);
    if (!found || loss < -1e-12 * __builtin_fabs(energy)) {
      double low = 0.0, high = 1.0;
      for (int k = 0; k < kRestitutionHalvings; ++k) {
        const double middle = 0.5 * (low + high);
        (solve_impact(middle, loss) && loss >= 0.0 ? low : high) = middle;
      }
      found = solve_impact(low, loss);
    }
    if (!found) return false;
    return jump(y, t, loss, kImpactEvent, before_jump, [&](const ListedPoint& s) {  // others may carry its part of the impulse
      return s.velocity.n < -r_.rigid.slowest && !was_held(s) && (s.load.n > 0.0 || s.motion.n <= kStopped);
    });
  }

  // Painleve's case: an impact without collision ends the slips of the points marked in `wanted`, and keeps what is at rest
  // there.
  template <class BeforeJump>
  bool jam(double* y, double t, BeforeJump before_jump) {
    list_candidates(y, t);
    auto marked = [&](const ListedPoint& s) { return (r_.rigid.wanted[s.point] & 4) != 0; };
    for (int i = 0; i < count_; ++i) {
      ListedPoint& s = point(i);
      s.d1 = s.d2 = 0.0;
      s.part = marked(s) || across(s.velocity) < 1e-7 ? kSticks : kSlides, s.load = {0.0, 0.0, 0.0};
      if (s.part == kSlides) s.friction = 0.0;
    }
    begin_loads(r_, tree_, count_);
    free_velocities(r_, count_);
    if (!solve_parts(r_, count_)) return false;
    double loss = 0.0;
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      if (s.load.n < 0.0 || (marked(s) && across(s.load) > s.friction * s.load.n * (1 + 1e-9))) return false;
      loss -= 0.5 * (dot(s.load, s.velocity) + dot(s.load, s.motion));
    }
    return jump(y, t, loss, kPainleveEvent, before_jump, marked);
  }

  // The state after the impulses of the listed points; those that are events are noted.
  template <class BeforeJump, class IsEvent>
  bool jump(double* y, double t, double loss, int kind, BeforeJump before_jump, IsEvent is_event) {
    bool told = false;
    for (int i = 0; i < count_; ++i) told = told || is_event(point(i));
    const Model& m = r_.model;
    double* change = r_.rigid.change;
    response_to_loads(r_, tree_, count_, change);
    if (locked_ && lock_ >= 0) {  // what the lock carries of the loads
      const int k = held_by(*r_.constraints.table, lock_);
      r_.rigid.lock_impulse -= kHold * change[k];
    }
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = point(i);
      if (is_event(s)) log_.note(kind, s.point, t, -s.velocity.n, world_of(s, s.load));
    }
    if (told && !jumped_) before_jump(y, t);
    jumped_ = jumped_ || told;
    for (int k = 0; k < m.nv; ++k) y[m.nq + k] += change[k];
    y[m.nq + m.nv + work_index(kImpact)] += loss;
    return true;
  }

  // Touch-downs, lift-offs, slips and sticks; a slip that turns back at once is a new one.
  void note_changes(double t) {
    changed_ = jumped_;
    for (int i = 0; i < r_.world.contacts; ++i) {
      const RigidPoint &old = r_.rigid.before[i], &now = r_.rigid.point[i];
      int kind = -1;
      if (old.mode == kOpenPoint && now.mode != kOpenPoint) kind = kTouchDownEvent;
      if (old.mode != kOpenPoint && now.mode == kOpenPoint) kind = kLiftOffEvent;
      if (old.mode != kOpenPoint && now.mode != kOpenPoint) {
        const bool turns = dot(old.direction, now.direction) < 0.0;
        if (old.mode != now.mode || turns) kind = now.mode == kStickPoint ? kStickEvent : kSlipEvent;
      }
      if (kind < 0) continue;
      changed_ = true;
      log_.note(kind, i, t, 0.0, zero3<double>());
    }
  }

  // Gaps below which open points touch from now on.
  void set_levels(const double* y) {
    locate_at(r_, y);
    find_gaps(r_, r_.rigid.gap);
    for (int i = 0; i < r_.world.contacts; ++i) {
      r_.rigid.wanted[i] = 0;
      RigidPoint& p = r_.rigid.point[i];
      if (p.mode == kOpenPoint) p.level = smaller<double>(r_.rigid.gap[i], 0.0) - kTouchDepth;
    }
    phase_.allow_trembling(y);
  }

  Robot<double>& r_;
  RigidPhase& phase_;
  Happenings log_;
  TreeState<double> tree_{};
  int count_ = 0;
  double loss_ = 0.0;
  int lock_ = -1;  // row of the lock that engages now
  bool jumped_ = false, fits_ = false, changed_ = false;
  bool locked_ = false;  // a lock has stopped a joint: until the next impact closed points are held as they were
};

}  // namespace tarsus::TARSUS_ISA
