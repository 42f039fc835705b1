// Errors and Jacobians of all blocks of tasks in independent coordinates, whatever joints depend on others.
#pragma once
#include <cstring>

#include "dispatch/coupled.hpp"
#include "dispatch/reduction.hpp"
#include "kernels/tasks/task_rows.hpp"

namespace tarsus::TARSUS_ISA {

// Errors `plain` (rows) without weights and, where J (rows x nv) is given, the weighted Jacobian; false where a loop does not
// close. `tree` are rows x tree_nv entries of scratch for coupled models. Leaves poses, screws and G in the workspace, and with
// `angles` all coordinates of the tree: closed forms of loops have sines and cosines only.
inline bool independent_task_rows(const Model& m, const TaskTable& t, Workspace<double>& ws, const double* q,
                                  const double* target, double* tree, double* plain, double* J, bool angles = false) {
  const double* tree_q = q;
  ws.failed_closure = -1;
  if (m.coupled) {
    close_coordinates(m, ws, q, static_cast<const double*>(nullptr), angles);
    if (ws.failed_closure >= 0) return false;
    tree_q = ws.tree_q;
  }
  double* columns = m.coupled ? tree : J;
  if (J) std::memset(columns, 0, (size_t)t.rows * m.tree_nv * sizeof(double));
  task_rows(m, t, ws, tree_q, target, plain, J ? columns : static_cast<double*>(nullptr));
  if (J && m.coupled) {
    std::memset(J, 0, (size_t)t.rows * m.nv * sizeof(double));
    add_reduced_columns(m, static_cast<const double*>(ws.coupling), static_cast<const double*>(tree), t.rows, J);
  }
  for (int i = 0; i < t.blocks; ++i) {
    const TaskBlock& b = t.block[i];
    for (int r = b.first; b.kind == kTaskPosture && r < b.first + b.rows; ++r) {
      plain[r] = target[b.target + r - b.first] - q[t.row[r].coordinate];
      if (J) J[(size_t)r * m.nv + t.row[r].component] = t.row[r].weight;
    }
  }
  return true;
}

}  // namespace tarsus::TARSUS_ISA
