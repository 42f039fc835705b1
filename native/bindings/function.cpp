// The public functions of a state, called directly from Python: METH_FASTCALL with keywords, NumPy arrays read in place.
// Arrays that are float64, C-contiguous and of equal batch shape take the fast path; everything else is brought into that
// form by a Python function, which also words the errors.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bindings/result.hpp"
#include "bindings/result_memory.hpp"
#include "threads/pool.hpp"

namespace tarsus {

namespace {

constexpr long kChunk = 64;    // rows a thread takes at a time
constexpr npy_intp kFew = 8;   // rows that take less time than handing the GIL over and back
constexpr int kPlainAxes = 2;  // batch axes of the shortest way

struct FunctionObject {  // "self" of the built-in functions
  PyObject_HEAD const Function* function;
};
PyTypeObject* function_holder = nullptr;
PyArray_Descr* float64 = nullptr;
PyObject *out_keyword = nullptr, *axes_keyword = nullptr;

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

// Whether the operation is defined for the model; has raised otherwise.
bool suits_model(const Function& f, const Operation& o, const Model& m) {
  if (o.needs_mass && !(m.total_mass > 0.0)) {
    raise_error("MasslessJointError", "%s is not determined: the model has no mass", f.name);
  } else if (o.trees_only && m.coupled) {
    raise_error("ArgumentError", "method '%s' works on trees, but joints of this model follow others; couplings='cut' frees them",
                o.method);
  } else {
    return true;
  }
  return false;
}

// One state or a few rows with the GIL held.
void run_here(ModelObject* model, Call& call, bool single) {
  BorrowedWorkspace workspace(*model);
  call.workspace = workspace.get();
  call.begin = 0, call.end = call.rows;
  if (!call.workspace) {
    call.status = kOutOfMemory;
  } else if (single) {
    active_table->run_single(call);
  } else {
    active_table->run_rows(call);
  }
}

// The shortest way: one state or a few, plain vectors and perhaps a frame given by position, and at most `expressed_in` and
// `out`. Every step returns false or null without an error where the case is another one or something is wrong, which the
// long way then finds out.

struct PlainOptions {
  PyObject *out = nullptr, *expressed_in = nullptr;
};

bool read_plain_options(const Function& f, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PlainOptions& options) {
  if (!f.plain || nargs < f.required) return false;
  if (nargs > f.required) {
    if (nargs > f.required + 1 || f.parameters[f.required] != pExpressedIn) return false;
    options.expressed_in = args[f.required];
  }
  const Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, k);
    if (name == out_keyword && !options.out) {
      options.out = args[nargs + k];
    } else if (name == axes_keyword && !options.expressed_in && f.parameters[f.required] == pExpressedIn) {
      options.expressed_in = args[nargs + k];
    } else {
      return false;
    }
  }
  return true;
}

struct PlainBatch {
  int axes = -1;  // not known yet
  npy_intp dims[kPlainAxes + kMaxAxes];
  npy_intp rows = 1;
};

// The data of a float64 array of vectors of the given length that can be read in place, or null; the first one decides on the
// batch shape.
inline const double* plain_vectors(PyObject* object, npy_intp size, PlainBatch& batch) {
  if (Py_TYPE(object) != &PyArray_Type) return nullptr;
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  constexpr int readable = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
  if (PyArray_DESCR(a) != float64 || (PyArray_FLAGS(a) & readable) != readable) return nullptr;
  const int axes = PyArray_NDIM(a) - 1;
  const npy_intp* dims = PyArray_DIMS(a);
  if (axes < 0 || axes > kPlainAxes || dims[axes] != size) return nullptr;
  if (batch.axes < 0) {
    batch.axes = axes;
    for (int i = 0; i < axes; ++i) batch.rows *= batch.dims[i] = dims[i];
    if (batch.rows < 1 || batch.rows > kFew) return nullptr;
  } else {
    if (axes != batch.axes) return nullptr;
    for (int i = 0; i < axes; ++i) {
      if (dims[i] != batch.dims[i]) return nullptr;
    }
  }
  return static_cast<const double*>(PyArray_DATA(a));
}

