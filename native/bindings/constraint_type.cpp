// tarsus._native.ConstraintCore: owner of the native table of constraints of one model.
#include <string>

#include "bindings/python.hpp"

namespace tarsus {

PyTypeObject* constraint_type = nullptr;

namespace {

bool read_arrays(Fields& fields, ConstraintArrays& a) {
  npy_intp size = 0;
  const int* counts = nullptr;
  if (!fields.exactly("counts", 2, counts)) return false;
  a.rows = counts[0], a.drives = counts[1];
  if (!(a.pair_place = fields.array<int>("pair_place", size))) return false;
  const npy_intp pairs = a.pairs = static_cast<int>(size);
  if (!(a.pair_row = fields.array<int>("pair_row", size))) return false;
  const npy_intp pair_rows = a.pair_rows = static_cast<int>(size / 3);
  if (!(a.joint_offset = fields.array<double>("joint_offset", size))) return false;
  const npy_intp joints = a.joints = static_cast<int>(size);
  if (!(a.factor = fields.array<double>("factor", size))) return false;
  const npy_intp terms = a.terms = static_cast<int>(size);
  if (!(a.coefficient = fields.array<double>("coefficient", size))) return false;
  a.coefficients = static_cast<int>(size);
  return fields.exactly("pair", 3 * pairs, a.pair) && fields.exactly("pair_pose", 24 * pairs, a.pair_pose) &&
         fields.exactly("pair_row", 3 * pair_rows, a.pair_row) &&
         fields.exactly("pair_row_data", 10 * pair_rows, a.pair_row_data) && fields.exactly("joint", 6 * joints, a.joint) &&
         fields.exactly("term", 2 * terms, a.term);
}

// The frames of pairs are given by name, None for the world.
bool read_frames(ModelObject* model, PyObject* names, std::vector<int>& pair, const ConstraintArrays& a) {
  if (!names || !PyTuple_Check(names) || PyTuple_GET_SIZE(names) != 2 * (Py_ssize_t)a.pairs) {
    PyErr_SetString(PyExc_ValueError, "pair_frames must be a tuple of two names for each pair");
    return false;
  }
  pair.assign(a.pair, a.pair + 3 * (size_t)a.pairs);
  for (int i = 0; i < 2 * a.pairs; ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    int& frame = pair[3 * (i / 2) + i % 2];
    frame = -1;
    if (name == Py_None) continue;
    PyObject* index = PyDict_GetItemWithError(model->frame_index, name);
    if (!index) {
      if (!PyErr_Occurred()) PyErr_Format(PyExc_KeyError, "no frame %R", name);
      return false;
    }
    frame = static_cast<int>(PyLong_AsLong(index));
  }
  return true;
}

bool fill(ConstraintObject* self, ModelObject* model, PyObject* dict) {
  Fields fields(dict);
  ConstraintArrays arrays{};
  if (!read_arrays(fields, arrays)) return false;
  PyObject* said = fields.object("pair_failures");
  if (!said || !PyTuple_Check(said) || PyTuple_GET_SIZE(said) != arrays.pairs) {
    PyErr_SetString(PyExc_ValueError, "pair_failures must be a tuple of one text for each pair");
    return false;
  }
  try {
    std::vector<int> pair;
    if (!read_frames(model, fields.object("pair_frames"), pair, arrays)) return false;
    arrays.pair = pair.data();
    self->owned = new OwnedConstraints;
    const std::string wrong = self->owned->build(arrays, model->model->tables);
    if (!wrong.empty()) {
      PyErr_SetString(PyExc_ValueError, wrong.c_str());
      return false;
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return false;
  }
  Py_INCREF(said);
  self->pair_failures = said;
  return true;
}

PyObject* constraint_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *model = nullptr, *dict = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", model_type, &model, &PyDict_Type, &dict)) return nullptr;
  auto* self = reinterpret_cast<ConstraintObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  self->owned = nullptr, self->pair_failures = nullptr;
  if (!fill(self, reinterpret_cast<ModelObject*>(model), dict)) {
    Py_DECREF(self);
    return nullptr;
  }
  return reinterpret_cast<PyObject*>(self);
}

void constraint_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  auto* self = reinterpret_cast<ConstraintObject*>(object);
  delete self->owned;
  Py_CLEAR(self->pair_failures);
  type->tp_free(object);
  Py_DECREF(type);
}

PyType_Slot constraint_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(constraint_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(constraint_dealloc)},
    {Py_tp_doc, const_cast<char*>("Native table of the constraints of one model.")},
    {0, nullptr},
};
PyType_Spec constraint_spec = {"tarsus._native.ConstraintCore", sizeof(ConstraintObject), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, constraint_slots};

}  // namespace

PyTypeObject* make_constraint_type() {
  return constraint_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&constraint_spec));
}

}  // namespace tarsus
