// Velocities of touching bodies after unit impulses on them: the blocks of J M^-1 J^T for the whole 6-D motion of a body, from
// the factors of an articulated-body elimination. An impulse runs along the path to the root and the velocity back, Featherstone
// 2008 section 7.3 with the inertias left alone; all contacts of one body share its six columns.
#pragma once
#include "kernels/dynamics/articulated_body.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct ImpulseResponse {
  int bodies;      // that touch
  int* node;       // of them
  int* index;      // of every touchable among them, -1 for none
  int nodes;       // on the paths from the root to them, parents first
  int* path;       // those nodes
  int* end;        // nodes of the path up to and with each body
  int* position;   // of every node of the model on the path, -1 for none
  Wrench<T>* up;   // nodes: an impulse on its way to the root
  Screw<T>* down;  // six a node: velocities on their way back
  T* u;            // six a degree of freedom
  T* block;        // 36 for every pair of bodies: see response_of

  template <class Take>
  void lay_out(Take& take, size_t touchables, size_t nodes_of_model, size_t dofs) {
    take(node, touchables + 1), take(index, touchables + 1), take(path, nodes_of_model), take(end, touchables + 1);
    take(position, nodes_of_model), take(up, nodes_of_model), take(down, 6 * nodes_of_model), take(u, 6 * dofs);
    take(block, 36 * touchables * touchables);
  }

  // Velocity of body `to` for a unit impulse on body `from`: column after column, linear first.
  T* response_of(int to, int from) const { return block + 36 * ((size_t)to * bodies + from); }

  void clear(int touchables, int nodes_of_model) {
    bodies = nodes = 0;
    for (int k = 0; k < touchables; ++k) index[k] = -1;
    for (int i = 0; i < nodes_of_model; ++i) position[i] = -1;
  }
  // Adds a body and the nodes on its path that are not there yet.
  void add(const Model& m, int slot, int i) {
    index[slot] = bodies;
    node[bodies] = i;
    int count = 0;
    for (int k = i; k >= 0 && position[k] < 0; k = m.node[k].parent) ++count;
    nodes += count;
    for (int k = i, at = nodes; count > 0; --count, k = m.node[k].parent) path[--at] = k, position[k] = at;
    end[bodies++] = nodes;
  }
};

// A wrench passes the joint of node i towards the root: what the joint takes is its `u`.
template <class V, class T, class Keep>
TARSUS_INLINE void pass_joint(const V& J, const Workspace<T>& ws, const Node& n, Wrench<T>& p, Keep keep) {
  for_axes_reversed<V>([&]<int axis>(int k) TARSUS_LAMBDA {
    const Eliminated<T>& e = ws.eliminated[n.v + k];
    const T along = power_along<axis>(J, p.f, p.n);
    keep(n.v + k, -along);
    const T x = along * e.inverse;
    p.f = p.f - x * e.f, p.n = p.n - x * e.n;
  });
}

// The six columns of body k, as far as the bodies up to k.
template <class T>
inline void send_unit_impulses(const Model& m, const Workspace<T>& ws, const T* q, ImpulseResponse<T>& r, int k) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  // 1. unit impulses along the six axes of the body: p = -1
  for (int j = 0; j < r.end[k]; ++j) {
    const Node& n = m.node[r.path[j]];
    for (int d = 0; d < 6 * n.dof; ++d) r.u[6 * n.v + d] = zero;
  }
  Wrench<T> p[6];
  for (int c = 0; c < 6; ++c) {
    p[c] = {zero3<T>(), zero3<T>()};
    T* const entry[6] = {&p[c].f.x, &p[c].f.y, &p[c].f.z, &p[c].n.x, &p[c].n.y, &p[c].n.z};
    *entry[c] = -one;
  }
  // 2. towards the root: u = -s^T p stays in the joint, p_parent = X^T (p + U u / D) goes on
  for (int i = r.node[k]; i >= 0 && !is_fixed(m.node[i]); i = m.node[i].parent) {
    const Node& n = m.node[i];
    const bool inner = n.parent >= 0 && !n.grounded;
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      for (int c = 0; c < 6; ++c) {
        pass_joint(J, ws, n, p[c], [&](int d, const T& u) TARSUS_LAMBDA { r.u[6 * d + c] = u; });
        if (inner) p[c] = to_parent(J, p[c]);
      }
    });
    if (!inner) break;
  }
  // 3. and back: V = X V_parent + s (u - U^T X V_parent) / D
  for (int j = 0; j < r.end[k]; ++j) {
    const int i = r.path[j];
    const Node& n = m.node[i];
    Screw<T>* out = r.down + 6 * j;
    if (is_fixed(n)) {
      for (int c = 0; c < 6; ++c) out[c] = {zero3<T>(), zero3<T>()};
      continue;
    }
    const Screw<T>* in = n.parent >= 0 ? r.down + 6 * r.position[n.parent] : nullptr;
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      for (int c = 0; c < 6; ++c) {
        Vec3<T> w = zero3<T>(), v = zero3<T>();
        if (in) w = to_child(J.R, in[c].angular), v = to_child(J.R, in[c].linear + cross(in[c].angular, J.p));
        for_axes<V>([&]<int axis>(int d) TARSUS_LAMBDA {
          const Eliminated<T>& e = ws.eliminated[n.v + d];
          const T x = (r.u[6 * (n.v + d) + c] - dot(e.n, w) - dot(e.f, v)) * e.inverse;
          add_along<axis>(J, x, v, w);
        });
        out[c].linear = v, out[c].angular = w;
      }
    });
  }
}

// All blocks; the elimination must be there. Blocks above the diagonal are the transposes of those below.
template <class T>
TARSUS_KERNEL void find_responses(const Model& m, const Workspace<T>& ws, const T* q, ImpulseResponse<T>& r) {
  for (int k = 0; k < r.bodies; ++k) {
    send_unit_impulses(m, ws, q, r, k);
    for (int t = 0; t <= k; ++t) {
      const Screw<T>* x = r.down + 6 * r.position[r.node[t]];
      T *forth = r.response_of(t, k), *back = r.response_of(k, t);
      for (int c = 0; c < 6; ++c) {
        const T column[6] = {x[c].linear.x, x[c].linear.y, x[c].linear.z, x[c].angular.x, x[c].angular.y, x[c].angular.z};
        for (int e = 0; e < 6; ++e) {
          forth[6 * c + e] = column[e];
          if (t < k) back[6 * e + c] = column[e];
        }
      }
    }
  }
}

// Impulses on the touching bodies, r.up at their nodes, change what the eliminated joints do: `accelerate` gives the motion.
template <class T>
TARSUS_KERNEL void take_impulses(const Model& m, Workspace<T>& ws, const T* q, ImpulseResponse<T>& r) {
  for (int j = r.nodes - 1; j >= 0; --j) {
    const int i = r.path[j];
    const Node& n = m.node[i];
    if (is_fixed(n)) continue;
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      Wrench<T> p = r.up[i];
      pass_joint(J, ws, n, p, [&](int d, const T& u) TARSUS_LAMBDA { ws.eliminated[d].u = ws.eliminated[d].u + u; });
      if (n.parent >= 0 && !n.grounded) r.up[n.parent] += to_parent(J, p);
    });
  }
}

}  // namespace tarsus::TARSUS_ISA
