// Results of one call: their shape, their array, and what is raised instead.
#pragma once
#include "bindings/arguments.hpp"

namespace tarsus {

// Axes of one result behind the batch axes.
int result_axes(int operation, bool several_frames, const Model& m, int frame_count, npy_intp* dims);

// Whether two arrays share memory, by their first and last bytes.
bool overlap(PyArrayObject* a, PyArrayObject* b);

// New array for the result, or the caller's own one after checking it.
PyArrayObject* result_array(const Function& f, PyObject* given, const Batch& batch, int axes, const Inputs& inputs);

// Raises what a failed call calls for; `axes` is the number of batch axes.
void raise_failure(const Function& f, ModelObject* model, PyObject* constraints, const Call& call, const Inputs& inputs,
                   const Batch& batch, int axes);

}  // namespace tarsus
