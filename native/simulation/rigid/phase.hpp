// The smooth motion of a robot on rigid ground between two events, in which the modes of its points do not change: rates of the
// state y = (q, v, works), what tells that the phase ends, and the way back of closed points onto the ground.
#pragma once
#include "simulation/flow.hpp"
#include "simulation/rigid/cone_problem.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kSlowest = 1e-4;  // slower impacts are plastic, so that bouncing comes to an end; slower points may stick, and
                                   // begin to slip in the direction of their acceleration [m/s]
constexpr double kConeTolerance = 1e-9;  // forces may leave their cones by this part of their sum before an event is noticed
constexpr double kProjected = 1e-11;     // gaps and velocities of closed points beyond this are projected out [m, m/s]
constexpr double kHardest = 2000.0;      // points bend their paths within a step by accelerations up to this [m/s^2]
constexpr double kDip = 0.25;          // slips that fall below this part of their speed at the end of a step are looked at closer
constexpr double kTrembling = 1e-3;    // slips may first go backwards for about so long [s]
constexpr int kProjections = 3;        // iterations of Newton's method for the gaps
constexpr double kLargestEntry = 1e8;  // no motion has entries of y beyond this: the stage of a step ran away

class RigidPhase {
 public:
  explicit RigidPhase(Robot<double>& r) : r_(r), n_((size_t)r.model.nq + r.model.nv + kWorks) {}

  size_t size() const { return n_; }
  int count() const { return count_; }
  bool solved() const { return solved_; }  // forces of the last evaluation
  const TreeState<double>& tree() const { return tree_; }
  bool any_closed() const { return r_.rigid.closeds > 0; }
  bool any_slips() const {
    return any_of([](const RigidPoint& p) { return p.mode == kSlipPoint; });
  }
  bool any_trembles() const {
    return any_of([](const RigidPoint& p) { return p.mode == kSlipPoint && p.backward > 0.0; });
  }
  // Whether closed points of the last evaluation are off their levels, or move, so far that they are to be projected.
  bool drifts() const { return drifts_; }

  // Forces of the closed points at a state; the listed points hold them.
  void close(const double* y, double t, const JointResistance* held = nullptr) {
    tree_ = move_without_contact(r_, y, t, held);
    count_ = list_closed_points(r_, [](int) { return true; });
    solved_ = true, drifts_ = false, vdot_ = r_.rigid.vdot;
    if (count_ == 0) return find_joint_forces(r_, vdot_);
    for (int i = 0; i < count_; ++i) {
      ListedPoint& s = r_.rigid.listed[i];
      take_mode(s, held ? held->length : 0.0);
      const double off = __builtin_fabs(s.gap - r_.rigid.point[s.point].level);
      const double moves = larger<double>(__builtin_fabs(s.velocity.n), s.part == kSticks ? across(s.velocity) : 0.0);
      drifts_ = drifts_ || !(off <= kProjected && moves <= kProjected);
    }
    begin_loads(r_, tree_, count_);
    free_accelerations(r_, count_);
    solved_ = solve_parts(r_, count_, kRateTolerance);
    if (r_.rigid.held > 0) find_joint_forces(r_, accelerations());
  }

  // Accelerations with the forces of the last evaluation; nothing can be solved with its elimination afterwards.
  const double* accelerations() {
    if (count_ > 0 && vdot_ == r_.rigid.vdot) apply_loads(r_, tree_, count_), vdot_ = r_.vdot;
    return vdot_;
  }

