// World tables and runs of simulations. What the tables mean and that they fit together is checked in Python
// (src/tarsus/simulation/world.py, runs/robots.py); here only sizes and kinds are, so that nothing is read out of bounds.
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bindings/python.hpp"
#include "threads/pool.hpp"

namespace tarsus {
namespace {

constexpr const char* kWorldName = "tarsus.world";
constexpr long kRobotChunk = 16;  // robots a thread takes at a time; a multiple of the lanes of all instruction sets

struct OwnedWorld {
  World tables{};
  std::vector<Surface> surfaces;
  std::vector<Feature> features;
  std::vector<int> nodes, slots;
  std::vector<double> heights;
};

void free_world(PyObject* capsule) { delete static_cast<OwnedWorld*>(PyCapsule_GetPointer(capsule, kWorldName)); }

// Entries of a dict as plain C values; the first failure raises and sticks.
class Entries {
 public:
  explicit Entries(PyObject* dict) : dict_(dict) {}
  bool good() const { return good_; }
  double number(const char* name) {
    PyObject* value = find(name);
    const double x = value ? PyFloat_AsDouble(value) : 0.0;
    if (PyErr_Occurred()) good_ = false;
    return x;
  }
  long integer(const char* name) {
    PyObject* value = find(name);
    const long x = value ? PyLong_AsLong(value) : 0;
    if (PyErr_Occurred()) good_ = false;
    return x;
  }
  // Data of a float64 (or int32) array of exactly that many entries; null for None.
  template <class T>
  T* array(const char* name, size_t size, bool writeable = false) {
    PyObject* value = find(name);
    if (!value || value == Py_None) return nullptr;
    const int type = sizeof(T) == sizeof(double) ? NPY_DOUBLE : NPY_INT32;
    auto* a = reinterpret_cast<PyArrayObject*>(value);
    if (!PyArray_Check(value) || PyArray_TYPE(a) != type || !PyArray_ISCARRAY_RO(a) || (writeable && !PyArray_ISWRITEABLE(a)) ||
        static_cast<size_t>(PyArray_SIZE(a)) != size) {
      PyErr_Format(PyExc_ValueError, "%s must be a plain array of %zu entries", name, size);
      good_ = false;
      return nullptr;
    }
    return static_cast<T*>(PyArray_DATA(a));
  }
  // The same where None is not allowed.
  template <class T>
  T* needed(const char* name, size_t size, bool writeable = false) {
    T* data = array<T>(name, size, writeable);
    if (good_ && !data) {
      PyErr_Format(PyExc_ValueError, "%s is missing", name);
      good_ = false;
    }
    return data;
  }

