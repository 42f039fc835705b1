// Springs and dampers between two points of bodies, or of a body and the world: the force acts along the line between them.
//
// In implicit steps they are soft rows (couplings.hpp). With the distance L, its rate u, the acceleration a along the line and
// the curvature b of the distance without acceleration, the distance at the end is L + dt u + dt^2 a + dt^2 / 2 b, and the force,
// positive where it pushes, -k (L_end - length) - c (L_end - L) / dt: linear in a, so that stiff springs hold light bodies. Those
// that only pull, cables, have no force where that would be positive: a function of a that falls and has one corner.
#pragma once
#include "simulation/body_forces.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kNoLength = 1e-12;  // points that are closer have no line between them [m]

// Where a spring is at the present state; poses of all nodes must be those of the world, with r.speed.
template <class T>
struct SpringMotion {
  Vec3<T> along;  // from A to B, a unit vector, world
  T distance, rate;
  Vec3<T> across;  // velocity of B seen from A, world
};

template <class T>
TARSUS_INLINE Vec3<T> spring_end(const Robot<T>& r, const TwoPointSpring& s, int e) {
  if (s.node[e] < 0) return widen<T>(vec3(s.position[e]));
  const Placed<T>& X = r.ws.pose[s.node[e]];
  return X.p + to_parent(X.R, widen<T>(vec3(s.position[e])));
}
template <class T>
TARSUS_INLINE Vec3<T> spring_end_velocity(const Robot<T>& r, const TwoPointSpring& s, int e) {
  if (s.node[e] < 0) return zero3<T>();
  const int i = s.node[e];
  return to_parent(r.ws.pose[i].R, r.speed[i] + cross(r.ws.motion[i].w, widen<T>(vec3(s.position[e]))));
}
// Acceleration of an end without acceleration of the joints; ws.motion is that of the velocity terms, gravity included.
template <class T>
TARSUS_INLINE Vec3<T> spring_end_drift(const Robot<T>& r, const TwoPointSpring& s, int e) {
  if (s.node[e] < 0) return zero3<T>();
  const Motion<T>& a = r.ws.motion[s.node[e]];
  const Vec3<T> arm = widen<T>(vec3(s.position[e]));
  return to_parent(r.ws.pose[s.node[e]].R, a.a + cross(a.dw, arm) + cross(a.w, cross(a.w, arm))) + vec3(r.model.gravity);
}

template <class T>
inline SpringMotion<T> spring_motion(const Robot<T>& r, const TwoPointSpring& s) {
  const Vec3<T> d = spring_end(r, s, 1) - spring_end(r, s, 0);
  const T distance = length(d);
  const Vec3<T> along = (1.0 / larger<T>(distance, broadcast<T>(kNoLength))) * d;
  const Vec3<T> u = spring_end_velocity(r, s, 1) - spring_end_velocity(r, s, 0);
  return {along, distance, dot(along, u), u};
}

// Wrench on the node of an end, node axes, of a unit of force that pushes.
template <class T>
TARSUS_INLINE Wrench<T> spring_wrench(const Robot<T>& r, const TwoPointSpring& s, const Vec3<T>& along, int e) {
  const Vec3<T> f = to_child(r.ws.pose[s.node[e]].R, e == 0 ? -along : along);
  return {f, cross(widen<T>(vec3(s.position[e])), f)};
}

// Energy of a spring at a distance.
template <class T>
TARSUS_INLINE T stored_in_spring(const TwoPointSpring& s, const T& distance) {
  const T d = distance - s.length, taut = s.pulls ? larger<T>(d, broadcast<T>(0.0)) : d;
  return 0.5 * s.stiffness * taut * taut;
}
template <class T>
inline T springs_energy(const Robot<T>& r) {
  T sum = broadcast<T>(0.0);
  for (int i = 0; i < r.springs; ++i) sum = sum + stored_in_spring(r.spring[i], spring_motion(r, r.spring[i]).distance);
  return sum;
}

// Forces at an instant, taken off what the motion needs; returns the power that is lost.
template <class T>
inline T apply_springs(Robot<T>& r) {
  const T zero = broadcast<T>(0.0);
  T lost = zero;
  for (int i = 0; i < r.springs; ++i) {
    const TwoPointSpring& s = r.spring[i];
    const SpringMotion<T> at = spring_motion(r, s);
    const T stretch = at.distance - s.length;
    T elastic = -s.stiffness * stretch, force = elastic - s.damping * at.rate;
    if (s.pulls) {  // what is slack has no damper, and no force pushes
      const auto taut = less<T>(zero, stretch);
      elastic = select<T>(taut, elastic, zero), force = select<T>(taut, smaller<T>(force, zero), zero);
    }
    lost = lost + (elastic - force) * at.rate;
    for (int e = 0; e < 2; ++e) {
      if (s.node[e] < 0) continue;
      const Wrench<T> w = spring_wrench(r, s, at.along, e);
      Wrench<T>& p = r.ws.wrench[s.node[e]];
      p.f = p.f - force * w.f, p.n = p.n - force * w.n;
    }
  }
  return lost;
}

