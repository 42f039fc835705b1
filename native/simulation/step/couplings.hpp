// Rows that couple bodies and joints within one solve of a step: constraints, springs between two bodies, contacts of two bodies.
//
// A row k acts with a force l_k on what it moves, J_k^T l_k, and feels the acceleration a_k = J_k x along it. In each lane it is
//   soft:  l = f - c a, with c >= 0 (no force at all for f = c = 0), or
//   hard:  a as prescribed, whatever force that needs.
// After the joints are eliminated, H = L D L^T with L along the tree, the numbers y_k = L^-1 J_k^T that a unit of the row leaves
// in the joints on its way to the root give everything without a way back (Featherstone 2008 section 7.3, Rodriguez 1987):
//   J H^-1 J^T = Y^T D^-1 Y = A,   free accelerations Y^T D^-1 u,   u += Y l for the motion with the forces.
// With l = f + s x, s = sqrt(c) for soft rows and 1 / sqrt(A_kk) for hard ones, (1_soft + s A s) x = right-hand side is a dense
// Cholesky factorisation, whose pivots of soft rows are 1 and more, and of hard rows that follow from those before nothing: their
// x is zero. Hard rows come first, so that what is soft has no part in this judgement.
//
// Use, in every pass of a step, between eliminate_joints (or eliminate_swept_step) and accelerate (accelerate_swept_step):
//   c.clear(); int k = c.add(); c.push(k, node, wrench); c.turn(k, dof, factor); c.row[k].resist = ...; add_couplings(...);
// afterwards c.row[k].force is the force, and acceleration_along(...) tells a_k from the motion of the nodes: the velocity along
// the row at the end of the step is that at its start plus dt a_k. Without rows nothing is computed.
#pragma once
#include "kernels/factorisation/cholesky.hpp"
#include "simulation/impulses/impulse_response.hpp"
#include "simulation/step/pair_system.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFollowingRow = 1e-11;  // what is left of a hard row, relative, where it follows from those before,
constexpr double kNoRow = 1e-22;         // and where it moves nothing, relative to the row that moves most

template <class T>
struct CouplingRow {
  using Mask = typename Bits<T>::type;
  // Written by whoever adds the row:
  Mask hard;            // lanes in which the acceleration is prescribed
  T target;             // acceleration along the row, where hard
  T constant;           // f: force without acceleration, where soft
  T resist;             // c: what the force loses for a unit of acceleration, where soft
  int node[2];          // nodes that it pushes, -1 for none; push
  Wrench<T> wrench[2];  // on them, at their origins, node axes, for a unit of force; push
  int first, terms;     // joints that it acts on: Couplings::term; turn
  // Written by add_couplings:
  T force;     // l
  Mask taken;  // lanes in which it does not follow from rows before
  int width;   // joints on its way: Couplings::column
};

template <class T>
struct CouplingTerm {
  int dof;   // of the tree
  T factor;  // force on it for a unit of the row's force
};

template <class T>
struct Couplings {
  int count, terms;       // rows and terms at present
  int most, most_terms;   // there is memory for
  int columns;            // independent velocities of the model
  CouplingRow<T>* row;    // most
  CouplingTerm<T>* term;  // most_terms
  int* node_of;           // tree_nv: node of a degree of freedom; number_nodes
  // Scratch of add_couplings:
  T* sent;                     // columns a row: Y
  int* column;                 // columns a row: where it is not zero
  T *inverse, *right, *moved;  // columns: 1 / D, u and D^-1 u
  T *matrix, *scale, *x;       // most^2, most, most
  T *follows, *square;         // most^2: how rows follow from others; spread_forces
  Wrench<T>* passing;          // nodes: what a row sends towards the root
  T* turned;                   // tree_nv: forces of a row on joints
  int *marked, *met;           // nodes and clusters on the way of a row

