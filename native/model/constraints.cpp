#include "model/constraints.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tarsus {
namespace {

// Degree of freedom of the tree and coordinate of one axis of a joint; false where there is none.
bool find_axis(const Model& m, int body, int axis, int& dof, int& coordinate) {
  if (body < 0 || body >= m.bodies || axis < 0 || axis > 1) return false;
  int i = m.body_node[body];
  const int inner = m.node[i].parent;
  const bool two = inner >= 0 && m.node[inner].body < 0;
  if (two && axis == 0) i = inner;
  if ((!two && axis == 1) || m.node[i].dof != 1) return false;
  dof = m.node[i].v, coordinate = m.node[i].q;
  return true;
}

bool make_end(const Model& m, int frame, const double* pose, ConstraintEnd& end) {
  if (frame < -1 || frame >= m.frames) return false;
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {};
  const double* R = frame < 0 ? identity : m.frame[frame].rotation;
  const double* p = frame < 0 ? origin : m.frame[frame].position;
  end.node = frame < 0 ? -1 : m.frame[frame].node;
  for (int i = 0; i < 3; ++i) {
    end.position[i] = p[i];
    end.body_position[i] = end.node < 0 ? 0.0 : m.node[end.node].body_position[i];
    for (int k = 0; k < 3; ++k) {
      end.position[i] += R[3 * k + i] * pose[4 * k + 3];
      end.rotation[3 * k + i] = 0.0;
      for (int l = 0; l < 3; ++l) end.rotation[3 * k + i] += R[3 * l + i] * pose[4 * l + k];
    }
  }
  return true;
}

// Degrees of freedom between the root and a node, ascending.
std::vector<int> dofs_to(const Model& m, int node) {
  std::vector<int> found;
  for (int i = node; i >= 0; i = m.node[i].parent) {
    for (int k = m.node[i].dof - 1; k >= 0; --k) found.push_back(m.node[i].v + k);
  }
  std::sort(found.begin(), found.end());
  return found;
}

int node_of(const Model& m, int dof) {
  for (int i = 0; i < m.nodes; ++i) {
    if (dof >= m.node[i].v && dof < m.node[i].v + m.node[i].dof) return i;
  }
  return -1;
}

// The last node on the ways from the world to both; -1 is the world.
int lowest_common(const Model& m, int a, int b) {
  while (a != b) (a > b ? a : b) = m.node[a > b ? a : b].parent;
  return a;
}

std::vector<ColumnRange> common(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  std::vector<ColumnRange> found;
  for (int k : both) {
    if (!found.empty() && found.back().end == k) {
      ++found.back().end;
    } else {
      found.push_back({k, k + 1});
    }
  }
  return found;
}

class Builder {
 public:
  Builder(const ConstraintArrays& a, const Model& m, OwnedConstraints& out) : a_(a), m_(m), out_(out) {}

  std::string build() {
    if (!read_pairs() || !read_joints()) return "constraint tables are inconsistent";
    make_blocks();
    std::vector<int> covered(a_.rows, 0);
    for (const RowBlock& b : out_.blocks) {
      for (int r = b.first; r < b.first + b.rows; ++r) {
        if (r < 0 || r >= a_.rows || covered[r]++) return "rows of constraints overlap";
      }
    }
    if (std::accumulate(covered.begin(), covered.end(), 0) != a_.rows) return "rows of constraints are missing";
    make_columns();
    make_components();
    make_opens();
    point();
    return "";
  }

 private:
  bool drive_fits(int first, int size) const { return first == -1 || (first >= 0 && first + size <= a_.drives); }

  bool read_pairs() {
    for (int i = 0; i < a_.pairs; ++i) {
      ConstraintPair pair{};
      const int* numbers = a_.pair + 3 * i;
      if (!make_end(m_, numbers[0], a_.pair_pose + 24 * i, pair.a)) return false;
      if (!make_end(m_, numbers[1], a_.pair_pose + 24 * i + 12, pair.b)) return false;
      pair.drive = numbers[2], pair.first = a_.pair_place[i], pair.rows = 0, pair.row = 0;
      if (!drive_fits(pair.drive, kFrameDrive) || pair.a.node == pair.b.node) return false;
      out_.pairs.push_back(pair);
    }
    for (int i = 0; i < a_.pair_rows; ++i) {
      const int *numbers = a_.pair_row + 3 * i, p = numbers[0];
      if (p < 0 || p >= a_.pairs || (i > 0 && p < a_.pair_row[3 * i - 3])) return false;
      if (numbers[1] < 0 || numbers[1] >= kPairRowKinds || numbers[2] < 0 || numbers[2] > 2) return false;
      PairRow row{numbers[1], numbers[2], {}, {}, {}, a_.pair_row_data[10 * i + 9]};
      std::memcpy(row.a, a_.pair_row_data + 10 * i, sizeof row.a);
      std::memcpy(row.b, a_.pair_row_data + 10 * i + 3, sizeof row.b);
      std::memcpy(row.c, a_.pair_row_data + 10 * i + 6, sizeof row.c);
      if (out_.pairs[p].rows++ == 0) out_.pairs[p].row = i;
      out_.pair_rows.push_back(row);
    }
    return std::all_of(out_.pairs.begin(), out_.pairs.end(), [](const ConstraintPair& p) { return p.rows > 0; });
  }

