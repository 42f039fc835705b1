// Distance of points to the solids of a world, with the direction out of the nearest one.
#pragma once
#include "contact/height_field.hpp"
#include "contact/triangle_mesh.hpp"
#include "math/comparison.hpp"
#include "math/rotation.hpp"

namespace tarsus::TARSUS_ISA {

// Signed distance (negative inside) and unit normal out of the solid, world axes.
template <class T>
struct Distance {
  T gap;
  Vec3<T> normal;
};

TARSUS_INLINE Columns<double, double> axes_of(const Surface& s) {
  return {vec3(s.rotation), vec3(s.rotation + 3), vec3(s.rotation + 6)};
}

template <class T>
TARSUS_INLINE Distance<T> distance_to_half_space(const Surface& s, const Vec3<T>& p) {
  const Vec3<double> n = vec3(s.rotation + 6);
  return {dot(p - vec3(s.position), n), widen<T>(n)};
}

// Outside, the direction to the nearest point of the box; inside, out of the nearest face.
template <class T>
inline Distance<T> distance_to_box(const Surface& s, const Vec3<T>& p) {
  const auto R = axes_of(s);
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const Vec3<T> l = to_child(R, p - vec3(s.position));
  const Vec3<T> side{select<T>(less<T>(l.x, zero), -one, one), select<T>(less<T>(l.y, zero), -one, one),
                     select<T>(less<T>(l.z, zero), -one, one)};
  const Vec3<T> d{side.x * l.x - s.half[0], side.y * l.y - s.half[1], side.z * l.z - s.half[2]};
  const Vec3<T> out{larger<T>(d.x, zero), larger<T>(d.y, zero), larger<T>(d.z, zero)};
  const T reach = length(out), scale = 1.0 / larger<T>(reach, broadcast<T>(1e-300));
  const auto z_first = less<T>(larger<T>(d.x, d.y), d.z), y_first = less<T>(d.x, d.y);
  const Vec3<T> face = select3<T>(z_first, {zero, zero, side.z}, select3<T>(y_first, {zero, side.y, zero}, {side.x, zero, zero}));
  const auto outside = less<T>(zero, reach);
  const Vec3<T> away{scale * side.x * out.x, scale * side.y * out.y, scale * side.z * out.z};
  return {select<T>(outside, reach, larger<T>(larger<T>(d.x, d.y), d.z)), to_parent(R, select3<T>(outside, away, face))};
}

// Solids that are asked lane by lane.
template <class T>
inline Distance<T> distance_to_uneven(const Surface& s, const Vec3<T>& p, const T& reach) {
  const auto R = axes_of(s);
  const Vec3<T> l = to_child(R, p - vec3(s.position));
  T gap = l.z;
  Vec3<T> normal = zero3<T>();
  for (int k = 0; k < lanes<T>; ++k) {
    auto take = [&](const auto& d) {
      set_lane(gap, k, d.gap);
      set_lane(normal.x, k, d.normal[0]), set_lane(normal.y, k, d.normal[1]), set_lane(normal.z, k, d.normal[2]);
    };
    const double x = lane(l.x, k), y = lane(l.y, k), z = lane(l.z, k), most = lane(reach, k);
    if (s.kind == kHeightField) {
      take(distance_to_field(s, x, y, z, most));
    } else {
      take(distance_to_mesh(s, x, y, z, most));
    }
  }
  return {gap, to_parent(R, normal)};
}

// Up to `reach` away; what is further away than that may be told to be at any distance beyond it.
template <class T>
TARSUS_INLINE Distance<T> distance_to(const Surface& s, const Vec3<T>& p, const T& reach) {
  if (s.kind == kHalfSpace) return distance_to_half_space(s, p);
  return s.kind == kBox ? distance_to_box(s, p) : distance_to_uneven(s, p, reach);
}

}  // namespace tarsus::TARSUS_ISA
