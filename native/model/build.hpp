// Building the tables of a model from flat arrays; checks nothing but memory safety of indices.
#pragma once
#include <string>
#include <vector>

#include "model/model.hpp"

namespace tarsus {

struct ModelArrays {
  int bodies, frames;
  const int *parent, *kind;                                        // bodies
  const double *pose, *child_pose;                                 // bodies x 12: rows of (R | p)
  const double *axis, *axis2;                                      // bodies x 3
  const double *pitch, *sign;                                      // bodies
  const double* inertia;                                           // bodies x 10: mass, com, moments about com xx yy zz xy xz yz
  const int* independent;                                          // bodies
  const double *armature, *damping, *friction, *stiffness, *rest;  // tree_nv
  const int *leader_q, *leader_v;
  const double *ratio_q, *offset_q, *ratio_v;
  const int* frame_body;
  const double* frame_pose;  // frames x 12
  const double* gravity;
  int nq, nv, tree_nq, tree_nv;
};

struct OwnedModel {
  Model tables{};
  std::vector<Node> nodes;
  std::vector<FrameTable> frame_tables;
  std::vector<int> body_node, dof_parent, leader_q, leader_v, quaternion, vector_q, vector_v, spring_q;
  std::vector<double> ratio_q, offset_q, ratio_v, armature, damping, friction, stiffness, rest;
  std::vector<Manifold> manifold;

  // Returns an empty string, or what is wrong with the arrays.
  std::string build(const ModelArrays& a);
};

}  // namespace tarsus
