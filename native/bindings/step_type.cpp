// tarsus._native.StepCore: steps of velocity-level inverse kinematics of one model and one set of tasks. It is made and checked
// in Python (src/tarsus/ik/velocity/stepper.py); here only sizes and ranges are, so that nothing is read out of bounds.
#include <cstdlib>
#include <cstring>
#include <new>

#include "bindings/entries.hpp"
#include "bindings/task_object.hpp"
#include "ik/step_run.hpp"
#include "threads/pool.hpp"

namespace tarsus {
namespace {

constexpr long kRobots = 8;             // that a thread takes at a time
constexpr long kBetweenSignals = 4096;  // robots between looks for Ctrl-C

// Memory of one thread.
class StepBlock {
 public:
  explicit StepBlock(const StepProblem& p) {
    const size_t bytes = (active_table->stepping->bytes(p) + 63) / 64 * 64;
    data_ = std::aligned_alloc(64, bytes);
    if (!data_) return;
    std::memset(data_, 0, bytes);
    active_table->stepping->prepare(p, data_);
  }
  ~StepBlock() { std::free(data_); }
  StepBlock(StepBlock&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  StepBlock(const StepBlock&) = delete;
  StepBlock& operator=(const StepBlock&) = delete;
  void* get() const { return data_; }

 private:
  void* data_;
};

struct Step {
  StepProblem problem{};
  StepRun one{};  // one robot: the short way
  StepBlock* block = nullptr;
  PyObject *tasks = nullptr, *kept = nullptr;
  signed char* side = nullptr;
  bool plain = false;  // the short way is enough: nothing has to be asked for in Python
  bool paced = false;  // it needs the velocity of the step before

  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step() {
    delete block;
    std::free(side);
    Py_XDECREF(tasks), Py_XDECREF(kept);
  }
};

struct StepObject {
  PyObject_HEAD Step* step;
};

bool within(const int* places, int count, int end) {
  for (int k = 0; k < count; ++k) {
    if (places[k] < 0 || places[k] >= end) return false;
  }
  return true;
}

bool read_limits(Entries& e, const Model& m, StepLimits& l) {
  l.bounded = e.integer("bounded") != 0, l.flats = static_cast<int>(e.integer("flats"));
  l.followers = static_cast<int>(e.integer("followers")), l.share = e.number("share");
  if (!e.good() || l.flats < 0 || l.flats > m.nq || l.followers < 0 || l.followers > m.tree_nv) return false;
  if (l.followers > 0 && !m.coupled) return false;
  const size_t flats = l.flats, followers = l.followers;
  l.flat_q = e.needed<int>("flat_q", flats), l.flat_v = e.needed<int>("flat_v", flats);
  l.q_min = e.needed<double>("q_min", flats), l.q_max = e.needed<double>("q_max", flats);
  l.v_max = e.needed<double>("v_max", m.nv), l.a_max = e.needed<double>("a_max", m.nv);
  l.follower_q = e.needed<int>("follower_q", followers), l.follower_v = e.needed<int>("follower_v", followers);
  l.follower_min = e.needed<double>("follower_min", followers), l.follower_max = e.needed<double>("follower_max", followers);
  l.follower_speed = e.needed<double>("follower_speed", followers);
  return e.good() && within(l.flat_q, l.flats, m.nq) && within(l.flat_v, l.flats, m.nv) &&
         within(l.follower_q, l.followers, m.tree_nq) && within(l.follower_v, l.followers, m.tree_nv);
}

bool read_problem(Entries& e, const Tasks& tasks, StepProblem& p) {
  const Model& m = model_of(tasks);
  p.model = &m, p.tasks = &tasks.owned.table;
  p.levels = static_cast<int>(e.integer("levels")), p.extra = static_cast<int>(e.integer("extra"));
  p.dt = e.number("dt"), p.damping = e.number("damping");
  if (!e.good() || p.levels < 1 || p.levels > p.tasks->rows || p.extra < 0 || m.nv < 1) return false;
  p.level_end = e.needed<int>("level_end", p.levels), p.gain = e.needed<double>("gain", p.tasks->rows);
  if (!e.good() || !(p.dt > 0.0) || !(p.damping > 0.0)) return false;
  int end = 0;
  for (int k = 0; k < p.levels; ++k) {
    if (p.level_end[k] <= end) return false;
    end = p.level_end[k];
  }
  return end == p.tasks->rows && read_limits(e, m, p.limits);
}

// Arrays of the short way, which Python keeps: targets, velocities, and what becomes of a step.
bool read_one(Entries& e, Step& s) {
  const TaskTable& t = *s.problem.tasks;
  StepRun& r = s.one;
  r.problem = &s.problem, r.end = 1, r.side = nullptr, r.status = e.needed<int>("status", 1, true);
  r.target = e.needed<double>("target", t.targets), r.velocity = e.needed<double>("velocity", t.rows);
  r.v = e.needed<double>("v", s.problem.model->nv, true), r.missed = e.needed<double>("missed", t.rows, true);
  s.plain = e.integer("plain") != 0, s.paced = e.integer("paced") != 0;
  return e.good();
}

PyObject* step_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *tasks = nullptr, *table = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", task_type, &tasks, &PyDict_Type, &table)) return nullptr;
  auto* self = reinterpret_cast<StepObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  try {
    self->step = new Step;
    Step& s = *self->step;
    s.tasks = Py_NewRef(tasks);
    Entries e(table);
    if (read_problem(e, *reinterpret_cast<TaskObject*>(tasks)->tasks, s.problem) && read_one(e, s) && (s.kept = e.keep())) {
      s.side = static_cast<signed char*>(std::calloc(step_sides(s.problem) + 1, 1));
      s.block = new StepBlock(s.problem);
      if (s.side && s.block->get()) return reinterpret_cast<PyObject*>(self);
      PyErr_NoMemory();
    }
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "tables of the step do not fit together");
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  Py_DECREF(self);
  return nullptr;
}

void step_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<StepObject*>(object)->step;
  type->tp_free(object);
  Py_DECREF(type);
}

const double* plain_vector(PyObject* object, int size) {
  if (!PyArray_CheckExact(object)) return nullptr;
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  const bool fits = PyArray_NDIM(a) == 1 && PyArray_DIM(a, 0) == size && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a);
  return fits ? static_cast<const double*>(PyArray_DATA(a)) : nullptr;
}

