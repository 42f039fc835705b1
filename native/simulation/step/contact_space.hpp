// Contacts of one step among themselves. While the regimes of joints stay, the velocities u of the contact points at the end of
// a step are linear in the forces f on them,
//
//   u = u0 + dt W f,   W = J H^-1 J^T,
//
// with the inertia H of the robot and of the implicit forces of its joints. So the joints are eliminated once, and Newton's
// method goes on in as many unknowns as contacts have directions: linearised forces f = g - C u give
//
//   (1 + dt C W) f = g - C u0,
//
// whose blocks of 3 x 3 are eliminated contact after contact. C and W are positive semidefinite, so that the determinants of
// these blocks are 1 and more; C of a slipping contact whose bound of friction moves with its normal force is not symmetric, and
// what it gives is a guess. Contacts without a force in some lane leave that lane's numbers as they are: they may take part or
// not.
//
// W follows from the numbers Y that a unit of force leaves in the eliminated joints on its way to the root, W = Y^T D^-1 Y, and
// u0 from what the velocity terms leave there (Featherstone 2008 section 7.3, Rodriguez 1987).
#pragma once
#include "simulation/step/line_search.hpp"
#include "simulation/step/pair_resistance.hpp"

namespace tarsus::TARSUS_ISA {

// A contact's force g - C u, linearised about its iterate.
template <class T>
struct LinearForce {
  Vec3<T> constant;
  Square3<T> resist;
};

// Whether the contacts of these robots are solved among themselves: a matter of the model and the world, never of the state.
template <class T>
TARSUS_INLINE bool has_contact_space(const Robot<T>& r) {
  return r.points.most > 0 && !r.solves_impulses && !r.constraints.any();
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

// What unit forces at contact i along the axes of the world leave in the joints on its way.
template <class T>
inline void send_unit_forces(const Robot<T>& r, const T* q, int i) {
  const Contact<T>& c = r.contact[i];
  const auto& R = r.ws.pose[c.node].R;
  const Vec3<T> axis[3] = {{R.a.x, R.b.x, R.c.x}, {R.a.y, R.b.y, R.c.y}, {R.a.z, R.b.z, R.c.z}};
  Wrench<T> p[3];
  for (int x = 0; x < 3; ++x) p[x] = {-axis[x], cross(axis[x], c.arm)};
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

// W of contacts i and j.
template <class T>
inline void respond(const Robot<T>& r, int i, int j) {
  const ContactSpace<T>& s = r.points;
  Square3<T> w{zero3<T>(), zero3<T>(), zero3<T>()};
  const int *a = s.joints_of(i), *b = s.joints_of(j), least = s.width[i] < s.width[j] ? s.width[i] : s.width[j];
  for (int d = 0; d < least && a[d] == b[d]; ++d) {  // paths share their first joints, and none behind
    const Vec3<T>&m = s.moved_by(i)[d], &y = s.sent_by(j)[d];
    w.x += m.x * y, w.y += m.y * y, w.z += m.z * y;
  }
  s.response_of(i, j) = w;
  if (i == j) return;
  s.response_of(j, i) = {{w.x.x, w.y.x, w.z.x}, {w.x.y, w.y.y, w.z.y}, {w.x.z, w.y.z, w.z.z}};
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
    s.free[i] = r.contact[i].velocity + dt * a;
  }
}

// Eliminates the joints of a robot without contacts, and W of those that are awake; forces of the joints are loaded.
template <class T>
TARSUS_KERNEL void eliminate_points(Robot<T>& r, const TreeState<T>& tree) {
  const T o = broadcast<T>(0.0);
  for (int i = 0; i < r.model.nodes; ++i) r.ws.wrench[i] = r.bias[i];
  for (int s = 0; s < r.world.touchables; ++s) {
    r.added[s] = {{o, o, o, o, o, o}, {o, o, o, o, o, o}, zero3<T>(), zero3<T>(), zero3<T>()};
  }
  eliminate_joints(r.model, r.ws, tree.q, static_cast<const T*>(r.force), step_inertia(r));
  for (int j = 0; j < r.awakes; ++j) list_path(r, r.awake[j]), send_unit_forces(r, tree.q, r.awake[j]);
  for (int j = 0; j < r.awakes; ++j) {
    for (int k = 0; k <= j; ++k) respond(r, r.awake[j], r.awake[k]);
  }
}

// The force of a contact in its present regime; in lanes with a `live` bound that is friction times the normal force, whatever
// was held.
template <class T>
TARSUS_INLINE LinearForce<T> linear_force(const Contact<T>& c, const StepContact<T>& s, typename Bits<T>::type live) {
  const T zero = broadcast<T>(0.0);
  const Vec3<T>&n = c.normal, &e = s.slide;
  const T normal = select<T>(s.active, s.resist, zero), rest = select<T>(s.active, s.rest, zero);
  const T across = select<T>(s.slips, s.turning * s.law.gain, s.law.gain), along = select<T>(s.slips, across, zero);
  const auto follows = live & s.slips;
  const T bound = select<T>(follows, s.law.friction * rest, s.cap);
  const T drag = select<T>(follows, s.law.friction * normal, zero);
  const Vec3<T> slip = bound * e + s.turning * (s.hold - dot(s.hold, e) * e);
  // C = c_n n n^T + c_t (1 - n n^T - e e^T) - mu c_n e n^T
  const Vec3<T> u = (normal - across) * n - drag * e, w = along * e;
  LinearForce<T> f;
  f.constant = rest * n - select3<T>(s.slips, slip, s.hold);
  f.resist.x = Vec3<T>{u.x * n.x - w.x * e.x + across, u.x * n.y - w.x * e.y, u.x * n.z - w.x * e.z};
  f.resist.y = Vec3<T>{u.y * n.x - w.y * e.x, u.y * n.y - w.y * e.y + across, u.y * n.z - w.y * e.z};
  f.resist.z = Vec3<T>{u.z * n.x - w.z * e.x, u.z * n.y - w.z * e.y, u.z * n.z - w.z * e.z + across};
  return f;
}

// Forces of all awake contacts in their present regimes (ContactSpace::force), and the velocities of their points (reached).
template <class T>
TARSUS_KERNEL void solve_points(Robot<T>& r, double dt, typename Bits<T>::type live) {
  ContactSpace<T>& s = r.points;
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  // 1. the equations of contacts that have a force in some lane, in the order of the contacts, whoever woke first
  int n = 0;
  for (int j = 0; j < r.listeds; ++j) {
    const int i = r.listed[j];
    if (!r.contact[i].near || !r.step_contact[i].awake) continue;
    s.force[i] = zero3<T>();
    if (any<T>(r.step_contact[i].active | less<T>(zero, r.step_contact[i].cap))) s.acting[n++] = i;
  }
  for (int a = 0; a < n; ++a) {
    const int i = s.acting[a];
    const LinearForce<T> f = linear_force(r.contact[i], r.step_contact[i], live);
    s.force[i] = f.constant - f.resist * s.free[i];
    const Square3<T> c = dt * f.resist;
    for (int b = 0; b < n; ++b) s.block(a, b) = c * s.response_of(i, s.acting[b]);
    Square3<T>& own = s.block(a, a);
    own.x.x = own.x.x + one, own.y.y = own.y.y + one, own.z.z = own.z.z + one;
  }
  // 2. elimination
  for (int k = 0; k < n; ++k) {
    s.block(k, k) = inverse(s.block(k, k));
    for (int a = k + 1; a < n; ++a) {
      const Square3<T> l = s.block(a, k) * s.block(k, k);
      s.force[s.acting[a]] = s.force[s.acting[a]] - l * s.force[s.acting[k]];
      for (int b = k + 1; b < n; ++b) subtract_product(l, s.block(k, b), s.block(a, b));
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    Vec3<T> f = s.force[s.acting[k]];
    for (int b = k + 1; b < n; ++b) f = f - s.block(k, b) * s.force[s.acting[b]];
    s.force[s.acting[k]] = s.block(k, k) * f;
  }
  // 3. velocities
  for (int j = 0; j < r.awakes; ++j) {
    const int i = r.awake[j];
    Vec3<T> a = zero3<T>();
    for (int b = 0; b < n; ++b) a += s.response_of(i, s.acting[b]) * s.force[s.acting[b]];
    s.reached[i] = s.free[i] + dt * a;
  }
}

// Accelerations of all joints and nodes under the trial forces of the contacts.
template <class T>
TARSUS_KERNEL void accelerate_under_contacts(Robot<T>& r, const TreeState<T>& tree) {
  const ContactSpace<T>& s = r.points;
  for (int k = 0; k < r.model.nv; ++k) r.ws.eliminated[k].u = s.right[k];
  for (int j = 0; j < r.listeds; ++j) {
    const int i = r.listed[j];
    if (!r.contact[i].near || !r.step_contact[i].awake) continue;
    const int* joint = s.joints_of(i);
    for (int d = 0; d < s.width[i]; ++d) {
      T& u = r.ws.eliminated[joint[d]].u;
      u = u + dot(s.sent_by(i)[d], r.step_contact[i].trial_force);
    }
  }
  accelerate(r.model, r.ws, tree.q, r.vdot);
}

}  // namespace tarsus::TARSUS_ISA
