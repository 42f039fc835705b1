// What an operation is: a row says which arguments it takes, what it gives, and what it asks of a model. The rows themselves
// stand beside their kernels, in trees.cpp, formulations.cpp, derivatives.cpp and constrained.cpp; everything that is known
// of an operation anywhere is read from its row.
#pragma once
#include <cstddef>

#include "collision/volume_counts.hpp"
#include "model/constraints.hpp"
#include "model/model.hpp"

namespace tarsus {

// Shapes: lists of axes, each a multiple of something that the model or the call counts.
enum class Count : unsigned char { kOne, kNq, kNv, kBodies, kTreeNq, kTreeNv, kFrames, kRows, kPairs, kSegmentPairs };

struct ResultAxis {
  Count of;
  unsigned char times;
  consteval ResultAxis(int n = 1) : of(Count::kOne), times(static_cast<unsigned char>(n)) {}
  consteval ResultAxis(Count of, int times = 1) : of(of), times(static_cast<unsigned char>(times)) {}
};
consteval ResultAxis operator*(int n, ResultAxis axis) { return {axis.of, n * axis.times}; }

constexpr int kMaxAxes = 3;
struct Shape {
  int axes = 0;
  ResultAxis axis[kMaxAxes] = {};
};
template <class... A>
consteval Shape shape(A... axes) {
  return {sizeof...(A), {ResultAxis(axes)...}};
}

namespace axes {
constexpr ResultAxis nq(Count::kNq), nv(Count::kNv), nb(Count::kBodies), tree_nq(Count::kTreeNq), tree_nv(Count::kTreeNv);
constexpr ResultAxis frames(Count::kFrames), rows(Count::kRows), pairs(Count::kPairs);  // of the call, of its constraints
constexpr ResultAxis segment_pairs(Count::kSegmentPairs);                               // of its volumes
}  // namespace axes

// How a result over the coordinates of the tree becomes one over independent coordinates: not at all, as a covector, as
// columns, on both sides, or as rows; squares on both sides may be stacked.
enum class Reduction : unsigned char { kKeep, kVector, kColumns, kSquare, kRows };

// One named result. With `gaps` some entries are zero because of the tree's shape, and kernels write the others only.
// Whole numbers (ranks, numbers of steps, states of solvers) are results of float64 like any other.
struct Output {
  const char* name = nullptr;
  Shape shape = {};
  Reduction reduction = Reduction::kKeep;
  bool gaps = false;
};
constexpr int kMaxOutputs = 8;

// How long v and a are; kJoints are nv entries without those of the base.
enum class Length : unsigned char { kNone, kNv, kNq, kJoints };
enum class Frames : unsigned char { kNone, kOne, kSeveral };

struct Operation {
  const char* function;                  // the public function,
  const char* method = "";               // and which of its methods; the first row of a function is its default
  const char* coupled_method = nullptr;  // the method whose way it goes where joints depend on others, if that is another one
  // Arguments beside the model and q, with their public names where these differ between functions.
  Length v = Length::kNone, a = Length::kNone;
  const char *q_name = "q", *a_name = "";
  Frames frames = Frames::kNone;
  bool expressed_in = false;  // the frame's axes can be chosen
  bool external = false;      // wrenches on bodies
  bool passive = false;       // passive forces may count
  bool constraints = false;   // a table of constraints, and drives where it has any
  bool volumes = false;       // a table of volumes, and poses of its obstacles
  bool stabilised = false;    // alpha, beta and rank_tolerance
  // Results, the first ones with a name.
  Output output[kMaxOutputs] = {};
  // What it asks of the model.
  bool needs_mass = false;  // some
  bool trees_only = false;  // there are no dependent joints
  // How it is evaluated.
  bool force_given = false;    // `a` is a force in independent coordinates, which the mass matrix divides
  bool minus_passive = false;  // passive forces count on the other side of the equation: off the result
  bool manifold = false;       // on q itself: dependent joints are not followed
  bool any_norm = false;       // quaternions of any norm are welcome
  bool angles = false;         // angles of four-bars are wanted, not only their sines and cosines
};

// What counts of shapes are in one call. These functions are static, because a shared inline one would be one for all
// instruction sets.
struct Extent {
  const Model* model;
  int frames;
  const ConstraintTable* constraints;
  const VolumeCounts* volumes;
};

static inline size_t length_of(ResultAxis axis, const Extent& e, size_t nv) {
  const Model& m = *e.model;
  switch (axis.of) {
    case Count::kOne: return axis.times;
    case Count::kNq: return axis.times * (size_t)m.nq;
    case Count::kNv: return axis.times * nv;
    case Count::kBodies: return axis.times * (size_t)m.bodies;
    case Count::kTreeNq: return axis.times * (size_t)m.tree_nq;
    case Count::kTreeNv: return axis.times * (size_t)m.tree_nv;
    case Count::kFrames: return axis.times * (size_t)e.frames;
    case Count::kRows: return axis.times * (size_t)e.constraints->rows;
    case Count::kPairs: return axis.times * (size_t)e.constraints->pairs;
    case Count::kSegmentPairs: return axis.times * (size_t)e.volumes->pairs;
  }
  return 0;
}

// Where the results of one state are, one after the other; `nv` is that of independent coordinates or of the tree.
struct ResultLayout {
  int outputs;
  size_t size, offset[kMaxOutputs + 1];
};
static inline ResultLayout result_layout(const Operation& o, const Extent& e, size_t nv) {
  ResultLayout layout;
  layout.outputs = 0, layout.offset[0] = 0;
  for (; layout.outputs < kMaxOutputs && o.output[layout.outputs].name; ++layout.outputs) {
    const Shape& shape = o.output[layout.outputs].shape;
    size_t entries = 1;
    for (int i = 0; i < shape.axes; ++i) entries *= length_of(shape.axis[i], e, nv);
    layout.offset[layout.outputs + 1] = layout.offset[layout.outputs] + entries;
  }
  layout.size = layout.offset[layout.outputs];
  return layout;
}

static inline size_t size_of_output(const ResultLayout& layout, int k) { return layout.offset[k + 1] - layout.offset[k]; }

// Entries of the argument a.
static inline size_t size_of_a(const Operation& o, const Model& m) {
  return o.a == Length::kNq ? m.nq : o.a == Length::kJoints ? m.nv - m.node[0].dof : m.nv;
}

// Results that are checked on the way out: accelerations may divide by nothing, and huge velocities overflow.
static inline bool checks_result(const Operation& o) { return o.v != Length::kNone || o.force_given; }

// Functions with several methods, whose rows differ in nothing else.
consteval Operation forward_dynamics_by(const char* method, const char* coupled_method = nullptr) {
  return {.function = "forward_dynamics",
          .method = method,
          .coupled_method = coupled_method,
          .v = Length::kNv,
          .a = Length::kNv,
          .a_name = "tau",
          .external = true,
          .passive = true,
          .output = {{"vdot", shape(axes::nv)}},
          .force_given = true};
}
consteval Operation inverse_dynamics_by(const char* method) {
  return {.function = "inverse_dynamics",
          .method = method,
          .v = Length::kNv,
          .a = Length::kNv,
          .a_name = "vdot",
          .external = true,
          .passive = true,
          .output = {{"tau", shape(axes::nv), Reduction::kVector}},
          .minus_passive = true};
}

}  // namespace tarsus
