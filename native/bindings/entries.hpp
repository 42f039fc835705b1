// Tables that Python hands over as a dict of numbers and arrays.
#pragma once
#include <vector>

#include "bindings/python.hpp"

namespace tarsus {

// Entries of a dict as plain C values; the first failure raises and sticks. Arrays live as long as this does.
class Entries {
 public:
  explicit Entries(PyObject* dict) : dict_(dict) {}
  ~Entries() {
    for (PyObject* o : kept_) Py_DECREF(o);
  }
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;
  bool good() const { return good_; }
  double number(const char* name) {
    PyObject* value = find(name);
    const double x = value ? PyFloat_AsDouble(value) : 0.0;
    if (PyErr_Occurred()) good_ = false;
    return x;
  }
  long integer(const char* name) {
    PyObject* value = find(name);
    const long x = value ? PyLong_AsLong(value) : 0;
    if (PyErr_Occurred()) good_ = false;
    return x;
  }
  // Data of a float64 (or int32) array of exactly that many entries; null for None.
  template <class T>
  T* array(const char* name, size_t size, bool writeable = false) {
    PyObject* value = find(name);
    if (!value || value == Py_None) return nullptr;
    const int type = sizeof(T) == sizeof(double) ? NPY_DOUBLE : NPY_INT32;
    auto* a = reinterpret_cast<PyArrayObject*>(value);
    if (!PyArray_Check(value) || PyArray_TYPE(a) != type || !PyArray_ISCARRAY_RO(a) || (writeable && !PyArray_ISWRITEABLE(a)) ||
        static_cast<size_t>(PyArray_SIZE(a)) != size) {
      PyErr_Format(PyExc_ValueError, "%s must be a plain array of %zu entries", name, size);
      good_ = false;
      return nullptr;
    }
    kept_.push_back(Py_NewRef(value));
    return static_cast<T*>(PyArray_DATA(a));
  }
  // The arrays that were read, as one object that keeps them alive; null with an error.
  PyObject* keep() const {
    PyObject* all = PyList_New(static_cast<Py_ssize_t>(kept_.size()));
    for (size_t i = 0; all && i < kept_.size(); ++i) PyList_SET_ITEM(all, i, Py_NewRef(kept_[i]));
    return all;
  }
  bool has(const char* name) const { return PyDict_GetItemString(dict_, name) != nullptr; }
  // The same where None is not allowed.
  template <class T>
  T* needed(const char* name, size_t size, bool writeable = false) {
    T* data = array<T>(name, size, writeable);
    if (good_ && !data) {
      PyErr_Format(PyExc_ValueError, "%s is missing", name);
      good_ = false;
    }
    return data;
  }

 private:
  PyObject* find(const char* name) {
    if (!good_) return nullptr;
    PyObject* value = PyDict_GetItemString(dict_, name);
    if (!value) {
      PyErr_Format(PyExc_KeyError, "missing entry %s", name);
      good_ = false;
    }
    return value;
  }
  PyObject* dict_;
  bool good_ = true;
  std::vector<PyObject*> kept_;
};

}  // namespace tarsus