 private:
  PyObject* find(const char* name) {
    if (!good_) return nullptr;
    PyObject* value = PyDict_GetItemString(dict_, name);
    if (!value) {
      PyErr_Format(PyExc_KeyError, "missing entry %s", name);
      good_ = false;
    }
    return value;
  }
  PyObject* dict_;
  bool good_ = true;
};

bool read_surfaces(Entries& e, OwnedWorld& w) {
  const long n = e.integer("surfaces"), heights = e.integer("heights");
  if (!e.good() || n < 0 || heights < 0) return false;
  const int* kinds = e.needed<int>("surface_kind", 4 * n);        // kind, law, columns, rows
  const double* data = e.needed<double>("surface_data", 15 * n);  // rotation, position, half extents
  const double* parameters = e.needed<double>("law_parameters", kMostLawParameters * n);
  const double* height = e.needed<double>("height", heights);
  if (!e.good()) return false;
  w.heights.assign(height, height + heights);
  size_t used = 0;
  for (long i = 0; i < n; ++i) {
    Surface s{};
    const int* k = kinds + 4 * i;
    const double* d = data + 15 * i;
    s.kind = k[0], s.law = k[1], s.columns = k[2], s.rows = k[3];
    std::memcpy(s.rotation, d, sizeof(s.rotation)), std::memcpy(s.position, d + 9, sizeof(s.position));
    std::memcpy(s.half, d + 12, sizeof(s.half));
    std::memcpy(s.parameter, parameters + kMostLawParameters * i, sizeof(s.parameter));
    if (s.law < 0 || s.law >= active_table->simulation->laws) return false;
    if (s.kind == kHeightField) {
      const size_t size = s.columns > 1 && s.rows > 1 ? (size_t)s.columns * s.rows : 0;
      if (size == 0 || used + size > (size_t)heights) return false;
      s.height = w.heights.data() + used;
      used += size;
    }
    w.surfaces.push_back(s);
  }
  return true;
}

bool read_features(Entries& e, const Model& m, OwnedWorld& w) {
  const long n = e.integer("features");
  if (!e.good() || n < 0) return false;
  const int* kinds = e.needed<int>("feature_kind", 2 * n);  // kind, body
  const double* data = e.needed<double>("feature_data", 7 * n);
  if (!e.good()) return false;
  int contacts = 0;
  for (long i = 0; i < n; ++i) {
    const int kind = kinds[2 * i], body = kinds[2 * i + 1];
    if (body < 0 || body >= m.bodies || (kind != kPoint && kind != kSegment)) return false;
    const Node& node = m.node[m.body_node[body]];
    Feature f{};
    f.kind = kind, f.node = m.body_node[body], f.contact = contacts;
    contacts += kind == kSegment ? 2 : 1;
    auto place = [&](const double* from, double* to) {  // body axes to node axes
      for (int r = 0; r < 3; ++r) {
        to[r] = node.body_position[r];
        for (int c = 0; c < 3; ++c) to[r] += node.body_rotation[3 * c + r] * from[c];
      }
    };
    place(data + 7 * i, f.a), place(data + 7 * i + 3, f.b);
    f.radius = data[7 * i + 6];
    w.features.push_back(f);
  }
  w.tables.contacts = contacts;
  return true;
}

// Nodes whose poses are needed: those with features and all on the way to them, or simply all.
void list_nodes(const Model& m, bool all, OwnedWorld& w) {
  std::vector<char> wanted(m.nodes, all);
  w.slots.assign(m.nodes, -1);
  int slots = 0;
  for (const Feature& f : w.features) {
    if (w.slots[f.node] < 0) w.slots[f.node] = slots++;
    for (int i = f.node; i >= 0 && !wanted[i]; i = m.node[i].parent) wanted[i] = 1;
  }
  for (int i = 0; i < m.nodes; ++i) {
    if (wanted[i]) w.nodes.push_back(i);
  }
  w.tables.touchables = slots;
}

bool read_law(Entries& e, const Model& m, long robots, JointLaw& law) {
  const size_t nv = m.nv, nq = m.nq, n = m.tree_nv;
  law.kp = e.needed<double>("kp", nv), law.kd = e.needed<double>("kd", nv), law.limit = e.needed<double>("limit", nv);
  law.gravity = static_cast<int>(e.integer("gravity")), law.actuated = e.needed<int>("actuated", nv);
  law.knots = static_cast<int>(e.integer("knots")), law.first = e.number("knots_first"), law.spacing = e.number("knots_spacing");
  const bool own = e.integer("own_references") != 0;
  if (!e.good() || law.knots < 1) return false;
  const size_t copies = own ? robots : 1, k = law.knots;
  law.q = e.needed<double>("reference_q", copies * k * nq), law.v = e.needed<double>("reference_v", copies * k * nv);
  law.tau = e.needed<double>("reference_tau", copies * k * nv);
  law.q_stride = own ? k * nq : 0, law.v_stride = law.tau_stride = own ? k * nv : 0;
  law.stop_q = e.array<int>("stop_q", n);
  law.lower = e.array<double>("lower", n), law.upper = e.array<double>("upper", n);
  law.stop_stiffness = e.array<double>("stop_stiffness", n), law.stop_damping = e.array<double>("stop_damping", n);
  for (size_t i = 0; e.good() && law.stop_q && i < n; ++i) {
    if (law.stop_q[i] >= (int)m.tree_nq) return false;
  }
  return e.good() && (!law.stop_q || (law.lower && law.upper && law.stop_stiffness && law.stop_damping));
}

bool read_run(Entries& e, const Model& m, const World& w, Run& run) {
  run.integrator = static_cast<int>(e.integer("integrator"));
  run.dt = e.number("dt"), run.first_step = e.integer("first_step"), run.steps = e.integer("steps");
  run.start = e.number("start"), run.end = e.number("end");
  run.relative = e.number("relative"), run.absolute = e.number("absolute");
  run.every = e.integer("every"), run.samples = e.integer("samples"), run.robots = e.integer("robots");
  run.sample_start = static_cast<int>(e.integer("sample_start"));
  if (!e.good() || run.every < 1 || run.samples < 0 || run.robots < 1 || run.steps < 0 || run.first_step < 0) return false;
  if (run.integrator < 0 || run.integrator >= active_table->simulation->integrators) return false;
  const long most = run.sample_start ? 1 : (run.first_step + run.steps) / run.every - run.first_step / run.every;
  if (run.samples < most) return false;  // adaptive integrators take no more than there are
  const size_t robots = run.robots, samples = run.samples, contacts = w.contacts;
  run.q = e.needed<double>("q", robots * m.nq, true), run.v = e.needed<double>("v", robots * m.nv, true);
  run.displacement = e.needed<double>("displacement", robots * 3 * contacts, true);
  run.contact_force = e.needed<double>("contact_force", robots * 3 * contacts, true);
  run.work = e.needed<double>("work", robots * kWorks, true);
  run.step_size = e.needed<double>("step_size", robots, true);
  run.external = e.array<double>("external", robots * 6 * m.bodies);
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

// What a part of a run tells to its caller.
void take_failure(const Run& part, Run& run) {
  run.status = part.status, run.row = part.row, run.time = part.time, run.closure = part.closure, run.depth = part.depth;
}

void run_robots(Run& run, bool single, int threads) {
  if (threads <= 1 || run.robots <= kRobotChunk) {
    run.begin = 0, run.end_row = run.robots;
    active_table->simulation->run(run, single);
    return;
  }
  std::vector<Run> parts((run.robots + kRobotChunk - 1) / kRobotChunk, run);
  parallel_rows(run.robots, kRobotChunk, threads, [&](int, long begin, long end) {
    Run& part = parts[begin / kRobotChunk];
    part.begin = begin, part.end_row = end;
    active_table->simulation->run(part, single);
  });
  for (const Run& part : parts) run.unsettled += part.unsettled;
  for (const Run& part : parts) {
    if (part.status == 0) continue;
    take_failure(part, run);
    return;
  }
}

// The same by events, one robot at a time; what happened comes in the order of the robots.
void run_rigid_robots(Run& run, int threads, std::vector<RigidEvent>& happened) {
  std::vector<std::vector<RigidEvent>> logs(run.robots);
  std::vector<Run> parts(run.robots, run);
  parallel_rows(run.robots, 1, threads, [&](int, long begin, long end) {
    for (long row = begin; row < end; ++row) {
      Run& part = parts[row];
      part.begin = row, part.end_row = row + 1, part.log = &logs[row];
      part.note = [](void* log, const RigidEvent& event) { static_cast<std::vector<RigidEvent>*>(log)->push_back(event); };
      active_table->simulation->run_rigid(part);
    }
  });
  for (const std::vector<RigidEvent>& log : logs) happened.insert(happened.end(), log.begin(), log.end());
  for (const Run& part : parts) run.unsettled += part.unsettled, run.taken = part.taken, run.due_taken = part.due_taken;
  for (const Run& part : parts) {
    if (part.status == 0) continue;
    take_failure(part, run);
    return;
  }
}

bool read_rigid_run(Entries& e, const World& w, Run& run) {
  run.phase = e.needed<double>("phase", run.robots * phase_size(w.contacts), true);
  run.take_impacts = static_cast<int>(e.integer("take_impacts")), run.check_start = static_cast<int>(e.integer("check_start"));
  run.out_time = e.array<double>("out_time", run.samples, true);
  run.out_dof = e.array<double>("out_dof", run.samples * run.robots, true);
  if (e.good() && run.take_impacts && run.robots != 1) return false;
  return e.good();
}

PyObject* event_list(const std::vector<RigidEvent>& happened) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(happened.size()));
  for (size_t i = 0; list && i < happened.size(); ++i) {
    const RigidEvent& e = happened[i];
    PyObject* entry =
        Py_BuildValue("(liiddddd)", e.row, e.kind, e.contact, e.time, e.speed, e.impulse[0], e.impulse[1], e.impulse[2]);
    if (entry) {
      PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), entry);
    } else {
      Py_CLEAR(list);
    }
  }
  return list;
}

}  // namespace

