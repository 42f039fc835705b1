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

template <class T>
struct ContactSpace {
  int most = 0;          // contacts that there is memory for; 0 where they are not solved among themselves
  int joints;            // of the tree
  int known;             // contacts, the first of r.awake, whose responses are there; find_responses_of_points
  int* listed;           // contacts: which these are
  int* width;            // contacts: joints on the way to the root; list_path
  int* joint;            // joints a contact: which ones
  Vec3<T>*sent, *moved;  // joints a contact: Y and D^-1 Y for unit forces along the axes of the world; send_unit_forces
  T* right;              // joints: what is left in them without contacts; send_bias
  T* inertia;            // joints: of the last elimination; renew_joints
  Square3<T>* response;  // contacts x contacts: W of contact i and one with a number of at most i; respond
  Vec3<T>* free;         // contacts: velocities without forces; free_points
  // Written by solve_points:
  int* acting;              // contacts with a force
  Square3<T>* resist;       // contacts: B of C = B^T B, one row a direction
  Vec3<T>* given;           // contacts: F, the force of points at rest at the end of the step
  T *matrix, *right_hand;   // 3 contacts x 3 contacts: L D L^T of 1 + dt B W B^T in its lower triangle; 3 contacts
  Vec3<T>*force, *reached;  // contacts: forces, and velocities at the end of the step

  template <class Take>
  void lay_out(Take& take, int contacts, size_t dofs) {
    most = contacts, joints = static_cast<int>(dofs);
    const size_t n = most;
    if (n == 0) return;
    take(listed, n), take(width, n), take(joint, n * dofs), take(sent, n * dofs), take(moved, n * dofs), take(right, dofs);
    take(inertia, dofs), take(response, n * n), take(free, n), take(acting, n), take(resist, n), take(given, n);
    take(matrix, 9 * n * n), take(right_hand, 3 * n), take(force, n), take(reached, n);
  }
  int* joints_of(int i) const { return joint + (size_t)joints * i; }
  Vec3<T>* sent_by(int i) const { return sent + (size_t)joints * i; }
  Vec3<T>* moved_by(int i) const { return moved + (size_t)joints * i; }
  Square3<T>& response_of(int i, int j) const { return response[(size_t)i * most + j]; }
  // W of contacts i and j times a force on j.
  Vec3<T> response_to(int i, int j, const Vec3<T>& f) const {
    return i < j ? transposed_times(response_of(j, i), f) : response_of(i, j) * f;
  }
};

}  // namespace tarsus::TARSUS_ISA
