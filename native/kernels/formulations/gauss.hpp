// Gauss' principle of least constraint in parameter coordinates, Bouyarmane and Kheddar 2012 sections II-IV.
// The coordinates are q of the tree themselves: free bases and spherical joints have a unit quaternion p, whose constraint
// C = |p|^2 - 1 (28) belongs to the equations. The deviation D (22) is quadratic in the second derivatives of the parameters:
// its Hessian is M(q) (25), its gradient at zero N(q, qdot) qdot less gravity and external forces (24), (26). M is singular
// along every p, since E(p) p = 0. With the multiplier eliminated, (35) together with (30), the motion solves
//   (M + sum w p p^T) qddot = A (forces - N qdot) - sum w p (pdot^T pdot),   A = 1 - Cq^T (Cq Cq^T)^-1 Cq = 1 - sum p p^T,
// for any w > 0, because A M = M. (34) prints A for one quaternion; as printed (33) adds the drives' forces, which belong to
// the other side. Columns are those of (14); (15) equals it only for rates that keep |p|.
#pragma once
#include "kernels/dynamics/sliding_armature.hpp"
#include "kernels/factorisation/cholesky.hpp"
#include "kernels/formulations/gauss_parameters.hpp"
#include "nodes/motion.hpp"

namespace tarsus::TARSUS_ISA {

// Parts of the scratch memory; all but M are indexed like q.
template <class T>
struct GaussSpace {
  T *M, *force, *rate, *accel, *unit;
  Screw<T>* column;  // motion of everything behind a joint for a unit rate of one parameter
  Vec3<T>* at_com;   // its linear half moved to the centre of mass of one body

