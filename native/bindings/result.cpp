#include "bindings/result.hpp"

#include <string>

namespace tarsus {
namespace {

// "[2, 0]" for row 2 of a batch of shape (3, 1); empty for one state.
std::string place(const Batch& batch, int axes, long row) {
  if (axes == 0) return "";
  std::string text;
  for (int i = axes - 1; i >= 0; --i) {
    text = std::to_string(row % batch.dims[i]) + (text.empty() ? "" : ", ") + text;
    row /= batch.dims[i];
  }
  return "[" + text + "]";
}

}  // namespace

bool overlap(PyArrayObject* a, PyArrayObject* b) {
  const char *a0 = PyArray_BYTES(a), *a1 = a0 + PyArray_NBYTES(a), *b0 = PyArray_BYTES(b), *b1 = b0 + PyArray_NBYTES(b);
  return a0 < b1 && b0 < a1;
}

int result_axes(int operation, bool several_frames, const Model& m, int frame_count, npy_intp* dims) {
  const npy_intp nv = m.nv, nb = m.bodies;
  auto set = [&](std::initializer_list<npy_intp> d) {
    int n = 0;
    for (npy_intp x : d) dims[n++] = x;
    return n;
  };
  switch (operation) {
    case kBodyPoses: return set({nb, 4, 4});
    case kFramePoses: return several_frames ? set({frame_count, 4, 4}) : set({4, 4});
    case kFrameVelocity:
    case kFrameAcceleration:
    case kJacobianDotV:
    case kMomentum: return set({6});
    case kJacobian:
    case kJacobianDot:
    case kJointScrews:
    case kMomentumMatrix: return set({6, nv});
    case kBodyJacobians: return set({nb, 6, nv});
    case kCenterOfMass: return set({3});
    case kComJacobian: return set({3, nv});
    case kMassMatrix:
    case kCoriolisMatrix: return set({nv, nv});
    case kTorqueRegressor: return set({nv, 10 * nb});
    case kInverseDynamicsDerivatives:
    case kForwardDynamicsDerivatives: return set({3, nv, nv});
    case kJacobianDerivative: return set({6, nv, nv});
    case kKineticEnergy:
    case kPotentialEnergy: return 0;
    case kIntegrate:
    case kNormalize: return set({m.nq});
    case kJointPositions: return set({m.tree_nq});
    case kJointVelocities: return set({m.tree_nv});
    case kCouplingMatrix: return set({m.tree_nv, nv});
    default: return set({nv});
  }
}

PyArrayObject* result_array(const Function& f, PyObject* given, const Batch& batch, int axes, const Inputs& inputs) {
  if (!given) {
    return reinterpret_cast<PyArrayObject*>(PyArray_SimpleNew(axes, const_cast<npy_intp*>(batch.dims), NPY_DOUBLE));
  }
  auto* out = reinterpret_cast<PyArrayObject*>(given);
  if (!PyArray_Check(given) || PyArray_TYPE(out) != NPY_DOUBLE || !PyArray_ISCARRAY(out)) {
    raise_error("OutputError", "out of %s must be a writeable, C-contiguous float64 array, not %R", f.name, given);
    return nullptr;
  }
  bool same = PyArray_NDIM(out) == axes;
  for (int i = 0; same && i < axes; ++i) same = PyArray_DIM(out, i) == batch.dims[i];
  if (!same) {
    PyObject* found = PyObject_GetAttrString(given, "shape");
    PyObject* expected = PyTuple_New(axes);
    for (int i = 0; expected && i < axes; ++i) PyTuple_SET_ITEM(expected, i, PyLong_FromSsize_t(batch.dims[i]));
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

void raise_failure(const Function& f, ModelObject* model, PyObject* constraints, const Call& call, const Inputs& inputs,
                   const Batch& batch, int axes) {
  const std::string where = place(batch, axes, call.row);
  const Parameter order[] = {pQ, pV, pA, pExternal, pDrive};
  if (call.status == kNonFinite || call.status == kQuaternionNorm) {
    for (const Input& in : inputs) {
      if (in.parameter != order[call.argument]) continue;
      auto* array = reinterpret_cast<PyArrayObject*>(in.object);
      const double* x = static_cast<const double*>(PyArray_DATA(array)) + call.row * in.size + call.index;
      if (call.status == kNonFinite) {
        char value[32];
        PyOS_snprintf(value, sizeof value, "%g", x[0]);
        raise_error("NonFiniteError", "%s%s of %s has the entry %s at position %d; expected finite numbers below 1e100", in.name,
                    where.c_str(), f.name, value, call.index);
      } else {
        char norm[32];
        PyOS_snprintf(norm, sizeof norm, "%.6g", __builtin_sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]));
        raise_error("QuaternionNormError", "%s%s of %s has a quaternion of norm %s at position %d; expected 1 within 0.001",
                    in.name, where.c_str(), f.name, norm, call.index);
      }
      return;
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
