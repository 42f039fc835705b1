// Distances of all pairs of segments of a collision model: for every pair the smallest one of its volumes.
#pragma once
#include "collision/dense_query.hpp"
#include "collision/field_column.hpp"

namespace tarsus::TARSUS_ISA {

// What a sweep gives for every pair of segments; all but the distances may be null.
template <class T>
struct SweepResult {
  T* distance;  // pairs
  T* points;    // pairs x 6: on the surfaces of `from` and `to`
  T* normal;    // pairs x 3: unit vector from `from` to `to`
};

// Bounds of the distance of two volumes by the spheres around them: the centres are points of the primitives.
template <class T>
TARSUS_INLINE T centre_distance(const T* placed, const Volume& a, const Volume& b) {
  return length(Vec3<T>(centre_of(placed, a) - centre_of(placed, b))) - (a.radius + b.radius);
}

// A pair whose second segment is an obstacle of many volumes, or a solid: volume after volume, of one configuration (lane) each.
// In the axes of the obstacle, so that these do not move.
template <class T>
inline void sweep_dense(const VolumeTable& t, const T* placed, const T* given, int k, const SweepResult<T>& result) {
  const Segment &from = t.segment[t.pair[k].from], &to = t.segment[t.pair[k].to];
  const Placed<T> X = obstacle_pose(t, given, to.obstacle);
  for (int l = 0; l < lanes<T>; ++l) {
    auto at = [&](const Vec3<T>& v) { return Vec3<double>{lane(v.x, l), lane(v.y, l), lane(v.z, l)}; };
    const Placed<double> Y{{at(X.R.a), at(X.R.b), at(X.R.c)}, at(X.p)};
    Separation<double> best;
    best.distance = 1e300, best.a = best.b = best.normal = zero3<double>();
    for (int i = from.first; i < from.first + from.volumes; ++i) {
      const Volume& v = t.volume[i];
      const Vec3<T>* vertex = reinterpret_cast<const Vec3<T>*>(placed + v.place);
      Vec3<double> inside[3];
      for (int j = 0; j < v.vertices; ++j) inside[j] = to_child(Y.R, at(vertex[j]) - Y.p);
      const Separation<double> s =
          separation_from_dense(t.dense[to.dense], DenseVolume(inside, v.vertices, v.radius), best.distance);
      if (s.distance < best.distance) best = s;
    }
    set_lane(result.distance[k], l, best.distance);
    if (!result.points) continue;
    const Vec3<double> to_world[3] = {Y.p + to_parent(Y.R, best.a), Y.p + to_parent(Y.R, best.b), to_parent(Y.R, best.normal)};
    const double* numbers = &to_world[0].x;
    for (int j = 0; j < 6; ++j) set_lane(result.points[6 * k + j], l, numbers[j]);
    for (int j = 0; j < 3; ++j) set_lane(result.normal[3 * k + j], l, numbers[6 + j]);
  }
}

// The nearest volumes of two segments, one configuration a lane. Of several volumes those are left out that are further away in
// all lanes than what is known.
template <Keep keep, class T>
TARSUS_INLINE Separation<T> separate_segments(const VolumeTable& t, const T* placed, const Segment& from, const Segment& to) {
  const bool several = from.volumes * to.volumes > 1;
  T most = broadcast<T>(1e300);
  for (int i = from.first; several && i < from.first + from.volumes; ++i) {
    for (int j = to.first; j < to.first + to.volumes; ++j) {
      most = smaller<T>(most, centre_distance(placed, t.volume[i], t.volume[j]));
    }
  }
  Separation<T> best;
  best.distance = broadcast<T>(1e300), best.a = best.b = best.normal = zero3<T>(), best.parts = best.distance;
  for (int i = from.first; i < from.first + from.volumes; ++i) {
    for (int j = to.first; j < to.first + to.volumes; ++j) {
      const Volume &v = t.volume[i], &w = t.volume[j];
      if (several) {
        const T least = centre_distance(placed, v, w) - (v.reach + w.reach + kBoundSlack);
        if (!any<T>(~less<T>(most, least))) continue;
      }
      const bool flipped = v.vertices > w.vertices;
      const Volume &a = flipped ? w : v, &b = flipped ? v : w;
      Separation<T> s;
      kQueries<keep, T>[kind_of(a, b)](placed + a.place, placed + b.place, broadcast<T>(a.radius), broadcast<T>(b.radius), s);
      const auto nearer = less<T>(s.distance, best.distance);
      best.distance = smaller<T>(s.distance, best.distance), most = smaller<T>(most, s.distance);
      if constexpr (keep != kKeepDistance) {
        best.a = select3<T>(nearer, flipped ? s.b : s.a, best.a), best.b = select3<T>(nearer, flipped ? s.a : s.b, best.b);
        best.normal = select3<T>(nearer, flipped ? Vec3<T>(-s.normal) : s.normal, best.normal);
      }
    }
  }
  return best;
}

// Packs of configurations: pair after pair.
template <Keep keep>
inline void sweep_pairs(const VolumeTable& t, const Pack* placed, const Pack* given, const SweepResult<Pack>& result) {
  for (int k = 0; k < t.pairs; ++k) {
    const Segment &from = t.segment[t.pair[k].from], &to = t.segment[t.pair[k].to];
    if (to.dense >= 0) {
      sweep_dense(t, placed, given, k, result);
      continue;
    }
    const Separation<Pack> best = separate_segments<keep>(t, placed, from, to);
    result.distance[k] = best.distance;
    if constexpr (keep != kKeepDistance) {
      Vec3<Pack>* points = reinterpret_cast<Vec3<Pack>*>(result.points + 6 * k);
      points[0] = best.a, points[1] = best.b, *reinterpret_cast<Vec3<Pack>*>(result.normal + 3 * k) = best.normal;
    }
  }
}

// Up to kLanes pairs of volumes of the same two kinds, one a lane.
template <Keep keep>
inline void sweep_lanes(const VolumeTable& t, const double* placed, const int* entry, int count, int kind,
                        const SweepResult<double>& result) {
  const double *a[kLanes], *b[kLanes];
  Pack radius_a, radius_b, from[whole_blocks(kMostPlaced)], to[whole_blocks(kMostPlaced)];
  for (int l = 0; l < kLanes; ++l) {
    const VolumePair& pair = t.volume_pair[entry[l < count ? l : count - 1]];
    const Volume &v = t.volume[pair.a], &w = t.volume[pair.b];
    a[l] = placed + v.place, b[l] = placed + w.place, radius_a[l] = v.radius, radius_b[l] = w.radius;
  }
  load_blocks(a, kPlacedNumbers[kind / 3 + 1] - 3, from), load_blocks(b, kPlacedNumbers[kind % 3 + 1] - 3, to);
  Separation<Pack> s;
  kQueries<keep, Pack>[kind](from, to, radius_a, radius_b, s);
  for (int l = 0; l < count; ++l) {
    const VolumePair& pair = t.volume_pair[entry[l]];
    if (!(s.distance[l] < result.distance[pair.pair])) continue;
    result.distance[pair.pair] = s.distance[l];
    if constexpr (keep != kKeepDistance) {
      const Vec3<Pack>&p = pair.flipped ? s.b : s.a, &q = pair.flipped ? s.a : s.b;
      const double sign = pair.flipped ? -1.0 : 1.0;
      double *points = result.points + 6 * pair.pair, *normal = result.normal + 3 * pair.pair;
      points[0] = p.x[l], points[1] = p.y[l], points[2] = p.z[l], points[3] = q.x[l], points[4] = q.y[l], points[5] = q.z[l];
      normal[0] = sign * s.normal.x[l], normal[1] = sign * s.normal.y[l], normal[2] = sign * s.normal.z[l];
    }
  }
}

// One configuration: pairs of volumes of the same kinds, one a lane. `least` has an entry for each of them, `entry` as many.
template <Keep keep>
inline void sweep_pairs(const VolumeTable& t, const double* placed, const double* given, double* least, int* entry,
                        const SweepResult<double>& result) {
  // 1. what is certainly not the nearest of its pair of segments
  for (int k = 0; k < t.pairs; ++k) result.distance[k] = 1e300;
  for (int i = 0; t.several && i < t.volume_pairs; ++i) {
    const VolumePair& pair = t.volume_pair[i];
    const Volume &a = t.volume[pair.a], &b = t.volume[pair.b];
    const double most = centre_distance(placed, a, b);
    least[i] = most - (a.reach + b.reach);
    result.distance[pair.pair] = smaller<double>(result.distance[pair.pair], most + kBoundSlack);
  }
  int left[9] = {};
  for (int kind = 0; kind < 9; ++kind) {
    for (int i = t.kind_begin[kind]; i < t.kind_begin[kind + 1]; ++i) {
      if (!t.several || least[i] <= result.distance[t.volume_pair[i].pair]) entry[t.kind_begin[kind] + left[kind]++] = i;
    }
  }
  // 2. the others
  for (int k = 0; k < t.pairs; ++k) result.distance[k] = 1e300;
  for (int kind = 0; kind < 9; ++kind) {
    for (int i = 0; i < left[kind]; i += kLanes) {
      const int count = left[kind] - i < kLanes ? left[kind] - i : kLanes;
      sweep_lanes<keep>(t, placed, entry + t.kind_begin[kind] + i, count, kind, result);
    }
  }
  for (int k = 0; k < t.pairs; ++k) {
    if (t.segment[t.pair[k].to].dense >= 0) sweep_dense(t, placed, given, k, result);
  }
}

}  // namespace tarsus::TARSUS_ISA
