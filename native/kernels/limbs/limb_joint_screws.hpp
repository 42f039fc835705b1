// Screws of all joints of one state with SIMD lanes as limbs: the steps of screws.hpp.
#pragma once
#include "kernels/kinematics/screws.hpp"
#include "kernels/limbs/limb_space.hpp"

namespace tarsus::TARSUS_ISA {

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
    if (!kArm[group.arm].angle) {
      n.screw = {axis, zero3<Limb>()};
    } else if (kArm[group.arm].advance) {
      n.screw.linear += group.constants.pitch * axis;
    }
    visit(group, n);
  }
}

// Screws of all joints of one state at the world origin, (6, nv).
TARSUS_KERNEL void limb_joint_screws(const Model& m, const LimbPlan& plan, LimbSpace& ws, const double* q, double* out) {
  const int nv = m.tree_nv;
  Placed<double> root{identity3<double>(), zero3<double>()};
  if (is_floating(m.node[0])) {
    root = {quaternion_matrix(q + 3), {q[0], q[1], q[2]}};
    for_screws(m.node[0], root, [&](int k, const Screw<double>& s) TARSUS_LAMBDA { write_column(out, nv, k, s); });
  }
  limb_screws(plan, ws, q, root, [&](const LimbGroup& group, const LimbNode& n) TARSUS_LAMBDA {
    for (int l = 0; l < kLimbLanes; ++l) {
      if (group.node[l] >= 0) write_column(out, nv, group.v[l], lane_of(n.screw, l));
    }
  });
}

}  // namespace tarsus::TARSUS_ISA
