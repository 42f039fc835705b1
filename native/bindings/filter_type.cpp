// tarsus._native.FilterCore: the filter of a BaseEstimator, on arrays that Python owns. They are made and checked in Python
// (src/tarsus/control/estimation/invariant_filter.py); here only sizes and ranges are, so that nothing is read out of bounds.
#include <new>
#include <vector>

#include "bindings/entries.hpp"
#include "estimation/invariant_filter.hpp"
#include "estimation/relative_poses.hpp"

namespace tarsus {
namespace {

constexpr long kMostContacts = 1000;

struct Filter {
  FilterState state{};
  FilterNoise noise{};
  std::vector<double> scratch;
  std::vector<int> used, missed;  // of one call, one number each
  PyObject* kept = nullptr;

  Filter() = default;
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter() { Py_XDECREF(kept); }
};

struct FilterObject {
  PyObject_HEAD Filter* filter;
};

Filter& filter_of(PyObject* object) { return *reinterpret_cast<FilterObject*>(object)->filter; }

bool read_filter(Entries& e, Filter& f) {
  FilterState& s = f.state;
  const long contacts = e.integer("contacts"), patches = e.integer("patches");
  if (!e.good() || contacts < 0 || contacts > kMostContacts || patches < 0 || patches > contacts) return false;
  s.contacts = static_cast<int>(contacts), s.patches = static_cast<int>(patches);
  const size_t size = filter_size(s);
  s.patch = e.needed<int>("patch", patches), s.on = e.needed<int>("on", filter_blocks(s));
  s.R = e.needed<double>("R", 9, true), s.x = e.needed<double>("x", 3 * (2 + contacts), true);
  s.bias = e.needed<double>("bias", 6, true), s.C = e.needed<double>("C", 9 * patches, true);
  s.P = e.needed<double>("P", size * size, true), s.gravity = e.needed<double>("gravity", 3);
  FilterNoise& n = f.noise;
  n.gyroscope = e.number("gyroscope"), n.accelerometer = e.number("accelerometer");
  n.gyroscope_walk = e.number("gyroscope_walk"), n.accelerometer_walk = e.number("accelerometer_walk");
  n.encoder = e.number("encoder"), n.contact = e.number("contact"), n.contact_turn = e.number("contact_turn");
  n.creep = e.number("creep"), n.creep_turn = e.number("creep_turn"), n.creep_tilt = e.number("creep_tilt");
  if (!e.good()) return false;
  for (int k = 0; k < s.patches; ++k) {
    if (s.patch[k] < 0 || s.patch[k] >= s.contacts) return false;
  }
  f.scratch.resize(filter_scratch(s)), f.used.resize(contacts), f.missed.resize(contacts);
  return true;
}

PyObject* filter_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* table = nullptr;
  if (!PyArg_ParseTuple(args, "O!", &PyDict_Type, &table)) return nullptr;
  auto* self = reinterpret_cast<FilterObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  try {
    self->filter = new Filter;
    Entries e(table);
    if (read_filter(e, *self->filter) && (self->filter->kept = e.keep())) return reinterpret_cast<PyObject*>(self);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "tables of the filter do not fit together");
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  Py_DECREF(self);
  return nullptr;
}

void filter_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<FilterObject*>(object)->filter;
  type->tp_free(object);
  Py_DECREF(type);
}

// Numbers of a plain array of that many entries; null with an error.
const double* numbers(PyObject* object, size_t size) {
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  if (PyArray_Check(object) && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a) &&
      static_cast<size_t>(PyArray_SIZE(a)) == size) {
    return static_cast<const double*>(PyArray_DATA(a));
  }
  PyErr_Format(PyExc_ValueError, "expected a plain array of %zu entries", size);
  return nullptr;
}

