// Memory of one evaluation, laid out once per model and scalar type; nothing is allocated inside a call.
#pragma once
#include "model/constraints.hpp"
#include "nodes/articulated.hpp"

namespace tarsus::TARSUS_ISA {

// Pose of a node and, for kernels that need it, the inertia of what hangs on it, about the reference point.
template <class T>
struct Composite {
  T mass;
  Vec3<T> first;
  Sym3<T> second;
};

template <class T>
struct Screw {
  Vec3<T> linear, angular;
};

// |G| / s of a loop (regularity.hpp) beyond which its slopes have less than eight digits: rounding of the independent
// coordinates times it is 1e-8.
constexpr double kSteepestLoop = 1e8;

// Why a closure is not to be used: it does not close, its independent joints do not determine the others, or (in simulations)
// it is on another branch than a moment before.
enum ClosureFailure { kNotClosed, kNotDetermined, kOtherBranch };

// Fields with their length, who writes them (<-) and who reads them (->). Nothing outlives a call but the constants of
// `coupling` and `path`.
template <class T>
struct Workspace {
  // Joints at their coordinates: prepare_joints -> visit_node.
  T *sine, *cosine;   // nodes (and some more, for whole packs): of the angle, the sign of the axis included
  Placed<T>* placed;  // slots: pose in the parent of joints with a rotation of their own
  // Recursions in the axes of the nodes.
  Motion<T>* motion;  // nodes <- sweep, later accelerate (a, dw at zero velocity) -> rotors, contacts, multipliers
  Wrench<T>* wrench;  // nodes <- sweep, less external wrenches and contacts -> gather_forces, eliminate_joints, clusters
  Articulated<T>* articulated;  // nodes <-> eliminate_joints, clusters: inertia of what hangs on a node
  Eliminated<T>* eliminated;    // tree_nv <- eliminate_joints -> accelerate, runs and recursion of multipliers, impulses
  // Recursions about one point: the origin of the world, the root, or the root of a loop.
  Placed<T>* pose;              // nodes <- poses.hpp, composite_body -> screws, frames, contacts
  Composite<T>* composite;      // nodes <- composite_body, momentum -> mass matrix, centroidal quantities, derivatives
  Screw<T>*screw, *screw_rate;  // tree_nv <- screws.hpp, loop conditions -> Jacobians, mass matrix, loop equations
  Screw<T>* twist;              // nodes <- twists.hpp, loop conditions, DeNOC -> their rates
  // Coordinates of the spanning tree <- tree_coordinates.hpp -> all kernels of models with dependent joints.
  T *tree_q, *tree_v;        // tree_nq, tree_nv
  T* tree_a;                 // tree_nv <- dispatch: acceleration or force over the tree
  T *force, *force2;         // tree_nv: for the use of one kernel; nothing in them outlives it
  int* path;                 // nodes on the way to path_end <- path_to, which keeps it for the next call -> frames
  int path_end, path_count;  // of it; -1 and 0 where there is no path yet
  // Coupled models only.
  T *coupling, *coupling_rate;   // entries of G and its rate, in the order of Model::column <- closures -> reductions, clusters
  T* bias;                       // tree_nv <- expand_velocities -> sweep: accelerations of dependent joints at vdot = 0
  T* closure;                    // closure_memory: equations of the closure that is being solved (LoopEquations, LoopPath)
  T *given_sine, *given_cosine;  // nodes <- close_four_bar -> prepare_joints: angles that come from a closed form
  // Bodies of the robots in the lanes, where they differ <- the caller, null where all are the model's -> with_body.
  const BodyInertia<T>* bodies;  // nodes
  // What went wrong, for the caller's message.
  int failing;                         // lanes in which some closure failed since the caller set this to 0
  int failed_closure, failed_lanes;    // closure that could not be solved (-1: none), for which lanes,
  ClosureFailure failed_how;           // and why
  int failed_pair, failed_pair_lanes;  // the same of a constraint without direction
  // What the caller bears of loops, see regularity.hpp.
  double steepest, time_step;  // steepness, and the length of the caller's steps [s] (0: none)
  int bending;                 // lanes in which slopes of a loop change in such a step, since the caller set this to 0
  bool diverged;               // lanes need different ways and must be taken one by one

