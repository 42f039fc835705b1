// Pictures of triangles.
#include <memory>
#include <new>

#include "bindings/entries.hpp"
#include "drawing/shading.hpp"

namespace tarsus {
namespace {

using drawing::Mesh;
using drawing::Raster;

double* data_of(PyObject* array) { return static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array))); }

constexpr long kLargestSide = 1 << 15;  // samples of a picture along one side

// Triangles, whose faces refer to points that exist, and the size of their picture in samples; false with an error.
bool read_mesh(Entries& entries, Mesh& mesh, long& points, int& width, int& height) {
  points = entries.integer("point_count");
  mesh.triangles = entries.integer("triangle_count");
  const long w = entries.integer("width"), h = entries.integer("height");
  if (!entries.good()) return false;
  if (points < 0 || mesh.triangles < 0 || mesh.triangles > INT32_MAX || w < 1 || h < 1 || w > kLargestSide || h > kLargestSide) {
    PyErr_SetString(PyExc_ValueError, "counts or the size of the picture are out of range");
    return false;
  }
  width = static_cast<int>(w), height = static_cast<int>(h);
  mesh.point = entries.needed<double>("points", 3 * static_cast<size_t>(points));
  mesh.face = entries.needed<int32_t>("faces", 3 * static_cast<size_t>(mesh.triangles));
  if (!entries.good()) return false;
  for (int64_t i = 0; i < 3 * mesh.triangles; ++i) {
    if (mesh.face[i] >= 0 && mesh.face[i] < points) continue;
    PyErr_Format(PyExc_ValueError, "faces refer to point %d of %ld", mesh.face[i], points);
    return false;
  }
  return true;
}

}  // namespace

// rasterise(tables): nearest triangle (height, width) at every sample, and its depth.
PyObject* rasterise(PyObject*, PyObject* dict) {
  Entries entries(dict);
  Mesh mesh;
  long points = 0;
  Raster raster;
  if (!read_mesh(entries, mesh, points, raster.width, raster.height)) return nullptr;
  npy_intp shape[2] = {raster.height, raster.width};
  PyObject* triangle = PyArray_SimpleNew(2, shape, NPY_INT32);
  PyObject* depth = triangle ? PyArray_SimpleNew(2, shape, NPY_DOUBLE) : nullptr;
  if (!depth) {
    Py_XDECREF(triangle);
    return nullptr;
  }
  raster.triangle = static_cast<int32_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(triangle)));
  raster.depth = data_of(depth);
  Py_BEGIN_ALLOW_THREADS;
  drawing::rasterise(mesh, raster, [](int64_t) { return true; });
  Py_END_ALLOW_THREADS;
  return Py_BuildValue("(NN)", triangle, depth);
}

// shaded(tables): picture (height / samples, width / samples, 4) of red, green, blue, opacity.
PyObject* shaded(PyObject*, PyObject* dict) {
  Entries entries(dict);
  Mesh mesh;
  long points = 0;
  Raster raster;
  if (!read_mesh(entries, mesh, points, raster.width, raster.height)) return nullptr;
  drawing::Coat coat;
  coat.normal = entries.needed<double>("normals", 3 * static_cast<size_t>(points));
  coat.color = entries.needed<double>("colors", 4 * static_cast<size_t>(mesh.triangles));
  coat.shape = entries.needed<int32_t>("shape", static_cast<size_t>(mesh.triangles));
  const double* light = entries.needed<double>("light", 9);
  const double* line = entries.needed<double>("line", 4);
  const long samples = entries.integer("samples");
  const double jump = entries.number("jump");
  if (!entries.good()) return nullptr;
  if (samples < 1 || raster.width % samples || raster.height % samples) {
    PyErr_SetString(PyExc_ValueError, "the size of the picture is not a multiple of the samples of a pixel");
    return nullptr;
  }
  const drawing::Style style{static_cast<int>(samples), jump, {line[0], line[1], line[2]}, line[3]};
  const size_t size = static_cast<size_t>(raster.width) * static_cast<size_t>(raster.height);
  const std::unique_ptr<int32_t[]> triangle(new (std::nothrow) int32_t[size]);
  const std::unique_ptr<double[]> depth(new (std::nothrow) double[size]);
  if (!triangle || !depth) return PyErr_NoMemory();
  raster.triangle = triangle.get(), raster.depth = depth.get();
  npy_intp shape[3] = {raster.height / samples, raster.width / samples, 4};
  PyObject* image = PyArray_SimpleNew(3, shape, NPY_DOUBLE);
  if (!image) return nullptr;
  bool enough = true;
  Py_BEGIN_ALLOW_THREADS;
  try {
    drawing::rasterise(mesh, raster, [&](int64_t i) { return coat.opacity(i) >= 1.0; });
    drawing::shade(mesh, coat, raster, {light, light + 3, light + 6}, style, data_of(image));
  } catch (const std::bad_alloc&) {  // films of transparent shapes
    enough = false;
  }
  Py_END_ALLOW_THREADS;
  if (enough) return image;
  Py_DECREF(image);
  return PyErr_NoMemory();
}

}  // namespace tarsus
