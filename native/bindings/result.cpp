#include "bindings/result.hpp"

#include <algorithm>
#include <string>

#include "bindings/result_memory.hpp"

namespace tarsus {
namespace {

// "[2, 0]" for row 2 of a batch of shape (3, 1); empty for one state.
std::string place(const Batch& batch, long row) {
  if (batch.axes == 0) return "";
  std::string text;
  for (int i = batch.axes - 1; i >= 0; --i) {
    text = std::to_string(row % batch.dims[i]) + (text.empty() ? "" : ", ") + text;
    row /= batch.dims[i];
  }
  return "[" + text + "]";
}

PyObject* shape_tuple(int axes, const npy_intp* dims) {
  PyObject* tuple = PyTuple_New(axes);
  for (int i = 0; tuple && i < axes; ++i) PyTuple_SET_ITEM(tuple, i, PyLong_FromSsize_t(dims[i]));
  return tuple;
}

// The caller's array for a result of these axes, or null with an error.
PyArrayObject* check_given(const Function& f, PyObject* given, int axes, const npy_intp* dims, const Inputs& inputs) {
  auto* out = reinterpret_cast<PyArrayObject*>(given);
  if (!PyArray_Check(given) || PyArray_TYPE(out) != NPY_DOUBLE || !PyArray_ISCARRAY(out)) {
    raise_error("OutputError", "out of %s must be a writeable, C-contiguous float64 array, not %R", f.name, given);
    return nullptr;
  }
  if (PyArray_NDIM(out) != axes || !PyArray_CompareLists(PyArray_DIMS(out), dims, axes)) {
    PyObject* found = PyObject_GetAttrString(given, "shape");
    PyObject* expected = shape_tuple(axes, dims);
    if (found && expected) raise_error("OutputError", "out of %s has shape %R, expected %R", f.name, found, expected);
    Py_XDECREF(found);
    Py_XDECREF(expected);
    return nullptr;
  }
  for (const Input& in : inputs) {
    if (overlap(out, reinterpret_cast<PyArrayObject*>(in.object))) {
      raise_error("OutputError", "out of %s overlaps the argument %s", f.name, in.name);
      return nullptr;
    }
  }
  Py_INCREF(given);
  return out;
}

}  // namespace

bool overlap(PyArrayObject* a, PyArrayObject* b) {
  const char *a0 = PyArray_BYTES(a), *a1 = a0 + PyArray_NBYTES(a), *b0 = PyArray_BYTES(b), *b1 = b0 + PyArray_NBYTES(b);
  return a0 < b1 && b0 < a1;
}

PyArrayObject* result_array(const Function& f, const Call& call, PyObject* given, const Batch& batch, const Inputs& inputs) {
  npy_intp dims[kMaxBatchAxes + kMaxAxes];
  if (f.results) {
    dims[0] = batch.rows * static_cast<npy_intp>(result_layout(*call.operation, extent_of(call), call.model->nv).size);
    return reinterpret_cast<PyArrayObject*>(new_result(1, dims));
  }
  std::copy(batch.dims, batch.dims + batch.axes, dims);
  const int axes = batch.axes + result_axes(*call.operation, extent_of(call), 0, dims + batch.axes);
  if (!given) return reinterpret_cast<PyArrayObject*>(new_result(axes, dims));
  return check_given(f, given, axes, dims, inputs);
}

PyObject* hand_out(const Function& f, const Call& call, const Batch& batch, PyArrayObject* out, bool given) {
  if (!f.results) return given ? reinterpret_cast<PyObject*>(out) : PyArray_Return(out);
  const Extent e = extent_of(call);
  const ResultLayout layout = result_layout(*call.operation, e, call.model->nv);
  PyObject* results = PyStructSequence_New(f.results);
  double* data = static_cast<double*>(PyArray_DATA(out));
  for (int k = 0; results && k < layout.outputs; ++k) {
    npy_intp dims[kMaxBatchAxes + kMaxAxes];
    std::copy(batch.dims, batch.dims + batch.axes, dims);
    const int axes = batch.axes + result_axes(*call.operation, e, k, dims + batch.axes);
    PyObject* view = PyArray_SimpleNewFromData(axes, dims, NPY_DOUBLE, data + batch.rows * layout.offset[k]);
    Py_INCREF(out);
    if (view && PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(view), reinterpret_cast<PyObject*>(out)) < 0) {
      Py_CLEAR(view);
    } else if (!view) {
      Py_DECREF(out);
    }
    if (view) {
      PyStructSequence_SetItem(results, k, view);
    } else {
      Py_CLEAR(results);
    }
  }
  Py_DECREF(out);
  return results;
}

namespace {

void raise_bad_number(const Function& f, const Call& call, const Input& in, const std::string& where) {
  auto* array = reinterpret_cast<PyArrayObject*>(in.object);
  const double* x = static_cast<const double*>(PyArray_DATA(array)) + call.row * in.size + call.index;
  char text[32];
  if (call.status == kNonFinite) {
    PyOS_snprintf(text, sizeof text, "%g", x[0]);
    raise_error("NonFiniteError", "%s%s of %s has the entry %s at position %d; expected finite numbers below 1e100", in.name,
                where.c_str(), f.name, text, call.index);
  } else {
    PyOS_snprintf(text, sizeof text, "%.6g", __builtin_sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]));
    raise_error("QuaternionNormError", "%s%s of %s has a quaternion of norm %s at position %d; expected 1 within 0.001", in.name,
                where.c_str(), f.name, text, call.index);
  }
}

}  // namespace

void raise_failure(const Function& f, ModelObject* model, PyObject* constraints, const Call& call, const Inputs& inputs,
                   const Batch& batch) {
  const std::string where = place(batch, call.row);
  const Parameter order[] = {pQ, pV, pA, pExternal, pDrive};
  if (call.status == kNonFinite || call.status == kQuaternionNorm) {
    for (const Input& in : inputs) {
      if (in.parameter == order[call.argument]) return raise_bad_number(f, call, in, where);
    }
  }
  if (call.status == kLoopOpen || call.status == kLoopSingular) {
    PyObject* name = PyTuple_GET_ITEM(model->closure_names, call.index);
    raise_error("LoopError",
                call.status == kLoopOpen
                    ? "%U cannot be closed at this configuration (%s%s)"
                    : "%U is singular at this configuration: its independent joints do not determine the others (%s%s)",
                name, f.name, where.c_str());
  } else if (call.status == kPairSingular) {
    PyObject* said = PyTuple_GET_ITEM(reinterpret_cast<ConstraintObject*>(constraints)->pair_failures, call.index);
    raise_error("SingularityError", "%U (%s%s)", said, f.name, where.c_str());
  } else if (call.status == kSingular && call.index >= 0) {
    const Node* node = model->model->tables.node + call.index;
    while (node->body < 0) ++node;  // inner half of a two-axis joint
    raise_error("MasslessJointError",
                "joint '%U' moves no inertia, so its acceleration is not determined (%s%s); give the bodies behind it mass, or "
                "the joint armature",
                PyTuple_GET_ITEM(model->joint_names, node->body), f.name, where.c_str());
  } else if (call.status == kSingular) {
    raise_error("NonFiniteError", "the result of %s%s is not finite: the numbers overflow or the mass matrix is singular", f.name,
                where.c_str());
  } else {
    PyErr_NoMemory();
  }
}

}  // namespace tarsus
