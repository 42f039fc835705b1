// tarsus._native.BodyCore: steps of whole-body control of one model, one set of tasks and one of contacts. It is made and checked
// in Python (src/tarsus/control/whole_body/native_step.py); here only sizes and ranges are, so that nothing is read out of
// bounds.
#include <cstdlib>
#include <cstring>
#include <new>

#include "bindings/arguments.hpp"
#include "bindings/entries.hpp"
#include "bindings/task_object.hpp"
#include "control/whole_body_run.hpp"
#include "threads/pool.hpp"

namespace tarsus {
namespace {

constexpr long kRobots = kBodyChain;    // that a thread takes at a time
constexpr long kBetweenSignals = 1024;  // robots between looks for Ctrl-C

// Memory of one thread.
class BodyBlock {
 public:
  BodyBlock(const BodyProblem& p, bool batch) {
    const size_t bytes = (active_table->whole_body->bytes(p, batch) + 63) / 64 * 64;
    data_ = std::aligned_alloc(64, bytes);
    if (!data_) return;
    std::memset(data_, 0, bytes);
    active_table->whole_body->prepare(p, batch, data_);
  }
  ~BodyBlock() { std::free(data_); }
  BodyBlock(BodyBlock&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  BodyBlock(const BodyBlock&) = delete;
  BodyBlock& operator=(const BodyBlock&) = delete;
  void* get() const { return data_; }

 private:
  void* data_;
};

struct Body {
  BodyProblem problem{};
  std::vector<BodyContact> contacts;
  BodyRun one{};  // one robot: the short way
  int status = 0, iterations = 0;
  BodyBlock* block = nullptr;
  PyObject *model = nullptr, *tasks = nullptr, *kept = nullptr;
  signed char* side = nullptr;

  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body() {
    delete block;
    std::free(side);
    Py_XDECREF(model), Py_XDECREF(tasks), Py_XDECREF(kept);
  }
};

struct BodyObject {
  PyObject_HEAD Body* body;
};

// Contacts as (frame, freedoms, points, cones, slot), with places (12 each and the friction), arms and cones one after the other.
bool read_contacts(Entries& e, const std::vector<FrameTable>& frames, Body& b) {
  BodyProblem& p = b.problem;
  const int last = static_cast<int>(frames.size());
  p.contacts = static_cast<int>(e.integer("contacts")), p.slots = static_cast<int>(e.integer("slots"));
  const long arms = e.integer("arms"), cones = e.integer("cones");
  if (!e.good() || p.contacts < 0 || p.contacts > 10000 || p.slots < 0 || p.slots > p.contacts || arms < 0 || cones < 0)
    return false;
  const int* kind = e.needed<int>("contact", 5 * (size_t)p.contacts);
  const double *place = e.needed<double>("place", 13 * (size_t)p.contacts), *arm = e.needed<double>("arm", arms);
  const double* cone = e.needed<double>("cone", cones);
  if (!e.good()) return false;
  long arms_left = arms, cones_left = cones;
  p.wrenches = true;
  for (int i = 0; i < p.contacts; ++i, kind += 5, place += 13) {
    const int frame = kind[0], freedoms = kind[1], points = kind[2], rows = kind[3], slot = kind[4];
    if (frame < 0 || frame >= last || (freedoms != 0 && freedoms != 1 && freedoms != 3) || slot < 0 || slot >= p.slots)
      return false;
    if (points < 0 || points > arms_left / 3 || rows < 0 || rows > cones_left) return false;
    BodyContact c{};
    c.frame = frames[frame], c.freedoms = freedoms, c.points = points, c.cones = rows, c.slot = slot;
    for (int k = 0; k < 9; ++k) c.rotation[k] = place[k];
    for (int k = 0; k < 3; ++k) c.position[k] = place[9 + k];
    c.friction = place[12];
    c.row = p.contact_rows, c.rows = 6 - freedoms, c.force = p.forces, c.forces = points > 0 ? 3 * points : c.rows;
    if ((long)rows * c.forces > cones_left) return false;
    c.arm = arm, c.cone = cone;
    arm += 3 * points, arms_left -= 3 * points, cone += (size_t)rows * c.forces, cones_left -= (long)rows * c.forces;
    p.contact_rows += c.rows, p.forces += c.forces, p.cone_rows += rows, p.wrenches = p.wrenches && points == 0;
    b.contacts.push_back(c);
  }
  p.contact = b.contacts.data();
  return arms_left == 0 && cones_left == 0;
}

bool within(const int* places, int count, int end) {
  for (int k = 0; k < count; ++k) {
    if (places[k] < 0 || places[k] >= end) return false;
  }
  return true;
}

bool read_limits(Entries& e, const Model& m, BodyLimits& l) {
  l.any = e.integer("limited") != 0, l.gain = e.number("limit_gain"), l.flats = static_cast<int>(e.integer("flats"));
  if (!e.good() || l.flats < 0 || l.flats > m.nq) return false;
  const size_t flats = l.flats;
  l.flat_q = e.needed<int>("flat_q", flats), l.flat_v = e.needed<int>("flat_v", flats);
  l.q_min = e.needed<double>("q_min", flats), l.q_max = e.needed<double>("q_max", flats);
  l.v_max = e.needed<double>("v_max", m.nv), l.a_max = e.needed<double>("a_max", m.nv);
  return e.good() && within(l.flat_q, l.flats, m.nq) && within(l.flat_v, l.flats, m.nv);
}

bool read_problem(Entries& e, const Model& m, const TaskTable* tasks, const std::vector<FrameTable>& frames, Body& b) {
  BodyProblem& p = b.problem;
  p.model = &m, p.tasks = tasks;
  if (m.nv < 1 || !read_contacts(e, frames, b)) return false;
  p.extra = static_cast<int>(e.integer("extra"));
  if (p.extra < 0) return false;
  p.acceleration_weight = e.number("acceleration_weight"), p.force_weight = e.number("force_weight");
  p.driven = e.needed<int>("driven", m.nv), p.tau_max = e.needed<double>("tau_max", m.nv);
  return e.good() && p.acceleration_weight > 0.0 && p.force_weight > 0.0 && read_limits(e, m, p.limits);
}

// Numbers that Python keeps and changes between calls.
bool read_wishes(Entries& e, const BodyProblem& p, BodyRun& r) {
  const size_t rows = task_rows_of(p), targets = p.tasks ? p.tasks->targets : 0;
  r.problem = &p;
  r.target = e.needed<double>("target", targets), r.velocity = e.needed<double>("velocity", rows);
  r.acceleration = e.needed<double>("acceleration", rows), r.gain = e.needed<double>("gain", rows);
  r.weight = e.needed<double>("weight", rows), r.contact = e.needed<double>("numbers", kContactNumbers * (size_t)p.contacts);
  return e.good();
}

PyObject* body_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *model = nullptr, *tasks = nullptr, *frames = nullptr, *table = nullptr;
  if (!PyArg_ParseTuple(args, "O!OOO!", model_type, &model, &tasks, &frames, &PyDict_Type, &table)) return nullptr;
  if (tasks != Py_None && !PyObject_TypeCheck(tasks, task_type)) {
    PyErr_SetString(PyExc_TypeError, "tasks must be a TaskCore or None");
    return nullptr;
  }
  auto* self = reinterpret_cast<BodyObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  try {
    self->body = new Body;
    Body& b = *self->body;
    b.model = Py_NewRef(model), b.tasks = Py_NewRef(tasks);
    auto* owner = reinterpret_cast<ModelObject*>(model);
    const Tasks* given = tasks == Py_None ? nullptr : reinterpret_cast<TaskObject*>(tasks)->tasks;
    std::vector<FrameTable> chosen;
    Entries e(table);
    const bool same = !given || given->model == model;
    if (same && choose_frames(owner, frames, chosen) &&
        read_problem(e, owner->model->tables, given ? &given->owned.table : nullptr, chosen, b) &&
        read_wishes(e, b.problem, b.one) && (b.kept = e.keep())) {
      b.side = static_cast<signed char*>(std::calloc(body_sides(b.problem) + 8, 1));
      b.block = new BodyBlock(b.problem, false);
      b.one.side = b.side, b.one.status = &b.status, b.one.iterations = &b.iterations, b.one.end = 1;
      if (b.side && b.block->get()) return reinterpret_cast<PyObject*>(self);
      PyErr_NoMemory();
    }
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "tables of whole-body control do not fit together");
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  Py_DECREF(self);
  return nullptr;
}

void body_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<BodyObject*>(object)->body;
  type->tp_free(object);
  Py_DECREF(type);
}

const double* plain_vector(PyObject* object, int size) {
  if (!PyArray_CheckExact(object)) return nullptr;
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  const bool fits = PyArray_NDIM(a) == 1 && PyArray_DIM(a, 0) == size && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a);
  return fits ? static_cast<const double*>(PyArray_DATA(a)) : nullptr;
}

