// The picture of triangles: light, outlines, films, anti-aliasing.
#pragma once
#include "drawing/films.hpp"

namespace tarsus::drawing {

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

// Whether `behind` holds of a sample above, below, left or right of one.
template <class Behind>
inline bool any_neighbour(const Raster& raster, int row, int column, Behind behind) {
  const int64_t here = static_cast<int64_t>(row) * raster.width + column;
  return (row > 0 && behind(here - raster.width)) || (row + 1 < raster.height && behind(here + raster.width)) ||
         (column > 0 && behind(here - 1)) || (column + 1 < raster.width && behind(here + 1));
}

// Colour of a triangle at the middle of a sample, darkened on an outline.
inline void shade_triangle(const Mesh& mesh, const Coat& coat, const Light& light, const Style& style, int64_t triangle, int row,
                           int column, bool outline, double* lit) {
  const Weights weights(corners_of(mesh, triangle));
  const double u = weights.first(column + 0.5, row + 0.5), v = weights.second(column + 0.5, row + 0.5),
               w[3] = {1.0 - u - v, u, v};
  double normal[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; ++k) {
    const double* n = coat.normal + 3 * static_cast<int64_t>(mesh.face[3 * triangle + k]);
    for (int c = 0; c < 3; ++c) normal[c] += w[k] * n[c];
  }
  light_up(coat.color_of(triangle), normal, light, lit);
  if (!outline) return;
  for (int c = 0; c < 3; ++c) lit[c] = (1.0 - style.line_opacity) * lit[c] + style.line_opacity * style.line_color[c];
}

// The picture of one raster, sample by sample.
struct Shader {
  const Mesh& mesh;
  const Coat& coat;
  const Raster& raster;
  const Light& light;
  const Style& style;
  Films& films;

  // Adds the colours of a sample, times how much of each is seen, to `sum`, and returns how much is seen of all.
  double add_sample(int row, int column, double* sum) const {
    const int64_t here = static_cast<int64_t>(row) * raster.width + column;
    double left = 1.0, lit[3];  // what films let through
    if (films.any()) {
      for (const Film& film : films.at(here)) {
        const double seen = left * coat.opacity(film.triangle);
        shade_triangle(mesh, coat, light, style, film.triangle, row, column, on_film_outline(film, row, column), lit);
        for (int c = 0; c < 3; ++c) sum[c] += seen * lit[c];
        left -= seen;
      }
    }
    const int32_t triangle = raster.triangle[here];
    if (triangle < 0) return 1.0 - left;
    shade_triangle(mesh, coat, light, style, triangle, row, column, on_outline(row, column), lit);
    for (int c = 0; c < 3; ++c) sum[c] += left * lit[c];
    return 1.0;
  }

 private:
  // Whether a sample is on the near side of a jump in depth to a neighbour that shows another shape or nothing.
  bool on_outline(int row, int column) const {
    const int64_t here = static_cast<int64_t>(row) * raster.width + column;
    const int32_t shape = coat.shape[raster.triangle[here]];
    return any_neighbour(raster, row, column, [&](int64_t there) {
      const int32_t other = raster.triangle[there];
      return raster.depth[there] - raster.depth[here] > style.jump && (other < 0 || coat.shape[other] != shape);
    });
  }

  // Whether a film ends here, with nothing solid close behind its edge.
  bool on_film_outline(const Film& film, int row, int column) const {
    const int32_t shape = coat.shape[film.triangle];
    return any_neighbour(raster, row, column, [&](int64_t there) {
      return raster.depth[there] - film.depth > style.jump && !films.has(there, shape);
    });
  }
};

// Pixels (height / samples, width / samples, 4): mean colour of what the samples show, and how much that is.
inline void shade(const Mesh& mesh, const Coat& coat, const Raster& raster, const Light& light, const Style& style,
                  double* image) {
  Films films(mesh, coat, raster);
  const Shader shader{mesh, coat, raster, light, style, films};
  const int n = style.samples, width = raster.width / n, height = raster.height / n;
  for (int j = 0; j < height; ++j) {
    for (int i = 0; i < width; ++i, image += 4) {
      double sum[3] = {0.0, 0.0, 0.0}, seen = 0.0;
      for (int s = 0; s < n * n; ++s) seen += shader.add_sample(j * n + s / n, i * n + s % n, sum);
      for (int c = 0; c < 3; ++c) image[c] = seen > 0.0 ? std::min(sum[c] / seen, 1.0) : 0.0;
      image[3] = seen / (n * n);
    }
  }
}

}  // namespace tarsus::drawing
