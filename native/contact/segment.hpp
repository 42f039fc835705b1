// Segments, the edges of bodies, against boxes. Ends of a segment touch as points; here are the places where it crosses an edge
// of the box, the one between the face that it passes through and the face that pushes. Depth and direction are those of the
// shortest way between the two lines: perpendicular to both, so that a spring of this depth stores exactly what its force takes.
//
// What passes through what is asked of a box that is wider by the gap where the segment is outside, so that crossings are known
// before they touch.
#pragma once
#include "contact/contact.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kOwnEnd = 1e-9;       // part of the segment up to which a place on it is its own end
constexpr double kLeastSlope = 1e-12;  // [m] along an axis of the box, below which a segment is parallel to its faces
constexpr double kTouching = 1e-9;     // [m] by which the wider box is wider than the gap
constexpr double kMostLean =
    0.5;  // sine of the angle by which the normal at an edge may lean from the face that pushes into the box

// A face of the box, seen by the segment start + t along: it is depth - t rise below it.
template <class T>
struct Face {
  T depth, rise;
  Vec3<T> normal;  // out of the box, box axes
};
template <class T>
TARSUS_INLINE Face<T> select_face(typename Bits<T>::type mask, const Face<T>& a, const Face<T>& b) {
  return {select<T>(mask, a.depth, b.depth), select<T>(mask, a.rise, b.rise), select3<T>(mask, a.normal, b.normal)};
}

// A segment in the axes of a box, and where it passes the planes of the faces: in - m slow and out + m slow for planes that are
// further out by m.
template <class T>
struct CrossingTimes {
  T from[3], way[3], in[3], out[3], slow[3];
};
template <class T>
TARSUS_INLINE CrossingTimes<T> crossing_times(const Surface& s, const Vec3<T>& start, const Vec3<T>& along) {
  CrossingTimes<T> r{{start.x, start.y, start.z}, {along.x, along.y, along.z}, {}, {}, {}};
  const T zero = broadcast<T>(0.0), least = broadcast<T>(kLeastSlope);
  for (int x = 0; x < 3; ++x) {
    r.slow[x] = 1.0 / larger<T>(magnitude<T>(r.way[x]), least);
    const T at = select<T>(less<T>(r.way[x], zero), r.from[x], -r.from[x]);
    r.in[x] = (at - s.half[x]) * r.slow[x], r.out[x] = (at + s.half[x]) * r.slow[x];
  }
  return r;
}

// Distance of the segment from the box, along the axis along which it is largest; below 0 inside. For planes that are further out
// by as much, it comes in through every pair of faces before it goes out of another one.
template <class T>
TARSUS_INLINE T gap_of(const CrossingTimes<T>& c) {
  T gap = broadcast<T>(-1e300);
  for (int x = 0; x < 3; ++x) {
    gap = larger<T>(gap, larger<T>(c.in[x] - 1.0, -c.out[x]) / c.slow[x]);
    for (int y = 0; y < 3; ++y) gap = larger<T>(gap, (c.in[x] - c.out[y]) / (c.slow[x] + c.slow[y]));
  }
  return gap;
}

// The part low < t < high of the segment inside the wider box (Liang and Barsky 1984), and the faces of interest.
template <class T>
struct ClippedSegment {
  using Mask = typename Bits<T>::type;
  T low, high;
  Face<T> near[3];         // of each axis, the face that the middle of the part inside is nearer to
  Face<T> entry, exit;     // through which it comes in and goes out
  Face<T> before, beyond;  // whose planes it passes before that and after that, of the other axes
  Mask through[3];         // the axes of these two faces
  Mask enters, leaves;     // whether it does: otherwise the own end is inside
};
template <class T>
TARSUS_INLINE ClippedSegment<T> clip_segment(const Surface& s, const CrossingTimes<T>& c, const T& margin) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  ClippedSegment<T> part;
  part.low = zero, part.high = one;
  // 1. where it comes in and goes out; the last axis counts
  typename Bits<T>::type comes[3], goes[3];
  for (int x = 0; x < 3; ++x) {
    const T in = c.in[x] - margin * c.slow[x], out = c.out[x] + margin * c.slow[x];
    comes[x] = less<T>(part.low, in), goes[x] = less<T>(out, part.high);
    part.low = larger<T>(part.low, in), part.high = smaller<T>(part.high, out);
  }
  part.enters = less<T>(broadcast<T>(kOwnEnd), part.low), part.leaves = less<T>(part.high, broadcast<T>(1 - kOwnEnd));
  comes[1] = comes[1] & ~comes[2], comes[0] = comes[0] & ~comes[1] & ~comes[2];
  goes[1] = goes[1] & ~goes[2], goes[0] = goes[0] & ~goes[1] & ~goes[2];
  // 2. the faces
  const T middle = 0.5 * (part.low + part.high), never = broadcast<T>(1e300);
  T latest = -never, soonest = never;
  for (int x = 0; x < 3; ++x) {
    const T ahead = select<T>(less<T>(c.way[x], zero), -one, one);
    const T nearer = select<T>(less<T>(c.from[x] + middle * c.way[x], zero), -one, one);
    const auto face = [&](const T& side) TARSUS_LAMBDA {
      const Vec3<T> normal{x == 0 ? side : zero, x == 1 ? side : zero, x == 2 ? side : zero};
      return Face<T>{s.half[x] - side * c.from[x], side * c.way[x], normal};
    };
    const Face<T> back = face(-ahead), front = face(ahead);
    part.near[x] = face(nearer);
    part.entry = x == 0 ? back : select_face<T>(comes[x], back, part.entry);
    part.exit = x == 0 ? front : select_face<T>(goes[x], front, part.exit);
    part.through[x] = (part.enters & comes[x]) | (part.leaves & goes[x]);
    const T in = select<T>(comes[x], -never, c.in[x]), out = select<T>(goes[x], never, c.out[x]);
    part.before = x == 0 ? back : select_face<T>(less<T>(latest, in), back, part.before);
    part.beyond = x == 0 ? front : select_face<T>(less<T>(out, soonest), front, part.beyond);
    latest = larger<T>(latest, in), soonest = smaller<T>(soonest, out);
  }
  return part;
}