  bool read_joints() {
    int term = 0, coefficient = 0;
    for (int i = 0; i < a_.joints; ++i) {
      const int* n = a_.joint + 6 * i;
      JointRow row{n[0], term, n[1], -1, -1, coefficient, n[4], n[5], a_.joint_offset[i]};
      if (n[1] < 0 || n[4] < 0 || !drive_fits(n[5], kJointDrive)) return false;
      if (n[2] >= 0 && !find_axis(m_, n[2], n[3], row.leader, row.leader_coordinate)) return false;
      term += n[1], coefficient += n[4];
      if (term > a_.terms || coefficient > a_.coefficients) return false;
      out_.joints.push_back(row);
    }
    for (int i = 0; i < a_.terms; ++i) {
      JointTerm t{0, 0, a_.factor[i]};
      if (!find_axis(m_, a_.term[2 * i], a_.term[2 * i + 1], t.dof, t.coordinate)) return false;
      out_.terms.push_back(t);
    }
    out_.coefficients.assign(a_.coefficient, a_.coefficient + a_.coefficients);
    return term == a_.terms && coefficient == a_.coefficients;
  }

  // Degrees of freedom that a row of joints reads.
  std::vector<int> dofs_of(const JointRow& row) const {
    std::vector<int> found;
    for (int t = row.first; t < row.first + row.terms; ++t) found.push_back(out_.terms[t].dof);
    if (row.leader >= 0) found.push_back(row.leader);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  void make_blocks() {
    for (int i = 0; i < a_.pairs; ++i) {
      out_.blocks.push_back({out_.pairs[i].first, out_.pairs[i].rows, i, -1, 0, 0, 0, 0, {}, {}});
    }
    for (int i = 0; i < a_.joints; ++i) out_.blocks.push_back({out_.joints[i].place, 1, -1, i, 0, 0, 0, 0, {}, {}});
    std::sort(out_.blocks.begin(), out_.blocks.end(), [](const RowBlock& x, const RowBlock& y) { return x.first < y.first; });
  }

  // Columns of each block, those of its response, the nodes that kinematics must visit, and what blocks share.
  void make_columns() {
    std::vector<std::vector<int>> columns, responses;
    std::vector<char> visited(m_.nodes, 0);
    for (RowBlock& b : out_.blocks) {
      // Degrees of freedom that the rows are not zero at: those that move one end but not the other, or those of the joints.
      std::vector<int> own;
      b.column = static_cast<int>(out_.column.size());
      if (b.pair >= 0) {
        const ConstraintPair& pair = out_.pairs[b.pair];
        const std::vector<int> to_a = dofs_to(m_, pair.a.node), to_b = dofs_to(m_, pair.b.node);
        std::set_symmetric_difference(to_a.begin(), to_a.end(), to_b.begin(), to_b.end(), std::back_inserter(own));
        for (int k : own) out_.sign.push_back(std::binary_search(to_b.begin(), to_b.end(), k) ? 1.0 : -1.0);
        for (int end : {pair.a.node, pair.b.node}) {
          for (int i = end; i >= 0; i = m_.node[i].parent) visited[i] = 1;
        }
      } else {
        own = dofs_of(out_.joints[b.joint]);
        out_.sign.insert(out_.sign.end(), own.size(), 0.0);
        for (int k : own) {  // the recursion passes them
          for (int i = node_of(m_, k); i >= 0; i = m_.node[i].parent) visited[i] = 1;
        }
      }
      b.columns = static_cast<int>(own.size());
      out_.column.insert(out_.column.end(), own.begin(), own.end());
      // Those of M^-1 J^T: all on the ways to the root.
      std::vector<int> felt;
      for (int k : own) {
        for (int i = k; i >= 0; i = m_.dof_parent[i]) felt.push_back(i);
      }
      std::sort(felt.begin(), felt.end());
      felt.erase(std::unique(felt.begin(), felt.end()), felt.end());
      b.response = static_cast<int>(out_.response.size()), b.responses = static_cast<int>(felt.size());
      out_.response.insert(out_.response.end(), felt.rbegin(), felt.rend());
      columns.push_back(own), responses.push_back(felt);
    }
    for (int i = 0; i < m_.nodes; ++i) {
      if (visited[i]) out_.nodes.push_back(i);
    }
    if (m_.coupled) {  // columns of independent coordinates fill up
      std::vector<int> all(m_.nv);
      std::iota(all.begin(), all.end(), 0);
      for (auto& x : columns) x = all;
      for (auto& x : responses) x = all;
    }
    // Blocks that share columns; a block with itself gives its own ranges.
    find_meetings(columns, out_.meetings);
    find_meetings(responses, out_.response_meetings);
    for (const Meeting& x : out_.meetings) {
      if (x.p == x.q) out_.blocks[x.p].own = {x.first, x.ranges};
    }
    for (const Meeting& x : out_.response_meetings) {
      if (x.p == x.q) out_.blocks[x.p].felt = {x.first, x.ranges};
    }
    columns_ = columns;
  }

  void find_meetings(const std::vector<std::vector<int>>& columns, std::vector<Meeting>& found) {
    for (int p = 0; p < static_cast<int>(columns.size()); ++p) {
      for (int q = 0; q <= p; ++q) {
        const std::vector<ColumnRange> shared = common(columns[p], columns[q]);
        if (shared.empty()) continue;
        found.push_back({p, q, static_cast<int>(out_.ranges.size()), static_cast<int>(shared.size())});
        out_.ranges.insert(out_.ranges.end(), shared.begin(), shared.end());
      }
    }
  }

  void make_components() {
    const int n = static_cast<int>(out_.blocks.size());
    std::vector<int> leader(n);
    std::iota(leader.begin(), leader.end(), 0);
    auto find = [&](int i) {
      while (leader[i] != i) i = leader[i] = leader[leader[i]];
      return i;
    };
    for (const Meeting& x : out_.meetings) {
      const int p = find(x.p), q = find(x.q);
      leader[std::max(p, q)] = std::min(p, q);
    }
    for (int c = 0; c < n; ++c) {
      if (find(c) != c) continue;
      out_.component_first.push_back(static_cast<int>(out_.component_row.size()));
      for (int b = c; b < n; ++b) {
        if (find(b) != c) continue;
        for (int r = 0; r < out_.blocks[b].rows; ++r) out_.component_row.push_back(out_.blocks[b].first + r);
      }
      std::vector<int> all;
      for (int b = c; b < n; ++b) {
        if (find(b) == c) all.insert(all.end(), columns_[b].begin(), columns_[b].end());
      }
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      const std::vector<ColumnRange> ranges = common(all, all);
      out_.component_columns.push_back({static_cast<int>(out_.ranges.size()), static_cast<int>(ranges.size())});
      out_.ranges.insert(out_.ranges.end(), ranges.begin(), ranges.end());
      const size_t size = out_.component_row.size() - out_.component_first.back();
      out_.table.component_squares += size * size;
      out_.table.largest_component = std::max(out_.table.largest_component, static_cast<int>(size));
    }
    out_.component_first.push_back(static_cast<int>(out_.component_row.size()));
  }

  // Where the loops of a block close, and the joints at which it is open, with the sign of its wrench on each node.
  int open_nodes(const RowBlock& b, std::vector<std::pair<int, int>>& found) const {
    std::vector<std::pair<int, int>> ends;  // node where it begins, sign
    int closing = -1;
    if (b.pair >= 0) {
      const ConstraintPair& pair = out_.pairs[b.pair];
      ends = {{pair.a.node, -1}, {pair.b.node, 1}};
      closing = lowest_common(m_, pair.a.node, pair.b.node);
    } else {
      bool first = true;
      for (int k : dofs_of(out_.joints[b.joint])) {
        const int node = node_of(m_, k);
        closing = first ? m_.node[node].parent : lowest_common(m_, closing, m_.node[node].parent);
        ends.push_back({node, 0}), first = false;
      }
    }
    for (const auto& [node, sign] : ends) {
      for (int i = node; i >= 0 && i != closing; i = m_.node[i].parent) {
        const int own = i == node ? sign : 0;
        auto known = std::find_if(found.begin(), found.end(), [&](const auto& x) { return x.first == i; });
        if (known == found.end()) {
          found.push_back({i, own});
        } else if (own) {
          known->second = own;
        }
      }
    }
    return closing;
  }

  // Rows that are open at each joint, and the groups of rows whose loops close at the same node.
  void make_opens() {
    struct Entry {
      int node, row, ends;
    };
    // An entry for each row at each node between its ends and the node where its loop closes.
    std::vector<Entry> entries;
    std::vector<int> closing(a_.rows, -1);
    out_.closing_sign.assign(a_.rows, 0);
    for (const RowBlock& b : out_.blocks) {
      std::vector<std::pair<int, int>> found;
      const int at = open_nodes(b, found);
      const bool from = b.pair >= 0 && out_.pairs[b.pair].a.node == at, to = b.pair >= 0 && out_.pairs[b.pair].b.node == at;
      for (int r = b.first; r < b.first + b.rows; ++r) {
        closing[r] = at;
        out_.closing_sign[r] = to - from;
        for (const auto& [node, ends] : found) entries.push_back({node, r, ends});
      }
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& x, const Entry& y) { return x.node != y.node ? x.node < y.node : x.row < y.row; });
    // Where the entries of a node start, and its numbers of rows times degrees of freedom.
    out_.open_first.assign(m_.nodes + 1, 0);
    for (const Entry& e : entries) ++out_.open_first[e.node + 1];
    out_.open_dof.assign(m_.nodes + 1, 0);
    for (int i = 0; i < m_.nodes; ++i) {
      out_.open_dof[i + 1] = out_.open_dof[i] + out_.open_first[i + 1] * m_.node[i].dof;
      out_.open_first[i + 1] += out_.open_first[i];
    }
    out_.table.open_dofs = out_.open_dof[m_.nodes];
    // The same row at the parent.
    for (const Entry& e : entries) {
      int up = -1;
      const int parent = m_.node[e.node].parent;
      if (parent >= 0 && parent != closing[e.row]) {
        for (up = out_.open_first[parent]; entries[up].row != e.row;) ++up;
      }
      out_.opens.push_back({e.row, up, e.ends});
    }
    // Groups, the deepest first; the world comes last.
    out_.node_group.assign(m_.nodes + 1, -1);
    for (int node = m_.nodes - 1; node >= -1; --node) {
      const int first = static_cast<int>(out_.group_row.size());
      for (int r = 0; r < a_.rows; ++r) {
        if (closing[r] == node) out_.group_row.push_back(r);
      }
      const int rows = static_cast<int>(out_.group_row.size()) - first;
      if (rows == 0) continue;
      out_.node_group[node < 0 ? m_.nodes : node] = static_cast<int>(out_.groups.size());
      out_.groups.push_back({node, first, rows, out_.table.group_memory});
      const int others = node < 0 ? 0 : out_.open_first[node + 1] - out_.open_first[node];
      out_.table.group_memory += (size_t)rows * (rows + 7 + others);
      out_.table.largest_group = std::max(out_.table.largest_group, rows);
    }
  }

