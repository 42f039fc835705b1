// Results of one call: their shape, their array, and what is raised instead.
#pragma once
#include "bindings/arguments.hpp"

namespace tarsus {

// Axes of result k behind the batch axes, into `dims`.
inline int result_axes(const Operation& o, const Extent& e, int k, npy_intp* dims) {
  const Shape& shape = o.output[k].shape;
  for (int i = 0; i < shape.axes; ++i) dims[i] = static_cast<npy_intp>(length_of(shape.axis[i], e, e.model->nv));
  return shape.axes;
}

// Whether two arrays share memory, by their first and last bytes.
bool overlap(PyArrayObject* a, PyArrayObject* b);

// New array for the result, or the caller's own one after checking it. Several results are one array without axes of their own.
PyArrayObject* result_array(const Function& f, const Call& call, PyObject* given, const Batch& batch, const Inputs& inputs);

// What the caller gets for that array, which is given away: itself, or a named tuple of views of its parts.
PyObject* hand_out(const Function& f, const Call& call, const Batch& batch, PyArrayObject* out, bool given);

// Raises what a failed call calls for.
void raise_failure(const Function& f, ModelObject* model, PyObject* constraints, const Call& call, const Inputs& inputs,
                   const Batch& batch);

}  // namespace tarsus
