// Contacts between bodies whose description changes: from one step to the next the pose may tell other faces or edges, and with
// them another depth and another number of contacts, while the bodies hardly moved. What their springs hold would jump.
//
// A set o is a part of the depth d of a contact that does not press: its spring holds k (d - o)^2 / 2. After every step the
// contacts of a pair are looked up at the new pose. Where they would hold more than those of the step ended with, and the step
// did not lose as much, all depths that press are scaled down to that: a change of description can only lose energy, and what it
// loses is dissipated. Sets go back as far as the pair loses energy otherwise, or parts. They are kept in the displacements of
// contacts, along the normal.
#pragma once
#include "simulation/step/contacts.hpp"
#include "simulation/tree_state.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kSameEnergy = 1e-6;    // relative: springs that hold more by this are the same,
constexpr double kLeastEnergy = 1e-12;  // and those that do by this [J]

// One pair in one lane: depths, the sets that were, those that will be.
struct PairSets {
  int count;
  double depth[kMostSlots], set[kMostSlots];

  // sum (d - x o)^2
  double square(double x) const {
    double sum = 0.0;
    for (int k = 0; k < count; ++k) {
      const double e = depth[k] - x * set[k];
      sum += e * e;
    }
    return sum;
  }
  // Sets with which the sum is at most `most`, the smallest ones in proportion to those that were.
  void fit(double most) {
    const double now = square(1.0);
    if (now > most) {
      const double part = std::sqrt(most / now);
      for (int k = 0; k < count; ++k) set[k] = depth[k] - part * (depth[k] - set[k]);
      return;
    }
    double oo = 0.0, od = 0.0, dd = -most;
    for (int k = 0; k < count; ++k) oo += set[k] * set[k], od += set[k] * depth[k], dd += depth[k] * depth[k];
    const double root = od * od - oo * dd;
    const double x = oo <= 0.0 || dd <= 0.0 || root < 0.0 ? (dd <= 0.0 ? 0.0 : 1.0) : (od - std::sqrt(root)) / oo;
    for (int k = 0; k < count; ++k) set[k] *= x < 0.0 ? 0.0 : x < 1.0 ? x : 1.0;
  }
};

// Sets of one pair in one lane, whose nodes are at X and Y; returns by how much what it holds differs from what the step left
// [J].
template <class T>
inline double settle_pair(Robot<T>& r, const SolidPair& pair, const Placed<double>& X, const Placed<double>& Y, int l) {
  const double stiffness = pair.parameter[0];
  // 1. what the step ended with, and lost
  double left = 0.0, lost = 0.0;
  for (int k = 0; k < pair.slots; ++k) {
    const StepContact<T>& s = r.step_contact[pair.contact + k];
    if (!s.awake) continue;
    const double deep = larger(lane(s.end_depth, l), 0.0);
    left += deep * deep, lost += lane(s.lost, l);
  }
  // 2. the contacts at the new pose
  Slots found;
  touch_pair(r.world, pair, X, Y, kNear, found);
  PairSets p;
  p.count = pair.slots;
  bool kept = false;
  for (int k = 0; k < pair.slots; ++k) {
    const bool off = r.off && lane(r.off[pair.contact + k], l) > 0.0;
    p.depth[k] = off ? 0.0 : larger(found.slot[k].depth, 0.0);
    p.set[k] = smaller(lane(r.contact[pair.contact + k].set, l), p.depth[k]);
    kept = kept || p.set[k] > 0.0;
  }
  // 3. sets
  const double most = left + 2.0 * larger(lost, 0.0) / stiffness;
  if (kept || p.square(1.0) > most * (1.0 + kSameEnergy) + 2.0 * kLeastEnergy / stiffness) p.fit(most);
  for (int k = 0; k < pair.slots; ++k) {
    Vec3<T>& z = r.displacement[pair.contact + k];
    const Vec3<double> now = lane3(z, l), n = found.slot[k].normal;
    if (p.set[k] == 0.0 && dot(now, now) == 0.0) continue;
    set_lane3(z, l, now + (p.set[k] - dot(now, n)) * n);
  }
  return 0.5 * stiffness * (p.square(1.0) - left);
}

// Sets of all pairs after a step of these lanes, whose state is at its end; what changes by it is dissipated.
template <class T>
TARSUS_KERNEL void settle_sets(Robot<T>& r, typename Bits<T>::type ending) {
  if (!r.sets || !r.couples) return;
  // Lanes in which a pair took part in the step.
  auto takes_part = [&](int k) {
    const SolidPair& p = r.world.pair[k];
    auto part = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
    if (r.quiet[k] || !Laws::kRow[p.law].voigt) return part;
    for (int i = p.contact; i < p.contact + p.slots; ++i) {
      if (r.step_contact[i].awake) part = part | (ending & r.step_contact[i].lanes);
    }
    return part;
  };
  bool some = false;
  for (int k = 0; k < r.world.pairs && !some; ++k) some = any<T>(takes_part(k));
  if (!some) return;
  const TreeState<T> tree = expand_state(r, static_cast<const T*>(r.q), static_cast<const T*>(r.v));
  prepare_joints(r.model, r.ws, tree.q);
  locate_nodes(r.model, r.world, r.ws, tree.q, tree.v, r.speed);
  T& balance = r.work[work_index(kGroundBalance)];
  for (int k = 0; k < r.world.pairs; ++k) {
    const auto part = takes_part(k);
    if (!any<T>(part)) continue;
    const T ends = select<T>(part, broadcast<T>(1.0), broadcast<T>(0.0));
    const SolidPair& p = r.world.pair[k];
    const Placed<T>&X = r.ws.pose[r.world.solid[p.first].node], &Y = r.ws.pose[r.world.solid[p.second].node];
    for (int l = 0; l < lanes<T>; ++l) {
      if (lane(ends, l) == 0.0) continue;
      set_lane(balance, l, lane(balance, l) - settle_pair(r, p, lane_of(X, l), lane_of(Y, l), l));
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
