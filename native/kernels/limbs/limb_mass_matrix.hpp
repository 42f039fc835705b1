// Mass matrix of one state with SIMD lanes as limbs: the steps of composite_body.hpp.
#pragma once
#include "kernels/dynamics/composite_body.hpp"
#include "kernels/limbs/limb_joint_screws.hpp"

namespace tarsus::TARSUS_ISA {

// Mass matrix of one state, both triangles; entries between unrelated branches must be zero before. Poses, moments and momenta
// by limbs; their products one by one.
TARSUS_KERNEL void limb_mass_matrix(const Model& m, const LimbPlan& plan, LimbSpace& ws, const double* q, double* M) {
  const bool floating = is_floating(m.node[0]);
  const int size = m.tree_nv, last = floating ? 6 : 0;
  auto put = [=](int row, int column, double x) TARSUS_LAMBDA {
    M[row * size + column] = x;
    M[column * size + row] = x;
  };
  // Poses, screws S and moments of all bodies, relative to the root.
  std::memset(static_cast<void*>(&ws.node[0].composite), 0, sizeof(Composite<Limb>));
  limb_screws(plan, ws, q, Placed<double>{identity3<double>(), zero3<double>()},
              [&](const LimbGroup& group, LimbNode& n) TARSUS_LAMBDA {
                n.composite = body_moments(group.constants, n.pose);
                scatter(ws.screw, group, n.screw);
              });
  // Composite bodies from the leaves inwards: momenta F = I^c S and the diagonal S^T F + armature.
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
  // Entries beside the diagonal: S_row^T F on the way to the root, F itself at a floating base.
  for (int column = last; column < size; ++column) {
    const Screw<double> F = ws.momentum[column];
    for (int row = m.dof_parent[column]; row >= last; row = m.dof_parent[row]) put(row, column, power(ws.screw[row], F));
    if (!floating) continue;
    put(0, column, F.linear.x), put(1, column, F.linear.y), put(2, column, F.linear.z);
    put(3, column, F.angular.x), put(4, column, F.angular.y), put(5, column, F.angular.z);
  }
  if (!floating) return;
  // The composite body of the whole robot is the block of the base.
  Composite<double> root = body_moments(constants(m.node[0]), Placed<double>{identity3<double>(), zero3<double>()});
  double* sum = reinterpret_cast<double*>(&root);
  const Limb* parts = reinterpret_cast<const Limb*>(&ws.node[0].composite);
  for (size_t k = 0; k < sizeof(root) / sizeof(double); ++k) {
    for (int l = 0; l < kLimbLanes; ++l) sum[k] += parts[k][l];
  }
  put_floating_block(root, m.armature, put);
}

}  // namespace tarsus::TARSUS_ISA
