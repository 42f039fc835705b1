// Lanes as limbs: which nodes of one robot are visited together, one a SIMD lane, because they do not depend on each other.
// Pays for robots with several similar limbs and one-axis joints; others have no plan.
#pragma once
#include <cstdlib>
#include <cstring>

#include "nodes/view.hpp"

namespace tarsus::TARSUS_ISA {

// Up to kLimbLanes nodes of one arm. Spare lanes have no mass, an armature of one, and repeat the indices of another lane.
struct LimbGroup {
  typedef Bits<Limb>::type Mask;
  int arm;
  int count;
  int node[kLimbLanes];  // -1 in spare lanes
  int q[kLimbLanes], v[kLimbLanes];
  // Where the parents are. Lanes whose parents are in the same lane of one group are exchanged with it by whole packs: `parts`
  // such groups, each with the mask of its lanes. `crossings` are lanes whose parent is
  // in another lane, one by one.
  int parts, part_group[kLimbLanes];
  int crossings, crossing_lane[kLimbLanes], crossing_group[kLimbLanes], crossing_from[kLimbLanes];
  Mask part_mask[kLimbLanes];
  Constants<Limb> constants;
  Vec3<Limb> spin;  // driven trees: Node::spin
};

struct LimbPlan {
  int groups;  // group 0 is the root
  LimbGroup* group;
};

constexpr double kWorthwhileFill = 1.6;  // nodes per group below which one node after the other is as fast

TARSUS_INLINE void set_constants(Constants<Limb>& c, int l, const Constants<double>& n) {
  const double* from = reinterpret_cast<const double*>(&n);
  Limb* to = reinterpret_cast<Limb*>(&c);
  static_assert(sizeof(Constants<Limb>) == kLimbLanes * sizeof(Constants<double>));
  for (size_t k = 0; k < sizeof(Constants<double>) / sizeof(double); ++k) to[k][l] = from[k];
}

// Kinds of nodes that may share a group: turning, sliding, screwing; -1 for joints that are not scheduled.
inline int limb_class(int arm) {
  if (is_turn(arm)) return kTurnGeneral;
  return kArm[arm].dof == 1 ? arm : -1;
}

// What the scheduler knows of the nodes.
struct LimbSchedule {
  const Model& m;
  int *height, *group_of, *lane_of, *ready;
  int ready_count, highest;

  // Order in which nodes that are ready are taken: those that everything waits for, then those that carry on the group
  // before (their data are in place), then the longest limbs.
  bool before(int a, int b, int last_group) const {
    const bool critical_a = height[a] == highest, critical_b = height[b] == highest;
    if (critical_a != critical_b) return critical_a;
    const int parent_a = m.node[a].parent, parent_b = m.node[b].parent;
    const bool follows_a = parent_a > 0 && group_of[parent_a] == last_group,
               follows_b = parent_b > 0 && group_of[parent_b] == last_group;
    if (follows_a != follows_b) return follows_a;
    return height[a] > height[b];
  }

  void sort(int last_group) {
    highest = 0;
    for (int i = 0; i < ready_count; ++i) highest = height[ready[i]] > highest ? height[ready[i]] : highest;
    for (int i = 1; i < ready_count; ++i) {  // stable, and fast for a list that is nearly sorted
      for (int k = i; k > 0 && before(ready[k], ready[k - 1], last_group); --k) {
        const int t = ready[k];
        ready[k] = ready[k - 1], ready[k - 1] = t;
      }
    }
  }

