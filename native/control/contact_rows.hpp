// Rows C vdot = c of contacts that stay where they are, generalised forces of their variables, and their wrenches: the equations
// of src/tarsus/control/whole_body/terms.py.
#pragma once
#include "control/motion_terms.hpp"
#include "control/whole_body_run.hpp"
#include "kernels/tasks/task_rows.hpp"

namespace tarsus::TARSUS_ISA {

// Axes C of a contact in the world and where they are seen from its frame: what wrenches are told by. 12 numbers in memory.
template <class T>
struct ContactPlace {
  Mat3<T> R;
  Vec3<T> arm;  // p_C - p_F
};
template <class T>
TARSUS_INLINE void write_place(const ContactPlace<T>& X, T* to) {
  const Vec3<T>* const columns[] = {&X.R.a, &X.R.b, &X.R.c, &X.arm};
  for (int k = 0; k < 4; ++k) to[3 * k] = columns[k]->x, to[3 * k + 1] = columns[k]->y, to[3 * k + 2] = columns[k]->z;
}

// First axis about which nothing may turn, as entry of a twist; rows of rotations count from there to the last one.
TARSUS_INLINE int first_turn(const BodyContact& c) { return c.freedoms == 1 ? 4 : 3; }
TARSUS_INLINE int twist_entry(const BodyContact& c, int row) { return row < 3 ? row : first_turn(c) + row - 3; }

// Way back to where a contact is to be, in axes of the target: of its origin, and the rotation to its target or, of edges, of
// their direction.
template <class T>
inline Screw<T> way_back(const BodyContact& c, const Placed<T>& turned, const Mat3<T>& R, const Vec3<T>& place) {
  Screw<T> way{to_child(R, place - turned.p), zero3<T>()};
  if (c.freedoms == 1) way.angular = to_child(R, cross(turned.R.a, R.a));
  if (c.freedoms == 0) {
    const Mat3<T>& N = turned.R;  // R N^T has the rows of R times N^T as columns of what N^T does to the axes
    const auto column = [&](const T& x, const T& y, const T& z) TARSUS_LAMBDA { return x * R.a + y * R.b + z * R.c; };
    const Mat3<T> back{column(N.a.x, N.b.x, N.c.x), column(N.a.y, N.b.y, N.c.y), column(N.a.z, N.b.z, N.c.z)};
    way.angular = to_child(R, rotation_vector(back));
  }
  return way;
}

// Rows of one contact: C (rows x tree_nv, zero before), c, and of forces at points F (forces x tree_nv, zero before).
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
  const Mat3<T> R = posed ? target : turned.R;
  write_place(ContactPlace<T>{R, arm}, place);
  // Twist at C and what it changes by at vdot = 0, seen from F: contacts on one body ask for one motion of it.
  const Screw<T>&V = ws.twist[node], &A = s.acceleration[node];
  const PointRate<T> at = point_rate(V, A, turned.p);
  const Screw<T> twist{to_child(R, at.velocity), to_child(R, V.angular)};
  const Screw<T> bias{to_child(R, at.acceleration) - cross(twist.angular, twist.linear), to_child(R, A.angular)};
  Screw<T> way{zero3<T>(), zero3<T>()};
  if (posed) way = way_back(contact, turned, R, vec3(number + kContactPlace) - root_pose(m, ws).p);
  const double g = number[kContactGain];
  const Screw<T> asked{-2.0 * g * twist.linear - bias.linear + g * g * way.linear,
                       -2.0 * g * twist.angular - bias.angular + g * g * way.angular};
  for (int r = 0; r < contact.rows; ++r) {
    const int k = twist_entry(contact, r);
    c[r] = component_of(k < 3 ? asked.linear : asked.angular, k % 3);
  }
  for (int i = node; i >= 0; i = m.node[i].parent) {
    for (int k = m.node[i].v; k < m.node[i].v + m.node[i].dof; ++k) {
      const Screw<T>& joint = ws.screw[k];
      const Vec3<T> linear = to_child(R, joint.linear + cross(joint.angular, turned.p)), angular = to_child(R, joint.angular);
      for (int r = 0; r < contact.rows; ++r) {
        const int entry = twist_entry(contact, r);
        C[(size_t)r * m.tree_nv + k] = component_of(entry < 3 ? linear : angular, entry % 3);
      }
      for (int p = 0; p < contact.points; ++p) {  // velocity of the point
        const Vec3<T> u = linear + cross(angular, vec3(contact.arm + 3 * p));
        F[(size_t)(3 * p) * m.tree_nv + k] = u.x, F[(size_t)(3 * p + 1) * m.tree_nv + k] = u.y;
        F[(size_t)(3 * p + 2) * m.tree_nv + k] = u.z;
      }
      if (contact.points > 0 || !F) continue;
      for (int r = 0; r < contact.rows; ++r) F[(size_t)r * m.tree_nv + k] = C[(size_t)r * m.tree_nv + k];
    }
  }
}

// Adds what the variables y of a contact do to the robot: at the origin of its frame, world axes.
inline void add_wrench(const BodyContact& contact, const double* place, const double* y, double* wrench) {
  Vec3<double> f{0.0, 0.0, 0.0}, n{0.0, 0.0, 0.0};
  for (int p = 0; p < contact.points; ++p) {
    f += vec3(y + 3 * p);
    n += cross(vec3(contact.arm + 3 * p), vec3(y + 3 * p));
  }
  if (contact.points == 0) {
    double at[6] = {};
    for (int r = 0; r < contact.rows; ++r) at[twist_entry(contact, r)] = y[r];
    f = vec3(at), n = vec3(at + 3);
  }
  const Mat3<double> R{vec3(place), vec3(place + 3), vec3(place + 6)};
  const Vec3<double> force = to_parent(R, f), moment = to_parent(R, n) + cross(vec3(place + 9), force);
  wrench[0] += force.x, wrench[1] += force.y, wrench[2] += force.z;
  wrench[3] += moment.x, wrench[4] += moment.y, wrench[5] += moment.z;
}

}  // namespace tarsus::TARSUS_ISA
