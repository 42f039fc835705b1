// Memory of the equations of contacts among themselves (contact_space.hpp).
#pragma once
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostPoints = 8;  // of a robot: with more of them sweeps of the tree cost less than their equations

// A 3 x 3 matrix by its rows.
template <class T>
struct Square3 {
  Vec3<T> x, y, z;
};
template <class T>
TARSUS_INLINE Vec3<T> operator*(const Square3<T>& m, const Vec3<T>& v) {
  return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
// m^T v
template <class T>
TARSUS_INLINE Vec3<T> transposed_times(const Square3<T>& m, const Vec3<T>& v) {
  return v.x * m.x + v.y * m.y + v.z * m.z;
}

// A contact in its own axes: two across the normal, and the normal.
template <class T>
struct OwnContact {
  using Mask = typename Bits<T>::type;
  Square3<T> axes;  // world; find_responses_of_points
  // Written by begin_following: as in StepContact, `hold` across the normal alone.
  Mask reach;
  T rest, resist, gain, friction, slack;
  T hold_x, hold_y;
  // The iterate and its regime; written by begin_following, take_following. Where it does not slip the direction is the first
  // axis, and `slides` is the coefficient of friction where a direction of slip is known.
  Vec3<T> velocity;
  Mask active, slips;
  T along_x, along_y, turning, slides;
  // Force and velocity at the end of the step; written by solve_following.
  Vec3<T> force, reached;
};

template <class T>
struct ContactSpace {
  int most = 0;          // contacts that there is memory for; 0 where they are not solved among themselves
  int joints;            // of the tree
  int known;             // contacts, the first of r.awake, whose responses are there; find_responses_of_points
  int* listed;           // contacts: which these are
  int* untouched;        // nodes: -1, none has an inertia of contacts; eliminate_without_contacts
  int* width;            // contacts: joints on the way to the root; list_path
  int* joint;            // joints a contact: which ones
  Vec3<T>*sent, *moved;  // joints a contact: Y and D^-1 Y for unit forces along the contact's axes; send_unit_forces
  T* right;              // joints: what is left in them without contacts; send_bias
  T* inertia;            // joints: of the last elimination; renew_joints
  Square3<T>* response;  // contacts x contacts: W; respond
  Vec3<T>* free;         // contacts: velocities without forces, in their axes; free_points
  Vec3<T>* pushing;      // contacts: forces that the motion of the whole robot is found with, in their axes; settle_points
  OwnContact<T>* own;    // contacts
  // Written by solve_points:
  int* acting;              // contacts with a force
  Square3<T>* resist;       // contacts: B of C = B^T B, one row a direction, in their axes
  Vec3<T>* given;           // contacts: F, the force of points at rest at the end of the step, in their axes
  T *matrix, *right_hand;   // 3 contacts x 3 contacts: L D L^T of 1 + dt B W B^T in its lower triangle; 3 contacts
  Vec3<T>*force, *reached;  // contacts: forces, and velocities at the end of the step, world

  template <class Take>
  void lay_out(Take& take, int contacts, size_t dofs, size_t nodes) {
    most = contacts, joints = static_cast<int>(dofs);
    const size_t n = most;
    if (n == 0) return;
    take(listed, n), take(untouched, nodes), take(width, n), take(joint, n * dofs), take(sent, n * dofs), take(moved, n * dofs),
        take(right, dofs);
    take(inertia, dofs), take(response, n * n), take(free, n), take(acting, n), take(resist, n), take(given, n);
    take(matrix, 3 * n * (3 * n + 1)), take(right_hand, 3 * n), take(force, n), take(reached, n), take(pushing, n), take(own, n);
  }
  int* joints_of(int i) const { return joint + (size_t)joints * i; }
  Vec3<T>* sent_by(int i) const { return sent + (size_t)joints * i; }
  Vec3<T>* moved_by(int i) const { return moved + (size_t)joints * i; }
  Square3<T>& response_of(int i, int j) const { return response[(size_t)i * most + j]; }
};

}  // namespace tarsus::TARSUS_ISA
