// Contacts whose impulses are solved for, in the course of one step, and the memory of their solution: data only.
#pragma once
#include "contact/contact_force.hpp"
#include "contact/friction_cone.hpp"
#include "simulation/impulses/impulse_response.hpp"

namespace tarsus::TARSUS_ISA {

// A contact whose impulse is solved for: written by begin_impulses, impulse and gamma by solve_impulses.
template <class T>
struct StepImpulse {
  using Mask = typename Bits<T>::type;
  int contact, body;        // in Robot::contact, among the motions of touching bodies
  Mask active, strikes;     // may carry an impulse; closes fast enough to be an impact
  Vec3<T> axis[3], arm[3];  // n, t1, t2 in node axes, and the moments of unit impulses along them
  LocalProblem<T> local;
  T required;         // least normal velocity at the end of the step,
  T push;             // and what of it pushes a penetration out
  Impulse<T> skin;    // velocity of the surface along it
  Impulse<T> before;  // velocity relative to it at the start of the step
  Impulse<T> impulse;
  T gamma;  // of slip: see friction_cone.hpp
};

// Velocity of a contact point along its axes; the wrench of an impulse on its body.
template <class T>
TARSUS_INLINE Impulse<T> point_velocity(const StepImpulse<T>& s, const Screw<T>& V) {
  return {dot(s.axis[0], V.linear) + dot(s.arm[0], V.angular), dot(s.axis[1], V.linear) + dot(s.arm[1], V.angular),
          dot(s.axis[2], V.linear) + dot(s.arm[2], V.angular)};
}
// The same relative to the surface, which may move in itself.
template <class T>
TARSUS_INLINE Impulse<T> slip_velocity(const StepImpulse<T>& s, const Screw<T>& V) {
  const Impulse<T> u = point_velocity(s, V);
  return {u.n, u.t1 - s.skin.t1, u.t2 - s.skin.t2};
}
template <class T>
TARSUS_INLINE Wrench<T> wrench_of(const StepImpulse<T>& s, const Impulse<T>& l) {
  return {l.n * s.axis[0] + l.t1 * s.axis[1] + l.t2 * s.axis[2], l.n * s.arm[0] + l.t1 * s.arm[1] + l.t2 * s.arm[2]};
}

// What the last pass of a step found for a contact; keep_impulses.
template <class T>
struct KeptImpulse {
  Impulse<T> l;
  T gamma;
};

// What a contact does at the end of the step: contact_regimes.hpp.
template <class T>
struct ContactRegime {
  typename Bits<T>::type closed, slips;
  T e1, e2;  // direction of the friction of a slipping contact
  T gamma;   // its compliance across that direction: u_t = -gamma l_t
};

// How a contact takes part: along the normal and across it while it sticks; along the normal alone without friction; while it
// slips along the normal with the friction (slip1, slip2) that a unit of normal impulse brings with it, and across that direction
// with the compliance gamma of u_t = -gamma l_t.
template <class T>
struct Participation {
  T normal, across, slip1, slip2;
  T side1, side2, turn;  // direction across that of slip, and how freely the friction turns there: eps / gamma
};

// Memory of motion_space.hpp, where its equations are explained.
template <class T>
struct MotionSpace {
  bool by_bodies;      // A is the Cholesky factor of W; else its columns are independent velocities
  int columns;         // of A that are in use
  int* place;          // independent velocities: their column, -1 for none; use_independents
  int* number;         // the same for the columns of each body
  int* count;          // 0, 1, 2, ...
  T* own;              // A where it is a Cholesky factor, six numbers a column; factorise_responses
  int* width;          // bodies: columns that move them,
  const int** column;  // their numbers,
  const T** factor;    // and six numbers for each; begin_space
  T* product;          // 6 x columns: K A of a body
  T* matrix;           // columns x columns: L and U of 1 + A^T K A; factorise_equations
  T* right;            // columns: z; solve_equations
  T* stiffness;        // 36 a body: K
  T* load;             // 6 a body
  Screw<T>* change;    // bodies: dV; solve_equations

  template <class Take>
  void lay_out(Take& take, size_t touchables, size_t dofs, bool blocks, size_t columns) {
    by_bodies = blocks && 6 * touchables <= dofs;
    const size_t n = by_bodies ? 6 * touchables : dofs, all = touchables + 1;
    take(place, dofs), take(number, by_bodies ? 0 : all * columns), take(count, n), take(own, by_bodies ? n * n : 0);
    take(width, all), take(column, all), take(factor, all);
    take(product, 6 * n), take(matrix, n * n), take(right, n), take(stiffness, 36 * all), take(load, 6 * all), take(change, all);
  }
};

// Memory of coupled_columns.hpp, where it is explained.
template <class T>
struct CoupledColumns {
  T* matrix;   // nv x nv: factor of 1 + C; couple_columns
  T* basis;    // nv for each coupling row: Q; find_basis
  T* row;      // nv
  T* columns;  // 6 nv: columns of one motion as they were

  template <class Take>
  void lay_out(Take& take, size_t dofs, size_t rows) {
    take(matrix, dofs * dofs), take(basis, rows * dofs), take(row, dofs), take(columns, 6 * dofs);
  }
};

// A contact on the way through the inside of its cone: interior_point.hpp.
template <class T>
struct InnerContact {
  typename Bits<T>::type open;  // takes part
  T per_friction;
  Impulse<T> l, w;    // impulse and velocity in axes in which both cones are |x_t| <= x_n
  Impulse<T> dl, dw;  // their steps
  Impulse<T> miss;    // w less the velocity that the bodies have there
  Impulse<T> scaled;  // P l = P^-1 w
  Impulse<T> v;       // of P = beta (2 v v^T - diag(1, -1, -1))
  T beta;
  Impulse<T> slip;  // direction of w_t
  T inverse[6];     // P^-2: nn, n1, n2, 11, 12, 22
  Impulse<T> aim;   // P^-1 of what P dl + P^-1 dw is to be
};

}  // namespace tarsus::TARSUS_ISA