  void point() {
    ConstraintTable& t = out_.table;
    out_.joint_of.assign(a_.rows, -1);
    for (int i = 0; i < a_.joints; ++i) out_.joint_of[a_.joint[6 * i]] = i;
    t.joint_of = out_.joint_of.data(), t.closing_sign = out_.closing_sign.data();
    t.serial = m_.serial;
    t.rows = a_.rows, t.drives = a_.drives;
    t.pairs = a_.pairs, t.joints = a_.joints, t.blocks = static_cast<int>(out_.blocks.size());
    for (const RowBlock& b : out_.blocks) t.largest_block = std::max(t.largest_block, b.rows);
    t.nodes = static_cast<int>(out_.nodes.size());
    t.pair = out_.pairs.data(), t.pair_row = out_.pair_rows.data(), t.joint = out_.joints.data(), t.term = out_.terms.data();
    t.coefficient = out_.coefficients.data(), t.block = out_.blocks.data(), t.node = out_.nodes.data();
    t.column = out_.column.data(), t.sign = out_.sign.data(), t.response = out_.response.data();
    t.meetings = static_cast<int>(out_.meetings.size()), t.meeting = out_.meetings.data();
    t.response_meetings = static_cast<int>(out_.response_meetings.size()), t.response_meeting = out_.response_meetings.data();
    t.range = out_.ranges.data();
    t.components = static_cast<int>(out_.component_first.size()) - 1;
    t.component_first = out_.component_first.data(), t.component_row = out_.component_row.data();
    t.component_columns = out_.component_columns.data();
    t.groups = static_cast<int>(out_.groups.size()), t.group = out_.groups.data(), t.group_row = out_.group_row.data();
    t.node_group = out_.node_group.data(), t.open_first = out_.open_first.data(), t.open_dof = out_.open_dof.data();
    t.opens = static_cast<int>(out_.opens.size()), t.open = out_.opens.data();
  }

  const ConstraintArrays& a_;
  const Model& m_;
  OwnedConstraints& out_;
  std::vector<std::vector<int>> columns_;  // of blocks
};

}  // namespace

std::string OwnedConstraints::build(const ConstraintArrays& a, const Model& m) { return Builder(a, m, *this).build(); }

}  // namespace tarsus
