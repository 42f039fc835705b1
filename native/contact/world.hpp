// Plain tables of what a robot can touch and of what it touches with: data only, no code.
#pragma once
#include <cstddef>

namespace tarsus {

// Solids, each with the frame R, p: everything below z = 0, a box about the origin, everything below a grid of heights, what
// triangles enclose.
enum SurfaceKind { kHalfSpace, kBox, kHeightField, kTriangleMesh };
constexpr const char* kSurfaceKindNames[] = {"half-space", "box", "height-field", "triangle-mesh"};
constexpr int kMeshLeaf = 4;  // triangles in a leaf of the tree of a mesh

// A row of the table of contact laws (contact/laws/table.hpp).
struct LawRow {
  const char* name;  // in Python
  bool solved;       // impulses are solved for, instead of a force that follows from the state
  int parameters;
  const char* const* parameter;  // names of attributes in Python
  int friction;                  // which of them is the coefficient of friction
  bool voigt;                    // its depth alone tells what it holds along the normal, k d^2 / 2; k is its first parameter
};
constexpr int kMostLawParameters = 6;

struct Surface {
  int kind;
  int law;                               // number in contact/laws/table.hpp
  double parameter[kMostLawParameters];  // of the law, in its order; zero behind its last one
  double rotation[9], position[3];       // columns of R_WS, p_WS
  double velocity[3], spin[3];           // of its skin: u = velocity + spin x (p - p_WS), the part along the surface [m/s, rad/s]
  bool moves;                            // the skin does
  double half[3];                        // box: half edge lengths; height field: half extents in x and y, its highest point
  int columns, rows;                     // height field: points along x and y
  const double* height;                  // rows x columns [m]
  int triangles, leaves;                 // mesh; leaves are a power of 2
  bool closed;                           // without a rim
  const double* corner;                  // triangles x 9, in the order of the leaves [m]
  const double* triangle_normal;         // triangles x 21: of the face, its edges and its vertices
  const int* rim;                        // triangles x 7: whether these are on the rim of an open surface
  const double* box;                     // 2 leaves x 6: bounds of node 1, 2, ... of the tree, low and high
};

// A point or a segment of a body, in the axes of its node, surrounded by a sphere or capsule of that radius.
enum FeatureKind { kPoint, kSegment };
constexpr const char* kFeatureKindNames[] = {"point", "segment"};
struct Feature {
  int kind, node;
  int contact;  // first of its contacts: a point has one, a segment two
  double a[3], b[3], radius;
};

// A convex solid that touches others: the hull of its corners, in the axes of its node, surrounded by a radius. One corner is a
// sphere, two are a capsule; more have faces and edges.
constexpr int kMostCorners = 32, kMostFaces = 2 * kMostCorners - 4;
struct SolidFace {
  double normal[3], offset;  // n . x = offset in the face, n out of the solid
  int corners;
  const int* corner;  // in order around n
};
struct SolidEdge {
  int corner[2], face[2];
};
struct Solid {
  int node;
  double centre[3], reach;  // a point inside of it, and the sphere about that which holds all of it
  double radius;
  int corners, faces, edges;
  const double* corner;  // 3 each
  const SolidFace* face;
  const SolidEdge* edge;
};

// Two solids that touch each other, with the law between them; `slots` contacts from `contact` on.
struct SolidPair {
  int first, second, contact, slots;
  int motion;  // of the two bodies relative to each other: World::motion
  int law;
  double parameter[kMostLawParameters];
};

struct World {
  int surfaces, features, contacts;
  const Surface* surface;
  const Feature* feature;
  int solids, pairs;
  const Solid* solid;
  const SolidPair* pair;
  int motions;        // of two bodies relative to each other that pairs of solids belong to
  const int* motion;  // two nodes each
  int nodes;          // that carry features or solids, and all nodes on the way to them, parents first
  const int* node;    // numbers in the model
  int touchables;     // nodes that carry features or solids
  const int* slot;    // of every node of the model among those, -1 for none
  bool moves;         // the skin of some surface does
};

}  // namespace tarsus
