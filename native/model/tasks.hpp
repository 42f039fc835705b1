// Plain tables of tasks: what a robot shall do, as rows of errors with weights. Data only, shared by all instruction sets; the
// equations are those of src/tarsus/tasks/, which is also what tests compare with.
#pragma once
#include <vector>

#include "model/model.hpp"

namespace tarsus {

// Blocks of rows of one kind; `target` numbers are given with each call:
//   position      p* - p_RF in axes of R                                 3 numbers: p*
//   orientation   rotation vector of R* R_RF^T in axes of R              9 numbers: R* by rows
//   center        p* - p_WC                                              3 numbers: p*
//   sight         rotation from an axis of F to the line of sight        3 numbers: the point; axis and the two across it
//   momentum      linear momentum: no error, its target is a velocity     none
//   spin          angular momentum about the centre of mass, likewise    none
//   posture       q* - q of single coordinates                           1 number a row
enum TaskKind { kTaskPosition, kTaskOrientation, kTaskCenter, kTaskSight, kTaskMomentum, kTaskSpin, kTaskPosture };
constexpr int kTaskKinds = kTaskPosture + 1;
constexpr const char* kTaskKindNames[] = {"position", "orientation", "center", "sight", "momentum", "spin", "posture"};
constexpr int kTaskTargets[] = {3, 9, 3, 3, 0, 0, 0};  // of one block; posture: its rows

struct TaskBlock {
  int kind;
  int first, rows;              // of the stacked rows
  int target;                   // where its numbers start among the targets
  FrameTable frame, reference;  // on nodes; reference.node is -1 for the world
  double axis[9];               // of sight: the axis, and the two across it, in the frame
};

// One row: which component of its block it is; of postures, its places in the independent v and q.
struct TaskRow {
  int component, coordinate;
  double weight;
};

struct TaskTable {
  int blocks, rows, targets;  // targets: numbers of one call
  bool center;                // some block is about the centre of mass or the momentum
  const TaskBlock* block;
  const TaskRow* row;
};

struct OwnedTasks {
  TaskTable table{};
  std::vector<TaskBlock> blocks;
  std::vector<TaskRow> rows;
};

}  // namespace tarsus
