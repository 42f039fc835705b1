// Memory of the equations of contacts among themselves (contact_space.hpp).
#pragma once
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostPoints = 8;  // of a robot: with more of them sweeps of the tree cost less than their equations. Its edges do
                                // not count: whether there are any depends on the grounds of other robots

// A 3 x 3 matrix by its rows.
template <class T>
struct Square3 {
  Vec3<T> x, y, z;
};
template <class T>
TARSUS_INLINE Vec3<T> operator*(const Square3<T>& m, const Vec3<T>& v) {
  return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
template <class T>
TARSUS_INLINE Vec3<T> row_times(const Vec3<T>& a, const Square3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
TARSUS_INLINE Square3<T> operator*(const Square3<T>& a, const Square3<T>& b) {
  return {row_times(a.x, b), row_times(a.y, b), row_times(a.z, b)};
}
template <class T>
TARSUS_INLINE Square3<T> operator*(double a, const Square3<T>& b) {
  return {a * b.x, a * b.y, a * b.z};
}
// out - a b
template <class T>
TARSUS_INLINE void subtract_product(const Square3<T>& a, const Square3<T>& b, Square3<T>& out) {
  out.x = out.x - a.x.x * b.x - a.x.y * b.y - a.x.z * b.z;
  out.y = out.y - a.y.x * b.x - a.y.y * b.y - a.y.z * b.z;
  out.z = out.z - a.z.x * b.x - a.z.y * b.y - a.z.z * b.z;
}
// By cofactors. Where it is singular, numbers that mean nothing but are finite.
template <class T>
TARSUS_INLINE Square3<T> inverse(const Square3<T>& m) {
  const Vec3<T> a = cross(m.y, m.z), b = cross(m.z, m.x), c = cross(m.x, m.y);  // columns of the adjugate
  const T det = dot(m.x, a), least = broadcast<T>(1e-3);
  const T per = 1.0 / select<T>(less<T>(det * det, least * least), least, det);
  return {{per * a.x, per * b.x, per * c.x}, {per * a.y, per * b.y, per * c.y}, {per * a.z, per * b.z, per * c.z}};
}

template <class T>
struct ContactSpace {
  int most = 0;          // contacts that there is memory for; 0 where they are not solved among themselves
  int joints;            // of the tree
  int* width;            // contacts: joints on the way to the root; list_path
  int* joint;            // joints a contact: which ones
  Vec3<T>*sent, *moved;  // joints a contact: Y and D^-1 Y for unit forces along the axes of the world; send_unit_forces
  T* right;              // joints: what is left in them without contacts; send_bias
  T* inertia;            // joints: of the last elimination; renew_joints
  bool bends;            // torques of some joint have corners; settle_points
  Square3<T>* response;  // contacts x contacts: W; respond
  Vec3<T>* free;         // contacts: velocities without forces; free_points
  // Written by solve_points:
  int* acting;              // contacts with a force
  Square3<T>* matrix;       // contacts x contacts
  Vec3<T>*force, *reached;  // contacts: forces, and velocities at the end of the step

  template <class Take>
  void lay_out(Take& take, int contacts, size_t dofs) {
    most = contacts, joints = static_cast<int>(dofs);
    const size_t n = most;
    if (n == 0) return;
    take(width, n), take(joint, n * dofs), take(sent, n * dofs), take(moved, n * dofs), take(right, dofs), take(inertia, dofs),
        take(response, n * n);
    take(free, n), take(acting, n), take(matrix, n * n), take(force, n), take(reached, n);
  }
  int* joints_of(int i) const { return joint + (size_t)joints * i; }
  Vec3<T>* sent_by(int i) const { return sent + (size_t)joints * i; }
  Vec3<T>* moved_by(int i) const { return moved + (size_t)joints * i; }
  Square3<T>& response_of(int i, int j) const { return response[(size_t)i * most + j]; }
  Square3<T>& block(int a, int b) const { return matrix[(size_t)a * most + b]; }
};

}  // namespace tarsus::TARSUS_ISA
