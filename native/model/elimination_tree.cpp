#include "model/elimination_tree.hpp"

namespace tarsus {

std::vector<int> elimination_tree(const Model& m) {
  std::vector<char> inner(m.tree_nv, 0);
  for (int k = 0; k < m.tree_nv; ++k) {
    if (m.dof_parent[k] >= 0) inner[m.dof_parent[k]] = 1;
  }
  std::vector<std::vector<int>> ways(m.nv);  // to leaves that each column is on
  int leaves = 0;
  for (int leaf = 0; leaf < m.tree_nv; ++leaf) {
    if (inner[leaf]) continue;
    for (int k = leaf; k >= 0; k = m.dof_parent[k]) {
      for (int e = m.row[k]; e < m.row[k + 1]; ++e) {
        std::vector<int>& of_column = ways[m.column[e]];
        if (of_column.empty() || of_column.back() != leaves) of_column.push_back(leaves);
      }
    }
    ++leaves;
  }
  std::vector<int> parent(m.nv, -1), ancestor(m.nv, -1), latest(leaves, -1);  // latest: column met on each way
  for (int c = m.nv - 1; c >= 0; --c) {
    for (int way : ways[c]) {
      for (int i = latest[way], next; i > c; i = next) {
        next = ancestor[i];
        ancestor[i] = c;
        if (next < 0) parent[i] = c;
      }
      latest[way] = c;
    }
  }
  return parent;
}

}  // namespace tarsus
