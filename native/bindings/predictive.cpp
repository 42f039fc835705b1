// TaskCore.predict: predictive inverse kinematics of one horizon. What it reads is made and checked in Python
// (src/tarsus/ik/predictive/native_horizon.py); here only sizes and ranges are, so that nothing is read out of bounds.
#include "bindings/entries.hpp"
#include "bindings/interruptible.hpp"
#include "bindings/task_object.hpp"

namespace tarsus {
namespace {

bool refuse(const char* what) {
  PyErr_SetString(PyExc_ValueError, what);
  return false;
}

bool within(const int* index, int count, int size) {
  for (int k = 0; k < count; ++k) {
    if (index[k] < 0 || index[k] >= size) return false;
  }
  return true;
}

// Potentials by the names of their fields.
bool read_potential(Entries& e, const char* kind, const char* gain, const char* activation, const char* switching, Potential& p) {
  p.kind = static_cast<int>(e.integer(kind)), p.switching = e.number(switching);
  p.gain = gain ? e.number(gain) : 1.0, p.activation = activation ? e.number(activation) : 0.0;
  return e.good() && (p.kind >= kQuadraticPotential && p.kind <= kPiecewisePotential ? true : refuse("no such potential"));
}

bool read_costs(Entries& e, const Model& m, PredictiveRun& run) {
  const double* weight = e.needed<double>("weight", kCostParts);
  if (!e.good()) return false;
  for (int k = 0; k < kCostParts; ++k) run.weight[k] = weight[k];
  run.velocity_scale = e.needed<double>("velocity_scale", m.nv);
  run.bounds = static_cast<int>(e.integer("bounds")), run.postured = static_cast<int>(e.integer("postured"));
  if (!e.good()) return false;
  if (run.bounds < 0 || run.bounds > m.nq || run.postured < 0 || run.postured > m.nq) return refuse("sizes do not fit together");
  const size_t bounds = run.bounds, postured = run.postured;
  run.bound_q = e.needed<int>("bound_q", bounds), run.bound_v = e.needed<int>("bound_v", bounds);
  run.lower = e.needed<double>("lower", bounds), run.upper = e.needed<double>("upper", bounds);
  run.bound_gain = e.needed<double>("bound_gain", bounds), run.bound_activation = e.needed<double>("bound_activation", bounds);
  run.posture_q = e.needed<int>("posture_q", postured), run.posture_v = e.needed<int>("posture_v", postured);
  run.posture_target = e.needed<double>("posture_target", postured);
  run.posture_scale = e.needed<double>("posture_scale", postured);
  if (!e.good()) return false;
  if (!within(run.bound_q, run.bounds, m.nq) || !within(run.bound_v, run.bounds, m.nv))
    return refuse("limits of what is not there");
  if (!within(run.posture_q, run.postured, m.nq) || !within(run.posture_v, run.postured, m.nv))
    return refuse("postures of what is not there");
  return read_potential(e, "limit_kind", nullptr, nullptr, "limit_switch", run.limit) &&
         read_potential(e, "collision_kind", "collision_gain", "collision_activation", "collision_switch", run.collision);
}

bool read_method(Entries& e, const Model& m, PredictiveRun& run) {
  run.augmented = e.integer("augmented") != 0, run.free_start = e.integer("free_start") != 0;
  run.local = e.integer("local") != 0, run.steepest = e.integer("steepest") != 0;
  run.step = e.number("step"), run.tolerance = e.number("tolerance");
  run.max_iterations = static_cast<int>(e.integer("max_iterations"));
  run.u0 = e.array<double>("u0", m.nv), run.most = e.array<double>("most", m.nv);
  if (!e.good()) return false;
  if (run.max_iterations < 0 || (run.augmented && !run.u0)) return refuse("the method does not fit together");
  run.length = e.needed<double>("length", 1, true);
  run.history = e.needed<double>("history", (size_t)run.max_iterations + 1, true);
  return e.good();
}

// Costs of tasks whose Jacobians do not change in a way that is known here, and frames that targets are seen from, are refused.
bool fits(const TaskTable& t) {
  for (int i = 0; i < t.blocks; ++i) {
    const int kind = t.block[i].kind;
    const bool known = kind == kTaskPosition || kind == kTaskOrientation || kind == kTaskCenter || kind == kTaskPosture;
    if (!known || t.block[i].reference.node >= 0) return refuse("tasks must be seen from the world");
  }
  return true;
}

bool read_run(Entries& e, const Tasks& tasks, PredictiveRun& run) {
  const Model& m = model_of(tasks);
  const TaskTable& t = tasks.owned.table;
  run.model = &m, run.tasks = &t;
  run.steps = static_cast<int>(e.integer("steps")), run.dt = e.number("dt");
  run.near = e.number("near"), run.damping = e.number("damping");
  if (!e.good()) return false;
  if (run.steps < 1 || run.steps > kMostSteps || m.nv < 1) return refuse("a horizon has steps, and a model freedoms");
  const size_t n = run.steps, nq = m.nq, nv = m.nv;
  run.q0 = e.needed<double>("q0", nq), run.target = e.needed<double>("target", (n + 1) * t.targets);
  run.rate = e.needed<double>("rate", n * t.rows), run.gain = e.needed<double>("gain", t.rows);
  run.input = e.needed<double>("input", n * nv, true), run.q = e.needed<double>("q", (n + 1) * nq, true);
  run.v = e.needed<double>("v", n * nv, true), run.u = e.needed<double>("u", n * nv, true);
  run.adjoint = e.needed<double>("adjoint", (n + 1) * nv, true), run.gradient = e.needed<double>("gradient", n * nv, true);
  run.error = e.needed<double>("error", n + 1, true), run.damped = e.needed<double>("damped", n, true);
  return e.good() && fits(t) && read_costs(e, m, run) && read_method(e, m, run);
}

}  // namespace

// predict(run, volumes) -> (status, iterations, evaluations, failed step, parts of the cost); arrays of `run` are written.
PyObject* predict(PyObject* object, PyObject* args) {
  const Tasks& t = *reinterpret_cast<TaskObject*>(object)->tasks;
  PyObject *dict = nullptr, *volumes = nullptr;
  if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &dict, &volumes)) return nullptr;
  Entries e(dict);
  PredictiveRun run{};
  if (volumes != Py_None) {
    if (!PyObject_TypeCheck(volumes, volume_type)) return PyErr_Format(PyExc_TypeError, "volumes must be a VolumeCore or None");
    run.volumes = &reinterpret_cast<VolumeObject*>(volumes)->owned->table;
    if (run.volumes->serial != model_of(t).serial) return PyErr_Format(PyExc_ValueError, "volumes are those of another model");
  }
  if (!read_run(e, t, run)) return nullptr;
  {
    const Interruptible free(run);
    active_table->solve_predictive(run);
  }
  if (run.out_of_memory) return PyErr_NoMemory();
  if (PyErr_Occurred()) return nullptr;  // raised by a handler of signals
  return Py_BuildValue("iiii(ddddd)", run.status, run.iterations, run.evaluations, run.failed_step, run.parts[0], run.parts[1],
                       run.parts[2], run.parts[3], run.parts[4]);
}

}  // namespace tarsus