// The face that pushes: of those that the segment does not pass through, nor their opposites, the one nearest to the middle of
// the part inside.
template <class T>
TARSUS_INLINE Face<T> pushing_face(const ClippedSegment<T>& part) {
  const T middle = 0.5 * (part.low + part.high), none = broadcast<T>(1e300);
  Face<T> best = part.near[0];
  T least = select<T>(part.through[0], none, best.depth - middle * best.rise);
  for (int x = 1; x < 3; ++x) {
    const T below = select<T>(part.through[x], none, part.near[x].depth - middle * part.near[x].rise);
    const auto nearer = less<T>(below, least);
    best = select_face<T>(nearer, part.near[x], best), least = smaller<T>(least, below);
  }
  return best;
}

// Where a segment crosses the edge between two faces.
template <class T>
struct Crossing {
  typename Bits<T>::type meets;  // whether it does: not where the nearest places are beyond an end
  T depth;                       // of the segment's line below that of the edge, along the normal
  T at;                          // place on the segment that is nearest to the edge, 0 <= t <= 1
  Vec3<T> normal;                // perpendicular to both, box axes
};
template <class T>
TARSUS_INLINE Crossing<T> select_crossing(typename Bits<T>::type mask, const Crossing<T>& a, const Crossing<T>& b) {
  return {(mask & a.meets) | (~mask & b.meets), select<T>(mask, a.depth, b.depth), select<T>(mask, a.at, b.at),
          select3<T>(mask, a.normal, b.normal)};
}
template <class T>
TARSUS_INLINE Crossing<T> cross_edge(const Surface& s, const CrossingTimes<T>& c, const Face<T>& through, const Face<T>& other) {
  const T zero = broadcast<T>(0.0), least = broadcast<T>(kLeastSlope * kLeastSlope);
  const T square = larger<T>(through.rise * through.rise + other.rise * other.rise, least), scale = 1.0 / sqrt_of<T>(square);
  const T a = scale * select<T>(less<T>(through.rise, zero), other.rise, -other.rise), b = scale * magnitude<T>(through.rise);
  const T at = (through.depth * through.rise + other.depth * other.rise) / square;
  const Vec3<T> across = cross(through.normal, other.normal);
  const Vec3<T> place{c.from[0] + at * c.way[0], c.from[1] + at * c.way[1], c.from[2] + at * c.way[2]};
  const T half = magnitude<T>(across.x) * s.half[0] + magnitude<T>(across.y) * s.half[1] + magnitude<T>(across.z) * s.half[2];
  const auto meets = less<T>(broadcast<T>(kOwnEnd), at) & less<T>(at, broadcast<T>(1 - kOwnEnd)) &
                     less<T>(magnitude<T>(dot(place, across)), half) & less<T>(broadcast<T>(-kMostLean), a);
  return {meets, a * through.depth + b * other.depth, at, a * through.normal + b * other.normal};
}

