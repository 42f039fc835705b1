// The smallest distance of all pairs, most of which are told by spheres to be further away: around the whole robot for obstacles
// that are out of its reach (Buschmann 2014, figure 5.13), around segments for the others. What may be below
// a field of heights is looked at.
#pragma once
#include "collision/pair_sweep.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Clearance {
  T distance, pair;
};

// Centres of the spheres around all segments, 3 entries each.
template <class T>
inline void place_segments(const VolumeTable& t, const Workspace<T>& ws, const T* given, Vec3<T>* centre) {
  for (int i = 0; i < t.segments; ++i) {
    const Segment& s = t.segment[i];
    const Placed<T> X = s.node >= 0 ? ws.pose[s.node] : obstacle_pose(t, given, s.obstacle);
    centre[i] = X.p + to_parent(X.R, widen<T>(vec3(s.centre)));
  }
}

// `centre` as place_segments makes it; `distance` is memory for as many entries as there are pairs.
template <class T>
inline Clearance<T> clearance(const VolumeTable& t, const T* placed, const T* given, const Vec3<T>* centre, T* distance) {
  // 1. a sphere around the robot
  Vec3<T> middle = zero3<T>();
  for (int i = 0; i < t.robots; ++i) middle += (1.0 / t.robots) * centre[i];
  T reach = broadcast<T>(0.0);
  for (int i = 0; i < t.robots; ++i) reach = larger<T>(reach, length(Vec3<T>(centre[i] - middle)) + t.segment[i].reach);
  // 2. what is at most the smallest distance
  Clearance<T> best{broadcast<T>(1e300), broadcast<T>(-1.0)};
  T most = best.distance;
  for (int k = 0; k < t.pairs; ++k) {
    const Segment &from = t.segment[t.pair[k].from], &to = t.segment[t.pair[k].to];
    if (to.dense < 0) most = smaller<T>(most, centre_distance(placed, t.volume[from.first], t.volume[to.first]));
  }
  // 3. pairs that may be nearer
  int known = -1;    // the obstacle that was looked at last,
  bool far = false;  // and whether it is out of reach
  auto beyond = [&](const T& least) { return !any<T>(~less<T>(most, least - kBoundSlack)); };
  for (int k = 0; k < t.pairs; ++k) {
    const SegmentPair& pair = t.pair[k];
    const Segment &from = t.segment[pair.from], &to = t.segment[pair.to];
    if (to.obstacle >= 0 && pair.to != known) {
      known = pair.to;
      far = beyond(length(Vec3<T>(centre[pair.to] - middle)) - reach - to.reach) && !may_be_below(t, given, to, middle, reach);
    }
    if (to.obstacle >= 0 && far) continue;
    if (beyond(length(Vec3<T>(centre[pair.to] - centre[pair.from])) - (from.reach + to.reach)) &&
        !may_be_below(t, given, to, centre[pair.from], broadcast<T>(from.reach))) {
      continue;
    }
    T here;
    if (to.dense >= 0) {
      sweep_dense(t, placed, given, k, SweepResult<T>{distance, nullptr, nullptr});
      here = distance[k];
    } else {
      here = separate_segments<kKeepDistance>(t, placed, from, to).distance;
    }
    const auto nearer = less<T>(here, best.distance);
    best.pair = select<T>(nearer, broadcast<T>(k), best.pair), best.distance = smaller<T>(here, best.distance);
    most = smaller<T>(most, here);
  }
  return best;
}

}  // namespace tarsus::TARSUS_ISA
