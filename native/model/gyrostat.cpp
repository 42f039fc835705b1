#include "model/gyrostat.hpp"

#include <algorithm>
#include <cmath>

namespace tarsus {
namespace {

// A body that looks the same at every angle of its joint: centre of mass on the axis, equal moments across it.
bool is_round(const Node& n) {
  const double small = 1e-12 * (n.inertia[0] + n.inertia[1] + n.inertia[2]);
  auto zero = [&](double x) { return std::fabs(x) <= small; };
  return zero(n.inertia[0] - n.inertia[1]) && zero(n.inertia[3]) && zero(n.inertia[4]) && zero(n.inertia[5]) &&
         std::fabs(n.first[0]) <= 1e-12 * n.mass && std::fabs(n.first[1]) <= 1e-12 * n.mass;
}

// Moments of a round body about the origin of the node that carries it, added to that node's own.
void load(Node& carrier, const Node& rotor) {
  const double *p = rotor.p, *z = rotor.e2, m = rotor.mass, h = rotor.first[2];
  const double along = rotor.second[2], across = rotor.second[0];  // second moments about the joint: diag(across, across, along)
  const int index[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; ++k) {
    const int a = index[k][0], b = index[k][1];
    carrier.second[k] +=
        across * ((a == b) - z[a] * z[b]) + along * z[a] * z[b] + h * (z[a] * p[b] + p[a] * z[b]) + m * p[a] * p[b];
  }
  for (int k = 0; k < 3; ++k) carrier.first[k] += h * z[k] + m * p[k];
  carrier.mass += m;
  const double* S = carrier.second;
  const double inertia[6] = {S[1] + S[2], S[0] + S[2], S[0] + S[1], -S[3], -S[4], -S[5]};
  std::copy(inertia, inertia + 6, carrier.inertia);
}

// Finds rotors, and what they add to the cluster of the joint that they follow.
bool find_rotors(OwnedModel& m) {
  bool any = false;
  for (Cluster& c : m.clusters) {
    for (int k = 0; c.single && k < c.nodes; ++k) {
      Node& n = m.nodes[c.node[k]];
      const bool follows = m.copied_q[n.q] < 0 && m.constant[m.row[n.v]] != 0.0 && n.parent == c.root;
      if (!follows || !n.leaf || !is_turn(n.arm) || n.armature != 0.0 || !is_round(n)) continue;
      n.rotor = any = true;
      const double ratio = n.sign * m.constant[m.row[n.v]], inertia = n.inertia[2];
      for (int x = 0; x < 3; ++x) c.spin[x] += ratio * inertia * n.e2[x];
      c.spin_inertia += ratio * ratio * inertia;
    }
  }
  return any;
}

// Whether nothing but rotors depends on other joints: each cluster is an independent joint and its rotors.
bool only_rotors_follow(const OwnedModel& m) {
  return std::all_of(m.clusters.begin(), m.clusters.end(), [&](const Cluster& c) {
    int others = 0;
    for (int k = 0; k < c.nodes; ++k) others += !m.nodes[c.node[k]].rotor;
    return c.single && others == 1;
  });
}

// The tree of the nodes that are no rotors, over the independent coordinates.
void build_driven(OwnedModel& m) {
  std::vector<int> place(m.nodes.size(), -1);
  for (size_t i = 0; i < m.nodes.size(); ++i) {
    Node n = m.loaded_nodes[i];
    if (n.rotor) continue;
    place[i] = static_cast<int>(m.driven_nodes.size());
    if (n.parent >= 0) n.parent = place[n.parent];
    if (n.dof > 0) {
      std::copy_n(m.armature.begin() + n.v, n.dof, m.driven_armature.begin() + m.column[m.row[n.v]]);
      n.q = m.copied_q[n.q], n.v = m.column[m.row[n.v]];
    }
    if (n.cluster >= 0) {
      const Cluster& c = m.clusters[n.cluster];
      for (int x = 0; x < 3; ++x) n.spin[x] = n.sign * c.spin[x];
      n.armature += c.spin_inertia, m.driven_armature[n.v] += c.spin_inertia;
      n.driven = 1, n.cluster = -1;
    }
    m.driven_nodes.push_back(n);
  }
  std::vector<char> has_child(m.driven_nodes.size(), 0);
  for (size_t i = m.driven_nodes.size(); i-- > 0;) {
    Node& n = m.driven_nodes[i];
    n.leaf = !has_child[i];
    if (n.parent < 0) continue;
    n.opens = !has_child[n.parent];
    has_child[n.parent] = 1;
  }
}

}  // namespace

void build_gyrostat(OwnedModel& m) {
  if (!find_rotors(m)) return;
  Model& t = m.tables;
  m.loaded_nodes = m.nodes;
  for (const Node& n : m.nodes) {
    if (n.rotor) load(m.loaded_nodes[n.parent], n);
  }
  m.gyrostat = t;
  m.gyrostat.node = m.loaded_nodes.data();
  t.gyrostat = &m.gyrostat;
  if (!only_rotors_follow(m)) return;
  m.driven_armature.assign(t.nv, 0.0);
  build_driven(m);
  Model& d = m.driven;
  d.nodes = static_cast<int>(m.driven_nodes.size()), d.node = m.driven_nodes.data();
  d.nq = d.tree_nq = t.nq, d.nv = d.tree_nv = t.nv;
  d.slots = t.slots, d.armature = m.driven_armature.data();
  m.driven_sliding_armatures = sliding_armatures_of(m.driven_nodes, m.driven_armature);
  d.sliding_armatures = static_cast<int>(m.driven_sliding_armatures.size());
  d.sliding_armature = m.driven_sliding_armatures.data();
  std::copy(t.gravity, t.gravity + 3, d.gravity);
  t.driven = &m.driven;
}

}  // namespace tarsus