  template <class Take>
  void lay_out(Take& take, const Model& m, int rows, int row_terms) {
    most = rows, most_terms = row_terms, columns = m.nv, count = terms = 0;
    if (rows == 0) return;
    const size_t n = rows, nv = m.nv + 1, nodes = m.nodes + 1;
    take(row, n), take(term, row_terms + 1), take(node_of, m.tree_nv + 1), take(sent, n * nv), take(column, n * nv);
    take(inverse, nv), take(right, nv), take(moved, nv), take(matrix, n * n), take(scale, n), take(x, n), take(passing, nodes),
        take(follows, n * n), take(square, n * n);
    take(turned, m.tree_nv + 1), take(marked, nodes), take(met, m.coupled ? m.clusters + 1 : 1);
  }
  void number_nodes(const Model& m) {
    for (int i = 0; most > 0 && i < m.nodes; ++i) {
      for (int k = m.node[i].v; k < m.node[i].v + m.node[i].dof; ++k) node_of[k] = i;
    }
  }

  void clear() { count = terms = 0; }
  // A new row that does nothing yet; hard rows must be added before soft ones.
  int add() {
    const T zero = broadcast<T>(0.0);
    CouplingRow<T>& r = row[count];
    r.hard = less<T>(zero, zero), r.target = r.constant = r.resist = r.force = zero;
    r.node[0] = r.node[1] = -1, r.first = terms, r.terms = 0;
    return count++;
  }
  // The row pushes a node with that wrench; at most two nodes.
  void push(int k, int node, const Wrench<T>& w) {
    CouplingRow<T>& r = row[k];
    const int place = r.node[0] < 0 ? 0 : 1;
    r.node[place] = node, r.wrench[place] = w;
  }
  // The last row acts on a joint of the tree, too.
  void turn(int k, int dof, const T& factor) {
    term[terms++] = {dof, factor};
    ++row[k].terms;
  }
  T* sent_by(int k) const { return sent + (size_t)k * columns; }
  int* columns_of(int k) const { return column + (size_t)k * columns; }
};

// A wrench comes to a node.
template <class T>
TARSUS_INLINE void arrive(Couplings<T>& c, int node, const Wrench<T>& w) {
  if (!c.marked[node]) c.passing[node] = {zero3<T>(), zero3<T>()};
  c.marked[node] = 1;
  c.passing[node] += w;
}

// What remains of a row in the joint of node i, u = force - S^T p, goes into `y`; the rest is handed to the parent.
template <class T>
inline void pass_node(const Model& m, const Workspace<T>& ws, const T* q, Couplings<T>& c, int i, T* y, int* column, int& width) {
  const Node& n = m.node[i];
  visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
    using V = std::remove_cvref_t<decltype(J)>;
    Wrench<T> p = c.passing[i];
    T force[V::dof];
    load_rates<V>(n, static_cast<const T*>(c.turned), force);
    for_axes_reversed<V>([&]<int axis>(int k) TARSUS_LAMBDA {
      const Eliminated<T>& e = ws.eliminated[n.v + k];
      const T u = force[k] - power_along<axis>(J, p.f, p.n), share = u * e.inverse;
      p.f += share * e.f, p.n += share * e.n;
      const int d = m.coupled ? m.column[m.row[n.v + k]] : n.v + k;
      y[d] = u, column[width++] = d;
    });
    if (n.parent >= 0 && !n.grounded) arrive(c, n.parent, to_parent(J, p));
  });
}

// The same of a node in a cluster: G^T (force - S^T p) is gathered in its independent velocities, the wrench goes on as it is.
template <class T>
inline void pass_member(const Model& m, const Workspace<T>& ws, const T* q, Couplings<T>& c, int i, T* y) {
  const Node& n = m.node[i];
  c.met[n.cluster] = 1;
  visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
    using V = std::remove_cvref_t<decltype(J)>;
    const Wrench<T> p = c.passing[i];
    T along[V::dof];
    joint_force(J, p, along);
    orient<V>(n.sign, along);
    for (int d = 0; d < V::dof; ++d) {
      const T u = c.turned[n.v + d] - along[d];
      for (int e = m.row[n.v + d]; e < m.row[n.v + d + 1]; ++e) y[m.column[e]] = y[m.column[e]] + ws.coupling[e] * u;
    }
    if (n.parent >= 0 && !n.grounded) arrive(c, n.parent, to_parent(J, p));
  });
}

