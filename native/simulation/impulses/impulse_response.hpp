// Velocities of touching bodies after unit impulses on them: the blocks of J M^-1 J^T for the whole 6-D motion of a body, from
// the factors of an articulated-body elimination, Featherstone 2008 section 7.3 with the inertias left alone.
//
// An impulse runs along the path to the root and leaves u = -s^T p in every joint. The numbers u / sqrt(D) of unit impulses are
// the columns of a body, A_k; W = A A^T follows without a way back (Rodriguez 1987), and what impulses do to the joints is A^T
// times them. Joints that depend on each other leave one number for each independent velocity of their cluster
// (clustered_body.hpp), so that A has one column for each independent velocity on the path.
#pragma once
#include "kernels/loops/cluster_space.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct ImpulseResponse {
  int bodies;   // that touch: motions of one body, and of one relative to another (touching_motions.hpp)
  int* node;    // of them; of relative motions the first one's
  int* index;   // of every touchable among them, and of every World::motion behind these, -1 for none
  int most;     // columns that a body may have
  int* width;   // bodies: columns
  int* column;  // most a body: the independent velocity of each column, from the root outwards
  T* factor;    // 6 most a body: A_k^T, six numbers a column; find_responses
  T* root;      // independent velocities: 1 / sqrt(D); find_responses
  T* taken;     // the same: A^T times the impulses; take_impulses, add_impulse
  T* passing;   // 6 of them: what a cluster takes of six impulses
  bool blocks;  // they are there:
  T* block;     // 36 for every pair of bodies: see response_of

  template <class Take>
  void lay_out(Take& take, size_t touchables, size_t dofs, bool with_blocks, size_t columns) {
    const size_t all = touchables + 1;
    most = static_cast<int>(columns), blocks = with_blocks;
    take(node, all), take(index, all), take(width, all), take(column, all * columns), take(factor, 6 * all * columns);
    take(root, dofs), take(taken, dofs), take(passing, 6 * dofs), take(block, blocks ? 36 * touchables * touchables : 0);
  }

  // Velocity of body `to` for a unit impulse on body `from`: column after column, linear first.
  T* response_of(int to, int from) const { return block + 36 * ((size_t)to * bodies + from); }
  const int* columns_of(int k) const { return column + (size_t)most * k; }
  T* factor_of(int k) const { return factor + 6 * (size_t)most * k; }

  void clear(int touchables) {
    bodies = 0;
    for (int k = 0; k < touchables; ++k) index[k] = -1;
  }
  // Adds a body with the columns on its path.
  void add(const Model& m, int slot, int i) {
    index[slot] = bodies;
    node[bodies] = i;
    int* own = column + (size_t)most * bodies;
    int count = 0;
    for (int k = i; k >= 0;) {  // from the leaf to the root, turned round below
      const Node& n = m.node[k];
      if (m.coupled && n.cluster >= 0) {
        const Cluster& c = m.cluster[n.cluster];
        for (int j = c.independents - 1; j >= 0; --j) own[count++] = c.independent[j];
        k = c.root;
      } else {
        for (int d = n.v + n.dof - 1; d >= n.v; --d) own[count++] = m.coupled ? m.column[m.row[d]] : d;
        k = n.parent;
      }
    }
    for (int a = 0, b = count - 1; a < b; ++a, --b) exchange(own[a], own[b]);
    width[bodies++] = count;
  }
};

// A wrench passes the joint of node i towards the root: what the joint takes is its `u`.
template <class V, class T, class Keep>
TARSUS_INLINE void pass_joint(const V& J, const Workspace<T>& ws, const Node& n, Wrench<T>& p, Keep keep) {
  for_axes_reversed<V>([&]<int axis>(int k) TARSUS_LAMBDA {
    const Eliminated<T>& e = ws.eliminated[n.v + k];
    const T along = power_along<axis>(J, p.f, p.n);
    keep(k, -along);
    const T x = along * e.inverse;
    p.f = p.f - x * e.f, p.n = p.n - x * e.n;
  });
}

// Six wrenches pass a cluster from its node i to its root: u = -L^-1 G^T S^T p stays in its independent velocities, into `out`,
// six numbers each, and the root gets X^T p + B^T D^-1 u.
template <class T>
inline void pass_cluster(const Model& m, const Cluster& c, const Workspace<T>& ws, const T* q, const ClusterSpace<T>& s, int i,
                         Wrench<T>* p, T* out) {
  const int ni = c.independents;
  for (int j = 0; j < 6 * ni; ++j) out[j] = broadcast<T>(0.0);
  for (; i != c.root; i = m.node[i].parent) {
    const Node& n = m.node[i];
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      for (int x = 0; x < 6; ++x) {
        T along[V::dof];
        joint_force(J, p[x], along);
        orient<V>(n.sign, along);
        for (int d = 0; d < V::dof; ++d) {
          for (int e = m.row[n.v + d]; e < m.row[n.v + d + 1]; ++e) {
            T& u = out[6 * m.local_column[e] + x];
            u = u - ws.coupling[e] * along[d];
          }
        }
        if (!n.grounded) p[x] = to_parent(J, p[x]);
      }
    });
  }
  for (int j = 0; j < ni; ++j) {
    const T* w = s.wrench + 6 * j;
    for (int x = 0; x < 6; ++x) {
      T& u = out[6 * j + x];
      for (int l = 0; l < j; ++l) u = u - s.lower[j * ni + l] * out[6 * l + x];
      const T y = u * s.inverse[j];
      p[x].f += y * Vec3<T>{w[0], w[1], w[2]}, p[x].n += y * Vec3<T>{w[3], w[4], w[5]};
    }
  }
}

