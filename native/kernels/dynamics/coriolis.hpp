// Coriolis matrix C with C v + gravity = bias and dM/dt - 2 C skew-symmetric (Echeandia and Wensing 2021).
// C = sum over bodies of J^T (I dJ/dt + B J) with the body's B = (V x* I - I V x + (I V) x~*) / 2; in twists (v; w) about a
// fixed point only two blocks of B are there: -[f] above D, where (f; n) is the momentum and
// D = ([w]J - J[w] - [v][h] - [h][v] - [n]) / 2.
#pragma once
#include "kernels/dynamics/momentum.hpp"
#include "kernels/dynamics/sliding_armature.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct CoriolisBlock {
  Vec3<T> f;
  Vec3<T> x, y, z;  // rows of D
};

template <class T>
TARSUS_INLINE CoriolisBlock<T> coriolis_block(const Composite<T>& c, const Screw<T>& V) {
  const Screw<T> P = momentum_of(c, V);
  const Vec3<T>&w = V.angular, &v = V.linear, &h = c.first, &n = P.angular;
  const Sym3<T>& S = c.second;  // [w]J - J[w] = S[w] - [w]S
  const Vec3<T> sx{S.xx, S.xy, S.xz}, sy{S.xy, S.yy, S.yz}, sz{S.xz, S.yz, S.zz};
  // rows of S[w] are s_i x w; rows of [w]S are (w x .) applied to the columns of S, which are its rows
  const Vec3<T> wx = w.y * sz - w.z * sy, wy = w.z * sx - w.x * sz, wz = w.x * sy - w.y * sx;
  const T vh = dot(v, h);  // [v][h] + [h][v] = v h^T + h v^T - 2 (v.h) 1
  auto row = [&](const Vec3<T>& s, const Vec3<T>& ws, const T& vi, const T& hi, const Vec3<T>& nrow, const Vec3<T>& unit)
                 TARSUS_LAMBDA { return 0.5 * (cross(s, w) - ws - (hi * v + vi * h) + (2.0 * vh) * unit - nrow); };
  const T o = broadcast<T>(0.0), i = broadcast<T>(1.0);
  return {P.linear, row(sx, wx, v.x, h.x, {o, -n.z, n.y}, {i, o, o}), row(sy, wy, v.y, h.y, {n.z, o, -n.x}, {o, i, o}),
          row(sz, wz, v.z, h.z, {-n.y, n.x, o}, {o, o, i})};
}

template <class T>
TARSUS_INLINE Screw<T> times(const CoriolisBlock<T>& B, const Screw<T>& s) {
  return {cross(s.angular, B.f), {dot(B.x, s.angular), dot(B.y, s.angular), dot(B.z, s.angular)}};
}
template <class T>
TARSUS_INLINE Screw<T> transposed_times(const CoriolisBlock<T>& B, const Screw<T>& s) {
  return {zero3<T>(), cross(B.f, s.linear) + s.angular.x * B.x + s.angular.y * B.y + s.angular.z * B.z};
}

// (tree_nv, tree_nv); entries between unrelated branches must be zero before.
template <class T>
TARSUS_KERNEL void coriolis_matrix(const Context<T>& x) {
  const Model& m = x.model;
  Workspace<T>& ws = x.ws;
  const int nv = m.tree_nv;
  rooted_poses(m, ws, x.q);
  joint_screws(m, ws);
  const Screw<T> none{zero3<T>(), zero3<T>()};
  static_assert(sizeof(CoriolisBlock<T>) <= sizeof(Articulated<T>));
  auto* block = reinterpret_cast<CoriolisBlock<T>*>(ws.articulated);
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    ws.twist[i] = twist_step(m, ws, i, n.parent < 0 ? none : ws.twist[n.parent], x.v);
    for (int k = n.v; k < n.v + n.dof; ++k) ws.screw_rate[k] = carried_rate(ws.twist[i], ws.screw[k]);
    ws.composite[i] = body_moments(constants(n), ws.pose[i]);
    block[i] = coriolis_block(ws.composite[i], ws.twist[i]);
  }
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    for (int k = n.v; k < n.v + n.dof; ++k) {
      Screw<T> column = momentum_of(ws.composite[i], ws.screw_rate[k]);
      column += times(block[i], ws.screw[k]);
      const Screw<T> with_rates = momentum_of(ws.composite[i], ws.screw[k]);
      const Screw<T> with_screws = transposed_times(block[i], ws.screw[k]);
      for (int j = i; j >= 0; j = m.node[j].parent) {
        for (int r = m.node[j].v; r < m.node[j].v + m.node[j].dof; ++r) {
          x.out[r * nv + k] = power(ws.screw[r], column);
          if (j != i) x.out[k * nv + r] = power(ws.screw_rate[r], with_rates) + power(ws.screw[r], with_screws);
        }
      }
    }
    if (n.parent < 0) continue;
    ws.composite[n.parent] += ws.composite[i];
    CoriolisBlock<T>& up = block[n.parent];
    up.f += block[i].f, up.x += block[i].x, up.y += block[i].y, up.z += block[i].z;
  }
  add_sliding_slopes(m, x.v, false, x.out);
}

}  // namespace tarsus::TARSUS_ISA
