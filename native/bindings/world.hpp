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
  std::vector<int> nodes, slots;
  std::vector<double> heights;
};

}  // namespace tarsus
