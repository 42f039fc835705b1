#include "bindings/arguments.hpp"

#include <cstring>
#include <string>

namespace tarsus {
namespace {

PyObject* prepare_hook = nullptr;

// Where a keyword is among the parameters; their number where it is not. Keywords are interned as a rule.
size_t find_keyword(const Function& f, PyObject* name) {
  const size_t count = f.parameters.size();
  size_t i = 0;
  while (i < count && f.interned[i] != name) ++i;
  if (i < count) return i;
  for (i = 0; i < count && PyUnicode_Compare(f.interned[i], name) != 0; ++i) {
  }
  return i;
}

}  // namespace

bool parse(const Function& f, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Parsed& p) {
  std::memset(&p, 0, sizeof p);
  if (nargs > f.positional) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)", f.name, f.positional, nargs);
    return false;
  }
  for (Py_ssize_t i = 0; i < nargs; ++i) p.value[f.parameters[i]] = args[i];
  const Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, k);
    const size_t i = find_keyword(f, name);
    if (i == f.parameters.size()) {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", f.name, name);
      return false;
    }
    if (p.value[f.parameters[i]]) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", f.name, f.names[i]);
      return false;
    }
    p.value[f.parameters[i]] = args[nargs + k];
  }
  for (int i = 0; i < f.required; ++i) {
    if (!p.value[f.parameters[i]]) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%s'", f.name, f.names[i]);
      return false;
    }
  }
  return true;
}

bool fits(const Input& in, bool first, Batch& batch) {
  if (!PyArray_CheckExact(in.object)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(in.object);
  if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array)) return false;
  const int axes = PyArray_NDIM(array) - in.axes;
  const npy_intp* dims = PyArray_DIMS(array);
  if (axes < 0 || axes > kMaxBatchAxes) return false;
  if (in.axes == 1 ? dims[axes] != in.size : dims[axes] * dims[axes + 1] != in.size || dims[axes + 1] != in.last) return false;
  if (first) {
    batch.axes = axes;
    batch.rows = 1;
    for (int i = 0; i < axes; ++i) batch.rows *= batch.dims[i] = dims[i];
    return true;
  }
  if (axes != batch.axes) return false;
  for (int i = 0; i < axes; ++i) {
    if (dims[i] != batch.dims[i]) return false;
  }
  return true;
}

PyObject* prepare(const Function& f, PyObject* model, Inputs& inputs, Batch& batch) {
  if (!prepare_hook) {
    PyErr_SetString(PyExc_RuntimeError, "tarsus is not completely imported");
    return nullptr;
  }
  PyObject* list = PyList_New(0);
  for (const Input& in : inputs) {
    PyObject* item = in.axes == 1
                         ? Py_BuildValue("sO(n)", in.name, in.object, (Py_ssize_t)in.size)
                         : Py_BuildValue("sO(nn)", in.name, in.object, (Py_ssize_t)(in.size / in.last), (Py_ssize_t)in.last);
    if (!item || PyList_Append(list, item) < 0) {
      Py_XDECREF(item);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(item);
  }
  PyObject* arrays = PyObject_CallFunction(prepare_hook, "sOO", f.name, model, list);
  Py_DECREF(list);
  if (!arrays) return nullptr;
  if (!PyTuple_Check(arrays) || PyTuple_GET_SIZE(arrays) != inputs.count) {
    PyErr_SetString(PyExc_RuntimeError, "argument preparation failed");
    Py_DECREF(arrays);
    return nullptr;
  }
  bool good = true;
  for (int i = 0; i < inputs.count; ++i) {
    inputs.of[i].object = PyTuple_GET_ITEM(arrays, i);
    good = good && fits(inputs.of[i], i == 0, batch);
  }
  if (!good) {
    PyErr_SetString(PyExc_RuntimeError, "argument preparation failed");
    Py_DECREF(arrays);
    return nullptr;
  }
  return arrays;
}

bool choose_method(const Function& f, PyObject* value, const Operation*& operation) {
  operation = f.operations[0];
  if (!value) return true;
  std::string known;
  for (const Operation* candidate : f.operations) {
    if (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, candidate->method) == 0) {
      operation = candidate;
      return true;
    }
    known += std::string(known.empty() ? "'" : ", '") + candidate->method + "'";
  }
  raise_error("UnknownNameError", "method %R of %s not found; known: %s", value, f.name, known.c_str());
  return false;
}

