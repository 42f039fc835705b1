// Volumes of a collision model in the world.
#pragma once
#include "collision/volumes.hpp"
#include "geometry/separation.hpp"
#include "kernels/kinematics/poses.hpp"

namespace tarsus::TARSUS_ISA {

// Entries of one volume in the memory of a sweep: its primitive, then the centre of the sphere around it.
constexpr size_t kPlacedNumbers[] = {0, kGeneratorNumbers<double, 1> + 3, kGeneratorNumbers<double, 2> + 3,
                                     kGeneratorNumbers<double, 3> + 3};
static_assert(kPlacedNumbers[1] == 6 && kPlacedNumbers[2] == 13 && kPlacedNumbers[3] == 33, "as in collision/build.cpp");
constexpr size_t kMostPlaced = kPlacedNumbers[3];

template <class T, int n>
TARSUS_INLINE const Generator<T, n>& primitive(const T* placed, const Volume& v) {
  return *reinterpret_cast<const Generator<T, n>*>(placed + v.place);
}
template <class T>
TARSUS_INLINE const Vec3<T>& centre_of(const T* placed, const Volume& v) {
  return *reinterpret_cast<const Vec3<T>*>(placed + v.place + kPlacedNumbers[v.vertices] - 3);
}

template <int n, class T>
TARSUS_INLINE void place_volume(const Volume& v, const Placed<T>& X, T* memory) {
  Generator<T, n>& g = *reinterpret_cast<Generator<T, n>*>(memory);
  for (int k = 0; k < n; ++k) g.vertex[k] = X.p + to_parent(X.R, widen<T>(vec3(v.vertex + 3 * k)));
  complete(g);
  *reinterpret_cast<Vec3<T>*>(memory + kGeneratorNumbers<T, n>) = X.p + to_parent(X.R, widen<T>(vec3(v.centre)));
}

// Poses of obstacles are those of the table, or `given` ones, kPoseNumbers each.
template <class T>
TARSUS_INLINE Placed<T> obstacle_pose(const VolumeTable& t, const T* given, int obstacle) {
  T x[kPoseNumbers];
  for (int k = 0; k < kPoseNumbers; ++k) {
    x[k] = given ? given[kPoseNumbers * obstacle + k] : broadcast<T>(t.obstacle_pose[kPoseNumbers * obstacle + k]);
  }
  return {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}, {x[9], x[10], x[11]}};
}

// All volumes by the poses of the nodes in ws.pose.
template <class T>
TARSUS_KERNEL void place_volumes(const VolumeTable& t, const Workspace<T>& ws, const T* given, T* placed) {
  for (int i = 0; i < t.volumes; ++i) {
    const Volume& v = t.volume[i];
    const Placed<T> X = v.node >= 0 ? ws.pose[v.node] : obstacle_pose(t, given, v.obstacle);
    switch (v.vertices) {
      case 1: place_volume<1>(v, X, placed + v.place); break;
      case 2: place_volume<2>(v, X, placed + v.place); break;
      default: place_volume<3>(v, X, placed + v.place);
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
