// Transparent shapes in front of what a depth buffer shows. Each is one film a sample, at its nearest triangle: a ball of
// opacity 0.3 hides 0.3 of what is behind it, not more for its far side.
#pragma once
#include <vector>

#include "drawing/coat.hpp"
#include "drawing/raster.hpp"

namespace tarsus::drawing {

struct Film {
  double depth;
  int32_t triangle;
  int64_t next;  // film of the same sample, -1 at the end of the list
};

class Films {
 public:
  // Films in front of what the raster shows. Triangles of one shape must follow each other.
  Films(const Mesh& mesh, const Coat& coat, const Raster& raster) : coat_(coat) {
    for (int64_t i = 0; i < mesh.triangles; ++i) {
      if (coat.opacity(i) >= 1.0 || !(coat.opacity(i) > 0.0)) continue;
      if (first_.empty()) first_.assign(static_cast<size_t>(raster.width) * static_cast<size_t>(raster.height), -1);
      scan(mesh, i, raster.width, raster.height, [&](int64_t sample, double z) {
        if (z <= raster.depth[sample]) put(sample, z, i);
      });
    }
  }

  bool any() const { return !first_.empty(); }

  // Films of a sample, the nearest first; of two at the same depth the later one. The list is used again by the next call.
  const std::vector<Film>& at(int64_t sample) {
    sorted_.clear();
    for (int64_t k = first_[sample]; k >= 0; k = film_[k].next) sorted_.push_back(film_[k]);
    std::sort(sorted_.begin(), sorted_.end(),
              [](const Film& a, const Film& b) { return a.depth < b.depth || (a.depth == b.depth && a.triangle > b.triangle); });
    return sorted_;
  }

  bool has(int64_t sample, int32_t shape) const {
    for (int64_t k = first_[sample]; k >= 0; k = film_[k].next) {
      if (coat_.shape[film_[k].triangle] == shape) return true;
    }
    return false;
  }

 private:
  void put(int64_t sample, double z, int64_t triangle) {
    int64_t& first = first_[sample];
    if (first >= 0 && coat_.shape[film_[first].triangle] == coat_.shape[triangle]) {
      if (z <= film_[first].depth) film_[first].depth = z, film_[first].triangle = static_cast<int32_t>(triangle);
      return;
    }
    film_.push_back({z, static_cast<int32_t>(triangle), first});
    first = static_cast<int64_t>(film_.size()) - 1;
  }

  const Coat& coat_;
  std::vector<int64_t> first_;  // samples, empty where nothing is transparent
  std::vector<Film> film_, sorted_;
};

}  // namespace tarsus::drawing
