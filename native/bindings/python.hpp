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

#include "dispatch/call.hpp"
#include "model/build.hpp"

namespace tarsus {

extern const KernelTable* active_table;

constexpr int kSlots = 16;  // workspaces kept per model; more callers at once allocate their own

struct ModelObject {
  PyObject_HEAD OwnedModel* model;
  void* plan;
  std::atomic<void*> workspace[kSlots];
  PyObject* frame_index;    // dict of name to int
  PyObject* joint_names;    // tuple
  PyObject* closure_names;  // tuple: what is said of a closure that cannot be solved
  int quaternion_base;      // q has a quaternion where the base is free; otherwise it is converted first
};

extern PyTypeObject* model_type;
PyTypeObject* make_model_type();

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

PyObject* make_function(PyObject* module, PyObject* args, PyObject* keywords);
int ready_functions();
PyObject* set_prepare(PyObject* module, PyObject* callable);

}  // namespace tarsus
