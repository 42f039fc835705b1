// Segments, the edges of bodies, against boxes: both ends of the part inside a box touch, unless they are the segment's own ends,
// which are points, or lie in the face that pushes, where rounding alone would decide.
#pragma once
#include "contact/contact.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kInFace = 1e-10;      // depth [m] up to which the end of a clipped segment counts as in the face
constexpr double kOwnEnd = 1e-9;       // part of the segment up to which a clipped end is the segment's own
constexpr double kLeastSlope = 1e-12;  // [m] along an axis of the box, below which a segment is parallel to its faces
constexpr double kNoContact = -1.0;    // depth [m] of ends that do not touch

// A segment start + t along, 0 <= t <= 1, in the axes of a box that is wider by the radius, and the part low < t < high inside.
template <class T>
struct ClippedSegment {
  Vec3<T> start, along;
  T low, high;
};

// Clips the segment by one pair of parallel faces after the other (Liang and Barsky 1984).
template <class T>
TARSUS_INLINE ClippedSegment<T> clip_segment(const Surface& s, const Vec3<T>& start, const Vec3<T>& along, const T& radius) {
  const T from[3] = {start.x, start.y, start.z}, way[3] = {along.x, along.y, along.z};
  T low = broadcast<T>(0.0), high = broadcast<T>(1.0);
  for (int x = 0; x < 3; ++x) {
    const T half = s.half[x] + radius, least = broadcast<T>(kLeastSlope);
    const T safe = select<T>(less<T>(magnitude<T>(way[x]), least), least, way[x]);
    const T t0 = (-half - from[x]) / safe, t1 = (half - from[x]) / safe;
    low = larger<T>(low, smaller<T>(t0, t1)), high = smaller<T>(high, larger<T>(t0, t1));
  }
  return {start, along, low, high};
}

// The face of the box that pushes: the one nearest to the middle of the part inside.
template <class T>
struct Face {
  Vec3<T> normal;  // box axes
  T half;          // from the centre of the box
};
template <class T>
TARSUS_INLINE Face<T> nearest_face(const Surface& s, const ClippedSegment<T>& part, const T& radius) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), middle = 0.5 * (part.low + part.high);
  const T from[3] = {part.start.x, part.start.y, part.start.z}, way[3] = {part.along.x, part.along.y, part.along.z};
  T depth[3], side[3];
  for (int x = 0; x < 3; ++x) {
    const T at = from[x] + middle * way[x];
    side[x] = select<T>(less<T>(at, zero), -one, one);
    depth[x] = s.half[x] + radius - side[x] * at;
  }
  const auto y_first = less<T>(depth[1], depth[0]);
  const auto z_first = less<T>(depth[2], smaller<T>(depth[0], depth[1]));
  return {select3<T>(z_first, {zero, zero, side[2]}, select3<T>(y_first, {zero, side[1], zero}, {side[0], zero, zero})),
          select<T>(z_first, broadcast<T>(s.half[2]), select<T>(y_first, broadcast<T>(s.half[1]), broadcast<T>(s.half[0])))};
}

// Both contacts of a segment, each with the box in which its end is deepest.
template <class T>
inline void touch_segment(const World& w, const Workspace<T>& ws, const Vec3<T>* speed, const Vec3<T>* displacement,
                          const Feature& f, Contact<T>* pair) {
  const Placed<T>& X = ws.pose[f.node];
  const Vec3<double> a = vec3(f.a), along = vec3(f.b) - a;
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0), none = broadcast<T>(kNoContact), radius = broadcast<T>(f.radius);
  // 1. no box touches as yet
  for (int e = 0; e < 2; ++e) {
    pair[e].node = f.node;
    pair[e].arm = widen<T>(e == 0 ? a : vec3(f.b)), pair[e].normal = {zero, zero, one};
    pair[e].depth = none;
    pair[e].law = law_of<T>(w.surface[0]), pair[e].laws = 1u << w.surface[0].law;
  }
  for (int k = 0; k < w.surfaces; ++k) {
    const Surface& s = w.surface[k];
    if (s.kind != kBox) continue;
    // 2. the part of the segment inside this box, and the face that pushes
    const auto R = axes_of(s);
    const Vec3<T> start = to_child(R, X.p + to_parent(X.R, widen<T>(a)) - vec3(s.position));
    const ClippedSegment<T> part = clip_segment(s, start, to_child(R, to_parent(X.R, widen<T>(along))), radius);
    const auto inside = less<T>(part.low, part.high);
    if (!any<T>(inside)) continue;
    const Face<T> face = nearest_face(s, part, radius);
    const Vec3<T> normal = to_parent(R, face.normal);
    // 3. the ends of that part, where they are deeper than in the boxes before
    for (int e = 0; e < 2; ++e) {
      const T t = e == 0 ? part.low : part.high;
      const auto own_end = e == 0 ? less<T>(t, broadcast<T>(kOwnEnd)) : less<T>(broadcast<T>(1 - kOwnEnd), t);
      const T below = face.half + radius - dot(face.normal, part.start + t * part.along);
      const T deep = select<T>(own_end | less<T>(below, broadcast<T>(kInFace)), none, below);
      Contact<T>& c = pair[e];
      const auto better = less<T>(c.depth, select<T>(inside, deep, none));
      if (!any<T>(better)) continue;
      c.depth = select<T>(better, deep, c.depth);
      c.normal = select3<T>(better, normal, c.normal);
      c.arm = select3<T>(better, a + t * along, c.arm);
      touch_surface<T>(s, better, c);
    }
  }
  // 4. where they are and how they move
  for (int e = 0; e < 2; ++e) {
    pair[e].near = matters(pair[e].depth, displacement[e]);
    if (pair[e].near) place_contact(ws, speed, radius, pair[e]);
  }
}

}  // namespace tarsus::TARSUS_ISA
