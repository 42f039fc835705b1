// Steps with solved impulses that make no energy of nothing.
//
// Impulses l that stop what they meet, l_n u_n = 0 and l_t along -u_t at the end of the step, change the kinetic energy by
// l (u + b) / 2 = l u - l G l / 2 <= 0, b the velocities without them, u = G l + b (Moreau 1988): an impact loses energy,
// friction and all. What gains it is the rest of a step:
//   - penetrations that are pushed out: they give at most l_n times their speed, and where bodies are wedged, no velocities may
//     do what all of them ask. Where that is more than lifts the robot a little, the step is taken again without them: with
//     velocities of 0 or less all that touches can stop, so that there is a solution.
//   - Newton's law of restitution with friction: where it still gains in the shortest steps, they are taken without it.
//   - inertias and arms are those of the start of a step, at the end of which parts that were struck turn fast; and impulses that
//     did not settle are anything. Steps that gained by these take two halves.
// Forces of a step that was halved are the means of its halves: what they give to the momentum is what they tell.
#pragma once
#include "simulation/impulses/least_constraint.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kMostImpulseTurn = 0.02;  // of a joint or of the base in a step [rad], beyond which it is halved: what turns
                                           // sinks in by dt omega^2 / 2 of its arm, and is pushed out slowly
constexpr double kFreeGain = 0.4;          // part of the kinetic energy that a step may gain in a second,
constexpr double kStrikeGain = 4e-4;       // part of the kinetic energy that an impact, however short the step, may gain,
constexpr double kBounceGain = 2e-5;       // one with restitution, as there may be in every step,
constexpr double kToldGain = 1e-3;         // and from which on a step counts as not solved
constexpr double kMostUrge = 0.012;        // [J/kg] work of what pushes penetrations out, beyond which a step is taken without,
constexpr double kGivenUrge = 0.006;       // and what it may give the robot: as much as brings all of it to kMostRecovery

// Lanes of a step that were taken, and of which kinds they are.
template <class T>
struct TakenLanes {
  using Mask = typename Bits<T>::type;
  Mask gained;     // energy: they are back at the start of the step
  Mask wrong;      // impulses did not settle, or gained what the shortest step may not
  Mask nonfinite;  // their energy is no number
};

// Lanes whose velocities are numbers.
template <class T>
inline typename Bits<T>::type moves_finitely(const Robot<T>& r) {
  T sum = broadcast<T>(0.0);
  for (int k = 0; k < r.model.nv; ++k) sum = sum + magnitude<T>(r.v[k]);
  return less<T>(sum, broadcast<T>(1e300));
}

// What a step gained beyond what it may, in lanes in which it might have; the state is at its end, before and after.
template <class T>
inline TakenLanes<T> judge_step(Robot<T>& r, const ImpulseOutcome<T>& done, double dt, const Checkpoint<T>& start,
                                const Checkpoint<T>& end, typename Bits<T>::type running, typename Bits<T>::type watched) {
  const T power = actuator_power(r);
  end.keep(r);
  const StepEnergy<T> after = step_energy(r, dt);
  start.go_back(r, running);
  const StepEnergy<T> before = step_energy(r, dt);
  end.go_back(r, running);
  const T kinetic = larger<T>(before.kinetic, after.kinetic), gain = after.total - before.total;
  const T strike = select<T>(done.bounced, broadcast<T>(kBounceGain), broadcast<T>(kStrikeGain));
  const T free = select<T>(done.bounced, broadcast<T>(kMostGain * dt), broadcast<T>(kFreeGain * dt));
  const T part = free + select<T>(done.struck, strike, broadcast<T>(0.0));
  const T most = part * kinetic + (kMostOfWork * dt) * power + done.urged;
  const auto number = ~less<T>(gain, gain) & less<T>(magnitude<T>(gain), broadcast<T>(1e300));
  const auto gained = watched & ~(number & ~less<T>(most, gain));
  return {gained, gained & less<T>(most + kToldGain * kinetic, gain), watched & ~number};
}

