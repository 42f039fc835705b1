// Plain tables of a collision model: volumes of a robot and of obstacles, segments of several of them, pairs of segments
// (Buschmann 2014, (5.29)-(5.34)). Data only, no code.
#pragma once
#include "collision/volume_counts.hpp"

namespace tarsus {

struct Volume {
  int vertices;      // of the generating primitive, 1 to 3
  int node;          // that carries it, -1 for obstacles
  int obstacle;      // whose volume it is, -1 for those of the robot
  double vertex[9];  // in the axes of the node or of the obstacle
  double radius;
  double centre[3], reach;  // of a sphere around the primitive, whose centre is a point of it
  size_t place;             // where its primitive begins in the memory of a sweep
};

struct Segment {
  int first, volumes;       // none where it is dense
  int node, obstacle;       // that carry it, -1 for none
  int dense;                // number of its DenseSegment, -1 for none
  double centre[3], reach;  // of a sphere around all of it, radii included, in the axes of the node or of the obstacle
};

// An obstacle of many volumes, which are found through a tree of boxes, or a solid bounded by them. All volumes are triangles
// here: points and lines are such without area.
enum SolidKind { kSurfaceOnly, kHullSolid, kFieldSolid };
constexpr int kDenseLeaf = 8;      // volumes of a leaf
constexpr int kDenseNumbers = 30;  // of a triangle, as Generator<double, 3>
struct DenseSegment {
  int volumes;           // whole leaves, the last volume repeated
  int leaves;            // a power of two; node i of the tree has the children 2 i and 2 i + 1, leaf k is node leaves + k
  const double* row;     // volumes x kDenseNumbers, in the axes of the obstacle
  const double* radius;  // volumes
  double most_radius;    // the largest of them
  const double* box;     // 2 leaves x 6: least and largest x, y, z with the radii
  int solid;
  int planes, corners, edges;  // of a hull:
  const double* plane;         // outward unit normal and offset
  const double* corner;
  const int* edge;       // pairs of corners
  int columns, rows;     // of a field whose first point is at the origin:
  double spacing;        // of its points
  const double* height;  // rows x columns
};

struct SegmentPair {
  int from, to;
};

// Two volumes of a pair of segments; `a` has at most as many vertices as `b`.
struct VolumePair {
  int a, b, pair;
  int flipped;  // a is of the segment `to`
};

struct VolumeTable : VolumeCounts {
  int volumes, segments;
  const Volume* volume;
  const Segment* segment;
  const SegmentPair* pair;
  const double* obstacle_pose;  // 12 each: columns of the rotation, position, in the world
  // All pairs of volumes, those of the same two kinds behind each other: kind_begin[3 * (vertices of a - 1) + vertices of b - 1].
  const DenseSegment* dense;
  int robots;  // segments of the robot: the first ones
  int volume_pairs, kind_begin[10];
  const VolumePair* volume_pair;
  int several;    // some pair of segments has several pairs of volumes
  size_t placed;  // entries of all primitives in the world
};

}  // namespace tarsus
