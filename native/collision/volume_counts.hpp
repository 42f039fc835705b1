// What everybody needs to know of the tables of a collision model (collision/volumes.hpp): how large they are.
#pragma once
#include <cstddef>

namespace tarsus {

struct VolumeCounts {
  long serial;     // of the model
  int pairs;       // of segments
  int obstacles;   // whose poses a call may give
  size_t scratch;  // entries of memory that a sweep needs
};

constexpr int kPoseNumbers = 12;  // columns of the rotation, position

}  // namespace tarsus
