// What the triangles of a mesh look like.
#pragma once
#include <cstdint>

namespace tarsus::drawing {

struct Coat {
  const double* normal;  // (n, 3), at the points of the mesh, world axes
  const double* color;   // (triangles, 4): red, green, blue, opacity between 0 and 1
  const int32_t* shape;  // (triangles,): outlines are drawn between different shapes

  const double* color_of(int64_t triangle) const { return color + 4 * triangle; }
  double opacity(int64_t triangle) const { return color[4 * triangle + 3]; }
};

}  // namespace tarsus::drawing