  // Assigns the arrays to consecutive aligned pieces of `memory`; returns the bytes needed (memory may be null).
  static size_t layout(Workspace& w, const Model& m, char* memory) {
    size_t used = 0;
    auto take = [&]<class U>(U*& array, size_t count) {
      array = reinterpret_cast<U*>(memory + used);
      used += (count * sizeof(U) + 63) / 64 * 64;
    };
    const size_t n = m.nodes, nv = m.tree_nv + 1, nq = m.tree_nq + 1;
    take(w.sine, n + 8), take(w.cosine, n + 8);
    take(w.placed, m.slots), take(w.motion, n), take(w.wrench, n), take(w.articulated, n), take(w.eliminated, nv);
    take(w.pose, n), take(w.composite, n), take(w.screw, nv), take(w.screw_rate, nv), take(w.twist, n);
    take(w.tree_q, nq), take(w.tree_v, nv), take(w.tree_a, nv), take(w.force, nv), take(w.force2, nv);
    take(w.path, n);
    if (m.coupled) {
      take(w.coupling, m.entries), take(w.coupling_rate, m.entries), take(w.bias, nv), take(w.closure, m.closure_memory + 1);
      take(w.given_sine, m.given_angles ? n : 0), take(w.given_cosine, m.given_angles ? n : 0);
    }
    return used;
  }

  // Entries of G that never change; the others are written by their closures in every call.
  static void fill_constants(Workspace& w, const Model& m) {
    w.path_end = -1, w.path_count = 0;
    w.bodies = nullptr;
    w.steepest = kSteepestLoop, w.time_step = 0.0, w.failing = 0, w.bending = 0;
    for (int e = 0; m.coupled && e < m.entries; ++e) {
      w.coupling[e] = broadcast<T>(m.constant[e]), w.coupling_rate[e] = broadcast<T>(0.0);
    }
  }
};

// f of the mass properties of a node's body: those of the robots in the lanes, or the model's.
template <class T, class F>
TARSUS_INLINE auto with_body(const Model& m, const BodyInertia<T>* bodies, int i, F f) {
  return bodies ? f(bodies[i]) : f(constants(m.node[i]));
}

// Mass of the whole robot, added in the order of the model's.
template <class T>
inline T total_mass(const Model& m, const BodyInertia<T>* bodies) {
  if (!bodies) return broadcast<T>(m.total_mass);
  T sum = broadcast<T>(0.0);
  for (int i = 0; i < m.nodes; ++i) sum = sum + bodies[i].mass;
  return sum;
}

// Notes the first closure that fails, for some lanes.
template <class T>
inline void note_failure(Workspace<T>& ws, int closure, int lanes_failed, ClosureFailure how) {
  ws.failing |= lanes_failed;
  if (lanes_failed == 0 || ws.failed_closure >= 0) return;
  ws.failed_closure = closure, ws.failed_lanes = lanes_failed, ws.failed_how = how;
}

// One state (T = double) or one pack of states on its way through a kernel; q, v, a are coordinates of the tree.
template <class T>
struct Context {
  const Model& model;
  Workspace<T>& ws;
  const T *q, *v, *a, *external;
  T* out;
  const size_t* offset = nullptr;    // where each result starts in `out`
  const T* independent_v = nullptr;  // v as it was given
  const FrameTable* frames = nullptr;
  int frame_count = 0, expressed_in = 0, passive = 0;
  const ConstraintTable* constraints = nullptr;
  const T* drive = nullptr;
  double alpha = 0.0, beta = 0.0, rank_tolerance = 0.0;
};

}  // namespace tarsus::TARSUS_ISA