  GaussSpace(const Model& m, T* memory) : M(memory) {
    const size_t n = m.tree_nq;
    force = M + n * n, rate = force + n, accel = rate + n, unit = accel + n;
    column = reinterpret_cast<Screw<T>*>(unit + n);
    at_com = reinterpret_cast<Vec3<T>*>(column + n);
  }
};

inline size_t gauss_scratch(const Model& m) { return (size_t)m.tree_nq * (m.tree_nq + 4 + 6 + 3); }

// Calls f(i, map) for every node; poses must be there.
template <class T, class F>
TARSUS_INLINE void for_parameter_maps(const Context<T>& x, const GaussSpace<T>& g, F f) {
  const Mat3<T> world = identity3<T>();
  for (int i = 0; i < x.model.nodes; ++i) {
    const Node& n = x.model.node[i];
    f(i, ParameterMap<T>{n, n.parent < 0 ? world : x.ws.pose[n.parent].R, x.ws.pose[i].R, g.unit});
  }
}

// Poses relative to the root, columns of the Jacobians, rates of the parameters.
template <class T>
TARSUS_KERNEL void gauss_kinematics(const Context<T>& x, GaussSpace<T>& g) {
  rooted_poses(x.model, x.ws, x.q);
  unit_quaternions(x.model, x.q, g.unit);
  for_parameter_maps(x, g, [&](int i, const ParameterMap<T>& map) TARSUS_LAMBDA {
    map.columns(x.ws.pose[i], g.column);
    map.to_parameters(x.v, g.rate, true);
  });
}

// Centre of mass, and the moments about it (21), in world axes.
template <class T>
struct GaussBody {
  Vec3<T> com;
  Sym3<T> moments;
};
template <class T>
TARSUS_INLINE GaussBody<T> gauss_body(const Node& n, const Placed<T>& X) {
  const Vec3<double> h = vec3(n.first), c = (n.mass > 0.0 ? 1.0 / n.mass : 0.0) * h;
  const double* I = n.inertia;
  const Sym3<double> moments{I[0] - (c.y * h.y + c.z * h.z),
                             I[1] - (c.x * h.x + c.z * h.z),
                             I[2] - (c.x * h.x + c.y * h.y),
                             I[3] + c.x * h.y,
                             I[4] + c.x * h.z,
                             I[5] + c.y * h.z};
  return {X.p + to_parent(X.R, widen<T>(c)), congruence(X.R, widen<T>(moments))};
}

// Twist and spatial acceleration J qddot + (dJ/dt) qdot of node i at the reference point, from its parent's.
// Columns of translations turn with the parent, all others with the node itself.
template <bool kAccel, class T>
TARSUS_INLINE void gauss_motion(const Model& m, const GaussSpace<T>& g, int i, Screw<T>* twist, Screw<T>* accel) {
  const Node& n = m.node[i];
  const Screw<T> none{zero3<T>(), zero3<T>()};
  Screw<T> V = n.parent < 0 ? none : twist[n.parent], A = n.parent < 0 ? none : accel[n.parent], slide = none, own = none;
  const int slides = ParameterLayout(n).slides;
  for (int k = 0; k < parameters_of(n); ++k) {
    (k < slides ? slide : own) += g.rate[n.q + k] * g.column[n.q + k];
    if constexpr (kAccel) A += g.accel[n.q + k] * g.column[n.q + k];
  }
  A += carried_rate(V, slide);
  V += slide;
  V += own;
  A += carried_rate(V, own);
  twist[i] = V, accel[i] = A;
}

// Force and moment about the centre of mass that keep a body from its free motion (22), which gravity and external wrenches
// alone would give it: m (a_c - g) - f, I dw - (I w) x w - n.
template <class T>
TARSUS_INLINE Wrench<T> deviation(const Context<T>& x, int i, const GaussBody<T>& b, const Screw<T>& V, const Screw<T>& A) {
  const Node& n = x.model.node[i];
  const Vec3<T>& w = V.angular;
  const Vec3<T> a = A.linear + cross(A.angular, b.com) + cross(w, V.linear + cross(w, b.com));
  Wrench<T> d{n.mass * (a - vec3(x.model.gravity)), b.moments * A.angular + cross(w, b.moments * w)};
  if (x.external) {
    const T* e = x.external + 6 * n.body;
    const Vec3<T> f{e[0], e[1], e[2]};
    const Vec3<T> origin = x.ws.pose[i].p + to_parent(x.ws.pose[i].R, widen<T>(vec3(n.body_position)));
    d.f = d.f - f;
    d.n = d.n - Vec3<T>{e[3], e[4], e[5]} - cross(origin - b.com, f);
  }
  return d;
}

// Calls f(index) for the parameters of node i and of all nodes before it on the way to the root.
template <class F>
TARSUS_INLINE void for_predecessors(const Model& m, int i, F f) {
  for (int j = i; j >= 0; j = m.node[j].parent) {
    const int begin = m.node[j].q, end = begin + parameters_of(m.node[j]);
    for (int k = begin; k < end; ++k) f(k);
  }
}

// One body's share of M: J_t(c)^T m J_t(c) + J_r^T I J_r (25), lower triangle.
template <class T>
TARSUS_INLINE void add_hessian(const Model& m, GaussSpace<T>& g, int i, const GaussBody<T>& b) {
  for_predecessors(m, i, [&](int r) TARSUS_LAMBDA { g.at_com[r] = g.column[r].linear + cross(g.column[r].angular, b.com); });
  for (int j = i; j >= 0; j = m.node[j].parent) {
    for (int r = m.node[j].q; r < m.node[j].q + parameters_of(m.node[j]); ++r) {
      const Vec3<T> f = m.node[i].mass * g.at_com[r], n = b.moments * g.column[r].angular;
      T* row = g.M + (size_t)r * m.tree_nq;
      for_predecessors(m, j, [&](int c) TARSUS_LAMBDA {
        if (c <= r) row[c] = row[c] + dot(g.at_com[c], f) + dot(g.column[c].angular, n);
      });
    }
  }
}

// Gradient of D by qddot, sum of J_t(c)^T f + J_r^T n (23), into g.force, and its Hessian into g.M, if asked for. Without
// kAccel the gradient is taken at qddot = 0.
template <bool kAccel, bool kHessian, class T>
TARSUS_KERNEL void least_constraint(const Context<T>& x, GaussSpace<T>& g) {
  const Model& m = x.model;
  static_assert(sizeof(Screw<T>) == sizeof(Wrench<T>));
  Screw<T>*twist = x.ws.twist, *accel = reinterpret_cast<Screw<T>*>(x.ws.wrench);
  for (int k = 0; k < m.tree_nq; ++k) g.force[k] = broadcast<T>(0.0);
  for (int i = 0; i < m.nodes; ++i) {
    gauss_motion<kAccel>(m, g, i, twist, accel);
    if (m.node[i].body < 0) continue;
    const GaussBody<T> b = gauss_body(m.node[i], x.ws.pose[i]);
    const Wrench<T> d = deviation(x, i, b, twist[i], accel[i]);
    const Vec3<T> moment = d.n + cross(b.com, d.f);
    for_predecessors(m, i, [&](int r) TARSUS_LAMBDA {
      g.force[r] = g.force[r] + dot(g.column[r].linear, d.f) + dot(g.column[r].angular, moment);
    });
    if constexpr (kHessian) add_hessian(m, g, i, b);
  }
}

// Rotors: their forces are armature times vdot = G qddot + (dG/dt) qdot, so that M gains G^T armature G.
template <class T>
TARSUS_INLINE void add_rotors(const Context<T>& x, GaussSpace<T>& g, const ParameterMap<T>& map) {
  const Model& m = x.model;
  const Node& n = map.n;
  T *unit = x.ws.force, *row = g.accel;
  for (int k = n.v; k < n.v + n.dof; ++k) {
    if (m.armature[k] == 0.0) continue;
    for (int c = n.v; c < n.v + n.dof; ++c) unit[c] = broadcast<T>(c == k ? 1.0 : 0.0);
    map.to_parameters(unit, row, false);
    for (int r = n.q; r < n.q + parameters_of(n); ++r) {
      for (int c = n.q; c <= r; ++c)
        g.M[(size_t)r * m.tree_nq + c] = g.M[(size_t)r * m.tree_nq + c] + m.armature[k] * row[r] * row[c];
    }
    map.for_turning_terms(x.v, [&](int j, const T& t) TARSUS_LAMBDA {
      for (int r = n.q; r < n.q + parameters_of(n) && j == k; ++r) g.force[r] = g.force[r] + m.armature[k] * t * row[r];
    });
  }
}

// A quaternion's part in (35) and (30): forces along p taken out, and w p p^T qddot = -w p |pdot|^2 added, where w is of the
// size of M.
template <class T>
TARSUS_INLINE void add_constraint(const Model& m, GaussSpace<T>& g, const Node& n) {
  if (!has_quaternion(n)) return;
  const int at = ParameterLayout(n).p;
  const T *p = g.unit + at, *rate = g.rate + at;
  T *force = g.force + at, along = broadcast<T>(0.0), w = along, square = along;
  for (int k = 0; k < 4; ++k) {
    along = along + p[k] * force[k], square = square + rate[k] * rate[k];
    w = w + g.M[(size_t)(at + k) * m.tree_nq + at + k];
  }
  w = 0.25 * w;
  for (int k = 0; k < 4; ++k) {
    force[k] = force[k] - (along + w * square) * p[k];
    T* row = g.M + (size_t)(at + k) * m.tree_nq + at;
    for (int c = 0; c <= k; ++c) row[c] = row[c] + w * p[k] * p[c];
  }
}

// Forward dynamics; x.a holds tau.
template <class T>
TARSUS_KERNEL void gauss(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  GaussSpace<T> g(m, scratch);
  const size_t size = (size_t)m.tree_nq * m.tree_nq;
  for (size_t k = 0; k < size; ++k) g.M[k] = broadcast<T>(0.0);
  gauss_kinematics(x, g);
  least_constraint<false, true>(x, g);
  for_parameter_maps(x, g, [&](int, const ParameterMap<T>& map) TARSUS_LAMBDA { add_rotors(x, g, map); });
  for (int k = 0; k < m.tree_nv; ++k) x.ws.force[k] = x.a[k];
  add_sliding_drift(m, x.v, -1.0, x.ws.force);
  for_parameter_maps(x, g, [&](int, const ParameterMap<T>& map) TARSUS_LAMBDA {
    map.to_parameters(static_cast<const T*>(x.ws.force), g.accel, false);
  });
  for (int k = 0; k < m.tree_nq; ++k) g.force[k] = g.accel[k] - g.force[k];
  for (int i = 0; i < m.nodes; ++i) add_constraint(m, g, m.node[i]);
  cholesky_solve(m.tree_nq, g.M, g.force);
  for_parameter_maps(x, g, [&](int, const ParameterMap<T>& map) TARSUS_LAMBDA {
    map.from_parameters(g.force, x.out, false);
    map.for_turning_terms(x.v, [&](int k, const T& t) TARSUS_LAMBDA { x.out[k] = x.out[k] + t; });
  });
}

// Inverse dynamics; x.a holds vdot. The gradient of D is what the drives must do to the parameters (24); as they cannot act
// along p, nothing is left for the multiplier.
template <class T>
TARSUS_KERNEL void inverse_gauss(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  GaussSpace<T> g(m, scratch);
  T* straight = x.ws.force;  // vdot - (dG/dt) qdot
  gauss_kinematics(x, g);
  for (int k = 0; k < m.tree_nv; ++k) straight[k] = x.a[k];
  for_parameter_maps(x, g, [&](int, const ParameterMap<T>& map) TARSUS_LAMBDA {
    map.for_turning_terms(x.v, [&](int k, const T& t) TARSUS_LAMBDA { straight[k] = straight[k] - t; });
    map.to_parameters(straight, g.accel, true);
    if (!has_quaternion(map.n)) return;
    const int at = ParameterLayout(map.n).p;
    T square = broadcast<T>(0.0);
    for (int k = at; k < at + 4; ++k) square = square + g.rate[k] * g.rate[k];
    for (int k = at; k < at + 4; ++k) g.accel[k] = g.accel[k] - square * g.unit[k];  // (30)
  });
  least_constraint<true, false>(x, g);
  for_parameter_maps(x, g, [&](int, const ParameterMap<T>& map) TARSUS_LAMBDA { map.from_parameters(g.force, x.out, true); });
  for (int k = 0; k < m.tree_nv; ++k) x.out[k] = x.out[k] + m.armature[k] * x.a[k];
  add_sliding_drift(m, x.v, 1.0, x.out);
}

}  // namespace tarsus::TARSUS_ISA
