// Plain tables of constraints that are kept by multipliers: rows that a motion must obey beyond the coordinates of the tree.
// Data only, shared by all instruction sets; built once from flat arrays for one model.
#pragma once
#include <string>
#include <vector>

#include "model/model.hpp"

namespace tarsus {

// Rows between frame A on one node and frame B on another, as functions of the motion of B seen from A:
//   kRowAlong        a . p_AB                                      a in A
//   kRowOrientation  entry of 2 sin(angle / 2) axis of R_AB
//   kRowTilt         2 sin(angle / 2) of the axis a towards b      a in A and B, b in A
//   kRowAngle        a . R_AB b - value                            a in A, b in B
//   kRowThread       advance along a - value times turn about it   b, c complete a to a right-handed system
//   kRowDistance     |p_AB| - value
//   kRowSphere       velocity of the contact of a sphere of radius `value` at B with the plane x-y of A, along axis `entry`
//   kRowWheel        the same for the rim of a wheel with the axis a in B
enum PairRowKind { kRowAlong, kRowOrientation, kRowTilt, kRowAngle, kRowThread, kRowDistance, kRowSphere, kRowWheel };
constexpr int kPairRowKinds = kRowWheel + 1;
constexpr const char* kPairRowKindNames[] = {"along", "orientation", "tilt", "angle", "thread", "distance", "sphere", "wheel"};

struct PairRow {
  int kind, entry;
  double a[3], b[3], c[3], value;
};

// A frame on a node; node -1 is the world.
struct ConstraintEnd {
  int node;
  double rotation[9], position[3];  // columns of R_NF, p_NF
  double body_position[3];          // p_NB of the node's body, where wrenches are told
};

// Numbers of one driven frame among the arguments of a call: rows of (R | p), twist, its rate; all relative to the world.
constexpr int kFrameDrive = 24;
// The same of one driven joint coordinate: position, rate, acceleration.
constexpr int kJointDrive = 3;

struct ConstraintPair {
  ConstraintEnd a, b;
  int drive;        // where the given motion of A starts among the driven numbers, -1 for none
  int first, rows;  // of the stacked rows; PairRows have the same order
  int row;          // first PairRow
};

struct JointTerm {
  int dof, coordinate;  // of the tree
  double factor;
};

// sum of factor q - f(q_leader) - offset - drive = 0
struct JointRow {
  int place;  // among the stacked rows
  int first, terms;
  int leader, leader_coordinate;  // of the polynomial f, -1 for none
  int coefficient, coefficients;
  int drive;
  double offset;
};

// Consecutive columns [begin, end).
struct ColumnRange {
  int begin, end;
};
struct ColumnRanges {
  int first, count;
};

// Rows that involve the same degrees of freedom: those of one pair, or one of joints.
struct RowBlock {
  int first, rows;
  int pair, joint;          // one of them is -1
  int column, columns;      // degrees of freedom of the tree that the rows are not zero at
  int response, responses;  // of trees: those and all on their ways to the root, the last first
  // Columns of independent coordinates that are not zero: of the rows, and of M^-1 times them up to the root.
  ColumnRanges own, felt;
};

// Columns that two blocks share.
struct Meeting {
  int p, q;  // blocks, q <= p
  int first, ranges;
};

// A row that is open at a joint: its force is felt behind it, and its loop is not closed there yet.
struct OpenRow {
  int row;
  int up;    // the same row at the joint of the parent; -1 where the loop closes there
  int ends;  // sign with which the constraint's wrench acts on the node itself, 0 where it does not
};

// Rows whose loops are closed at the same node.
struct RowGroup {
  int node;  // -1: the world
  int first, rows;
  size_t memory;  // where the numbers of its elimination start
};

struct ConstraintTable {
  long serial;  // of the model
  int rows, drives, largest_block;
  int pairs, joints, blocks, nodes;
  const ConstraintPair* pair;
  const PairRow* pair_row;
  const JointRow* joint;
  const JointTerm* term;
  const double* coefficient;
  const RowBlock* block;
  const int* node;    // on the ways from the root to all ends, parents first
  const int* column;  // of blocks
  const double* sign;
  const int* response;
  const int* joint_of;      // rows: the JointRow, -1 for rows of pairs
  const int* closing_sign;  // rows: with which the wrench acts on the body where the loop closes
  int meetings, response_meetings;
  const Meeting *meeting, *response_meeting;
  const ColumnRange* range;
  // Rows that share no column with others can be judged apart.
  int components;
  const int *component_first, *component_row;  // components + 1; rows, in ascending order inside a component
  const ColumnRanges* component_columns;
  size_t component_squares;  // sum of their squares
  int largest_component;
  // The recursion through the tree.
  int groups, opens, largest_group;
  const RowGroup* group;  // deepest first
  const int* group_row;
  const int* node_group;  // nodes + 1: the group that closes at a node, -1 for none; the last entry is the world's
  const int* open_first;  // nodes + 1
  const OpenRow* open;
  const int* open_dof;  // nodes + 1: where the numbers of open rows times degrees of freedom start
  size_t open_dofs, group_memory;
};

struct ConstraintArrays {
  int rows, drives, pairs, pair_rows, joints, terms, coefficients;
  const int* pair;              // pairs x 3: frames of A and B (-1: the world), first driven number (-1: none)
  const double* pair_pose;      // pairs x 24: rows of (R | p) of A and B in these frames
  const int* pair_row;          // pair_rows x 3: pair, kind, entry; the rows of a pair one after the other
  const double* pair_row_data;  // pair_rows x 10: a, b, c, value
  const int* pair_place;        // pairs: first of the stacked rows
  const int* joint;  // joints x 6: place, terms, body and axis of the leader (-1: none), coefficients, first driven number
  const double* joint_offset;  // joints
  const int* term;             // terms x 2: body, axis
  const double* factor;        // terms
  const double* coefficient;
};

struct OwnedConstraints {
  ConstraintTable table{};
  std::vector<ConstraintPair> pairs;
  std::vector<PairRow> pair_rows;
  std::vector<JointRow> joints;
  std::vector<JointTerm> terms;
  std::vector<double> coefficients, sign;
  std::vector<RowBlock> blocks;
  std::vector<int> nodes, column, response, component_first, component_row, group_row, node_group, open_first, open_dof, joint_of,
      closing_sign;
  std::vector<Meeting> meetings, response_meetings;
  std::vector<ColumnRange> ranges;
  std::vector<ColumnRanges> component_columns;
  std::vector<RowGroup> groups;
  std::vector<OpenRow> opens;

  // Returns an empty string, or what is wrong with the arrays.
  std::string build(const ConstraintArrays& a, const Model& m);
};

}  // namespace tarsus
