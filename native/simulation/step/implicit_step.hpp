// One step of semi-implicit Euler with stiff forces taken at its end: joint springs and dampers, torques of the joint law, and
// contacts. A force f0 - c a that is linear in the acceleration a of its point adds c to the inertia of the body (and dt kd +
// dt^2 kp to that of a joint), so that a solve with linearised forces is one articulated-body solve in O(n). What is not linear -
// contacts that open and close, sticking and slipping, torque limits - is solved by Newton's method:
//
//   1. forces linearised about an iterate, one solve: settled, where the forces are those of the motion that was found
//   2. otherwise the iterate moves towards it, as far as a convex function falls (line_search.hpp)
//   3. bounds of friction, which were held, follow the normal forces, velocity terms the mean velocity: and again from 1
//
// Robots with few contact points solve them among themselves (point_passes.hpp): the same minimum, without a sweep a pass.
//
// Lanes that do not settle, or gain energy, take two steps of half the length.
//
// Work is force times the mean of the velocities at the start and the end of the step. With M (v+ - v) = dt f that is the
// change of kinetic energy to the last bit, impacts of a single step included; what remains in the balance of energy is the
// potential of the displacement dt v+, dt/2 (G v - G v+), which does not add up over steps, and the change of M.
#pragma once
#include "simulation/step/checkpoint.hpp"
#include "simulation/step/contact_sets.hpp"
#include "simulation/step/point_passes.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kTreePasses = 2;          // of slow robots, before their contacts are solved among themselves
constexpr double kMostTurn = 0.05;      // of a joint or of the base in a step [rad, m], beyond which it is halved,
constexpr double kCheckedTurn = 0.005;  // and beyond which its energy is checked, and that of its halves
constexpr double kCheckedSwing = 2.5;   // the same of a base whose origin is drawn round by this acceleration [m/s^2]

// Dissipation is the most that has not been stored so far: what springs lend for a moment is not taken back from it.
template <class T>
TARSUS_INLINE void keep_dissipation(Robot<T>& r, EnergyPart balance, EnergyPart dissipated) {
  r.work[work_index(dissipated)] = larger<T>(r.work[work_index(dissipated)], r.work[work_index(balance)]);
}

// Forces, states of contacts, work, and the state at the end of the step, in these lanes.
template <class T>
TARSUS_KERNEL void end_step(Robot<T>& r, const TreeState<T>& tree, typename Bits<T>::type ending, double dt) {
  const Model& m = r.model;
  for (int j = 0; j < r.listeds; ++j) {
    const int i = r.listed[j];
    if (r.contact[i].near && r.step_contact[i].awake) {
      end_contact(r, r.contact[i], r.step_contact[i], ending, dt, r.displacement[i]);
    } else {
      r.displacement[i] = select3<T>(ending, zero3<T>(), r.displacement[i]);
      r.contact[i].force = select3<T>(ending, zero3<T>(), r.contact[i].force);
    }
  }
  end_joints(r, tree, ending, dt);
  end_springs(r, ending, dt);
  keep_dissipation(r, kJointBalance, kJointDissipated);
  if (r.external) {
    T& work = r.work[work_index(kExternal)];
    work = select<T>(ending, work + dt * external_power(r, 0.5 * dt), work);
  }
  T *tangent = r.scratch, *q = tangent + m.nv, *v = q + m.nq;
  for (int k = 0; k < m.nv; ++k) v[k] = r.v[k] + dt * r.vdot[k];
  straighten(r, dt, static_cast<const T*>(v), r.total);
  move(r, static_cast<const T*>(r.q), static_cast<const T*>(r.total), broadcast<T>(dt), tangent, q);
  turn_axes(r, dt, v);
  for (int k = 0; k < m.nq; ++k) r.q[k] = select<T>(ending, q[k], r.q[k]);
  for (int k = 0; k < m.nv; ++k) r.v[k] = select<T>(ending, v[k], r.v[k]);
}