// Rows of the caller: A (rows, nv) and lower (rows,).
bool read_extra(PyObject* A, PyObject* lower, const BodyProblem& p, BodyRun& r) {
  auto *a = reinterpret_cast<PyArrayObject*>(A), *l = reinterpret_cast<PyArrayObject*>(lower);
  if (PyArray_Check(A) && PyArray_Check(lower) && PyArray_NDIM(l) == 1 && PyArray_DIM(l, 0) <= p.extra) {
    r.extra = static_cast<int>(PyArray_DIM(l, 0));
    r.extra_low = plain_vector(lower, r.extra);
    const bool fits = PyArray_NDIM(a) == 2 && PyArray_DIM(a, 0) == r.extra && PyArray_DIM(a, 1) == p.model->nv &&
                      PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a);
    r.extra_A = fits ? static_cast<const double*>(PyArray_DATA(a)) : nullptr;
    if (r.extra_low && r.extra_A) return true;
  }
  PyErr_SetString(PyExc_ValueError, "A and lower must be plain arrays (rows, nv) and (rows,) of not too many rows");
  return false;
}

// solve(q, v) and solve(q, v, A, lower): (results, status, iterations) of one robot; None where the first two are no plain
// vectors.
PyObject* solve(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  Body& b = *reinterpret_cast<BodyObject*>(object)->body;
  const Model& m = *b.problem.model;
  if (count != 2 && count != 4) {
    PyErr_SetString(PyExc_TypeError, "solve takes q and v, and A and lower");
    return nullptr;
  }
  b.one.q = plain_vector(args[0], m.nq), b.one.v = plain_vector(args[1], m.nv), b.one.extra = 0;
  if (!b.one.q || !b.one.v) Py_RETURN_NONE;
  if (count == 4 && !read_extra(args[2], args[3], b.problem, b.one)) return nullptr;
  npy_intp size = static_cast<npy_intp>(body_results(b.problem));
  PyObject* out = PyArray_SimpleNew(1, &size, NPY_DOUBLE);
  if (!out) return nullptr;
  b.one.out = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(out)));
  active_table->whole_body->run(b.one, b.block->get());
  return Py_BuildValue("Nii", out, b.status, b.iterations);
}

