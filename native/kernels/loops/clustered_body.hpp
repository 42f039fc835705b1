// Forward dynamics in O(n) with kinematic loops in minimal coordinates, Buschmann 2014 section 3.4.2, algorithms 5 to 8.
// Joints that depend on each other form a subsystem ("cluster") that moves with the node it hangs on; all of its joints are
// eliminated together. Two changes against the text: the recursion runs at zero velocity, because a Newton-Euler sweep has
// put all velocity terms into the wrenches (so the terms b-hat of (3.69) are gone), and J-hat of (3.68) is G, the coupling
// matrix of tree_coordinates.hpp, applied to the joints of the spanning tree, whose mass matrix inside the cluster is built by
// composite bodies. Algorithm 7 lacks the minus sign of (3.73) in P_S.
#pragma once
#include "kernels/dynamics/articulated_body.hpp"
#include "kernels/loops/cluster_space.hpp"
#include "kernels/loops/tree_coordinates.hpp"

namespace tarsus::TARSUS_ISA {

// What a solve has to know of the motion at vdot = 0 beside the wrenches.
template <class T>
struct Bias {
  bool moving;    // ws.bias holds accelerations of dependent joints
  bool gyrostat;  // rotors are part of the bodies that carry them
  const T* rate;  // independent velocities, null at rest
};

// Mass matrix of the cluster's joints and the wrenches at its root, from the leaves inwards; passes the composite inertia of
// each node on to its parent, without eliminating anything.
template <class T>
TARSUS_KERNEL void compose_cluster(const Model& m, const Cluster& c, Workspace<T>& ws, const T* q, const ClusterSpace<T>& s) {
  const int n = c.dofs;
  std::memset(static_cast<void*>(s.mass), 0, (size_t)n * n * sizeof(T));
  int local = n;  // degrees of freedom of the cluster are numbered by nodes
  for (int k = c.nodes - 1; k >= 0; --k) {
    const int i = c.node[k];
    const Node& node = m.node[i];
    local -= node.dof;
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      // Bias wrench along the joint: S^T p.
      const Articulated<T> I = ws.articulated[i];
      const Wrench<T> p = ws.wrench[i];
      T along[V::dof];
      joint_force(J, p, along);
      orient<V>(node.sign, along);
      for (int d = 0; d < V::dof; ++d) s.force[local + d] = along[d];
      // Own block of the mass matrix, S^T I S, and its wrenches I S at the parent.
      Wrench<T> U[V::dof];
      T signs[V::dof], row[V::dof];
      for_axes<V>([&]<int axis>(int d) TARSUS_LAMBDA { U[d] = inertia_column<axis>(J, I); });
      for (int d = 0; d < V::dof; ++d) signs[d] = broadcast<T>(1.0);
      orient<V>(node.sign, signs);
      for (int d = 0; d < V::dof; ++d) {
        joint_force(J, U[d], row);
        orient<V>(node.sign, row);
        for (int l = 0; l < V::dof; ++l) s.mass[(local + l) * n + local + d] = signs[d] * row[l];
        const Wrench<T> at_parent = to_parent(J, U[d]);
        s.carried[local + d] = {signs[d] * at_parent.f, signs[d] * at_parent.n};
      }
      // The composite body and its bias wrench join the parent's.
      if (!node.grounded) {
        ws.wrench[node.parent] += to_parent(J, p);
        ws.articulated[node.parent] += to_parent(J, I);
      }
    });
    // The wrenches travel on through the other joints of the cluster: blocks beside the diagonal, S_above^T X^T I S.
    for (int at = c.up[k]; at >= 0; at = c.up[at]) {
      const int ancestor = c.node[at];
      int place = 0;
      for (int b = 0; b < at; ++b) place += m.node[c.node[b]].dof;
      visit_node(m, ws, q, ancestor, [&](const auto& J) TARSUS_LAMBDA {
        using V = std::remove_cvref_t<decltype(J)>;
        for (int d = local; d < local + node.dof; ++d) {
          T row[V::dof];
          joint_force(J, s.carried[d], row);
          orient<V>(m.node[ancestor].sign, row);
          for (int l = 0; l < V::dof; ++l) s.mass[(place + l) * n + d] = s.mass[d * n + place + l] = row[l];
          s.carried[d] = to_parent(J, s.carried[d]);
        }
      });
    }
  }
}

