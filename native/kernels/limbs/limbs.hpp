// Inverse and forward dynamics of one state with SIMD lanes as limbs: nodes of different branches that do not depend on
// each other are visited together, one a lane. The steps are those of newton_euler.hpp and articulated_body.hpp with packs
// for constants, too. Pays for robots with several similar limbs and one-axis joints; others have no plan.
#pragma once
#include <cstdlib>

#include "kernels/dynamics/composite_body.hpp"
#include "nodes/rotor.hpp"

namespace tarsus::TARSUS_ISA {

// Up to kLimbLanes nodes of one arm. Spare lanes have no mass, an armature of one, and repeat the indices of another lane.
struct LimbGroup {
  typedef Bits<Limb>::type Mask;
  int arm;
  int count;
  int node[kLimbLanes];  // -1 in spare lanes
  int q[kLimbLanes], v[kLimbLanes];
  // Where the parents are. Lanes whose parents are in the same lane of one group are exchanged with it by whole packs: `parts`
  // such groups, each with the mask of its lanes. `strays` are the lanes whose parent is in another lane, one by one.
  int parts, part_group[kLimbLanes];
  int strays, stray_lane[kLimbLanes], stray_group[kLimbLanes], stray_from[kLimbLanes];
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
  if (arm >= kTurn0 && arm <= kTurnGeneral) return kTurnGeneral;
  return arm == kSlide || arm == kScrew ? arm : -1;
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
      g.stray_lane[g.strays] = l, g.stray_group[g.strays] = group, g.stray_from[g.strays++] = from;
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
  if (n < 4 || (m.node[0].arm != kRoot && m.node[0].arm != kFloat) || m.coupled) return nullptr;
  for (int i = 1; i < n; ++i) {
    if (limb_class(m.node[i].arm) < 0) return nullptr;
  }
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
  for (int i = n - 1; i > 0; --i) {
    const int parent = m.node[i].parent;
    sibling[i] = first_child[parent], first_child[parent] = i;
    if (s.height[i] + 1 > s.height[parent]) s.height[parent] = s.height[i] + 1;
  }
  for (int i = first_child[0]; i > 0; i = sibling[i]) s.ready[s.ready_count++] = i;
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

struct LimbNode {
  Limb s, c, x;
  Motion<Limb> motion;
  Wrench<Limb> wrench;
  Articulated<Limb> articulated;
  Eliminated<Limb> eliminated;
  Placed<Limb> pose;
  Screw<Limb> screw;
  Composite<Limb> composite;
};

struct LimbSpace {
  LimbNode* node;                  // groups
  Screw<double>*screw, *momentum;  // degrees of freedom
  static size_t bytes(const Model& m, const LimbPlan& plan) {
    return plan.groups * sizeof(LimbNode) + 2 * (size_t)m.tree_nv * sizeof(Screw<double>);
  }
  bool lay_out(const Model& m, const LimbPlan& plan, void* block) {
    node = static_cast<LimbNode*>(block);
    screw = reinterpret_cast<Screw<double>*>(node + plan.groups);
    momentum = screw + m.tree_nv;
    return node != nullptr;
  }
};

TARSUS_INLINE Limb gather(const double* x, const int* index) {
  Limb r{};
  for (int l = 0; l < kLimbLanes; ++l) r[l] = x[index[l]];
  return r;
}
TARSUS_INLINE void scatter(double* x, const LimbGroup& g, const Limb& value) {
  for (int l = 0; l < kLimbLanes; ++l) {
    if (g.node[l] >= 0) x[g.v[l]] = value[l];
  }
}

// A field of the parents, lane by lane.
template <class S>
TARSUS_INLINE S from_parents(const LimbSpace& ws, const LimbGroup& g, S LimbNode::* field) {
  constexpr size_t size = sizeof(S) / sizeof(Limb);
  if (g.parts == 1 && g.strays == 0) return ws.node[g.part_group[0]].*field;
  S result;
  Limb* to = reinterpret_cast<Limb*>(&result);
  for (size_t k = 0; k < size; ++k) to[k] = Limb{};
  for (int part = 0; part < g.parts; ++part) {
    const Limb* from = reinterpret_cast<const Limb*>(&(ws.node[g.part_group[part]].*field));
    for (size_t k = 0; k < size; ++k) to[k] = select(g.part_mask[part], from[k], to[k]);
  }
  for (int i = 0; i < g.strays; ++i) {
    const Limb* from = reinterpret_cast<const Limb*>(&(ws.node[g.stray_group[i]].*field));
    for (size_t k = 0; k < size; ++k) {
      reinterpret_cast<double*>(to + k)[g.stray_lane[i]] = reinterpret_cast<const double*>(from + k)[g.stray_from[i]];
    }
  }
  return result;
}
template <class S>
TARSUS_INLINE void to_parents(LimbSpace& ws, const LimbGroup& g, S LimbNode::* field, const S& value) {
  constexpr size_t size = sizeof(S) / sizeof(Limb);
  if (g.parts == 1 && g.strays == 0 && g.count == kLimbLanes) {
    ws.node[g.part_group[0]].*field += value;
    return;
  }
  const Limb* from = reinterpret_cast<const Limb*>(&value);
  for (int part = 0; part < g.parts; ++part) {
    Limb* to = reinterpret_cast<Limb*>(&(ws.node[g.part_group[part]].*field));
    for (size_t k = 0; k < size; ++k) to[k] += select(g.part_mask[part], from[k], Limb{});
  }
  for (int i = 0; i < g.strays; ++i) {
    Limb* to = reinterpret_cast<Limb*>(&(ws.node[g.stray_group[i]].*field));
    for (size_t k = 0; k < size; ++k) {
      reinterpret_cast<double*>(to + k)[g.stray_from[i]] += reinterpret_cast<const double*>(from + k)[g.stray_lane[i]];
    }
  }
}

// Sines and cosines of all groups. They depend on nothing, so a loop of their own keeps the processor busy where the sweeps
// wait for the parents.
TARSUS_INLINE void prepare_groups(const LimbPlan& plan, LimbSpace& ws, const double* q) {
  Limb largest = broadcast<Limb>(0.0);
  for (int i = 1; i < plan.groups; ++i) {
    LimbNode& n = ws.node[i];
    n.x = plan.group[i].constants.sign * gather(q, plan.group[i].q);
    if (plan.group[i].arm == kSlide) continue;
    largest = larger_magnitude(largest, n.x);
    reduced_sincos(n.x, n.s, n.c);
  }
  for (int i = 1; i < plan.groups && any_huge(largest); ++i) exact_sincos(ws.node[i].x, ws.node[i].s, ws.node[i].c);
}

template <class F>
TARSUS_INLINE void visit_group(const LimbGroup& g, const LimbNode& n, F f) {
  const JointValue<Limb> j{n.s, n.c, n.x, nullptr};
  const Constants<Limb>& c = g.constants;
  auto turned = [&]() TARSUS_LAMBDA { return Columns<Limb, Limb>{j.c * c.e0 + j.s * c.e1, j.c * c.e1 - j.s * c.e0, c.e2}; };
  switch (g.arm) {
    case kTurn0: f(View<kTurn0, Turn<Limb, 0>, Limb, Limb>{{j.s, j.c}, c.p, {}}); break;
    case kTurn1: f(View<kTurn1, Turn<Limb, 1>, Limb, Limb>{{j.s, j.c}, c.p, {}}); break;
    case kTurn2: f(View<kTurn2, Turn<Limb, 2>, Limb, Limb>{{j.s, j.c}, c.p, {}}); break;
    case kTurnGeneral: f(View<kTurnGeneral, Columns<Limb, Limb>, Limb, Limb>{turned(), c.p, {}}); break;
    case kSlide: f(View<kSlide, Columns<Limb, Limb>, Limb, Limb>{{c.e0, c.e1, c.e2}, c.p + j.x * c.e2, {}}); break;
    default: f(View<kScrew, Columns<Limb, Limb>, Limb, Limb>{turned(), c.p + (c.pitch * j.x) * c.e2, c.pitch}); break;
  }
}

template <class S>
TARSUS_INLINE Vec3<Limb> splat(const Vec3<S>& v) {
  return widen<Limb>(v);
}

template <bool kVdot>
TARSUS_INLINE void limb_sweep(const Model& m, const LimbPlan& plan, LimbSpace& ws, const double* q, const double* v,
                              const double* vdot) {
  const Vec3<double> g = vec3(m.gravity);
  const Vec3<double> up{-g.x, -g.y, -g.z};
  Motion<double> root{zero3<double>(), zero3<double>(), up};
  Wrench<double> wrench{zero3<double>(), zero3<double>()};
  if (m.node[0].arm == kFloat) {
    const Vec3<double> w{v[3], v[4], v[5]};
    root = {w, zero3<double>(), cross(w, Vec3<double>{v[0], v[1], v[2]}) + to_child(quaternion_matrix(q + 3), up)};
    if constexpr (kVdot) {
      root.dw = {vdot[3], vdot[4], vdot[5]};
      root.a += Vec3<double>{vdot[0], vdot[1], vdot[2]};
    }
    wrench = body_wrench(constants(m.node[0]), root);
  }
  ws.node[0].motion = {splat(root.w), splat(root.dw), splat(root.a)};
  // Lane 0 carries the root's own wrench; the other lanes collect what the limbs hand over.
  ws.node[0].wrench = {zero3<Limb>(), zero3<Limb>()};
  double* slots = reinterpret_cast<double*>(&ws.node[0].wrench);
  const double* own = reinterpret_cast<const double*>(&wrench);
  for (int k = 0; k < 6; ++k) slots[kLimbLanes * k] = own[k];
  prepare_groups(plan, ws, q);
  for (int i = 1; i < plan.groups; ++i) {
    const LimbGroup& group = plan.group[i];
    LimbNode& n = ws.node[i];
    const Motion<Limb> parent = from_parents(ws, group, &LimbNode::motion);
    visit_group(group, n, [&](const auto& J) TARSUS_LAMBDA {
      const Limb rate = group.constants.sign * gather(v, group.v);
      Limb accel = rate;
      if constexpr (kVdot) accel = group.constants.sign * gather(vdot, group.v);
      n.motion = carry<kVdot>(J, parent, &rate, &accel);
      n.wrench = body_wrench(group.constants, n.motion);
    });
  }
}

TARSUS_KERNEL void limb_inverse_dynamics(const Model& m, const LimbPlan& plan, LimbSpace& ws, const double* q, const double* v,
                                         const double* vdot, double* tau) {
  limb_sweep<true>(m, plan, ws, q, v, vdot);
  for (int i = plan.groups - 1; i > 0; --i) {
    const LimbGroup& group = plan.group[i];
    LimbNode& n = ws.node[i];
    visit_group(group, n, [&](const auto& J) TARSUS_LAMBDA {
      Limb force;
      joint_force(J, n.wrench, &force);
      scatter(tau, group, group.constants.sign * force + group.constants.armature * gather(vdot, group.v));
      to_parents(ws, group, &LimbNode::wrench, to_parent(J, n.wrench));
    });
  }
  if (m.node[0].arm == kFloat) {
    const Limb* wrench = reinterpret_cast<const Limb*>(&ws.node[0].wrench);
    for (int k = 0; k < 6; ++k) {
      double sum = m.armature[k] * vdot[k];
      for (int l = 0; l < kLimbLanes; ++l) sum += wrench[k][l];
      tau[k] = sum;
    }
  }
}

// With kDriven joints turn rotors on their parents, as in driven_body.hpp.
template <bool kDriven = false>
TARSUS_KERNEL void limb_forward_dynamics(const Model& m, const LimbPlan& plan, LimbSpace& ws, const double* q, const double* v,
                                         const double* tau, double* vdot) {
  limb_sweep<false>(m, plan, ws, q, v, nullptr);
  for (int i = 1; i < plan.groups; ++i) ws.node[i].articulated = rigid_inertia<Limb>(plan.group[i].constants);
  std::memset(static_cast<void*>(&ws.node[0].articulated), 0, sizeof(Articulated<Limb>));
  for (int i = plan.groups - 1; i > 0; --i) {
    const LimbGroup& group = plan.group[i];
    LimbNode& n = ws.node[i];
    visit_group(group, n, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      const Limb force = group.constants.sign * gather(tau, group.v);
      Articulated<Limb> I = n.articulated;
      Wrench<Limb> p = n.wrench;
      for_axes<V>([&]<int axis>(int) TARSUS_LAMBDA {
        if constexpr (kDriven) {
          const Vec3<Limb> spin = to_child(J.R, group.spin);
          const RotorLoad<Limb> load = rotor_load<V>(n.motion, group.constants.sign * gather(v, group.v), spin);
          n.eliminated = eliminate<axis>(J, I, p, group.constants.armature, force - load.force, spin);
          p.n += load.moment;
        } else {
          n.eliminated = eliminate<axis>(J, I, p, group.constants.armature, force);
        }
      });
      to_parents(ws, group, &LimbNode::wrench, to_parent(J, p));
      to_parents(ws, group, &LimbNode::articulated, to_parent(J, I));
    });
  }
  Motion<double> root{zero3<double>(), zero3<double>(), zero3<double>()};
  if (m.node[0].arm == kFloat) {
    Articulated<double> I = rigid_inertia<double>(constants(m.node[0]));
    Wrench<double> p;
    auto sum = [](const void* packs, double* to, int count, bool add) {
      const Limb* from = static_cast<const Limb*>(packs);
      for (int k = 0; k < count; ++k) {
        double s = add ? to[k] : 0.0;
        for (int l = 0; l < kLimbLanes; ++l) s += from[k][l];
        to[k] = s;
      }
    };
    sum(&ws.node[0].articulated, reinterpret_cast<double*>(&I), sizeof(I) / sizeof(double), true);
    sum(&ws.node[0].wrench, reinterpret_cast<double*>(&p), 6, false);
    using V = View<kFloat, Mat3<double>, double, double>;
    const V J{};
    Eliminated<double> e[6];
    for_axes_reversed<V>([&]<int axis>(int k) TARSUS_LAMBDA { e[k] = eliminate<axis>(J, I, p, m.armature[k], tau[k]); });
    for_axes<V>([&]<int axis>(int k) TARSUS_LAMBDA {
      vdot[k] = (e[k].u - dot(e[k].n, root.dw) - dot(e[k].f, root.a)) * e[k].inverse;
      component<axis>(root.a, root.dw) = component<axis>(root.a, root.dw) + vdot[k];
    });
  }
  ws.node[0].motion = {zero3<Limb>(), splat(root.dw), splat(root.a)};
  for (int i = 1; i < plan.groups; ++i) {
    const LimbGroup& group = plan.group[i];
    LimbNode& n = ws.node[i];
    const Motion<Limb> parent = from_parents(ws, group, &LimbNode::motion);
    visit_group(group, n, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      Vec3<Limb> dw = to_child(J.R, parent.dw), a = to_child(J.R, parent.a + cross(parent.dw, J.p));
      const Limb x = (n.eliminated.u - dot(n.eliminated.n, dw) - dot(n.eliminated.f, a)) * n.eliminated.inverse;
      for_axes<V>([&]<int axis>(int) TARSUS_LAMBDA { component<axis>(a, dw) = component<axis>(a, dw) + x; });
      if constexpr (V::arm == kScrew) a.z = a.z + J.pitch * x;
      n.motion.dw = dw, n.motion.a = a;
      scatter(vdot, group, group.constants.sign * x);
    });
  }
}