  // Takes up to kLimbLanes nodes of one class out of the list and gives them lanes, their parent's where possible.
  int choose(int* lanes_of_group) {
    const int kind = limb_class(m.node[ready[0]].arm);
    int chosen[kLimbLanes], count = 0, kept = 0;
    for (int i = 0; i < ready_count; ++i) {
      if (count < kLimbLanes && limb_class(m.node[ready[i]].arm) == kind) {
        chosen[count++] = ready[i];
      } else {
        ready[kept++] = ready[i];
      }
    }
    ready_count = kept;
    for (int l = 0; l < kLimbLanes; ++l) lanes_of_group[l] = -1;
    for (int i = 0; i < count; ++i) {
      const int parent = m.node[chosen[i]].parent;
      if (parent == 0 || lanes_of_group[lane_of[parent]] >= 0) continue;
      lanes_of_group[lane_of[parent]] = chosen[i];
      chosen[i] = -1;
    }
    for (int i = 0, l = 0; i < count; ++i) {
      if (chosen[i] < 0) continue;
      while (lanes_of_group[l] >= 0) ++l;
      lanes_of_group[l] = chosen[i];
    }
    return count;
  }
};

// Fills in a group whose lanes are chosen.
inline void complete_group(const LimbSchedule& s, LimbGroup& g) {
  int first = 0;
  while (g.node[first] < 0) ++first;
  for (int l = 0; l < kLimbLanes; ++l) {
    const Node& node = s.m.node[g.node[l] < 0 ? g.node[first] : g.node[l]];
    g.q[l] = node.q, g.v[l] = node.v;
    if (g.node[l] < 0) {
      g.constants.armature[l] = 1.0;
      continue;
    }
    g.arm = g.arm == 0 || g.arm == node.arm ? node.arm : kTurnGeneral;
    set_constants(g.constants, l, constants(node));
    g.spin.x[l] = node.spin[0], g.spin.y[l] = node.spin[1], g.spin.z[l] = node.spin[2];
    const int group = node.parent == 0 ? 0 : s.group_of[node.parent], from = node.parent == 0 ? l : s.lane_of[node.parent];
    if (from != l) {
      g.crossing_lane[g.crossings] = l, g.crossing_group[g.crossings] = group, g.crossing_from[g.crossings++] = from;
      continue;
    }
    int part = 0;
    while (part < g.parts && g.part_group[part] != group) ++part;
    g.parts = part == g.parts ? part + 1 : g.parts;
    g.part_group[part] = group;
    g.part_mask[part][l] = -1;
  }
}

// List scheduling from the root outwards. Returns null where it does not pay.
inline LimbPlan* make_limb_plan(const Model& m) {
  const int n = m.nodes;
  if (n < 4 || !(is_fixed(m.node[0]) || is_floating(m.node[0])) || m.coupled) return nullptr;
  for (int i = 1; i < n; ++i) {
    if (limb_class(m.node[i].arm) < 0) return nullptr;
  }
  // Memory: the plan with its groups, which stays, and numbers of the scheduler.
  const size_t header = (sizeof(LimbPlan) + 63) / 64 * 64;
  auto* plan = static_cast<LimbPlan*>(std::aligned_alloc(64, (header + n * sizeof(LimbGroup) + 63) / 64 * 64));
  auto* ints = static_cast<int*>(std::calloc(6 * (size_t)n, sizeof(int)));
  if (!plan || !ints) {
    std::free(plan), std::free(ints);
    return nullptr;
  }
  LimbSchedule s{m, ints, ints + n, ints + 2 * n, ints + 3 * n, 0, 0};
  int *first_child = ints + 4 * n, *sibling = ints + 5 * n;  // 0: none
  plan->group = reinterpret_cast<LimbGroup*>(reinterpret_cast<char*>(plan) + header);
  plan->groups = 1;
  std::memset(static_cast<void*>(plan->group), 0, sizeof(LimbGroup));
  // Children of each node, and the height of what hangs on it.
  for (int i = n - 1; i > 0; --i) {
    const int parent = m.node[i].parent;
    sibling[i] = first_child[parent], first_child[parent] = i;
    if (s.height[i] + 1 > s.height[parent]) s.height[parent] = s.height[i] + 1;
  }
  for (int i = first_child[0]; i > 0; i = sibling[i]) s.ready[s.ready_count++] = i;
  // A group after the other; what hangs on its nodes is ready then.
  while (s.ready_count > 0) {
    const int number = plan->groups++;
    LimbGroup& g = plan->group[number];
    std::memset(static_cast<void*>(&g), 0, sizeof(LimbGroup));
    s.sort(number - 1);
    g.count = s.choose(g.node);
    complete_group(s, g);
    for (int l = 0; l < kLimbLanes; ++l) {
      if (g.node[l] < 0) continue;
      s.group_of[g.node[l]] = number, s.lane_of[g.node[l]] = l;
      for (int i = first_child[g.node[l]]; i > 0; i = sibling[i]) s.ready[s.ready_count++] = i;
    }
  }
  std::free(ints);
  if ((n - 1) < kWorthwhileFill * (plan->groups - 1)) {
    std::free(plan);
    return nullptr;
  }
  return plan;
}

}  // namespace tarsus::TARSUS_ISA
