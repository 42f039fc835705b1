// The public functions of a state, called directly from Python: METH_FASTCALL with keywords, NumPy arrays read in place.
// Arrays that are float64, C-contiguous and of equal batch shape take the fast path; everything else is brought into that
// form by a Python function, which also words the errors.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bindings/python.hpp"
#include "threads/pool.hpp"

namespace tarsus {

namespace {

enum Parameter { pModel, pQ, pV, pA, pExternal, pFrame, pFrames, pExpressedIn, pMethod, pPassive, pOut, pThreads };
constexpr int kMaxParameters = 12;
constexpr int kMaxBatchAxes = 16;
constexpr long kChunk = 64;  // rows a thread takes at a time

struct Method {
  const char* name;
  int operation;
};

struct Function {
  const char* name;
  std::vector<Parameter> parameters;
  const char* names[kMaxParameters];
  int required, positional;
  bool plain;                   // the required arguments are the model and vectors
  std::vector<Method> methods;  // the first is the default
  PyObject* interned[kMaxParameters];
};

struct FunctionObject {  // "self" of the built-in functions
  PyObject_HEAD const Function* function;
};
PyTypeObject* function_holder = nullptr;
PyArray_Descr* float64 = nullptr;
PyObject* prepare_hook = nullptr;

Function declare(const char* name, std::vector<Parameter> state, const char* a_name, std::vector<Parameter> options,
                 std::vector<Method> methods, int optional_positional = 0) {
  Function f{};
  f.name = name;
  f.parameters = {pModel};
  f.parameters.insert(f.parameters.end(), state.begin(), state.end());
  f.required = static_cast<int>(f.parameters.size());
  f.positional = f.required + optional_positional;
  f.parameters.insert(f.parameters.end(), options.begin(), options.end());
  f.parameters.insert(f.parameters.end(), {pOut, pThreads});
  f.methods = std::move(methods);
  for (size_t i = 0; i < f.parameters.size(); ++i) {
    switch (f.parameters[i]) {
      case pModel: f.names[i] = "model"; break;
      case pQ: f.names[i] = std::strcmp(name, "difference") == 0 ? "q1" : "q"; break;
      case pV: f.names[i] = "v"; break;
      case pA: f.names[i] = a_name; break;
      case pExternal: f.names[i] = "external"; break;
      case pFrame: f.names[i] = "frame"; break;
      case pFrames: f.names[i] = "frames"; break;
      case pExpressedIn: f.names[i] = "expressed_in"; break;
      case pMethod: f.names[i] = "method"; break;
      case pPassive: f.names[i] = "passive"; break;
      case pOut: f.names[i] = "out"; break;
      case pThreads: f.names[i] = "threads"; break;
    }
  }
  return f;
}

std::vector<Function>& functions() {
  static std::vector<Function> all = {
      declare("body_poses", {pQ}, "", {}, {{"", kBodyPoses}}),
      declare("frame_pose", {pQ, pFrame}, "", {}, {{"", kFramePoses}}),
      declare("frame_poses", {pQ, pFrames}, "", {}, {{"", kFramePoses}}),
      declare("frame_velocity", {pQ, pV, pFrame}, "", {pExpressedIn}, {{"", kFrameVelocity}}, 1),
      declare("frame_acceleration", {pQ, pV, pA, pFrame}, "vdot", {pExpressedIn}, {{"", kFrameAcceleration}}, 1),
      declare("jacobian", {pQ, pFrame}, "", {pExpressedIn}, {{"", kJacobian}}, 1),
      declare("jacobian_dot", {pQ, pV, pFrame}, "", {pExpressedIn}, {{"", kJacobianDot}}, 1),
      declare("jacobian_dot_v", {pQ, pV, pFrame}, "", {pExpressedIn}, {{"", kJacobianDotV}}, 1),
      declare("joint_screws", {pQ}, "", {}, {{"", kJointScrews}}),
      declare("body_jacobians", {pQ}, "", {}, {{"", kBodyJacobians}}),
      declare("center_of_mass", {pQ}, "", {}, {{"", kCenterOfMass}}),
      declare("com_jacobian", {pQ}, "", {}, {{"", kComJacobian}}),
      declare("momentum", {pQ, pV}, "", {}, {{"", kMomentum}}),
      declare("momentum_matrix", {pQ}, "", {}, {{"", kMomentumMatrix}}),
      declare("inverse_dynamics", {pQ, pV, pA}, "vdot", {pExternal, pMethod, pPassive}, {{"recursive", kInverseDynamics}}, 2),
      declare("mass_matrix", {pQ}, "", {}, {{"", kMassMatrix}}),
      declare("bias_force", {pQ, pV}, "", {}, {{"", kBiasForce}}),
      declare("gravity_force", {pQ}, "", {}, {{"", kGravityForce}}),
      declare("coriolis_matrix", {pQ, pV}, "", {}, {{"", kCoriolisMatrix}}),
      declare("solve_mass", {pQ, pA}, "rhs", {}, {{"", kSolveMass}}),
      declare("torque_regressor", {pQ, pV, pA}, "vdot", {}, {{"", kTorqueRegressor}}),
      declare("forward_dynamics", {pQ, pV, pA}, "tau", {pExternal, pMethod, pPassive},
              {{"articulated-body", kArticulatedBody}, {"composite-body", kCompositeBody}}, 2),
      declare("kinetic_energy", {pQ, pV}, "", {}, {{"", kKineticEnergy}}),
      declare("potential_energy", {pQ}, "", {}, {{"", kPotentialEnergy}}),
      declare("passive_force", {pQ, pV}, "", {}, {{"", kPassiveForce}}),
      declare("integrate", {pQ, pV}, "", {}, {{"", kIntegrate}}),
      declare("difference", {pQ, pA}, "q2", {}, {{"", kDifference}}),
      declare("normalize", {pQ}, "", {}, {{"", kNormalize}}),
  };
  return all;
}

// Arguments of one call, sorted by meaning.
struct Parsed {
  PyObject* value[kMaxParameters];  // by Parameter
};

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
    size_t i = 0;
    while (i < f.parameters.size() && f.interned[i] != name) ++i;
    if (i == f.parameters.size()) {
      for (i = 0; i < f.parameters.size() && PyUnicode_Compare(f.interned[i], name) != 0; ++i) {
      }
    }
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
  Input of[4];
  int count = 0;
  Input* begin() { return of; }
  Input* end() { return of + count; }
  const Input* begin() const { return of; }
  const Input* end() const { return of + count; }
};

struct Batch {
  int axes = 0;
  npy_intp dims[kMaxBatchAxes + 4];
  npy_intp rows = 1;
};

// True where the array can be read in place; its batch shape must equal `batch` unless it is the first.
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

// Brings unusual arguments into plain arrays of one batch shape; returns a tuple that owns them.
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

// Axes of one result behind the batch axes.
int result_axes(int operation, const Parameter* frames_given, const Model& m, int frame_count, npy_intp* dims) {
  const npy_intp nv = m.nv, nb = m.bodies;
  auto set = [&](std::initializer_list<npy_intp> d) {
    int n = 0;
    for (npy_intp x : d) dims[n++] = x;
    return n;
  };
  switch (operation) {
    case kBodyPoses: return set({nb, 4, 4});
    case kFramePoses: return frames_given ? set({frame_count, 4, 4}) : set({4, 4});
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
    case kKineticEnergy:
    case kPotentialEnergy: return 0;
    case kIntegrate:
    case kNormalize: return set({m.nq});
    default: return set({nv});
  }
}

bool choose_method(const Function& f, PyObject* value, int& operation) {
  operation = f.methods[0].operation;
  if (!value) return true;
  if (PyUnicode_Check(value)) {
    for (const Method& method : f.methods) {
      if (PyUnicode_CompareWithASCIIString(value, method.name) == 0) {
        operation = method.operation;
        return true;
      }
    }
  }
  std::string known;
  for (const Method& method : f.methods) known += std::string(known.empty() ? "'" : ", '") + method.name + "'";
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

// Table of one frame by name; an unknown one raises in Python, which knows close names.
bool add_frame(ModelObject* model, PyObject* name, std::vector<FrameTable>& frames) {
  PyObject* index = PyUnicode_Check(name) ? PyDict_GetItemWithError(model->frame_index, name) : nullptr;
  if (index) {
    frames.push_back(model->model->tables.frame[PyLong_AsLong(index)]);
    return true;
  }
  if (PyErr_Occurred()) return false;
  PyObject* mapping = PyObject_GetAttrString(reinterpret_cast<PyObject*>(model), "frames");
  PyObject* item = mapping ? PyObject_GetItem(mapping, name) : nullptr;
  Py_XDECREF(mapping);
  Py_XDECREF(item);
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "frame tables are inconsistent");
  return false;
}

bool choose_frames(ModelObject* model, const Parsed& p, std::vector<FrameTable>& frames) {
  if (p.value[pFrame]) return add_frame(model, p.value[pFrame], frames);
  if (!p.value[pFrames]) return true;
  if (PyUnicode_Check(p.value[pFrames])) {
    raise_error("ArgumentError", "frames must be a list of names, not the single name %R", p.value[pFrames]);
    return false;
  }
  PyObject* list = PySequence_Fast(p.value[pFrames], "frames must be a list of names");
  if (!list) return false;
  bool good = true;
  for (Py_ssize_t i = 0; good && i < PySequence_Fast_GET_SIZE(list); ++i)
    good = add_frame(model, PySequence_Fast_GET_ITEM(list, i), frames);
  Py_DECREF(list);
  return good;
}

bool overlap(PyArrayObject* a, PyArrayObject* b) {
  const char *a0 = PyArray_BYTES(a), *a1 = a0 + PyArray_NBYTES(a), *b0 = PyArray_BYTES(b), *b1 = b0 + PyArray_NBYTES(b);
  return a0 < b1 && b0 < a1;
}

// New array for the result, or the caller's own one after checking it.
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

void raise_failure(const Function& f, ModelObject* model, const Call& call, const Inputs& inputs, const Batch& batch, int axes) {
  const std::string where = place(batch, axes, call.row);
  const Parameter order[] = {pQ, pV, pA, pExternal};
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
  if (call.status == kSingular && call.index >= 0) {
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

// All rows, on one or several threads; the GIL is not held. The first bad row is reported whatever thread found it.
void run_batch(ModelObject* model, Call& call, long rows, int threads) {
  if (threads <= 1) {
    BorrowedWorkspace workspace(*model);
    call.workspace = workspace.get();
    call.begin = 0, call.end = rows;
    if (!call.workspace) call.status = kOutOfMemory;
    if (call.workspace) active_table->run_rows(call);
    return;
  }
  std::atomic<long> first_bad{rows};
  std::vector<Call> failed(threads, call);
  std::vector<std::unique_ptr<BorrowedWorkspace>> workspaces(threads);
  parallel_rows(rows, kChunk, threads, [&](int worker, long begin, long end) {
    if (begin > first_bad.load(std::memory_order_relaxed)) return;
    if (!workspaces[worker]) workspaces[worker] = std::make_unique<BorrowedWorkspace>(*model);
    Call part = call;
    part.workspace = workspaces[worker]->get();
    part.begin = begin, part.end = end;
    if (!part.workspace) part.status = kOutOfMemory;
    if (part.workspace) active_table->run_rows(part);
    if (part.status == kOk) return;
    if (failed[worker].status == kOk || part.row < failed[worker].row) failed[worker] = part;
    long known = first_bad.load();
    while (part.row < known && !first_bad.compare_exchange_weak(known, part.row)) {
    }
  });
  for (const Call& part : failed) {
    if (part.status != kOk && (call.status == kOk || part.row < call.row)) {
      call.status = part.status, call.argument = part.argument, call.row = part.row, call.index = part.index;
    }
  }
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

void raise_unless_massive(const Function& f, int operation, const Model& m) {
  if (m.total_mass > 0.0) return;
  if (operation != kCenterOfMass && operation != kComJacobian && operation != kMomentum && operation != kMomentumMatrix) return;
  raise_error("MasslessJointError", "%s is not determined: the model has no mass", f.name);
}

// The data of a float64 vector of the given length that can be read in place, or null.
inline const double* plain_vector(PyObject* object, npy_intp size) {
  if (Py_TYPE(object) != &PyArray_Type) return nullptr;
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  constexpr int readable = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
  if (PyArray_DESCR(a) != float64 || PyArray_NDIM(a) != 1 || PyArray_DIM(a, 0) != size ||
      (PyArray_FLAGS(a) & readable) != readable) {
    return nullptr;
  }
  return static_cast<const double*>(PyArray_DATA(a));
}

// The common case by the shortest way: one state, plain vectors given by position, nothing else. Returns null without an error
// where the case is another one or something is wrong, which `call_function` then finds out.
PyObject* call_plain(const Function& f, PyObject* const* args) {
  if (!PyObject_TypeCheck(args[0], model_type)) return nullptr;
  auto* model = reinterpret_cast<ModelObject*>(args[0]);
  const Model& m = model->model->tables;
  Call call;
  call.operation = f.methods[0].operation;
  const double* data[3] = {nullptr, nullptr, nullptr};  // q, v, a
  for (int i = 1; i < f.required; ++i) {
    const Parameter parameter = f.parameters[i];
    const bool is_q = parameter == pQ || (parameter == pA && kOperationInfo[call.operation].a == 2);
    if (!(data[parameter - pQ] = plain_vector(args[i], is_q ? m.nq : m.nv))) return nullptr;
  }
  if (!model->quaternion_base || m.total_mass <= 0.0) return nullptr;
  npy_intp dims[4];
  const int axes = result_axes(call.operation, nullptr, m, 0, dims);
  Py_INCREF(float64);
  PyObject* out = PyArray_NewFromDescr(&PyArray_Type, float64, axes, dims, nullptr, nullptr, 0, nullptr);
  if (!out) {
    PyErr_Clear();
    return nullptr;
  }
  call.model = &m, call.plan = model->plan;
  call.q = data[0], call.v = data[1], call.a = data[2], call.external = nullptr;
  call.out = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(out)));
  call.frames = nullptr, call.frame_count = 0, call.expressed_in = 0, call.passive = 0, call.status = kOk;
  BorrowedWorkspace workspace(*model);
  call.workspace = workspace.get();
  if (call.workspace) {
    active_table->run_single(call);
    if (call.status == kOk) return axes > 0 ? out : PyArray_Return(reinterpret_cast<PyArrayObject*>(out));
  }
  Py_DECREF(out);
  return nullptr;
}

PyObject* call_function(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Function& f = *reinterpret_cast<FunctionObject*>(self)->function;
  if (f.plain && !kwnames && nargs == f.required) {
    if (PyObject* result = call_plain(f, args)) return result;
    if (PyErr_Occurred()) return nullptr;
  }
  Parsed p;
  if (!parse(f, args, nargs, kwnames, p)) return nullptr;
  for (PyObject*& value : p.value) {
    if (value == Py_None) value = nullptr;  // an optional argument not given; required ones are checked below
  }
  PyObject* model_object = p.value[pModel];
  if (!model_object || !PyObject_TypeCheck(model_object, model_type)) {
    PyErr_Format(PyExc_TypeError, "the first argument of %s() must be a tarsus.Model, not %s", f.name,
                 model_object ? Py_TYPE(model_object)->tp_name : "None");
    return nullptr;
  }
  for (int i = 1; i < f.required; ++i) {
    if (!p.value[f.parameters[i]]) {
      const bool name = f.parameters[i] == pFrame || f.parameters[i] == pFrames;
      raise_error(name ? "UnknownNameError" : "DtypeError", "%s of %s is None; expected %s", f.names[i], f.name,
                  name ? "a name" : "numbers");
      return nullptr;
    }
  }
  auto* model = reinterpret_cast<ModelObject*>(model_object);
  const Model& m = model->model->tables;
  Call call{};
  call.model = &m;
  call.plan = model->plan;
  int threads = 1;
  if (!choose_method(f, p.value[pMethod], call.operation) || !choose_axes(p.value[pExpressedIn], call.expressed_in) ||
      !read_threads(p.value[pThreads], threads)) {
    return nullptr;
  }
  if (p.value[pPassive] && (call.passive = PyObject_IsTrue(p.value[pPassive])) < 0) return nullptr;
  std::vector<FrameTable> frames;
  if ((p.value[pFrame] || p.value[pFrames]) && !choose_frames(model, p, frames)) return nullptr;
  call.frames = frames.data();
  call.frame_count = static_cast<int>(frames.size());

  const OperationInfo info = kOperationInfo[call.operation];
  Inputs inputs;
  for (size_t i = 1; i < f.parameters.size(); ++i) {
    const Parameter parameter = f.parameters[i];
    if (parameter > pExternal) break;
    PyObject* value = p.value[parameter];
    if (!value) continue;
    const npy_intp nv = m.nv, nq = m.nq;
    const npy_intp size = parameter == pQ                  ? nq
                          : parameter == pA && info.a == 2 ? nq
                          : parameter == pExternal         ? (npy_intp)6 * m.bodies
                                                           : nv;
    inputs.of[inputs.count++] = {parameter, f.names[i], value, parameter == pExternal ? 2 : 1, size, 6};
  }
  raise_unless_massive(f, call.operation, m);
  if (PyErr_Occurred()) return nullptr;

  Batch batch;
  PyObject* owner = nullptr;
  bool plain = model->quaternion_base;
  for (int i = 0; plain && i < inputs.count; ++i) plain = fits(inputs.of[i], i == 0, batch);
  if (!plain && !(owner = prepare(f, model_object, inputs, batch))) return nullptr;

  const int batch_axes = batch.axes;
  const Parameter several = pFrames;
  const int axes = batch_axes + result_axes(call.operation, p.value[pFrames] ? &several : nullptr, m, call.frame_count,
                                            batch.dims + batch_axes);
  PyArrayObject* out = result_array(f, p.value[pOut], batch, axes, inputs);
  if (!out) {
    Py_XDECREF(owner);
    return nullptr;
  }
  for (const Input& in : inputs) {
    const double* data = static_cast<const double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(in.object)));
    (in.parameter == pQ ? call.q : in.parameter == pV ? call.v : in.parameter == pA ? call.a : call.external) = data;
  }
  call.out = static_cast<double*>(PyArray_DATA(out));
  if (batch_axes == 0) {
    BorrowedWorkspace workspace(*model);
    call.workspace = workspace.get();
    if (!call.workspace) call.status = kOutOfMemory;
    if (call.workspace) active_table->run_single(call);
  } else if (batch.rows > 0) {
    Py_BEGIN_ALLOW_THREADS run_batch(model, call, batch.rows, threads);
    Py_END_ALLOW_THREADS
  }
  if (call.status != kOk) {
    raise_failure(f, model, call, inputs, batch, batch_axes);
    Py_XDECREF(owner);
    Py_DECREF(out);
    return nullptr;
  }
  Py_XDECREF(owner);
  return p.value[pOut] ? reinterpret_cast<PyObject*>(out) : PyArray_Return(out);
}

