// Contacts between two bodies in one implicit step. Their resistance couples bodies of different branches, which one sweep of the
// tree cannot eliminate. With H the inertia of everything else, eliminated, and rows g of the directions in which contacts
// resist a unit of relative acceleration with c, the motion is that of
//
//   (H + sum c g^T g) a = b,   a = a0 + A z,   H^-1 = A A^T,   (1 + sum c (g A)^T (g A)) z = -sum c (g a0) (g A)^T
//
// with the columns A of independent velocities (impulses/impulse_response.hpp): as many equations as independent velocities that
// move the touching bodies, however many contacts there are. Forces follow from z contact by contact and are put on both bodies,
// so that momentum is kept whatever the rounding of z.
#pragma once
#include "simulation/step/contacts.hpp"
#include "simulation/tree_state.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE AddedInertia<T> step_inertia(const Robot<T>& r) {
  return {r.model, r.ws.bodies, r.world.slot, r.added, r.joint_inertia};
}

// Directions in which a contact resists, world, and how much.
template <class T>
struct Resistance {
  Vec3<T> axis[3];
  T much[3];
};

template <class T>
TARSUS_INLINE Resistance<T> resistance_of(const Contact<T>& c, const StepContact<T>& s, double dt) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const Vec3<T>& n = c.normal;
  const T sign = select<T>(less<T>(n.z, zero), -one, one), a = -1.0 / (sign + n.z), b = n.x * n.y * a;  // Duff et al. 2017
  const Vec3<T> t1{one + sign * n.x * n.x * a, sign * b, -(sign * n.x)}, t2{b, sign + n.y * n.y * a, -n.y};
  const auto rubs = less<T>(zero, s.cap);
  const T stick = dt * s.law.gain;
  Resistance<T> r;
  r.axis[0] = n, r.much[0] = select<T>(s.active, dt * s.resist, zero);
  r.axis[1] = t1, r.much[1] = select<T>(s.slips, zero, stick);
  r.axis[2] = select3<T>(s.slips, cross(n, s.slide), t2);
  r.much[2] = select<T>(s.slips, select<T>(rubs, stick * s.turning, zero), stick);
  return r;
}

// Whether the impulses of a contact between bodies, which have one law, are solved for.
template <class T>
TARSUS_INLINE bool is_solved(const Contact<T>& c) {
  return Laws::kRow[__builtin_ctz(c.laws)].solved;
}

// The bodies that awake contacts between bodies touch; returns how many such contacts there are.
template <class T>
inline int list_pairs(Robot<T>& r) {
  constexpr int kWanted = -2;
  r.pushed.clear(r.world.touchables);
  int count = 0;
  for (int j = 0; j < r.awakes; ++j) {
    const Contact<T>& c = r.contact[r.awake[j]];
    if (c.other < 0 || is_solved(c)) continue;
    r.pushed.index[r.world.slot[c.node]] = r.pushed.index[r.world.slot[c.other]] = kWanted;
    ++count;
  }
  if (count == 0) return 0;
  PairSystem<T>& p = r.pairs;
  for (int d = 0; d < r.model.nv; ++d) p.place[d] = -1;
  for (int k = 0; k < r.world.nodes; ++k) {
    const int i = r.world.node[k], slot = r.world.slot[i];
    if (slot < 0 || r.pushed.index[slot] != kWanted) continue;
    r.pushed.add(r.model, slot, i);
    const int body = r.pushed.index[slot];
    for (int x = 0; x < r.pushed.width[body]; ++x) p.place[r.pushed.columns_of(body)[x]] = 0;
  }
  p.columns = 0;
  for (int d = r.model.nv - 1; d >= 0; --d) {  // outermost first, as in an elimination along the tree
    if (p.place[d] == 0) p.place[d] = p.columns++;
  }
  return count;
}

// Rows g A of the three directions, added for one body with a sign; notes the columns that they use.
template <class T>
TARSUS_INLINE int add_rows(const Robot<T>& r, int node, const Vec3<T>& arm, double sign, const Resistance<T>& d, int used) {
  const PairSystem<T>& p = r.pairs;
  const int body = r.pushed.index[r.world.slot[node]];
  const int* column = r.pushed.columns_of(body);
  const T* A = r.pushed.factor_of(body);
  Vec3<T> f[3], m[3];
  for (int k = 0; k < 3; ++k) f[k] = sign * to_child(r.ws.pose[node].R, d.axis[k]), m[k] = cross(arm, f[k]);
  for (int x = 0; x < r.pushed.width[body]; ++x) {
    const T* a = A + 6 * x;
    const int place = p.place[column[x]];
    bool known = false;
    for (int u = 0; u < used && !known; ++u) known = p.used[u] == place;
    if (!known) {
      p.used[used++] = place;
      for (int k = 0; k < 3; ++k) p.row[3 * place + k] = broadcast<T>(0.0);
    }
    for (int k = 0; k < 3; ++k) {
      T& entry = p.row[3 * place + k];
      entry = entry + (a[0] * f[k].x + a[1] * f[k].y + a[2] * f[k].z) + (a[3] * m[k].x + a[4] * m[k].y + a[5] * m[k].z);
    }
  }
  return used;
}
template <class T>
TARSUS_INLINE int rows_of(const Robot<T>& r, const Contact<T>& c, const Resistance<T>& d) {
  return add_rows(r, c.other, c.other_arm, -1.0, d, add_rows(r, c.node, c.arm, 1.0, d, 0));
}

