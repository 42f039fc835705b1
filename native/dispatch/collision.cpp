// Distances of swept spheres: of given pairs, and of the volumes of a robot and its surroundings.
#include "dispatch/collision.hpp"

#include <cstring>

#include "collision/clearance.hpp"
#include "collision/pair_gradients.hpp"
#include "dispatch/kernel.hpp"
#include "dispatch/vectors.hpp"
#include "geometry/separation.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

// One pack of rows of both sides. Triangles are seen from the first vertex, so that places far from the origin cost no digits.
template <int n, int m>
struct PackedPair {
  static constexpr bool kShifted = m == 3;
  Generator<Pack, n> a;
  Generator<Pack, m> b;
  Pack radius_a, radius_b;
  Vec3<Pack> origin;

  TARSUS_INLINE PackedPair(const PairBatch& batch, long row) {
    load_rows_of_vectors(batch.a.vertex + row * batch.a.vertex_stride, a.vertex);
    load_rows_of_vectors(batch.b.vertex + row * batch.b.vertex_stride, b.vertex);
    radius_a = load<Pack>(batch.a.radius + row * batch.a.radius_stride);
    radius_b = load<Pack>(batch.b.radius + row * batch.b.radius_stride);
    if constexpr (kShifted) {
      origin = a.vertex[0];
      for (Vec3<Pack>& v : a.vertex) v = v - origin;
      for (Vec3<Pack>& v : b.vertex) v = v - origin;
    }
    complete(a), complete(b);
  }
};

template <Keep keep, int n, int m>
TARSUS_INLINE void store_separation(const PairBatch& batch, long row, const PackedPair<n, m>& pair, Separation<Pack> s) {
  if constexpr (PackedPair<n, m>::kShifted) s.a += pair.origin, s.b += pair.origin;
  store(batch.distance + row, s.distance);
  store_vectors(batch.point_a + 3 * row, s.a), store_vectors(batch.point_b + 3 * row, s.b);
  store_vectors(batch.normal + 3 * row, s.normal);
  if constexpr (keep == kKeepParts) store(batch.parts + row, s.parts);
}

// A pack with lanes that need the careful way: once more, so that the others need nothing but registers.
template <Keep keep, int n, int m>
__attribute__((noinline)) void run_carefully(const PairBatch& batch, long row) {
  const PackedPair<n, m> pair(batch, row);
  store_separation<keep>(batch, row, pair, separation<keep>(pair.a, pair.radius_a, pair.b, pair.radius_b));
}

// Whole packs of rows.
template <Keep keep, int n, int m>
void run_packs(const PairBatch& batch, long begin, long end) {
  for (long row = begin; row < end; row += kLanes) {
    const PackedPair<n, m> pair(batch, row);
    if constexpr (keep == kKeepDistance) {
      store(batch.distance + row, signed_distance(pair.a, pair.radius_a, pair.b, pair.radius_b));
    } else {
      Bits<Pack>::type doubtful{};
      const Separation<Pack> s = quick_separation<keep>(pair.a, pair.radius_a, pair.b, pair.radius_b, doubtful);
      store_separation<keep>(batch, row, pair, s);
      if (any<Pack>(doubtful)) run_carefully<keep, n, m>(batch, row);
    }
  }
}

// A pack of rows of one side, the last one repeated.
struct SideCopy {
  double vertex[kLanes * 9], radius[kLanes];

  SideCopy(const PairSide& side, long row, long rows) {
    const size_t size = (size_t)3 * side.vertices;
    for (long l = 0; l < kLanes; ++l) {
      const long r = row + (l < rows ? l : rows - 1);
      std::memcpy(vertex + l * size, side.vertex + r * side.vertex_stride, size * sizeof(double));
      radius[l] = side.radius[r * side.radius_stride];
    }
  }
  // All of a side that repeats one row.
  PairSide repeated(const PairSide& side) const {
    return {side.vertices, side.vertex_stride ? side.vertex : vertex, side.radius_stride ? side.radius : radius,
            side.vertex_stride, side.radius_stride};
  }
  PairSide rows(int vertices) const { return {vertices, vertex, radius, (size_t)3 * vertices, 1}; }
};

template <Keep keep, int n, int m>
void run_pairs(const PairBatch& batch, long begin, long end) {
  // 1. all packs but the last one
  const long whole = (end - begin - 1) / kLanes * kLanes, last = begin + whole, rows = end - last;
  const SideCopy first_a(batch.a, begin, 1), first_b(batch.b, begin, 1);
  PairBatch inner = batch;
  inner.a = first_a.repeated(batch.a), inner.b = first_b.repeated(batch.b);
  run_packs<keep, n, m>(inner, begin, last);
  // 2. the last one, in copies
  const SideCopy a(batch.a, last, rows), b(batch.b, last, rows);
  double distance[kLanes], point_a[3 * kLanes], point_b[3 * kLanes], normal[3 * kLanes], parts[kLanes];
  run_packs<keep, n, m>({a.rows(n), b.rows(m), distance, point_a, point_b, normal, parts}, 0, kLanes);
  std::memcpy(batch.distance + last, distance, rows * sizeof(double));
  if constexpr (keep != kKeepDistance) {
    std::memcpy(batch.point_a + 3 * last, point_a, 3 * rows * sizeof(double));
    std::memcpy(batch.point_b + 3 * last, point_b, 3 * rows * sizeof(double));
    std::memcpy(batch.normal + 3 * last, normal, 3 * rows * sizeof(double));
  }
  if constexpr (keep == kKeepParts) std::memcpy(batch.parts + last, parts, rows * sizeof(double));
}