PyObject* propagate(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  if (count != 5) {
    PyErr_SetString(PyExc_TypeError, "propagate takes dt, gyroscope, accelerometer and two scales");
    return nullptr;
  }
  Filter& f = filter_of(object);
  const double dt = PyFloat_AsDouble(args[0]), turning = PyFloat_AsDouble(args[3]), pushing = PyFloat_AsDouble(args[4]);
  if (PyErr_Occurred()) return nullptr;
  const double *gyroscope = numbers(args[1], 3), *accelerometer = gyroscope ? numbers(args[2], 3) : nullptr;
  if (!accelerometer) return nullptr;
  propagate_filter(f.state, f.noise, dt, gyroscope, accelerometer, turning, pushing);
  Py_RETURN_NONE;
}

PyObject* straighten_rotations(PyObject* object, PyObject*) {
  const FilterState& s = filter_of(object).state;
  straighten(s.R);
  for (int k = 0; k < s.patches; ++k) straighten(s.C + 9 * k);
  Py_RETURN_NONE;
}

// Numbers that are written to: the first ones of a plain vector of at least so many.
double* begin_of(PyObject* object, npy_intp least) {
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  if (PyArray_Check(object) && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY(a) && PyArray_NDIM(a) == 1 &&
      PyArray_DIM(a, 0) >= least) {
    return static_cast<double*>(PyArray_DATA(a));
  }
  PyErr_Format(PyExc_ValueError, "expected a plain vector of %zd entries or more, to be written to", (Py_ssize_t)least);
  return nullptr;
}

PyObject* base(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  if (count != 5) {
    PyErr_SetString(PyExc_TypeError, "base takes X_BI, angular, V_BI, q and v");
    return nullptr;
  }
  const double *X_BI = numbers(args[0], 16), *angular = X_BI ? numbers(args[1], 3) : nullptr;
  const double* V_BI = angular ? numbers(args[2], 6) : nullptr;
  double *q = V_BI ? begin_of(args[3], 7) : nullptr, *v = q ? begin_of(args[4], 6) : nullptr;
  if (!v) return nullptr;
  base_of_filter(filter_of(object).state, X_BI, angular, V_BI, q, v);
  Py_RETURN_NONE;
}

// Jacobians (contacts, 6, joints) whose rows are in one piece each.
bool read_jacobians(PyObject* object, const FilterState& s, SeenContacts& seen) {
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  constexpr npy_intp kBytes = sizeof(double);
  const bool fits = PyArray_Check(object) && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISBEHAVED_RO(a) && PyArray_NDIM(a) == 3 &&
                    PyArray_DIM(a, 0) == s.contacts && PyArray_DIM(a, 1) == 6 &&
                    (PyArray_DIM(a, 2) < 2 || PyArray_STRIDE(a, 2) == kBytes) && PyArray_STRIDE(a, 0) >= 0 &&
                    PyArray_STRIDE(a, 1) >= 0 && PyArray_STRIDE(a, 0) % kBytes == 0 && PyArray_STRIDE(a, 1) % kBytes == 0;
  if (!fits) {
    PyErr_Format(PyExc_ValueError, "expected Jacobians (%d, 6, joints) with rows in one piece", s.contacts);
    return false;
  }
  seen.J = static_cast<const double*>(PyArray_DATA(a)), seen.joints = static_cast<int>(PyArray_DIM(a, 2));
  seen.contact_stride = PyArray_STRIDE(a, 0) / kBytes, seen.row_stride = PyArray_STRIDE(a, 1) / kBytes;
  return true;
}

// How many contacts are used; -1 with an error.
int read_used(PyObject* object, Filter& f) {
  if (!PyTuple_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple of numbers of contacts");
    return -1;
  }
  long before = -1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
    const long k = PyLong_AsLong(PyTuple_GET_ITEM(object, i));
    if (PyErr_Occurred()) return -1;
    if (k <= before || k >= f.state.contacts) {
      PyErr_Format(PyExc_ValueError, "contact %ld is not among %d, or not in order", k, f.state.contacts);
      return -1;
    }
    f.used[i] = static_cast<int>(k), before = k;
  }
  return static_cast<int>(PyTuple_GET_SIZE(object));
}

