// Accelerations that tasks ask for (Buschmann 2014 (5.19)): a = acceleration + 2 gain (velocity - J v) + gain^2 e - Jdot v.
#pragma once
#include "control/motion_terms.hpp"
#include "kernels/tasks/task_rows.hpp"

namespace tarsus::TARSUS_ISA {

// J v and Jdot v of a block, all entries of its error.
template <class T>
struct TaskRate {
  Vec3<T> velocity, bias;
};

// A frame seen from another, or from the world: src/tarsus/tasks/relative_motion.py.
template <class T>
inline TaskRate<T> relative_rate(const TaskBlock& b, const Workspace<T>& ws, const MotionMemory<T>& s, const Vec3<T>& root,
                                 bool turning) {
  const BlockPlace<T> at = place_of(b, ws, root);
  const Screw<T>&V = ws.twist[b.frame.node], &A = s.acceleration[b.frame.node];
  const PointRate<T> F = point_rate(V, A, at.F.p);
  if (b.reference.node < 0) return turning ? TaskRate<T>{V.angular, A.angular} : TaskRate<T>{F.velocity, F.acceleration};
  const Screw<T>&V_R = ws.twist[b.reference.node], &A_R = s.acceleration[b.reference.node];
  const auto seen = [&](const Vec3<T>& x) TARSUS_LAMBDA { return to_child(at.R.R, x); };
  if (turning) {
    return {seen(V.angular - V_R.angular), seen(A.angular - A_R.angular - cross(V_R.angular, V.angular))};
  }
  const PointRate<T> R = point_rate(V_R, A_R, at.R.p);
  const Vec3<T> d = at.F.p - at.R.p, rate = F.velocity - R.velocity, w = V_R.angular;
  return {seen(rate - cross(w, d)),
          seen(F.acceleration - R.acceleration - cross(A_R.angular, d) - 2.0 * cross(w, rate) + cross(w, cross(w, d)))};
}

// An axis of a frame that points at something: src/tarsus/tasks/look_at.py.
template <class T, class S>
inline TaskRate<T> sight_rate(const TaskBlock& b, const Workspace<T>& ws, const MotionMemory<T>& s, const Vec3<T>& root,
                              const S* target) {
  const Placed<T> F = place_of(b, ws, root).F;
  const Screw<T>&V = ws.twist[b.frame.node], &A = s.acceleration[b.frame.node];
  const PointRate<T> point = point_rate(V, A, F.p);
  const Vec3<T> way = three(target) - root - F.p, u = point.velocity;
  const T inverse = 1.0 / sqrt_of(dot(way, way));
  const Vec3<T> g = inverse * way, across = inverse * cross(g, u), turn = V.angular + across;
  const T along = dot(g, u);
  const Vec3<T> g_rate = -inverse * (u - along * g);
  const Vec3<T> rate = A.angular + inverse * (cross(g_rate, u) + cross(g, point.acceleration)) + (along * inverse) * across -
                       cross(V.angular, turn);
  const auto seen = [&](const Vec3<T>& x) TARSUS_LAMBDA {
    const Vec3<T> own = to_child(F.R, x);
    return Vec3<T>{dot(own, vec3(b.axis + 3)), dot(own, vec3(b.axis + 6)), broadcast<T>(0.0)};
  };
  return {seen(turn), seen(rate)};
}

// Momentum and its rate at vdot = 0, linear or about the centre of mass; weight has no moment about that.
template <class T>
inline TaskRate<T> momentum_rate_of(const Model& m, const Workspace<T>& ws, const MotionMemory<T>& s, const T* v, bool turning) {
  Screw<T> sum{zero3<T>(), zero3<T>()};
  for (int k = 0; k < m.tree_nv; ++k) sum += v[k] * ws.screw_rate[k];
  if (!turning) return {sum.linear, s.force[0].linear + ws.composite[0].mass * widen<T>(vec3(m.gravity))};
  const Vec3<T> center = (1.0 / m.total_mass) * ws.composite[0].first;
  return {about(sum, center).angular, about(s.force[0], center).angular};
}

template <class T>
TARSUS_INLINE T component_of(const Vec3<T>& x, int k) {
  return k == 0 ? x.x : k == 1 ? x.y : x.z;
}

// Of targets, in rows of the tasks.
template <class S>
struct TargetRates {
  const S *velocity, *acceleration;
  const double* gain;
};

// From errors to accelerations, in place; v are velocities of the tree, `own` the independent ones.
template <class T, class S>
inline void task_accelerations(const Model& m, const TaskTable& t, const Workspace<T>& ws, const MotionMemory<T>& s, const T* v,
                               const T* own, const S* target, const TargetRates<S>& wanted, T* a) {
  const Vec3<T> root = root_pose(m, ws).p;
  for (int i = 0; i < t.blocks; ++i) {
    const TaskBlock& b = t.block[i];
    TaskRate<T> rate{zero3<T>(), zero3<T>()};
    switch (b.kind) {
      case kTaskPosition: rate = relative_rate(b, ws, s, root, false); break;
      case kTaskOrientation: rate = relative_rate(b, ws, s, root, true); break;
      case kTaskSight: rate = sight_rate(b, ws, s, root, target + b.target); break;
      case kTaskCenter: {
        const PointRate<T> center = center_rate(m, ws, s, v);
        rate = {center.velocity, center.acceleration};
        break;
      }
      case kTaskMomentum:
      case kTaskSpin: rate = momentum_rate_of(m, ws, s, v, b.kind == kTaskSpin); break;
      default: break;
    }
    for (int r = b.first; r < b.first + b.rows; ++r) {
      const int k = t.row[r].component;
      const bool posture = b.kind == kTaskPosture;
      const T velocity = posture ? own[k] : component_of(rate.velocity, k);
      const T bias = posture ? broadcast<T>(0.0) : component_of(rate.bias, k);
      const double gain = wanted.gain[r];
      a[r] = wanted.acceleration[r] + 2.0 * gain * (wanted.velocity[r] - velocity) + gain * gain * a[r] - bias;
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