bool read_plain_arguments(const Function& f, PyObject* const* args, ModelObject* model, Call& call, PlainBatch& batch) {
  const Model& m = model->model->tables;
  const double** const data[] = {&call.q, &call.v, &call.a};
  call.v = call.a = nullptr;
  for (int i = 1; i < f.required; ++i) {
    const Parameter parameter = f.parameters[i];
    if (parameter == pFrame) {
      if (!(call.frames = find_frame(model, args[i]))) return false;
      call.frame_count = 1;
      continue;
    }
    const size_t size = parameter == pQ ? m.nq : parameter == pA ? size_of_a(*call.operation, m) : m.nv;
    if (!(*data[parameter - pQ] = plain_vectors(args[i], static_cast<npy_intp>(size), batch))) return false;
  }
  return true;
}

// Whether the caller's array can take the result as it is: float64 of these axes, writeable, apart from the arguments.
bool takes_result(const Function& f, PyObject* object, int axes, const npy_intp* dims, PyObject* const* args) {
  if (Py_TYPE(object) != &PyArray_Type) return false;
  auto* out = reinterpret_cast<PyArrayObject*>(object);
  bool fits = PyArray_DESCR(out) == float64 && PyArray_NDIM(out) == axes && PyArray_ISCARRAY(out);
  for (int i = 0; fits && i < axes; ++i) fits = PyArray_DIM(out, i) == dims[i];
  for (int i = 1; fits && i < f.required; ++i) {
    fits = f.parameters[i] == pFrame || !overlap(out, reinterpret_cast<PyArrayObject*>(args[i]));
  }
  return fits;
}

PyObject* call_plain(const Function& f, PyObject* const* args, const PlainOptions& options) {
  if (!PyObject_TypeCheck(args[0], model_type)) return nullptr;
  auto* model = reinterpret_cast<ModelObject*>(args[0]);
  const Model& m = model->model->tables;
  Call call;
  call.operation = f.operations[0], call.model = &m, call.plan = model->plan;
  call.external = call.drive = nullptr, call.constraints = nullptr, call.volumes = nullptr, call.frames = nullptr;
  call.frame_count = call.passive = call.expressed_in = 0, call.status = kOk;
  call.alpha = call.beta = call.rank_tolerance = 0.0;
  if (!model->quaternion_base || m.total_mass <= 0.0) return nullptr;
  PlainBatch batch;
  if (!read_plain_arguments(f, args, model, call, batch)) return nullptr;
  if (options.expressed_in && options.expressed_in != Py_None && !choose_axes(options.expressed_in, call.expressed_in)) {
    return nullptr;
  }
  const int axes = batch.axes + result_axes(*call.operation, extent_of(call), 0, batch.dims + batch.axes);
  PyObject* out = options.out;
  if (out) {
    if (!takes_result(f, out, axes, batch.dims, args)) return nullptr;
    Py_INCREF(out);
  } else if (!(out = new_result(axes, batch.dims))) {
    PyErr_Clear();
    return nullptr;
  }
  call.out = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(out)));
  call.rows = batch.rows;
  run_here(model, call, batch.axes == 0);
  if (call.status == kOk) return options.out || axes > 0 ? out : PyArray_Return(reinterpret_cast<PyArrayObject*>(out));
  Py_DECREF(out);
  return nullptr;
}

// The long way, which takes everything and explains what it does not.

struct Request {
  Parsed given;
  ModelObject* model;
  Call call{};
  int threads = 1;
  std::vector<FrameTable> frames;
  Inputs inputs;
  Batch batch;
  PyObject* owner = nullptr;  // of arrays that were converted

  ~Request() { Py_XDECREF(owner); }
};

