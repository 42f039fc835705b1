// tarsus._native.ProgramCore: one quadratic program in arrays that Python made (src/tarsus/optimization/qp.py), and batches of
// programs. What is wrong with an argument is found here and told in Python.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "bindings/python.hpp"
#include "optimization/quadratic_program.hpp"
#include "threads/pool.hpp"

namespace tarsus {
namespace {

constexpr double kSymmetric = 1e-9;  // difference of H and its transpose, relative to its largest entry, that is rounding

enum Defect { kNotPlain, kNotFinite, kCrossed, kAsymmetric, kNotConvex };  // as in optimization/qp.py
enum Slot { kH, kg, kA, kLower, kUpper, kE, ke, kXMin, kXMax, kSlots_ };

const OptimizationTable& table() { return *active_table->optimization; }

struct ProgramObject {
  PyObject_HEAD QuadraticProgram program;
  PyObject* arrays;   // tuple that keeps them alive
  void* memory;       // of the solver
  signed char* side;  // all rows: what was active last
  double *H, *g, *C, *lower, *upper;
  int equalities;  // rows of C at its end that are equalities by themselves
  bool packed;
};

double* data_of(PyObject* object, npy_intp size, int type = NPY_DOUBLE) {
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  if (!PyArray_Check(object) || PyArray_TYPE(a) != type || !PyArray_ISCARRAY_RO(a) || PyArray_SIZE(a) != size) return nullptr;
  return static_cast<double*>(PyArray_DATA(a));
}

// The same with this number of columns, or one axis where that is 0.
const double* shaped(PyObject* object, npy_intp size, npy_intp columns) {
  const double* data = data_of(object, size);
  if (!data) return nullptr;
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  const bool fits = columns == 0 ? PyArray_NDIM(a) == 1 : PyArray_NDIM(a) == 2 && PyArray_DIM(a, 1) == columns;
  return fits ? data : nullptr;
}

// Bounds may be infinite, but not on the wrong side.
bool usable_bounds(const double* a, size_t n, double wrong) {
  for (size_t i = 0; i < n; ++i) {
    if (a[i] != a[i] || a[i] == wrong) return false;
  }
  return true;
}

PyObject* defect(int slot, Defect what) { return Py_BuildValue("ii", slot, what); }

// Where the arguments of an update are, and where they go.
struct Given {
  const double* from[kSlots_];
  npy_intp size[kSlots_];
};

// update(H, g, A, lower, upper, E, e, x_min, x_max), None for what stays: None, or which argument is wrong and how; then
// nothing has changed.
PyObject* program_update(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  ProgramObject& s = *reinterpret_cast<ProgramObject*>(object);
  if (count != kSlots_) {
    PyErr_SetString(PyExc_TypeError, "update(H, g, A, lower, upper, E, e, x_min, x_max)");
    return nullptr;
  }
  const int n = s.program.n, own = s.program.rows - s.equalities, first = s.program.bounded ? n : 0;
  Given x = {{}, {(npy_intp)n * n, n, (npy_intp)own * n, own, own, (npy_intp)s.equalities * n, s.equalities, first, first}};
  for (int k = 0; k < kSlots_; ++k) {
    if (args[k] == Py_None) continue;
    if (!(x.from[k] = shaped(args[k], x.size[k], k == kH || k == kA || k == kE ? n : 0))) return defect(k, kNotPlain);
    const bool is_lower = k == kLower || k == kXMin, is_upper = k == kUpper || k == kXMax;
    const bool fine = is_lower || is_upper ? usable_bounds(x.from[k], x.size[k], is_lower ? HUGE_VAL : -HUGE_VAL)
                                           : table().all_finite(x.from[k], x.size[k]);
    if (!fine) return defect(k, kNotFinite);
  }
  const int pair[2][2] = {{kLower, kUpper}, {kXMin, kXMax}};
  for (const auto& [low, high] : pair) {
    if (!x.from[low] && !x.from[high]) continue;
    const int begin = low == kXMin ? 0 : first;
    const double* lower = x.from[low] ? x.from[low] : s.lower + begin;
    const double* upper = x.from[high] ? x.from[high] : s.upper + begin;
    for (npy_intp i = 0; i < x.size[low]; ++i) {
      if (lower[i] > upper[i]) return defect(low, kCrossed);
    }
  }
  if (x.from[kH]) {
    if (table().asymmetry(x.from[kH], n) > kSymmetric) return defect(kH, kAsymmetric);
    s.program.H = x.from[kH];
    const bool convex = table().factor(s.program, s.memory) != kIndefinite;
    s.program.H = s.H;
    if (!convex) {
      table().factor(s.program, s.memory);
      return defect(kH, kNotConvex);
    }
  }
  double* const to[kSlots_] = {
      s.H, s.g, s.C, s.lower + first, s.upper + first, s.C + (size_t)own * n, s.lower + first + own, s.lower, s.upper};
  for (int k = 0; k < kSlots_; ++k) {
    if (x.from[k] && x.size[k] > 0) std::memmove(to[k], x.from[k], x.size[k] * sizeof(double));
  }
  if (x.from[ke]) std::memmove(s.upper + first + own, x.from[ke], x.size[ke] * sizeof(double));
  s.packed = s.packed && !x.from[kA] && !x.from[kE];
  Py_RETURN_NONE;
}

void make_packed(ProgramObject& s) {
  if (!s.packed) table().pack(s.program, s.memory);
  s.packed = true;
}

PyObject* array_of(npy_intp n, int type) { return PyArray_SimpleNew(1, &n, type); }
void* memory_of(PyObject* array) { return PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)); }