// All of a cluster is gathered: u = L^-1 of it stays, and its root gets B^T D^-1 u (clustered_body.hpp).
template <class T>
inline void leave_cluster(const Model& m, const Cluster& cluster, const ClusterSpace<T>& s, Couplings<T>& c, T* y, int* column,
                          int& width) {
  const int ni = cluster.independents;
  Wrench<T> p{zero3<T>(), zero3<T>()};
  for (int j = 0; j < ni; ++j) {
    T& u = y[cluster.independent[j]];
    for (int l = 0; l < j; ++l) u = u - s.lower[j * ni + l] * y[cluster.independent[l]];
    const T share = u * s.inverse[j], *w = s.wrench + 6 * j;
    p.f += share * Vec3<T>{w[0], w[1], w[2]}, p.n += share * Vec3<T>{w[3], w[4], w[5]};
    column[width++] = cluster.independent[j];
  }
  if (!is_fixed(m.node[cluster.root])) arrive(c, cluster.root, p);
}

// y_k = L^-1 J_k^T: a unit of the row runs towards the root.
template <class T>
TARSUS_KERNEL void send_row(const Model& m, const Workspace<T>& ws, const T* q, T* clusters, Couplings<T>& c, int k) {
  CouplingRow<T>& r = c.row[k];
  T* y = c.sent_by(k);
  int *column = c.columns_of(k), last = -1;
  r.width = 0;
  for (int d = 0; d < c.columns; ++d) y[d] = broadcast<T>(0.0);
  // 1. where it acts
  auto begin = [&](int node, const Wrench<T>& w) TARSUS_LAMBDA {
    arrive(c, node, w);
    last = node > last ? node : last;
  };
  for (int e = 0; e < 2; ++e) {
    if (r.node[e] >= 0) begin(r.node[e], {-r.wrench[e].f, -r.wrench[e].n});
  }
  for (int i = r.first; i < r.first + r.terms; ++i) {
    c.turned[c.term[i].dof] = c.turned[c.term[i].dof] + c.term[i].factor;
    begin(c.node_of[c.term[i].dof], {zero3<T>(), zero3<T>()});
  }
  // 2. nodes on the way, the outermost first; a cluster is left when its root is reached
  for (int i = last; i >= 0; --i) {
    for (int n = 0; m.coupled && n < m.clusters; ++n) {
      if (!c.met[n] || m.cluster[n].root != i) continue;
      leave_cluster(m, m.cluster[n], ClusterSpace<T>(m, m.cluster[n], clusters), c, y, column, r.width);
      c.met[n] = 0;
    }
    if (!c.marked[i]) continue;
    c.marked[i] = 0;
    if (is_fixed(m.node[i])) continue;
    if (m.coupled && m.node[i].cluster >= 0) {
      pass_member(m, ws, q, c, i, y);
    } else {
      pass_node(m, ws, q, c, i, y, column, r.width);
    }
  }
  for (int i = r.first; i < r.first + r.terms; ++i) c.turned[c.term[i].dof] = broadcast<T>(0.0);
}

