// Building the tables of a model from flat arrays; checks nothing but memory safety of indices.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "model/model.hpp"

namespace tarsus {

struct ModelArrays {
  int bodies, frames;
  const int *parent, *kind;         // bodies
  const double *pose, *child_pose;  // bodies x 12: rows of (R | p)
  const double *axis, *axis2;       // bodies x 3
  const double *pitch, *sign;       // bodies
  const double* inertia;            // bodies x 10: mass, com, moments about com xx yy zz xy xz yz
  const double* carried;            // bodies x 4: mass and first moment of the weight that is carried
  const int* independent;           // bodies
  const double *armature, *damping, *friction, *stiffness, *rest;  // tree_nv
  // Joints that follow one other joint, q = ratio q_leader + offset; leaders are -1 where a closure below says it.
  const int *leader_q, *leader_v;
  const double *ratio_q, *offset_q, *ratio_v;
  // Further closures (model.hpp). Sizes: dependents, independents, rows, entries of the table, periodic, kept; the other arrays
  // hold the closures one after the other.
  int closures;
  const int *closure_kind, *closure_size;       // closures, closures x 6
  const int *closure_dof, *closure_coordinate;  // dependents, then independents, in the tree
  const int* closure_independent;               // independents x 2: places in the independent q and v
  const int* closure_row;                       // rows x 3: kind, bodies a and b
  const double* closure_row_data;               // rows x 12: points and axes a, b in the bodies' frames
  const double *closure_slope, *closure_table;  // dependents x independents; see Closure::table
  const double* closure_weight;                 // kept x rows
  const double* closure_grid;                   // closures x 2: first knot, spacing
  const double* reference_q;                    // tree_nq
  const int* frame_body;
  const double* frame_pose;  // frames x 12
  const double* gravity;
  int nq, nv, tree_nq, tree_nv;
};

struct OwnedModel {
  Model tables{};
  std::vector<Node> nodes;
  std::vector<FrameTable> frame_tables;
  std::vector<int> body_node, dof_parent, reduced_parent, quaternion, vector_q, vector_v, spring_q;
  std::vector<double> armature, damping, friction, stiffness, rest, reference_q;
  std::vector<PoseSpring> pose_springs;
  std::vector<CarriedWeight> carried;  // nodes
  std::vector<SlidingArmature> sliding_armatures;
  std::vector<Manifold> manifold;
  std::vector<int> copied_q, row, column, local_column;
  std::vector<double> constant;
  std::vector<Closure> closures;
  std::vector<Cluster> clusters;
  std::vector<Follower> followers;
  std::vector<Node> loaded_nodes;  // of the gyrostat model
  Model gyrostat{};
  std::vector<Node> driven_nodes;  // of the driven tree
  std::vector<double> driven_armature;
  std::vector<SlidingArmature> driven_sliding_armatures;
  Model driven{};
  // Arrays of closures and clusters; a deque does not move what it holds.
  std::deque<std::vector<int>> integers;
  std::deque<std::vector<double>> numbers;
  std::deque<std::vector<LoopRow>> loop_rows;

  // Returns an empty string, or what is wrong with the arrays.
  std::string build(const ModelArrays& a);
};

// Mass properties of the body of a node, from ten numbers as in ModelArrays::inertia, put into the node frame, in which the
// body's frame is known.
void set_inertia(Node& n, const double* body);

// Those of nodes with velocities of a tree, `armature` of which is by these velocities.
std::vector<SlidingArmature> sliding_armatures_of(const std::vector<Node>& nodes, const std::vector<double>& armature);

}  // namespace tarsus
