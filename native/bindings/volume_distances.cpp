// Pairs of swept spheres without a model. Arrays are made and checked in Python (src/tarsus/geometry/volume_distances.py).
#include "bindings/python.hpp"
#include "threads/pool.hpp"

namespace tarsus {
namespace {

constexpr long kPairChunk = 512;  // rows that a thread takes at a time

// Data of a plain float64 array of that many entries; null with an error.
double* plain(PyObject* object, npy_intp size) {
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  const bool fine = PyArray_Check(object) && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a) && PyArray_SIZE(a) == size;
  if (fine) return static_cast<double*>(PyArray_DATA(a));
  PyErr_Format(PyExc_ValueError, "expected a plain array of %zd entries", (Py_ssize_t)size);
  return nullptr;
}

// One side: as many rows as there are pairs, or one for all of them.
bool read_side(PyObject* vertices, PyObject* radius, npy_intp rows, PairSide& side) {
  auto* v = reinterpret_cast<PyArrayObject*>(vertices);
  auto* r = reinterpret_cast<PyArrayObject*>(radius);
  if (!PyArray_Check(vertices) || !PyArray_Check(radius) || PyArray_NDIM(v) != 3 || PyArray_NDIM(r) != 1 ||
      PyArray_DIM(v, 1) < 1 || PyArray_DIM(v, 1) > 3 || PyArray_DIM(v, 2) != 3) {
    PyErr_SetString(PyExc_ValueError, "vertices must have the shape (rows, 1 to 3, 3), radii (rows,)");
    return false;
  }
  const npy_intp vertex_rows = PyArray_DIM(v, 0), radius_rows = PyArray_DIM(r, 0);
  if ((vertex_rows != rows && vertex_rows != 1) || (radius_rows != rows && radius_rows != 1)) {
    PyErr_SetString(PyExc_ValueError, "numbers of rows do not fit together");
    return false;
  }
  side.vertices = static_cast<int>(PyArray_DIM(v, 1));
  side.vertex_stride = vertex_rows == 1 ? 0 : 3 * (size_t)side.vertices, side.radius_stride = radius_rows == 1 ? 0 : 1;
  return (side.vertex = plain(vertices, 3 * side.vertices * vertex_rows)) && (side.radius = plain(radius, radius_rows));
}

}  // namespace

PyObject* volume_distances(PyObject*, PyObject* args) {
  PyObject *a, *radius_a, *b, *radius_b, *distance, *point_a, *point_b, *normal, *parts;
  int threads = 1;
  if (!PyArg_ParseTuple(args, "OOOO(OOOOO)i", &a, &radius_a, &b, &radius_b, &distance, &point_a, &point_b, &normal, &parts,
                        &threads)) {
    return nullptr;
  }
  const npy_intp rows = PyArray_Check(distance) ? PyArray_SIZE(reinterpret_cast<PyArrayObject*>(distance)) : 0;
  PairBatch batch{};
  if (!read_side(a, radius_a, rows, batch.a) || !read_side(b, radius_b, rows, batch.b)) return nullptr;
  if (batch.a.vertices > batch.b.vertices) {
    PyErr_SetString(PyExc_ValueError, "the first volume must have at most as many vertices as the second one");
    return nullptr;
  }
  if (!(batch.distance = plain(distance, rows))) return nullptr;
  if (point_a != Py_None && (!(batch.point_a = plain(point_a, 3 * rows)) || !(batch.point_b = plain(point_b, 3 * rows)) ||
                             !(batch.normal = plain(normal, 3 * rows)))) {
    return nullptr;
  }
  if (parts != Py_None && !(batch.parts = plain(parts, rows))) return nullptr;
  Py_BEGIN_ALLOW_THREADS if (threads <= 1 || rows <= kPairChunk) { active_table->pair_distances(batch, 0, rows); }
  else {
    parallel_rows(rows, kPairChunk, threads, [&](int, long begin, long end) { active_table->pair_distances(batch, begin, end); });
  }
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

}  // namespace tarsus
