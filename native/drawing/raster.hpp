// Which triangle is seen at which sample of a picture: a depth buffer.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tarsus::drawing {

// Triangles in the picture plane.
struct Mesh {
  const double* point;  // (n, 3): column, row, depth; sample (i, j) lies at (i + 0.5, j + 0.5)
  const int32_t* face;  // (triangles, 3), numbers of points
  int64_t triangles;
};

// What every sample shows.
struct Raster {
  int width, height;
  int32_t* triangle;  // (height, width), -1 where there is none
  double* depth;      // (height, width), infinite where there is none
};

struct Corners {
  double x[3], y[3], z[3];
};

inline Corners corners_of(const Mesh& mesh, int64_t triangle) {
  Corners c;
  for (int k = 0; k < 3; ++k) {
    const double* p = mesh.point + 3 * static_cast<int64_t>(mesh.face[3 * triangle + k]);
    c.x[k] = p[0], c.y[k] = p[1], c.z[k] = p[2];
  }
  return c;
}

// Barycentric coordinates of corners 1 and 2 as functions of column and row; zero for a triangle without area.
struct Weights {
  double u[3], v[3];

  explicit Weights(const Corners& c) {
    const double bx = c.x[1] - c.x[0], by = c.y[1] - c.y[0], cx = c.x[2] - c.x[0], cy = c.y[2] - c.y[0];
    const double area = bx * cy - cx * by, scale = area != 0.0 ? 1.0 / area : 0.0;
    u[0] = cy * scale, u[1] = -cx * scale, u[2] = (cx * c.y[0] - cy * c.x[0]) * scale;
    v[0] = -by * scale, v[1] = bx * scale, v[2] = (by * c.x[0] - bx * c.y[0]) * scale;
  }
  double first(double column, double row) const { return u[0] * column + u[1] * row + u[2]; }
  double second(double column, double row) const { return v[0] * column + v[1] * row + v[2]; }
};

// Samples from `low` to `high`, both included, of `count`: first and last are set; whether there are any. NaN gives none.
inline bool samples_between(double low, double high, int count, int& first, int& last) {
  const double a = std::ceil(low - 0.5), b = std::floor(high - 0.5);
  if (!(a <= b) || !(b >= 0.0) || !(a <= count - 1.0)) return false;
  first = static_cast<int>(std::max(a, 0.0)), last = static_cast<int>(std::min(b, count - 1.0));
  return true;
}

// Where the row y cuts a triangle: columns from left to right.
inline void cut_row(const Corners& c, double y, double& left, double& right) {
  left = std::numeric_limits<double>::infinity(), right = -left;
  for (int k = 0; k < 3; ++k) {
    const int next = k == 2 ? 0 : k + 1;
    const double dy = c.y[next] - c.y[k];
    if (dy == 0.0) continue;
    const double t = (y - c.y[k]) / dy;
    if (!(t >= 0.0 && t <= 1.0)) continue;
    const double x = c.x[k] + t * (c.x[next] - c.x[k]);
    left = std::min(left, x), right = std::max(right, x);
  }
}

// Calls visit(sample, depth) for every sample of a picture that a triangle covers.
template <class Visit>
inline void scan(const Mesh& mesh, int64_t triangle, int width, int height, Visit visit) {
  const Corners c = corners_of(mesh, triangle);
  const auto [top, bottom] = std::minmax({c.y[0], c.y[1], c.y[2]});
  int row, last_row, column, last_column;
  if (!samples_between(top, bottom, height, row, last_row)) return;
  const Weights weights(c);
  const double zu = c.z[1] - c.z[0], zv = c.z[2] - c.z[0];
  for (; row <= last_row; ++row) {
    double left, right;
    const double y = row + 0.5;
    cut_row(c, y, left, right);
    if (!samples_between(left, right, width, column, last_column)) continue;
    const int64_t start = static_cast<int64_t>(row) * width;
    for (; column <= last_column; ++column) {
      const double x = column + 0.5;
      visit(start + column, c.z[0] + weights.first(x, y) * zu + weights.second(x, y) * zv);
    }
  }
}

// Fill the raster with the nearest of the triangles that are `solid`; of two at the same depth the later one is seen.
template <class Solid>
inline void rasterise(const Mesh& mesh, const Raster& raster, Solid solid) {
  const int64_t samples = static_cast<int64_t>(raster.width) * raster.height;
  std::fill_n(raster.triangle, samples, -1);
  std::fill_n(raster.depth, samples, std::numeric_limits<double>::infinity());
  for (int64_t i = 0; i < mesh.triangles; ++i) {
    if (!solid(i)) continue;
    scan(mesh, i, raster.width, raster.height, [&](int64_t sample, double z) {
      if (!(z <= raster.depth[sample])) return;
      raster.depth[sample] = z;
      raster.triangle[sample] = static_cast<int32_t>(i);
    });
  }
}

}  // namespace tarsus::drawing