TARSUS_INLINE Screw<double> lane_of(const Screw<Limb>& s, int l) {
  return {{s.linear.x[l], s.linear.y[l], s.linear.z[l]}, {s.angular.x[l], s.angular.y[l], s.angular.z[l]}};
}

// Screws and momenta of a group, lane by lane, to where one node after the other reads them.
TARSUS_INLINE void scatter(Screw<double>* to, const LimbGroup& g, const Screw<Limb>& s) {
  for (int l = 0; l < kLimbLanes; ++l) {
    if (g.node[l] >= 0) to[g.v[l]] = lane_of(s, l);
  }
}

// Poses and screws of all groups from the root outwards, then visit(group, node) for each.
template <class Visit>
TARSUS_INLINE void limb_screws(const LimbPlan& plan, LimbSpace& ws, const double* q, const Placed<double>& root, Visit visit) {
  ws.node[0].pose = {{splat(root.R.a), splat(root.R.b), splat(root.R.c)}, splat(root.p)};
  prepare_groups(plan, ws, q);
  for (int i = 1; i < plan.groups; ++i) {
    const LimbGroup& group = plan.group[i];
    LimbNode& n = ws.node[i];
    const Placed<Limb> parent = from_parents(ws, group, &LimbNode::pose);
    visit_group(group, n, [&](const auto& J) TARSUS_LAMBDA {
      n.pose = {compose(parent.R, J.R), parent.p + J.p.x * parent.R.a + J.p.y * parent.R.b + J.p.z * parent.R.c};
    });
    const Vec3<Limb> axis = group.constants.sign * n.pose.R.c;
    n.screw = {cross(n.pose.p, axis), axis};
    if (group.arm == kSlide) n.screw = {axis, zero3<Limb>()};
    if (group.arm == kScrew) n.screw.linear += group.constants.pitch * axis;
    visit(group, n);
  }
}

