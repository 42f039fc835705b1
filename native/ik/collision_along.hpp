// Nearness of volumes along a motion: sample after sample while it is being made, or all samples behind it, several at a time as
// the lanes of a pack. Samples of models with dependent joints may need different ways to close their loops, and go one by one.
#pragma once
#include "ik/collision_cost.hpp"
#include "kernels/kinematics/poses.hpp"

namespace tarsus::TARSUS_ISA {

class CollisionAlong {
 public:
  static bool together(const PredictiveRun& run) { return !run.local && !run.model->coupled; }
  // Bytes of memory, which begins at a multiple of 64.
  static size_t memory(const PredictiveRun& run) {
    if (!run.volumes) return 0;
    if (!together(run)) return rounded(CollisionCost<double>::memory(run) * sizeof(double));
    Workspace<Pack> ws;
    return Workspace<Pack>::layout(ws, *run.model, nullptr) +
           rounded((CollisionCost<Pack>::memory(run) + run.model->nq) * sizeof(Pack));
  }

  CollisionAlong(const PredictiveRun& run, char* memory)
      : m_(*run.model),
        weight_(run.volumes ? run.weight[kCollisionCost] : 0.0),
        single_(run, reinterpret_cast<double*>(memory)),
        several_(run, reinterpret_cast<Pack*>(memory)) {
    if (!run.volumes || !together(run)) return;
    char* rest = memory + rounded((CollisionCost<Pack>::memory(run) + m_.nq) * sizeof(Pack));
    q_ = reinterpret_cast<Pack*>(memory) + CollisionCost<Pack>::memory(run);
    Workspace<Pack>::layout(ws_, m_, rest);
    Workspace<Pack>::fill_constants(ws_, m_);
  }

  // One sample, with share times the weighted cost and gradient (nv) added. Nodes are placed relative to the root, and the
  // coupling matrix is there, as NullspaceFlow::place leaves them.
  void add_sample(Workspace<double>& ws, double share, double* parts, double* gradient) {
    if (weight_ == 0.0) return;
    if (!is_fixed(m_.node[0])) {
      const Vec3<double> root = root_pose(m_, ws).p;
      for (int i = 0; i < m_.nodes; ++i) ws.pose[i].p += root;
    }
    parts[kCollisionCost] += share * weight_ * single_.evaluate(ws);
    const double* h = single_.gradient();
    for (int k = 0; h && k < m_.tree_nv; ++k) {
      if (!m_.coupled) {
        gradient[k] += share * weight_ * h[k];
        continue;
      }
      for_entries(m_, k, [&](int e, int c) { gradient[c] += share * weight_ * ws.coupling[e] * h[k]; });
    }
  }

  // All samples, `count` rows of q and of gradients; the first and the last one count half.
  void add_samples(const double* q, int count, double dt, double* parts, double* gradient) {
    if (weight_ == 0.0) return;
    const int nq = m_.nq, nv = m_.nv;
    for (int first = 0; first < count; first += kLanes) {
      const int used = count - first < kLanes ? count - first : kLanes;
      for (int l = 0; l < kLanes; ++l) {
        const double* row = q + (size_t)(first + (l < used ? l : used - 1)) * nq;
        for (int k = 0; k < nq; ++k) q_[k][l] = row[k];
      }
      prepare_joints(m_, ws_, static_cast<const Pack*>(q_));
      world_poses(m_, ws_, static_cast<const Pack*>(q_));
      const Pack value = several_.evaluate(ws_);
      const Pack* h = several_.gradient();
      for (int l = 0; h && l < used; ++l) {
        const bool end = first + l == 0 || first + l == count - 1;
        const double share = (end ? 0.5 : 1.0) * dt * weight_;
        double* row = gradient + (size_t)(first + l) * nv;
        parts[kCollisionCost] += share * value[l];
        for (int k = 0; k < nv; ++k) row[k] += share * h[k][l];
      }
    }
  }

 private:
  const Model& m_;
  const double weight_;
  CollisionCost<double> single_;
  CollisionCost<Pack> several_;
  Workspace<Pack> ws_;
  Pack* q_ = nullptr;

  static size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }
};

}  // namespace tarsus::TARSUS_ISA
