// Lanes as limbs: memory of one evaluation, and the exchange of packs between a group of nodes and the groups of its parents.
#pragma once
#include "kernels/limbs/limb_plan.hpp"
#include "kernels/workspace.hpp"
#include "math/sincos.hpp"

namespace tarsus::TARSUS_ISA {

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
  if (g.parts == 1 && g.crossings == 0) return ws.node[g.part_group[0]].*field;
  S result;
  Limb* to = reinterpret_cast<Limb*>(&result);
  for (size_t k = 0; k < size; ++k) to[k] = Limb{};
  for (int part = 0; part < g.parts; ++part) {
    const Limb* from = reinterpret_cast<const Limb*>(&(ws.node[g.part_group[part]].*field));
    for (size_t k = 0; k < size; ++k) to[k] = select(g.part_mask[part], from[k], to[k]);
  }
  for (int i = 0; i < g.crossings; ++i) {
    const Limb* from = reinterpret_cast<const Limb*>(&(ws.node[g.crossing_group[i]].*field));
    for (size_t k = 0; k < size; ++k) {
      reinterpret_cast<double*>(to + k)[g.crossing_lane[i]] = reinterpret_cast<const double*>(from + k)[g.crossing_from[i]];
    }
  }
  return result;
}
template <class S>
TARSUS_INLINE void to_parents(LimbSpace& ws, const LimbGroup& g, S LimbNode::* field, const S& value) {
  constexpr size_t size = sizeof(S) / sizeof(Limb);
  if (g.parts == 1 && g.crossings == 0 && g.count == kLimbLanes) {
    ws.node[g.part_group[0]].*field += value;
    return;
  }
  const Limb* from = reinterpret_cast<const Limb*>(&value);
  for (int part = 0; part < g.parts; ++part) {
    Limb* to = reinterpret_cast<Limb*>(&(ws.node[g.part_group[part]].*field));
    for (size_t k = 0; k < size; ++k) to[k] += select(g.part_mask[part], from[k], Limb{});
  }
  for (int i = 0; i < g.crossings; ++i) {
    Limb* to = reinterpret_cast<Limb*>(&(ws.node[g.crossing_group[i]].*field));
    for (size_t k = 0; k < size; ++k) {
      reinterpret_cast<double*>(to + k)[g.crossing_from[i]] += reinterpret_cast<const double*>(from + k)[g.crossing_lane[i]];
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
    if (!kArm[plan.group[i].arm].angle) continue;
    largest = larger_magnitude(largest, n.x);
    reduced_sincos(n.x, n.s, n.c);
  }
  for (int i = 1; i < plan.groups && any_huge(largest); ++i) exact_sincos(ws.node[i].x, ws.node[i].s, ws.node[i].c);
}

template <class F>
TARSUS_INLINE void visit_group(const LimbGroup& g, const LimbNode& n, F f) {
  const JointValue<Limb> j{n.s, n.c, n.x, nullptr};
  with_one_axis_arm(g.arm, [&]<int arm>() TARSUS_LAMBDA { f(view_of<arm>(g.constants, j)); });
}

template <class S>
TARSUS_INLINE Vec3<Limb> splat(const Vec3<S>& v) {
  return widen<Limb>(v);
}

}  // namespace tarsus::TARSUS_ISA
