// What lasts from event to event, as numbers for each robot: those of PhaseEntry, those of its contacts (run.hpp), and behind
// them those of its joints.
#pragma once
#include "simulation/run.hpp"

namespace tarsus {

enum JointPhaseEntry {
  kPhaseLoose,        // until when friction holds no joint [s],
  kPhaseLooseTime,    // and how long that was chosen for
  kPhaseLockImpulse,  // of the lock that engaged last [N m s or N s],
  kPhaseLockLoss,     // and the energy that it took [J]
  kPhaseJoints        // here the modes of all joints of the tree begin
};
static constexpr size_t joint_phase(int contacts) { return phase_size(contacts); }
static constexpr size_t phase_numbers(int contacts, int tree_nv) {
  return joint_phase(contacts) + kPhaseJoints + (size_t)tree_nv;
}

}  // namespace tarsus