PyObject* correct(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  if (count != 6) {
    PyErr_SetString(PyExc_TypeError, "correct takes p_IC, R_IC, X_BI, J, used and gate");
    return nullptr;
  }
  Filter& f = filter_of(object);
  const FilterState& s = f.state;
  SeenContacts seen{};
  const double gate = PyFloat_AsDouble(args[5]);
  if (PyErr_Occurred() || !(seen.p_IC = numbers(args[0], 3 * (size_t)s.contacts)) ||
      !(seen.R_IC = numbers(args[1], 9 * (size_t)s.contacts)) || !(seen.X_BI = numbers(args[2], 16)) ||
      !read_jacobians(args[3], s, seen)) {
    return nullptr;
  }
  const int number = read_used(args[4], f);
  if (number < 0) return nullptr;
  if (correct_filter(s, f.noise, seen, f.used.data(), number, gate, f.missed.data(), f.scratch.data())) return PyTuple_New(0);
  PyObject* found = PyList_New(0);
  for (int i = 0; found && i < number; ++i) {
    if (!f.missed[i]) continue;
    PyObject* k = PyLong_FromLong(f.used[i]);
    if (!k || PyList_Append(found, k) < 0) Py_CLEAR(found);
    Py_XDECREF(k);
  }
  if (!found) return nullptr;
  PyObject* result = PyList_AsTuple(found);
  Py_DECREF(found);
  return result;
}

template <class F>
PyCFunction fast(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

PyMethodDef filter_methods[] = {
    {"propagate", fast(propagate), METH_FASTCALL,
     "propagate(dt, gyroscope, accelerometer, gyroscope_scale, accelerometer_scale)\n--\n\nA step in time."},
    {"correct", fast(correct), METH_FASTCALL,
     "correct(p_IC, R_IC, X_BI, J, used, gate)\n--\n\nTake contacts into account; those that are too far off, then nothing "
     "changes."},
    {"base", fast(base), METH_FASTCALL,
     "base(X_BI, angular, V_BI, q, v)\n--\n\nWrite coordinates and twist of the base that carries the unit."},
    {"straighten", straighten_rotations, METH_NOARGS, "straighten()\n--\n\nTake rounding out of rotation matrices."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot filter_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(filter_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(filter_dealloc)},
    {Py_tp_methods, filter_methods},
    {Py_tp_doc, const_cast<char*>("Filter of an inertial unit and of contacts that stand still.")},
    {0, nullptr},
};
PyType_Spec filter_spec = {"tarsus._native.FilterCore", sizeof(FilterObject), 0, Py_TPFLAGS_DEFAULT, filter_slots};

}  // namespace

PyObject* tell_relative_poses(PyObject*, PyObject* const* args, Py_ssize_t count) {
  const bool given = count == 3 && PyArray_Check(args[0]) && PyArray_Check(args[1]) && PyArray_Check(args[2]);
  const npy_intp frames = given ? PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[0])) / 16 - 1 : -1;
  if (frames < 0) {
    PyErr_SetString(PyExc_TypeError, "relative_poses takes arrays of poses, positions and rotations");
    return nullptr;
  }
  const double* X = numbers(args[0], 16 * (size_t)(frames + 1));
  const double *p = X ? numbers(args[1], 3 * (size_t)frames) : nullptr, *R = p ? numbers(args[2], 9 * (size_t)frames) : nullptr;
  if (!R) return nullptr;
  for (int i = 1; i < 3; ++i) {
    if (PyArray_FailUnlessWriteable(reinterpret_cast<PyArrayObject*>(args[i]), "a result") < 0) return nullptr;
  }
  relative_poses(X, static_cast<int>(frames), const_cast<double*>(p), const_cast<double*>(R));
  Py_RETURN_NONE;
}

PyTypeObject* make_filter_type() { return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&filter_spec)); }

}  // namespace tarsus