// Factors of 1_soft + s A s with s in c.scale, in the lower triangle of c.matrix, the inverse of the diagonal on it.
template <class T>
TARSUS_KERNEL void factorise_couplings(Couplings<T>& c) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const int n = c.count;
  T most = zero;
  for (int k = 0; k < n; ++k) most = larger<T>(most, select<T>(c.row[k].hard, c.matrix[k * n + k], zero));
  for (int k = 0; k < n; ++k) {
    const T own = c.matrix[k * n + k];
    const auto moves = less<T>(kNoRow * most, own);
    const T hard = select<T>(moves, 1.0 / sqrt_of<T>(select<T>(moves, own, one)), zero);
    c.scale[k] = select<T>(c.row[k].hard, hard, sqrt_of<T>(c.row[k].resist));
  }
  for (int j = 0; j < n; ++j) {
    T* Lj = c.matrix + (size_t)j * n;
    for (int k = 0; k <= j; ++k) Lj[k] = Lj[k] * (c.scale[j] * c.scale[k]);
    Lj[j] = Lj[j] + select<T>(c.row[j].hard, zero, one);
    for (int l = 0; l < j; ++l) {
      T s = Lj[l];
      for (int k = 0; k < l; ++k) s = s - Lj[k] * c.matrix[(size_t)l * n + k];
      Lj[l] = s * c.matrix[(size_t)l * n + l];
    }
    T d = Lj[j];
    for (int k = 0; k < j; ++k) d = d - Lj[k] * Lj[k];
    c.row[j].taken = ~c.row[j].hard | less<T>(broadcast<T>(kFollowingRow), d);
    Lj[j] = select<T>(c.row[j].taken, 1.0 / sqrt_of<T>(select<T>(c.row[j].taken, d, one)), zero);
  }
}

// sum over the columns of row k of its numbers times those of `other`.
template <class T>
TARSUS_INLINE T product_along(const Couplings<T>& c, int k, const T* other) {
  const T* y = c.sent_by(k);
  const int* column = c.columns_of(k);
  T sum = broadcast<T>(0.0);
  for (int i = 0; i < c.row[k].width; ++i) sum = sum + y[column[i]] * other[column[i]];
  return sum;
}

// u += Y_k times an amount.
template <class T>
TARSUS_INLINE void apply_row(Couplings<T>& c, int k, const T& amount) {
  const T* y = c.sent_by(k);
  const int* column = c.columns_of(k);
  for (int i = 0; i < c.row[k].width; ++i) c.right[column[i]] = c.right[column[i]] + amount * y[column[i]];
}

// Y and the factors of the rows, from the elimination in ws and `clusters`; contacts between bodies (`pairs`) resist, too.
template <class T>
TARSUS_KERNEL void prepare_couplings(const Model& m, Workspace<T>& ws, const T* q, T* clusters, PairSystem<T>& pairs,
                                     Couplings<T>& c) {
  const int n = c.count;
  for_independents(m, ws, clusters, [&](int d, const T&, const T& inverse) TARSUS_LAMBDA { c.inverse[d] = inverse; });
  for (int k = 0; k < n; ++k) send_row(m, static_cast<const Workspace<T>&>(ws), q, clusters, c, k);
  for (int k = 0; k < n; ++k) {
    pairs.respond(c.columns, c.inverse, c.sent_by(k), c.moved);
    for (int l = 0; l <= k; ++l) c.matrix[(size_t)k * n + l] = product_along(c, l, static_cast<const T*>(c.moved));
  }
  factorise_couplings(c);
}

// Forces of all rows, and what they do to the eliminated joints, whose right-hand sides are in c.right. prepare_couplings must
// have been called for these rows; targets and constants may have changed since.
template <class T>
TARSUS_KERNEL void solve_couplings(PairSystem<T>& pairs, Couplings<T>& c) {
  const T zero = broadcast<T>(0.0);
  const int n = c.count;
  // 1. with the constant forces, and the accelerations that this gives
  for (int k = 0; k < n; ++k) {
    c.row[k].force = select<T>(c.row[k].hard, zero, c.row[k].constant);
    apply_row(c, k, c.row[k].force);
  }
  pairs.respond(c.columns, c.inverse, c.right, c.moved);
  for (int k = 0; k < n; ++k) {
    const T lacks = select<T>(c.row[k].hard, c.row[k].target, zero) - product_along(c, k, static_cast<const T*>(c.moved));
    c.x[k] = c.scale[k] * lacks;
  }
  // 2. what the rows add
  cholesky_substitute(n, static_cast<const T*>(c.matrix), c.x);
  for (int k = 0; k < n; ++k) {
    const T added = c.scale[k] * c.x[k];
    c.row[k].force = c.row[k].force + added;
    apply_row(c, k, added);
  }
}

