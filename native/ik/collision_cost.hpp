// Potentials of the distances of all pairs of segments, Buschmann 2014 (5.49), with their gradients (5.60): of one configuration,
// or of several samples of a motion as the lanes of a pack.
#pragma once
#include "collision/clearance.hpp"
#include "collision/pair_gradients.hpp"
#include "dispatch/reduction.hpp"
#include "ik/potential.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class CollisionCost {
 public:
  // Entries of memory.
  static size_t memory(const PredictiveRun& run) {
    const VolumeTable* t = static_cast<const VolumeTable*>(run.volumes);
    return t ? t->placed + 10 * (size_t)t->pairs + 3 * (size_t)t->segments + run.model->tree_nv : 0;
  }

  CollisionCost(const PredictiveRun& run, T* memory)
      : run_(run), m_(*run.model), volumes_(static_cast<const VolumeTable*>(run.volumes)) {
    if (!volumes_) return;
    const VolumeTable& t = *volumes_;
    placed_ = memory, points_ = placed_ + t.placed, normal_ = points_ + 6 * (size_t)t.pairs;
    distance_ = normal_ + 3 * (size_t)t.pairs, centre_ = reinterpret_cast<Vec3<T>*>(distance_ + t.pairs);
    gradient_ = distance_ + t.pairs + 3 * (size_t)t.segments;
  }

  // Sum of the potentials, without weight; with some that are not zero, `gradient` tells how it changes. Nodes are placed in the
  // world. Pairs that spheres around them tell to be further apart than the activation distance are left out, but
  // none that may be below a field of heights.
  T evaluate(Workspace<T>& ws) {
    const VolumeTable& t = *volumes_;
    const T* const given = nullptr;
    T sum = broadcast<T>(0.0);
    place_segments(t, ws, given, centre_);
    bool placed = false;
    pushed_ = false;
    for (int k = 0; k < t.pairs; ++k) {
      const Segment &from = t.segment[t.pair[k].from], &to = t.segment[t.pair[k].to];
      const Vec3<T> apart = centre_[t.pair[k].to] - centre_[t.pair[k].from];
      const double far = run_.collision.activation + from.reach + to.reach;
      if (!any<T>(less<T>(dot(apart, apart), broadcast<T>(far * far))) &&
          !may_be_below(t, given, to, centre_[t.pair[k].from], broadcast<T>(from.reach))) {
        continue;
      }
      if (!placed) place_volumes(t, ws, given, placed_);
      placed = true;
      const Separation<T> s = separate(k, from, to);
      if (any<T>(less<T>(s.distance, broadcast<T>(run_.collision.activation)))) sum = sum + push(ws, k, s);
    }
    return sum;
  }

  // tree_nv entries; null where no pair is near.
  const T* gradient() const { return pushed_ ? gradient_ : nullptr; }

 private:
  const PredictiveRun& run_;
  const Model& m_;
  const VolumeTable* volumes_;
  T *placed_ = nullptr, *points_ = nullptr, *normal_ = nullptr, *distance_ = nullptr, *gradient_ = nullptr;
  Vec3<T>* centre_ = nullptr;
  bool pushed_ = false;

  Separation<T> separate(int k, const Segment& from, const Segment& to) {
    const T* const placed = placed_;
    if (to.dense < 0) return separate_segments<kKeepPoints>(*volumes_, placed, from, to);
    sweep_dense(*volumes_, placed, static_cast<const T*>(nullptr), k, SweepResult<T>{distance_, points_, normal_});
    const T *p = points_ + 6 * k, *n = normal_ + 3 * k;
    return {distance_[k], {p[0], p[1], p[2]}, {p[3], p[4], p[5]}, {n[0], n[1], n[2]}, broadcast<T>(0.0)};
  }

  // Potential of one pair, and what it adds to the gradient.
  T push(Workspace<T>& ws, int k, const Separation<T>& s) {
    T value = s.distance, slope = s.distance;
    for (int l = 0; l < lanes<T>; ++l) {
      const PotentialValue H = potential(run_.collision, lane(s.distance, l));
      set_lane(value, l, H.value), set_lane(slope, l, H.slope);
    }
    if (!pushed_) zero_fill(gradient_, m_.tree_nv), joint_screws(m_, ws);
    pushed_ = true;
    const Vec3<T> point[2] = {s.a, s.b};
    for_pair_rates(m_, *volumes_, ws, k, point, s.normal,
                   [&](int j, const T& rate) TARSUS_LAMBDA { gradient_[j] = gradient_[j] + slope * rate; });
    return value;
  }
};

}  // namespace tarsus::TARSUS_ISA
