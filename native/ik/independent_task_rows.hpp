// Errors and Jacobians of all blocks of tasks in independent coordinates, whatever joints depend on others.
#pragma once
#include "dispatch/coupled.hpp"
#include "dispatch/reduction.hpp"
#include "kernels/tasks/task_rows.hpp"

namespace tarsus::TARSUS_ISA {

// Errors `plain` (rows) without weights and, where J (rows x nv) is given, the weighted Jacobian; false where a loop does not
// close, in any of the lanes: ws.failing tells which, the others have their rows. `tree` are rows x tree_nv entries of scratch
// for coupled models. Leaves poses, screws and G in the workspace, and with `angles` all coordinates of the tree: closed forms
// of loops have sines and cosines only.
template <class T, class S>
inline bool independent_task_rows(const Model& m, const TaskTable& t, Workspace<T>& ws, const T* q, const S* target, T* tree,
                                  T* plain, T* J, bool angles = false) {
  const T* tree_q = q;
  ws.failed_closure = -1, ws.failing = 0;
  if (m.coupled) {
    close_coordinates(m, ws, q, static_cast<const T*>(nullptr), angles);
    if (lanes<T> == 1 && ws.failing) return false;
    tree_q = ws.tree_q;
  }
  T* columns = m.coupled ? tree : J;
  if (J) zero_fill(columns, (size_t)t.rows * m.tree_nv);
  task_rows(m, t, ws, tree_q, target, plain, J ? columns : static_cast<T*>(nullptr));
  if (J && m.coupled) {
    zero_fill(J, (size_t)t.rows * m.nv);
    add_reduced_columns(m, static_cast<const T*>(ws.coupling), static_cast<const T*>(tree), t.rows, J);
  }
  for (int i = 0; i < t.blocks; ++i) {
    const TaskBlock& b = t.block[i];
    for (int r = b.first; b.kind == kTaskPosture && r < b.first + b.rows; ++r) {
      plain[r] = target[b.target + r - b.first] - q[t.row[r].coordinate];
      if (J) J[(size_t)r * m.nv + t.row[r].component] = broadcast<T>(t.row[r].weight);
    }
  }
  return !ws.failing;
}

}  // namespace tarsus::TARSUS_ISA