// Adds the rows to a solve whose joints are eliminated: their forces are found, and the right-hand sides of the joints changed.
template <class T>
TARSUS_KERNEL void add_couplings(const Model& m, Workspace<T>& ws, const T* q, T* clusters, PairSystem<T>& pairs,
                                 Couplings<T>& c) {
  if (c.count == 0) return;
  prepare_couplings(m, ws, q, clusters, pairs, c);
  for_independents(m, ws, clusters, [&](int d, const T& u, const T&) TARSUS_LAMBDA { c.right[d] = u; });
  solve_couplings(pairs, c);
  for_independents(m, ws, clusters, [&](int d, T& u, const T&) TARSUS_LAMBDA { u = c.right[d]; });
}

// The same without contacts between bodies.
template <class T>
inline void add_couplings(const Model& m, Workspace<T>& ws, const T* q, T* clusters, Couplings<T>& c) {
  PairSystem<T> none;
  add_couplings(m, ws, q, clusters, none, c);
}

// Rows that follow from others leave their forces open: those of least norm. With J_D = C J_I and l_I for them alone,
// l_D = (1 + C C^T)^-1 C l_I and l_I - C^T l_D. Afterwards the motion is the same.
template <class T>
TARSUS_KERNEL void spread_forces(Couplings<T>& c) {
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const int n = c.count;
  auto all = less<T>(zero, one);
  for (int k = 0; k < n; ++k) all = all & c.row[k].taken;
  if (n == 0 || !any<T>(~all)) return;
  // 1. C from the factors: C s_I L_I = s_D L_D; rows that are taken, or move nothing, have none
  for (int d = 0; d < n; ++d) {
    T *row = c.follows + (size_t)d * n, *L = c.matrix + (size_t)d * n;
    const auto follows = ~c.row[d].taken & less<T>(zero, c.scale[d]);
    for (int i = n - 1; i >= 0; --i) {
      T sum = i < d ? L[i] : zero;
      for (int k = i + 1; k < d; ++k) sum = sum - row[k] * c.matrix[(size_t)k * n + i];
      row[i] = i < d ? sum * c.matrix[(size_t)i * n + i] : zero;
    }
    const T per = select<T>(follows, 1.0 / select<T>(follows, c.scale[d], one), zero);
    for (int i = 0; i < n; ++i) row[i] = select<T>(c.row[i].hard, per * row[i] * c.scale[i], zero);
  }
  // 2. the forces
  for (int a = 0; a < n; ++a) {
    c.x[a] = zero;
    for (int i = 0; i < n; ++i) c.x[a] = c.x[a] + c.follows[(size_t)a * n + i] * c.row[i].force;
    for (int b = 0; b <= a; ++b) {
      T sum = a == b ? one : zero;
      for (int i = 0; i < n; ++i) sum = sum + c.follows[(size_t)a * n + i] * c.follows[(size_t)b * n + i];
      c.square[(size_t)a * n + b] = sum;
    }
  }
  cholesky_factor(n, c.square);
  cholesky_substitute(n, static_cast<const T*>(c.square), c.x);
  for (int i = 0; i < n; ++i) {
    T sum = c.row[i].force;
    for (int d = 0; d < n; ++d) sum = sum - c.follows[(size_t)d * n + i] * c.x[d];
    c.row[i].force = sum + c.x[i];
  }
}

// J_k x of a row: from the accelerations of the nodes (ws.motion) and of the joints of the tree (`rate`).
template <class T>
TARSUS_INLINE T acceleration_along(const Workspace<T>& ws, const T* rate, const Couplings<T>& c, int k) {
  const CouplingRow<T>& r = c.row[k];
  T sum = broadcast<T>(0.0);
  for (int e = 0; e < 2; ++e) {
    if (r.node[e] < 0) continue;
    const Motion<T>& a = ws.motion[r.node[e]];
    sum = sum + dot(r.wrench[e].f, a.a) + dot(r.wrench[e].n, a.dw);
  }
  for (int i = r.first; i < r.first + r.terms; ++i) sum = sum + c.term[i].factor * rate[c.term[i].dof];
  return sum;
}

}  // namespace tarsus::TARSUS_ISA
