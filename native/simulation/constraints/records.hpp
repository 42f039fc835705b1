// Constraints of a simulated robot (model/constraints.hpp): data only.
#pragma once
#include "kernels/constraints/constraint_rows.hpp"
#include "simulation/run.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct RobotConstraints {
  using Mask = typename Bits<T>::type;
  const ConstraintTable* table = nullptr;  // null where there are none
  const GivenMotions* given = nullptr;     // motions given as functions of time; RobotMemory::load
  RowSpace<T> rows;                        // at the last state that was looked at; evaluate_constraints
  T* drive;                                // drives: given motions at its time; read_given_motions
  T* engaged;                              // rows: 1 where a row acts, 0 where it does not; RobotMemory::load
  T* force;                                // rows: multipliers of the last step, or of the last evaluation
  int* number;                             // rows: place among the couplings; add_constraints
  T *tangent, *moved;                      // nv, nq: scratch of projections
  int open_row;                            // first row that could not be closed, -1 for none; project_state
  Mask open;                               // lanes in which

  bool any() const { return table != nullptr; }
  int count() const { return table ? table->rows : 0; }
  // Joints that all rows name together.
  int terms() const {
    int sum = 0;
    for (int b = 0; table && b < table->blocks; ++b) sum += table->block[b].rows * table->block[b].columns;
    return sum;
  }
  template <class Take>
  void lay_out(Take& take, const Model& m) {
    open_row = -1;
    if (!table) return;
    const size_t n = table->rows + 1, nv = m.tree_nv + 1;
    take(rows.violation, n), take(rows.velocity, n), take(rows.bias, n), take(rows.jacobian, n * nv), take(rows.wrench, n);
    take(rows.acceleration, m.nodes + 1), take(drive, table->drives + 1), take(engaged, n), take(force, n), take(number, n);
    take(tangent, nv), take(moved, m.nq + 1);
  }
};

}  // namespace tarsus::TARSUS_ISA