// M_S, B_S and the right-hand side of (3.71) in independent velocities, with J-hat = G.
template <class T, class Own>
TARSUS_KERNEL void project_cluster(const Model& m, const Cluster& c, const Workspace<T>& ws, const T* tau, bool moving,
                                   const Own& own, const ClusterSpace<T>& s) {
  const int n = c.dofs, ni = c.independents;
  const T zero = broadcast<T>(0.0);
  for (int k = 0; k < n * ni; ++k) s.coupling[k] = zero;
  for (int d = 0; d < n; ++d) {
    const int k = c.dof[d];
    for (int e = m.row[k]; e < m.row[k + 1]; ++e) s.coupling[d * ni + m.local_column[e]] = ws.coupling[e];
    s.mass[d * n + d] = s.mass[d * n + d] + own.armature(k);
    if (moving) s.force[d] = s.force[d] + m.armature[k] * ws.bias[k];
  }
  for (int j = 0; j < ni; ++j) {
    s.rhs[j] = tau[c.independent[j]];
    for (int x = 0; x < 6; ++x) s.wrench[6 * j + x] = zero;
    for (int l = 0; l <= j; ++l) s.lower[j * ni + l] = zero;
  }
  for (int d = 0; d < n; ++d) {
    for (int j = 0; j < ni; ++j) {
      const T g = s.coupling[d * ni + j];
      const T* w = reinterpret_cast<const T*>(s.carried + d);
      s.rhs[j] = s.rhs[j] - g * s.force[d];
      for (int x = 0; x < 6; ++x) s.wrench[6 * j + x] = s.wrench[6 * j + x] + g * w[x];
    }
    for (int l = 0; l < ni; ++l) {  // row d of M G, then G^T times it
      T sum = zero;
      for (int b = 0; b < n; ++b) sum = sum + s.mass[d * n + b] * s.coupling[b * ni + l];
      for (int j = l; j < ni; ++j) s.lower[j * ni + l] = s.lower[j * ni + l] + s.coupling[d * ni + j] * sum;
    }
  }
}

// Takes one degree of freedom with the wrench (f, n) for a unit acceleration, 1/d and the right-hand side r out of the root.
template <class T>
TARSUS_INLINE void eliminate_from_root(Workspace<T>& ws, int root, const Vec3<T>& f, const Vec3<T>& n, const T& inverse,
                                       const T& r) {
  const Vec3<T> kf = inverse * f, kn = inverse * n;
  Articulated<T>& I = ws.articulated[root];
  I.A = minus_outer(I.A, n, kn);
  I.C = minus_outer(I.C, f, kf);
  I.Bx = I.Bx - kn.x * f, I.By = I.By - kn.y * f, I.Bz = I.Bz - kn.z * f;
  ws.wrench[root] += Wrench<T>{r * kf, r * kn};
}

// Takes the cluster out: its independent velocities one after the other, which is the factorisation L D L^T of M_S.
template <class T>
TARSUS_KERNEL void eliminate_cluster(const Model& m, const Cluster& c, Workspace<T>& ws, const ClusterSpace<T>& s) {
  const int ni = c.independents;
  const bool grounded = is_fixed(m.node[c.root]);
  for (int j = 0; j < ni; ++j) {
    T* row = s.lower + (size_t)j * ni;
    for (int l = 0; l < j; ++l) {  // row[l] holds L_jl D_l so far
      for (int b = 0; b < l; ++b) row[l] = row[l] - row[b] * s.lower[l * ni + b];
    }
    T d = row[j];
    for (int l = 0; l < j; ++l) {
      const T scaled = row[l] * s.inverse[l];
      d = d - scaled * row[l];
      row[l] = scaled;
      s.rhs[j] = s.rhs[j] - scaled * s.rhs[l];
      for (int x = 0; x < 6; ++x) s.wrench[6 * j + x] = s.wrench[6 * j + x] - scaled * s.wrench[6 * l + x];
    }
    s.inverse[j] = 1.0 / d;
    if (grounded) continue;
    const T* w = s.wrench + 6 * j;
    eliminate_from_root(ws, c.root, Vec3<T>{w[0], w[1], w[2]}, Vec3<T>{w[3], w[4], w[5]}, s.inverse[j], s.rhs[j]);
  }
}