PyType_Slot holder_slots[] = {{0, nullptr}};
PyType_Spec holder_spec = {"tarsus._native.Function", sizeof(FunctionObject), 0, Py_TPFLAGS_DEFAULT, holder_slots};

}  // namespace

int ready_functions() {
  function_holder = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&holder_spec));
  if (!function_holder) return -1;
  if (!(float64 = PyArray_DescrFromType(NPY_DOUBLE))) return -1;
  for (Function& f : functions()) {
    f.plain = true;
    for (int i = 1; i < f.required; ++i) f.plain = f.plain && f.parameters[i] <= pA;
    for (size_t i = 0; i < f.parameters.size(); ++i) {
      if (!(f.interned[i] = PyUnicode_InternFromString(f.names[i]))) return -1;
    }
  }
  return 0;
}

PyObject* set_prepare(PyObject*, PyObject* callable) {
  Py_INCREF(callable);
  Py_XSETREF(prepare_hook, callable);
  Py_RETURN_NONE;
}

// function(name, doc=""): a built-in function with its own documentation.
PyObject* make_function(PyObject* module, PyObject* args, PyObject* keywords) {
  const char *name = nullptr, *doc = "";
  static const char* names[] = {"name", "doc", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|s", const_cast<char**>(names), &name, &doc)) return nullptr;
  for (const Function& f : functions()) {
    if (std::strcmp(f.name, name) != 0) continue;
    auto* self = PyObject_New(FunctionObject, function_holder);
    if (!self) return nullptr;
    self->function = &f;
    // Lives as long as the process, like the functions of a module.
    auto* method = new PyMethodDef{f.name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_function)),
                                   METH_FASTCALL | METH_KEYWORDS, nullptr};
    char* text = static_cast<char*>(PyMem_Malloc(std::strlen(doc) + 1));
    if (text) std::strcpy(text, doc);
    method->ml_doc = text;
    PyObject* module_name = PyUnicode_FromString("tarsus");
    PyObject* function = PyCFunction_NewEx(method, reinterpret_cast<PyObject*>(self), module_name);
    Py_XDECREF(module_name);
    Py_DECREF(self);
    (void)module;
    return function;
  }
  PyErr_Format(PyExc_KeyError, "no native function %s", name);
  return nullptr;
}

}  // namespace tarsus
