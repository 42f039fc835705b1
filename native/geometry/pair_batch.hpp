// Many pairs of swept spheres of the same two kinds, as plain data.
#pragma once
#include <cstddef>

namespace tarsus {

// Row r of an array begins at r * stride; a stride of 0 repeats one row.
struct PairSide {
  int vertices;                   // 1 to 3
  const double *vertex, *radius;  // 3 vertices entries a row, one entry a row
  size_t vertex_stride, radius_stride;
};

struct PairBatch {
  PairSide a, b;              // with at most as many vertices as b
  double* distance;           // rows
  double *point_a, *point_b;  // rows x 3: nearest points of the surfaces; null where only distances are wanted
  double* normal;             // rows x 3: unit vector from a to b; null with them
  double* parts;              // rows: kParts * part of a + part of b; may be null
};

}  // namespace tarsus
