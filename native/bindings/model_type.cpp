// tarsus._native.ModelCore: owner of the native tables, base class of tarsus.Model.
#include <cstdarg>
#include <string>

#include "bindings/python.hpp"
#include "model/closures.hpp"

namespace tarsus {

PyTypeObject* model_type = nullptr;

void raise_error(const char* name, const char* format, ...) {
  PyObject* module = PyImport_ImportModule("tarsus.errors");
  PyObject* type = module ? PyObject_GetAttrString(module, name) : nullptr;
  Py_XDECREF(module);
  if (!type) return;
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(type, format, arguments);
  va_end(arguments);
  Py_DECREF(type);
}

namespace {

bool read_arrays(Fields& fields, ModelArrays& a) {
  npy_intp size = 0;
  if (!(a.parent = fields.array<int>("parent", size))) return false;
  const npy_intp n = a.bodies = static_cast<int>(size);
  if (!(a.frame_body = fields.array<int>("frame_body", size))) return false;
  a.frames = static_cast<int>(size);
  if (!(a.leader_q = fields.array<int>("leader_q", size))) return false;
  const npy_intp nq = a.tree_nq = static_cast<int>(size);
  if (!(a.leader_v = fields.array<int>("leader_v", size))) return false;
  const npy_intp nv = a.tree_nv = static_cast<int>(size);
  a.nq = a.nv = 0;
  for (npy_intp k = 0; k < nq; ++k)
    a.nq = a.leader_q[k] + 1 > a.nq ? a.leader_q[k] + 1 : a.nq;  // independent ones lead themselves
  for (npy_intp k = 0; k < nv; ++k) a.nv = a.leader_v[k] + 1 > a.nv ? a.leader_v[k] + 1 : a.nv;
  if (!(a.closure_kind = fields.array<int>("closure_kind", size))) return false;
  const npy_intp closures = a.closures = static_cast<int>(size);
  if (!fields.exactly("closure_size", 6 * closures, a.closure_size)) return false;
  npy_intp dofs = 0, independents = 0, rows = 0, slopes = 0, table = 0, weights = 0;
  for (npy_intp i = 0; i < closures; ++i) {
    const int* s = a.closure_size + 6 * i;
    for (int k = 0; k < 6; ++k) {
      if (s[k] < 0) {
        PyErr_SetString(PyExc_ValueError, "closure_size must not be negative");
        return false;
      }
    }
    dofs += s[0] + s[1], independents += s[1], rows += s[2], slopes += (npy_intp)s[0] * s[1];
    weights += (npy_intp)s[5] * s[2];
    table += closure_table_size(a.closure_kind[i], s[0], s[3]);
  }
  if (!(fields.exactly("closure_dof", dofs, a.closure_dof) && fields.exactly("closure_coordinate", dofs, a.closure_coordinate) &&
        fields.exactly("closure_independent", 2 * independents, a.closure_independent) &&
        fields.exactly("closure_row", 3 * rows, a.closure_row) &&
        fields.exactly("closure_row_data", 12 * rows, a.closure_row_data) &&
        fields.exactly("closure_slope", slopes, a.closure_slope) && fields.exactly("closure_table", table, a.closure_table) &&
        fields.exactly("closure_weight", weights, a.closure_weight) &&
        fields.exactly("closure_grid", 2 * closures, a.closure_grid) && fields.exactly("reference_q", nq, a.reference_q))) {
    return false;
  }
  return fields.exactly("kind", n, a.kind) && fields.exactly("pose", 12 * n, a.pose) &&
         fields.exactly("child_pose", 12 * n, a.child_pose) && fields.exactly("axis", 3 * n, a.axis) &&
         fields.exactly("axis2", 3 * n, a.axis2) && fields.exactly("pitch", n, a.pitch) && fields.exactly("sign", n, a.sign) &&
         fields.exactly("inertia", 10 * n, a.inertia) && fields.exactly("carried", 4 * n, a.carried) &&
         fields.exactly("independent", n, a.independent) && fields.exactly("armature", nv, a.armature) &&
         fields.exactly("damping", nv, a.damping) && fields.exactly("friction", nv, a.friction) &&
         fields.exactly("stiffness", nv, a.stiffness) && fields.exactly("rest", nv, a.rest) &&
         fields.exactly("ratio_q", nq, a.ratio_q) && fields.exactly("offset_q", nq, a.offset_q) &&
         fields.exactly("ratio_v", nv, a.ratio_v) && fields.exactly("frame_pose", 12 * (npy_intp)a.frames, a.frame_pose) &&
         fields.exactly("gravity", 3, a.gravity);
}

void clear(ModelObject* self) {
  for (auto& slot : self->workspace) {
    if (void* workspace = slot.exchange(nullptr)) active_table->free_workspace(workspace);
  }
  if (self->plan) active_table->free_plan(self->plan);
  self->plan = nullptr;
  delete self->model;
  self->model = nullptr;
  Py_CLEAR(self->frame_index);
  Py_CLEAR(self->recent_name);
  Py_CLEAR(self->joint_names);
  Py_CLEAR(self->closure_names);
}

bool fill(ModelObject* self, PyObject* dict) {
  Fields fields(dict);
  ModelArrays arrays{};
  if (!read_arrays(fields, arrays)) return false;
  try {
    self->model = new OwnedModel;
    const std::string wrong = self->model->build(arrays);
    if (!wrong.empty()) {
      PyErr_SetString(PyExc_ValueError, wrong.c_str());
      return false;
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return false;
  }
  self->plan = active_table->make_plan(self->model->tables);
  PyObject* names = fields.object("frame_names");
  PyObject* joints = fields.object("joint_names");
  PyObject* closures = fields.object("closure_names");
  PyObject* quaternion = fields.object("quaternion_base");
  if (!names || !PyTuple_Check(names) || PyTuple_GET_SIZE(names) != arrays.frames || !joints || !PyTuple_Check(joints) ||
      PyTuple_GET_SIZE(joints) != arrays.bodies || !quaternion || !closures || !PyTuple_Check(closures) ||
      PyTuple_GET_SIZE(closures) != self->model->tables.closures) {
    PyErr_SetString(PyExc_ValueError, "frame_names, joint_names, closure_names and quaternion_base must fit the arrays");
    return false;
  }
  self->quaternion_base = PyObject_IsTrue(quaternion);
  Py_INCREF(joints);
  self->joint_names = joints;
  Py_INCREF(closures);
  self->closure_names = closures;
  if (!(self->frame_index = PyDict_New())) return false;
  for (int i = 0; i < arrays.frames; ++i) {
    PyObject* index = PyLong_FromLong(i);
    const int failed = !index || PyDict_SetItem(self->frame_index, PyTuple_GET_ITEM(names, i), index) < 0;
    Py_XDECREF(index);
    if (failed) return false;
  }
  return true;
}

PyObject* model_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* dict = nullptr;
  if (!PyArg_ParseTuple(args, "O!", &PyDict_Type, &dict)) return nullptr;
  auto* self = reinterpret_cast<ModelObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  self->model = nullptr, self->plan = nullptr, self->frame_index = nullptr, self->recent_name = nullptr;
  self->joint_names = nullptr, self->closure_names = nullptr;
  for (auto& slot : self->workspace) new (&slot) std::atomic<void*>(nullptr);
  if (!fill(self, dict)) {
    Py_DECREF(self);
    return nullptr;
  }
  return reinterpret_cast<PyObject*>(self);
}

void model_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  clear(reinterpret_cast<ModelObject*>(object));
  type->tp_free(object);
  Py_DECREF(type);
}

PyType_Slot model_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(model_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(model_dealloc)},
    {Py_tp_doc, const_cast<char*>("Native tables of a model; the base class of tarsus.Model.")},
    {0, nullptr},
};
PyType_Spec model_spec = {"tarsus._native.ModelCore", sizeof(ModelObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          model_slots};

}  // namespace

PyTypeObject* make_model_type() { return model_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&model_spec)); }

}  // namespace tarsus
