// A node as the kernels see it: rotation and position of the child in its parent, and the directions it can move in.
// One visitor turns the arm of a node into a View; a new kind of joint is one more arm here.
#pragma once
#include "math/rotation.hpp"
#include "model/model.hpp"

namespace tarsus::TARSUS_ISA {

// Constants of a node over C: double, or a pack with one limb a lane.
template <class C>
struct Constants {
  Vec3<C> e0, e1, e2, p, first;
  Sym3<C> second, inertia;
  C mass, sign, pitch, armature;
};

// Read in place: a copy would be spilled to the stack at every visit.
TARSUS_INLINE const Constants<double>& constants(const Node& n) {
  static_assert(offsetof(Node, armature) - offsetof(Node, e0) == sizeof(Constants<double>) - sizeof(double));
  return *reinterpret_cast<const Constants<double>*>(n.e0);
}

// Pose of a child in its parent, for joints with a rotation of their own.
template <class T>
struct Placed {
  Mat3<T> R;
  Vec3<T> p;
};

// What a node's coordinates amount to: sine and cosine of its angle (sign included) and the angle or length itself.
template <class T>
struct JointValue {
  T s, c, x;
  const Placed<T>* placed;
};

template <int kArm, class Rotation, class P, class C>
struct View {
  static constexpr int arm = kArm;
  static constexpr bool cyclic = kArm == kTurn0 || kArm == kTurn1 || kArm == kTurn2;  // a Turn<T, arm - kTurn0>
  static constexpr bool turns = cyclic || kArm == kTurnGeneral;
  static constexpr bool single = turns || kArm == kSlide || kArm == kScrew;
  static constexpr int dof = single ? 1 : kArm == kFloat ? 6 : 3;
  Rotation R;
  Vec3<P> p;
  C pitch;
};

// Joints other than turning ones are visited out of line, which leaves the registers of a kernel's loop to the common case.
template <class T, class C, class F>
__attribute__((noinline)) void visit_rare(int arm, const Constants<C>& n, const JointValue<T>& j, F& f) {
  switch (arm) {
    case kSlide: f(View<kSlide, Columns<C, C>, T, C>{{n.e0, n.e1, n.e2}, n.p + j.x * n.e2, {}}); break;
    case kScrew:
      f(View<kScrew, Columns<T, C>, T, C>{
          {j.c * n.e0 + j.s * n.e1, j.c * n.e1 - j.s * n.e0, n.e2}, n.p + (n.pitch * j.x) * n.e2, n.pitch});
      break;
    case kBall: f(View<kBall, Mat3<T>, C, C>{j.placed->R, n.p, {}}); break;
    case kPlane: f(View<kPlane, Mat3<T>, T, C>{j.placed->R, j.placed->p, {}}); break;
    case kFloat: f(View<kFloat, Mat3<T>, T, C>{j.placed->R, j.placed->p, {}}); break;
    default: break;
  }
}

template <class T, class C, class F>
TARSUS_INLINE void visit(int arm, const Constants<C>& n, const JointValue<T>& j, F f) {
  switch (arm) {
    case kTurn0: f(View<kTurn0, Turn<T, 0>, C, C>{{j.s, j.c}, n.p, {}}); break;
    case kTurn1: f(View<kTurn1, Turn<T, 1>, C, C>{{j.s, j.c}, n.p, {}}); break;
    case kTurn2: f(View<kTurn2, Turn<T, 2>, C, C>{{j.s, j.c}, n.p, {}}); break;
    case kTurnGeneral:
      f(View<kTurnGeneral, Columns<T, C>, C, C>{{j.c * n.e0 + j.s * n.e1, j.c * n.e1 - j.s * n.e0, n.e2}, n.p, {}});
      break;
    default: visit_rare(arm, n, j, f);
  }
}

// Entries of a joint's velocity along the axes of its node: the sign of reversed axes applied.
template <class V, class T, class C>
TARSUS_INLINE void orient(const C& sign, T* x) {
  if constexpr (V::turns || V::arm == kScrew) x[0] = sign * x[0];
  if constexpr (V::arm == kPlane) x[2] = sign * x[2];
}

// Calls f<axis>(k) for the k-th degree of freedom, where axis 0..2 is a translation and 3..5 a rotation about x, y, z.
template <class V, class F>
TARSUS_INLINE void for_axes(F f) {
  if constexpr (V::turns || V::arm == kScrew) f.template operator()<5>(0);
  if constexpr (V::arm == kSlide) f.template operator()<2>(0);
  if constexpr (V::arm == kBall) {
    f.template operator()<3>(0), f.template operator()<4>(1), f.template operator()<5>(2);
  }
  if constexpr (V::arm == kPlane) {
    f.template operator()<0>(0), f.template operator()<1>(1), f.template operator()<5>(2);
  }
  if constexpr (V::arm == kFloat) {
    f.template operator()<0>(0), f.template operator()<1>(1), f.template operator()<2>(2);
    f.template operator()<3>(3), f.template operator()<4>(4), f.template operator()<5>(5);
  }
}
template <class V, class F>
TARSUS_INLINE void for_axes_reversed(F f) {
  if constexpr (V::dof == 1) {
    for_axes<V>(f);
  } else if constexpr (V::arm == kBall) {
    f.template operator()<5>(2), f.template operator()<4>(1), f.template operator()<3>(0);
  } else if constexpr (V::arm == kPlane) {
    f.template operator()<5>(2), f.template operator()<1>(1), f.template operator()<0>(0);
  } else {
    f.template operator()<5>(5), f.template operator()<4>(4), f.template operator()<3>(3);
    f.template operator()<2>(2), f.template operator()<1>(1), f.template operator()<0>(0);
  }
}

template <int axis, class T>
TARSUS_INLINE T& component(Vec3<T>& linear, Vec3<T>& angular) {
  if constexpr (axis == 0) return linear.x;
  if constexpr (axis == 1) return linear.y;
  if constexpr (axis == 2) return linear.z;
  if constexpr (axis == 3) return angular.x;
  if constexpr (axis == 4) return angular.y;
  if constexpr (axis == 5) return angular.z;
}
template <int axis, class T>
TARSUS_INLINE const T& component(const Vec3<T>& linear, const Vec3<T>& angular) {
  return component<axis>(const_cast<Vec3<T>&>(linear), const_cast<Vec3<T>&>(angular));
}

}  // namespace tarsus::TARSUS_ISA
