// Joints that stand still for a time: a lock holds them, or their own dry friction does. Friction of a joint that turns is
// constant in between, by the direction in which it does; where it comes to rest, and where friction is not enough to hold it,
// are events.
//
// A held joint has the inertia kHold beside its own, so large that it does not accelerate: what is left of its acceleration,
// times kHold, is what it carries. Models with dependent joints keep the friction of joint_law.hpp, which is viscous where it is
// slow.
#pragma once
#include "simulation/rigid/geometry.hpp"

namespace tarsus::TARSUS_ISA {

// kCreeps: friction as in joint_law.hpp; kEngages: a lock is about to stop it.
enum JointMode { kCreeps, kTurnsUp, kTurnsDown, kEngages, kStuckJoint, kLockedJoint };

constexpr double kHold = 1e30;               // inertia of a held joint
constexpr double kTurnedBack = 1e-10;        // joints that turn back slower than this have not yet come to rest [rad/s or m/s]
constexpr double kFrictionTolerance = 1e-9;  // part of its friction that a stuck joint may carry beyond it
constexpr double kAtRest = 1e-20;            // held joints move slower than this: rounding

inline bool is_held(const Robot<double>& r, int k) { return r.rigid.joint[k] >= kStuckJoint; }
inline double turning_sense(const Robot<double>& r, int k) {
  return r.rigid.joint[k] == kTurnsUp ? 1.0 : r.rigid.joint[k] == kTurnsDown ? -1.0 : 0.0;
}
inline void set_sense(Robot<double>& r, int k, double speed) { r.rigid.joint[k] = speed > 0.0 ? kTurnsUp : kTurnsDown; }

// Calls f(k) for the joints with dry friction that have modes.
template <class F>
inline void for_rubbing(const Robot<double>& r, F f) {
  for (int k = 0; !r.model.coupled && k < r.model.tree_nv; ++k) {
    if (r.model.friction[k] > 0.0) f(k);
  }
}

// Notes how many joints are held; to be called wherever their modes have changed.
inline void count_held(Robot<double>& r) {
  r.rigid.held = r.rigid.stuck = 0;
  for (int k = 0; k < r.model.tree_nv; ++k) {
    r.rigid.held += is_held(r, k), r.rigid.stuck += r.rigid.joint[k] == kStuckJoint;
  }
}

// The joint that a row of a constraint holds, -1 where it is not the place of a single one.
inline int held_by(const ConstraintTable& c, int row) {
  const int i = c.joint_of[row];
  if (i < 0 || c.joint[i].terms != 1 || c.joint[i].leader >= 0 || c.joint[i].drive >= 0) return -1;
  return c.term[c.joint[i].first].dof;
}

// Locks that have engaged or let go since the last call; returns whether one did.
inline bool take_locks(Robot<double>& r) {
  bool changed = false;
  for (int row = 0; r.constraints.any() && row < r.constraints.count(); ++row) {
    const int k = held_by(*r.constraints.table, row);
    if (k < 0) continue;
    const bool engaged = r.constraints.engaged[row] > 0.0, locked = r.rigid.joint[k] == kLockedJoint;
    if (engaged != locked) r.rigid.joint[k] = engaged ? kEngages : kCreeps, changed = true;
  }
  return changed;
}

// Friction by the modes of the joints in place of that by their speeds: corrects r.passive, and returns what that changes in the
// power that friction takes.
inline double rub_joints(Robot<double>& r, const TreeState<double>& tree) {
  double power = 0.0;
  for_rubbing(r, [&](int k) {
    const double sense = turning_sense(r, k);
    if (sense == 0.0) return;
    const double change = r.model.friction[k] * (sense - limited<double>((1.0 / kStictionSpeed) * tree.v[k], 1.0));
    r.passive[k] -= change, power += change * tree.v[k];
  });
  return power;
}

// What held joints carry, from accelerations with all loads; multipliers of the locks among them.
inline void find_joint_forces(Robot<double>& r, const double* vdot) {
  if (r.rigid.held == 0 && !r.constraints.any()) return;
  for (int k = 0; k < r.model.tree_nv; ++k) r.rigid.joint_force[k] = is_held(r, k) ? -kHold * vdot[k] : 0.0;
  for (int row = 0; r.constraints.any() && row < r.constraints.count(); ++row) {
    const ConstraintTable& c = *r.constraints.table;
    const int k = held_by(c, row);
    const bool locked = k >= 0 && r.rigid.joint[k] == kLockedJoint;
    r.constraints.force[row] = locked ? r.rigid.joint_force[k] / c.term[c.joint[c.joint_of[row]].first].factor : 0.0;
  }
}

// How much more the stuck joints could carry, the least of them, relative to their friction; negative beyond the tolerance.
inline double friction_left(const Robot<double>& r) {
  double least = 1e300;
  if (r.rigid.stuck == 0) return least;
  for_rubbing(r, [&](int k) {
    if (r.rigid.joint[k] != kStuckJoint) return;
    least = smaller<double>(least, 1.0 - __builtin_fabs(r.rigid.joint_force[k]) / r.model.friction[k] + kFrictionTolerance);
  });
  return least;
}

// Least speed of the turning joints along their senses, of velocities v; negative where one of them has turned back.
inline double least_turning(const Robot<double>& r, const double* v) {
  double least = 1e300;
  for_rubbing(r, [&](int k) {
    const double sense = turning_sense(r, k);
    if (sense != 0.0) least = smaller<double>(least, sense * v[k] + kTurnedBack);
  });
  return least;
}

// Whether a turning joint may have come to rest within a step from velocities v to `next`, with accelerations there.
inline bool joints_dip(const Robot<double>& r, const double* v, const double* next, const double* vdot, const double* last) {
  bool found = false;
  for_rubbing(r, [&](int k) {
    const double sense = turning_sense(r, k);
    if (sense == 0.0) return;
    const bool bends = sense * vdot[k] < 0.0 && sense * last[k] > 0.0;
    found = found || sense * next[k] + kTurnedBack < 0.0 || (bends && sense * v[k] >= 0.0);
  });
  return found;
}

}  // namespace tarsus::TARSUS_ISA
