// Partial derivatives of inverse dynamics with respect to q, v and vdot, O(n d) entries for a tree of depth d.
//
// Screws S of all degrees of freedom at one point fixed in space, as Singh, Russo and Wensing 2022 derive them. A small change
// of coordinate j carries everything behind its joint along as a rigid body with the twist S_j. Seen by an observer who is
// carried along, too, nothing behind the joint has moved but its motion has changed, for every body by the same amount:
//   velocity      dV = Psi'_j                   Psi'_j  = V_p x S_j
//   acceleration  dA = Psi''_j - V x Psi'_j     Psi''_j = A_p x S_j + V_p x Psi'_j
// where p is the parent of j's joint and A contains gravity as an acceleration of the world. So the force of a body changes by
// I Psi'' + 2 B Psi' with the matrix B of coriolis.hpp, and by I (S'_j + Psi'_j) + 2 B S_j with v_j, S'_j = V x S_j. Sums of I,
// B and of the forces F over subtrees give, with k at or behind j's joint, and with k strictly before it:
//   d tau_k / d q_j = S_k . (I_k Psi''_j + 2 B_k Psi'_j)    and   S_k . (I_j Psi''_j + 2 B_j Psi'_j + S_j x* F_j)
//   d tau_k / d v_j = S_k . (I_k (S'_j + Psi'_j) + 2 B_k S_j)   and   the same with I_j, B_j
//   d tau_k / d vdot_j = S_k . I_k S_j.
// Carpentier and Mansard 2018 reach the same matrices by another recursion.
//
// External wrenches (f, n) act at body origins o that move along, but keep their direction in the world. The carried observer
// sees them turn: minus the wrench changes by E S_j = (w x f; w x n + o x (w x f)) with the angular part w of S_j, which has
// the two blocks of B.
#pragma once
#include "kernels/derivatives/passive_derivatives.hpp"
#include "kernels/dynamics/coriolis.hpp"
#include "kernels/kinematics/bodies.hpp"
#include "math/several.hpp"