// make_world(model, tables): surfaces and features as a capsule.
PyObject* make_world(PyObject*, PyObject* args) {
  PyObject *model = nullptr, *dict = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", model_type, &model, &PyDict_Type, &dict)) return nullptr;
  const Model& m = reinterpret_cast<ModelObject*>(model)->model->tables;
  auto world = std::make_unique<OwnedWorld>();
  Entries entries(dict);
  const bool all = entries.integer("all_nodes") != 0;
  if (!read_surfaces(entries, *world) || !read_features(entries, m, *world)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "tables of the world do not fit together");
    return nullptr;
  }
  list_nodes(m, all, *world);
  World& w = world->tables;
  w.surfaces = static_cast<int>(world->surfaces.size()), w.surface = world->surfaces.data();
  w.features = static_cast<int>(world->features.size()), w.feature = world->features.data();
  w.nodes = static_cast<int>(world->nodes.size()), w.node = world->nodes.data(), w.slot = world->slots.data();
  return PyCapsule_New(world.release(), kWorldName, free_world);
}

// contact_laws(): name to (number, names of the parameters).
PyObject* contact_laws(PyObject*, PyObject*) {
  const SimulationTable& table = *active_table->simulation;
  PyObject* found = PyDict_New();
  for (int i = 0; found && i < table.laws; ++i) {
    const LawRow& row = table.law[i];
    PyObject* names = PyTuple_New(row.parameters);
    for (int k = 0; names && k < row.parameters; ++k) {
      PyObject* name = PyUnicode_FromString(row.parameter[k]);
      if (name) {
        PyTuple_SET_ITEM(names, k, name);
      } else {
        Py_CLEAR(names);
      }
    }
    PyObject* entry = names ? Py_BuildValue("(iN)", i, names) : nullptr;
    if (!entry || PyDict_SetItemString(found, row.name, entry) < 0) Py_CLEAR(found);
    Py_XDECREF(entry);
  }
  return found;
}

