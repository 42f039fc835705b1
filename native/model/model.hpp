// Plain tables of a model, shared by all instruction sets: data only, no code.
#pragma once

namespace tarsus {

// Joint kinds as the Python side numbers them (src/tarsus/model/lowering.py).
enum JointKind { kFixed, kRevolute, kPrismatic, kHelical, kCylindrical, kUniversal, kSpherical, kPlanar, kFree };

// Arms of the visitor over nodes. A revolute node whose frame is a cyclic permutation of its parent's has its own.
enum Arm { kRoot, kTurn0, kTurn1, kTurn2, kTurnGeneral, kSlide, kScrew, kBall, kPlane, kFloat };

// A node is a joint with at most one body behind it. Cylindrical and universal joints are two nodes in a row, the
// first without mass. The node frame sits at the joint with z along its axis; p and the columns e0, e1, e2 give it in
// the parent's node frame at the zero configuration.
struct Node {
  int parent;  // node, -1 for the root
  int arm;
  int body;  // body behind the joint, -1 for the inner half of a two-axis joint
  int q, v;  // where the joint starts in the coordinates of the tree
  int dof;
  int slot;      // index among the joints with a rotation of their own (ball, plane, float), -1 otherwise
  int grounded;  // the parent is a root that is fixed to the world
  int leaf;      // nothing behind it
  int opens;     // visited first among the children of its parent when going backwards
  // From here to armature the kernels read a Constants<double> (nodes/view.hpp), in this order.
  double e0[3], e1[3], e2[3], p[3];
  double first[3], second[6], inertia[6];  // moments about the node's origin: xx, yy, zz, xy, xz, yz
  double mass;
  double sign;  // -1 where z is opposite to the joint's axis
  double pitch;
  double armature;                            // one-axis joints
  double body_rotation[9], body_position[3];  // columns of R_NB, p_NB
};

struct FrameTable {
  int node;
  double rotation[9], position[3];  // columns of R_NF, p_NF
};

// Joints whose coordinates are not a vector, in the independent layout.
struct Manifold {
  int arm;  // kBall, kPlane or kFloat
  int q, v;
  double sign;
};

struct Model {
  int nodes, bodies, frames;
  int nq, nv;            // independent coordinates
  int tree_nq, tree_nv;  // coordinates of the spanning tree
  int coupled;           // some joint follows another one
  int slots;             // joints with a rotation of their own
  int quaternions;       // number of quaternions in the independent q
  int manifolds;
  int vector_dofs;  // entries of v that simply add to an entry of q
  double total_mass;
  double gravity[3];
  const Node* node;
  const int* body_node;
  const int* dof_parent;  // next degree of freedom on the way to the root, -1 at its end
  const FrameTable* frame;
  const int* leader_q;
  const double *ratio_q, *offset_q;
  const int* leader_v;
  const double* ratio_v;
  const int* quaternion;  // starts in q
  const Manifold* manifold;
  const int *vector_q, *vector_v;
  const double *armature, *damping, *friction, *stiffness, *rest;  // tree_nv
  const int* spring_q;                                             // tree q index of each tree v, -1 where none
};

}  // namespace tarsus
