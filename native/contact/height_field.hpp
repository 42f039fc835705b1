// Distance of points to everything below a grid of heights, bilinear between its points and level beyond its edges: that to the
// nearest point of the surface, so that the way in which it changes with the place is the normal, and a force k d n the slope of
// k d^2 / 2. Exact up to some reach; further away it is only known to be further.
#pragma once
#include <cmath>

#include "contact/world.hpp"
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kFootPasses = 40;
constexpr int kNewtonPasses = 12;        // the first of them; those after go along one axis at a time, which always comes nearer
constexpr double kFootRounding = 1e-14;  // relative change of a nearest point that is none
constexpr double kOnSurface = 1e-9;      // closer than this, the direction to the nearest point says nothing [m]
constexpr double kBoundless = 1e30;      // [m]

// A cell of the grid, or the level ground beyond an edge of it: height + slope_x x + slope_y y + twist x y about its corner.
struct Cell {
  double x, y;  // of the corner, in the axes of the field
  double low_x, high_x, low_y, high_y;
  double height, slope_x, slope_y, twist;
  double lowest, highest;
};

TARSUS_INLINE double within(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
TARSUS_INLINE double beyond(double x, double low, double high) { return x < low ? low - x : x > high ? x - high : 0.0; }

// Number of the cell along one axis with `points` points; -1 and points - 1 are the ground beyond the edges.
TARSUS_INLINE int cell_index(double x, double spacing, int points) {
  return x < 0 ? -1 : x >= spacing * (points - 1) ? points - 1 : static_cast<int>(within(x / spacing, 0, points - 2));
}

TARSUS_INLINE Cell cell_of(const Surface& s, double dx, double dy, int i, int j) {
  const int left = i < 0 ? 0 : i, right = i + 1 < s.columns ? i + 1 : s.columns - 1;
  const int front = j < 0 ? 0 : j, back = j + 1 < s.rows ? j + 1 : s.rows - 1;
  const double *near = s.height + (size_t)front * s.columns, *far = s.height + (size_t)back * s.columns;
  const double a = near[left], b = near[right], c = far[left], d = far[right];
  const double ab = a < b ? a : b, cd = c < d ? c : d, AB = a < b ? b : a, CD = c < d ? d : c;
  return {left * dx,
          front * dy,
          i < 0 ? -kBoundless : 0.0,
          i < 0               ? 0.0
          : i + 1 < s.columns ? dx
                              : kBoundless,
          j < 0 ? -kBoundless : 0.0,
          j < 0            ? 0.0
          : j + 1 < s.rows ? dy
                           : kBoundless,
          a,
          (b - a) / dx,
          (c - a) / dy,
          (a - b - c + d) / (dx * dy),
          ab < cd ? ab : cd,
          AB < CD ? CD : AB};
}

// The point of a cell that is nearest to another one: its distance, squared, and the normal out of the ground.
struct Foot {
  double squared;
  double normal[3];
};

// Newton's method for the minimum of |S(u, v) - p|^2 / 2 in the rectangle of the cell, along one axis where the other one is at
// its bound or the function is not convex. p = (x, y, z) from the corner of the cell.
inline Foot nearest_foot(const Cell& c, double x, double y, double z, bool inside) {
  double u = within(x, c.low_x, c.high_x), v = within(y, c.low_y, c.high_y);
  double slope_u = 0, slope_v = 0, rise = 0;
  for (int pass = 0; pass < kFootPasses; ++pass) {
    slope_u = c.slope_x + c.twist * v, slope_v = c.slope_y + c.twist * u;
    rise = c.height + c.slope_x * u + slope_v * v - z;
    const double g = u - x + rise * slope_u, h = v - y + rise * slope_v;
    const double uu = 1 + slope_u * slope_u, vv = 1 + slope_v * slope_v, uv = slope_u * slope_v + rise * c.twist;
    const double determinant = uu * vv - uv * uv;
    const bool free_u = !((u <= c.low_x && g >= 0) || (u >= c.high_x && g <= 0));
    const bool free_v = !((v <= c.low_y && h >= 0) || (v >= c.high_y && h <= 0));
    double along_u = 0, along_v = 0;
    if (free_u && free_v && pass < kNewtonPasses && determinant > 0.01 * uu * vv) {
      along_u = (uv * h - vv * g) / determinant, along_v = (uv * g - uu * h) / determinant;
    } else if (free_u && (!free_v || g * g * vv >= h * h * uu)) {
      along_u = -g / uu;
    } else if (free_v) {
      along_v = -h / vv;
    }
    const double to_u = within(u + along_u, c.low_x, c.high_x), to_v = within(v + along_v, c.low_y, c.high_y);
    const double moved = std::fabs(to_u - u) + std::fabs(to_v - v);
    if (moved == 0) break;
    u = to_u, v = to_v;
    if (moved <= kFootRounding * (std::fabs(u) + std::fabs(v))) break;
  }
  slope_u = c.slope_x + c.twist * v, slope_v = c.slope_y + c.twist * u;
  rise = c.height + c.slope_x * u + slope_v * v - z;
  const double squared = (x - u) * (x - u) + (y - v) * (y - v) + rise * rise;
  const bool on_rim = u <= c.low_x || u >= c.high_x || v <= c.low_y || v >= c.high_y;
  if (on_rim && squared > kOnSurface * kOnSurface) {
    const double out = (inside ? -1 : 1) / std::sqrt(squared);
    return {squared, {out * (x - u), out * (y - v), -out * rise}};
  }
  const double scale = 1 / std::sqrt(1 + slope_u * slope_u + slope_v * slope_v);
  return {squared, {-scale * slope_u, -scale * slope_v, scale}};
}

// Signed distance and normal in the axes of the field.
struct FieldDistance {
  double gap;
  double normal[3];
};

// Exact where it is less than `reach`. The cell below the point comes first; of those around it, the ones that are nearer than
// what was found are looked into.
inline FieldDistance distance_to_field(const Surface& s, double x, double y, double z, double reach) {
  const double dx = 2 * s.half[0] / (s.columns - 1), dy = 2 * s.half[1] / (s.rows - 1);
  if (z - s.half[2] > reach) return {z - s.half[2], {0, 0, 1}};  // above the highest point
  const int home_i = cell_index(x, dx, s.columns), home_j = cell_index(y, dy, s.rows);
  const Cell home = cell_of(s, dx, dy, home_i, home_j);
  const double u = x - home.x, v = y - home.y;
  const double above = z - (home.height + home.slope_x * u + (home.slope_y + home.twist * u) * v);
  const bool inside = above < 0;
  Foot best = nearest_foot(home, u, v, z, inside);
  const double found = std::sqrt(best.squared), window = found < reach ? found : reach;
  const int first_i = cell_index(x - window, dx, s.columns), last_i = cell_index(x + window, dx, s.columns);
  const int first_j = cell_index(y - window, dy, s.rows), last_j = cell_index(y + window, dy, s.rows);
  for (int j = first_j; j <= last_j; ++j) {
    for (int i = first_i; i <= last_i; ++i) {
      if (i == home_i && j == home_j) continue;
      const Cell c = cell_of(s, dx, dy, i, j);
      const double across = beyond(x - c.x, c.low_x, c.high_x), along = beyond(y - c.y, c.low_y, c.high_y);
      const double up = beyond(z, c.lowest, c.highest);
      if (across * across + along * along + up * up >= best.squared) continue;
      const Foot other = nearest_foot(c, x - c.x, y - c.y, z, inside);
      if (other.squared < best.squared) best = other;
    }
  }
  const double gap = std::sqrt(best.squared);
  return {inside ? -gap : gap, {best.normal[0], best.normal[1], best.normal[2]}};
}

}  // namespace tarsus::TARSUS_ISA
