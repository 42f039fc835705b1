// Forward dynamics of one state with SIMD lanes as limbs: the steps of articulated_body.hpp with packs for constants, too.
#pragma once
#include "kernels/limbs/limb_inverse_dynamics.hpp"
#include "nodes/rotor.hpp"

namespace tarsus::TARSUS_ISA {

// Backward sweep: the joints of all groups eliminated, the last ones first. With kDriven joints turn rotors on their parents, as
// in driven_body.hpp.
template <bool kDriven>
TARSUS_KERNEL void eliminate_groups(const LimbPlan& plan, LimbSpace& ws, const double* v, const double* tau) {
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
}

// Sums over the lanes of `count` packs, added to what is there or not.
TARSUS_INLINE void sum_lanes(const void* packs, double* to, int count, bool add) {
  const Limb* from = static_cast<const Limb*>(packs);
  for (int k = 0; k < count; ++k) {
    double s = add ? to[k] : 0.0;
    for (int l = 0; l < kLimbLanes; ++l) s += from[k][l];
    to[k] = s;
  }
}

// Acceleration of a floating root with what the limbs have left to it, lane by lane.
TARSUS_KERNEL Motion<double> accelerate_floating_root(const Model& m, const LimbSpace& ws, const double* tau, double* vdot) {
  Motion<double> root{zero3<double>(), zero3<double>(), zero3<double>()};
  Articulated<double> I = rigid_inertia<double>(constants(m.node[0]));
  Wrench<double> p;
  sum_lanes(&ws.node[0].articulated, reinterpret_cast<double*>(&I), sizeof(I) / sizeof(double), true);
  sum_lanes(&ws.node[0].wrench, reinterpret_cast<double*>(&p), 6, false);
  using V = View<kFloat, Mat3<double>, double, double>;
  const V J{};
  Eliminated<double> e[6];
  for_axes_reversed<V>([&]<int axis>(int k) TARSUS_LAMBDA { e[k] = eliminate<axis>(J, I, p, m.armature[k], tau[k]); });
  for_axes<V>([&]<int axis>(int k) TARSUS_LAMBDA {
    vdot[k] = (e[k].u - dot(e[k].n, root.dw) - dot(e[k].f, root.a)) * e[k].inverse;
    add_along<axis>(J, vdot[k], root.a, root.dw);
  });
  return root;
}

// Forward sweep: accelerations from the root outwards.
TARSUS_KERNEL void accelerate_groups(const LimbPlan& plan, LimbSpace& ws, const Motion<double>& root, double* vdot) {
  ws.node[0].motion = {zero3<Limb>(), splat(root.dw), splat(root.a)};
  for (int i = 1; i < plan.groups; ++i) {
    const LimbGroup& group = plan.group[i];
    LimbNode& n = ws.node[i];
    const Motion<Limb> parent = from_parents(ws, group, &LimbNode::motion);
    visit_group(group, n, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      Vec3<Limb> dw = to_child(J.R, parent.dw), a = to_child(J.R, parent.a + cross(parent.dw, J.p));
      const Limb x = (n.eliminated.u - dot(n.eliminated.n, dw) - dot(n.eliminated.f, a)) * n.eliminated.inverse;
      for_axes<V>([&]<int axis>(int) TARSUS_LAMBDA { add_along<axis>(J, x, a, dw); });
      n.motion.dw = dw, n.motion.a = a;
      scatter(vdot, group, group.constants.sign * x);
    });
  }
}

// Forward dynamics of one state: Newton-Euler at vdot = 0, then the joints from the leaves to the root and back.
template <bool kDriven = false>
inline void limb_forward_dynamics(const Model& m, const LimbPlan& plan, LimbSpace& ws, const double* q, const double* v,
                                  const double* tau, double* vdot) {
  limb_sweep<false>(m, plan, ws, q, v, nullptr);
  eliminate_groups<kDriven>(plan, ws, v, tau);
  const Motion<double> still{zero3<double>(), zero3<double>(), zero3<double>()};
  accelerate_groups(plan, ws, is_floating(m.node[0]) ? accelerate_floating_root(m, ws, tau, vdot) : still, vdot);
}

}  // namespace tarsus::TARSUS_ISA
