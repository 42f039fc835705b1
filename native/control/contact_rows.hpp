// Rows C vdot = c of contacts that stay where they are, generalised forces of their variables, and their wrenches: the equations
// of src/tarsus/control/whole_body/terms.py.
#pragma once
#include "control/motion_terms.hpp"
#include "control/whole_body_run.hpp"
#include "kernels/tasks/task_rows.hpp"
#include "math/comparison.hpp"
#include "optimization/padded_vectors.hpp"

namespace tarsus::TARSUS_ISA {

// Where a contact is and which way it may push, in the world: src/tarsus/control/whole_body/contact_place.py.
template <class T>
struct ContactPlace {
  Mat3<T> E;        // axes: of a patch and an edge as they are, of what a point touches
  Vec3<T> arm;      // p_C - p_F
  T a, b;           // slope: force = E S f, moment = E S^-T m, S = [[1, 0, a], [0, 1, b], [0, 0, 1]]
  Vec3<T> normal;   // row of the normal force over the first three variables of a wrench
  Mat3<T> surface;  // axes of what is touched: of forces at points
  Mat3<T> turned;   // axes of C as they are: of the points
};
constexpr int kPlaceNumbers = 35;
constexpr double kUpright = 1e-3;  // cosine of the largest angle by which a contact may be turned out of what it touches

template <class T>
TARSUS_INLINE void write_place(const ContactPlace<T>& X, T* to) {
  auto put = [&](const Vec3<T>& x) TARSUS_LAMBDA { to[0] = x.x, to[1] = x.y, to[2] = x.z, to += 3; };
  put(X.E.a), put(X.E.b), put(X.E.c), put(X.arm), put({X.a, X.b, X.a}), put(X.normal);
  put(X.surface.a), put(X.surface.b), put(X.surface.c), put(X.turned.a), put(X.turned.b), put(X.turned.c);
}
template <class T>
inline ContactPlace<T> read_place(const T* from) {
  const auto axes = [&](int k) TARSUS_LAMBDA { return Mat3<T>{three(from + k), three(from + k + 3), three(from + k + 6)}; };
  return {axes(0), three(from + 9), from[12], from[13], three(from + 15), axes(18), axes(27)};
}

// Rows of a twist at C, world axes: ((E S)^T u, (E S)^-1 w).
template <class T>
TARSUS_INLINE Screw<T> row_twist(const ContactPlace<T>& X, const Vec3<T>& u, const Vec3<T>& w) {
  const Vec3<T> linear = to_child(X.E, u), angular = to_child(X.E, w);
  return {{linear.x, linear.y, linear.z + X.a * linear.x + X.b * linear.y},
          {angular.x - X.a * angular.z, angular.y - X.b * angular.z, angular.z}};
}

// The place of a contact whose axes are `turned`; `surface` are those of what it touches, where they are told. `upright` is the
// cosine of the angle by which it is turned out of that.
template <class T>
inline ContactPlace<T> place_contact(const BodyContact& c, const Mat3<T>& turned, const Vec3<T>& arm, const Mat3<T>& surface,
                                     bool posed, T& upright) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  ContactPlace<T> X{c.freedoms == 3 ? surface : turned, arm, zero, zero, {zero, zero, one}, surface, turned};
  upright = one;
  if (!posed || c.freedoms == 3) return X;
  const Vec3<T>& n = surface.c;
  if (c.freedoms == 1) {  // it may turn about itself
    const Vec3<T> across = n - dot(n, turned.a) * turned.a;
    const Vec3<T> z = (1.0 / larger<T>(sqrt_of<T>(dot(across, across)), broadcast<T>(kUpright))) * across;
    X.E = {turned.a, cross(z, turned.a), z};
  }
  const Vec3<T> s = to_child(X.E, n);
  upright = s.z;
  const T side = sqrt_of<T>(s.x * s.x + s.y * s.y);
  const T factor = (1.0 + c.friction * c.friction) / (larger<T>(upright, zero) + c.friction * side);
  X.a = factor * s.x, X.b = factor * s.y;
  X.normal = {s.x, s.y, s.z + X.a * s.x + X.b * s.y};
  return X;
}

// First axis about which nothing may turn, as entry of a twist; rows of rotations count from there to the last one.
TARSUS_INLINE int first_turn(const BodyContact& c) { return c.freedoms == 1 ? 4 : 3; }
TARSUS_INLINE int twist_entry(const BodyContact& c, int row) { return row < 3 ? row : first_turn(c) + row - 3; }

// Way back to where a contact is to be, in world axes: of its origin, and the rotation to its target or, of edges, of their
// direction.
template <class T>
inline Screw<T> way_back(const BodyContact& c, const Placed<T>& turned, const Mat3<T>& R, const Vec3<T>& place) {
  Screw<T> way{place - turned.p, zero3<T>()};
  if (c.freedoms == 1) way.angular = cross(turned.R.a, R.a);
  if (c.freedoms == 0) {
    const Mat3<T>& N = turned.R;  // R N^T has the rows of R times N^T as columns of what N^T does to the axes
    const auto column = [&](const T& x, const T& y, const T& z) TARSUS_LAMBDA { return x * R.a + y * R.b + z * R.c; };
    const Mat3<T> back{column(N.a.x, N.b.x, N.c.x), column(N.a.y, N.b.y, N.c.y), column(N.a.z, N.b.z, N.c.z)};
    way.angular = rotation_vector(back);
  }
  return way;
}

