// tarsus._native.VolumeCore: owner of the native tables of a collision model. They are made and checked in Python
// (src/tarsus/collision/volume_table.py); here only sizes and ranges are, so that nothing is read out of bounds.
#include <new>

#include "bindings/python.hpp"

namespace tarsus {

PyTypeObject* volume_type = nullptr;

namespace {

bool read_arrays(Fields& fields, VolumeArrays& a) {
  npy_intp size = 0;
  if (!(a.frame = fields.array<int>("frame", size))) return false;
  a.robots = static_cast<int>(size);
  if (!(a.count = fields.array<int>("count", size))) return false;
  a.segments = static_cast<int>(size);
  if (!(a.radius = fields.array<double>("radius", size))) return false;
  a.volumes = static_cast<int>(size);
  if (!(a.pair = fields.array<int>("pair", size))) return false;
  a.pairs = static_cast<int>(size / 2);
  if (a.segments < a.robots) {
    PyErr_SetString(PyExc_ValueError, "there are fewer segments than frames");
    return false;
  }
  if (!(a.number = fields.array<double>("number", size))) return false;
  a.numbers = static_cast<int>(size);
  if (!(a.edge = fields.array<int>("edge", size))) return false;
  a.edge_entries = static_cast<int>(size);
  const npy_intp obstacles = a.segments - a.robots;
  if (!fields.exactly("solid", obstacles, a.solid) || !fields.exactly("size", 3 * obstacles, a.size)) return false;
  return fields.exactly("pair", 2 * (npy_intp)a.pairs, a.pair) && fields.exactly("vertices", a.volumes, a.vertices) &&
         fields.exactly("vertex", 9 * (npy_intp)a.volumes, a.vertex) &&
         fields.exactly("pose", kPoseNumbers * (npy_intp)(a.segments - a.robots), a.pose);
}

bool fill(VolumeObject* self, ModelObject* model, PyObject* dict) {
  Fields fields(dict);
  VolumeArrays arrays{};
  if (!read_arrays(fields, arrays)) return false;
  try {
    self->owned = new OwnedVolumes;
    const std::string wrong = self->owned->build(arrays, model->model->tables);
    if (wrong.empty()) return true;
    PyErr_SetString(PyExc_ValueError, wrong.c_str());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  return false;
}

PyObject* volume_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *model = nullptr, *dict = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", model_type, &model, &PyDict_Type, &dict)) return nullptr;
  auto* self = reinterpret_cast<VolumeObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  self->owned = nullptr;
  if (fill(self, reinterpret_cast<ModelObject*>(model), dict)) return reinterpret_cast<PyObject*>(self);
  Py_DECREF(self);
  return nullptr;
}

void volume_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<VolumeObject*>(object)->owned;
  type->tp_free(object);
  Py_DECREF(type);
}

PyType_Slot volume_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(volume_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(volume_dealloc)},
    {Py_tp_doc, const_cast<char*>("Native tables of a collision model.")},
    {0, nullptr},
};
PyType_Spec volume_spec = {"tarsus._native.VolumeCore", sizeof(VolumeObject), 0, Py_TPFLAGS_DEFAULT, volume_slots};

}  // namespace

PyTypeObject* make_volume_type() { return volume_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&volume_spec)); }

}  // namespace tarsus
