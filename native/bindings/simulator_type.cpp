// tarsus._native.SimulatorCore: robots in a world, with the memory in which they are stepped. What the tables mean and that they
// fit together is checked in Python (src/tarsus/simulation/runs/robots.py); here only sizes and kinds are, so that nothing is
// read out of bounds.
#include <cstring>
#include <new>
#include <vector>

#include "bindings/interruptible.hpp"
#include "bindings/rigid_runs.hpp"
#include "bindings/robot_order.hpp"
#include "bindings/simulator_tables.hpp"
#include "model/build.hpp"
#include "threads/pool.hpp"

namespace tarsus {
namespace {

constexpr long kRobotChunk = 16;  // robots a thread takes at a time; a multiple of the lanes of all instruction sets
constexpr double kUnlimited = 1e300;

// -- runs --------------------------------------------------------------------------------------------------------------------

// Memory of a thread is made by its first call.
void run_part(Simulator& s, Run& run, int worker) {
  void*& memory = s.memory[worker];
  if (!memory) memory = active_table->simulation->open(run, s.single);
  if (!memory) {
    run.status = kRunOutOfMemory;
    return;
  }
  active_table->simulation->run(run, memory, s.single);
}

void run_robots(Simulator& s, Run& run) {
  if (s.threads <= 1 || run.robots <= kRobotChunk) {
    run.begin = 0, run.end_row = run.robots;
    return run_part(s, run, 0);
  }
  std::vector<Run> parts((run.robots + kRobotChunk - 1) / kRobotChunk, run);
  parallel_rows(
      run.robots, kRobotChunk, s.threads,
      [&](int worker, long begin, long end) {
        Run& part = parts[begin / kRobotChunk];
        part.begin = begin, part.end_row = end;
        run_part(s, part, worker);
      },
      [&] { is_interrupted(run); });
  for (const Run& part : parts) run.unsettled += part.unsettled;
  for (const Run& part : parts) {
    if (part.status == 0) continue;
    run.status = part.status, run.row = part.row, run.time = part.time, run.closure = part.closure;
    return;
  }
}

// Runs, and tells (status, robot, time, closure, unsettled steps); what the handler of a signal raises is raised on the way.
PyObject* run_and_tell(Simulator& s, Run& run) {
  s.busy = true;
  {
    Interruptible without_gil(run);
    run_robots(s, run);
  }
  s.busy = false;
  if (PyErr_Occurred()) return nullptr;
  return Py_BuildValue("ildil", run.status, run.row, run.time, run.closure, run.unsettled);
}

// -- methods -----------------------------------------------------------------------------------------------------------------

Simulator* idle(PyObject* object) {
  Simulator* s = reinterpret_cast<SimulatorObject*>(object)->simulator;
  if (!s->busy) return s;
  PyErr_SetString(PyExc_RuntimeError, "the robots are being stepped in another thread");
  return nullptr;
}

bool table_given(PyObject* table) {
  if (PyDict_Check(table)) return true;
  PyErr_SetString(PyExc_TypeError, "a table must be a dict");
  return false;
}

PyObject* refuse() {
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "tables of the run do not fit together");
  return nullptr;
}

// Takes over the arrays that were read, in place of those before.
bool hold(Entries& e, PyObject*& kept) {
  PyObject* arrays = e.keep();
  if (!arrays) return false;
  Py_XSETREF(kept, arrays);
  return true;
}

PyObject* bind_state(PyObject* object, PyObject* table) {
  Simulator* s = idle(object);
  if (!s || !table_given(table)) return nullptr;
  Entries e(table);
  Run bound = s->run;
  if (!read_state(e, *bound.model, *bound.world, bound) || !hold(e, s->state)) return refuse();
  s->run = bound;
  Py_RETURN_NONE;
}

PyObject* set_law(PyObject* object, PyObject* table) {
  Simulator* s = idle(object);
  if (!s || !table_given(table)) return nullptr;
  Entries e(table);
  JointLaw law = s->law;
  if (!read_law(e, *s->run.model, s->run.robots, law) || !hold(e, s->references)) return refuse();
  s->law = law;
  Py_RETURN_NONE;
}

// Constant torques of all robots, without gains and limits. Returns the first entry that is not finite, which changes nothing,
// or None.
PyObject* set_torque(PyObject* object, PyObject* given) {
  Simulator* s = idle(object);
  if (!s) return nullptr;
  const size_t nv = s->run.model->nv, n = s->run.robots * nv;
  auto* a = reinterpret_cast<PyArrayObject*>(given);
  if (!PyArray_Check(given) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(a) || (size_t)PyArray_SIZE(a) != n) {
    PyErr_Format(PyExc_ValueError, "torques must be a plain array of %zu entries", n);
    return nullptr;
  }
  const auto* tau = static_cast<const double*>(PyArray_DATA(a));
  for (size_t k = 0; k < n; ++k) {
    if (!(tau[k] - tau[k] == 0.0)) return PyLong_FromSize_t(k);
  }
  s->torque.assign(tau, tau + n);
  JointLaw& law = s->law;
  law.kp = law.kd = law.q = law.v = s->nothing.data(), law.limit = s->unlimited.data(), law.tau = s->torque.data();
  law.gravity = 0, law.actuated = s->none.data(), law.knots = law.gain_knots = 1, law.first = law.spacing = 0.0;
  law.gain_stride = law.q_stride = law.v_stride = 0, law.tau_stride = static_cast<long>(nv);
  Py_RETURN_NONE;
}

// A law without knots for all robots; False where it takes the tables of set_law to read it, and nothing has changed.
PyObject* set_constant_law(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  Simulator* s = idle(object);
  if (!s) return nullptr;
  if (count != 7) {
    PyErr_SetString(PyExc_TypeError, "set_constant_law(kp, kd, q, v, tau, gravity, limited)");
    return nullptr;
  }
  return PyBool_FromLong(s->constant.set(args, s->law));
}

// Numbers of all robots that the next runs read, or None; what `kept` held before is let go.
bool take_numbers(PyObject* given, size_t n, const char* what, PyObject*& kept, const double*& data) {
  auto* a = reinterpret_cast<PyArrayObject*>(given);
  if (given != Py_None &&
      (!PyArray_Check(given) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(a) || (size_t)PyArray_SIZE(a) != n)) {
    PyErr_Format(PyExc_ValueError, "%s must be None or a plain array of %zu entries", what, n);
    return false;
  }
  Py_XSETREF(kept, Py_NewRef(given));
  data = given == Py_None ? nullptr : static_cast<const double*>(PyArray_DATA(a));
  return true;
}

PyObject* set_external(PyObject* object, PyObject* given) {
  Simulator* s = idle(object);
  if (!s) return nullptr;
  if (!take_numbers(given, s->run.robots * 6 * s->run.model->bodies, "wrenches", s->external, s->run.external)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* switch_off(PyObject* object, PyObject* given) {
  Simulator* s = idle(object);
  if (!s) return nullptr;
  if (!take_numbers(given, s->run.robots * s->run.world->contacts, "switches", s->off, s->run.off)) return nullptr;
  Py_RETURN_NONE;
}

// set_given(numbers, first, spacing): motions of constraints that are functions of time, one row a knot.
PyObject* set_given(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  Simulator* s = idle(object);
  if (!s) return nullptr;
  const npy_intp drives = s->run.constraints ? s->run.constraints->drives : 0;
  auto* a = reinterpret_cast<PyArrayObject*>(count == 3 ? args[0] : Py_None);
  if (count != 3 || !PyArray_Check(args[0]) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(a) || PyArray_NDIM(a) != 2 ||
      PyArray_DIM(a, 0) < 1 || PyArray_DIM(a, 1) != drives) {
    PyErr_Format(PyExc_ValueError, "motions must be a plain array of rows of %zd entries, with first and spacing", drives);
    return nullptr;
  }
  const double first = PyFloat_AsDouble(args[1]), spacing = PyFloat_AsDouble(args[2]);
  if (PyErr_Occurred()) return nullptr;
  if (!(spacing > 0.0)) return refuse();
  Py_XSETREF(s->motions, Py_NewRef(args[0]));
  s->given = {static_cast<int>(PyArray_DIM(a, 0)), first, spacing, static_cast<const double*>(PyArray_DATA(a))};
  Py_RETURN_NONE;
}

// Which rows of the constraints act, int32 of every robot and row; None: all.
PyObject* set_engaged(PyObject* object, PyObject* given) {
  Simulator* s = idle(object);
  if (!s) return nullptr;
  const size_t n = s->run.robots * rows_of(s->run);
  auto* a = reinterpret_cast<PyArrayObject*>(given);
  if (given != Py_None &&
      (!PyArray_Check(given) || PyArray_TYPE(a) != NPY_INT32 || !PyArray_ISCARRAY_RO(a) || (size_t)PyArray_SIZE(a) != n)) {
    PyErr_Format(PyExc_ValueError, "engaged rows must be None or a plain array of %zu entries", n);
    return nullptr;
  }
  Py_XSETREF(s->engaged, Py_NewRef(given));
  s->run.engaged = given == Py_None ? nullptr : static_cast<const int*>(PyArray_DATA(a));
  Py_RETURN_NONE;
}

// Bodies of one robot in the frames of their nodes, from ten numbers a body.
void put_bodies(const Model& m, const double* inertia, double* to) {
  for (int i = 0; i < m.nodes; ++i, to += kBodyNumbers) {
    Node n = m.node[i];
    if (n.body >= 0) set_inertia(n, inertia + 10 * n.body);
    std::memcpy(to, n.first, kBodyNumbers * sizeof(double));
  }
}

// set_bodies(inertias): robots x bodies x 10 (ModelArrays::inertia), or None for those of the model.
PyObject* set_bodies(PyObject* object, PyObject* given) {
  Simulator* s = idle(object);
  if (!s) return nullptr;
  const Model& m = *s->run.model;
  const size_t n = s->run.robots * 10 * m.bodies, numbers = (size_t)m.nodes * kBodyNumbers;
  s->run.bodies = nullptr;
  if (given == Py_None) Py_RETURN_NONE;
  auto* a = reinterpret_cast<PyArrayObject*>(given);
  if (!PyArray_Check(given) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(a) || (size_t)PyArray_SIZE(a) != n) {
    PyErr_Format(PyExc_ValueError, "inertias must be None or a plain array of %zu entries", n);
    return nullptr;
  }
  const auto* inertia = static_cast<const double*>(PyArray_DATA(a));
  s->bodies.resize(s->run.robots * numbers);
  for (long i = 0; i < s->run.robots; ++i) put_bodies(m, inertia + i * 10 * m.bodies, s->bodies.data() + i * numbers);
  s->run.bodies = s->bodies.data();
  Py_RETURN_NONE;
}

// set_friction(coefficients): one a robot, or None for those of the surfaces.
PyObject* set_friction(PyObject* object, PyObject* given) {
  Simulator* s = idle(object);
  if (!s) return nullptr;
  s->run.friction = nullptr;
  if (given == Py_None) Py_RETURN_NONE;
  auto* a = reinterpret_cast<PyArrayObject*>(given);
  if (!PyArray_Check(given) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(a) || PyArray_SIZE(a) != s->run.robots) {
    PyErr_Format(PyExc_ValueError, "friction must be None or a plain array of %ld entries", s->run.robots);
    return nullptr;
  }
  const auto* friction = static_cast<const double*>(PyArray_DATA(a));
  s->friction.assign(friction, friction + s->run.robots);
  s->run.friction = s->friction.data();
  Py_RETURN_NONE;
}

// set_worlds(worlds): one a robot, with the features of the world that the simulator was made with.
PyObject* set_worlds(PyObject* object, PyObject* given) {
  Simulator* s = idle(object);
  if (!s) return nullptr;
  if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != s->run.robots) {
    PyErr_Format(PyExc_ValueError, "worlds must be a tuple of %ld worlds", s->run.robots);
    return nullptr;
  }
  const auto* first = static_cast<OwnedWorld*>(PyCapsule_GetPointer(s->world, kWorldName));
  std::vector<const World*> worlds;
  for (long i = 0; i < s->run.robots; ++i) {
    const auto* other = static_cast<OwnedWorld*>(PyCapsule_GetPointer(PyTuple_GET_ITEM(given, i), kWorldName));
    if (!other) return nullptr;
    if (other->tables.contacts != first->tables.contacts || other->slots != first->slots || other->nodes != first->nodes) {
      PyErr_SetString(PyExc_ValueError, "the worlds have different contacts");
      return nullptr;
    }
    worlds.push_back(&other->tables);
  }
  s->forget_memory();
  s->worlds = std::move(worlds), s->run.world_of = s->worlds.data();
  Py_XSETREF(s->kept_worlds, Py_NewRef(given));
  Py_RETURN_NONE;
}

bool ready(const Simulator& s, bool bound) {
  if (s.run.constraints && s.run.constraints->drives > 0 && !s.given.number) {
    PyErr_SetString(PyExc_ValueError, "given motions must be there before a run");
    return false;
  }
  if ((s.run.q || !bound) && s.law.tau) return true;
  PyErr_SetString(PyExc_ValueError, "state and law must be there before a run");
  return false;
}

PyObject* run_request(PyObject* object, PyObject* table) {
  Simulator* s = idle(object);
  if (!s || !table_given(table)) return nullptr;
  Entries e(table);
  Run run = s->run;
  if (!ready(*s, !e.has("q"))) return nullptr;
  if (!read_request(e, *run.model, *run.world, run)) return refuse();
  if (e.has("q") && !read_state(e, *run.model, *run.world, run)) return refuse();
  return run_and_tell(*s, run);
}

// run_rigid(request): by events on rigid ground; tells (status, robot, time, closure, unsettled steps, depth, samples taken, due
// ones among them, events), each event (robot, kind, contact, time, speed, impulse).
PyObject* run_rigid_request(PyObject* object, PyObject* table) {
  Simulator* s = idle(object);
  if (!s || !table_given(table)) return nullptr;
  Entries e(table);
  Run run = s->run;
  if (!ready(*s, !e.has("q"))) return nullptr;
  if (!read_request(e, *run.model, *run.world, run) || !read_rigid_request(e, *run.world, run)) return refuse();
  if (e.has("q") && !read_state(e, *run.model, *run.world, run)) return refuse();
  std::vector<RigidEvent> happened;
  s->busy = true;
  {
    Interruptible without_gil(run);
    run_rigid_robots(run, s->rigid_memory, happened);
  }
  s->busy = false;
  if (PyErr_Occurred()) return nullptr;
  PyObject* events = event_list(happened);
  if (!events) return nullptr;
  return Py_BuildValue("ildildllN", run.status, run.row, run.time, run.closure, run.unsettled, run.depth, run.taken,
                       run.due_taken, events);
}

// contacts(time, position, force): of all robots, with the forces of the step that led to the present state.
PyObject* acted_contacts(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  Simulator* s = idle(object);
  if (!s || !ready(*s, true)) return nullptr;
  Run run = s->run;
  const size_t n = (size_t)run.robots * 3 * run.world->contacts;
  for (Py_ssize_t k = 1; k < 3; ++k) {
    auto* a = reinterpret_cast<PyArrayObject*>(count == 3 ? args[k] : Py_None);
    if (count != 3 || !PyArray_Check(args[k]) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY(a) ||
        (size_t)PyArray_SIZE(a) != n) {
      return refuse();
    }
    (k == 1 ? run.out_position : run.out_force) = static_cast<double*>(PyArray_DATA(a));
  }
  run.start = run.end = PyFloat_AsDouble(args[0]);
  if (PyErr_Occurred()) return nullptr;
  run.samples = 1, run.sample_start = kSampleActed;
  return run_and_tell(*s, run);
}

// step(first_step, steps, failed, failed_time): without samples. Where `failed` is given, int32 of every robot, those that fail
// are marked there with the reason, with the time, and stay as they were before; those that are marked are left alone.
PyObject* take_steps(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  Simulator* s = idle(object);
  if (!s || !ready(*s, true)) return nullptr;
  if (count != 2 && count != 4) {
    PyErr_SetString(PyExc_TypeError, "step(first_step, steps) or step(first_step, steps, failed, failed_time)");
    return nullptr;
  }
  Run run = s->run;
  run.first_step = PyLong_AsLong(args[0]), run.steps = PyLong_AsLong(args[1]);
  if (PyErr_Occurred()) return nullptr;
  if (run.first_step < 0 || run.steps < 0) return refuse();
  run.start = run.first_step * run.dt, run.end = (run.first_step + run.steps) * run.dt;
  run.silent = true;
  if (count == 4) {
    auto *failed = reinterpret_cast<PyArrayObject*>(args[2]), *time = reinterpret_cast<PyArrayObject*>(args[3]);
    if (!PyArray_Check(args[2]) || PyArray_TYPE(failed) != NPY_INT32 || !PyArray_ISCARRAY(failed) ||
        PyArray_SIZE(failed) != run.robots || !PyArray_Check(args[3]) || PyArray_TYPE(time) != NPY_DOUBLE ||
        !PyArray_ISCARRAY(time) || PyArray_SIZE(time) != run.robots) {
      return refuse();
    }
    run.failed = static_cast<int*>(PyArray_DATA(failed)), run.failed_time = static_cast<double*>(PyArray_DATA(time));
    order_robots(*s, run);
  }
  return run_and_tell(*s, run);
}

// -- the type ----------------------------------------------------------------------------------------------------------------

bool fill(Simulator& s, PyObject* model, PyObject* capsule, PyObject* table) {
  auto* world = static_cast<OwnedWorld*>(PyCapsule_GetPointer(capsule, kWorldName));
  if (!world) return false;
  const Model& m = reinterpret_cast<ModelObject*>(model)->model->tables;
  if (world->slots.size() != static_cast<size_t>(m.nodes)) {
    PyErr_SetString(PyExc_ValueError, "the world belongs to another model");
    return false;
  }
  s.model = Py_NewRef(model), s.world = Py_NewRef(capsule);
  s.run.model = &m, s.run.world = &world->tables, s.run.law = &s.law, s.run.given = &s.given;
  PyObject* constraints = PyDict_GetItemString(table, "constraints");
  if ((constraints && !take_constraints(s, constraints, m)) || !take_springs(s, model, table)) return false;
  Entries e(table);
  if (!read_settings(e, s) || !read_stops(e, m, s.law) || !s.constant.read_model(e, m) || !hold(e, s.settings)) {
    refuse();
    return false;
  }
  s.memory.assign(s.threads, nullptr), s.rigid_memory.assign(s.threads, nullptr);
  s.nothing.assign(m.nq + m.nv, 0.0), s.unlimited.assign(m.nv, kUnlimited), s.none.assign(m.nv, 0);
  return true;
}

PyObject* simulator_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *model = nullptr, *capsule = nullptr, *table = nullptr;
  if (!PyArg_ParseTuple(args, "O!OO!", model_type, &model, &capsule, &PyDict_Type, &table)) return nullptr;
  auto* self = reinterpret_cast<SimulatorObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  try {
    self->simulator = new Simulator;
    if (fill(*self->simulator, model, capsule, table)) return reinterpret_cast<PyObject*>(self);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  Py_DECREF(self);
  return nullptr;
}

void simulator_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<SimulatorObject*>(object)->simulator;
  type->tp_free(object);
  Py_DECREF(type);
}

PyMethodDef simulator_methods[] = {
    {"bind", bind_state, METH_O, "bind(state)\n--\n\nArrays of the state that runs change in place."},
    {"set_law", set_law, METH_O, "set_law(tables)\n--\n\nGains and references of the joints from now on."},
    {"set_constant_law", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(set_constant_law)), METH_FASTCALL,
     "set_constant_law(kp, kd, q, v, tau, gravity, limited)\n--\n\nThe same of a law without knots; False where it is not "
     "plain."},
    {"set_torque", set_torque, METH_O,
     "set_torque(tau)\n--\n\nConstant torques from now on; the first entry that is not finite, or None."},
    {"set_external", set_external, METH_O, "set_external(wrenches)\n--\n\nWrenches on the bodies from now on, or None."},
    {"set_given", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(set_given)), METH_FASTCALL,
     "set_given(numbers, first, spacing)\n--\n\nMotions of constraints that are functions of time, at equidistant times."},
    {"set_engaged", set_engaged, METH_O, "set_engaged(rows)\n--\n\nWhich rows of the constraints act, or None for all."},
    {"set_bodies", set_bodies, METH_O, "set_bodies(inertias)\n--\n\nBodies of every robot from now on, or None."},
    {"set_friction", set_friction, METH_O, "set_friction(coefficients)\n--\n\nFriction of every robot from now on, or None."},
    {"set_worlds", set_worlds, METH_O, "set_worlds(worlds)\n--\n\nThe world of every robot from now on."},
    {"switch_off", switch_off, METH_O, "switch_off(contacts)\n--\n\nContacts that touch nothing from now on, or None."},
    {"run", run_request, METH_O, "run(request)\n--\n\nAdvance robots in place; status, robot, time, loop and unsettled steps."},
    {"run_rigid", run_rigid_request, METH_O,
     "run_rigid(request)\n--\n\nThe same by events on rigid ground; also depth, samples, events."},
    {"contacts", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(acted_contacts)), METH_FASTCALL,
     "contacts(time, position, force)\n--\n\nPlaces of all contacts and the forces of the last step."},
    {"step", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(take_steps)), METH_FASTCALL,
     "step(first_step, steps, failed, failed_time)\n--\n\nThe same without samples, and with robots that may fail."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot simulator_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(simulator_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(simulator_dealloc)},
    {Py_tp_methods, simulator_methods},
    {Py_tp_doc, const_cast<char*>("Robots of one model in a world, with the memory in which they are stepped.")},
    {0, nullptr},
};
PyType_Spec simulator_spec = {"tarsus._native.SimulatorCore", sizeof(SimulatorObject), 0, Py_TPFLAGS_DEFAULT, simulator_slots};

}  // namespace

PyTypeObject* make_simulator_type() { return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&simulator_spec)); }

}  // namespace tarsus
