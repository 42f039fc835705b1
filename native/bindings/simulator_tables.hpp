// Tables of a simulation as Python hands them over: only sizes and kinds are checked.
#pragma once
#include "bindings/entries.hpp"
#include "bindings/simulator.hpp"

namespace tarsus {

inline bool read_settings(Entries& e, Simulator& s) {
  Run& run = s.run;
  run.integrator = static_cast<int>(e.integer("integrator"));
  run.sets = e.integer("sets") != 0;
  run.dt = e.number("dt"), run.relative = e.number("relative"), run.absolute = e.number("absolute");
  run.every = e.integer("every"), run.robots = e.integer("robots");
  s.single = e.integer("single") != 0, s.threads = static_cast<int>(e.integer("threads"));
  if (!e.good() || run.every < 1 || run.robots < 1 || s.threads < 1) return false;
  return run.integrator >= 0 && run.integrator < active_table->simulation->integrators;
}

inline bool read_stops(Entries& e, const Model& m, JointLaw& law) {
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
inline bool read_law(Entries& e, const Model& m, long robots, JointLaw& law) {
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

inline size_t rows_of(const Run& run) { return run.constraints ? run.constraints->rows : 0; }

inline bool read_state(Entries& e, const Model& m, const World& w, Run& run) {
  const size_t robots = run.robots, contacts = w.contacts;
  run.q = e.needed<double>("q", robots * m.nq, true), run.v = e.needed<double>("v", robots * m.nv, true);
  run.displacement = e.needed<double>("displacement", robots * 3 * contacts, true);
  run.contact_force = e.needed<double>("contact_force", robots * 3 * contacts, true);
  run.work = e.needed<double>("work", robots * kWorks, true);
  run.step_size = e.needed<double>("step_size", robots, true);
  run.tau = e.needed<double>("tau", robots * m.nv, true);
  run.constraint_force = e.needed<double>("constraint_force", robots * rows_of(run), true);
  return e.good();
}

inline bool read_request(Entries& e, const Model& m, const World& w, Run& run) {
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
  run.out_constraint = e.array<double>("out_constraint", samples * robots * rows_of(run), true);
  return e.good();
}

// Constraints of the same model, or None.
inline bool take_constraints(Simulator& s, PyObject* given, const Model& m) {
  if (given == Py_None) return true;
  if (!PyObject_TypeCheck(given, constraint_type)) {
    PyErr_SetString(PyExc_TypeError, "constraints must be a ConstraintCore or None");
    return false;
  }
  const ConstraintTable& table = reinterpret_cast<ConstraintObject*>(given)->owned->table;
  if (table.serial != m.serial) {
    PyErr_SetString(PyExc_ValueError, "the constraints belong to another model");
    return false;
  }
  s.constraints = Py_NewRef(given);
  if (table.rows > 0) s.run.constraints = &table;
  return true;
}

// Springs between points: names of two frames each, None for the world, and ten numbers: both points in their frames, stiffness,
// damping, length, whether it only pulls.
inline bool take_springs(Simulator& s, PyObject* model, PyObject* table) {
  PyObject *names = PyDict_GetItemString(table, "spring_frames"), *given = PyDict_GetItemString(table, "spring_data");
  if (!names || names == Py_None) return true;
  auto* a = reinterpret_cast<PyArrayObject*>(given);
  if (!PyTuple_Check(names) || !given || !PyArray_Check(given) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(a) ||
      PyArray_SIZE(a) != 5 * PyTuple_GET_SIZE(names) || PyTuple_GET_SIZE(names) % 2 != 0) {
    PyErr_SetString(PyExc_ValueError, "springs must be two names and ten numbers each");
    return false;
  }
  const auto* object = reinterpret_cast<ModelObject*>(model);
  const Model& m = object->model->tables;
  const auto* number = static_cast<const double*>(PyArray_DATA(a));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names) / 2; ++i, number += 10) {
    TwoPointSpring spring{};
    for (int e = 0; e < 2; ++e) {
      PyObject* name = PyTuple_GET_ITEM(names, 2 * i + e);
      spring.node[e] = -1;
      for (int k = 0; k < 3; ++k) spring.position[e][k] = number[3 * e + k];
      if (name == Py_None) continue;
      PyObject* index = PyDict_GetItemWithError(object->frame_index, name);
      if (!index) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_KeyError, "no frame %R", name);
        return false;
      }
      const FrameTable& f = m.frame[PyLong_AsLong(index)];
      spring.node[e] = f.node;
      for (int k = 0; k < 3; ++k) {
        spring.position[e][k] = f.position[k];
        for (int c = 0; c < 3; ++c) spring.position[e][k] += f.rotation[3 * c + k] * number[3 * e + c];
      }
    }
    spring.stiffness = number[6], spring.damping = number[7], spring.length = number[8], spring.pulls = number[9] != 0.0;
    s.springs.push_back(spring);
  }
  s.run.springs = static_cast<int>(s.springs.size()), s.run.spring = s.springs.data();
  return true;
}

}  // namespace tarsus
