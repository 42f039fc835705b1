// The depth buffer and the picture made of it: sample by sample, and with points that are far away or nowhere.
#pragma once
#include <random>

#include "drawing/shading.hpp"
#include "tests/check.hpp"

namespace tests {

struct Drawn {
  static constexpr int kWidth = 24, kHeight = 16, kTriangles = 40;
  Numbers point, normal, color, depth, image;
  std::vector<int32_t> face, shape, triangle;

  explicit Drawn(unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> place(-6.0, 30.0), unit(0.0, 1.0);
    for (int i = 0; i < 9 * kTriangles; ++i) point.push_back(place(generator)), normal.push_back(unit(generator) - 0.5);
    for (int i = 0; i < 3 * kTriangles; ++i) face.push_back(i);
    for (int i = 0; i < 4 * kTriangles; ++i) color.push_back(unit(generator));
    for (int i = 0; i < kTriangles; ++i) color[4 * i + 3] = i % 3 ? 1.0 : color[4 * i + 3];
    for (int i = 0; i < kTriangles; ++i) shape.push_back(i / 4);
    depth.resize(kWidth * kHeight), triangle.resize(kWidth * kHeight), image.resize(kWidth * kHeight);
  }
  tarsus::drawing::Mesh mesh() const { return {point.data(), face.data(), kTriangles}; }
  bool is_solid(int i) const { return color[4 * i + 3] >= 1.0; }
  void draw() {
    using namespace tarsus::drawing;
    const Raster raster{kWidth, kHeight, triangle.data(), depth.data()};
    const double light[9] = {0.0, 0.6, 0.8, 0.6, 0.0, 0.8, 0.0, 0.0, 1.0};
    rasterise(mesh(), raster, [&](int64_t i) { return is_solid(static_cast<int>(i)); });
    shade(mesh(), {normal.data(), color.data(), shape.data()}, raster, {light, light + 3, light + 6},
          {2, 0.5, {0.1, 0.1, 0.1}, 0.5}, image.data());
  }
};

inline void test_drawing() {
  using namespace tarsus::drawing;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Drawn drawn(seed);
    drawn.draw();
    for (int j = 0; j < Drawn::kHeight; ++j) {
      for (int i = 0; i < Drawn::kWidth; ++i) {
        double nearest = INFINITY;
        int found = -1;
        for (int k = 0; k < Drawn::kTriangles; ++k) {
          const Corners c = corners_of(drawn.mesh(), k);
          const Weights w(c);
          const double u = w.first(i + 0.5, j + 0.5), v = w.second(i + 0.5, j + 0.5);
          const double z = c.z[0] + u * (c.z[1] - c.z[0]) + v * (c.z[2] - c.z[0]);
          if (drawn.is_solid(k) && u >= 0.0 && v >= 0.0 && u + v <= 1.0 && z < nearest) nearest = z, found = k;
        }
        check(drawn.triangle[j * Drawn::kWidth + i] == found, "nearest triangle");
      }
    }
    for (double x : drawn.image) check(x >= 0.0 && x <= 1.0, "colours between 0 and 1");
  }
  for (double far : {1e30, 1e308, static_cast<double>(INFINITY), static_cast<double>(NAN)}) {
    Drawn drawn(7);
    for (int i = 0; i < 9 * Drawn::kTriangles; i += 5) drawn.point[i] = i % 2 ? far : -far;
    drawn.draw();
    for (int32_t k : drawn.triangle) check(k >= -1 && k < Drawn::kTriangles, "triangles of points that are far away");
  }
}

}  // namespace tests