// What a cluster of one independent velocity adds up while its nodes are visited: d = g^T M g + armatures, the right-hand side
// r = tau - g^T (S^T p), and the wrench B = sum of X^T I S g at the root, (3.71) with J-hat = g, the one column of G.
template <class T>
struct SingleSums {
  T d, r;
  Wrench<T> at_root;
};

// Rotors of a gyrostat, which are not visited: their moment of momentum h = rate `spin` about axes fixed to the root is all that
// they add. d += sum of g^2 I_axis, B += spin, r -= spin . dw of the root, and the root feels w x h.
template <class T>
inline void add_rotors(const Model& m, const Cluster& c, Workspace<T>& ws, const T* rate, SingleSums<T>& sums) {
  const Vec3<double> spin = vec3(c.spin);
  sums.d = sums.d + c.spin_inertia;
  sums.at_root.n += spin;
  if (!rate) return;
  const Motion<T>& root = ws.motion[c.root];
  sums.r = sums.r - dot(root.dw, spin);
  if (!is_fixed(m.node[c.root])) ws.wrench[c.root].n += rate[c.independent[0]] * cross(root.w, spin);
}

// A cluster of one-axis joints that all follow one of them, such as a four-bar, or a joint and its drive: algorithms 6 and 7 in
// one pass with scalars. F is the wrench at a node that a unit of the independent acceleration needs behind it; joints on the way
// to the root meet it twice in g^T M g, once as row and once as column.
template <class T, class Own>
TARSUS_KERNEL void eliminate_single(const Model& m, const Cluster& c, Workspace<T>& ws, const T* q, const T* tau,
                                    const Bias<T>& bias, const Own& inertia, const ClusterSpace<T>& s) {
  SingleSums<T> sums{broadcast<T>(0.0), tau[c.independent[0]], {zero3<T>(), zero3<T>()}};
  if (bias.gyrostat) add_rotors(m, c, ws, bias.rate, sums);
  for (int k = 0; k < c.nodes; ++k) {
    if (!m.node[c.node[k]].leaf) s.carried[k] = {zero3<T>(), zero3<T>()};
  }
  for (int k = c.nodes - 1; k >= 0; --k) {
    const int i = c.node[k];
    const Node& node = m.node[i];
    if (bias.gyrostat && node.rotor) continue;
    const T g = ws.coupling[m.row[node.v]];
    const JointValue<T> j = joint_value(node, ws, q, i);
    with_one_axis_arm(node.arm, [&]<int arm>() TARSUS_LAMBDA {
      const auto J = view_of<arm>(constants(node), j);
      constexpr int axis = kArm[arm].axis[0];
      T sign[1] = {g};  // g along the axis of the node
      orient<ArmOnly<arm>>(node.sign, sign);
      // Right-hand side: the bias wrench along the joint, and the armature under the acceleration at vdot = 0.
      const Wrench<T> p = ws.wrench[i];
      sums.r = sums.r - sign[0] * power_along<axis>(J, p.f, p.n);
      if (bias.moving) sums.r = sums.r - (g * node.armature) * ws.bias[node.v];
      // Own entry of the mass matrix: g (S^T I S + armature) g.
      const Articulated<T> I = node.leaf ? inertia.of(i) : ws.articulated[i];
      const Wrench<T> U = inertia_column<axis>(J, I);
      sums.d = sums.d + g * g * (power_along<axis>(J, U.f, U.n) + inertia.armature(node.v));
      // Entries with the joints behind: 2 g S^T F; then F is handed on with what this joint adds.
      Wrench<T> F{sign[0] * U.f, sign[0] * U.n};
      if (!node.leaf) {
        sums.d = sums.d + 2.0 * sign[0] * power_along<axis>(J, s.carried[k].f, s.carried[k].n);
        F += s.carried[k];
      }
      (c.up[k] < 0 ? sums.at_root : s.carried[c.up[k]]) += to_parent(J, F);
      // Wrench and composite inertia for the parent.
      if (node.grounded) return;
      ws.wrench[node.parent] += to_parent(J, p);
      const bool rigid = node.leaf && Own::plain && !inertia.bodies;
      ws.articulated[node.parent] += rigid ? rigid_to_parent<T>(J, constants(node)) : to_parent(J, I);
    });
  }
  // Elimination of the one velocity, (3.73): I -= B d^-1 B^T, p += B d^-1 r.
  s.inverse[0] = 1.0 / sums.d, s.rhs[0] = sums.r;
  std::memcpy(static_cast<void*>(s.wrench), &sums.at_root, sizeof(sums.at_root));
  if (!is_fixed(m.node[c.root])) eliminate_from_root(ws, c.root, sums.at_root.f, sums.at_root.n, s.inverse[0], sums.r);
}

