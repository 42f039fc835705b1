// Arguments of one call, from Python objects to what the kernels read.
#pragma once
#include "bindings/function_table.hpp"

namespace tarsus {

// Arguments of one call, sorted by meaning.
struct Parsed {
  PyObject* value[kMaxParameters];  // by Parameter
};

bool parse(const Function& f, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Parsed& p);

// An array argument in the form the kernels read.
struct Input {
  Parameter parameter;
  const char* name;
  PyObject* object;
  int axes;  // 1, or 2 for external wrenches
  npy_intp size, last;
};

// All of them, without allocating.
struct Inputs {
  Input of[5];
  int count = 0;
  Input* begin() { return of; }
  Input* end() { return of + count; }
  const Input* begin() const { return of; }
  const Input* end() const { return of + count; }
};

constexpr int kMaxBatchAxes = 16;

struct Batch {
  int axes = 0;
  npy_intp dims[kMaxBatchAxes + 4];
  npy_intp rows = 1;
};

// True where the array can be read in place; its batch shape must equal `batch` unless it is the first.
bool fits(const Input& in, bool first, Batch& batch);

// Brings unusual arguments into plain arrays of one batch shape; returns a tuple that owns them.
PyObject* prepare(const Function& f, PyObject* model, Inputs& inputs, Batch& batch);

// The frame of that name: null where there is none, and null with an error.
const FrameTable* find_frame(ModelObject* model, PyObject* name);
const FrameTable* choose_frame(ModelObject* model, PyObject* name);

// Options; each is true or has raised.
bool choose_method(const Function& f, PyObject* value, const Operation*& operation);
bool choose_axes(PyObject* value, int& expressed_in);
bool choose_frames(ModelObject* model, PyObject* names, std::vector<FrameTable>& frames);
bool read_threads(PyObject* value, int& threads);
bool read_number(const Function& f, PyObject* value, const char* name, double& number);
bool choose_constraints(const Function& f, const Model& m, PyObject* value, Call& call);
bool choose_volumes(const Function& f, const Model& m, PyObject* value, Call& call);

}  // namespace tarsus
