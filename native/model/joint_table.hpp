// What is known of joints, said once: a row for every arm of the visitor over nodes (nodes/view.hpp), and a row for every kind
// of joint, which is one arm or two in a row. Sizes, axes, placement and integration in builder and kernels follow from here.
#pragma once

namespace tarsus {

// Directions that a node may move in, in its own axes: along x, y, z, and about them.
enum Axis { kAlongX, kAlongY, kAlongZ, kAboutX, kAboutY, kAboutZ };

// How coordinates move with a velocity (kernels/kinematics/manifold.hpp). Vectors simply add; the others are the rigid motions
// of space without and with translation (a unit quaternion), and those of a plane (an angle).
enum Group { kVectorGroup, kRotations3, kMotions3, kMotions2 };

// Where the axes of a node come from: z along the axis of the joint, the frame of the joint, or the joint's two axes as x and y.
enum NodeAxes { kAlongAxis, kJointFrame, kTwoTangents };

// Arms of the visitor over nodes. A revolute node whose frame is a cyclic permutation of its parent's has its own.
enum Arm { kRoot, kTurn0, kTurn1, kTurn2, kTurnGeneral, kSlide, kScrew, kBall, kPlane, kFloat };
constexpr int kFirstRare = kSlide;  // arms before are the root and turns, which most joints are

struct ArmFacts {
  int nq = 0, dof = 0;
  Axis axis[6] = {};     // of each degree of freedom
  bool angle = false;    // its one coordinate turns it about z
  bool advance = false;  // its one coordinate moves it along z; where it is an angle, by Node::pitch times that
  int signed_dof = -1;   // degree of freedom that Node::sign turns round; -1: the node's axis is never opposite to the joint's
  Group group = kVectorGroup;
  int translations = 0;  // coordinates and velocities at the start that belong to a translation, where there is a rotation, too
  int quaternion = -1;   // where a unit quaternion starts among the coordinates, -1 for none
  NodeAxes axes = kAlongAxis;
};

constexpr ArmFacts kTurnFacts{.nq = 1, .dof = 1, .axis = {kAboutZ}, .angle = true, .signed_dof = 0};
constexpr ArmFacts kArm[] = {
    /* kRoot */ {.axes = kJointFrame},
    /* kTurn0 */ kTurnFacts,
    /* kTurn1 */ kTurnFacts,
    /* kTurn2 */ kTurnFacts,
    /* kTurnGeneral */ kTurnFacts,
    /* kSlide */ {.nq = 1, .dof = 1, .axis = {kAlongZ}, .advance = true},
    /* kScrew */ {.nq = 1, .dof = 1, .axis = {kAboutZ}, .angle = true, .advance = true, .signed_dof = 0},
    /* kBall */
    {.nq = 4, .dof = 3, .axis = {kAboutX, kAboutY, kAboutZ}, .group = kRotations3, .quaternion = 0, .axes = kJointFrame},
    /* kPlane */
    {.nq = 3,
     .dof = 3,
     .axis = {kAlongX, kAlongY, kAboutZ},
     .signed_dof = 2,
     .group = kMotions2,
     .translations = 2,
     .axes = kTwoTangents},
    /* kFloat */
    {.nq = 7,
     .dof = 6,
     .axis = {kAlongX, kAlongY, kAlongZ, kAboutX, kAboutY, kAboutZ},
     .group = kMotions3,
     .translations = 3,
     .quaternion = 3,
     .axes = kJointFrame},
};
constexpr int kArms = sizeof(kArm) / sizeof(kArm[0]);

// Arms of which a fact holds, as bits: asked for at every node, where a look into the table would cost time.
static constexpr unsigned arms_with(bool ArmFacts::* fact) {
  unsigned bits = 0;
  for (int arm = 0; arm < kArms; ++arm) bits |= static_cast<unsigned>(kArm[arm].*fact) << arm;
  return bits;
}
constexpr unsigned kAngleArms = arms_with(&ArmFacts::angle), kAdvanceArms = arms_with(&ArmFacts::advance);

// These functions are static: instruction sets must not share symbols.
static constexpr bool has_angle(int arm) { return kAngleArms >> arm & 1; }
static constexpr bool has_advance(int arm) { return kAdvanceArms >> arm & 1; }
// Turns about z, whether or not the node's axes are a permutation of its parent's.
static constexpr bool is_turn(int arm) { return has_angle(arm) && !has_advance(arm); }
// Turns whose rotation is a cyclic permutation times Rz: Turn<T, arm - kTurn0>.
static constexpr bool is_cyclic(int arm) { return is_turn(arm) && arm != kTurnGeneral; }
// Joints with a rotation of their own, whose pose in the parent is kept (Workspace::placed).
static constexpr bool is_placed(int arm) { return kArm[arm].group != kVectorGroup; }

// Kinds of joints, and their names as the Python side has them (bindings/enumerations.cpp).
enum JointKind { kFixed, kRevolute, kPrismatic, kHelical, kCylindrical, kUniversal, kSpherical, kPlanar, kFree };
constexpr const char* kJointKindNames[] = {"fixed",     "revolute",  "prismatic", "helical", "cylindrical",
                                           "universal", "spherical", "planar",    "free"};
constexpr int kJointKinds = sizeof(kJointKindNames) / sizeof(kJointKindNames[0]);

// A joint is a chain of nodes; the body hangs on the last one. Each has an arm and takes the first or the second axis.
struct JointParts {
  int nodes;
  struct Part {
    Arm arm;
    int axis;  // 0 or 1
  } part[2];
};
constexpr JointParts kJoint[] = {
    /* kFixed */ {1, {{kRoot, 0}}},
    /* kRevolute */ {1, {{kTurnGeneral, 0}}},
    /* kPrismatic */ {1, {{kSlide, 0}}},
    /* kHelical */ {1, {{kScrew, 0}}},
    /* kCylindrical */ {2, {{kSlide, 0}, {kTurnGeneral, 0}}},
    /* kUniversal */ {2, {{kTurnGeneral, 0}, {kTurnGeneral, 1}}},
    /* kSpherical */ {1, {{kBall, 0}}},
    /* kPlanar */ {1, {{kPlane, 0}}},
    /* kFree */ {1, {{kFloat, 0}}},
};
static_assert(sizeof(kJoint) / sizeof(kJoint[0]) == kJointKinds);

struct JointSize {
  int nq, nv;
};
static constexpr JointSize joint_size(int kind) {
  JointSize size{0, 0};
  for (int k = 0; k < kJoint[kind].nodes; ++k) {
    size.nq += kArm[kJoint[kind].part[k].arm].nq, size.nv += kArm[kJoint[kind].part[k].arm].dof;
  }
  return size;
}

}  // namespace tarsus