// step(q) and step(q, v) of plain arrays; everything else, and what is wrong with arguments, is Python's.
PyObject* step_call(PyObject* object, PyObject* args, PyObject* keywords) {
  Step& s = *reinterpret_cast<StepObject*>(object)->step;
  const Model& m = *s.problem.model;
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  if (s.plain && !keywords && count == (s.paced ? 2 : 1)) {
    StepRun& r = s.one;
    r.q = plain_vector(PyTuple_GET_ITEM(args, 0), m.nq);
    r.before = s.paced ? plain_vector(PyTuple_GET_ITEM(args, 1), m.nv) : nullptr;
    if (r.q && (r.before || !s.paced)) {
      npy_intp size = m.nq;
      PyObject* next = PyArray_SimpleNew(1, &size, NPY_DOUBLE);
      if (!next) return nullptr;
      r.next = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(next)));
      active_table->stepping->run(r, s.block->get());
      if (*r.status < kStepNotFinite) return next;
      Py_DECREF(next);
    }
  }
  PyObject* general = PyObject_GetAttrString(object, "_general");
  if (!general) return nullptr;
  PyObject* result = PyObject_Call(general, args, keywords);
  Py_DECREF(general);
  return result;
}

// What a run reads and writes; false with an error where sizes are wrong.
bool read_run(Entries& e, const Step& s, StepRun& r, long& count) {
  const Model& m = *s.problem.model;
  const TaskTable& t = *s.problem.tasks;
  count = e.integer("count");
  const long targets = e.integer("targets"), velocities = e.integer("velocities");  // robots that they are given for
  r.extra = static_cast<int>(e.integer("extra"));
  if (!e.good()) return false;
  if (count < 0 || (targets != 1 && targets != count) || (velocities != 1 && velocities != count) || r.extra < 0 ||
      r.extra > s.problem.extra) {
    PyErr_SetString(PyExc_ValueError, "sizes of the run do not fit together");
    return false;
  }
  const size_t n = count, extra = r.extra;
  r.problem = &s.problem;
  r.target_stride = targets == 1 ? 0 : t.targets, r.velocity_stride = velocities == 1 ? 0 : t.rows;
  r.q = e.needed<double>("q", n * m.nq), r.before = e.array<double>("before", n * m.nv);
  r.target = e.needed<double>("target", targets * t.targets), r.velocity = e.needed<double>("velocity", velocities * t.rows);
  r.C = e.needed<double>("C", n * extra * m.nv), r.lower = e.needed<double>("lower", n * extra);
  r.upper = e.needed<double>("upper", n * extra);
  r.next = e.needed<double>("next", n * m.nq, true), r.v = e.needed<double>("v", n * m.nv, true);
  r.missed = e.needed<double>("missed", n * t.rows, true), r.status = e.needed<int>("status", n, true);
  return e.good();
}

// run(run, threads): steps of a batch; the GIL is not held, and Ctrl-C is looked for now and then.
PyObject* run(PyObject* object, PyObject* args) {
  const Step& s = *reinterpret_cast<StepObject*>(object)->step;
  PyObject* dict = nullptr;
  int threads = 1;
  if (!PyArg_ParseTuple(args, "O!i", &PyDict_Type, &dict, &threads)) return nullptr;
  if (threads < 1) {
    PyErr_SetString(PyExc_ValueError, "threads must be at least 1");
    return nullptr;
  }
  Entries e(dict);
  StepRun r{};
  long count = 0;
  if (!read_run(e, s, r, count)) return nullptr;
  const long useful = (count + kRobots - 1) / kRobots;  // more threads than portions of robots have nothing to do
  if (threads > useful) threads = useful > 1 ? static_cast<int>(useful) : 1;
  std::vector<StepBlock> blocks;
  try {
    for (int k = 0; k < threads; ++k) {
      blocks.emplace_back(s.problem);
      if (!blocks.back().get()) return PyErr_NoMemory();
    }
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  for (long begin = 0; begin < count; begin += kBetweenSignals) {
    const long rows = count - begin < kBetweenSignals ? count - begin : kBetweenSignals;
    Py_BEGIN_ALLOW_THREADS parallel_rows(rows, kRobots, threads, [&](int worker, long from, long to) {
      StepRun part = r;
      part.begin = begin + from, part.end = begin + to;
      active_table->stepping->run(part, blocks[worker].get());
    });
    Py_END_ALLOW_THREADS if (PyErr_CheckSignals() < 0) return nullptr;
  }
  Py_RETURN_NONE;
}

PyMethodDef step_methods[] = {
    {"run", run, METH_VARARGS, "run(run, threads)\n--\n\nOne step of each robot of a batch."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot step_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(step_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(step_dealloc)},
    {Py_tp_call, reinterpret_cast<void*>(step_call)},
    {Py_tp_methods, step_methods},
    {Py_tp_doc, const_cast<char*>("Steps of velocity-level inverse kinematics.")},
    {0, nullptr},
};
PyType_Spec step_spec = {"tarsus._native.StepCore", sizeof(StepObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, step_slots};

}  // namespace

PyTypeObject* make_step_type() { return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&step_spec)); }

}  // namespace tarsus