// Rows of one contact: C (rows x tree_nv, zero before), c, and of forces at points F (forces x tree_nv, zero before). c is no
// number where the contact is turned away from what it touches.
template <class T>
inline void contact_rows(const Model& m, const BodyContact& contact, const double* number, const Workspace<T>& ws,
                         const MotionMemory<T>& s, T* C, T* c, T* F, T* place) {
  const int node = contact.frame.node;
  const Placed<T> frame = frame_on(ws.pose[node], contact.frame);
  const double* own = contact.rotation;
  const Columns<double, double> R_FC{vec3(own), vec3(own + 3), vec3(own + 6)};
  const Vec3<T> arm = to_parent(frame.R, widen<T>(vec3(contact.position)));
  const Placed<T> turned{compose(frame.R, R_FC), frame.p + arm};
  const bool posed = number[kContactPosed] != 0.0;
  const double* told = number + kContactRotation;
  const Mat3<T> target{widen<T>(vec3(told)), widen<T>(vec3(told + 3)), widen<T>(vec3(told + 6))};
  T upright;
  const ContactPlace<T> X = place_contact(contact, turned.R, arm, posed ? target : turned.R, posed, upright);
  write_place(X, place);
  // Twist at C and what it changes by at vdot = 0, seen from F: contacts on one body ask for one motion of it.
  const Screw<T>&V = ws.twist[node], &A = s.acceleration[node];
  const PointRate<T> at = point_rate(V, A, turned.p);
  Screw<T> way{zero3<T>(), zero3<T>()};
  if (posed) way = way_back(contact, turned, target, vec3(number + kContactPlace) - root_pose(m, ws).p);
  const double g = number[kContactGain];
  const Vec3<T> bias = at.acceleration - cross(V.angular, at.velocity);
  const Screw<T> asked =
      row_twist<T>(X, -2.0 * g * at.velocity - bias + g * g * way.linear, -2.0 * g * V.angular - A.angular + g * g * way.angular);
  const T nothing = select<T>(less<T>(upright, broadcast<T>(kUpright)), broadcast<T>(__builtin_nan("")), broadcast<T>(0.0));
  for (int r = 0; r < contact.rows; ++r) {
    const int k = twist_entry(contact, r);
    c[r] = component_of(k < 3 ? asked.linear : asked.angular, k % 3) + nothing;
  }
  for (int i = node; i >= 0; i = m.node[i].parent) {
    for (int k = m.node[i].v; k < m.node[i].v + m.node[i].dof; ++k) {
      const Screw<T>& joint = ws.screw[k];
      const Vec3<T> velocity = joint.linear + cross(joint.angular, turned.p);
      const Screw<T> twist = row_twist<T>(X, velocity, joint.angular);
      for (int r = 0; r < contact.rows; ++r) {
        const int entry = twist_entry(contact, r);
        C[(size_t)r * m.tree_nv + k] = component_of(entry < 3 ? twist.linear : twist.angular, entry % 3);
      }
      for (int p = 0; p < contact.points; ++p) {  // velocity of the point
        const Vec3<T> point = to_parent(X.turned, widen<T>(vec3(contact.arm + 3 * p)));
        const Vec3<T> u = to_child(X.surface, velocity + cross(joint.angular, point));
        F[(size_t)(3 * p) * m.tree_nv + k] = u.x, F[(size_t)(3 * p + 1) * m.tree_nv + k] = u.y;
        F[(size_t)(3 * p + 2) * m.tree_nv + k] = u.z;
      }
      if (contact.points > 0 || !F) continue;
      for (int r = 0; r < contact.rows; ++r) F[(size_t)r * m.tree_nv + k] = C[(size_t)r * m.tree_nv + k];
    }
  }
}

// Adds what the variables y of a contact do to the robot: at the origin of its frame, world axes.
template <class T>
inline void add_wrench(const BodyContact& contact, const T* place, const T* y, T* wrench) {
  const ContactPlace<T> X = read_place(place);
  Vec3<T> force = zero3<T>(), moment = zero3<T>();
  for (int p = 0; p < contact.points; ++p) {
    const Vec3<T> f = to_parent(X.surface, three(y + 3 * p));
    force += f;
    moment += cross(to_parent(X.turned, widen<T>(vec3(contact.arm + 3 * p))), f);
  }
  if (contact.points == 0) {
    T at[6] = {};
    for (int r = 0; r < contact.rows; ++r) at[twist_entry(contact, r)] = y[r];
    force = to_parent(X.E, Vec3<T>{at[0] + X.a * at[2], at[1] + X.b * at[2], at[2]});
    moment = to_parent(X.E, Vec3<T>{at[3], at[4], at[5] - X.a * at[3] - X.b * at[4]});
  }
  moment += cross(X.arm, force);
  wrench[0] += force.x, wrench[1] += force.y, wrench[2] += force.z;
  wrench[3] += moment.x, wrench[4] += moment.y, wrench[5] += moment.z;
}

// By how much variables of a contact are beyond a facet of its cone, at most; `columns` are those of its cone, padded.
inline double beyond_facets(const BodyContact& contact, const double* columns, const double* y) {
  const int width = padded(contact.cones);
  Pack most{};
  for (int i = 0; i < width; i += kLanes) {
    Pack inside{};
    for (int j = 0; j < contact.forces; ++j) inside += y[j] * load<Pack>(columns + (size_t)j * width + i);
    most = larger<Pack>(most, -inside);
  }
  return largest_lane<kLanes>(most);
}

// The normal force of a contact whose variables are y.
template <class T>
inline T normal_force(const BodyContact& contact, const T* place, const T* y) {
  if (contact.points == 0) return dot(three(place + 15), three(y));
  T sum{};
  for (int p = 0; p < contact.points; ++p) sum += y[3 * p + 2];
  return sum;
}

// Row of the normal force over the variables of a contact: `points` of forces at points, three entries of a wrench.
inline const double* normal_row(const BodyContact& contact, const double* place, const double* points) {
  return contact.points > 0 ? points : place + 15;
}

}  // namespace tarsus::TARSUS_ISA