// What a run reads and writes; false with an error where sizes are wrong.
bool read_run(Entries& e, const Body& b, BodyRun& r, long& count) {
  const BodyProblem& p = b.problem;
  const Model& m = *p.model;
  const size_t rows = task_rows_of(p), numbers = p.tasks ? p.tasks->targets : 0;
  r = b.one;
  count = e.integer("count");
  const long targets = e.integer("targets"), rates = e.integer("rates");  // robots that they are given for
  if (!e.good()) return false;
  if (count < 0 || (targets != 1 && targets != count) || (rates != 1 && rates != count)) {
    PyErr_SetString(PyExc_ValueError, "sizes of the run do not fit together");
    return false;
  }
  const size_t n = count;
  r.side = nullptr, r.extra = 0;
  r.target_stride = targets == 1 ? 0 : numbers, r.rate_stride = rates == 1 ? 0 : rows;
  r.q = e.needed<double>("q", n * m.nq), r.v = e.needed<double>("v", n * m.nv);
  r.target = e.needed<double>("target", targets * numbers), r.velocity = e.needed<double>("velocity", rates * rows);
  r.acceleration = e.needed<double>("acceleration", rates * rows);
  r.out = e.needed<double>("out", n * body_results(p), true);
  r.status = e.needed<int>("status", n, true), r.iterations = e.needed<int>("iterations", n, true);
  return e.good();
}