using RunPairs = void (*)(const PairBatch&, long, long);
template <Keep keep>
constexpr RunPairs kRunPairs[3][3] = {{run_pairs<keep, 1, 1>, run_pairs<keep, 1, 2>, run_pairs<keep, 1, 3>},
                                      {nullptr, run_pairs<keep, 2, 2>, run_pairs<keep, 2, 3>},
                                      {nullptr, nullptr, run_pairs<keep, 3, 3>}};

template <class T>
const VolumeTable& table_of(const Context<T>& x) {
  return static_cast<const VolumeTable&>(*static_cast<const VolumeContext<T>&>(x).volumes);
}

// Memory of a sweep: primitives in the world, points and normals of the pairs, centres of segments, and for one state what pairs
// of volumes are looked at.
template <class T>
struct SweepSpace {
  T *placed, *points, *normal, *centre;
  double* least;
  int* entry;

  SweepSpace(const VolumeTable& t, T* scratch)
      : placed(scratch), points(placed + t.placed), normal(points + 6 * (size_t)t.pairs) {
    centre = normal + 3 * (size_t)t.pairs;
    T* rest = centre + 3 * (size_t)t.segments;
    least = reinterpret_cast<double*>(rest), entry = reinterpret_cast<int*>(rest + t.volume_pairs);
  }
};

// Distances of all pairs of segments to x.out, points and normals where they are kept.
template <Keep keep, class T>
void sweep_model(const Context<T>& x, const SweepSpace<T>& s, T* points) {
  const VolumeTable& t = table_of(x);
  prepare_joints(x.model, x.ws, x.q);
  world_poses(x.model, x.ws, x.q);
  place_volumes(t, x.ws, x.drive, s.placed);
  const SweepResult<T> result{x.out + x.offset[0], keep == kKeepDistance ? nullptr : points, s.normal};
  if constexpr (lanes<T> == 1) {
    sweep_pairs<keep>(t, static_cast<const T*>(s.placed), x.drive, s.least, s.entry, result);
  } else {
    sweep_pairs<keep>(t, static_cast<const T*>(s.placed), x.drive, result);
  }
}

template <class T>
void segment_distances(const Context<T>& x, T* scratch) {
  const SweepSpace<T> s(table_of(x), scratch);
  sweep_model<kKeepDistance>(x, s, s.points);
}
template <class T>
void segment_witnesses(const Context<T>& x, T* scratch) {
  sweep_model<kKeepPoints>(x, SweepSpace<T>(table_of(x), scratch), x.out + x.offset[1]);
}
template <class T>
void segment_gradients(const Context<T>& x, T* scratch) {
  const SweepSpace<T> s(table_of(x), scratch);
  sweep_model<kKeepPoints>(x, s, s.points);
  pair_gradients(x.model, table_of(x), x.ws, static_cast<const T*>(s.points), static_cast<const T*>(s.normal),
                 x.out + x.offset[1]);
}

template <class T>
void segment_clearance(const Context<T>& x, T* scratch) {
  const VolumeTable& t = table_of(x);
  const SweepSpace<T> s(t, scratch);
  prepare_joints(x.model, x.ws, x.q);
  world_poses(x.model, x.ws, x.q);
  place_volumes(t, x.ws, x.drive, s.placed);
  Vec3<T>* centre = reinterpret_cast<Vec3<T>*>(s.centre);
  place_segments(t, x.ws, x.drive, centre);
  const Clearance<T> found = clearance(t, static_cast<const T*>(s.placed), x.drive, centre, s.points);
  x.out[x.offset[0]] = found.distance, x.out[x.offset[1]] = found.pair;
}

constexpr Row kRows[] = {
    {.operation = {.function = "segment_distances", .volumes = true, .output = {{"distance", shape(axes::segment_pairs)}}},
     .kernel = [](auto& x, auto* scratch) { segment_distances(x, scratch); }},
    {.operation = {.function = "segment_witnesses",
                   .volumes = true,
                   .output = {{"distance", shape(axes::segment_pairs)}, {"points", shape(axes::segment_pairs, 2, 3)}}},
     .kernel = [](auto& x, auto* scratch) { segment_witnesses(x, scratch); }},
    {.operation = {.function = "segment_gradients",
                   .volumes = true,
                   .output = {{"distance", shape(axes::segment_pairs)},
                              {"jacobian", shape(axes::segment_pairs, axes::nv), Reduction::kColumns, true}}},
     .kernel = [](auto& x, auto* scratch) { segment_gradients(x, scratch); }},
    {.operation = {.function = "segment_clearance", .volumes = true, .output = {{"distance", shape()}, {"pair", shape()}}},
     .kernel = [](auto& x, auto* scratch) { segment_clearance(x, scratch); }},
};

}  // namespace

Rows collision_rows() { return rows_of(kRows); }

void pair_distances(const PairBatch& batch, long begin, long end) {
  if (begin >= end) return;
  const auto& runs = !batch.point_a ? kRunPairs<kKeepDistance> : batch.parts ? kRunPairs<kKeepParts> : kRunPairs<kKeepPoints>;
  runs[batch.a.vertices - 1][batch.b.vertices - 1](batch, begin, end);
}

}  // namespace tarsus::TARSUS_ISA