// Rows of an implicit step, behind those of constraints; the iterate is no acceleration.
template <class T>
inline void begin_springs(Robot<T>& r, double dt) {
  const T zero = broadcast<T>(0.0);
  for (int i = 0; i < r.springs; ++i) {
    const TwoPointSpring& s = r.spring[i];
    StepSpring<T>& x = r.step_spring[i];
    const SpringMotion<T> at = spring_motion(r, s);
    const Vec3<T> drift = spring_end_drift(r, s, 1) - spring_end_drift(r, s, 0);
    const T far = larger<T>(at.distance, broadcast<T>(kNoLength));
    x.distance = at.distance, x.rate = at.rate;
    x.swing = (0.5 * dt) * (dot(at.along, drift) + (dot(at.across, at.across) - at.rate * at.rate) / far);
    const T speed = at.rate + x.swing;
    x.pull = -s.stiffness * (at.distance - s.length + dt * speed) - s.damping * speed;
    // A cable that is slack at the start has no damper before it is taut.
    if (s.pulls) x.pull = x.pull - (s.damping / dt) * smaller<T>(at.distance - s.length, zero);
    x.resist = broadcast<T>(dt * (s.damping + dt * s.stiffness));
    x.at = x.balanced = x.trial = x.trial_force = zero;
    x.active = s.pulls ? less<T>(x.pull, zero) : less<T>(zero, broadcast<T>(1.0));
    x.row = r.couplings.add();
    for (int e = 0; e < 2; ++e) {
      if (s.node[e] >= 0) r.couplings.push(x.row, s.node[e], spring_wrench(r, s, at.along, e));
    }
  }
}

// The force of a spring with that acceleration along it.
template <class T>
TARSUS_INLINE T spring_force_at(const TwoPointSpring& s, const StepSpring<T>& x, const T& a) {
  const T force = x.pull - x.resist * a;
  return s.pulls ? smaller<T>(force, broadcast<T>(0.0)) : force;
}

template <class T>
inline void load_springs(Robot<T>& r) {
  const T zero = broadcast<T>(0.0);
  for (int i = 0; i < r.springs; ++i) {
    const StepSpring<T>& x = r.step_spring[i];
    CouplingRow<T>& row = r.couplings.row[x.row];
    row.constant = select<T>(x.active, x.pull, zero);
    row.resist = select<T>(x.active, x.resist, zero);
  }
}

// Accelerations that a solve gave, and the linearised forces in them; true in lanes where these are not the forces.
template <class T>
inline typename Bits<T>::type try_springs(Robot<T>& r, double tolerance) {
  auto differs = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  for (int i = 0; i < r.springs; ++i) {
    StepSpring<T>& x = r.step_spring[i];
    x.trial = acceleration_along(r.ws, static_cast<const T*>(r.rate), r.couplings, x.row);
    x.trial_force = select<T>(x.active, x.pull - x.resist * x.trial, broadcast<T>(0.0));
    const T force = spring_force_at(r.spring[i], x, x.trial);
    differs = differs | less<T>(tolerance * (magnitude<T>(force) + magnitude<T>(x.pull)), magnitude<T>(force - x.trial_force));
  }
  return differs;
}

// Moves the iterate that part of the way to the trial.
template <class T>
inline void take_springs(Robot<T>& r, typename Bits<T>::type lanes_moving, const T& part) {
  for (int i = 0; i < r.springs; ++i) {
    if (!r.spring[i].pulls) continue;
    StepSpring<T>& x = r.step_spring[i];
    x.at = select<T>(lanes_moving, x.at + part * (x.trial - x.at), x.at);
    x.balanced = select<T>(lanes_moving, x.balanced + part * (x.trial_force - x.balanced), x.balanced);
    x.active = (lanes_moving & less<T>(x.pull - x.resist * x.at, broadcast<T>(0.0))) | (~lanes_moving & x.active);
  }
}

// What of the work on springs was not stored, in these lanes.
template <class T>
inline void end_springs(Robot<T>& r, typename Bits<T>::type ending, double dt) {
  T lost = broadcast<T>(0.0);
  for (int i = 0; i < r.springs; ++i) {
    const TwoPointSpring& s = r.spring[i];
    const StepSpring<T>& x = r.step_spring[i];
    const T a = acceleration_along(r.ws, static_cast<const T*>(r.rate), r.couplings, x.row);
    const T end = x.distance + dt * (x.rate + dt * a + x.swing);
    lost = lost - dt * spring_force_at(s, x, a) * (x.rate + (0.5 * dt) * a);
    lost = lost - (stored_in_spring(s, end) - stored_in_spring(s, x.distance));
  }
  T& balance = r.work[work_index(kJointBalance)];
  balance = select<T>(ending, balance + lost, balance);
}

}  // namespace tarsus::TARSUS_ISA
