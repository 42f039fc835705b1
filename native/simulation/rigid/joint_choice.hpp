// Modes of the joints with dry friction, and of those that locks hold, at one moment: slow ones are stopped, impulses let go what
// friction holds, and what friction cannot hold begins to turn.
#pragma once
#include "kernels/dynamics/momentum.hpp"
#include "simulation/rigid/free_motion.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostJointChoices = 16;  // at one moment; in the second half of them joints that turn back creep

class JointChoice {
 public:
  explicit JointChoice(Robot<double>& r) : r_(r) {}

  // The row of a lock that engages and will stop a joint, -1 for none.
  int engaging(const double* y) const {
    for (int row = 0; r_.constraints.any() && row < r_.constraints.count(); ++row) {
      const int k = held_by(*r_.constraints.table, row);
      if (k >= 0 && r_.rigid.joint[k] == kEngages && __builtin_fabs(y[r_.model.nq + k]) > kAtRest) return row;
    }
    return -1;
  }

  // Holds the joints that locks hold, and those with friction that are slower than kStictionSpeed, and stops them: adds what that
  // takes to y, and returns whether a lock stopped anything.
  bool hold(double* y, double t) {
    double* v = y + r_.model.nq;
    for (int k = 0; k < r_.model.tree_nv; ++k) {
      if (r_.rigid.joint[k] == kEngages) r_.rigid.joint[k] = kLockedJoint;
    }
    for_rubbing(r_, [&](int k) {
      if (r_.rigid.joint[k] == kLockedJoint) return;
      if (r_.rigid.loose) {
        r_.rigid.joint[k] = kCreeps;
      } else if (__builtin_fabs(v[k]) <= kStictionSpeed) {
        r_.rigid.joint[k] = kStuckJoint;
      } else {
        set_sense(r_, k, v[k]);
      }
    });
    count_held(r_);
    return stop(y, t);
  }

  // No friction holds against an impulse; returns whether one did until now.
  bool let_go() {
    if (r_.rigid.stuck == 0) return false;
    for_rubbing(r_, [&](int k) {
      if (r_.rigid.joint[k] == kStuckJoint) r_.rigid.joint[k] = kCreeps;
    });
    count_held(r_);
    return true;
  }

  // Whether friction holds a joint, or one begins to turn.
  bool open(const double* v) const {
    bool found = r_.rigid.stuck > 0;
    for_rubbing(r_, [&](int k) { found = found || (v[k] == 0.0 && turning_sense(r_, k) != 0.0); });
    return found;
  }

  // Joints that carry more than their friction begin to turn, those that have begun to and would turn back at once are held; v
  // and vdot are the velocities and accelerations with all forces. Returns whether anything changed.
  bool revise(const double* v, const double* vdot) {
    bool changed = false;
    ++round_;
    for_rubbing(r_, [&](int k) {
      const double sense = turning_sense(r_, k);
      if (r_.rigid.joint[k] == kStuckJoint && __builtin_fabs(r_.rigid.joint_force[k]) > r_.model.friction[k]) {
        set_sense(r_, k, -r_.rigid.joint_force[k]), changed = true;
      } else if (v[k] == 0.0 && sense * vdot[k] < 0.0) {
        r_.rigid.joint[k] = round_ > kMostJointChoices / 2 ? kCreeps : kStuckJoint, changed = true;
      }
    });
    if (changed) count_held(r_);
    return changed && round_ < kMostJointChoices;
  }

  // Held joints and redundant points share what they carry as they like: a joint that carries too much by the way in which the
  // points do it creeps. Returns whether one does from now on.
  bool yield() {
    if (!(friction_left(r_) < 0.0)) return false;
    for_rubbing(r_, [&](int k) {
      const bool over = __builtin_fabs(r_.rigid.joint_force[k]) > r_.model.friction[k];
      if (r_.rigid.joint[k] == kStuckJoint && over) r_.rigid.joint[k] = kCreeps;
    });
    count_held(r_);
    return true;
  }

 private:
  double kinetic(const double* y) const {
    double energy = 0.0;
    const TreeState<double> tree = expand_state(r_, y, y + r_.model.nq);
    prepare_joints(r_.model, r_.ws, tree.q);
    kinetic_energy(Context<double>{r_.model, r_.ws, tree.q, tree.v, nullptr, nullptr, &energy});
    return energy;
  }

  // The impulses of the held joints that move: velocities are linear in those that these joints are given.
  bool stop(double* y, double t) {
    const int nq = r_.model.nq, nv = r_.model.nv;
    double *v = y + nq, *given = r_.rigid.given_memory, largest = 0.0, fastest = 1.0;
    bool locks = false;
    for (int k = 0; k < nv; ++k) {
      given[k] = is_held(r_, k) ? -v[k] : 0.0;
      if (__builtin_fabs(given[k]) <= kAtRest) given[k] = 0.0;
      if (is_held(r_, k)) largest = larger<double>(largest, __builtin_fabs(given[k]));
      locks = locks || (r_.rigid.joint[k] == kLockedJoint && given[k] != 0.0);
    }
    if (largest > 0.0) {
      double *still = r_.rigid.change, before = kinetic(y);
      move_without_contact(r_, y, t, nullptr);
      for (int k = 0; k < nv; ++k) still[k] = r_.rigid.vdot[k], fastest = larger<double>(fastest, __builtin_fabs(still[k]));
      const double scale = fastest / largest;
      for (int k = 0; k < nv; ++k) given[k] *= scale;
      r_.rigid.given = given;
      move_without_contact(r_, y, t, nullptr);
      r_.rigid.given = nullptr;
      for (int k = 0; k < nv; ++k) v[k] += (r_.rigid.vdot[k] - still[k]) / scale;
      const double loss = larger<double>(before - kinetic(y), 0.0);
      y[nq + nv + work_index(kImpact)] += loss;
      // p v / 2 = -loss: locks engage one at a time
      for (int k = 0; locks && k < nv; ++k) {
        if (r_.rigid.joint[k] == kLockedJoint && given[k] != 0.0) r_.rigid.lock_impulse = 2.0 * loss * scale / given[k];
      }
    }
    for (int k = 0; k < nv; ++k) {
      if (is_held(r_, k)) v[k] = 0.0;
    }
    return locks;
  }

  Robot<double>& r_;
  int round_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
