// The picture of triangles: light, outlines, anti-aliasing.
#pragma once
#include "drawing/raster.hpp"

namespace tarsus::drawing {

// What the triangles of a mesh look like.
struct Coat {
  const double* normal;  // (n, 3), at the points of the mesh, world axes
  const double* color;   // (triangles, 3): red, green, blue between 0 and 1
  const int32_t* shape;  // (triangles,): outlines are drawn between different shapes
};

// Unit vectors in world axes: to the light, half way between it and the eye, into the picture.
struct Light {
  const double *key, *half, *forward;
};

// How the samples of a raster become pixels.
struct Style {
  int samples;           // samples of a pixel in each direction
  double jump;           // difference in depth that gets an outline
  double line_color[3];  // red, green, blue of outlines
  double line_opacity;
};

inline double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Lambert's law with a key light, light from the sky, and a faint highlight; the normal is turned towards the eye.
inline void light_up(const double* color, double* normal, const Light& light, double* lit) {
  const double away = dot(normal, light.forward), turn = away > 0.0 ? -1.0 : away < 0.0 ? 1.0 : 0.0;
  for (int k = 0; k < 3; ++k) normal[k] *= turn;
  const double diffuse = std::max(dot(normal, light.key), 0.0), sky = 0.5 + 0.5 * normal[2];
  const double s = std::max(dot(normal, light.half), 0.0), s2 = s * s, s4 = s2 * s2, s8 = s4 * s4;
  const double highlight = 0.10 * (s8 * s8) * s8 * s4 * s2;  // the thirtieth power
  const double brightness = 0.40 + 0.26 * sky + 0.42 * diffuse;
  for (int k = 0; k < 3; ++k) lit[k] = std::clamp((0.06 + 0.94 * color[k]) * brightness + highlight, 0.0, 1.0);
}

// Whether a sample is on the near side of a jump in depth to a neighbour that shows another shape or nothing.
inline bool on_outline(const Raster& raster, const Coat& coat, int row, int column, double jump) {
  const int64_t here = static_cast<int64_t>(row) * raster.width + column;
  const int32_t shape = coat.shape[raster.triangle[here]];
  const auto behind = [&](int64_t there) {
    const int32_t other = raster.triangle[there];
    return raster.depth[there] - raster.depth[here] > jump && (other < 0 || coat.shape[other] != shape);
  };
  return (row > 0 && behind(here - raster.width)) || (row + 1 < raster.height && behind(here + raster.width)) ||
         (column > 0 && behind(here - 1)) || (column + 1 < raster.width && behind(here + 1));
}

// Colour of one sample that shows a triangle.
inline void shade_sample(const Mesh& mesh, const Coat& coat, const Raster& raster, const Light& light, const Style& style,
                         int row, int column, double* lit) {
  const int64_t triangle = raster.triangle[static_cast<int64_t>(row) * raster.width + column];
  const Weights weights(corners_of(mesh, triangle));
  const double u = weights.first(column + 0.5, row + 0.5), v = weights.second(column + 0.5, row + 0.5),
               w[3] = {1.0 - u - v, u, v};
  double normal[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; ++k) {
    const double* n = coat.normal + 3 * static_cast<int64_t>(mesh.face[3 * triangle + k]);
    for (int c = 0; c < 3; ++c) normal[c] += w[k] * n[c];
  }
  light_up(coat.color + 3 * triangle, normal, light, lit);
  if (!on_outline(raster, coat, row, column, style.jump)) return;
  for (int c = 0; c < 3; ++c) lit[c] = (1.0 - style.line_opacity) * lit[c] + style.line_opacity * style.line_color[c];
}

// Pixels (height / samples, width / samples, 4): mean colour of the samples that show something, and their share.
inline void shade(const Mesh& mesh, const Coat& coat, const Raster& raster, const Light& light, const Style& style,
                  double* image) {
  const int n = style.samples, width = raster.width / n, height = raster.height / n;
  for (int j = 0; j < height; ++j) {
    for (int i = 0; i < width; ++i, image += 4) {
      double sum[3] = {0.0, 0.0, 0.0}, lit[3];
      int seen = 0;
      for (int s = 0; s < n * n; ++s) {
        const int row = j * n + s / n, column = i * n + s % n;
        if (raster.triangle[static_cast<int64_t>(row) * raster.width + column] < 0) continue;
        shade_sample(mesh, coat, raster, light, style, row, column, lit);
        for (int c = 0; c < 3; ++c) sum[c] += lit[c];
        ++seen;
      }
      for (int c = 0; c < 3; ++c) image[c] = seen ? sum[c] / seen : 0.0;
      image[3] = static_cast<double>(seen) / (n * n);
    }
  }
}

}  // namespace tarsus::drawing
