// How much a robot on rigid ground has cost lately, and what follows from it: rattling comes to rest sooner, joints that friction
// holds may creep for a time, and what takes too many events or steps is gone through in steps with solved impulses.
#pragma once
#include "simulation/rigid/held_joints.hpp"
#include "simulation/rigid/phase_numbers.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kWindow = 2e-3;  // more events, or steps, than these within so long [s] are stepped through:
constexpr double kMostEvents = 70, kMostSteps = 700;
constexpr double kJointEvent = 2.0;      // steps that an event counts for in which joints alone come to rest or begin to turn
constexpr double kLooseTime = 0.02;      // joints creep so long [s] where no loads are found while friction holds them,
constexpr double kMostLooseTime = 0.32;  // and twice as long each time that follows soon, up to this
constexpr double kRattleTime = 2e-3;  // more than kRattle events of at least kRattlers closed points within so long [s] rattle:
constexpr double kRattle = 3.0;       // kSlowest grows with the square of their number,
constexpr double kMostRattle = 10.0;  // up to so many times
constexpr int kRattlers = 3;
constexpr double kSteppedTime = 2e-3;        // so long at first [s], twice as long each time that follows within as long,
constexpr double kMostSteppedTime = 0.016;   // up to this,
constexpr double kSteppedLength = 1e-5;      // in steps of this length at first [s],
constexpr double kMostSteppedLength = 1e-3;  // four times as long each time, up to this

class EventWork {
 public:
  // Numbers of the phase, and those of its joints.
  EventWork(double* numbers, double* joints) : numbers_(numbers), joints_(joints) {}

  // Counts a step, or an event by that many of them, in a window of time.
  void count(double t, double amount) {
    if (!(t - numbers_[kPhaseWindow] <= kWindow)) clear(t);
    numbers_[kPhaseEvents] += amount;
  }
  void clear(double t) { numbers_[kPhaseWindow] = t, numbers_[kPhaseEvents] = 0.0; }
  bool is_too_much() const { return numbers_[kPhaseEvents] > kMostSteps; }

  // Events of points of the last time, fading; returns how many times kSlowest is slow while they rattle.
  double fade_rattle(double t) {
    double& rattle = numbers_[kPhaseRattle];
    rattle *= std::exp(-(t - numbers_[kPhaseRattled]) / kRattleTime);
    numbers_[kPhaseRattled] = t;
    const double times = (rattle / kRattle) * (rattle / kRattle);
    return times < 1.0 ? 1.0 : times > kMostRattle ? kMostRattle : times;
  }
  void rattle() { numbers_[kPhaseRattle] += 1.0; }

  // How long to step through from now on.
  double stepped_time(double t) {
    double& last = numbers_[kPhaseStepped];
    const bool lately = last > 0.0 && t - numbers_[kPhaseSteppedUntil] < 4.0 * last;
    return last = lately ? smaller<double>(2.0 * last, kMostSteppedTime) : kSteppedTime;
  }
  static double stepped_length(double time) {
    return smaller<double>(kSteppedLength * (time / kSteppedTime) * (time / kSteppedTime), kMostSteppedLength);
  }
  void have_stepped(double t) { clear(t), numbers_[kPhaseSteppedUntil] = t; }

  // Whether friction holds no joint at a time.
  bool is_loose(double t) const { return t < joints_[kPhaseLoose]; }

  // Lets joints creep that friction holds or turns, for a time: points and held joints together may share loads in so many ways
  // that none is found. False where they creep already.
  bool loosen(const Robot<double>& r, double t) {
    bool found = false;
    for_rubbing(r, [&](int k) { found = found || (r.rigid.joint[k] != kCreeps && r.rigid.joint[k] != kLockedJoint); });
    if (!found || is_loose(t)) return false;
    double &until = joints_[kPhaseLoose], &last = joints_[kPhaseLooseTime];
    last = last > 0.0 && t - until < 4.0 * last ? smaller<double>(2.0 * last, kMostLooseTime) : kLooseTime;
    until = t + last;
    clear(t);
    return true;
  }

 private:
  double *numbers_, *joints_;
};

}  // namespace tarsus::TARSUS_ISA
