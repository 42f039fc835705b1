// tarsus._native.TaskCore: tasks of one model (task_type.cpp), and what is done with them.
#pragma once
#include "bindings/python.hpp"

namespace tarsus {

struct Tasks {
  OwnedTasks owned;
  PyObject* model = nullptr;

  Tasks() = default;
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  ~Tasks() { Py_XDECREF(model); }
};

struct TaskObject {
  PyObject_HEAD Tasks* tasks;
};

extern PyTypeObject* task_type;

inline const Model& model_of(const Tasks& t) { return reinterpret_cast<ModelObject*>(t.model)->model->tables; }

// predict(run, volumes) of a TaskCore (predictive.cpp).
PyObject* predict(PyObject* tasks, PyObject* args);

}  // namespace tarsus
