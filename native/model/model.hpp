// Plain tables of a model, shared by all instruction sets: data only, no code.
#pragma once
#include <cstddef>

#include "model/joint_table.hpp"

namespace tarsus {

// A node is a joint with at most one body behind it. Joints of two parts (kJoint) are two nodes in a row, the first without
// mass. The node frame sits at the joint with z along its axis; p and the columns e0, e1, e2 give it in
// the parent's node frame at the zero configuration.
struct Node {
  int parent;  // node, -1 for the root
  int arm;
  int body;  // body behind the joint, -1 for the inner half of a two-axis joint
  int q, v;  // where the joint starts in the coordinates of the tree
  int dof;
  int slot;      // index among the joints with a rotation of their own (is_placed), -1 otherwise
  int grounded;  // the parent is a root that is fixed to the world
  int leaf;      // nothing behind it
  int opens;     // visited first among the children of its parent when going backwards
  int cluster;   // group of joints that depend on each other and must be eliminated together, -1 for none
  int rotor;     // a body that is the same at every angle and follows the joint beside it: see Cluster::spin
  int driven;    // its joint turns a rotor on the parent: see Model::driven
  // From here to armature the kernels read a Constants<double> (nodes/view.hpp), in this order.
  double e0[3], e1[3], e2[3], p[3];
  double first[3], second[6], inertia[6];  // moments about the node's origin: xx, yy, zz, xy, xz, yz
  double mass;
  double sign;  // -1 where z is opposite to the joint's axis
  double pitch;
  double armature;                            // one-axis joints
  double body_rotation[9], body_position[3];  // columns of R_NB, p_NB
  double spin[3];  // driven: Cluster::spin in the parent's axes, for a unit of the rate along the node's axis
};

constexpr int kBodyNumbers = 16;  // of a node that tell the mass properties of its body: from `first` to `mass`

struct FrameTable {
  int node;
  double rotation[9], position[3];  // columns of R_NF, p_NF
};

// Joints whose coordinates are not a vector, in the independent layout.
struct Manifold {
  int arm;
  int group;  // of the arm: how the coordinates move
  int q, v;
  double sign;
};

// The root of a robot that is fixed to the world: it does not move.
static inline bool is_fixed(const Node& n) { return n.arm == kRoot; }
// A root that moves freely: its velocity is the twist of its node.
static inline bool is_floating(const Node& n) { return n.arm == kFloat; }
static inline const ArmFacts& arm_of(const Node& n) { return kArm[n.arm]; }

// The part of a body's weight that is carried for it: mass and first moment in the axes of the node.
struct CarriedWeight {
  double mass, first[3];
};

// A spring that turns a ball or free joint back to where it rests, and draws a free one back to its place:
//   moment -stiffness log(R_rest^T R) in the axes of the child, force -pull R^T (p - p_rest).
struct PoseSpring {
  int q, v;            // of the tree, where the joint starts
  int turn_q, turn_v;  // where its quaternion and its angular velocity start
  double stiffness;    // [N m/rad]
  double pull;         // [N/m], 0 of ball joints
  double rest[4], place[3];
};

// Armature along the slides of a joint that turns, too, a planar or free one (kernels/dynamics/sliding_armature.hpp).
struct SlidingArmature {
  int node, v;  // v: where the joint's velocities start in the tree
  int flat;     // planar: two slides and a turn about z, which `sign` turns round
  double mass;  // [kg]
  double sign;
};

// How dependent joint coordinates follow from independent ones. A closure is one set of joints solved together:
//   kLinearClosure      q_D = G q_I + offset: gears, belts, differentials, mimic joints, parallelograms
//   kPolynomialClosure  q_D = c0 + c1 q_I + c2 q_I^2 + ...
//   kLoopClosure        q_D closes kinematic loops; starts from a table (one independent joint) or from a reference
//   kFourBarClosure     planar loop of four revolute joints, in closed form (kernels/loops/four_bar.hpp)
enum ClosureKind { kLinearClosure, kPolynomialClosure, kLoopClosure, kFourBarClosure };
constexpr const char* kClosureKindNames[] = {"linear", "polynomial", "loop", "four-bar"};
constexpr int kFourBarNumbers = 20;  // in the table of a kFourBarClosure

// One closing condition of a loop between frames on two nodes, in the axes of the nodes:
//   kAlong     n_A . (p_B - p_A) = 0        kAcross  a_A . b_B = 0
// or between two joints of the closure, whose places in Closure::dof are node_a and node_b:
//   kRelation  q_a - ratio q_b = offset, with ratio and offset in point_a
enum LoopRowKind { kAlong, kAcross, kRelation };
constexpr const char* kLoopRowKindNames[] = {"along", "across", "relation"};
struct LoopRow {
  int kind;
  int node_a, node_b;  // -1: the closure's root
  double point_a[3], point_b[3];
  double axis_a[3], axis_b[3];
};

struct Closure {
  int kind;
  int root;   // node that all joints of the closure hang on; loops are closed in its frame
  int nodes;  // on the ways from the root to the ends of the loops, parents first
  int dependents, independents;
  int rows;
  const int* node;
  const int* dof;          // degrees of freedom of the tree, dependents first
  const int* dof_node;     // nodes that they belong to
  const double* sign;      // loops: rows x dofs, with which a joint moves the ends of a row against each other
  const int* coordinate;   // coordinates of the tree of the same joints; a ball joint's three share their first one
  const int* independent;  // entries of the independent q
  const LoopRow* row;
  const double* slope;  // loops: dependents x independents at the model's reference
  // Linear: offsets. Polynomial: coefficients from c0 on. Loops with one independent coordinate: values and slopes of all
  // dependents at equidistant knots, knot by knot.
  const double* table;
  int table_size;         // coefficients, or knots
  double first, spacing;  // of the knots
  int periodic;           // the knots go once round a joint that turns without end
  // Loops that are not exact: `kept` combinations of the rows are closed instead of all of them, kept x rows. None: 0.
  int kept;
  const double* weight;
};

// A linear closure of one joint that follows one other: q = ratio q_leader + offset.
struct Follower {
  int coordinate, leader;  // of the tree, and of the independent q
  double ratio, offset;
};

// Joints that must be eliminated together, with the node they hang on.
struct Cluster {
  int root, first;  // `first` has the smallest number of all nodes
  int nodes, dofs, independents;
  const int* node;         // parents first
  const int* dof;          // of the tree
  const int* independent;  // entries of the independent v
  size_t scratch;          // where its memory starts
  const int* up;           // where the parents of its nodes are among them, -1 for the root
  int single;              // one-axis joints that all follow one of them
  // Rotors turn about axes fixed to the root: their mass is part of the root (Model::gyrostat), and what is left is
  // the moment of momentum `spin` along their axes, and `spin_inertia`, for a unit of the independent velocity.
  double spin[3], spin_inertia;
};

struct Model {
  long serial;  // no two models of a process share it
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
  // Coupled models: v_tree = G v with the rows of G compressed; entries of dependent joints are the closures'.
  const int* copied_q;        // tree_nq: the same coordinate among the independent ones, -1 where it depends on others
  const int *row, *column;    // of G: rows start at row[k], k = 0 .. tree_nv
  const int* local_column;    // the column inside the cluster
  const double* constant;     // values, where they are constant
  const int* reduced_parent;  // nv: elimination tree of the reduced mass matrix
  int entries;
  int linear;                 // all closures are linear: G is constant
  int given_angles;           // some closure gives sines and cosines instead of angles
  const double* reference_q;  // tree_nq: a configuration in which all loops are closed
  int closures, clusters;
  int followers;  // the first closures, once more in a compact form
  const Follower* follower;
  const Closure* closure;
  const Cluster* cluster;
  const Model* gyrostat;  // the same model with rotors as part of the bodies that carry them, null without rotors
  // Where nothing but rotors follows other joints, the gyrostat without them as a tree over the independent coordinates; their
  // inertia about their axes is part of the armature. Null otherwise. It has what forward dynamics reads, no bodies or frames.
  const Model* driven;
  size_t closure_memory;                   // scratch of the largest closure
  size_t cluster_working, cluster_memory;  // scratch of all clusters: where the part begins that they share, and its end
  const int* quaternion;                   // starts in q
  const Manifold* manifold;
  const int *vector_q, *vector_v;
  const double *armature, *damping, *friction, *stiffness, *rest;  // tree_nv
  const int* spring_q;                                             // tree q index of each tree v, -1 where none
  int pose_springs;
  const PoseSpring* pose_spring;
  int sliding_armatures;
  const SlidingArmature* sliding_armature;
  const CarriedWeight* carried;  // nodes, null where no weight is carried
};

}  // namespace tarsus
