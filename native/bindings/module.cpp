// The extension module tarsus._native.
#define TARSUS_IMPORTS_NUMPY
#include <cstdlib>
#include <string>

#include "bindings/python.hpp"
#include "bindings/result_memory.hpp"
#include "dispatch/select.hpp"
#include "threads/pool.hpp"

namespace tarsus {

const KernelTable* active_table = nullptr;

namespace {

PyObject* native_info(PyObject*, PyObject*) {
  PyObject *compiled = PyList_New(0), *available = PyList_New(0);
  for (const KernelTable* table : compiled_tables()) {
    PyObject* name = PyUnicode_FromString(table->name);
    PyList_Append(compiled, name);
    if (runs_here(*table)) PyList_Append(available, name);
    Py_DECREF(name);
  }
  return Py_BuildValue("{s:s,s:i,s:N,s:N,s:s,s:i}", "isa", active_table->name, "lanes", active_table->lanes, "compiled", compiled,
                       "available", available, "compiler", __VERSION__, "cores", hardware_threads());
}

PyObject* kept_memory(PyObject*, PyObject*) { return PyLong_FromSize_t(kept_result_memory()); }

PyObject* release_memory(PyObject*, PyObject*) {
  release_result_memory();
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"function", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(make_function)), METH_VARARGS | METH_KEYWORDS,
     "function(name, doc='')\n--\n\nThe native function of that name as a built-in with the given documentation."},
    {"methods", methods_of, METH_O,
     "methods(function)\n--\n\nMethods of a function, each with the one whose way it goes where joints depend on others."},
    {"set_prepare", set_prepare, METH_O, "set_prepare(callable)\n--\n\nInstall the function that converts unusual arguments."},
    {"make_world", make_world, METH_VARARGS, "make_world(model, tables)\n--\n\nSurfaces and contact features, ready for runs."},
    {"pair_contacts", pair_contacts, METH_VARARGS,
     "pair_contacts(model, world, pair, X, Y)\n--\n\nContacts (slots, 10) of a pair of solids at the poses of their bodies."},
    {"volume_distances", volume_distances, METH_VARARGS,
     "volume_distances(a, radius_a, b, radius_b, results, threads)\n--\n\nDistances of pairs of swept spheres, into the "
     "results."},
    {"kept_memory", kept_memory, METH_NOARGS, "kept_memory()\n--\n\nBytes of freed results that are kept for later ones."},
    {"release_memory", release_memory, METH_NOARGS, "release_memory()\n--\n\nGive memory of freed results back to the system."},
    {"contact_laws", contact_laws, METH_NOARGS, "contact_laws()\n--\n\nNumbers and parameters of contact laws by name."},
    {"integrators", integrators, METH_NOARGS, "integrators()\n--\n\nNumbers of integrators by name, and whether adaptive."},
    {"surface_distances", surface_distances, METH_VARARGS,
     "surface_distances(tables, points)\n--\n\nDistances of points to the nearest surface, and normals out of it."},
    {"contact_force", contact_force, METH_VARARGS,
     "contact_force(law, parameters, depth, velocity)\n--\n\nForces of a law on points, in axes whose third is the normal."},
    {"rasterise", rasterise, METH_O, "rasterise(tables)\n--\n\nNearest triangle at every sample of a picture, and its depth."},
    {"shaded", shaded, METH_O, "shaded(tables)\n--\n\nPicture of lit triangles: red, green, blue, opacity."},
    {"solve_programs", solve_programs, METH_VARARGS,
     "solve_programs(H, g, C, lower, upper, weight, bounded, limit, threads, x, multipliers, sides, status, iterations, "
     "residuals)\n--\n\nA batch of quadratic programs into given arrays."},
    {"relative_poses", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(tell_relative_poses)), METH_FASTCALL,
     "relative_poses(X, p, R)\n--\n\nPositions and rotations of poses as seen from the first one, into the results."},
    {"enumeration", enumeration, METH_O, "enumeration(name)\n--\n\nNames and numbers of a native enumeration."},
    {"native_info", native_info, METH_NOARGS, "native_info()\n--\n\nInstruction set in use and what was compiled."},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "Native core of tarsus.", -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace tarsus

PyMODINIT_FUNC PyInit__native() {
  using namespace tarsus;
  import_array();
  std::string message;
  active_table = select_table(std::getenv("TARSUS_ISA"), message);
  if (!active_table) {
    PyErr_SetString(PyExc_ImportError, message.c_str());
    return nullptr;
  }
  PyObject* module = PyModule_Create(&definition);
  if (!module || !make_model_type() || !make_constraint_type() || !make_volume_type() || ready_functions() < 0) return nullptr;
  if (PyModule_AddObjectRef(module, "ConstraintCore", reinterpret_cast<PyObject*>(constraint_type)) < 0) return nullptr;
  if (PyModule_AddObjectRef(module, "VolumeCore", reinterpret_cast<PyObject*>(volume_type)) < 0) return nullptr;
  if (PyModule_AddObjectRef(module, "ModelCore", reinterpret_cast<PyObject*>(model_type)) < 0) return nullptr;
  PyTypeObject* simulator = make_simulator_type();
  if (!simulator || PyModule_AddObject(module, "SimulatorCore", reinterpret_cast<PyObject*>(simulator)) < 0) return nullptr;
  PyTypeObject* sensor = make_sensor_type();
  if (!sensor || PyModule_AddObject(module, "SensorCore", reinterpret_cast<PyObject*>(sensor)) < 0) return nullptr;
  PyTypeObject* filter = make_filter_type();
  if (!filter || PyModule_AddObject(module, "FilterCore", reinterpret_cast<PyObject*>(filter)) < 0) return nullptr;
  PyTypeObject* task = make_task_type();
  if (!task || PyModule_AddObject(module, "TaskCore", reinterpret_cast<PyObject*>(task)) < 0) return nullptr;
  PyTypeObject* step = make_step_type();
  if (!step || PyModule_AddObject(module, "StepCore", reinterpret_cast<PyObject*>(step)) < 0) return nullptr;
  PyTypeObject* body = make_body_type();
  if (!body || PyModule_AddObject(module, "BodyCore", reinterpret_cast<PyObject*>(body)) < 0) return nullptr;
  PyTypeObject* program = make_program_type();
  if (!program || PyModule_AddObject(module, "ProgramCore", reinterpret_cast<PyObject*>(program)) < 0) return nullptr;
  return module;
}