// Both crossings of a segment with a box: where it comes in and where it goes out. A segment that cuts off a corner of the box's
// outline crosses one edge, if it is pushed out sooner that way. One that ends inside does not cross where its end comes out
// sooner. Where nothing is crossed, there may be an edge which the segment is about to cross.
template <class T>
TARSUS_INLINE void cross_edges(const Surface& s, const CrossingTimes<T>& c, const ClippedSegment<T>& part, Crossing<T>* pair) {
  const T zero = broadcast<T>(0.0), none = broadcast<T>(kNoContact);
  const Face<T> push = pushing_face(part);
  pair[0] = cross_edge(s, c, part.entry, push);
  pair[1] = cross_edge(s, c, part.exit, push);
  // 1. ends inside
  const auto both = part.enters & part.leaves;
  pair[0].meets = pair[0].meets & part.enters & (both | less<T>(pair[0].depth, part.entry.depth - part.entry.rise));
  pair[1].meets = pair[1].meets & part.leaves & (both | less<T>(pair[1].depth, part.exit.depth));
  // 2. a corner of the outline: through the steeper one of two faces, pushed by the flatter one
  const auto steep = less<T>(magnitude<T>(part.exit.rise), magnitude<T>(part.entry.rise));
  const Crossing<T> corner =
      cross_edge(s, c, select_face<T>(steep, part.entry, part.exit), select_face<T>(steep, part.exit, part.entry));
  const T deepest = larger<T>(select<T>(pair[0].meets, pair[0].depth, none), select<T>(pair[1].meets, pair[1].depth, none));
  const auto adjacent = both & less<T>(magnitude<T>(dot(part.entry.normal, part.exit.normal)), broadcast<T>(0.5));
  const auto sooner = adjacent & corner.meets & (~(pair[0].meets | pair[1].meets) | less<T>(corner.depth, deepest));
  pair[0] = select_crossing<T>(sooner & steep, corner, pair[0]), pair[1] = select_crossing<T>(sooner & ~steep, corner, pair[1]);
  pair[0].meets = pair[0].meets & ~(sooner & ~steep), pair[1].meets = pair[1].meets & ~(sooner & steep);
  // 3. edges that are not reached yet
  const Crossing<T> before = cross_edge(s, c, part.before, part.entry);
  const Crossing<T> beyond = cross_edge(s, c, part.beyond, part.exit);
  pair[0] = select_crossing<T>(~pair[0].meets & part.enters & before.meets & less<T>(before.depth, zero), before, pair[0]);
  pair[1] = select_crossing<T>(~pair[1].meets & part.leaves & beyond.meets & less<T>(beyond.depth, zero), beyond, pair[1]);
}

// Both contacts of a segment, each with the box in which it is deepest.
template <class T>
inline void touch_segment(const World& w, const Workspace<T>& ws, const Vec3<T>* speed, const Vec3<T>* displacement, const T* off,
                          const Feature& f, Contact<T>* pair) {
  const Placed<T>& X = ws.pose[f.node];
  const Vec3<double> a = vec3(f.a), along = vec3(f.b) - a;
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), none = broadcast<T>(kNoContact), radius = broadcast<T>(f.radius);
  // 1. no box touches as yet
  for (int e = 0; e < 2; ++e) {
    pair[e].node = f.node;
    pair[e].arm = widen<T>(e == 0 ? a : vec3(f.b)), pair[e].normal = {zero, zero, one};
    pair[e].depth = none;
    pair[e].law = law_of<T>(w, 0), pair[e].laws = 1u << w.surface[0].law;
  }
  for (int k = 0; k < w.surfaces; ++k) {
    const Surface& s = w.surface[k];
    if (s.kind != kBox) continue;
    // 2. where the segment crosses edges of this box
    const auto R = axes_of(s);
    const Vec3<T> start = to_child(R, X.p + to_parent(X.R, widen<T>(a)) - vec3(s.position));
    const CrossingTimes<T> times = crossing_times(s, start, to_child(R, to_parent(X.R, widen<T>(along))));
    const T gap = gap_of(times);
    const auto reached = less<T>(gap, kNear + radius);
    if (!any<T>(reached)) continue;
    const T margin = select<T>(less<T>(zero, gap), gap + kTouching, zero);
    Crossing<T> crossing[2];
    cross_edges(s, times, clip_segment(s, times, margin), crossing);
    // 3. what is deeper than in the boxes before
    for (int e = 0; e < 2; ++e) {
      Contact<T>& c = pair[e];
      const auto possible = less<T>(gap, zero) | less<T>(crossing[e].depth, zero);  // outside is not below
      const T deep = select<T>(reached & crossing[e].meets & possible, crossing[e].depth + radius, none);
      const auto better = less<T>(c.depth, deep);
      if (!any<T>(better)) continue;
      c.depth = select<T>(better, deep, c.depth);
      c.normal = select3<T>(better, to_parent(R, crossing[e].normal), c.normal);
      c.arm = select3<T>(better, a + crossing[e].at * along, c.arm);
      touch_surface<T>(w, k, better, c);
    }
  }
  // 4. where they are and how they move
  for (int e = 0; e < 2; ++e) {
    if (off) switch_off(off[e], pair[e]);
    pair[e].near = matters(pair[e].depth, displacement[e]);
    if (pair[e].near) place_contact(w, ws, speed, radius, pair[e]);
  }
}

}  // namespace tarsus::TARSUS_ISA