// A step in these lanes; those that gained energy by it are back at its start, unless it is the `final` one.
template <class T>
TARSUS_KERNEL TakenLanes<T> checked_impulse_step(Robot<T>& r, double t, double dt, typename Bits<T>::type running, int halvings,
                                                 bool final) {
  const Checkpoint<T> start{r.checkpoints + halvings * r.checkpoint_size()};
  const Checkpoint<T> end{r.checkpoints + (halvings + 1) * r.checkpoint_size()};
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const auto none = less<T>(zero, zero);
  const int failed = r.ws.failed_closure;
  start.keep(r);
  // 1. the step; lanes that are pushed too hard once more, without that
  r.urge = one;
  TreeState<T> state = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
  ImpulseOutcome<T> done = whole_impulse_step(r, state, t, dt, running);
  const T mass = zero + total_mass(r.model, r.ws.bodies);
  const auto urged = running & ~(less<T>(done.urged, kMostUrge * mass) & moves_finitely(r));
  if (any<T>(urged)) {
    start.go_back(r, urged), r.ws.failed_closure = failed;
    r.urge = select<T>(urged, zero, one);
    state = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
    const ImpulseOutcome<T> again = whole_impulse_step(r, state, t, dt, urged);
    done = {(done.struck & ~urged) | (again.struck & urged), (done.bounced & ~urged) | (again.bounced & urged),
            (done.unsettled & ~urged) | (again.unsettled & urged), select<T>(urged, zero, done.urged)};
  }
  done.urged = smaller<T>(done.urged, kGivenUrge * mass);
  // 2. its energy
  const auto watched = running & (urged | done.struck | done.unsettled | turned_beyond(r, dt, kCheckedTurn));
  if (!any<T>(watched)) return {none, none, none};
  TakenLanes<T> taken = judge_step(r, done, dt, start, end, running, watched);
  const auto back = final ? taken.nonfinite : taken.gained;
  taken.wrong = running & (final ? done.unsettled | taken.wrong : done.unsettled & ~taken.gained);
  if (any<T>(back)) start.go_back(r, back), r.ws.failed_closure = failed;
  return taken;
}

// From time t to t + dt in these lanes; those in which a joint or the base turns far, or that gain energy, take two halves.
// Returns the lanes in which something was wrong.
template <class T>
TARSUS_KERNEL typename Bits<T>::type impulse_steps(Robot<T>& r, double t, double dt, typename Bits<T>::type running,
                                                   int halvings) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const bool last = halvings == kMostHalvings;
  const auto none = less<T>(zero, zero);
  const TreeState<T> state = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
  auto left = last ? none : running & turns_beyond(r, state, dt, kMostImpulseTurn), wrong = none;
  const auto whole = running & ~left;
  if (any<T>(whole)) {
    r.bounce = one;
    TakenLanes<T> taken = checked_impulse_step(r, t, dt, whole, halvings, false);
    wrong = wrong | taken.wrong;
    if (last && any<T>(taken.gained)) {
      r.bounce = zero;
      taken = checked_impulse_step(r, t, dt, taken.gained, halvings, true);
      wrong = wrong | taken.wrong, r.unsolved = r.unsolved | taken.nonfinite;
    } else {
      left = left | taken.gained;
    }
  }
  if (!any<T>(left) || loop_failed(r)) return wrong;
  Vec3<T>* first = reinterpret_cast<Vec3<T>*>(r.checkpoints + halvings * r.checkpoint_size());  // forces of the first half
  wrong = wrong | impulse_steps(r, t, 0.5 * dt, left, halvings + 1);
  for (int i = 0; i < r.world.contacts; ++i) first[i] = r.contact[i].force;
  wrong = wrong | impulse_steps(r, t + 0.5 * dt, 0.5 * dt, left, halvings + 1);
  for (int i = 0; i < r.world.contacts; ++i) {
    Vec3<T>& force = r.contact[i].force;
    force = select3<T>(left, 0.5 * (first[i] + force), force);
  }
  return wrong;
}

template <class T>
TARSUS_KERNEL void least_constraint_step(Robot<T>& r, double t, double dt, typename Bits<T>::type running) {
  const auto wrong = impulse_steps(r, t, dt, running, 0);
  r.unsettled = r.unsettled + select<T>(wrong, broadcast<T>(1.0), broadcast<T>(0.0));
}

}  // namespace tarsus::TARSUS_ISA