// Lanes in which a joint or the base turns by more than an angle in a step with rates (tree_nv) of the joints.
template <class T, class Rate>
TARSUS_INLINE typename Bits<T>::type turns_beyond(const Robot<T>& r, double dt, double angle, Rate rate) {
  T fastest = broadcast<T>(0.0);
  for (int k = 0; k < r.model.tree_nv; ++k) {
    if (!r.translates[k] && !r.spins[k]) fastest = larger<T>(fastest, magnitude<T>(rate(k)));
  }
  return less<T>(broadcast<T>(angle), dt * fastest);
}
// The same with those of the present state, and with those that the last step ended with.
template <class T>
TARSUS_INLINE typename Bits<T>::type turns_beyond(const Robot<T>& r, const TreeState<T>& tree, double dt, double angle) {
  return turns_beyond(r, dt, angle, [&](int k) TARSUS_LAMBDA { return tree.v[k]; });
}
template <class T>
TARSUS_INLINE typename Bits<T>::type turned_beyond(const Robot<T>& r, double dt, double angle) {
  if (!r.model.coupled) return turns_beyond(r, dt, angle, [&](int k) TARSUS_LAMBDA { return r.v[k]; });
  return turns_beyond(r, dt, angle, [&](int k) TARSUS_LAMBDA { return T(r.tree_v[k] + dt * r.rate[k]); });
}

// Lanes in which the origin of a base goes round so fast, omega x v, that a step along its tangent lifts or lowers the robot: it
// may be far from what the robot turns about.
template <class T>
TARSUS_INLINE typename Bits<T>::type swings(const Robot<T>& r) {
  T fastest = broadcast<T>(0.0);
  for (int i = 0; i < r.model.manifolds; ++i) {
    const Vec3<T> across = turning_of_base(r, i, static_cast<const T*>(r.v));
    fastest = larger<T>(fastest, dot(across, across));
  }
  return less<T>(broadcast<T>(kCheckedSwing * kCheckedSwing), fastest);
}

// Lanes that stand or roll on a height field, whose slope jumps from cell to cell: what comes to the next one is deeper in the
// ground at once than its velocity told.
template <class T>
TARSUS_INLINE typename Bits<T>::type treads_unevenly(const Robot<T>& r) {
  T pressed = broadcast<T>(0.0);
  for (int i = 0; r.uneven && i < r.world.contacts; ++i) pressed = pressed + dot(r.contact[i].force, r.contact[i].force);
  return less<T>(broadcast<T>(0.0), pressed);
}

// Lanes whose steps are checked for energy that they gain, beside those that turn fast.
template <class T>
TARSUS_INLINE typename Bits<T>::type needs_check(const Robot<T>& r) {
  const auto known = swings(r) | treads_unevenly(r);
  return r.ws.bending ? known | lanes_of<T>(r.ws.bending) : known;
}

// Expands the present state; lanes in which a loop fails for steps of this length, which shorter ones may resolve. What fails in
// the shortest steps has failed.
template <class T>
TARSUS_KERNEL typename Bits<T>::type begin_loops(Robot<T>& r, double dt, bool last) {
  const T zero = broadcast<T>(0.0);
  auto irregular = less<T>(zero, zero);
  if (!r.model.coupled) return irregular;
  const bool failed = loop_failed(r);
  r.ws.time_step = dt, r.ws.failing = 0, r.ws.bending = 0;
  expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
  r.ws.time_step = 0.0;  // states within the step are not judged
  if (last || failed || !loop_failed(r)) return irregular;
  r.ws.failed_closure = -1;
  return lanes_of<T>(r.ws.failing);
}