// Calls f(contact, its resistances) of all contacts between bodies that take part.
template <class T, class F>
TARSUS_INLINE void for_pairs(Robot<T>& r, double dt, F f) {
  for (int j = 0; j < r.awakes; ++j) {
    const Contact<T>& c = r.contact[r.awake[j]];
    if (c.other < 0 || is_solved(c)) continue;
    const Resistance<T> d = resistance_of(c, r.step_contact[r.awake[j]], dt);
    if (any<T>(less<T>(broadcast<T>(0.0), d.much[0] + d.much[1] + d.much[2]))) f(c, d);
  }
}

// The matrix of z.
template <class T>
TARSUS_KERNEL void add_pair_resistances(Robot<T>& r, double dt) {
  PairSystem<T>& p = r.pairs;
  const int n = p.columns;
  for (int i = 0; i < n * n; ++i) p.matrix[i] = broadcast<T>(0.0);
  for (int i = 0; i < n; ++i) p.matrix[i * n + i] = broadcast<T>(1.0);
  p.resisting = less<T>(broadcast<T>(0.0), broadcast<T>(0.0));
  for_pairs(r, dt, [&](const Contact<T>& c, const Resistance<T>& d) {
    p.resisting = p.resisting | less<T>(broadcast<T>(0.0), d.much[0] + d.much[1] + d.much[2]);
    const int used = rows_of(r, c, d);
    for (int u = 0; u < used; ++u) {
      const T* g = p.row + 3 * p.used[u];
      const T x = d.much[0] * g[0], y = d.much[1] * g[1], z = d.much[2] * g[2];
      T* to = p.matrix + (size_t)p.used[u] * n;
      for (int w = 0; w < used; ++w) {
        const T* h = p.row + 3 * p.used[w];
        to[p.used[w]] = to[p.used[w]] + (x * h[0] + y * h[1] + z * h[2]);
      }
    }
  });
}

// z from the motion without these resistances, which is in ws.motion.
template <class T>
TARSUS_KERNEL void solve_pair_equations(Robot<T>& r, double dt) {
  PairSystem<T>& p = r.pairs;
  for (int i = 0; i < p.columns; ++i) p.right[i] = broadcast<T>(0.0);
  for_pairs(r, dt, [&](const Contact<T>& c, const Resistance<T>& d) {
    const int used = rows_of(r, c, d);
    const Vec3<T> a = point_acceleration(r, c);
    const T along[3] = {d.much[0] * dot(d.axis[0], a), d.much[1] * dot(d.axis[1], a), d.much[2] * dot(d.axis[2], a)};
    for (int u = 0; u < used; ++u) {
      const T* g = p.row + 3 * p.used[u];
      T& right = p.right[p.used[u]];
      right = right - (along[0] * g[0] + along[1] * g[1] + along[2] * g[2]);
    }
  });
  substitute_rows(static_cast<const T*>(p.matrix), p.columns, p.right);
}

// Forces of the resistances, on both bodies, from the motion without them.
template <class T>
TARSUS_KERNEL void add_pair_forces(Robot<T>& r, double dt) {
  PairSystem<T>& p = r.pairs;
  solve_pair_equations(r, dt);
  for (int k = 0; k < r.pushed.bodies; ++k) p.wrench[k] = {zero3<T>(), zero3<T>()};
  auto put = [&](int node, const Vec3<T>& arm, const Vec3<T>& force) {
    const Vec3<T> f = to_child(r.ws.pose[node].R, force);
    Wrench<T>& w = p.wrench[r.pushed.index[r.world.slot[node]]];
    w.f += f, w.n += cross(arm, f);
  };
  for_pairs(r, dt, [&](const Contact<T>& c, const Resistance<T>& d) {
    const int used = rows_of(r, c, d);
    const Vec3<T> a = point_acceleration(r, c);
    T along[3] = {dot(d.axis[0], a), dot(d.axis[1], a), dot(d.axis[2], a)};
    for (int u = 0; u < used; ++u) {
      for (int k = 0; k < 3; ++k) along[k] = along[k] + p.row[3 * p.used[u] + k] * p.right[p.used[u]];
    }
    Vec3<T> force = zero3<T>();
    for (int k = 0; k < 3; ++k) force = force - (d.much[k] * along[k]) * d.axis[k];
    put(c.node, c.arm, force), put(c.other, c.other_arm, -force);
  });
  take_impulses(r.model, r.ws, r.cluster, r.pushed, static_cast<const Wrench<T>*>(p.wrench));
}

// The system of the contacts between bodies that take part, from an elimination.
template <class T>
TARSUS_KERNEL void prepare_pairs(Robot<T>& r, const TreeState<T>& tree, double dt) {
  r.pairs.acts = list_pairs(r) > 0;
  if (!r.pairs.acts) return;
  find_columns(r.model, r.ws, tree.q, r.cluster, r.pushed);
  r.pairs.root = r.pushed.root;
  add_pair_resistances(r, dt);
  eliminate_rows<true>(r.pairs.matrix, r.pairs.columns, 1e-6);  // pivots are 1 and more
}

}  // namespace tarsus::TARSUS_ISA