// Screws of all joints of one state at the world origin, (6, nv).
TARSUS_KERNEL void limb_joint_screws(const Model& m, const LimbPlan& plan, LimbSpace& ws, const double* q, double* out) {
  const int nv = m.tree_nv;
  Placed<double> root{identity3<double>(), zero3<double>()};
  if (m.node[0].arm == kFloat) {
    root = {quaternion_matrix(q + 3), {q[0], q[1], q[2]}};
    for_screws(m.node[0], root, [&](int k, const Screw<double>& s) TARSUS_LAMBDA { write_column(out, nv, k, s); });
  }
  limb_screws(plan, ws, q, root, [&](const LimbGroup& group, const LimbNode& n) TARSUS_LAMBDA {
    for (int l = 0; l < kLimbLanes; ++l) {
      if (group.node[l] >= 0) write_column(out, nv, group.v[l], lane_of(n.screw, l));
    }
  });
}

// Mass matrix of one state, both triangles; entries between unrelated branches must be zero before. Poses, moments and momenta
// by limbs; their products one by one.
TARSUS_KERNEL void limb_mass_matrix(const Model& m, const LimbPlan& plan, LimbSpace& ws, const double* q, double* M) {
  const bool floating = m.node[0].arm == kFloat;
  const int size = m.tree_nv, last = floating ? 6 : 0;
  auto put = [=](int row, int column, double x) TARSUS_LAMBDA {
    M[row * size + column] = x;
    M[column * size + row] = x;
  };
  std::memset(static_cast<void*>(&ws.node[0].composite), 0, sizeof(Composite<Limb>));
  limb_screws(plan, ws, q, Placed<double>{identity3<double>(), zero3<double>()},
              [&](const LimbGroup& group, LimbNode& n) TARSUS_LAMBDA {
                n.composite = body_moments(group.constants, n.pose);
                scatter(ws.screw, group, n.screw);
              });
  for (int i = plan.groups - 1; i > 0; --i) {
    const LimbGroup& group = plan.group[i];
    const LimbNode& n = ws.node[i];
    const Screw<Limb> F = momentum_of(n.composite, n.screw);
    scatter(ws.momentum, group, F);
    const Limb diagonal = power(n.screw, F) + group.constants.armature;
    for (int l = 0; l < kLimbLanes; ++l) {
      if (group.node[l] >= 0) M[group.v[l] * (size + 1)] = diagonal[l];
    }
    to_parents(ws, group, &LimbNode::composite, n.composite);
  }
  for (int column = last; column < size; ++column) {
    const Screw<double> F = ws.momentum[column];
    for (int row = m.dof_parent[column]; row >= last; row = m.dof_parent[row]) put(row, column, power(ws.screw[row], F));
    if (!floating) continue;
    put(0, column, F.linear.x), put(1, column, F.linear.y), put(2, column, F.linear.z);
    put(3, column, F.angular.x), put(4, column, F.angular.y), put(5, column, F.angular.z);
  }
  if (!floating) return;
  Composite<double> root = body_moments(constants(m.node[0]), Placed<double>{identity3<double>(), zero3<double>()});
  double* sum = reinterpret_cast<double*>(&root);
  const Limb* parts = reinterpret_cast<const Limb*>(&ws.node[0].composite);
  for (size_t k = 0; k < sizeof(root) / sizeof(double); ++k) {
    for (int l = 0; l < kLimbLanes; ++l) sum[k] += parts[k][l];
  }
  put_floating_block(root, m.armature, put);
}

}  // namespace tarsus::TARSUS_ISA
