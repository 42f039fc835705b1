// Plain tables of what a robot can touch and of what it touches with: data only, no code.
#pragma once
#include <cstddef>

namespace tarsus {

// Solids, each with the frame R, p: everything below z = 0, a box about the origin, everything below a grid of heights.
enum SurfaceKind { kHalfSpace, kBox, kHeightField };
constexpr const char* kSurfaceKindNames[] = {"half-space", "box", "height-field"};

// A row of the table of contact laws (contact/laws/table.hpp).
struct LawRow {
  const char* name;  // in Python
  bool solved;       // impulses are solved for, instead of a force that follows from the state
  int parameters;
  const char* const* parameter;  // names of attributes in Python
};
constexpr int kMostLawParameters = 6;

struct Surface {
  int kind;
  int law;                               // number in contact/laws/table.hpp
  double parameter[kMostLawParameters];  // of the law, in its order; zero behind its last one
  double rotation[9], position[3];       // columns of R_WS, p_WS
  double half[3];                        // box: half edge lengths; height field: half extents in x and y, its highest point
  int columns, rows;                     // height field: points along x and y
  const double* height;                  // rows x columns [m]
};

// A point or a segment of a body, in the axes of its node, surrounded by a sphere or capsule of that radius.
enum FeatureKind { kPoint, kSegment };
constexpr const char* kFeatureKindNames[] = {"point", "segment"};
struct Feature {
  int kind, node;
  int contact;  // first of its contacts: a point has one, a segment two
  double a[3], b[3], radius;
};

struct World {
  int surfaces, features, contacts;
  const Surface* surface;
  const Feature* feature;
  int nodes;        // that carry features, and all nodes on the way to them, parents first
  const int* node;  // numbers in the model
  int touchables;   // nodes that carry features
  const int* slot;  // of every node of the model among those, -1 for none
  double gravity;   // magnitude, for scales
};

}  // namespace tarsus
