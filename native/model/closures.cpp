#include "model/closures.hpp"

#include <algorithm>

#include "model/gyrostat.hpp"

namespace tarsus {
namespace {

// Node of a degree of freedom of the tree, for all of them.
std::vector<int> nodes_of_dofs(const OwnedModel& m, int tree_nv) {
  std::vector<int> node(tree_nv, 0);
  for (size_t i = 0; i < m.nodes.size(); ++i) {
    for (int k = m.nodes[i].v; k < m.nodes[i].v + m.nodes[i].dof; ++k) node[k] = static_cast<int>(i);
  }
  return node;
}

// Deepest node above all of the given ones (a given node itself does not count). Parents have smaller numbers than children.
int common_root(const OwnedModel& m, const std::vector<int>& nodes) {
  std::vector<int> front;
  for (int i : nodes) front.push_back(m.nodes[i].parent);
  while (true) {
    const auto deepest = std::max_element(front.begin(), front.end());
    if (*deepest == *std::min_element(front.begin(), front.end())) return *deepest;
    *deepest = m.nodes[*deepest].parent;
  }
}

// The given nodes and all between them and the root, without it, in ascending order.
std::vector<int> with_ways(const OwnedModel& m, const std::vector<int>& nodes, int root) {
  std::vector<int> all;
  for (int i : nodes) {
    for (; i > root; i = m.nodes[i].parent) all.push_back(i);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Whether node i is on the way from the root to `end`.
bool carries(const OwnedModel& m, int i, int end) {
  while (end > i) end = m.nodes[end].parent;
  return end == i;
}

class ClosureBuilder {
 public:
  ClosureBuilder(const ModelArrays& a, OwnedModel& m) : a_(a), m_(m), node_of_(nodes_of_dofs(m, a.tree_nv)) {}

  std::string build() {
    m_.copied_q.assign(a_.tree_nq, -1);
    int tree_q = 0, tree_v = 0, q = 0, v = 0;
    std::vector<int> own_v(a_.tree_nv, -1);
    std::vector<int> closure_of(a_.tree_nv, -1);
    for (int i = 0; i < a_.bodies; ++i) {
      const int nq = body_nq(i), nv = body_nv(i);
      if (a_.independent[i]) {
        for (int k = 0; k < nq; ++k) {
          if (a_.leader_q[tree_q + k] < 0) return "an independent joint without coordinates";
        }
        for (int k = 0; k < nq; ++k) m_.copied_q[tree_q + k] = q++;
        for (int k = 0; k < nv; ++k) own_v[tree_v + k] = v++;
      } else if (a_.leader_q[tree_q] >= 0) {
        if (nq != 1) return "only one-axis joints can follow another one";
        add_follower(tree_q, tree_v);
      }
      tree_q += nq, tree_v += nv;
    }
    const std::string wrong = add_given();
    if (!wrong.empty()) return wrong;
    for (size_t c = 0; c < m_.closures.size(); ++c) {
      for (int k = 0; k < m_.closures[c].dependents; ++k) closure_of[m_.closures[c].dof[k]] = static_cast<int>(c);
    }
    for (int k = 0; k < a_.tree_nv; ++k) {
      m_.row.push_back(static_cast<int>(m_.column.size()));
      if (own_v[k] >= 0) {
        m_.column.push_back(own_v[k]), m_.constant.push_back(1.0);
      } else if (closure_of[k] >= 0) {
        add_row(closure_of[k], k);
      } else {
        return "a dependent joint without a closure";
      }
    }
    m_.row.push_back(static_cast<int>(m_.column.size()));
    group();
    return {};
  }

 private:
  int body_nq(int body) const { return joint_size(a_.kind[body]).nq; }
  int body_nv(int body) const { return joint_size(a_.kind[body]).nv; }

  const int* keep(std::vector<int> x) {
    m_.integers.push_back(std::move(x));
    return m_.integers.back().data();
  }
  const double* keep(std::vector<double> x) {
    m_.numbers.push_back(std::move(x));
    return m_.numbers.back().data();
  }

  // A linear closure of one joint that follows another one; G holds the ratio.
  void add_follower(int tree_q, int tree_v) {
    Closure c{};
    c.kind = kLinearClosure, c.dependents = c.independents = 1;
    c.dof = keep(std::vector<int>{tree_v, leader_dof(a_.leader_v[tree_v])});
    c.coordinate = keep(std::vector<int>{tree_q, -1});
    c.independent = keep(std::vector<int>{a_.leader_q[tree_q]});
    independent_v_.push_back({a_.leader_v[tree_v]});
    c.slope = keep(std::vector<double>{a_.ratio_v[tree_v]});
    c.table = keep(std::vector<double>{a_.offset_q[tree_q]});
    m_.followers.push_back({tree_q, a_.leader_q[tree_q], a_.ratio_q[tree_q], a_.offset_q[tree_q]});
    finish(c);
  }

  // Degree of freedom of the tree that an independent velocity is.
  int leader_dof(int v) const {
    for (int k = 0, own = 0, i = 0; i < a_.bodies; ++i) {
      const int nv = body_nv(i);
      if (a_.independent[i]) {
        if (v < own + nv) return k + v - own;
        own += nv;
      }
      k += nv;
    }
    return 0;
  }

  // Where the next closure starts in the arrays that hold all closures one after the other.
  struct Cursor {
    const int *dof, *coordinate, *independent, *row;
    const double *data, *slope, *table, *weight;
  };

  std::string add_given() {
    Cursor at{a_.closure_dof,      a_.closure_coordinate, a_.closure_independent, a_.closure_row,
              a_.closure_row_data, a_.closure_slope,      a_.closure_table,       a_.closure_weight};
    for (int i = 0; i < a_.closures; ++i) {
      const int* size = a_.closure_size + 6 * i;
      Closure c{};
      c.kind = a_.closure_kind[i], c.dependents = size[0], c.independents = size[1], c.rows = size[2];
      c.table_size = size[3], c.periodic = size[4], c.kept = size[5];
      c.first = a_.closure_grid[2 * i], c.spacing = a_.closure_grid[2 * i + 1];
      if (!fits(c)) return "unexpected closure";
      if (!read_joints(at, c)) return "closure out of range";
      read_numbers(at, c);
      std::vector<int> ends;
      const std::string wrong = read_rows(at.row, at.data, c, ends);
      if (!wrong.empty()) return wrong;
      at.row += 3 * c.rows, at.data += 12 * c.rows;
      finish(c, ends);
    }
    return {};
  }

  static bool fits(const Closure& c) {
    if (c.dependents < 1 || c.independents < 0 || c.rows < 0 || c.kind < kLinearClosure || c.kind > kFourBarClosure) return false;
    return c.kept == 0 || (c.kept >= c.dependents && c.kept <= c.rows);
  }

  // Dependent and independent joints of a closure; false where one of them is not there.
  bool read_joints(Cursor& at, Closure& c) {
    const int ni = c.independents, dofs = c.dependents + ni;
    auto inside = [](const std::vector<int>& x, int size) {
      return std::all_of(x.begin(), x.end(), [&](int k) { return k >= 0 && k < size; });
    };
    const std::vector<int> dof(at.dof, at.dof + dofs), coordinate(at.coordinate, at.coordinate + dofs);
    std::vector<int> in_q, in_v;
    for (int k = 0; k < ni; ++k) in_q.push_back(at.independent[2 * k]), in_v.push_back(at.independent[2 * k + 1]);
    if (!inside(dof, a_.tree_nv) || !inside(coordinate, a_.tree_nq) || !inside(in_q, a_.nq) || !inside(in_v, a_.nv)) return false;
    c.dof = keep(dof), c.coordinate = keep(coordinate), c.independent = keep(in_q);
    independent_v_.push_back(in_v);
    at.dof += dofs, at.coordinate += dofs, at.independent += 2 * ni;
    return true;
  }

  // Slopes at the reference, the table (Closure::table), and the combinations of rows that are kept.
  void read_numbers(Cursor& at, Closure& c) {
    auto take = [&](const double*& from, int count) {
      const double* kept = keep(std::vector<double>(from, from + count));
      from += count;
      return kept;
    };
    c.slope = take(at.slope, c.dependents * c.independents);
    c.table = take(at.table, closure_table_size(c.kind, c.dependents, c.table_size));
    c.weight = take(at.weight, c.kept * c.rows);
  }

  // Closing conditions, moved from the frames of the bodies to those of their nodes.
  std::string read_rows(const int* row, const double* data, Closure& c, std::vector<int>& ends) {
    std::vector<LoopRow> rows;
    for (int r = 0; r < c.rows; ++r, row += 3, data += 12) {
      LoopRow out{};
      out.kind = row[0];
      if (out.kind == kRelation) {
        out.node_a = row[1], out.node_b = row[2], out.point_a[0] = data[0], out.point_a[1] = data[1];
        const int dofs = c.dependents + c.independents;
        if (row[1] < 0 || row[1] >= dofs || row[2] < 0 || row[2] >= dofs) return "loop at an unknown joint";
        rows.push_back(out);
        continue;
      }
      for (int end = 0; end < 2; ++end) {
        const int body = row[1 + end];
        if (body < 0 || body >= a_.bodies) return "loop at an unknown body";
        const Node& n = m_.nodes[m_.body_node[body]];
        (end == 0 ? out.node_a : out.node_b) = m_.body_node[body];
        ends.push_back(m_.body_node[body]);
        double *point = end == 0 ? out.point_a : out.point_b, *axis = end == 0 ? out.axis_a : out.axis_b;
        for (int k = 0; k < 3; ++k) {
          point[k] = n.body_position[k], axis[k] = 0.0;
          for (int l = 0; l < 3; ++l) {
            point[k] += n.body_rotation[3 * l + k] * data[3 * end + l];
            axis[k] += n.body_rotation[3 * l + k] * data[6 + 3 * end + l];
          }
        }
      }
      rows.push_back(out);
    }
    m_.loop_rows.push_back(std::move(rows));
    c.row = m_.loop_rows.back().data();
    return {};
  }

  void finish(Closure& c, const std::vector<int>& ends = {}) {
    std::vector<int> joints;
    for (int k = 0; k < c.dependents + c.independents; ++k) joints.push_back(node_of_[c.dof[k]]);
    c.root = common_root(m_, joints);
    std::vector<int> nodes = joints;
    nodes.insert(nodes.end(), ends.begin(), ends.end());
    nodes = with_ways(m_, nodes, c.root);
    c.nodes = static_cast<int>(nodes.size());
    c.node = keep(nodes);
    if (c.rows > 0) {
      for (LoopRow& row : m_.loop_rows.back()) {
        if (row.kind == kRelation) continue;
        row.node_a = row.node_a <= c.root ? -1 : row.node_a;
        row.node_b = row.node_b <= c.root ? -1 : row.node_b;
      }
    }
    c.dof_node = keep(joints);
    std::vector<double> sign;
    for (int r = 0; r < c.rows; ++r) {
      for (int i : joints) {
        const bool relation = c.row[r].kind == kRelation;
        sign.push_back(relation ? 0.0 : carries(m_, i, c.row[r].node_b) - carries(m_, i, c.row[r].node_a));
      }
    }
    c.sign = keep(sign);
    m_.closures.push_back(c);
  }

  void add_row(int closure, int dof) {
    const Closure& c = m_.closures[closure];
    const int k = static_cast<int>(std::find(c.dof, c.dof + c.dependents, dof) - c.dof);
    for (int j = 0; j < c.independents; ++j) {
      m_.column.push_back(independent_v_[closure][j]);
      m_.constant.push_back(c.kind == kLinearClosure ? c.slope[k * c.independents + j] : 0.0);
    }
  }

  // Joints that are eliminated together: those of closures that share a node, with all nodes between them and their root.
  void group() {
    std::vector<std::vector<int>> sets;
    for (const Closure& c : m_.closures) sets.emplace_back(c.node, c.node + c.nodes);
    std::vector<int> owner(m_.nodes.size());
    bool changed = true;
    while (changed) {
      changed = false;
      std::fill(owner.begin(), owner.end(), -1);
      for (size_t s = 0; s < sets.size(); ++s) {
        for (size_t k = 0; k < sets[s].size(); ++k) {
          const int other = owner[sets[s][k]];
          owner[sets[s][k]] = static_cast<int>(s);
          if (other < 0 || other == static_cast<int>(s)) continue;
          std::vector<int> both = sets[s];
          both.insert(both.end(), sets[other].begin(), sets[other].end());
          sets[s] = with_ways(m_, both, common_root(m_, both));
          sets[other].clear();
          changed = true;
          for (int& o : owner) o = o == other ? static_cast<int>(s) : o;
          for (int i : sets[s]) owner[i] = owner[i] < 0 ? static_cast<int>(s) : owner[i];
          k = static_cast<size_t>(-1);
        }
      }
    }
    m_.local_column.assign(m_.column.size(), 0);
    for (const std::vector<int>& set : sets) {
      if (!set.empty()) add_cluster(set);
    }
  }

  void add_cluster(const std::vector<int>& nodes) {
    Cluster c{};
    c.root = common_root(m_, nodes), c.first = nodes.front(), c.nodes = static_cast<int>(nodes.size());
    c.node = keep(nodes);
    std::vector<int> dofs, independent;
    for (int i : nodes) {
      m_.nodes[i].cluster = static_cast<int>(m_.clusters.size());
      for (int k = m_.nodes[i].v; k < m_.nodes[i].v + m_.nodes[i].dof; ++k) dofs.push_back(k);
    }
    for (int k : dofs) {
      for (int e = m_.row[k]; e < m_.row[k + 1]; ++e) {
        const auto found = std::find(independent.begin(), independent.end(), m_.column[e]);
        m_.local_column[e] = static_cast<int>(found - independent.begin());
        if (found == independent.end()) independent.push_back(m_.column[e]);
      }
    }
    c.dofs = static_cast<int>(dofs.size()), c.independents = static_cast<int>(independent.size());
    c.dof = keep(dofs), c.independent = keep(independent);
    c.single = c.independents == 1;
    std::vector<int> up;
    for (int i : nodes) {
      const int v = m_.nodes[i].v;
      c.single = c.single && m_.nodes[i].dof == 1 && m_.row[v + 1] - m_.row[v] == 1;  // no row: held by a rigid loop
      const auto found = std::find(nodes.begin(), nodes.end(), m_.nodes[i].parent);
      up.push_back(found == nodes.end() ? -1 : static_cast<int>(found - nodes.begin()));
    }
    c.up = keep(up);
    m_.clusters.push_back(c);
  }

  const ModelArrays& a_;
  OwnedModel& m_;
  std::vector<int> node_of_;
  std::vector<std::vector<int>> independent_v_;
};

}  // namespace

int closure_table_size(int kind, int dependents, int size) {
  switch (kind) {
    case kLinearClosure: return dependents;
    case kPolynomialClosure: return size;
    case kFourBarClosure: return kFourBarNumbers;
    default: return 2 * dependents * size;
  }
}

std::string build_closures(const ModelArrays& a, OwnedModel& m) {
  for (Node& n : m.nodes) n.cluster = -1;
  const std::string wrong = ClosureBuilder(a, m).build();
  if (!wrong.empty()) return wrong;
  Model& t = m.tables;
  t.copied_q = m.copied_q.data(), t.row = m.row.data(), t.column = m.column.data(), t.local_column = m.local_column.data();
  t.constant = m.constant.data(), t.entries = static_cast<int>(m.column.size());
  t.linear = std::all_of(m.closures.begin(), m.closures.end(), [](const Closure& c) { return c.kind == kLinearClosure; });
  t.given_angles = std::any_of(m.closures.begin(), m.closures.end(), [](const Closure& c) { return c.kind == kFourBarClosure; });
  // A loop's solution needs its equations, their rates and their triangular factor (kernels/loops/loop_solver.hpp), and the path
  // from the reference (kernels/loops/loop_path.hpp).
  for (const Closure& c : m.closures) {
    const size_t nd = c.dependents, ni = c.independents;
    const size_t needed =
        c.kind == kLoopClosure ? 2 * c.rows * (nd + ni + 1) + nd * (nd + ni + 1) + c.kept + ni + 12 * nd + nd * ni : 0;
    t.closure_memory = std::max(t.closure_memory, needed);
  }
  // A cluster keeps L, D, r and B (7 numbers for each independent velocity), and works on M, G and wrenches.
  size_t kept = 0, working = 0;
  for (Cluster& c : m.clusters) {
    const size_t n = c.dofs, ni = c.independents;
    c.scratch = kept;
    kept += ni * ni + 8 * ni;
    working = std::max(working, n * n + n * ni + 7 * n);
  }
  t.cluster_working = kept;
  t.cluster_memory = kept + working;
  t.followers = static_cast<int>(m.followers.size()), t.follower = m.followers.data();
  t.closures = static_cast<int>(m.closures.size()), t.closure = m.closures.data();
  t.clusters = static_cast<int>(m.clusters.size()), t.cluster = m.clusters.data();
  build_gyrostat(m);
  return {};
}

}  // namespace tarsus