// solve(warm, limit): status, x, multipliers, sides, iterations, passes, objective, residuals.
PyObject* program_solve(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  ProgramObject& s = *reinterpret_cast<ProgramObject*>(object);
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "solve(warm, limit)");
    return nullptr;
  }
  const int all = rows_of(s.program), warm = PyObject_IsTrue(args[0]);
  const long limit = PyLong_AsLong(args[1]);
  if (warm < 0 || PyErr_Occurred()) return nullptr;
  PyObject *x = array_of(s.program.n, NPY_DOUBLE), *multiplier = array_of(all, NPY_DOUBLE), *side = array_of(all, NPY_INT8);
  if (!x || !multiplier || !side) {
    Py_XDECREF(x), Py_XDECREF(multiplier), Py_XDECREF(side);
    return nullptr;
  }
  make_packed(s);
  QpResult r{};
  r.x = static_cast<double*>(memory_of(x)), r.multiplier = static_cast<double*>(memory_of(multiplier));
  r.side = s.side, r.warm = warm, r.limit = limit > 0x7fffffff ? 0x7fffffff : static_cast<int>(limit);
  table().solve(s.program, s.memory, r);
  std::memcpy(memory_of(side), s.side, all);
  return Py_BuildValue("iNNNiidddddd", r.status, x, multiplier, side, r.iterations, r.passes, r.objective, r.primal, r.dual,
                       r.complementarity, r.scaled_primal, r.scaled_dual);
}

// judge(x, multipliers): objective, primal, dual, complementarity, scaled primal, scaled dual of what somebody else found, and
// the sides of rows with multipliers, which a warm start begins with.
PyObject* program_judge(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  ProgramObject& s = *reinterpret_cast<ProgramObject*>(object);
  const int all = rows_of(s.program);
  QpResult r{};
  if (count != 2 || !(r.x = data_of(args[0], s.program.n)) || !(r.multiplier = data_of(args[1], all))) {
    PyErr_SetString(PyExc_TypeError, "judge(x, multipliers) of plain arrays");
    return nullptr;
  }
  PyObject* side = array_of(all, NPY_INT8);
  if (!side) return nullptr;
  make_packed(s);
  table().residuals(s.program, s.memory, r);
  for (int i = 0; i < all; ++i) s.side[i] = r.multiplier[i] > 0.0 ? 1 : r.multiplier[i] < 0.0 ? -1 : 0;
  std::memcpy(memory_of(side), s.side, all);
  return Py_BuildValue("ddddddN", r.objective, r.primal, r.dual, r.complementarity, r.scaled_primal, r.scaled_dual, side);
}

// expect(sides): the rows to begin with when a solution is started warm.
PyObject* program_expect(PyObject* object, PyObject* sides) {
  ProgramObject& s = *reinterpret_cast<ProgramObject*>(object);
  const double* from = data_of(sides, rows_of(s.program), NPY_INT8);
  if (!from) {
    PyErr_SetString(PyExc_ValueError, "expected one side a row, as int8");
    return nullptr;
  }
  std::memcpy(s.side, from, rows_of(s.program));
  Py_RETURN_NONE;
}

int soft_rows(const double* weight, int all) {
  int soft = 0;
  for (int i = 0; weight && i < all; ++i) soft += weight[i] < HUGE_VAL;
  return soft;
}