// The columns of body k.
template <class T>
inline void send_unit_impulses(const Model& m, const Workspace<T>& ws, const T* q, T* clusters, ImpulseResponse<T>& r, int k) {
  // 1. unit impulses along the six axes of the body: p = -1
  Wrench<T> p[6];
  for (int c = 0; c < 6; ++c) {
    p[c] = {zero3<T>(), zero3<T>()};
    T* const entry[6] = {&p[c].f.x, &p[c].f.y, &p[c].f.z, &p[c].n.x, &p[c].n.y, &p[c].n.z};
    *entry[c] = broadcast<T>(-1.0);
  }
  // 2. towards the root: u = -s^T p stays in the joint, p_parent = X^T (p + U u / D) goes on
  int place = r.width[k];
  const int* column = r.columns_of(k);
  for (int i = r.node[k]; i >= 0 && !is_fixed(m.node[i]);) {
    const Node& n = m.node[i];
    if (m.coupled && n.cluster >= 0) {
      const Cluster& c = m.cluster[n.cluster];
      place -= c.independents;
      T* out = r.factor_of(k) + 6 * place;
      pass_cluster(m, c, ws, q, ClusterSpace<T>(m, c, clusters), i, p, out);
      for (int j = 0; j < 6 * c.independents; ++j) out[j] = r.root[c.independent[j / 6]] * out[j];
      i = c.root;
      continue;
    }
    const bool inner = n.parent >= 0 && !n.grounded;
    place -= n.dof;
    T* out = r.factor_of(k) + 6 * place;
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      for (int c = 0; c < 6; ++c) {
        pass_joint(J, ws, n, p[c], [&](int d, const T& u) TARSUS_LAMBDA { out[6 * d + c] = r.root[column[place + d]] * u; });
        if (inner) p[c] = to_parent(J, p[c]);
      }
    });
    i = inner ? n.parent : -1;
  }
}

// Calls f(column, u, 1 / D) for every independent velocity and where its right-hand side is kept.
template <class T, class F>
TARSUS_INLINE void for_independents(const Model& m, Workspace<T>& ws, T* clusters, F f) {
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    if (m.coupled && n.cluster >= 0) continue;
    for (int k = n.v; k < n.v + n.dof; ++k) f(m.coupled ? m.column[m.row[k]] : k, ws.eliminated[k].u, ws.eliminated[k].inverse);
  }
  for (int c = 0; c < (m.coupled ? m.clusters : 0); ++c) {
    const ClusterSpace<T> s(m, m.cluster[c], clusters);
    for (int j = 0; j < m.cluster[c].independents; ++j) f(m.cluster[c].independent[j], s.rhs[j], s.inverse[j]);
  }
}

// Columns of the first bodies, or of all; the elimination must be there, that of clusters in `clusters`.
template <class T>
TARSUS_KERNEL void find_columns(const Model& m, Workspace<T>& ws, const T* q, T* clusters, ImpulseResponse<T>& r,
                                int bodies = -1) {
  for_independents(m, ws, clusters, [&](int d, const T&, const T& inverse) TARSUS_LAMBDA { r.root[d] = sqrt_of<T>(inverse); });
  for (int k = 0; k < (bodies < 0 ? r.bodies : bodies); ++k)
    send_unit_impulses(m, static_cast<const Workspace<T>&>(ws), q, clusters, r, k);
}

// All blocks from the columns. Paths of two bodies share their first columns, and nothing behind.
template <class T>
TARSUS_KERNEL void find_blocks(ImpulseResponse<T>& r) {
  for (int k = 0; k < r.bodies; ++k) {
    for (int t = 0; t <= k; ++t) {
      T *forth = r.response_of(t, k), *back = r.response_of(k, t);
      for (int x = 0; x < 36; ++x) forth[x] = broadcast<T>(0.0);
      const int least = r.width[t] < r.width[k] ? r.width[t] : r.width[k];
      for (int d = 0; d < least && r.columns_of(t)[d] == r.columns_of(k)[d]; ++d) {
        const T *a = r.factor_of(t) + 6 * d, *b = r.factor_of(k) + 6 * d;
        for (int c = 0; c < 6; ++c) {
          for (int e = 0; e < 6; ++e) forth[6 * c + e] = forth[6 * c + e] + b[c] * a[e];
        }
      }
      if (t == k) continue;
      for (int c = 0; c < 6; ++c) {
        for (int e = 0; e < 6; ++e) back[6 * e + c] = forth[6 * c + e];
      }
    }
  }
}

// Columns and blocks.
template <class T>
TARSUS_KERNEL void find_responses(const Model& m, Workspace<T>& ws, const T* q, T* clusters, ImpulseResponse<T>& r) {
  find_columns(m, ws, q, clusters, r);
  find_blocks(r);
}

// Impulses on the touching bodies, one wrench a body, change what the eliminated joints do: the motion follows from them.
template <class T>
TARSUS_KERNEL void take_impulses(const Model& m, Workspace<T>& ws, T* clusters, ImpulseResponse<T>& r, const Wrench<T>* impulse) {
  const T zero = broadcast<T>(0.0);
  for (int d = 0; d < m.nv; ++d) r.taken[d] = zero;
  for (int k = 0; k < r.bodies; ++k) {
    const T* w = reinterpret_cast<const T*>(impulse + k);
    for (int x = 0; x < r.width[k]; ++x) {
      T& y = r.taken[r.columns_of(k)[x]];
      for (int c = 0; c < 6; ++c) y = y + r.factor_of(k)[6 * x + c] * w[c];
    }
  }
  for_independents(m, ws, clusters, [&](int d, T& u, const T&) TARSUS_LAMBDA { u = u + r.taken[d] / r.root[d]; });
}

}  // namespace tarsus::TARSUS_ISA
