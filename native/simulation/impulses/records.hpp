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
  int contact, body;        // in Robot::contact, among the touching bodies
  Mask active, strikes;     // may carry an impulse; closes fast enough to be an impact
  Vec3<T> axis[3], arm[3];  // n, t1, t2 in node axes, and the moments of unit impulses along them
  LocalProblem<T> local;
  T required;         // least normal velocity at the end of the step
  Impulse<T> before;  // velocity at the start of the step
  Impulse<T> impulse;
  T gamma;  // of slip: see friction_cone.hpp
};

// Velocity of a contact point along its axes; the wrench of an impulse on its body.
template <class T>
TARSUS_INLINE Impulse<T> point_velocity(const StepImpulse<T>& s, const Screw<T>& V) {
  return {dot(s.axis[0], V.linear) + dot(s.arm[0], V.angular), dot(s.axis[1], V.linear) + dot(s.arm[1], V.angular),
          dot(s.axis[2], V.linear) + dot(s.arm[2], V.angular)};
}
template <class T>
TARSUS_INLINE Wrench<T> wrench_of(const StepImpulse<T>& s, const Impulse<T>& l) {
  return {l.n * s.axis[0] + l.t1 * s.axis[1] + l.t2 * s.axis[2], l.n * s.arm[0] + l.t1 * s.arm[1] + l.t2 * s.arm[2]};
}

// How a contact takes part: along the normal and across it while it sticks; along the normal alone without friction; while it
// slips along the normal with the friction (slip1, slip2) that a unit of normal impulse brings with it, and across that direction
// with the compliance gamma of u_t = -gamma l_t.
template <class T>
struct Participation {
  T normal, across, slip1, slip2;
  T side1, side2, turn;  // direction across that of slip, and how freely the friction turns there: eps / gamma
};

// Memory of sticking_contacts.hpp, where its equations are explained. Every lane has a list of its own of the bodies that it
// touches, so that robots do not depend on what their neighbours in a pack touch.
constexpr int kMostCoupledBodies = 16;  // touching bodies of a lane beyond which they are not used
template <class T>
struct StickingContacts {
  using Mask = typename Bits<T>::type;
  int bodies;  // the longest list, at most kMostCoupledBodies
  int* own;    // kMostCoupledBodies x lanes: touching body at each place of a lane's list, -1 behind its end
  Mask few;    // lanes with lists that are not too long
  // n = 6 bodies numbers for the lists of all lanes:
  T* factor;     // n x n: L of the responses, lower triangle; factorise_responses
  T* stiffness;  // 36 a body: blocks of K; gather_equations
  T* product;    // n x n: K L; gather_equations
  T* matrix;     // n x n: 1 + L^T K L; gather_equations, destroyed by eliminate_rows
  T* load;       // n: J^T e / eps; gather_equations
  T* right;      // n: -L^T load, then the solution; gather_equations, eliminate_rows
  // For all touching bodies, whoever touches them; gather_equations:
  T *all_load, *all_stiffness;  // 6 and 36 a body
  // Results of solve_together:
  Participation<T>* part;  // contacts; gather_equations
  Impulse<T>* step;        // contacts: change of the impulses
  Screw<T>* change;        // touching bodies: change of the velocities

  template <class Take>
  void lay_out(Take& take, int contacts, int touchables) {
    const size_t most = touchables < kMostCoupledBodies ? touchables : kMostCoupledBodies, n = 6 * most, all = touchables;
    take(own, kMostCoupledBodies * lanes<T>);
    take(factor, n * n), take(product, n * n), take(matrix, n * n), take(right, n), take(load, n), take(stiffness, 36 * most);
    take(all_load, 6 * all), take(all_stiffness, 36 * all);
    take(part, contacts), take(step, contacts), take(change, all);
  }
};

}  // namespace tarsus::TARSUS_ISA