PyObject* program_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *H, *g, *C, *lower, *upper, *weight;
  int bounded = 0, equalities = 0;
  if (!PyArg_ParseTuple(args, "OOOOOOpi", &H, &g, &C, &lower, &upper, &weight, &bounded, &equalities)) return nullptr;
  if (!PyArray_Check(g) || !PyArray_Check(lower)) {
    PyErr_SetString(PyExc_TypeError, "ProgramCore(H, g, C, lower, upper, weight, bounded, equalities)");
    return nullptr;
  }
  auto* self = reinterpret_cast<ProgramObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  ProgramObject& s = *self;
  const npy_intp n = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(g)),
                 all = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(lower));
  const npy_intp rows = all - (bounded ? n : 0);
  s.H = data_of(H, n * n), s.g = data_of(g, n), s.C = data_of(C, rows * n), s.lower = data_of(lower, all),
  s.upper = data_of(upper, all);
  const double* weights = weight == Py_None ? nullptr : data_of(weight, all);
  if (n < 1 || rows < 0 || all > 1000000 || n > 100000 || !s.H || !s.g || !s.C || !s.lower || !s.upper ||
      (weight != Py_None && !weights) || equalities < 0 || equalities > rows) {
    PyErr_SetString(PyExc_ValueError, "arrays of the program do not fit together");
    Py_DECREF(self);
    return nullptr;
  }
  s.program = {static_cast<int>(n), static_cast<int>(rows), bounded != 0, s.H, s.g, s.C, s.lower, s.upper, weights, 0.0};
  s.equalities = equalities, s.packed = false;
  s.arrays = PyTuple_Pack(6, H, g, C, lower, upper, weight);
  const int soft = soft_rows(weights, static_cast<int>(all));
  const size_t bytes = table().bytes(s.program.n, s.program.rows, s.program.bounded, soft);
  s.memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  s.side = static_cast<signed char*>(std::calloc(all + 1, 1));
  if (!s.arrays || !s.memory || !s.side) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  std::memset(s.memory, 0, bytes);
  table().prepare(s.program.n, s.program.rows, s.program.bounded, soft, s.memory);
  table().factor(s.program, s.memory);
  return reinterpret_cast<PyObject*>(self);
}

void program_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  ProgramObject& s = *reinterpret_cast<ProgramObject*>(object);
  std::free(s.memory), std::free(s.side);
  Py_XDECREF(s.arrays);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMethodDef program_methods[] = {
    {"update", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(program_update)), METH_FASTCALL,
     "update(H, g, A, lower, upper, E, e, x_min, x_max)\n--\n\nNew numbers; None, or which argument is wrong, and how."},
    {"solve", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(program_solve)), METH_FASTCALL,
     "solve(warm, limit)\n--\n\nStatus, x, multipliers, sides, iterations, passes, objective and residuals."},
    {"judge", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(program_judge)), METH_FASTCALL,
     "judge(x, multipliers)\n--\n\nObjective, primal, dual, complementarity; primal and dual relative to what is summed; sides."},
    {"expect", program_expect, METH_O, "expect(sides)\n--\n\nRows that a warm start begins with."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot program_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(program_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(program_dealloc)},
    {Py_tp_methods, program_methods},
    {Py_tp_doc, const_cast<char*>("One quadratic program, with the memory in which it is solved.")},
    {0, nullptr},
};
PyType_Spec program_spec = {"tarsus._native.ProgramCore", sizeof(ProgramObject), 0, Py_TPFLAGS_DEFAULT, program_slots};

// Arrays of a batch; those of one program only serve all of them.
struct BatchArrays {
  const double *H, *g, *C, *lower, *upper;
  bool one_H, one_C;
  double *x, *multiplier, *residual;
  signed char* side;
  int *status, *iterations;
};

constexpr int kNotConvexStatus = kQpStatuses;

void solve_range(const QuadraticProgram& shape, const BatchArrays& a, int limit, void* memory, long begin, long end) {
  QuadraticProgram p = shape;
  const size_t n = p.n, all = rows_of(p), entries = p.rows * n;
  bool convex = true;
  for (long i = begin; i < end; ++i) {
    p.H = a.one_H ? a.H : a.H + i * n * n, p.g = a.g + i * n, p.C = a.one_C ? a.C : a.C + i * entries;
    p.lower = a.lower + i * all, p.upper = a.upper + i * all;
    if (!a.one_H || i == begin) convex = table().factor(p, memory) != kIndefinite;
    if (!a.one_C || i == begin) table().pack(p, memory);
    if (!convex) {
      a.status[i] = kNotConvexStatus;
      continue;
    }
    QpResult r{};
    r.x = a.x + i * n, r.multiplier = a.multiplier + i * all, r.side = a.side + i * all, r.limit = limit;
    table().solve(p, memory, r);
    a.status[i] = r.status, a.iterations[i] = r.iterations;
    const double residual[3] = {r.primal, r.dual, r.complementarity};
    std::memcpy(a.residual + 3 * i, residual, sizeof residual);
  }
}

