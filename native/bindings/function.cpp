// The public functions of a state, called directly from Python: METH_FASTCALL with keywords, NumPy arrays read in place.
// Arrays that are float64, C-contiguous and of equal batch shape take the fast path; everything else is brought into that
// form by a Python function, which also words the errors.
#include <cstring>
#include <memory>
#include <vector>

#include "bindings/result.hpp"
#include "threads/pool.hpp"

namespace tarsus {

namespace {

constexpr long kChunk = 64;  // rows a thread takes at a time

struct FunctionObject {  // "self" of the built-in functions
  PyObject_HEAD const Function* function;
};
PyTypeObject* function_holder = nullptr;
PyArray_Descr* float64 = nullptr;
PyObject* out_keyword = nullptr;

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

void raise_unless_massive(const Function& f, int operation, const Model& m) {
  if (m.total_mass > 0.0) return;
  if (operation != kCenterOfMass && operation != kComJacobian && operation != kMomentum && operation != kMomentumMatrix) return;
  raise_error("MasslessJointError", "%s is not determined: the model has no mass", f.name);
}

// Where the coupling matrix depends on the configuration its own derivatives would be needed, too.
bool lacks_derivatives(int operation, const Model& m) { return is_derivative(operation) && m.coupled && !m.linear; }

void raise_unless_linear(const Function& f, int operation, const Model& m) {
  if (!lacks_derivatives(operation, m)) return;
  raise_error("ArgumentError",
              "%s is for trees and for couplings with constant ratios; this model has joints that follow others in a way that "
              "changes with q (loops, polynomials). couplings='cut' opens them",
              f.name);
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

// Whether the caller's array can take the result as it is: float64 of these axes, writeable, apart from the arguments.
bool takes_result(PyObject* object, int axes, const npy_intp* dims, PyObject* const* args, int arguments) {
  if (Py_TYPE(object) != &PyArray_Type) return false;
  auto* out = reinterpret_cast<PyArrayObject*>(object);
  bool fits = PyArray_DESCR(out) == float64 && PyArray_NDIM(out) == axes && PyArray_ISCARRAY(out);
  for (int i = 0; fits && i < axes; ++i) fits = PyArray_DIM(out, i) == dims[i];
  for (int i = 1; fits && i < arguments; ++i) fits = !overlap(out, reinterpret_cast<PyArrayObject*>(args[i]));
  return fits;
}

// The common case by the shortest way: one state, plain vectors given by position, and at most `out`. Returns null without an
// error where the case is another one or something is wrong, which `call_function` then finds out.
PyObject* call_plain(const Function& f, PyObject* const* args, PyObject* given) {
  if (!PyObject_TypeCheck(args[0], model_type)) return nullptr;
  auto* model = reinterpret_cast<ModelObject*>(args[0]);
  const Model& m = model->model->tables;
  Call call;
  call.operation = f.methods[0].operation;
  const double* data[3] = {nullptr, nullptr, nullptr};  // q, v, a
  for (int i = 1; i < f.required; ++i) {
    const Parameter parameter = f.parameters[i];
    const size_t size = parameter == pQ ? m.nq : parameter == pA ? size_of_a(kOperationInfo[call.operation], m) : m.nv;
    if (!(data[parameter - pQ] = plain_vector(args[i], static_cast<npy_intp>(size)))) return nullptr;
  }
  if (!model->quaternion_base || m.total_mass <= 0.0 || lacks_derivatives(call.operation, m)) return nullptr;
  npy_intp dims[4];
  const int axes = result_axes(call.operation, false, m, 0, dims);
  PyObject* out = given;
  if (given) {
    if (!takes_result(given, axes, dims, args, f.required)) return nullptr;
    Py_INCREF(given);
  } else {
    Py_INCREF(float64);
    out = PyArray_NewFromDescr(&PyArray_Type, float64, axes, dims, nullptr, nullptr, 0, nullptr);
    if (!out) {
      PyErr_Clear();
      return nullptr;
    }
  }
  call.model = &m, call.plan = model->plan;
  call.q = data[0], call.v = data[1], call.a = data[2], call.external = nullptr;
  call.out = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(out)));
  call.frames = nullptr, call.frame_count = 0, call.expressed_in = 0, call.passive = 0, call.status = kOk;
  call.constraints = nullptr, call.drive = nullptr;
  BorrowedWorkspace workspace(*model);
  call.workspace = workspace.get();
  if (call.workspace) {
    active_table->run_single(call);
    if (call.status == kOk) return given || axes > 0 ? out : PyArray_Return(reinterpret_cast<PyArrayObject*>(out));
  }
  Py_DECREF(out);
  return nullptr;
}

PyObject* call_function(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Function& f = *reinterpret_cast<FunctionObject*>(self)->function;
  const bool only_out = kwnames && PyTuple_GET_SIZE(kwnames) == 1 && PyTuple_GET_ITEM(kwnames, 0) == out_keyword;
  if (f.plain && nargs == f.required && (!kwnames || only_out)) {
    if (PyObject* result = call_plain(f, args, only_out ? args[nargs] : nullptr)) return result;
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
  call.rank_tolerance = 1e-9;
  if (!choose_constraints(f, m, p.value[pConstraints], call) || !read_number(f, p.value[pAlpha], "alpha", call.alpha) ||
      !read_number(f, p.value[pBeta], "beta", call.beta) ||
      !read_number(f, p.value[pRankTolerance], "rank_tolerance", call.rank_tolerance)) {
    return nullptr;
  }
  std::vector<FrameTable> frames;
  if ((p.value[pFrame] || p.value[pFrames]) && !choose_frames(model, p, frames)) return nullptr;
  call.frames = frames.data();
  call.frame_count = static_cast<int>(frames.size());

  const OperationInfo info = kOperationInfo[call.operation];
  Inputs inputs;
  for (size_t i = 1; i < f.parameters.size(); ++i) {
    const Parameter parameter = f.parameters[i];
    PyObject* value = p.value[parameter];
    if (parameter > pDrive || !value) continue;
    const npy_intp size = parameter == pQ          ? m.nq
                          : parameter == pA        ? static_cast<npy_intp>(size_of_a(info, m))
                          : parameter == pExternal ? (npy_intp)6 * m.bodies
                          : parameter == pDrive    ? call.constraints->drives
                                                   : m.nv;
    inputs.of[inputs.count++] = {parameter, f.names[i], value, parameter == pExternal ? 2 : 1, size, 6};
  }
  if (call.constraints && call.constraints->drives > 0 && !p.value[pDrive]) {
    raise_error("ArgumentError", "%s needs drive, the motions given for this call", f.name);
    return nullptr;
  }
  if (call.operation == kMultipliersRecursive && m.coupled) {
    raise_error("ArgumentError",
                "method 'recursive' works on trees, but joints of this model follow others; couplings='cut' frees them");
    return nullptr;
  }
  raise_unless_massive(f, call.operation, m);
  raise_unless_linear(f, call.operation, m);
  if (PyErr_Occurred()) return nullptr;

  Batch batch;
  PyObject* owner = nullptr;
  bool plain = model->quaternion_base;
  for (int i = 0; plain && i < inputs.count; ++i) plain = fits(inputs.of[i], i == 0, batch);
  if (!plain && !(owner = prepare(f, model_object, inputs, batch))) return nullptr;

  const int batch_axes = batch.axes;
  const int axes = batch_axes + (call.constraints ? 1
                                                  : result_axes(call.operation, p.value[pFrames] != nullptr, m, call.frame_count,
                                                                batch.dims + batch_axes));
  if (call.constraints) batch.dims[batch_axes] = static_cast<npy_intp>(result_size(call));
  PyArrayObject* out = result_array(f, p.value[pOut], batch, axes, inputs);
  if (!out) {
    Py_XDECREF(owner);
    return nullptr;
  }
  for (const Input& in : inputs) {
    const double* data = static_cast<const double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(in.object)));
    (in.parameter == pQ          ? call.q
     : in.parameter == pV        ? call.v
     : in.parameter == pA        ? call.a
     : in.parameter == pExternal ? call.external
                                 : call.drive) = data;
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
    raise_failure(f, model, p.value[pConstraints], call, inputs, batch, batch_axes);
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
  if (!(float64 = PyArray_DescrFromType(NPY_DOUBLE)) || !(out_keyword = PyUnicode_InternFromString("out"))) return -1;
  for (Function& f : functions()) {
    f.plain = true;
    for (int i = 1; i < f.required; ++i) f.plain = f.plain && f.parameters[i] <= pA;
    for (size_t i = 0; i < f.parameters.size(); ++i) {
      if (!(f.interned[i] = PyUnicode_InternFromString(f.names[i]))) return -1;
    }
  }
  return 0;
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