// Accelerations of the independent velocities of a cluster and of its nodes, algorithm 8.
template <class T>
TARSUS_KERNEL void accelerate_cluster(const Model& m, const Cluster& c, Workspace<T>& ws, const T* q, const ClusterSpace<T>& s,
                                      bool leaves, T* vdot) {
  const int ni = c.independents;
  const Motion<T>& root = ws.motion[c.root];
  // L D L^T vdot = r - B a_root, from the last velocity to the first.
  for (int j = ni - 1; j >= 0; --j) {
    const T* w = s.wrench + 6 * j;
    const Vec3<T> f{w[0], w[1], w[2]}, n{w[3], w[4], w[5]};
    T x = (s.rhs[j] - dot(f, root.a) - dot(n, root.dw)) * s.inverse[j];
    for (int l = j + 1; l < ni; ++l) x = x - s.lower[l * ni + j] * vdot[c.independent[l]];
    vdot[c.independent[j]] = x;
  }
  // a_i = X a_parent + S (G vdot)_i.
  for (int k = 0; k < c.nodes; ++k) {
    const int i = c.node[k];
    const Node& node = m.node[i];
    if (node.leaf && !leaves) continue;  // nothing hangs on its acceleration but contacts
    const Motion<T>& parent = ws.motion[node.parent];
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      T x[V::dof];
      for (int d = 0; d < V::dof; ++d) {
        x[d] = broadcast<T>(0.0);
        for (int e = m.row[node.v + d]; e < m.row[node.v + d + 1]; ++e) x[d] = x[d] + ws.coupling[e] * vdot[m.column[e]];
      }
      orient<V>(node.sign, x);
      Vec3<T> dw = to_child(J.R, parent.dw), a = to_child(J.R, parent.a + cross(parent.dw, J.p));
      for_axes<V>([&]<int axis>(int d) TARSUS_LAMBDA { add_along<axis>(J, x[d], a, dw); });
      ws.motion[i].dw = dw, ws.motion[i].a = a;
    });
  }
}

// Eliminates every joint of M vdot = tau - bias in independent coordinates, algorithms 5 to 7. Joints must be prepared, G must be
// there, ws.wrench holds the wrenches that the motion at vdot = 0 needs.
template <class T, class Own>
TARSUS_KERNEL void eliminate_clustered(const Model& m, Workspace<T>& ws, const T* q, const T* tau, const Bias<T>& bias,
                                       const Own& own, T* scratch) {
  T* force = ws.force;
  // Forces of joints outside clusters, which read tau themselves, and the inertias that bodies have by themselves.
  for (int k = 0; k < m.tree_nv; ++k) {
    if (m.row[k] < m.row[k + 1]) force[k] = tau[m.column[m.row[k]]];
  }
  for (int i = 0; i < m.nodes; ++i) {
    const bool alone = m.node[i].leaf && (m.node[i].cluster < 0 || m.cluster[m.node[i].cluster].single);
    if (!alone) ws.articulated[i] = own.of(i);
  }
  // From the leaves to the root: joints by (3.54), clusters where their first node is met.
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    if (n.cluster < 0) {
      eliminate_alone(m, ws, q, static_cast<const T*>(force), i, own, true);
    } else if (const Cluster& c = m.cluster[n.cluster]; c.first == i) {
      const ClusterSpace<T> s(m, c, scratch);
      if (c.single) {
        eliminate_single(m, c, ws, q, tau, bias, own, s);
        continue;
      }
      compose_cluster(m, c, ws, q, s);
      project_cluster(m, c, ws, tau, bias.moving, own, s);
      eliminate_cluster(m, c, ws, s);
    }
  }
}