bool read_model(const Function& f, Request& r) {
  for (PyObject*& value : r.given.value) {
    if (value == Py_None) value = nullptr;  // an optional argument not given; required ones are checked below
  }
  PyObject* object = r.given.value[pModel];
  if (!object || !PyObject_TypeCheck(object, model_type)) {
    PyErr_Format(PyExc_TypeError, "the first argument of %s() must be a tarsus.Model, not %s", f.name,
                 object ? Py_TYPE(object)->tp_name : "None");
    return false;
  }
  for (int i = 1; i < f.required; ++i) {
    if (r.given.value[f.parameters[i]]) continue;
    const bool name = f.parameters[i] == pFrame || f.parameters[i] == pFrames;
    raise_error(name ? "UnknownNameError" : "DtypeError", "%s of %s is None; expected %s", f.names[i], f.name,
                name ? "a name" : "numbers");
    return false;
  }
  r.model = reinterpret_cast<ModelObject*>(object);
  r.call.model = &r.model->model->tables;
  r.call.plan = r.model->plan;
  return true;
}

bool read_options(const Function& f, Request& r) {
  PyObject* const* value = r.given.value;
  if (value[pPassive] && (r.call.passive = PyObject_IsTrue(value[pPassive])) < 0) return false;
  r.call.rank_tolerance = 1e-9;
  return choose_method(f, value[pMethod], r.call.operation) && choose_axes(value[pExpressedIn], r.call.expressed_in) &&
         read_threads(value[pThreads], r.threads) && choose_constraints(f, *r.call.model, value[pConstraints], r.call) &&
         choose_volumes(f, *r.call.model, value[pVolumes], r.call) && read_number(f, value[pAlpha], "alpha", r.call.alpha) &&
         read_number(f, value[pBeta], "beta", r.call.beta) &&
         read_number(f, value[pRankTolerance], "rank_tolerance", r.call.rank_tolerance);
}

bool read_frames(Request& r) {
  if (PyObject* name = r.given.value[pFrame]) {
    r.call.frames = choose_frame(r.model, name);
    r.call.frame_count = 1;
    return r.call.frames != nullptr;
  }
  PyObject* names = r.given.value[pFrames];
  if (names && !choose_frames(r.model, names, r.frames)) return false;
  r.call.frames = r.frames.data();
  r.call.frame_count = static_cast<int>(r.frames.size());
  return true;
}

// Length of one row of an array argument.
npy_intp size_of(Parameter parameter, const Call& call) {
  const Model& m = *call.model;
  switch (parameter) {
    case pQ: return m.nq;
    case pA: return static_cast<npy_intp>(size_of_a(*call.operation, m));
    case pExternal: return (npy_intp)6 * m.bodies;
    case pDrive: return static_cast<npy_intp>(size_of_drive(call));
    default: return m.nv;
  }
}

// Arrays in the form that kernels read, of one batch shape.
bool read_arrays(const Function& f, Request& r) {
  for (size_t i = 1; i < f.parameters.size(); ++i) {
    const Parameter parameter = f.parameters[i];
    PyObject* value = r.given.value[parameter];
    if (parameter > pDrive || !value) continue;
    r.inputs.of[r.inputs.count++] = {parameter, f.names[i], value, parameter == pExternal ? 2 : 1, size_of(parameter, r.call), 6};
  }
  if (r.call.constraints && r.call.constraints->drives > 0 && !r.given.value[pDrive]) {
    raise_error("ArgumentError", "%s needs drive, the motions given for this call", f.name);
    return false;
  }
  if (!suits_model(f, *r.call.operation, *r.call.model)) return false;
  bool plain = r.model->quaternion_base;
  for (int i = 0; plain && i < r.inputs.count; ++i) plain = fits(r.inputs.of[i], i == 0, r.batch);
  if (!plain && !(r.owner = prepare(f, reinterpret_cast<PyObject*>(r.model), r.inputs, r.batch))) return false;
  for (const Input& in : r.inputs) {
    const double* data = static_cast<const double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(in.object)));
    const double** const to[] = {&r.call.q, &r.call.v, &r.call.a, &r.call.external, &r.call.drive};
    *to[in.parameter - pQ] = data;
  }
  return true;
}

