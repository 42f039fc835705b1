// One contact: which solid a point of the robot is near or inside of, where, and how it moves. The input of all contact laws.
#pragma once
#include "contact/laws/table.hpp"
#include "kernels/dynamics/newton_euler.hpp"

namespace tarsus::TARSUS_ISA {

// The surface that a point touches, and its law; lanes may touch different ones.
template <class T>
struct SurfaceLaw {
  T number;                         // in contact/laws/table.hpp
  T surface;                        // in the world
  T parameter[kMostLawParameters];  // of that law
};

template <class T>
struct Contact {
  int node;
  int other;                      // node of the body that is touched, -1 for the world
  int motion;                     // of these two bodies relative to each other, where there are two: World::motion
  bool near;                      // in some lane: all that follows is valid
  unsigned laws;                  // a bit for every law that some lane may touch
  Vec3<T> axis;                   // of the centre of its sphere, from the node's origin, node axes: fixed to the body
  Vec3<T> arm;                    // of the point at the surface, from the node's origin, node axes
  Vec3<T> other_axis, other_arm;  // the same on the other body, in its axes: the arm of the same point
  Vec3<T> point, normal;          // world
  Vec3<T> skin, bend;             // velocity and acceleration of the surface there, along it, world
  Vec3<T> velocity;               // of the point relative to that, or to the other body, world
  T depth;                        // below the surface, less `set`
  T set;                          // part of the depth that does not press, of contacts between bodies: step/contact_sets.hpp
  SurfaceLaw<T> law;
  Vec3<T> force;  // on the robot, world
};

// Beyond this gap nothing is evaluated [m]: more than a step of a fast foot, and than the memory of a sole.
constexpr double kNear = 0.05;
constexpr double kNoContact = -1.0;  // depth [m] of what does not touch

template <class T>
TARSUS_INLINE SurfaceLaw<T> law_of(const World& w, int surface) {
  const Surface& s = w.surface[surface];
  SurfaceLaw<T> r;
  r.surface = broadcast<T>(surface);
  r.number = broadcast<T>(s.law);
  for (int k = 0; k < kMostLawParameters; ++k) r.parameter[k] = broadcast<T>(s.parameter[k]);
  return r;
}

// The same structure of numbers with the lanes of a in the mask, those of b elsewhere.
template <class T, class Numbers>
TARSUS_INLINE Numbers select_lanes(typename Bits<T>::type mask, const Numbers& a, const Numbers& b) {
  constexpr size_t n = sizeof(Numbers) / sizeof(T);
  T x[n], y[n];
  std::memcpy(x, static_cast<const void*>(&a), sizeof(a)), std::memcpy(y, static_cast<const void*>(&b), sizeof(b));
  for (size_t k = 0; k < n; ++k) x[k] = select<T>(mask, x[k], y[k]);
  Numbers r;
  std::memcpy(static_cast<void*>(&r), x, sizeof(r));
  return r;
}

// A contact of some lanes is with this surface.
template <class T>
TARSUS_INLINE void touch_surface(const World& w, int surface, typename Bits<T>::type lanes_there, Contact<T>& c) {
  c.law = select_lanes<T>(lanes_there, law_of<T>(w, surface), c.law);
  c.laws = (any<T>(~lanes_there) ? c.laws : 0u) | 1u << w.surface[surface].law;
}

// Lanes that touch a surface with the law of that number.
template <class T>
TARSUS_INLINE typename Bits<T>::type lanes_of_law(const Contact<T>& c, int number) {
  return less<T>(magnitude<T>(c.law.number - static_cast<double>(number)), broadcast<T>(0.5));
}

// The coefficient of friction of the robots in the lanes, in place of the surface's.
template <class T>
inline void set_friction(const T& friction, Contact<T>& c) {
  for (unsigned rest = c.laws; rest != 0; rest &= rest - 1) {
    const int number = __builtin_ctz(rest);
    T& own = c.law.parameter[Laws::kRow[number].friction];
    own = select<T>(lanes_of_law(c, number), friction, own);
  }
}

// f(law) of the law that each lane touches. Where all lanes touch the same one, which is the rule, nothing is selected.
template <class Result, class T, class F>
TARSUS_INLINE Result by_law(const Contact<T>& c, F f) {
  const T* parameter = c.law.parameter;
  Result all = Laws::visit(__builtin_ctz(c.laws), parameter, f);
  for (unsigned rest = c.laws & (c.laws - 1); rest != 0; rest &= rest - 1) {
    const int number = __builtin_ctz(rest);
    all = select_lanes<T>(lanes_of_law(c, number), static_cast<Result>(Laws::visit(number, parameter, f)), all);
  }
  return all;
}

// Lanes whose impulses are solved for.
template <class T>
TARSUS_INLINE typename Bits<T>::type solved_lanes(const Contact<T>& c) {
  const T zero = broadcast<T>(0.0);
  auto found = less<T>(zero, zero);
  for (int k = 0; k < Laws::kCount; ++k) {
    if (Laws::kRow[k].solved && (c.laws >> k & 1u)) found = found | lanes_of_law(c, k);
  }
  return found;
}

// The solid that a sphere about p is deepest in, or nearest to; exact where that is nearer than `near`.
template <class T>
TARSUS_INLINE void nearest_surface(const World& w, const Vec3<T>& p, const T& radius, double near, Contact<T>& c) {
  const T reach = radius + near;
  Distance<T> best = distance_to<T>(w.surface[0], p, reach);
  c.law = law_of<T>(w, 0);
  c.laws = 1u << w.surface[0].law;
  for (int k = 1; k < w.surfaces; ++k) {
    const Distance<T> other = distance_to<T>(w.surface[k], p, reach);
    const auto nearer = less<T>(other.gap, best.gap);
    if (!any<T>(nearer)) continue;
    best = {select<T>(nearer, other.gap, best.gap), select3<T>(nearer, other.normal, best.normal)};
    touch_surface<T>(w, k, nearer, c);
  }
  c.depth = radius - best.gap;
  c.normal = best.normal;
}

// Motion of the surface below a contact point, along the surface: belts and discs move in themselves.
template <class T>
TARSUS_INLINE void find_skin(const World& w, Contact<T>& c) {
  c.skin = c.bend = zero3<T>();
  for (int k = 0; k < w.surfaces; ++k) {
    const Surface& s = w.surface[k];
    if (!s.moves) continue;
    const auto here = less<T>(magnitude<T>(c.law.surface - static_cast<double>(k)), broadcast<T>(0.5));
    const Vec3<T> spin = widen<T>(vec3(s.spin)), u = vec3(s.velocity) + cross(spin, c.point - vec3(s.position));
    const Vec3<T> along = u - dot(u, c.normal) * c.normal, turn = cross(spin, along);
    c.skin = select3<T>(here, along, c.skin);
    c.bend = select3<T>(here, turn - dot(turn, c.normal) * c.normal, c.bend);
  }
}

// Fills in where the contact point is and how it moves, once normal and depth are known. `arm` leads to the feature's axis.
template <class T>
TARSUS_INLINE void place_contact(const World& w, const Workspace<T>& ws, const Vec3<T>* speed, const T& radius, Contact<T>& c) {
  const Placed<T>& X = ws.pose[c.node];
  c.axis = c.arm;
  c.arm = c.arm - radius * to_child(X.R, c.normal);
  c.point = X.p + to_parent(X.R, c.arm);
  c.velocity = to_parent(X.R, speed[c.node] + cross(ws.motion[c.node].w, c.arm));
  if (!w.moves) {
    c.skin = c.bend = zero3<T>();
    return;
  }
  find_skin(w, c);
  c.velocity = c.velocity - c.skin;
}

// Lanes in which a contact is switched off touch nothing, however deep they are.
template <class T>
TARSUS_INLINE void switch_off(const T& off, Contact<T>& c) {
  c.depth = select<T>(less<T>(broadcast<T>(0.0), off), broadcast<T>(kNoContact), c.depth);
}

// Whether a contact has to be evaluated: near the ground in some lane, or with a state that has not died away. What is decided
// for a pack must not change the result of a lane, so that robots do not depend on their neighbours in a batch.
template <class T>
TARSUS_INLINE bool matters(const T& depth, const Vec3<T>& z) {
  const T zero = broadcast<T>(0.0), size = larger<T>(magnitude<T>(z.x), larger<T>(magnitude<T>(z.y), magnitude<T>(z.z)));
  return any<T>(less<T>(broadcast<T>(-kNear), depth) | less<T>(zero, size));
}

// Whether a lane itself is near the ground: forces and records of the others are zero, whoever shares the pack.
template <class T>
TARSUS_INLINE typename Bits<T>::type within_reach(const Contact<T>& c) {
  return less<T>(broadcast<T>(-kNear), c.depth);
}

}  // namespace tarsus::TARSUS_ISA
