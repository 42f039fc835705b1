// Contacts of one step among themselves. While the regimes of joints stay, the velocities u of the contact points at the end of
// a step are linear in the forces f on them,
//
//   u = u0 + dt W f,   W = J H^-1 J^T,
//
// with the inertia H of the robot and of the implicit forces of its joints. So the joints are eliminated once, and Newton's
// method goes on in as many unknowns as contacts have directions: linearised forces f = F - C u with C = B^T B, one row of B for
// each direction in which a contact resists, and y = B u give
//
//   (1 + dt B W B^T) y = B (u0 + dt W F),   f = F - B^T y,
//
// a symmetric matrix whose eigenvalues are 1 and more, factorised without exchanges. This is Newton's step of the same convex
// function as in passes.hpp, in other unknowns. A contact without a force in some lane leaves that lane's numbers as they are to
// the last bit: it may take part or not.
//
// Forces and velocities are in the axes of each contact, two across its normal and the normal. W follows from the numbers Y that
// a unit of force leaves in the eliminated joints on its way to the root, W = Y^T D^-1 Y, and u0 from what the velocity terms
// leave there (Featherstone 2008 section 7.3, Rodriguez 1987).
#pragma once
#include "simulation/step/line_search.hpp"
#include "simulation/step/pair_resistance.hpp"

namespace tarsus::TARSUS_ISA {

// Whether the contacts of these robots are solved among themselves: a matter of the model and the world, never of the state.
template <class T>
TARSUS_INLINE bool has_contact_space(const Robot<T>& r) {
  return r.points.most > 0 && !r.solves_impulses;
}

// Joints on the way of contact i to the root, from there outwards.
template <class T>
inline void list_path(const Robot<T>& r, int i) {
  const ContactSpace<T>& s = r.points;
  int* joint = s.joints_of(i);
  int count = 0;
  for (int k = r.contact[i].node; k >= 0;) {
    const Node& n = r.model.node[k];
    for (int d = n.v + n.dof - 1; d >= n.v; --d) joint[count++] = d;
    k = n.grounded ? -1 : n.parent;
  }
  for (int a = 0, b = count - 1; a < b; ++a, --b) exchange(joint[a], joint[b]);
  s.width[i] = count;
}

// Two axes across a normal, and the normal (Duff et al. 2017).
template <class T>
TARSUS_INLINE Square3<T> axes_about(const Vec3<T>& n) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const T sign = select<T>(less<T>(n.z, zero), -one, one), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
  return {{one + sign * n.x * n.x * a, sign * b, -(sign * n.x)}, {b, sign + n.y * n.y * a, -n.y}, n};
}

// What unit forces at contact i along its axes leave in the joints on its way.
template <class T>
TARSUS_KERNEL void send_unit_forces(const Robot<T>& r, const T* q, int i) {
  const Contact<T>& c = r.contact[i];
  const Square3<T>& axes = r.points.own[i].axes;
  const Vec3<T> world[3] = {axes.x, axes.y, axes.z};
  Wrench<T> p[3];
  for (int x = 0; x < 3; ++x) {
    const Vec3<T> axis = to_child(r.ws.pose[c.node].R, world[x]);
    p[x] = {-axis, cross(axis, c.arm)};
  }
  int place = r.points.width[i];
  for (int k = c.node; k >= 0 && !is_fixed(r.model.node[k]);) {
    const Node& n = r.model.node[k];
    const bool inner = n.parent >= 0 && !n.grounded;
    place -= n.dof;
    Vec3<T>*sent = r.points.sent_by(i) + place, *moved = r.points.moved_by(i) + place;
    visit_node(r.model, r.ws, q, k, [&](const auto& J) TARSUS_LAMBDA {
      pass_joint(J, r.ws, n, p[0], [&](int d, const T& u) TARSUS_LAMBDA { sent[d].x = u; });
      pass_joint(J, r.ws, n, p[1], [&](int d, const T& u) TARSUS_LAMBDA { sent[d].y = u; });
      pass_joint(J, r.ws, n, p[2], [&](int d, const T& u) TARSUS_LAMBDA { sent[d].z = u; });
      for (int x = 0; inner && x < 3; ++x) p[x] = to_parent(J, p[x]);
    });
    for (int d = 0; d < n.dof; ++d) moved[d] = r.ws.eliminated[n.v + d].inverse * sent[d];
    k = inner ? n.parent : -1;
  }
}