// Accelerations that follow, algorithm 8, from the root outwards; those of leaves, too, if they are asked for.
template <class T>
TARSUS_KERNEL void accelerate_clustered(const Model& m, Workspace<T>& ws, const T* q, bool leaves, T* vdot, T* scratch) {
  const Motion<T> still{zero3<T>(), zero3<T>(), zero3<T>()};
  T* tree = ws.force2;
  if (is_fixed(m.node[0])) ws.motion[0] = still;
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    if (n.cluster < 0) {
      accelerate_alone(m, ws, q, i, n.parent < 0 ? still : ws.motion[n.parent], tree);
      for (int k = n.v; k < n.v + n.dof; ++k) vdot[m.column[m.row[k]]] = tree[k];
    } else if (const Cluster& c = m.cluster[n.cluster]; c.first == i) {
      accelerate_cluster(m, c, ws, q, ClusterSpace<T>(m, c, scratch), leaves, vdot);
    }
  }
}

template <class T, class Own>
TARSUS_KERNEL void solve_clustered(const Model& m, Workspace<T>& ws, const T* q, const T* tau, const Bias<T>& bias,
                                   const Own& own, T* vdot, T* scratch) {
  eliminate_clustered(m, ws, q, tau, bias, own, scratch);
  accelerate_clustered(m, ws, q, !Own::plain, vdot, scratch);
}

// Motion of the closed tree at vdot = 0, and the wrenches it needs.
template <class T>
inline void sweep_closed(const Model& m, Workspace<T>& ws, const T* q, const T* v, bool gyrostat) {
  if (m.linear) {  // nothing moves dependent joints but the independent ones
    sweep<false>(m, ws, q, v, static_cast<const T*>(nullptr), gyrostat);
  } else {
    sweep<true>(m, ws, q, v, static_cast<const T*>(ws.bias), gyrostat);
  }
}

// Forward dynamics of a model with dependent joints; q, v are those of the tree, tau, rate (v once more) and vdot independent.
// Wrenches on rotors need them as bodies of their own, so that external wrenches take the longer way.
template <class T>
TARSUS_KERNEL void clustered_body(const Model& model, Workspace<T>& ws, const T* q, const T* v, const T* rate, const T* tau,
                                  const T* external, T* vdot, T* scratch) {
  const bool gyrostat = model.gyrostat && !external;
  const Model& m = gyrostat ? *model.gyrostat : model;
  sweep_closed(m, ws, q, v, gyrostat);
  if (external) subtract_external(m, ws, q, external);
  solve_clustered(m, ws, q, tau, Bias<T>{!m.linear, gyrostat, rate}, OwnInertia<T>{m}, vdot, scratch);
}

template <class T>
TARSUS_KERNEL void clustered_solve_mass(const Model& model, Workspace<T>& ws, const T* q, const T* rhs, T* x, T* scratch) {
  const Model& m = model.gyrostat ? *model.gyrostat : model;
  prepare_joints(m, ws, q);
  for (int i = 0; i < m.nodes; ++i) ws.wrench[i] = {zero3<T>(), zero3<T>()};
  solve_clustered(m, ws, q, rhs, Bias<T>{false, model.gyrostat != nullptr, nullptr}, OwnInertia<T>{m}, x, scratch);
}

}  // namespace tarsus::TARSUS_ISA
