// Builder and owner of the tables of a collision model.
#pragma once
#include <string>
#include <vector>

#include "collision/volumes.hpp"
#include "model/model.hpp"

namespace tarsus {

// What Python hands over. Segments are those of the robot, in frames, then the obstacles.
struct VolumeArrays {
  int segments, robots;  // all of them, and those of the robot
  const int* frame;      // robots: index of the frame of each segment
  const int* count;      // segments: volumes of each
  int volumes;           // all of them, segment by segment
  const int* vertices;   // volumes: 1 to 3
  const double* vertex;  // volumes x 9, in the axes of the frame or of the obstacle
  const double* radius;  // volumes
  const double* pose;    // (segments - robots) x 12: columns of the rotation, position
  int pairs;
  const int* pair;  // pairs x 2: segments
  // Obstacles of many volumes and solids: SolidKind of each, -1 for obstacles of a few volumes; three sizes each (planes, corners
  // and edges of a hull, columns and rows of a field); their numbers one behind the other (planes and corners, or spacing and
  // heights), and so the corners of edges.
  const int* solid;  // obstacles
  const int* size;   // obstacles x 3
  int numbers, edge_entries;
  const double* number;
  const int* edge;
};

class OwnedVolumes {
 public:
  VolumeTable table{};

  // What is wrong with the arrays; empty where nothing is.
  std::string build(const VolumeArrays& a, const Model& m);

 private:
  // Memory that the tables point to.
  struct Dense {
    std::vector<double> row, radius, box, number;
    std::vector<int> edge;
  };
  std::string add_dense(const VolumeArrays& a, int obstacle, int first, int count);
  void add_pairs(const VolumeArrays& a);

  std::vector<Volume> volumes_;
  std::vector<Segment> segments_;
  std::vector<SegmentPair> pairs_;
  std::vector<VolumePair> volume_pairs_;
  std::vector<double> poses_;
  std::vector<DenseSegment> dense_;
  std::vector<Dense> dense_memory_;
  int number_at_ = 0, edge_at_ = 0;
};

}  // namespace tarsus
