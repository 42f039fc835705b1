// A node as the kernels see it: rotation and position of the child in its parent, and the directions it can move in.
// One visitor turns the arm of a node into a View. What a View can do follows from the arm's row in model/joint_table.hpp.
#pragma once
#include <utility>

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

// Mass properties of the body behind a node, about the node's origin in node axes: the part of the constants that may differ from
// robot to robot of a batch, over packs with one robot a lane.
template <class T>
struct BodyInertia {
  Vec3<T> first;
  Sym3<T> second, inertia;
  T mass;
};
static_assert(sizeof(BodyInertia<double>) == kBodyNumbers * sizeof(double));

// Read in place: a copy would be spilled to the stack at every visit.
TARSUS_INLINE const Constants<double>& constants(const Node& n) {
  static_assert(offsetof(Node, armature) - offsetof(Node, e0) == sizeof(Constants<double>) - sizeof(double));
  static_assert(offsetof(Node, mass) - offsetof(Node, first) == sizeof(BodyInertia<double>) - sizeof(double));
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

template <int kArmNumber, class Rotation, class P, class C>
struct View {
  static constexpr int arm = kArmNumber;
  static constexpr ArmFacts facts = kArm[arm];
  static constexpr int dof = facts.dof;
  static constexpr bool single = dof == 1;
  static constexpr bool turns = is_turn(arm);                   // about z, and nothing else
  static constexpr bool cyclic = is_cyclic(arm);                // a Turn<T, arm - kTurn0>
  static constexpr bool screws = facts.angle && facts.advance;  // about z and, by `pitch`, along it
  Rotation R;
  Vec3<P> p;
  C pitch;
};

// An arm where nothing but its degrees of freedom is asked for.
template <int kArmNumber>
struct ArmOnly {
  static constexpr ArmFacts facts = kArm[kArmNumber];
  static constexpr int dof = facts.dof;
};

// A node of a given arm at its coordinates.
template <int arm, class T, class C>
TARSUS_INLINE auto view_of(const Constants<C>& n, const JointValue<T>& j) {
  if constexpr (is_placed(arm)) {
    if constexpr (kArm[arm].translations == 0) {
      return View<arm, Mat3<T>, C, C>{j.placed->R, n.p, {}};
    } else {
      return View<arm, Mat3<T>, T, C>{j.placed->R, j.placed->p, {}};
    }
  } else if constexpr (is_cyclic(arm)) {
    return View<arm, Turn<T, arm - kTurn0>, C, C>{{j.s, j.c}, n.p, {}};
  } else if constexpr (!kArm[arm].angle) {
    return View<arm, Columns<C, C>, T, C>{{n.e0, n.e1, n.e2}, n.p + j.x * n.e2, {}};
  } else {
    const Columns<T, C> R{j.c * n.e0 + j.s * n.e1, j.c * n.e1 - j.s * n.e0, n.e2};
    if constexpr (kArm[arm].advance) {
      return View<arm, Columns<T, C>, T, C>{R, n.p + (n.pitch * j.x) * n.e2, n.pitch};
    } else {
      return View<arm, Columns<T, C>, C, C>{R, n.p, {}};
    }
  }
}

// Calls f<arm>() for the arm of a node; nothing for the root. Long steps take joints other than turning ones out of line, which
// leaves the registers of a kernel's loop to the common case.
template <class F>
TARSUS_INLINE bool with_turn(int arm, F& f) {  // false for other arms
  switch (arm) {
    case kTurn0: f.template operator()<kTurn0>(); return true;
    case kTurn1: f.template operator()<kTurn1>(); return true;
    case kTurn2: f.template operator()<kTurn2>(); return true;
    case kTurnGeneral: f.template operator()<kTurnGeneral>(); return true;
    default: return false;
  }
}
template <class F>
TARSUS_INLINE void with_rare_arm(int arm, F& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) TARSUS_LAMBDA {
    (void)((arm == kFirstRare + k && (f.template operator()<kFirstRare + k>(), true)) || ...);
  }(std::make_integer_sequence<int, kArms - kFirstRare>{});
}
// All arms in line, for steps of a few operations.
template <class F>
TARSUS_INLINE void with_arm(int arm, F f) {
  if (!with_turn(arm, f)) with_rare_arm(arm, f);
}
// Those of one-axis joints.
template <class F>
TARSUS_INLINE void with_one_axis_arm(int arm, F f) {
  auto one_axis = [&]<int number>() TARSUS_LAMBDA {
    if constexpr (kArm[number].dof == 1) f.template operator()<number>();
  };
  with_arm(arm, one_axis);
}

// Entries of a joint's velocity along the axes of its node: the sign of reversed axes applied.
template <class V, class T, class C>
TARSUS_INLINE void orient(const C& sign, T* x) {
  if constexpr (V::facts.signed_dof >= 0) x[V::facts.signed_dof] = sign * x[V::facts.signed_dof];
}

// Calls f<axis>(k) for the k-th degree of freedom (Axis in model/joint_table.hpp).
template <class V, class F>
TARSUS_INLINE void for_axes(F f) {
  [&]<int... k>(std::integer_sequence<int, k...>)
      TARSUS_LAMBDA { (f.template operator()<V::facts.axis[k]>(k), ...); }(std::make_integer_sequence<int, V::dof>{});
}
template <class V, class F>
TARSUS_INLINE void for_axes_reversed(F f) {
  [&]<int... k>(std::integer_sequence<int, k...>) TARSUS_LAMBDA {
    (f.template operator()<V::facts.axis[V::dof - 1 - k]>(V::dof - 1 - k), ...);
  }(std::make_integer_sequence<int, V::dof>{});
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

// Adds x times the unit twist of a degree of freedom to a twist, or to an acceleration.
template <int axis, class V, class T>
TARSUS_INLINE void add_along(const V& J, const T& x, Vec3<T>& linear, Vec3<T>& angular) {
  component<axis>(linear, angular) = component<axis>(linear, angular) + x;
  if constexpr (V::screws) linear.z = linear.z + J.pitch * x;
}

// Power of a force and a moment on the unit twist of a degree of freedom.
template <int axis, class V, class T>
TARSUS_INLINE T power_along(const V& J, const Vec3<T>& force, const Vec3<T>& moment) {
  if constexpr (V::screws) return component<axis>(force, moment) + J.pitch * force.z;
  return component<axis>(force, moment);
}

}  // namespace tarsus::TARSUS_ISA
