// Surfaces and contact features of one model, owned by a capsule.
#pragma once
#include <vector>

#include "bindings/python.hpp"

namespace tarsus {

constexpr const char* kWorldName = "tarsus.world";

struct OwnedWorld {
  World tables{};
  std::vector<Surface> surfaces;
  std::vector<Feature> features;
  std::vector<Solid> solids;
  std::vector<SolidPair> pairs;
  std::vector<double> solid_corners;
  std::vector<SolidFace> faces;
  std::vector<SolidEdge> edges;
  std::vector<int> face_corners;
  std::vector<int> nodes, slots, motions;
  std::vector<double> heights;
  std::vector<double> corners, normals, boxes;  // of meshes, one after the other
  std::vector<int> rims;
};

}  // namespace tarsus
