// Derivatives of what follows in loops and polynomial couplings with respect to the independent coordinates: of the coupling
// matrix G, and of the tree's accelerations a = G vdot + Gdot v.
//
// Along a coordinate j the tree moves with u = G e_j. Closing conditions hold everywhere, so that their derivatives are zero:
// with A the Jacobian of the conditions over the tree's velocities and A_D its columns of dependent joints,
//   A_D d_j G = -(d_u A) G                         the rate of A for the velocities u (loop_conditions.hpp)
//   A_D d_j a = -d (second rate of the conditions) / d(q, v) along u and w = (d_j G) v
// where the last one is taken on screws that are fixed to the nodes: with twists V, accelerations A and twists U of the motion u,
//   dV_i = dV_p + U_i x s + s_w,   dA_i = dA_p + U_i x s_a + dV_i x s + V_i x (U_i x s + s_w),
// s = S v, s_w = S w, s_a = S a of the joint at node i, p its parent, x the bracket of twists.
#pragma once
#include "kernels/loops/tree_coordinates.hpp"

namespace tarsus::TARSUS_ISA {

// Derivatives of one closure, for its independents j: slope is dG_ki / dq_j at (j nd + k) ni + i, acceleration da_k / dq_j at
// j nd + k, which is there for a state with velocities.
template <class T>
struct ClosureDerivatives {
  const T *slope, *acceleration;
};

// Motion of a node of a loop seen from the loop's root, and its change along a coordinate.
template <class T>
struct VariedMotion {
  Screw<T> V, A, U, dV, dA;
};

// Entries of scratch: derivatives of the largest closure, velocities along a coordinate and their change, motions of all nodes.
inline size_t coupling_derivatives_scratch(const Model& m) {
  size_t largest = 0;
  for (int i = m.followers; i < m.closures; ++i) {
    const Closure& c = m.closure[i];
    const size_t own = ((size_t)c.independents + 1) * c.independents * c.dependents;
    largest = own > largest ? own : largest;
  }
  return largest + 2 * (size_t)m.tree_nv + (size_t)m.nodes * (sizeof(VariedMotion<double>) / sizeof(double));
}

// Motions of a closure's nodes for velocities v, accelerations a, and a change u of the configuration and w of the velocities.
template <class T>
inline void vary_motions(const Model& m, const Closure& c, const Workspace<T>& ws, const T* v, const T* a, const T* u, const T* w,
                         VariedMotion<T>* motion) {
  const Screw<T> still{zero3<T>(), zero3<T>()};
  for (int k = 0; k < c.nodes; ++k) {
    const int i = c.node[k];
    const Node& n = m.node[i];
    VariedMotion<T> x{still, still, still, still, still};
    if (n.parent != c.root) x = motion[n.parent];
    Screw<T> s = still, along = still, change = still, thrust = still;
    for (int d = n.v; d < n.v + n.dof; ++d) {
      s += v[d] * ws.screw[d], along += u[d] * ws.screw[d];
      change += w[d] * ws.screw[d], thrust += a[d] * ws.screw[d];
    }
    x.V += s, x.U += along;
    change += carried_rate(x.U, s);
    x.A += thrust + carried_rate(x.V, s);
    x.dV += change;
    x.dA += carried_rate(x.U, thrust) + carried_rate(x.dV, s) + carried_rate(x.V, change);
    motion[i] = x;
  }
}

// A vector that moves with a node: its rates, and their changes. Points feel the linear parts of screws, axes do not.
template <class T>
struct VariedVector {
  Vec3<T> x, v, a, dx, dv, da;
};
template <bool point, class T>
inline VariedVector<T> vary_vector(const VariedMotion<T>* motion, const Vec3<T>& x) {
  if (!motion) return {x, zero3<T>(), zero3<T>(), zero3<T>(), zero3<T>(), zero3<T>()};
  const VariedMotion<T>& y = *motion;
  auto field = [&](const Screw<T>& s) { return point ? s.linear + cross(s.angular, x) : cross(s.angular, x); };
  VariedVector<T> r;
  r.x = x, r.v = field(y.V), r.dx = field(y.U);
  r.a = field(y.A) + cross(y.V.angular, r.v);
  r.dv = field(y.dV) + cross(y.V.angular, r.dx);
  r.da = field(y.dA) + cross(y.A.angular, r.dx) + cross(y.dV.angular, r.v) + cross(y.V.angular, r.dv);
  return r;
}

// Change of the second rate of a closing condition n . d.
template <class T>
inline T varied_second_rate(const LoopRow& row, const Workspace<T>& ws, const VariedMotion<T>* motion) {
  if (row.kind == kRelation) return broadcast<T>(0.0);
  const RowEnds<T> e = row_ends(row, ws);
  const VariedMotion<T>*A = row.node_a < 0 ? nullptr : motion + row.node_a, *B = row.node_b < 0 ? nullptr : motion + row.node_b;
  const VariedVector<T> n = vary_vector<false>(A, e.axis_a);
  VariedVector<T> d;
  if (row.kind == kAcross) {
    d = vary_vector<false>(B, e.axis_b);
  } else {
    const VariedVector<T> a = vary_vector<true>(A, e.point_a);
    d = vary_vector<true>(B, e.point_b);
    d.x = d.x - a.x, d.v = d.v - a.v, d.a = d.a - a.a, d.dx = d.dx - a.dx, d.dv = d.dv - a.dv, d.da = d.da - a.da;
  }
  return dot(n.da, d.x) + dot(n.a, d.dx) + 2.0 * (dot(n.dv, d.v) + dot(n.v, d.dv)) + dot(n.dx, d.a) + dot(n.x, d.da);
}

// Derivatives of a loop without a closed form, by its equations.
template <class T>
inline void vary_loop(const Model& m, const Closure& c, Workspace<T>& ws, const T* v, const T* a, T* slope, T* acceleration, T* u,
                      T* w, VariedMotion<T>* motion) {
  const LoopEquations<T> e(c, ws.closure);
  const int nd = c.dependents, ni = c.independents;
  place_loop(m, c, ws, static_cast<const T*>(ws.tree_q));
  fill_equations(c, ws, static_cast<const T*>(ws.tree_q), e);
  orthogonalise(e, ni);
  const T zero = broadcast<T>(0.0);
  for (int j = 0; j < ni; ++j) {
    for (int k = 0; k < nd; ++k) u[c.dof[k]] = ws.coupling[m.row[c.dof[k]] + j];
    for (int i = 0; i < ni; ++i) u[c.dof[nd + i]] = broadcast<T>(i == j ? 1.0 : 0.0), w[c.dof[nd + i]] = zero;
    T* D = slope + (size_t)j * nd * ni;
    fill_rates(m, c, ws, static_cast<const T*>(u), e);
    coupling_rates(m, c, ws, e, [&](int k, int i) -> T& { return D[k * ni + i]; });
    if (!v) continue;
    for (int k = 0; k < nd; ++k) {
      T sum = zero;
      for (int i = 0; i < ni; ++i) sum = sum + D[k * ni + i] * v[c.dof[nd + i]];
      w[c.dof[k]] = sum;
    }
    vary_motions(m, c, ws, v, a, static_cast<const T*>(u), static_cast<const T*>(w), motion);
    T *rest = e.rate_column(0), *x = ws.force;
    for (int r = 0; r < c.rows; ++r) rest[r] = varied_second_rate(c.row[r], ws, static_cast<const VariedMotion<T>*>(motion));
    combine(c, e, rest, 1);
    solve_dependents(e, nd, rest, x);
    for (int k = 0; k < nd; ++k) acceleration[j * nd + k] = -x[k];
  }
}

// Calls f(closure, derivatives) for every closure whose slopes change. v and a are the tree's, null for derivatives of G alone;
// the tree's coordinates must be closed.
template <class T, class F>
TARSUS_KERNEL void for_coupling_derivatives(const Model& m, Workspace<T>& ws, const T* v, const T* a, T* scratch, F f) {
  T *u = scratch, *w = u + m.tree_nv;
  auto* motion = reinterpret_cast<VariedMotion<T>*>(w + m.tree_nv);
  T* slope = reinterpret_cast<T*>(motion + m.nodes);
  for (int i = m.followers; i < m.closures; ++i) {
    const Closure& c = m.closure[i];
    const int nd = c.dependents, ni = c.independents;
    if (c.kind == kLinearClosure || ni == 0) continue;
    T* acceleration = slope + (size_t)ni * nd * ni;
    if (c.kind == kLoopClosure) {
      vary_loop(m, c, ws, v, a, slope, acceleration, u, w, motion);
    } else {  // a function of one coordinate: a = g vdot + g' v^2
      const T q = ws.tree_q[c.coordinate[nd]];
      T jerk[2];
      if (c.kind == kPolynomialClosure) {
        const PolynomialValue<T> p = polynomial(c.table, c.table_size, q);
        slope[0] = p.curvature, jerk[0] = p.jerk;
      } else {
        const FourBar<T> bar = four_bar(*reinterpret_cast<const FourBarNumbers*>(c.table), q);
        for (int k = 0; k < nd; ++k) slope[k] = bar.curvature[k], jerk[k] = bar.jerk[k];
      }
      const int leader = c.dof[nd];
      for (int k = 0; v && k < nd; ++k) acceleration[k] = slope[k] * a[leader] + jerk[k] * v[leader] * v[leader];
    }
    f(c, ClosureDerivatives<T>{slope, acceleration});
  }
}

}  // namespace tarsus::TARSUS_ISA