namespace tarsus::TARSUS_ISA {

// What a unit change of coordinate j or velocity j does to everything behind the joint: derivatives by q_j and v_j in one.
template <class T>
struct Variation {
  Screw<T> screw;        // S
  Screw<Two<T>> motion;  // Psi'', S' + Psi'
  Vec3<Two<T>> turning;  // angular parts of Psi', S
};

// The same for the force on everything behind the joint.
template <class T>
struct VariedForce {
  Screw<Three<T>> force;  // by q_j, v_j, vdot_j
  Screw<T> momentum;      // the last of them, I S
  Vec3<T> b, e;           // 2 S^T B and S^T E, which have angular parts only
};

// Memory beside the workspace.
template <class T>
struct VariationSpace {
  Variation<T>* variation;     // tree_nv
  Screw<T>* acceleration;      // nodes, gravity included
  Screw<T>* force;             // nodes: F
  CoriolisBlock<T>* turned;    // nodes: E
  CoriolisBlock<T>* coriolis;  // nodes: B
  static constexpr size_t kAlignment = 64;
  static size_t size(const Model& m) {  // in entries of T
    return kAlignment / 8 + (size_t)m.tree_nv * (sizeof(Variation<double>) / 8) +
           (size_t)m.nodes * (2 * sizeof(Screw<double>) + 2 * sizeof(CoriolisBlock<double>)) / 8;
  }
  VariationSpace(const Model& m, T* memory) {
    char* next = reinterpret_cast<char*>((reinterpret_cast<size_t>(memory) + kAlignment - 1) / kAlignment * kAlignment);
    auto take = [&]<class U>(U*& array, size_t count) {
      array = reinterpret_cast<U*>(next);
      next += count * sizeof(U);
    };
    take(variation, m.tree_nv), take(acceleration, m.nodes), take(force, m.nodes), take(turned, m.nodes), take(coriolis, m.nodes);
  }
};

template <class T>
TARSUS_INLINE Vec3<Two<T>> both(const Vec3<T>& a, const Vec3<T>& b) {
  return {both(a.x, b.x), both(a.y, b.y), both(a.z, b.z)};
}
template <class T>
TARSUS_INLINE Vec3<Three<T>> all_three(const Vec3<Two<T>>& a, const Vec3<T>& b) {
  auto join = [](const Two<T>& s, const T& t) TARSUS_LAMBDA { return all_three(part<0>(s), part<1>(s), t); };
  return {join(a.x, b.x), join(a.y, b.y), join(a.z, b.z)};
}
template <class T>
TARSUS_INLINE Vec3<Three<T>> first_of_three(const Vec3<T>& a) {
  const T o = broadcast<T>(0.0);
  return {all_three(a.x, o, o), all_three(a.y, o, o), all_three(a.z, o, o)};
}
template <class T>
TARSUS_INLINE Vec3<T> last_of(const Vec3<Three<T>>& a) {
  return {part<2>(a.x), part<2>(a.y), part<2>(a.z)};
}

template <class T>
TARSUS_INLINE Screw<T> operator+(const Screw<T>& a, const Screw<T>& b) {
  return {a.linear + b.linear, a.angular + b.angular};
}
template <class T>
TARSUS_INLINE Screw<T> operator-(const Screw<T>& a, const Screw<T>& b) {
  return {a.linear - b.linear, a.angular - b.angular};
}
// Rate of a wrench or momentum that is carried with twist V: V x* F.
template <class T>
TARSUS_INLINE Screw<T> carried_force(const Screw<T>& V, const Screw<T>& F) {
  return {cross(V.angular, F.linear), cross(V.angular, F.angular) + cross(V.linear, F.linear)};
}
template <class T>
TARSUS_INLINE void operator+=(CoriolisBlock<T>& a, const CoriolisBlock<T>& b) {
  a.f += b.f, a.x += b.x, a.y += b.y, a.z += b.z;
}

// E of one wrench (f, n) at the point o.
template <class T>
TARSUS_INLINE CoriolisBlock<T> turned_wrench(const Vec3<T>& f, const Vec3<T>& n, const Vec3<T>& o) {
  const T of = dot(o, f);  // o x (w x f) = (o . f) w - f (o . w)
  return {f, Vec3<T>{of, n.z, -n.y} - f.x * o, Vec3<T>{-n.z, of, n.x} - f.y * o, Vec3<T>{n.y, -n.x, of} - f.z * o};
}

// The axes and the point that screws refer to: those of a floating base, whose own screws are then unit vectors, or the world's
// axes at the root.
template <class T>
struct Reference {
  bool floating;
  Mat3<T> R;  // from the reference to the world
  TARSUS_INLINE Vec3<T> seen(const Vec3<T>& x) const { return floating ? to_child(R, x) : x; }
};

// Takes the external wrench on node i's body off its force.
template <class T>
TARSUS_INLINE void push(const Node& n, const Reference<T>& reference, const Placed<T>& X, const T* external, Screw<T>& F,
                        CoriolisBlock<T>& E) {
  const Vec3<T> none = zero3<T>();
  E = {none, none, none, none};
  if (n.body < 0) return;
  const T* w = external + 6 * n.body;
  const Vec3<T> f = reference.seen({w[0], w[1], w[2]}), moment = reference.seen({w[3], w[4], w[5]}), o = body_on(X, n).p;
  F = F - Screw<T>{f, moment + cross(o, f)};
  E = turned_wrench(f, moment, o);
}

// Forward sweep: motions, variations, and the inertias and forces of single bodies.
template <class T>
TARSUS_INLINE void vary_node(const Context<T>& x, const VariationSpace<T>& s, int i, const Screw<T>& Vp, const Screw<T>& Ap) {
  Workspace<T>& ws = x.ws;
  const Node& n = x.model.node[i];
  const Screw<T> none{zero3<T>(), zero3<T>()};
  Screw<T> own = none, V = Vp, A = Ap;
  for_screws(n, ws.pose[i], [&](int k, const Screw<T>& S) TARSUS_LAMBDA {
    s.variation[k].screw = S;
    own += x.v[k] * S;
    A += x.a[k] * S;
  });
  V += own;
  A += carried_rate(V, own);
  for (int k = n.v; k < n.v + n.dof; ++k) {
    Variation<T>& y = s.variation[k];
    const Screw<T> velocity = carried_rate(Vp, y.screw);
    const Screw<T> acceleration = carried_rate(Ap, y.screw) + carried_rate(Vp, velocity);
    const Screw<T> rate = velocity + (n.dof == 1 ? velocity : carried_rate(V, y.screw));
    y.motion = {both(acceleration.linear, rate.linear), both(acceleration.angular, rate.angular)};
    y.turning = both(velocity.angular, y.screw.angular);
  }
  ws.twist[i] = V;
  s.acceleration[i] = A;
  const Composite<T> c = body_moments(constants(n), ws.pose[i]);
  ws.composite[i] = c;
  s.coriolis[i] = coriolis_block(c, V);
  s.force[i] = momentum_of(c, A) + carried_force(V, momentum_of(c, V));
}

template <class T>
TARSUS_INLINE Reference<T> vary_nodes(const Context<T>& x, const VariationSpace<T>& s) {
  const Model& m = x.model;
  Workspace<T>& ws = x.ws;
  prepare_joints(m, ws, x.q);
  const Reference<T> reference{is_floating(m.node[0]), root_pose(m, ws).R};
  ws.pose[0] = {reference.floating ? identity3<T>() : reference.R, zero3<T>()};
  const Vec3<T> up = -widen<T>(vec3(m.gravity));
  const Screw<T> still{zero3<T>(), zero3<T>()}, world{reference.seen(up), zero3<T>()};
  for (int i = 0; i < m.nodes; ++i) {
    const int p = m.node[i].parent;
    if (i > 0) pose_step(m, ws, x.q, i, ws.pose[p]);
    vary_node(x, s, i, p < 0 ? still : ws.twist[p], p < 0 ? world : s.acceleration[p]);
    if (x.external) push(m.node[i], reference, ws.pose[i], x.external, s.force[i], s.turned[i]);
  }
  return reference;
}

// Forces on the subtree of node i per unit of coordinate k of its joint.
template <class T>
TARSUS_INLINE VariedForce<T> varied_force(const Context<T>& x, const VariationSpace<T>& s, int i, int k) {
  const CoriolisBlock<T>& B = s.coriolis[i];
  const Variation<T>& y = s.variation[k];
  const T two = broadcast<T>(2.0);
  const Vec3<T> none = zero3<T>();
  const Screw<T> carried = carried_force(y.screw, s.force[i]);
  const Screw<Three<T>> motion{all_three<T>(y.motion.linear, y.screw.linear), all_three<T>(y.motion.angular, y.screw.angular)};
  const Vec3<Three<T>> turning = all_three<T>(two * y.turning, none);
  VariedForce<T> F;
  F.force = momentum_of(x.ws.composite[i], motion);
  F.force.linear += cross(turning, B.f);
  F.force.angular += Vec3<Three<T>>{dot(B.x, turning), dot(B.y, turning), dot(B.z, turning)};
  F.momentum = {last_of<T>(F.force.linear), last_of<T>(F.force.angular)};
  F.force.linear += first_of_three(carried.linear), F.force.angular += first_of_three(carried.angular);
  F.b = two * transposed_times(B, y.screw).angular;
  F.e = none;
  if (x.external) {
    const Screw<T> turned = times(s.turned[i], y.screw);
    F.force.linear += first_of_three(turned.linear), F.force.angular += first_of_three(turned.angular);
    F.e = transposed_times(s.turned[i], y.screw).angular;
  }
  return F;
}

// Row k, column j, where j's joint is that of k or before it.
template <class T>
TARSUS_INLINE void put_row(const DerivativeSquares<T>& out, bool pushed, int k, int j, const VariedForce<T>& F,
                           const Variation<T>& y) {
  const Two<T> both = power(y.motion, F.momentum) + dot(y.turning, F.b);
  const size_t at = (size_t)k * out.n + j;
  out.q[at] = pushed ? part<0>(both) + dot(F.e, y.screw.angular) : part<0>(both);
  out.v[at] = part<1>(both);
}

template <class T>
TARSUS_INLINE void put_three(const DerivativeSquares<T>& out, size_t at, const Three<T>& x) {
  out.q[at] = part<0>(x), out.v[at] = part<1>(x), out.a[at] = part<2>(x);
}
template <class T>
TARSUS_INLINE void put3(T* to, size_t stride, const Vec3<T>& x) {
  to[0] = x.x, to[stride] = x.y, to[2 * stride] = x.z;
}

// Columns of a floating base in row k: its screws are unit vectors, and its parent, the world, moves with Psi'' = up x S only.
template <class T>
TARSUS_INLINE void put_base_columns(const DerivativeSquares<T>& out, int k, const VariedForce<T>& F, const Vec3<T>& up,
                                    const Screw<T>& V) {
  const size_t row = (size_t)k * out.n;
  const Vec3<T>&f = F.momentum.linear, &n = F.momentum.angular;
  put3(out.q + row, 1, zero3<T>());
  put3(out.q + row + 3, 1, cross(f, up) + F.e);
  put3(out.v + row, 1, cross(f, V.angular));
  put3(out.v + row + 3, 1, cross(f, V.linear) + cross(n, V.angular) + F.b);
  put3(out.a + row, 1, f), put3(out.a + row + 3, 1, n);
}

// Rows of a floating base in column k.
template <class T>
TARSUS_INLINE void put_base_rows(const DerivativeSquares<T>& out, int k, const VariedForce<T>& F) {
  const size_t n = out.n;
  const Vec3<Three<T>>&f = F.force.linear, &moment = F.force.angular;
  const Three<T> rows[6] = {f.x, f.y, f.z, moment.x, moment.y, moment.z};
  TARSUS_UNROLL
  for (int r = 0; r < 6; ++r) put_three<T>(out, k + r * n, rows[r]);
}

// Row and column k of a joint at node i, except for a floating base.
template <class T>
TARSUS_INLINE void put_joint(const Context<T>& x, const VariationSpace<T>& s, const DerivativeSquares<T>& out, int i, int k,
                             const VariedForce<T>& F, int first) {
  const Model& m = x.model;
  const Node& n = m.node[i];
  for (int j = n.v; j < n.v + n.dof; ++j) {
    put_row(out, x.external, k, j, F, s.variation[j]);
    out.a[(size_t)k * out.n + j] = power(s.variation[j].screw, F.momentum);
  }
  for (int j = m.dof_parent[n.v]; j >= first; j = m.dof_parent[j]) {
    const Variation<T>& y = s.variation[j];
    put_row(out, x.external, k, j, F, y);
    const Three<T> column = power(y.screw, F.force);
    put_three<T>(out, (size_t)j * out.n + k, column);
    out.a[(size_t)k * out.n + j] = part<2>(column);
  }
}

// Derivatives over the coordinates of the tree. Entries between unrelated branches must be zero before.
template <class T>
TARSUS_KERNEL void inverse_dynamics_derivatives(const Context<T>& x, const DerivativeSquares<T>& out, T* scratch) {
  const Model& m = x.model;
  const VariationSpace<T> s(m, scratch);
  const Reference<T> reference = vary_nodes(x, s);
  const Vec3<T> up = reference.seen(-widen<T>(vec3(m.gravity)));
  const int first = reference.floating ? 6 : 0;  // degree of freedom that is not the base's
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    for (int k = n.v; k < n.v + n.dof; ++k) {
      const VariedForce<T> F = varied_force(x, s, i, k);
      if (k >= first) put_joint(x, s, out, i, k, F, first);
      if (k >= first && first > 0) put_base_rows(out, k, F);
      if (first > 0) put_base_columns(out, k, F, up, x.ws.twist[0]);
      const size_t diagonal = (size_t)k * (out.n + 1);
      out.a[diagonal] = out.a[diagonal] + m.armature[k];
    }
    if (n.parent < 0) continue;
    x.ws.composite[n.parent] += x.ws.composite[i];
    s.coriolis[n.parent] += s.coriolis[i];
    s.force[n.parent] += s.force[i];
    if (x.external) s.turned[n.parent] += s.turned[i];
  }
  add_sliding_slopes(m, x.v, true, out.v);
  if (x.passive) add_passive_derivatives(x, out);
}

}  // namespace tarsus::TARSUS_ISA
