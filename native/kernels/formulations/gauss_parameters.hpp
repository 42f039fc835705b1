// Velocities and rates of parameters, Bouyarmane and Kheddar 2012 (2), (13): v = G(q) qdot for every joint of the tree.
// G is R^T for the position of a free or planar joint in its parent, E(p) for a unit quaternion p, and 1 for all others.
#pragma once
#include "kernels/kinematics/screws.hpp"

namespace tarsus::TARSUS_ISA {

// A joint with a rotation of its own: number of translations; where its rotation starts in q and in v.
struct ParameterLayout {
  int slides, p, w;
  explicit ParameterLayout(const Node& n) : slides(arm_of(n).translations), p(n.q + slides), w(n.v + slides) {}
};

TARSUS_INLINE bool has_quaternion(const Node& n) { return arm_of(n).quaternion >= 0; }
TARSUS_INLINE int parameters_of(const Node& n) { return arm_of(n).nq; }

// Unit quaternions of all joints, where they stand in q.
template <class T>
TARSUS_INLINE void unit_quaternions(const Model& m, const T* q, T* unit) {
  for (int i = 0; i < m.nodes; ++i) {
    if (!has_quaternion(m.node[i])) continue;
    const int at = ParameterLayout(m.node[i]).p;
    const T* p = q + at;
    const T scale = 1.0 / sqrt_of(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; ++k) unit[at + k] = scale * p[k];
  }
}

// E(p) x: the angular velocity in body axes of the rates x. It is antisymmetric, so that E(p) p = 0 and E(pdot) pdot = 0.
template <class T>
TARSUS_INLINE Vec3<T> quaternion_spin(const T* p, const T* x) {
  return {2.0 * (p[0] * x[1] - p[1] * x[0] + p[3] * x[2] - p[2] * x[3]),
          2.0 * (p[0] * x[2] - p[2] * x[0] + p[1] * x[3] - p[3] * x[1]),
          2.0 * (p[0] * x[3] - p[3] * x[0] + p[2] * x[1] - p[1] * x[2])};
}

// E(p)^T w. For a unit quaternion E E^T = 4, and a quarter of this is the rate that keeps |p|.
template <class T>
TARSUS_INLINE void quaternion_force(const T* p, const Vec3<T>& w, T* out) {
  out[0] = -2.0 * (p[1] * w.x + p[2] * w.y + p[3] * w.z);
  out[1] = 2.0 * (p[0] * w.x + p[2] * w.z - p[3] * w.y);
  out[2] = 2.0 * (p[0] * w.y + p[3] * w.x - p[1] * w.z);
  out[3] = 2.0 * (p[0] * w.z + p[1] * w.y - p[2] * w.x);
}

// Axis k of a node's translation parameters: fixed to the parent.
template <class T>
TARSUS_INLINE Vec3<T> slide_axis(const Node& n, const Mat3<T>& parent, int k) {
  return to_parent(parent, widen<T>(vec3(k == 0 ? n.e0 : k == 1 ? n.e1 : n.e2)));
}
template <class T>
TARSUS_INLINE const Vec3<T>& own_axis(const Mat3<T>& R, int k) {
  return k == 0 ? R.a : k == 1 ? R.b : R.c;
}

// The node, the rotations of its parent and of itself, and its unit quaternion (not read where it has none).
template <class T>
struct ParameterMap {
  const Node& n;
  const Mat3<T>&parent, &own;
  const T* unit;  // by index in q

  // G^T x, what generalised forces x do to the parameters; with `inverse` set G^+ x, the rates of a velocity x.
  TARSUS_INLINE void to_parameters(const T* x, T* out, bool inverse) const {
    if (n.slot < 0) {
      for (int k = 0; k < n.dof; ++k) out[n.q + k] = x[n.v + k];
      return;
    }
    const ParameterLayout j(n);
    Vec3<T> u = zero3<T>();
    for (int k = 0; k < j.slides; ++k) u += x[n.v + k] * own_axis(own, k);
    for (int k = 0; k < j.slides; ++k) out[n.q + k] = dot(slide_axis(n, parent, k), u);
    if (!has_quaternion(n)) {
      out[j.p] = x[j.w];
      return;
    }
    quaternion_force(unit + j.p, Vec3<T>{x[j.w], x[j.w + 1], x[j.w + 2]}, out + j.p);
    for (int k = 0; k < 4 && inverse; ++k) out[j.p + k] = 0.25 * out[j.p + k];
  }

  // G y, the velocity of rates y; with `forces` set its transposed inverse, the generalised forces of forces y on parameters.
  TARSUS_INLINE void from_parameters(const T* y, T* out, bool forces) const {
    if (n.slot < 0) {
      for (int k = 0; k < n.dof; ++k) out[n.v + k] = y[n.q + k];
      return;
    }
    const ParameterLayout j(n);
    Vec3<T> u = zero3<T>();
    for (int k = 0; k < j.slides; ++k) u += y[n.q + k] * slide_axis(n, parent, k);
    for (int k = 0; k < j.slides; ++k) out[n.v + k] = dot(own_axis(own, k), u);
    if (!has_quaternion(n)) {
      out[j.w] = y[j.p];
      return;
    }
    const Vec3<T> w = quaternion_spin(unit + j.p, y + j.p);
    const double scale = forces ? 0.25 : 1.0;
    out[j.w] = scale * w.x, out[j.w + 1] = scale * w.y, out[j.w + 2] = scale * w.z;
  }

  // (dG/dt) qdot, the difference of vdot and G qddot: d(R^T)/dt xdot = v x w, and E(pdot) pdot = 0.
  // Calls emit(k, value) for the degrees of freedom that have one.
  template <class Emit>
  TARSUS_INLINE void for_turning_terms(const T* v, Emit emit) const {
    const T* x = v + n.v;
    if (arm_of(n).group == kMotions3) {
      const Vec3<T> t = cross(Vec3<T>{x[0], x[1], x[2]}, Vec3<T>{x[3], x[4], x[5]});
      emit(n.v, t.x), emit(n.v + 1, t.y), emit(n.v + 2, t.z);
    } else if (arm_of(n).group == kMotions2) {
      const T w = n.sign * x[2];
      emit(n.v, w * x[1]), emit(n.v + 1, -(w * x[0]));
    }
  }

  // Columns of the Jacobians of all bodies behind the node, (14)-(17), in world axes at the point that `at` refers to.
  TARSUS_INLINE void columns(const Placed<T>& at, Screw<T>* column) const {
    const ParameterLayout j(n);
    for (int k = 0; k < j.slides; ++k) column[n.q + k] = {slide_axis(n, parent, k), zero3<T>()};
    auto turn = [&](const Vec3<T>& w) TARSUS_LAMBDA { return Screw<T>{cross(at.p, w), w}; };
    if (arm_of(n).group == kMotions2) {
      column[j.p] = turn(n.sign * own.c);
    } else if (has_quaternion(n)) {
      for (int k = 0; k < 4; ++k) {
        T rate[4] = {broadcast<T>(0.0), broadcast<T>(0.0), broadcast<T>(0.0), broadcast<T>(0.0)};
        rate[k] = broadcast<T>(1.0);
        column[j.p + k] = turn(to_parent(own, quaternion_spin(unit + j.p, static_cast<const T*>(rate))));
      }
    } else {
      for_screws(n, at, [&](int, const Screw<T>& s) TARSUS_LAMBDA { column[n.q] = s; });
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
