// Motions that contacts see: that of a body which touches the world, and that of a body relative to another one which it touches.
//
// Both are a screw at the origin of the (first) body's node, in its axes. A relative one is V = V_a - X V_b, with X V_b the
// velocity that the second body has at the first one's origin; its columns (impulse_response.hpp) are A_a - X A_b, those of both
// paths to the root, so that an impulse on it acts on the first body and with the opposite sign on the second, at the same
// place. Everything else about impulses is the same for both.
#pragma once
#include "simulation/robot.hpp"

namespace tarsus::TARSUS_ISA {

// A screw of node b, in its axes at its origin, as that of the point of the same body at the origin of node a, in axes of a.
template <class T>
TARSUS_INLINE Screw<T> seen_from(const Workspace<T>& ws, int a, int b, const Screw<T>& V) {
  const Placed<T>&X = ws.pose[a], &Y = ws.pose[b];
  const Vec3<T> arm = to_child(Y.R, X.p - Y.p);
  return {to_child(X.R, to_parent(Y.R, V.linear + cross(V.angular, arm))), to_child(X.R, to_parent(Y.R, V.angular))};
}

// Nodes of a motion among those that touch: the second one is -1 for the world.
template <class T>
TARSUS_INLINE int second_node(const Robot<T>& r, int k) {
  const int own = r.own_motions;
  return k < own ? -1 : r.world.motion[2 * r.relative[k - own] + 1];
}

// A motion from those of the nodes, `screw(node)`.
template <class T, class F>
TARSUS_INLINE Screw<T> motion_from(const Robot<T>& r, int k, F screw) {
  const int a = r.response.node[k], b = second_node(r, k);
  const Screw<T> V = screw(a);
  if (b < 0) return V;
  const Screw<T> U = seen_from(r.ws, a, b, screw(b));
  return {V.linear - U.linear, V.angular - U.angular};
}

// Velocity of a motion after some time with the accelerations that the last solve gave.
template <class T>
TARSUS_INLINE Screw<T> motion_after(const Robot<T>& r, int k, double dt) {
  return motion_from(r, k, [&](int i) TARSUS_LAMBDA {
    const Motion<T>& a = r.ws.motion[i];
    return Screw<T>{r.speed[i] + dt * a.a, a.w + dt * a.dw};
  });
}

// Lists the motions that are marked as wanted in r.response.index: bodies by their nodes, then relative motions by their
// numbers, so that what adds up along paths does so in one order, whatever else touches in a pack.
constexpr int kWanted = -2;
template <class T>
inline void list_motions(Robot<T>& r) {
  const World& w = r.world;
  ImpulseResponse<T>& all = r.response;
  for (int k = 0; k < w.nodes; ++k) {
    const int i = w.node[k], slot = w.slot[i];
    if (slot >= 0 && all.index[slot] == kWanted) all.add(r.model, slot, i);
  }
  r.own_motions = all.bodies;
  if (w.motions == 0) return;
  // 1. bodies of relative motions
  r.carrying.clear(w.touchables);
  for (int k = 0; k < w.motions; ++k) {
    if (all.index[w.touchables + k] != kWanted) continue;
    for (int e = 0; e < 2; ++e) r.carrying.index[w.slot[w.motion[2 * k + e]]] = kWanted;
  }
  for (int k = 0; k < w.nodes; ++k) {
    const int i = w.node[k], slot = w.slot[i];
    if (slot >= 0 && r.carrying.index[slot] == kWanted) r.carrying.add(r.model, slot, i);
  }
  // 2. these, with the columns of both: those of the first, and what the path of the second has behind their common part
  for (int k = 0; k < w.motions; ++k) {
    if (all.index[w.touchables + k] != kWanted) continue;
    const int a = r.carrying.index[w.slot[w.motion[2 * k]]], b = r.carrying.index[w.slot[w.motion[2 * k + 1]]];
    const int *here = r.carrying.columns_of(a), *there = r.carrying.columns_of(b);
    const int na = r.carrying.width[a], nb = r.carrying.width[b], own = all.bodies++;
    int shared = 0;
    while (shared < na && shared < nb && here[shared] == there[shared]) ++shared;
    r.relative[own - r.own_motions] = k;
    all.index[w.touchables + k] = own, all.node[own] = w.motion[2 * k], all.width[own] = na + nb - shared;
    int* column = all.column + (size_t)all.most * own;
    for (int x = 0; x < na; ++x) column[x] = here[x];
    for (int x = shared; x < nb; ++x) column[na + x - shared] = there[x];
  }
}

// Columns of relative motions, from those of their bodies.
template <class T>
TARSUS_KERNEL void find_relative_columns(Robot<T>& r, const T* q) {
  if (r.response.bodies == r.own_motions) return;
  ImpulseResponse<T>&all = r.response, &part = r.carrying;
  find_columns(r.model, r.ws, q, r.cluster, part);
  for (int k = r.own_motions; k < all.bodies; ++k) {
    const int* node = r.world.motion + 2 * r.relative[k - r.own_motions];
    const int a = part.index[r.world.slot[node[0]]], b = part.index[r.world.slot[node[1]]];
    auto* out = reinterpret_cast<Screw<T>*>(all.factor_of(k));
    const auto *A = reinterpret_cast<const Screw<T>*>(part.factor_of(a)),
               *B = reinterpret_cast<const Screw<T>*>(part.factor_of(b));
    const int na = part.width[a], nb = part.width[b], shared = na + nb - all.width[k];
    for (int x = 0; x < na; ++x) out[x] = A[x];
    for (int x = 0; x < nb; ++x) {
      const Screw<T> V = seen_from(r.ws, node[0], node[1], B[x]);
      if (x < shared) {
        out[x] = {out[x].linear - V.linear, out[x].angular - V.angular};
      } else {
        out[na + x - shared] = {-V.linear, -V.angular};
      }
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
