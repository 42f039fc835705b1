// Joint coordinates turned into rotations, once per state.
#pragma once
#include <type_traits>

#include "kernels/workspace.hpp"
#include "math/sincos.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE Vec3<T> place(const Node& n, const Vec3<T>& x) {  // E x
  return x.x * vec3(n.e0) + x.y * vec3(n.e1) + x.z * vec3(n.e2);
}

// Pose in its parent of a joint with a rotation of its own.
template <class T>
TARSUS_INLINE Placed<T> place_joint(const Node& n, const T* q) {
  const Columns<double, double> E{vec3(n.e0), vec3(n.e1), vec3(n.e2)};
  auto rotated = [&](const Mat3<T>& R) TARSUS_LAMBDA { return Mat3<T>{to_parent(E, R.a), to_parent(E, R.b), to_parent(E, R.c)}; };
  const T o = broadcast<T>(0.0), i = broadcast<T>(1.0);
  switch (arm_of(n).group) {
    case kRotations3: return {rotated(quaternion_matrix(q)), widen<T>(vec3(n.p))};
    case kMotions3: return {rotated(quaternion_matrix(q + 3)), vec3(n.p) + place(n, Vec3<T>{q[0], q[1], q[2]})};
    default: {  // kMotions2
      T s, c;
      sincos(q[2], s, c);
      s = n.sign * s;
      return {rotated({{c, s, o}, {-s, c, o}, {o, o, i}}), vec3(n.p) + place(n, Vec3<T>{q[0], q[1], o})};
    }
  }
}

// Angles that a closed form has given as sine and cosine.
template <class T>
inline void take_given_angles(const Model& m, Workspace<T>& ws) {
  for (int i = 0; i < m.closures; ++i) {
    const Closure& c = m.closure[i];
    if (c.kind != kFourBarClosure) continue;
    for (int k = 0; k < c.dependents; ++k) {
      const int node = c.dof_node[k];
      ws.sine[node] = m.node[node].sign * ws.given_sine[node], ws.cosine[node] = ws.given_cosine[node];
    }
  }
}

// Sines, cosines and placements of all joints of the tree: ws.sine, ws.cosine, ws.placed.
template <class T>
TARSUS_SWEEP void prepare_joints(const Model& m, Workspace<T>& ws, const T* q) {
  if constexpr (lanes<T> == 1) {
    // One state: gather the angles and take the sines of several joints at once.
    for (int i = 0; i < m.nodes; ++i) ws.sine[i] = has_angle(m.node[i].arm) ? m.node[i].sign * q[m.node[i].q] : 0.0;
    for (int i = m.nodes; i < (m.nodes + kLanes - 1) / kLanes * kLanes; ++i) ws.sine[i] = 0.0;
    for (int i = 0; i < m.nodes; i += kLanes) {
      Pack s, c;
      sincos(load<Pack>(ws.sine + i), s, c);
      store(ws.sine + i, s);
      store(ws.cosine + i, c);
    }
  } else {
    T largest = broadcast<T>(0.0);
    for (int i = 0; i < m.nodes; ++i) {
      const Node& n = m.node[i];
      if (!has_angle(n.arm)) continue;
      const T angle = q[n.q];
      largest = larger_magnitude(largest, angle);
      T s, c;
      reduced_sincos(angle, s, c);
      ws.sine[i] = n.sign * s;
      ws.cosine[i] = c;
    }
    for (int i = 0; i < m.nodes && any_huge(largest); ++i) {
      const Node& n = m.node[i];
      if (!has_angle(n.arm)) continue;
      exact_sincos<T>(n.sign * q[n.q], ws.sine[i], ws.cosine[i]);
    }
  }
  if (m.given_angles) take_given_angles(m, ws);
  if (m.slots == 0) return;
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    if (n.slot >= 0) ws.placed[n.slot] = place_joint(n, q + n.q);
  }
}

TARSUS_COMPILED_ONCE void prepare_joints(const Model&, Workspace<double>&, const double*);
TARSUS_COMPILED_ONCE void prepare_joints(const Model&, Workspace<Pack>&, const Pack*);

// The joint of node i at the prepared coordinates.
template <class T>
TARSUS_INLINE JointValue<T> joint_value(const Node& n, const Workspace<T>& ws, const T* q, int i) {
  JointValue<T> j{ws.sine[i], ws.cosine[i], {}, n.slot >= 0 ? ws.placed + n.slot : nullptr};
  if (has_advance(n.arm)) j.x = n.sign * q[n.q];
  return j;
}
// The same of a turn.
template <class T>
TARSUS_INLINE JointValue<T> turn_value(const Workspace<T>& ws, int i) {
  JointValue<T> j{ws.sine[i], ws.cosine[i], {}, nullptr};
  return j;
}

// What `prepare_joints` does, for the first `count` nodes of ws.path only.
template <class T>
TARSUS_INLINE void prepare_path(const Model& m, Workspace<T>& ws, const T* q, int count) {
  if constexpr (lanes<T> == 1) {
    // One state: gather the angles of a stretch of the path, and take the sines of several joints at once.
    constexpr int kStretch = 32;
    double angle[kStretch], cosine[kStretch];
    for (int first = 0; first < count; first += kStretch) {
      const int some = count - first < kStretch ? count - first : kStretch;
      for (int l = 0; l < some; ++l) {
        const Node& n = m.node[ws.path[first + l]];
        angle[l] = has_angle(n.arm) ? n.sign * q[n.q] : 0.0;
      }
      for (int l = some; l < (some + kLanes - 1) / kLanes * kLanes; ++l) angle[l] = 0.0;
      for (int l = 0; l < some; l += kLanes) {
        Pack s, c;
        sincos(load<Pack>(angle + l), s, c);
        store(angle + l, s), store(cosine + l, c);
      }
      for (int l = 0; l < some; ++l) ws.sine[ws.path[first + l]] = angle[l], ws.cosine[ws.path[first + l]] = cosine[l];
    }
  } else {
    for (int k = 0; k < count; ++k) {
      const int i = ws.path[k];
      const Node& n = m.node[i];
      if (has_angle(n.arm)) sincos<T>(n.sign * q[n.q], ws.sine[i], ws.cosine[i]);
    }
  }
  if (m.given_angles) take_given_angles(m, ws);
  for (int k = 0; k < count && m.slots > 0; ++k) {
    const Node& n = m.node[ws.path[k]];
    if (n.slot >= 0) ws.placed[n.slot] = place_joint(n, q + n.q);
  }
}

// Calls f(view) with the view of node i; rare arms out of line.
template <class T, class F>
__attribute__((noinline)) void visit_rare_node(const Node& n, const Workspace<T>& ws, const T* q, int i, F& f) {
  const JointValue<T> j = joint_value(n, ws, q, i);
  auto step = [&]<int arm>() TARSUS_LAMBDA { f(view_of<arm>(constants(n), j)); };
  with_rare_arm(n.arm, step);
}
template <class T, class F>
TARSUS_INLINE void visit_node(const Model& m, const Workspace<T>& ws, const T* q, int i, F f) {
  const Node& n = m.node[i];
  auto step = [&]<int arm>() TARSUS_LAMBDA { f(view_of<arm>(constants(n), turn_value(ws, i))); };
  if (!with_turn(n.arm, step)) visit_rare_node(n, ws, q, i, f);
}

template <class V, class T>
TARSUS_INLINE void load_rates(const Node& n, const T* v, T* rate) {
  for (int k = 0; k < V::dof; ++k) rate[k] = v[n.v + k];
  orient<V>(n.sign, rate);
}

}  // namespace tarsus::TARSUS_ISA
