// tarsus._native.TaskCore: tasks of one model as a native table. It is made and checked in Python
// (src/tarsus/ik/position/native_solver.py); here only sizes and ranges are, so that nothing is read out of bounds.
#include <atomic>
#include <new>

#include "bindings/arguments.hpp"
#include "bindings/entries.hpp"
#include "bindings/interruptible.hpp"
#include "bindings/task_object.hpp"
#include "threads/pool.hpp"

namespace tarsus {
namespace {

constexpr long kTargets = 64;  // that a thread takes at a time, where there are several: lanes run empty at the end of a part

// Blocks are given as (kind, frame, reference or -1, rows), their rows as (component, coordinate) one after the other.
bool read_table(Entries& e, const Model& m, const std::vector<FrameTable>& frames, OwnedTasks& owned) {
  TaskTable& t = owned.table;
  t.blocks = static_cast<int>(e.integer("blocks")), t.rows = static_cast<int>(e.integer("rows"));
  if (!e.good() || t.blocks < 1 || t.rows < 1) return false;
  const int *block = e.needed<int>("block", 4 * (size_t)t.blocks), *row = e.needed<int>("row", 2 * (size_t)t.rows);
  const double *axis = e.needed<double>("axis", 9 * (size_t)t.blocks), *weight = e.needed<double>("weight", t.rows);
  if (!e.good()) return false;
  const int last = static_cast<int>(frames.size());
  int first = 0;
  for (int i = 0; i < t.blocks; ++i, block += 4, axis += 9) {
    const int kind = block[0], frame = block[1], reference = block[2], rows = block[3];
    const bool framed = kind == kTaskPosition || kind == kTaskOrientation || kind == kTaskSight;
    if (kind < 0 || kind >= kTaskKinds || rows < 1 || rows > t.rows - first) return false;
    if (framed && (frame < 0 || frame >= last || reference < -1 || reference >= last)) return false;
    TaskBlock b{kind, first, rows, t.targets, framed ? frames[frame] : FrameTable{}, {}, {}};
    if (framed && reference >= 0) b.reference = frames[reference];
    if (reference < 0) b.reference.node = -1;
    for (int k = 0; k < 9; ++k) b.axis[k] = axis[k];
    owned.blocks.push_back(b);
    t.targets += kind == kTaskPosture ? rows : kTaskTargets[kind];
    t.center = t.center || kind == kTaskCenter || kind == kTaskMomentum || kind == kTaskSpin;
    for (int r = first; r < first + rows; ++r) {
      const int component = row[2 * r], coordinate = row[2 * r + 1];
      const bool fits = kind == kTaskPosture ? component >= 0 && component < m.nv && coordinate >= 0 && coordinate < m.nq
                                             : component >= 0 && component < (kind == kTaskSight ? 2 : 3);
      if (!fits) return false;
      owned.rows.push_back({component, coordinate, weight[r]});
    }
    first += rows;
  }
  t.block = owned.blocks.data(), t.row = owned.rows.data();
  return first == t.rows;
}

PyObject* task_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *model = nullptr, *frames = nullptr, *table = nullptr;
  if (!PyArg_ParseTuple(args, "O!OO!", model_type, &model, &frames, &PyDict_Type, &table)) return nullptr;
  auto* self = reinterpret_cast<TaskObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  try {
    self->tasks = new Tasks;
    self->tasks->model = Py_NewRef(model);
    auto* owner = reinterpret_cast<ModelObject*>(model);
    std::vector<FrameTable> chosen;
    Entries e(table);
    if (choose_frames(owner, frames, chosen) && read_table(e, owner->model->tables, chosen, self->tasks->owned))
      return reinterpret_cast<PyObject*>(self);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "tables of the tasks do not fit together");
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  Py_DECREF(self);
  return nullptr;
}

void task_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<TaskObject*>(object)->tasks;
  type->tp_free(object);
  Py_DECREF(type);
}