  // y' at time t; false where the state ran away or has no forces.
  bool rate(const double* y, double t, double* out, const JointResistance* held = nullptr) {
    for (size_t k = 0; k < n_; ++k) {
      if (!(__builtin_fabs(y[k]) < kLargestEntry)) return false;
    }
    const Model& m = r_.model;
    close(y, t, held);
    if (loop_failed(r_) || !solved_) return false;
    const double* vdot = accelerations();
    double ground = 0.0;
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = r_.rigid.listed[i];
      StagePoint& x = r_.rigid.stage[s.point];
      x.motion = world_of(s, s.motion), x.normal = s.load.n;
      if (s.sliding) x.ahead = slip_ahead(s), x.least = smaller<double>(x.least, x.ahead);
    }
    for (int i = 0; i < count_; ++i) ground -= dot(r_.rigid.listed[i].load, r_.rigid.listed[i].velocity);
    r_.power[work_index(kGroundBalance)] = r_.power[work_index(kGroundDissipated)] = ground;
    configuration_rate(m, y, y + m.nq, out);
    for (int k = 0; k < m.nv; ++k) out[m.nq + k] = vdot[k];
    for (int k = 0; r_.rigid.held > 0 && k < m.nv; ++k) {
      if (is_held(r_, k)) out[m.nq + k] = 0.0;
    }
    for (int k = 0; k < kWorks; ++k) out[m.nq + m.nv + k] = r_.power[k];
    return true;
  }

  // How far the forces of the last evaluation are inside their cones, relative to their sum; negative beyond the tolerance. That
  // of joints is friction_left.
  double force_margin() const {
    if (!solved_) return -1.0;
    double sum = 1e-9, least = 1e300;
    for (int i = 0; i < count_; ++i) sum += __builtin_fabs(r_.rigid.listed[i].load.n);
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = r_.rigid.listed[i];
      least = smaller<double>(least, s.load.n);
      if (s.part == kSticks) least = smaller<double>(least, s.friction * s.load.n - across(s.load));
    }
    return least / sum + kConeTolerance;
  }

  // Open points that can touch within a step of length h to the state `next`: those whose gap at its ends is less than what an
  // acceleration of kHardest can take from it in between. `begin_near` before it takes the gaps at the start.
  void begin_near(const double* y) {
    locate_at(r_, y);
    find_near_gaps(r_, kSeen, r_.rigid.first_gap);
  }
  void list_near(double h) {
    RigidMemory& rigid = r_.rigid;
    const double reach = 0.125 * kHardest * h * h;
    find_near_gaps(r_, larger<double>(kSeen, reach), rigid.gap);
    rigid.nears = 0;
    for (int k = 0; k < r_.world.features; ++k) {
      const Feature& f = r_.world.feature[k];
      if (f.kind == kSegment || rigid.point[f.contact].mode != kOpenPoint) continue;
      const double least = smaller<double>(rigid.first_gap[f.contact], rigid.gap[f.contact]);
      if (least - rigid.point[f.contact].level <= reach) rigid.near[rigid.nears++] = k;
    }
  }
  // The gaps at the end of the step are those at the start of the next one.
  void keep_gaps() { exchange(r_.rigid.first_gap, r_.rigid.gap); }

  // Slips of the stages of a step: `begin_slips` before it; whether one of them came so near to its end that it may have ended
  // within the step and gone on.
  void begin_slips() {
    for (int k = 0; k < r_.rigid.closeds; ++k) r_.rigid.stage[r_.world.feature[r_.rigid.closed[k]].contact].least = 1e300;
  }
  bool slips_dip() const {
    for (int k = 0; k < r_.rigid.closeds; ++k) {
      const int i = r_.world.feature[r_.rigid.closed[k]].contact;
      if (r_.rigid.point[i].mode != kSlipPoint) continue;
      const StagePoint& x = r_.rigid.stage[i];
      if (!(x.ahead > 0.0 && x.least > kDip * x.ahead)) return true;
    }
    return false;
  }

  // Gaps of near points above those at which they touch, and speeds of slipping points along their slips and of turning joints
  // along their senses: the least of each, and negative ones are events. Points that touch are noted in `wanted` if `note`.
  struct Look {
    double gap, slip;
  };
  Look look(const double* y, bool note = false) {
    RigidMemory& rigid = r_.rigid;
    Look found{1e300, least_turning(r_, y + r_.model.nq)};
    bool slips = false;
    for (int k = 0; k < rigid.closeds; ++k) {
      slips = slips || rigid.point[r_.world.feature[rigid.closed[k]].contact].mode == kSlipPoint;
    }
    for (int i = 0; note && i < r_.world.contacts; ++i) rigid.wanted[i] = 0;
    if (!slips && rigid.nears == 0) return found;
    locate_at(r_, y);
    for (int k = 0; k < rigid.nears; ++k) {
      const Feature& f = r_.world.feature[rigid.near[k]];
      const double above = gap_of(r_, f) - rigid.point[f.contact].level;
      found.gap = smaller<double>(found.gap, above);
      if (note && above < 0.0) rigid.wanted[f.contact] = 1;
    }
    if (!slips) return found;
    const int count = list_closed_points(r_, [&](int i) { return rigid.point[i].mode == kSlipPoint; });
    for (int i = 0; i < count; ++i) found.slip = smaller<double>(found.slip, slip_ahead(rigid.listed[i]));
    return found;
  }

  // Speeds up to which slipping points may go backwards: what begins to slip may first tremble. That fades within the slip, so
  // that friction does not drive what creeps backwards; `passed` is the time of a step since the last call, or none at an event.
  void allow_trembling(const double* y, double passed = -1.0) {
    const double faded = std::exp(-passed / kTrembling);
    const double slowest = r_.rigid.slowest;
    locate_at(r_, y);
    const int count = list_closed_points(r_, [&](int i) { return r_.rigid.point[i].mode == kSlipPoint; });
    for (int i = 0; i < count; ++i) {
      const ListedPoint& s = r_.rigid.listed[i];
      RigidPoint& p = r_.rigid.point[s.point];
      const double ahead = s.velocity.t1 * dot(s.t1, p.direction) + s.velocity.t2 * dot(s.t2, p.direction);
      const bool slow = across(s.velocity) <= 2.0 * slowest;
      const double allowed = slow ? larger<double>(0.1 * slowest, 0.01 * slowest - ahead) : 0.0;
      p.backward = passed < 0.0 ? allowed : smaller<double>(allowed, faded * p.backward);
    }
  }

  // Brings closed points back to their levels and stops them, in place; true where anything was moved.
  bool project(double* y, double t) {
    const Model& m = r_.model;
    bool moved = false;
    double* change = r_.rigid.change;
    for (int pass = 0; pass < kProjections; ++pass) {
      if (!list_closed(y, t)) return false;
      double off = 0.0;
      for (int i = 0; i < count_; ++i) {
        ListedPoint& s = r_.rigid.listed[i];
        const double left = s.gap - r_.rigid.point[s.point].level;
        off = larger<double>(off, __builtin_fabs(left));
        s.free = {left, 0.0, 0.0}, s.required = 0.0, s.part = kSlides, s.friction = 0.0, s.load = {0.0, 0.0, 0.0};
      }
      if (off <= kProjected) break;
      begin_loads(r_, tree_, count_);
      if (!solve_parts(r_, count_)) break;
      response_to_loads(r_, tree_, count_, change);
      move(r_, static_cast<const double*>(r_.rigid.q), static_cast<const double*>(change), 1.0, r_.vdot, change + m.nv);
      for (int k = 0; k < m.nq; ++k) y[k] = change[m.nv + k];
      moved = true;
    }
    if (!list_closed(y, t)) return moved;
    double fastest = 0.0;
    for (int i = 0; i < count_; ++i) {
      ListedPoint& s = r_.rigid.listed[i];
      take_mode(s);
      fastest = larger<double>(fastest, __builtin_fabs(s.velocity.n));
      if (s.part == kSticks) fastest = larger<double>(fastest, across(s.velocity));
      if (s.part == kSlides) s.friction = 0.0;  // what stops the normal motion only
      s.load = {0.0, 0.0, 0.0};
    }
    if (fastest <= kProjected) return moved;
    begin_loads(r_, tree_, count_);
    free_velocities(r_, count_);
    if (!solve_parts(r_, count_)) return moved;
    double loss = 0.0;
    for (int i = 0; i < count_; ++i) {
      const ListedPoint& s = r_.rigid.listed[i];
      loss -= 0.5 * (dot(s.load, s.velocity) + dot(s.load, s.motion));
    }
    response_to_loads(r_, tree_, count_, change);
    for (int k = 0; k < m.nv; ++k) y[m.nq + k] += change[k];
    y[m.nq + m.nv + work_index(kImpact)] += loss;
    return true;
  }

 private:
  template <class Is>
  bool any_of(Is is) const {
    for (int k = 0; k < r_.rigid.closeds; ++k) {
      if (is(r_.rigid.point[r_.world.feature[r_.rigid.closed[k]].contact])) return true;
    }
    return false;
  }

  // Speed along the slip, with what it may go backwards.
  double slip_ahead(const ListedPoint& s) const {
    if (!(s.friction > 0.0)) return 1e300;
    const RigidPoint& p = r_.rigid.point[s.point];
    return s.velocity.t1 * dot(s.t1, p.direction) + s.velocity.t2 * dot(s.t2, p.direction) + p.backward;
  }

  bool list_closed(const double* y, double t) {
    tree_ = move_without_contact(r_, y, t, nullptr);
    count_ = list_closed_points(r_, [](int) { return true; });
    return count_ > 0 && !loop_failed(r_);
  }

  // The part, the direction of slip and the load to start from. While a slip reverses within a step its direction is continued:
  // the moment of the reversal is an event. Slow slips follow the direction of the last event, so that nothing jumps at zero.
  // In a stage of an implicit step friction turns with the velocity that follows from the accelerations, by -length f_n mu / |u|
  // of those across the slip.
  void take_mode(ListedPoint& s, double length = 0.0) const {
    const RigidPoint& p = r_.rigid.point[s.point];
    s.load = contact_of(s, p.force);
    s.sliding = p.mode == kSlipPoint, s.d1 = s.d2 = 0.0;
    s.part = s.sliding ? kSlides : kSticks;
    if (!s.sliding) return;
    const double r1 = dot(s.t1, p.direction), r2 = dot(s.t2, p.direction), u1 = s.velocity.t1, u2 = s.velocity.t2;
    const double slowest = r_.rigid.slowest, size = across(s.velocity), ratio = size / slowest;
    const double sign = u1 * r1 + u2 * r2 < -0.9 * size && size > slowest ? -1.0 : 1.0;
    const double weight = 3.0 * slowest / (1.0 + ratio * ratio * ratio * ratio);
    const double d1 = sign * u1 + weight * r1, d2 = sign * u2 + weight * r2, speed = std::sqrt(d1 * d1 + d2 * d2);
    if (!(speed > 0.0)) return;
    s.d1 = d1 / speed, s.d2 = d2 / speed;
    const StagePoint& x = r_.rigid.stage[s.point];
    s.turning = sign * s.friction / speed;
    const double stiffness = s.turning * x.normal;
    if (!(length * stiffness > 0.0)) return;
    const Impulse<double> motion = contact_of(s, x.motion);
    s.yielding = 1.0 / (length * stiffness), s.yielded = s.d1 * motion.t2 - s.d2 * motion.t1;
  }

  Robot<double>& r_;
  const size_t n_;
  TreeState<double> tree_{};
  const double* vdot_ = nullptr;  // accelerations of the last evaluation, with forces or without
  int count_ = 0;
  bool solved_ = true, drifts_ = false;
};

}  // namespace tarsus::TARSUS_ISA
