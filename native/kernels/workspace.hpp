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

template <class T>
struct Workspace {
  T *sine, *cosine;              // nodes
  Placed<T>* placed;             // slots
  Motion<T>* motion;             // nodes
  Wrench<T>* wrench;             // nodes
  Articulated<T>* articulated;   // nodes
  Eliminated<T>* eliminated;     // tree_nv
  Placed<T>* pose;               // nodes
  Composite<T>* composite;       // nodes
  Screw<T>*screw, *screw_rate;   // tree_nv
  Screw<T>* twist;               // nodes
  T *tree_q, *tree_v, *tree_a;   // coordinates of the spanning tree
  T *force, *force2;             // tree_nv
  int* path;                     // nodes on the way to path_end: path_to, which keeps it for the next call
  T *coupling, *coupling_rate;   // entries of G and its rate
  T* bias;                       // tree_nv: accelerations of dependent joints at vdot = 0
  T* closure;                    // equations of one closure
  T *given_sine, *given_cosine;  // nodes whose angles come from a closed form
  // Closure that could not be solved (-1: none), for which lanes, and why.
  int failed_closure, failed_lanes, failed_singular;
  int failed_pair, failed_pair_lanes;  // the same of a constraint without direction
  int path_end, path_count;            // -1 and 0 where there is no path yet
  bool diverged;                       // lanes need different ways and must be taken one by one

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
    for (int e = 0; m.coupled && e < m.entries; ++e) {
      w.coupling[e] = broadcast<T>(m.constant[e]), w.coupling_rate[e] = broadcast<T>(0.0);
    }
  }
};

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