// W of contacts i and j, and of j and i.
template <class T>
TARSUS_INLINE void respond(const Robot<T>& r, int i, int j) {
  const ContactSpace<T>& s = r.points;
  Square3<T> w{zero3<T>(), zero3<T>(), zero3<T>()};
  const int *a = s.joints_of(i), *b = s.joints_of(j), least = s.width[i] < s.width[j] ? s.width[i] : s.width[j];
  for (int d = 0; d < least && a[d] == b[d]; ++d) {  // paths share their first joints, and none behind
    const Vec3<T>&m = s.moved_by(i)[d], &y = s.sent_by(j)[d];
    w.x += m.x * y, w.y += m.y * y, w.z += m.z * y;
  }
  s.response_of(i, j) = w;
  s.response_of(j, i) = {{w.x.x, w.y.x, w.z.x}, {w.x.y, w.y.y, w.z.y}, {w.x.z, w.y.z, w.z.z}};
}

// Y and W of contacts that are awake and were not before.
template <class T>
TARSUS_KERNEL void find_responses_of_points(Robot<T>& r, const TreeState<T>& tree) {
  ContactSpace<T>& s = r.points;
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    bool there = false;
    for (int k = 0; k < s.known && !there; ++k) there = s.listed[k] == i;
    if (there) continue;
    s.own[i].axes = axes_about(r.contact[i].normal);
    list_path(r, i), send_unit_forces(r, tree.q, i);
    s.listed[s.known++] = i;
    for (int k = 0; k < s.known; ++k) respond(r, i < s.listed[k] ? s.listed[k] : i, i < s.listed[k] ? i : s.listed[k]);
  }
}

// What forces and velocity terms leave in the eliminated joints without contacts.
template <class T>
TARSUS_KERNEL void send_bias(Robot<T>& r, const TreeState<T>& tree) {
  const Model& m = r.model;
  for (int i = 0; i < m.nodes; ++i) r.ws.wrench[i] = r.bias[i];
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    if (n.dof == 0) continue;
    visit_node(m, r.ws, tree.q, i, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      T force[V::dof];
      load_rates<V>(n, static_cast<const T*>(r.force), force);
      Wrench<T> p = r.ws.wrench[i];
      for_axes_reversed<V>([&]<int axis>(int k) TARSUS_LAMBDA {
        const Eliminated<T>& e = r.ws.eliminated[n.v + k];
        const T u = force[k] - power_along<axis>(J, p.f, p.n), x = u * e.inverse;
        r.points.right[n.v + k] = u;
        p.f += x * e.f, p.n += x * e.n;
      });
      if (n.parent >= 0 && !n.grounded) r.ws.wrench[n.parent] += to_parent(J, p);
    });
  }
}

// Velocities at the end of the step of points without a force.
template <class T>
TARSUS_KERNEL void free_points(Robot<T>& r, double dt) {
  const ContactSpace<T>& s = r.points;
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    const int* joint = s.joints_of(i);
    Vec3<T> a = zero3<T>();
    for (int d = 0; d < s.width[i]; ++d) a += s.right[joint[d]] * s.moved_by(i)[d];
    s.free[i] = s.own[i].axes * r.contact[i].velocity + dt * a;
  }
}

// Eliminates the joints of a robot without contacts; forces of the joints are loaded.
template <class T>
TARSUS_KERNEL void eliminate_without_contacts(Robot<T>& r, const TreeState<T>& tree) {
  for (int i = 0; i < r.model.nodes; ++i) r.ws.wrench[i] = r.bias[i], r.points.untouched[i] = -1;
  const AddedInertia<T> own{r.model, r.ws.bodies, r.points.untouched, r.added, r.joint_inertia};
  eliminate_joints(r.model, r.ws, tree.q, static_cast<const T*>(r.force), own);
  r.points.known = 0;
}

// F and B of a contact in its present regime, in its axes.
template <class T>
TARSUS_INLINE void linear_force(const Square3<T>& axes, const StepContact<T>& s, Vec3<T>& given, Square3<T>& resist) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const T normal = select<T>(s.active, s.resist, zero), across = select<T>(s.slips, s.turning * s.law.gain, s.law.gain);
  const Vec3<T> slip = s.cap * s.slide + s.turning * (s.hold - dot(s.hold, s.slide) * s.slide);
  const Vec3<T> friction = axes * select3<T>(s.slips, slip, s.hold), e = axes * s.slide;
  given = {-friction.x, -friction.y, select<T>(s.active, s.rest, zero)};
  // A point that slips resists along its normal and across its way alone.
  const T root = sqrt_of<T>(across);
  resist.x = {zero, zero, sqrt_of<T>(normal)};
  resist.y = {select<T>(s.slips, zero, root), zero, zero};
  resist.z = {select<T>(s.slips, -root * e.y, zero), root * select<T>(s.slips, e.x, one), zero};
}