bool choose_axes(PyObject* value, int& expressed_in) {
  const char* names[] = {"world", "local", "world_origin"};
  expressed_in = 0;
  if (!value) return true;
  for (int i = 0; i < 3 && PyUnicode_Check(value); ++i) {
    if (PyUnicode_CompareWithASCIIString(value, names[i]) == 0) {
      expressed_in = i;
      return true;
    }
  }
  raise_error("UnknownNameError", "expressed_in must be 'world', 'local' or 'world_origin', not %R", value);
  return false;
}

const FrameTable* find_frame(ModelObject* model, PyObject* name) {
  if (name == model->recent_name) return model->recent_frame;
  PyObject* index = PyUnicode_Check(name) ? PyDict_GetItemWithError(model->frame_index, name) : nullptr;
  if (!index) return nullptr;
  model->recent_frame = model->model->tables.frame + PyLong_AsLong(index);
  Py_INCREF(name);
  Py_XSETREF(model->recent_name, name);
  return model->recent_frame;
}

const FrameTable* choose_frame(ModelObject* model, PyObject* name) {
  const FrameTable* frame = find_frame(model, name);
  if (frame || PyErr_Occurred()) return frame;
  // An unknown one raises in Python, which knows close names.
  PyObject* mapping = PyObject_GetAttrString(reinterpret_cast<PyObject*>(model), "frames");
  PyObject* item = mapping ? PyObject_GetItem(mapping, name) : nullptr;
  Py_XDECREF(mapping);
  Py_XDECREF(item);
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "frame tables are inconsistent");
  return nullptr;
}

bool choose_frames(ModelObject* model, PyObject* names, std::vector<FrameTable>& frames) {
  if (PyUnicode_Check(names)) {
    raise_error("ArgumentError", "frames must be a list of names, not the single name %R", names);
    return false;
  }
  PyObject* list = PySequence_Fast(names, "frames must be a list of names");
  if (!list) return false;
  const FrameTable* frame = nullptr;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!(frame = choose_frame(model, PySequence_Fast_GET_ITEM(list, i)))) break;
    frames.push_back(*frame);
  }
  Py_DECREF(list);
  return frame || count == 0;
}

bool read_threads(PyObject* value, int& threads) {
  threads = 1;
  if (!value) return true;
  const long n = PyLong_Check(value) && !PyBool_Check(value) ? PyLong_AsLong(value) : -1;
  if (n < 1 || n > 1024) {
    PyErr_Clear();
    raise_error("ArgumentError", "threads must be a whole number from 1 to 1024, not %R", value);
    return false;
  }
  threads = static_cast<int>(n);
  return true;
}

bool read_number(const Function& f, PyObject* value, const char* name, double& number) {
  if (!value) return true;
  number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred()) return false;
  if (number >= 0.0 && number < 1e100) return true;
  raise_error("ArgumentError", "%s of %s is %R, expected a number that is not negative", name, f.name, value);
  return false;
}

bool choose_constraints(const Function& f, const Model& m, PyObject* value, Call& call) {
  if (!value) return true;
  if (!PyObject_TypeCheck(value, constraint_type)) {
    PyErr_Format(PyExc_TypeError, "constraints of %s must be a native table, not %s", f.name, Py_TYPE(value)->tp_name);
    return false;
  }
  call.constraints = &reinterpret_cast<ConstraintObject*>(value)->owned->table;
  if (call.constraints->serial == m.serial) return true;
  raise_error("ArgumentError", "constraints of %s were prepared for another model", f.name);
  return false;
}

bool choose_volumes(const Function& f, const Model& m, PyObject* value, Call& call) {
  if (!value) return true;
  if (!PyObject_TypeCheck(value, volume_type)) {
    PyErr_Format(PyExc_TypeError, "volumes of %s must be a native table, not %s", f.name, Py_TYPE(value)->tp_name);
    return false;
  }
  call.volumes = &reinterpret_cast<VolumeObject*>(value)->owned->table;
  if (call.volumes->serial == m.serial) return true;
  raise_error("ArgumentError", "volumes of %s were prepared for another model", f.name);
  return false;
}

PyObject* set_prepare(PyObject*, PyObject* callable) {
  Py_INCREF(callable);
  Py_XSETREF(prepare_hook, callable);
  Py_RETURN_NONE;
}

}  // namespace tarsus
