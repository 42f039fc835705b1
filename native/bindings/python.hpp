// What the binding files share: Python and NumPy headers, errors, the model type.
#pragma once
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_23_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL tarsus_numpy
#ifndef TARSUS_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <Python.h>
#include <numpy/arrayobject.h>

#include <atomic>
#include <vector>

#include "collision/build.hpp"
#include "dispatch/call.hpp"
#include "model/build.hpp"

namespace tarsus {

extern const KernelTable* active_table;

constexpr int kSlots = 16;  // workspaces kept per model; more callers at once allocate their own

struct ModelObject {
  PyObject_HEAD OwnedModel* model;
  void* plan;
  std::atomic<void*> workspace[kSlots];
  PyObject* frame_index;  // dict of name to int
  PyObject* recent_name;  // the name that was looked up last, and its frame: most programs ask again and again
  const FrameTable* recent_frame;
  PyObject* joint_names;    // tuple
  PyObject* closure_names;  // tuple: what is said of a closure that cannot be solved
  int quaternion_base;      // q has a quaternion where the base is free; otherwise it is converted first
};

extern PyTypeObject* model_type;
PyTypeObject* make_model_type();

// tarsus._native.ConstraintCore: the table of constraints of one model.
struct ConstraintObject {
  PyObject_HEAD OwnedConstraints* owned;
  PyObject* pair_failures;  // tuple: what is said of a pair that has no direction
};

extern PyTypeObject* constraint_type;
PyTypeObject* make_constraint_type();

// tarsus._native.VolumeCore: volumes of one model and of obstacles (volume_type.cpp).
struct VolumeObject {
  PyObject_HEAD OwnedVolumes* owned;
};

extern PyTypeObject* volume_type;
PyTypeObject* make_volume_type();

// tarsus._native.SimulatorCore: robots in a world (simulator_type.cpp).
PyTypeObject* make_simulator_type();

// tarsus._native.SensorCore: what sensors of a model read (sensor_type.cpp).
PyTypeObject* make_sensor_type();

// tarsus._native.FilterCore: the filter of a BaseEstimator (filter_type.cpp).
PyTypeObject* make_filter_type();

// tarsus._native.TaskCore: tasks of a model, and inverse kinematics of them (task_type.cpp).
PyTypeObject* make_task_type();
// tarsus._native.StepCore: steps of velocity-level inverse kinematics (step_type.cpp).
PyTypeObject* make_step_type();
// tarsus._native.BodyCore: steps of whole-body control (body_type.cpp).
PyTypeObject* make_body_type();
// tarsus._native.ProgramCore: a quadratic program (quadratic_program_type.cpp).
PyTypeObject* make_program_type();

// A workspace of the model for the caller's use alone.
class BorrowedWorkspace {
 public:
  explicit BorrowedWorkspace(ModelObject& model) : model_(model), workspace_(nullptr) {
    for (auto& slot : model_.workspace) {
      if ((workspace_ = slot.exchange(nullptr, std::memory_order_acquire))) return;
    }
    workspace_ = active_table->make_workspace(model_.model->tables);
  }
  ~BorrowedWorkspace() {
    if (!workspace_) return;
    for (auto& slot : model_.workspace) {
      void* empty = nullptr;
      if (slot.compare_exchange_strong(empty, workspace_, std::memory_order_release, std::memory_order_relaxed)) return;
    }
    active_table->free_workspace(workspace_);
  }
  BorrowedWorkspace(const BorrowedWorkspace&) = delete;
  BorrowedWorkspace& operator=(const BorrowedWorkspace&) = delete;
  void* get() const { return workspace_; }

 private:
  ModelObject& model_;
  void* workspace_;
};

// Raises tarsus.errors.<name> with a message formatted as by PyUnicode_FromFormat.
void raise_error(const char* name, const char* format, ...);

// Arrays of a dict, kept alive while they are read.
class Fields {
 public:
  explicit Fields(PyObject* dict) : dict_(dict) {}
  ~Fields() {
    for (PyObject* o : kept_) Py_DECREF(o);
  }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  template <class T>
  const T* array(const char* name, npy_intp& size) {
    PyObject* value = PyDict_GetItemString(dict_, name);
    if (!value) {
      PyErr_Format(PyExc_KeyError, "missing field %s", name);
      return nullptr;
    }
    const int type = sizeof(T) == sizeof(double) ? NPY_DOUBLE : NPY_INT32;
    PyObject* array = PyArray_FROM_OTF(value, type, NPY_ARRAY_CARRAY_RO);
    if (!array) return nullptr;
    kept_.push_back(array);
    size = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(array));
    return static_cast<const T*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
  }
  template <class T>
  bool exactly(const char* name, npy_intp expected, const T*& out) {
    npy_intp size = 0;
    out = array<T>(name, size);
    if (!out) return false;
    if (size != expected) {
      PyErr_Format(PyExc_ValueError, "field %s has %zd entries, expected %zd", name, (Py_ssize_t)size, (Py_ssize_t)expected);
      return false;
    }
    return true;
  }
  PyObject* object(const char* name) { return PyDict_GetItemString(dict_, name); }

 private:
  PyObject* dict_;
  std::vector<PyObject*> kept_;
};

PyObject* make_function(PyObject* module, PyObject* args, PyObject* keywords);
PyObject* methods_of(PyObject* module, PyObject* name);
int ready_functions();
PyObject* set_prepare(PyObject* module, PyObject* callable);
PyObject* make_world(PyObject* module, PyObject* args);
PyObject* pair_contacts(PyObject* module, PyObject* args);
PyObject* volume_distances(PyObject* module, PyObject* args);
PyObject* enumeration(PyObject* module, PyObject* name);
PyObject* solve_programs(PyObject* module, PyObject* args);
PyObject* contact_laws(PyObject* module, PyObject* none);
PyObject* integrators(PyObject* module, PyObject* none);
PyObject* contact_force(PyObject* module, PyObject* args);
PyObject* surface_distances(PyObject* module, PyObject* args);
PyObject* rasterise(PyObject* module, PyObject* tables);
PyObject* shaded(PyObject* module, PyObject* tables);
PyObject* tell_relative_poses(PyObject* module, PyObject* const* args, Py_ssize_t count);

}  // namespace tarsus