void run(Request& r) {
  r.call.rows = r.batch.rows;
  if (r.batch.axes == 0 || (r.batch.rows > 0 && r.batch.rows <= kFew)) {
    run_here(r.model, r.call, r.batch.axes == 0);
  } else if (r.batch.rows > 0) {
    Py_BEGIN_ALLOW_THREADS run_batch(r.model, r.call, r.batch.rows, r.threads);
    Py_END_ALLOW_THREADS
  }
}

PyObject* call_function(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Function& f = *reinterpret_cast<FunctionObject*>(self)->function;
  PlainOptions options;
  if (read_plain_options(f, args, nargs, kwnames, options)) {
    if (PyObject* result = call_plain(f, args, options)) return result;
    if (PyErr_Occurred()) return nullptr;
  }
  Request r;
  if (!parse(f, args, nargs, kwnames, r.given) || !read_model(f, r) || !read_options(f, r) || !read_frames(r) ||
      !read_arrays(f, r)) {
    return nullptr;
  }
  PyObject* given = r.given.value[pOut];
  PyArrayObject* out = result_array(f, r.call, given, r.batch, r.inputs);
  if (!out) return nullptr;
  r.call.out = static_cast<double*>(PyArray_DATA(out));
  run(r);
  if (r.call.status == kOk) return hand_out(f, r.call, r.batch, out, given != nullptr);
  raise_failure(f, r.model, r.given.value[pConstraints], r.call, r.inputs, r.batch);
  Py_DECREF(out);
  return nullptr;
}

// The type of several results: a tuple whose parts have the names that the row gives them.
PyTypeObject* results_type(const Operation& o) {
  struct Words {  // which the type refers to as long as the process lives
    std::string name;
    std::vector<PyStructSequence_Field> fields;
  };
  auto* words = new Words{std::string("tarsus._native.") + o.function, {}};
  for (const Output& output : o.output) {
    if (output.name) words->fields.push_back({output.name, nullptr});
  }
  const int count = static_cast<int>(words->fields.size());
  words->fields.push_back({nullptr, nullptr});
  PyStructSequence_Desc description = {words->name.c_str(), nullptr, words->fields.data(), count};
  return PyStructSequence_NewType(&description);
}

PyType_Slot holder_slots[] = {{0, nullptr}};
PyType_Spec holder_spec = {"tarsus._native.Function", sizeof(FunctionObject), 0, Py_TPFLAGS_DEFAULT, holder_slots};

}  // namespace

int ready_functions() {
  function_holder = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&holder_spec));
  if (!function_holder) return -1;
  if (!(float64 = PyArray_DescrFromType(NPY_DOUBLE)) || !(out_keyword = PyUnicode_InternFromString("out")) ||
      !(axes_keyword = PyUnicode_InternFromString("expressed_in"))) {
    return -1;
  }
  for (Function& f : functions()) {
    for (size_t i = 0; i < f.parameters.size(); ++i) {
      if (!(f.interned[i] = PyUnicode_InternFromString(f.names[i]))) return -1;
    }
    if (f.operations[0]->output[1].name && !(f.results = results_type(*f.operations[0]))) return -1;
  }
  return ready_result_memory();
}

// methods(function): a dictionary of the names of its methods to what they are where joints depend on others.
PyObject* methods_of(PyObject*, PyObject* name) {
  PyObject* found = PyDict_New();
  for (const Function& f : functions()) {
    if (!found || !PyUnicode_Check(name) || PyUnicode_CompareWithASCIIString(name, f.name) != 0) continue;
    for (const Operation* o : f.operations) {
      PyObject* coupled = PyUnicode_FromString(o->coupled_method ? o->coupled_method : o->method);
      if (!coupled || PyDict_SetItemString(found, o->method, coupled) < 0) Py_CLEAR(found);
      Py_XDECREF(coupled);
      if (!found) return nullptr;
    }
    return found;
  }
  Py_XDECREF(found);
  PyErr_Format(PyExc_KeyError, "no native function %R", name);
  return nullptr;
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