// integrators(): name to (number, whether it chooses its steps by itself).
PyObject* integrators(PyObject*, PyObject*) {
  const SimulationTable& table = *active_table->simulation;
  PyObject* found = PyDict_New();
  for (int i = 0; found && i < table.integrators; ++i) {
    PyObject* entry = Py_BuildValue("(iO)", i, table.integrator[i].adaptive ? Py_True : Py_False);
    if (!entry || PyDict_SetItemString(found, table.integrator[i].name, entry) < 0) Py_CLEAR(found);
    Py_XDECREF(entry);
  }
  return found;
}

// contact_force(law, parameters, depth, velocity): forces (rows, 3) of a law without displacement, in axes whose third is the
// normal.
PyObject* contact_force(PyObject*, PyObject* args) {
  int law = 0;
  PyObject *parameters = nullptr, *depth = nullptr, *velocity = nullptr;
  if (!PyArg_ParseTuple(args, "iO!O!O!", &law, &PyArray_Type, &parameters, &PyArray_Type, &depth, &PyArray_Type, &velocity)) {
    return nullptr;
  }
  const SimulationTable& table = *active_table->simulation;
  auto plain = [](PyObject* x, npy_intp size) {
    auto* a = reinterpret_cast<PyArrayObject*>(x);
    return PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a) && PyArray_SIZE(a) == size;
  };
  npy_intp shape[2] = {PyArray_SIZE(reinterpret_cast<PyArrayObject*>(depth)), 3};
  if (law < 0 || law >= table.laws || !plain(parameters, kMostLawParameters) || !plain(depth, shape[0]) ||
      !plain(velocity, 3 * shape[0])) {
    PyErr_SetString(PyExc_ValueError, "arguments of contact_force do not fit together");
    return nullptr;
  }
  PyObject* force = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
  if (!force) return nullptr;
  auto data = [](PyObject* x) { return static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(x))); };
  table.contact_force(law, data(parameters), shape[0], data(depth), data(velocity), data(force));
  return force;
}