// run(run, threads): a batch; the GIL is not held, and Ctrl-C is looked for now and then.
PyObject* run(PyObject* object, PyObject* args) {
  const Body& b = *reinterpret_cast<BodyObject*>(object)->body;
  PyObject* dict = nullptr;
  int threads = 1;
  if (!PyArg_ParseTuple(args, "O!i", &PyDict_Type, &dict, &threads)) return nullptr;
  if (threads < 1) {
    PyErr_SetString(PyExc_ValueError, "threads must be at least 1");
    return nullptr;
  }
  Entries e(dict);
  BodyRun r{};
  long count = 0;
  if (!read_run(e, b, r, count)) return nullptr;
  const long useful = (count + kRobots - 1) / kRobots;  // more threads than portions of robots have nothing to do
  if (threads > useful) threads = useful > 1 ? static_cast<int>(useful) : 1;
  std::vector<BodyBlock> blocks;
  try {
    for (int k = 0; k < threads; ++k) {
      blocks.emplace_back(b.problem, true);
      if (!blocks.back().get()) return PyErr_NoMemory();
    }
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  for (long begin = 0; begin < count; begin += kBetweenSignals) {
    const long rows = count - begin < kBetweenSignals ? count - begin : kBetweenSignals;
    Py_BEGIN_ALLOW_THREADS parallel_rows(rows, kRobots, threads, [&](int worker, long from, long to) {
      BodyRun part = r;
      part.begin = begin + from, part.end = begin + to;
      active_table->whole_body->run_batch(part, blocks[worker].get());
    });
    Py_END_ALLOW_THREADS if (PyErr_CheckSignals() < 0) return nullptr;
  }
  Py_RETURN_NONE;
}

// forget(): the next step begins without what the last one knew.
PyObject* forget(PyObject* object, PyObject*) {
  Body& b = *reinterpret_cast<BodyObject*>(object)->body;
  std::memset(b.side, 0, body_sides(b.problem));
  Py_RETURN_NONE;
}

PyMethodDef body_methods[] = {
    {"solve", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(solve)), METH_FASTCALL,
     "solve(q, v, A=None, lower=None)\n--\n\nResults, status and iterations of one robot; None where q and v are no plain "
     "vectors. A vdot >= lower is kept as limits of joints are."},
    {"run", run, METH_VARARGS, "run(run, threads)\n--\n\nOne step of each robot of a batch."},
    {"forget", forget, METH_NOARGS, "forget()\n--\n\nBegin the next step without the active rows of the last one."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot body_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(body_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(body_dealloc)},
    {Py_tp_methods, body_methods},
    {Py_tp_doc, const_cast<char*>("Steps of whole-body control.")},
    {0, nullptr},
};
PyType_Spec body_spec = {"tarsus._native.BodyCore", sizeof(BodyObject), 0, Py_TPFLAGS_DEFAULT, body_slots};

}  // namespace

PyTypeObject* make_body_type() { return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&body_spec)); }

}  // namespace tarsus