// 1 + dt B W B^T = L D L^T of the contacts in `acting`, n rows in all.
template <class T>
TARSUS_KERNEL void factorise_points(ContactSpace<T>& s, int contacts, double dt) {
  const int n = 3 * contacts;
  const T one = broadcast<T>(1.0);
  for (int a = 0; a < contacts; ++a) {
    const int i = s.acting[a];
    const Square3<T>& B = s.resist[i];
    for (int b = 0; b <= a; ++b) {
      const int j = s.acting[b];
      const Square3<T>&W = s.response_of(i, j), &other = s.resist[j];
      const Vec3<T> row[3] = {dt * transposed_times(W, B.x), dt * transposed_times(W, B.y), dt * transposed_times(W, B.z)};
      for (int x = 0; x < 3; ++x) {
        T* to = s.matrix + (size_t)(3 * a + x) * n + 3 * b;
        to[0] = dot(row[x], other.x), to[1] = dot(row[x], other.y), to[2] = dot(row[x], other.z);
      }
    }
    for (int x = 3 * a; x < 3 * a + 3; ++x) s.matrix[(size_t)x * n + x] = s.matrix[(size_t)x * n + x] + one;
  }
  for (int k = 0; k < n; ++k) {
    T* pivot = s.matrix + (size_t)k * n + k;
    const T per = 1.0 / *pivot;
    *pivot = per;
    for (int i = k + 1; i < n; ++i) {
      T* row = s.matrix + (size_t)i * n;
      const T l = per * row[k];
      for (int j = k + 1; j <= i; ++j) row[j] = row[j] - l * s.matrix[(size_t)j * n + k];
    }
    for (int i = k + 1; i < n; ++i) s.matrix[(size_t)i * n + k] = per * s.matrix[(size_t)i * n + k];
  }
}

// y of L D L^T y = right-hand side, in place.
template <class T>
TARSUS_INLINE void substitute_points(const ContactSpace<T>& s, int n) {
  T* y = s.right_hand;
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) y[i] = y[i] - s.matrix[(size_t)i * n + k] * y[k];
  }
  for (int k = 0; k < n; ++k) y[k] = y[k] * s.matrix[(size_t)k * n + k];
  for (int k = n - 1; k >= 0; --k) {
    for (int i = 0; i < k; ++i) y[i] = y[i] - s.matrix[(size_t)k * n + i] * y[k];
  }
}

// Forces of all awake contacts in their present regimes (ContactSpace::force), and the velocities of their points (reached).
template <class T>
TARSUS_KERNEL void solve_points(Robot<T>& r, double dt) {
  ContactSpace<T>& s = r.points;
  const T zero = broadcast<T>(0.0);
  // 1. contacts that have a force in some lane, in the order of their numbers, whoever woke first
  int n = 0;
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    s.force[i] = zero3<T>();
    if (!any<T>(r.step_contact[i].active | less<T>(zero, r.step_contact[i].cap))) continue;
    linear_force(s.own[i].axes, r.step_contact[i], s.given[i], s.resist[i]);
    s.acting[n++] = i;
  }
  // 2. equations and elimination
  factorise_points(s, n, dt);
  for (int a = 0; a < n; ++a) {
    const int i = s.acting[a];
    Vec3<T> pushed = zero3<T>();
    for (int b = 0; b < n; ++b) pushed += s.response_of(i, s.acting[b]) * s.given[s.acting[b]];
    const Vec3<T> y = s.resist[i] * (s.free[i] + dt * pushed);
    s.right_hand[3 * a] = y.x, s.right_hand[3 * a + 1] = y.y, s.right_hand[3 * a + 2] = y.z;
  }
  substitute_points(s, 3 * n);
  // 3. forces and velocities
  for (int a = 0; a < n; ++a) {
    const int i = s.acting[a];
    const T* y = s.right_hand + 3 * a;
    s.pushing[i] = s.given[i] - transposed_times(s.resist[i], Vec3<T>{y[0], y[1], y[2]});
    s.force[i] = transposed_times(s.own[i].axes, s.pushing[i]);
  }
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    Vec3<T> a = zero3<T>();
    for (int b = 0; b < n; ++b) a += s.response_of(i, s.acting[b]) * s.pushing[s.acting[b]];
    s.reached[i] = transposed_times(s.own[i].axes, s.free[i] + dt * a);
  }
}

// Accelerations of all joints and nodes under the forces ContactSpace::pushing of the contacts.
template <class T>
TARSUS_KERNEL void accelerate_under_contacts(Robot<T>& r, const TreeState<T>& tree) {
  const ContactSpace<T>& s = r.points;
  for (int k = 0; k < r.model.nv; ++k) r.ws.eliminated[k].u = s.right[k];
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    const int* joint = s.joints_of(i);
    for (int d = 0; d < s.width[i]; ++d) {
      T& u = r.ws.eliminated[joint[d]].u;
      u = u + dot(s.sent_by(i)[d], s.pushing[i]);
    }
  }
  accelerate(r.model, r.ws, tree.q, r.vdot);
}

}  // namespace tarsus::TARSUS_ISA