// What a run reads and writes; false with an error where sizes or places are wrong.
bool read_run(Entries& e, const Tasks& t, PositionRun& run, long& count) {
  const Model& m = model_of(t);
  run.model = &m, run.tasks = &t.owned.table;
  count = e.integer("count");
  run.postures = static_cast<int>(e.integer("postures")), run.kept = static_cast<int>(e.integer("kept"));
  run.bounds = static_cast<int>(e.integer("bounds"));
  run.first = static_cast<int>(e.integer("first")), run.starts = static_cast<int>(e.integer("starts"));
  run.max_iterations = static_cast<int>(e.integer("max_iterations")), run.tolerance = e.number("tolerance");
  if (!e.good()) return false;
  if (count < 0 || run.first < 0 || run.first > run.postures || run.postures < 0 || run.kept < 0 || run.kept > m.nq ||
      run.bounds < 0 || run.bounds > m.nq) {
    PyErr_SetString(PyExc_ValueError, "sizes of the run do not fit together");
    return false;
  }
  const size_t n = count, nq = m.nq, bounds = run.bounds;
  run.q0 = e.needed<double>("q0", n * nq), run.target = e.needed<double>("target", n * t.owned.table.targets);
  run.posture = e.needed<double>("posture", run.postures * nq);
  run.kept_q = e.needed<int>("kept_q", run.kept);
  run.bound_q = e.needed<int>("bound_q", bounds), run.bound_v = e.needed<int>("bound_v", bounds);
  run.lower = e.needed<double>("lower", bounds), run.upper = e.needed<double>("upper", bounds);
  run.q = e.needed<double>("q", n * nq, true), run.residual = e.needed<double>("residual", n, true);
  run.status = e.needed<int>("status", n, true), run.iterations = e.needed<int>("iterations", n, true);
  run.tried = e.needed<int>("tried", n, true), run.worst = e.needed<int>("worst", n, true);
  if (!e.good()) return false;
  for (int k = 0; k < run.kept; ++k) {
    if (run.kept_q[k] >= 0 && run.kept_q[k] < m.nq) continue;
    PyErr_SetString(PyExc_ValueError, "coordinates are kept that are not there");
    return false;
  }
  for (int k = 0; k < run.bounds; ++k) {
    if (run.bound_q[k] >= 0 && run.bound_q[k] < m.nq && run.bound_v[k] >= 0 && run.bound_v[k] < m.nv) continue;
    PyErr_SetString(PyExc_ValueError, "limits are of coordinates that are not there");
    return false;
  }
  return true;
}

// solve(run, threads): all targets; the GIL is not held, and Ctrl-C is looked for now and then.
PyObject* solve(PyObject* object, PyObject* args) {
  const Tasks& t = *reinterpret_cast<TaskObject*>(object)->tasks;
  PyObject* dict = nullptr;
  int threads = 1;
  if (!PyArg_ParseTuple(args, "O!i", &PyDict_Type, &dict, &threads)) return nullptr;
  Entries e(dict);
  PositionRun run{};
  long count = 0;
  if (!read_run(e, t, run, count)) return nullptr;
  std::atomic<bool> out_of_memory{false};
  {
    Interruptible free(run);
    parallel_rows(count, threads > 1 ? kTargets : count, threads, [&](int, long from, long to) {
      PositionRun part = run;
      part.begin = from, part.end = to;
      active_table->solve_positions(part);
      if (part.out_of_memory) out_of_memory = true;
    });
  }
  if (PyErr_Occurred() || PyErr_CheckSignals() < 0) return nullptr;
  if (out_of_memory) return PyErr_NoMemory();
  Py_RETURN_NONE;
}

PyMethodDef task_methods[] = {
    {"solve", solve, METH_VARARGS, "solve(run, threads)\n--\n\nPosition-level inverse kinematics of a batch of targets."},
    {"predict", predict, METH_VARARGS, "predict(run, volumes)\n--\n\nPredictive inverse kinematics of one horizon."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot task_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(task_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(task_dealloc)},
    {Py_tp_methods, task_methods},
    {Py_tp_doc, const_cast<char*>("Tasks of one model.")},
    {0, nullptr},
};
PyType_Spec task_spec = {"tarsus._native.TaskCore", sizeof(TaskObject), 0, Py_TPFLAGS_DEFAULT, task_slots};

}  // namespace

PyTypeObject* task_type = nullptr;

PyTypeObject* make_task_type() {
  task_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&task_spec));
  return reinterpret_cast<PyTypeObject*>(Py_XNewRef(reinterpret_cast<PyObject*>(task_type)));
}

}  // namespace tarsus
