// Inverse dynamics of one state with SIMD lanes as limbs: the steps of newton_euler.hpp with packs for constants, too.
#pragma once
#include "kernels/limbs/limb_space.hpp"

namespace tarsus::TARSUS_ISA {

// Forward sweep: motions of all groups and the wrenches they need. Without kVdot the acceleration vdot is zero.
template <bool kVdot>
TARSUS_KERNEL void limb_sweep(const Model& m, const LimbPlan& plan, LimbSpace& ws, const double* q, const double* v,
                              const double* vdot) {
  const Vec3<double> g = vec3(m.gravity);
  const Vec3<double> up{-g.x, -g.y, -g.z};
  Motion<double> root{zero3<double>(), zero3<double>(), up};
  Wrench<double> wrench{zero3<double>(), zero3<double>()};
  if (is_floating(m.node[0])) {
    const Vec3<double> w{v[3], v[4], v[5]};
    root = {w, zero3<double>(), cross(w, Vec3<double>{v[0], v[1], v[2]}) + to_child(quaternion_matrix(q + 3), up)};
    if constexpr (kVdot) {
      root.dw = {vdot[3], vdot[4], vdot[5]};
      root.a += Vec3<double>{vdot[0], vdot[1], vdot[2]};
    }
    wrench = body_wrench(constants(m.node[0]), root);
    if (m.sliding_armatures > 0) wrench.f += sliding_drift(m.sliding_armature[0], v);
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
  if (is_floating(m.node[0])) {
    const Limb* wrench = reinterpret_cast<const Limb*>(&ws.node[0].wrench);
    for (int k = 0; k < 6; ++k) {
      double sum = m.armature[k] * vdot[k];
      for (int l = 0; l < kLimbLanes; ++l) sum += wrench[k][l];
      tau[k] = sum;
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
