// tarsus._native.SimulatorCore: robots in a world, with the memory in which they are stepped. What the tables mean and that they
// fit together is checked in Python (src/tarsus/simulation/runs/robots.py); here only sizes and kinds are, so that nothing is
// read out of bounds.
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

#include "bindings/entries.hpp"
#include "bindings/world.hpp"
#include "threads/pool.hpp"

namespace tarsus {
namespace {

constexpr long kRobotChunk = 16;  // robots a thread takes at a time; a multiple of the lanes of all instruction sets
constexpr double kUnlimited = 1e300;

struct Simulator {
  Run run{};  // what does not change; a call fills in the rest
  JointLaw law{};
  bool single = false, busy = false;
  int threads = 1;
  std::vector<void*> memory;  // one a thread
  // A law of given torques:
  std::vector<double> torque, nothing, unlimited;
  std::vector<int> none;
  // What pointers of `run` and `law` need alive:
  PyObject *model = nullptr, *world = nullptr, *stops = nullptr, *references = nullptr, *external = nullptr, *state = nullptr;

  Simulator() = default;
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;
  ~Simulator() {
    for (void* piece : memory) active_table->simulation->close(piece, run.integrator, single);
    for (PyObject* kept : {model, world, stops, references, external, state}) Py_XDECREF(kept);
  }
};

struct SimulatorObject {
  PyObject_HEAD Simulator* simulator;
};

// -- tables ------------------------------------------------------------------------------------------------------------------

bool read_settings(Entries& e, Simulator& s) {
  Run& run = s.run;
  run.integrator = static_cast<int>(e.integer("integrator"));
  run.dt = e.number("dt"), run.relative = e.number("relative"), run.absolute = e.number("absolute");
  run.every = e.integer("every"), run.robots = e.integer("robots");
  s.single = e.integer("single") != 0, s.threads = static_cast<int>(e.integer("threads"));
  if (!e.good() || run.every < 1 || run.robots < 1 || s.threads < 1) return false;
  return run.integrator >= 0 && run.integrator < active_table->simulation->integrators;
}

bool read_stops(Entries& e, const Model& m, JointLaw& law) {
  const size_t n = m.tree_nv;
  law.stop_q = e.array<int>("stop_q", n);
  law.lower = e.array<double>("lower", n), law.upper = e.array<double>("upper", n);
  law.stop_stiffness = e.array<double>("stop_stiffness", n), law.stop_damping = e.array<double>("stop_damping", n);
  for (size_t i = 0; e.good() && law.stop_q && i < n; ++i) {
    if (law.stop_q[i] >= (int)m.tree_nq) return false;
  }
  return e.good() && (!law.stop_q || (law.lower && law.upper && law.stop_stiffness && law.stop_damping));
}

// Gains and references; each is that of all robots or has a copy for every one.
bool read_law(Entries& e, const Model& m, long robots, JointLaw& law) {
  const size_t nv = m.nv, nq = m.nq;
  law.limit = e.needed<double>("limit", nv);
  law.gravity = static_cast<int>(e.integer("gravity")), law.actuated = e.needed<int>("actuated", nv);
  law.knots = static_cast<int>(e.integer("knots")), law.first = e.number("knots_first"), law.spacing = e.number("knots_spacing");
  law.gain_knots = static_cast<int>(e.integer("gain_knots"));
  const bool own_gains = e.integer("own_gains") != 0, own = e.integer("own_references") != 0;
  if (!e.good() || law.knots < 1 || (law.gain_knots != 1 && law.gain_knots != law.knots)) return false;
  const size_t copies = own ? robots : 1, k = law.knots, g = law.gain_knots, gains = (own_gains ? robots : 1) * g * nv;
  law.kp = e.needed<double>("kp", gains), law.kd = e.needed<double>("kd", gains);
  law.gain_stride = own_gains ? g * nv : 0;
  law.q = e.needed<double>("reference_q", copies * k * nq), law.v = e.needed<double>("reference_v", copies * k * nv);
  law.tau = e.needed<double>("reference_tau", copies * k * nv);
  law.q_stride = own ? k * nq : 0, law.v_stride = law.tau_stride = own ? k * nv : 0;
  return e.good();
}

bool read_state(Entries& e, const Model& m, const World& w, Run& run) {
  const size_t robots = run.robots, contacts = w.contacts;
  run.q = e.needed<double>("q", robots * m.nq, true), run.v = e.needed<double>("v", robots * m.nv, true);
  run.displacement = e.needed<double>("displacement", robots * 3 * contacts, true);
  run.contact_force = e.needed<double>("contact_force", robots * 3 * contacts, true);
  run.work = e.needed<double>("work", robots * kWorks, true);
  run.step_size = e.needed<double>("step_size", robots, true);
  run.tau = e.needed<double>("tau", robots * m.nv, true);
  return e.good();
}

bool read_request(Entries& e, const Model& m, const World& w, Run& run) {
  run.first_step = e.integer("first_step"), run.steps = e.integer("steps");
  run.start = e.number("start"), run.end = e.number("end");
  run.samples = e.integer("samples"), run.sample_start = static_cast<int>(e.integer("sample_start"));
  if (!e.good() || run.samples < 0 || run.steps < 0 || run.first_step < 0) return false;
  const long most = run.sample_start ? 1 : (run.first_step + run.steps) / run.every - run.first_step / run.every;
  if (run.samples < most) return false;  // adaptive integrators take no more than there are
  const size_t robots = run.robots, samples = run.samples, contacts = w.contacts;
  run.out_q = e.array<double>("out_q", samples * robots * m.nq, true);
  run.out_v = e.array<double>("out_v", samples * robots * m.nv, true);
  run.out_tau = e.array<double>("out_tau", samples * robots * m.nv, true);
  run.out_position = e.array<double>("out_position", samples * robots * 3 * contacts, true);
  run.out_force = e.array<double>("out_force", samples * robots * 3 * contacts, true);
  run.out_displacement = e.array<double>("out_displacement", samples * robots * 3 * contacts, true);
  run.out_rate = e.array<double>("out_rate", robots * (m.nq + m.nv + 3 * contacts + kWorks), true);
  run.out_energy = e.array<double>("out_energy", samples * robots * kEnergyParts, true);
  return e.good();
}

// -- runs --------------------------------------------------------------------------------------------------------------------

// A stretch of time without the GIL in which handlers of signals still run, every now and then: what they raise ends the run.
class Interruptible {
 public:
  explicit Interruptible(Run& run) : caller_(std::this_thread::get_id()), next_(Clock::now() + kPatience) {
    run.interrupted = [](void* self) { return static_cast<Interruptible*>(self)->ask(); };
    run.caller = this;
    state_ = PyEval_SaveThread();
  }
  ~Interruptible() { PyEval_RestoreThread(state_); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPatience{50};

  bool ask() {
    if (raised_.load(std::memory_order_relaxed)) return true;
    if (std::this_thread::get_id() != caller_ || Clock::now() < next_) return false;
    PyEval_RestoreThread(state_);
    if (PyErr_CheckSignals() < 0) raised_.store(true, std::memory_order_relaxed);
    state_ = PyEval_SaveThread();
    next_ = Clock::now() + kPatience;
    return raised_.load(std::memory_order_relaxed);
  }

  const std::thread::id caller_;
  Clock::time_point next_;
  std::atomic<bool> raised_{false};
  PyThreadState* state_;
};

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
  parallel_rows(run.robots, kRobotChunk, s.threads, [&](int worker, long begin, long end) {
    Run& part = parts[begin / kRobotChunk];
    part.begin = begin, part.end_row = end;
    run_part(s, part, worker);
  });
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

PyObject* set_external(PyObject* object, PyObject* given) {
  Simulator* s = idle(object);
  if (!s) return nullptr;
  const size_t n = s->run.robots * 6 * s->run.model->bodies;
  auto* a = reinterpret_cast<PyArrayObject*>(given);
  if (given != Py_None &&
      (!PyArray_Check(given) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(a) || (size_t)PyArray_SIZE(a) != n)) {
    PyErr_Format(PyExc_ValueError, "wrenches must be None or a plain array of %zu entries", n);
    return nullptr;
  }
  Py_XSETREF(s->external, Py_NewRef(given));
  s->run.external = given == Py_None ? nullptr : static_cast<const double*>(PyArray_DATA(a));
  Py_RETURN_NONE;
}

bool ready(const Simulator& s, bool bound) {
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
  s.run.model = &m, s.run.world = &world->tables, s.run.law = &s.law;
  Entries e(table);
  if (!read_settings(e, s) || !read_stops(e, m, s.law) || !hold(e, s.stops)) {
    refuse();
    return false;
  }
  s.memory.assign(s.threads, nullptr);
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
    {"set_torque", set_torque, METH_O,
     "set_torque(tau)\n--\n\nConstant torques from now on; the first entry that is not finite, or None."},
    {"set_external", set_external, METH_O, "set_external(wrenches)\n--\n\nWrenches on the bodies from now on, or None."},
    {"run", run_request, METH_O, "run(request)\n--\n\nAdvance robots in place; status, robot, time, loop and unsettled steps."},
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