struct Memories {  // one for each thread
  std::vector<void*> memory;
  ~Memories() {
    for (void* m : memory) std::free(m);
  }
};

}  // namespace

PyTypeObject* make_program_type() { return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&program_spec)); }

// solve_programs(H, g, C, lower, upper, weight, bounded, limit, threads, x, multipliers, sides, status, iterations, residuals)
PyObject* solve_programs(PyObject*, PyObject* args) {
  PyObject *H, *g, *C, *lower, *upper, *weight, *x, *multiplier, *side, *status, *iterations, *residual;
  int bounded, limit, threads;
  if (!PyArg_ParseTuple(args, "OOOOOOpiiOOOOOO", &H, &g, &C, &lower, &upper, &weight, &bounded, &limit, &threads, &x, &multiplier,
                        &side, &status, &iterations, &residual)) {
    return nullptr;
  }
  if (!PyArray_Check(g) || PyArray_NDIM(reinterpret_cast<PyArrayObject*>(g)) != 2 || !PyArray_Check(lower) ||
      PyArray_NDIM(reinterpret_cast<PyArrayObject*>(lower)) != 2 || !PyArray_Check(H) || !PyArray_Check(C)) {
    PyErr_SetString(PyExc_TypeError, "g and bounds of a batch have two axes");
    return nullptr;
  }
  const npy_intp batch = PyArray_DIM(reinterpret_cast<PyArrayObject*>(g), 0),
                 n = PyArray_DIM(reinterpret_cast<PyArrayObject*>(g), 1);
  const npy_intp all = PyArray_DIM(reinterpret_cast<PyArrayObject*>(lower), 1), rows = all - (bounded ? n : 0);
  BatchArrays a{};
  a.one_H = PyArray_NDIM(reinterpret_cast<PyArrayObject*>(H)) == 2,
  a.one_C = PyArray_NDIM(reinterpret_cast<PyArrayObject*>(C)) == 2;
  a.H = data_of(H, (a.one_H ? 1 : batch) * n * n), a.g = data_of(g, batch * n),
  a.C = data_of(C, (a.one_C ? 1 : batch) * rows * n);
  a.lower = data_of(lower, batch * all), a.upper = data_of(upper, batch * all);
  const double* weights = weight == Py_None ? nullptr : data_of(weight, all);
  a.x = data_of(x, batch * n), a.multiplier = data_of(multiplier, batch * all), a.residual = data_of(residual, 3 * batch);
  a.side = reinterpret_cast<signed char*>(data_of(side, batch * all, NPY_INT8));
  a.status = reinterpret_cast<int*>(data_of(status, batch, NPY_INT32));
  a.iterations = reinterpret_cast<int*>(data_of(iterations, batch, NPY_INT32));
  if (n < 1 || rows < 0 || !a.H || !a.g || !a.C || !a.lower || !a.upper || !a.x || !a.multiplier || !a.residual || !a.side ||
      !a.status || !a.iterations || (weight != Py_None && !weights) || threads < 1) {
    PyErr_SetString(PyExc_ValueError, "arrays of the batch do not fit together");
    return nullptr;
  }
  const QuadraticProgram shape = {
      static_cast<int>(n), static_cast<int>(rows), bounded != 0, nullptr, nullptr, nullptr, nullptr, nullptr, weights, 0.0};
  const int soft = soft_rows(weights, static_cast<int>(all));
  const size_t bytes = table().bytes(shape.n, shape.rows, shape.bounded, soft);
  Memories memories;
  try {
    memories.memory.resize(threads, nullptr);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  for (void*& m : memories.memory) {
    if (!(m = std::aligned_alloc(64, (bytes + 63) / 64 * 64))) return PyErr_NoMemory();
    std::memset(m, 0, bytes);
    table().prepare(shape.n, shape.rows, shape.bounded, soft, m);
  }
  constexpr long kBetweenSignals = 1024;  // programs between looks for Ctrl-C
  for (long first = 0; first < batch; first += kBetweenSignals) {
    const long count = batch - first < kBetweenSignals ? static_cast<long>(batch) - first : kBetweenSignals;
    Py_BEGIN_ALLOW_THREADS;
    parallel_rows(count, 16, threads, [&](int worker, long begin, long end) {
      solve_range(shape, a, limit, memories.memory[worker], first + begin, first + end);
    });
    Py_END_ALLOW_THREADS;
    if (PyErr_CheckSignals() < 0) return nullptr;
  }
  Py_RETURN_NONE;
}

}  // namespace tarsus