// From time t to t + dt, in these lanes, by one solve; returns the lanes that did it.
template <class T>
TARSUS_KERNEL typename Bits<T>::type whole_step(Robot<T>& r, const TreeState<T>& state, double t, double dt,
                                                typename Bits<T>::type running) {
  const TreeState<T> tree = begin_step(r, state, t, dt, r.kept_energy.known && !r.model.coupled);
  StepProgress<T> progress = begin_progress<T>(running);
  r.kept_energy.known = false;
  auto left = running;  // lanes whose step has not ended
  auto end_settled = [&] {
    const auto ending = left & progress.settled;
    if (any<T>(ending)) end_step(r, tree, ending, dt);
    left = left & ~ending;
  };
  if (has_contact_space(r)) {
    // What moves slowly, as robots that stand do, is mostly settled by one or two passes through the tree; what moves fast is
    // not.
    const auto waits = running & turns_beyond(r, tree, dt, kCheckedTurn);
    progress.settled = progress.settled | waits;
    if (any<T>(~progress.settled)) pass_tree(r, tree, dt, kTreePasses, progress);
    progress.settled = progress.settled & ~waits;
    end_settled();
    if (any<T>(left)) settle_following(r, tree, dt, progress);
    end_settled();
    if (any<T>(left)) settle_points(r, tree, dt, progress);
    end_settled();
  }
  if (any<T>(left)) pass_tree(r, tree, dt, kMostPasses, progress);
  end_settled();
  end_constraints(r, t + dt, dt, running & progress.settled);
  settle_sets(r, running & progress.settled);
  keep_dissipation(r, kGroundBalance, kGroundDissipated);
  return running & progress.settled;
}

// The same where the motion is fast, or becomes it: lanes that gained energy by it are back at its start.
template <class T>
TARSUS_KERNEL typename Bits<T>::type checked_step(Robot<T>& r, const TreeState<T>& state, double t, double dt,
                                                  typename Bits<T>::type running, typename Bits<T>::type checked, int halvings) {
  const Checkpoint<T> start{r.checkpoints + halvings * r.checkpoint_size()};
  start.keep(r);
  const StepEnergy<T> before = step_energy(r, dt);
  const int failed = r.ws.failed_closure;
  const auto done = whole_step(r, state, t, dt, running);
  const StepEnergy<T> after = step_energy(r, dt);
  const auto watched = done & (checked | turned_beyond(r, dt, kCheckedTurn) | swings(r));
  const T most = (kMostGain * dt) * larger<T>(before.kinetic, after.kinetic) + (kMostOfWork * dt) * actuator_power(r);
  const auto gained = watched & less<T>(most, after.total - before.total);
  if (any<T>(gained)) start.go_back(r, gained), r.ws.failed_closure = failed;
  return done & ~gained;
}

// The same where it is slow at the start; what an impact has set into fast motion is taken back and checked.
template <class T>
TARSUS_KERNEL typename Bits<T>::type light_step(Robot<T>& r, const TreeState<T>& state, double t, double dt,
                                                typename Bits<T>::type running, bool last) {
  if (last) return whole_step(r, state, t, dt, running);
  const Checkpoint<T> start{r.checkpoints};
  start.keep(r);
  const auto done = whole_step(r, state, t, dt, running);
  const auto struck = done & (turned_beyond(r, dt, kCheckedTurn) | swings(r));
  if (!any<T>(struck)) return done;
  start.go_back(r, struck);
  const TreeState<T> again = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
  return (done & ~struck) | checked_step(r, again, t, dt, struck, struck, 0);
}

// From time t to t + dt, in these lanes.
template <class T>
TARSUS_KERNEL void implicit_step(Robot<T>& r, double t, double dt, typename Bits<T>::type running, int halvings = 0) {
  if (loop_failed(r)) return;
  const bool last = halvings == kMostHalvings;
  const auto none = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  const auto irregular = begin_loops(r, dt, last);
  const TreeState<T> state = tree_state(r);
  const auto fast = last ? none : running & (turns_beyond(r, state, dt, kMostTurn) | irregular);
  auto left = running & ~fast;
  if (any<T>(left)) {
    const auto checked = last ? none : halvings > 0 ? left : left & (turns_beyond(r, state, dt, kCheckedTurn) | needs_check(r));
    left = left &
           ~(any<T>(checked) ? checked_step(r, state, t, dt, left, checked, halvings) : light_step(r, state, t, dt, left, last));
  }
  if (last) {
    r.unsolved = r.unsolved | left;
    return;
  }
  left = left | fast;
  if (!any<T>(left) || loop_failed(r)) return;
  implicit_step(r, t, 0.5 * dt, left, halvings + 1);
  implicit_step(r, t + 0.5 * dt, 0.5 * dt, left, halvings + 1);
}

}  // namespace tarsus::TARSUS_ISA
