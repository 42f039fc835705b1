// Everything below a field of heights, which has no end downwards: spheres around the surface do not bound how deep things are in
// it.
#pragma once
#include "collision/placed_volumes.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kBoundSlack =
    1e-9;  // [m] by which bounds must be passed: what is left out never depends on rounding or on neighbours

// Whether something within a sphere may be below the surface of the segment `to`, in any lane: no bound by spheres holds then.
// Never for segments that are no fields.
template <class T>
inline bool may_be_below(const VolumeTable& t, const T* given, const Segment& to, const Vec3<T>& centre, const T& reach) {
  if (to.dense < 0 || t.dense[to.dense].solid != kFieldSolid) return false;
  const DenseSegment& d = t.dense[to.dense];
  const Placed<T> X = obstacle_pose(t, given, to.obstacle);
  const Vec3<T> p = to_child(X.R, Vec3<T>(centre - X.p));
  const T zero = broadcast<T>(0.0), most = reach + kBoundSlack;
  const T x = larger<T>(zero, larger<T>(-p.x, p.x - (d.columns - 1) * d.spacing));
  const T y = larger<T>(zero, larger<T>(-p.y, p.y - (d.rows - 1) * d.spacing));
  const T z = larger<T>(zero, p.z - d.box[11]);  // above its highest point
  return any<T>(~less<T>(most * most, x * x + y * y + z * z));
}

}  // namespace tarsus::TARSUS_ISA