// Arguments of a run: the model, the world, the tables of the run, and how to run.
struct RunArguments {
  const Model* model = nullptr;
  const OwnedWorld* world = nullptr;
  PyObject* tables = nullptr;
  int single = 0, threads = 1;

  bool parse(PyObject* args) {
    PyObject *object = nullptr, *capsule = nullptr;
    if (!PyArg_ParseTuple(args, "O!OO!pi", model_type, &object, &capsule, &PyDict_Type, &tables, &single, &threads)) return false;
    world = static_cast<OwnedWorld*>(PyCapsule_GetPointer(capsule, kWorldName));
    if (!world) return false;
    model = &reinterpret_cast<ModelObject*>(object)->model->tables;
    if (world->slots.size() == static_cast<size_t>(model->nodes)) return true;
    PyErr_SetString(PyExc_ValueError, "the world belongs to another model");
    return false;
  }
  bool read(Entries& entries, Run& run, JointLaw& law) const {
    run.model = model, run.world = &world->tables, run.law = &law;
    return read_run(entries, *model, world->tables, run) && read_law(entries, *model, run.robots, law);
  }
};

PyObject* unfit_tables() {
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "tables of the run do not fit together");
  return nullptr;
}

// run_simulation(model, world, run, single, threads): steps in place; returns (status, robot, time, closure, unsettled steps).
// What the handler of a signal raises is raised on the way.
PyObject* run_simulation(PyObject*, PyObject* args) {
  RunArguments given;
  if (!given.parse(args)) return nullptr;
  Entries entries(given.tables);
  Run run{};
  JointLaw law{};
  if (!given.read(entries, run, law)) return unfit_tables();
  {
    Interruptible without_gil(run);
    run_robots(run, given.single != 0, given.threads);
  }
  if (PyErr_Occurred()) return nullptr;
  return Py_BuildValue("ildil", run.status, run.row, run.time, run.closure, run.unsettled);
}

// run_rigid(model, world, run, single, threads): the same by events on rigid ground; returns (status, robot, time, closure,
// unsettled steps, depth, samples taken, due ones among them, events), each event (robot, kind, contact, time, speed, impulse).
PyObject* run_rigid(PyObject*, PyObject* args) {
  RunArguments given;
  if (!given.parse(args)) return nullptr;
  Entries entries(given.tables);
  Run run{};
  JointLaw law{};
  if (!given.read(entries, run, law) || !read_rigid_run(entries, given.world->tables, run)) return unfit_tables();
  std::vector<RigidEvent> happened;
  {
    Interruptible without_gil(run);
    run_rigid_robots(run, given.threads, happened);
  }
  if (PyErr_Occurred()) return nullptr;
  PyObject* events = event_list(happened);
  if (!events) return nullptr;
  return Py_BuildValue("ildildllN", run.status, run.row, run.time, run.closure, run.unsettled, run.depth, run.taken,
                       run.due_taken, events);
}

}  // namespace tarsus
