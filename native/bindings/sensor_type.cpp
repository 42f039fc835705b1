// tarsus._native.SensorCore: what perfect sensors of one model read. The table is made and checked in Python
// (src/tarsus/devices/sensors/native_truth.py); here only sizes and ranges are, so that nothing is read out of bounds.
#include <cstring>
#include <new>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/entries.hpp"
#include "sensors/truth.hpp"

namespace tarsus {
namespace {

constexpr long kFewRobots = 8;  // that take less time than handing the GIL over and back

struct Sensors {
  SensedTable table{};
  std::vector<SensedEntry> entries;
  std::vector<int> part_frames, contacts;
  std::vector<double> parts, numbers;
  std::vector<FrameTable> frames;
  std::vector<double> motions;  // scratch: poses of all robots, then twists, then accelerations
  PyObject* model = nullptr;
  bool busy = false;

  Sensors() = default;
  Sensors(const Sensors&) = delete;
  Sensors& operator=(const Sensors&) = delete;
  ~Sensors() { Py_XDECREF(model); }
};

struct SensorObject {
  PyObject_HEAD Sensors* sensors;
};

const Operation* motion_operation() {
  static const Operation* const found = [] {
    const Operation* o = nullptr;
    for (int i = 0; (o = active_table->operation(i)) && std::strcmp(o->function, "frame_motions") != 0; ++i) {
    }
    return o;
  }();
  return found;
}

bool within(int first, int count, size_t size) { return first >= 0 && count >= 0 && static_cast<size_t>(first) + count <= size; }

// Whether an entry reads and writes inside of the tables.
bool fits(const Sensors& s, const SensedEntry& e, const Model& m) {
  const bool pose = e.place >= 0 && static_cast<size_t>(e.place) < s.frames.size();
  const bool behind = within(e.first, e.parts, s.part_frames.size()) && within(e.contact, e.contacts, s.contacts.size());
  const int channels = e.kind == kSensedInertial || e.kind == kSensedWrench ? 6 : 1;
  if (!within(e.channel, channels, s.table.channels)) return false;
  switch (e.kind) {
    case kSensedPosition: return within(e.place, 1, m.nq);
    case kSensedInertial: return pose && within(e.number, 18, s.numbers.size());
    case kSensedWrench: return pose && behind;
    case kSensedComponent: return pose && behind && within(e.number, 6, s.numbers.size());
    case kSensedForce: return behind;
    default: return false;
  }
}

bool read_table(Entries& e, const Model& m, Sensors& s) {
  SensedTable& t = s.table;
  t.entries = static_cast<int>(e.integer("entries")), t.channels = static_cast<int>(e.integer("channels"));
  t.contacts = static_cast<int>(e.integer("contacts"));
  const long parts = e.integer("parts"), numbers = e.integer("numbers"), listed = e.integer("listed");
  if (!e.good() || t.entries < 0 || t.channels < 1 || t.contacts < 0 || parts < 0 || numbers < 0 || listed < 0) return false;
  const int* entry = e.needed<int>("entry", (size_t)t.entries * kSensedEntryNumbers);
  const int *part_frame = e.needed<int>("part_frame", parts), *contact = e.needed<int>("contact", listed);
  const double* part = e.needed<double>("part", (size_t)parts * kPartNumbers);
  const double* number = e.needed<double>("number", numbers);
  if (!e.good()) return false;
  for (int k = 0; k < t.entries; ++k, entry += kSensedEntryNumbers) {
    s.entries.push_back({entry[0], entry[1], entry[2], entry[3], entry[4], entry[5], entry[6], entry[7]});
  }
  s.part_frames.assign(part_frame, part_frame + parts), s.contacts.assign(contact, contact + listed);
  s.parts.assign(part, part + parts * kPartNumbers), s.numbers.assign(number, number + numbers);
  for (const int frame : s.part_frames) {
    if (!within(frame, 1, s.frames.size())) return false;
  }
  for (const int c : s.contacts) {
    if (!within(c, 1, t.contacts)) return false;
  }
  for (const SensedEntry& one : s.entries) {
    if (!fits(s, one, m)) return false;
  }
  t.entry = s.entries.data(), t.part_frame = s.part_frames.data(), t.contact = s.contacts.data();
  t.part = s.parts.data(), t.numbers = s.numbers.data(), t.frames = static_cast<int>(s.frames.size());
  return true;
}

// Motions of all frames; false where a state is refused.
bool move_frames(Sensors& s, Call& call, bool single) {
  auto* model = reinterpret_cast<ModelObject*>(s.model);
  BorrowedWorkspace workspace(*model);
  call.workspace = workspace.get();
  if (!call.workspace) return false;
  if (single) {
    active_table->run_single(call);
  } else {
    active_table->run_rows(call);
  }
  return call.status == kOk;
}

void sense_all(const Sensors& s, const Call& call, const double* position, const double* force, double* out) {
  const Model& m = *call.model;
  const size_t frames = s.frames.size(), rows = call.rows, contacts = 3 * (size_t)s.table.contacts;
  const double *X = s.motions.data(), *V = X + 16 * frames * rows, *A = V + 6 * frames * rows;
  for (size_t r = 0; r < rows; ++r) {
    sense(s.table,
          {call.q + r * m.nq, X + 16 * frames * r, V + 6 * frames * r, A + 6 * frames * r, position + contacts * r,
           force + contacts * r, m.gravity},
          out + r * s.table.channels);
  }
}

const double* plain(PyObject* object, size_t size) {
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  const bool fine = PyArray_Check(object) && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a);
  if (fine && static_cast<size_t>(PyArray_SIZE(a)) == size) return static_cast<const double*>(PyArray_DATA(a));
  PyErr_Format(PyExc_ValueError, "expected a plain array of %zu entries", size);
  return nullptr;
}

// sense(q, v, vdot, position, force, out): false where a state is refused, and something else must tell why.
PyObject* sense_robots(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  Sensors& s = *reinterpret_cast<SensorObject*>(object)->sensors;
  const Model& m = reinterpret_cast<ModelObject*>(s.model)->model->tables;
  if (count != 6 || !PyArray_Check(args[5])) {
    PyErr_SetString(PyExc_TypeError, "sense(q, v, vdot, position, force, out)");
    return nullptr;
  }
  auto* result = reinterpret_cast<PyArrayObject*>(args[5]);
  const size_t rows = PyArray_SIZE(result) / s.table.channels, contacts = 3 * (size_t)s.table.contacts;
  Call call{};
  call.operation = motion_operation(), call.model = &m, call.plan = reinterpret_cast<ModelObject*>(s.model)->plan;
  const double *position = nullptr, *force = nullptr;
  if (!(call.q = plain(args[0], rows * m.nq)) || !(call.v = plain(args[1], rows * m.nv)) ||
      !(call.a = plain(args[2], rows * m.nv)) || !(position = plain(args[3], rows * contacts)) ||
      !(force = plain(args[4], rows * contacts)) || !plain(args[5], rows * s.table.channels)) {
    return nullptr;
  }
  if (!PyArray_ISWRITEABLE(result) || s.busy) {
    PyErr_SetString(PyExc_ValueError, s.busy ? "the sensors are in use in another thread" : "the result must be writeable");
    return nullptr;
  }
  try {
    s.motions.resize(28 * s.frames.size() * rows);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  call.out = s.motions.data(), call.frames = s.frames.data(), call.frame_count = static_cast<int>(s.frames.size());
  call.rows = call.end = static_cast<long>(rows);
  const bool single = PyArray_NDIM(result) == 1;
  auto* out = static_cast<double*>(PyArray_DATA(result));
  bool fine = true;
  s.busy = true;
  PyThreadState* state = call.rows > kFewRobots ? PyEval_SaveThread() : nullptr;
  if (!s.frames.empty() && rows > 0) fine = move_frames(s, call, single);
  if (fine) sense_all(s, call, position, force, out);
  if (state) PyEval_RestoreThread(state);
  s.busy = false;
  return PyBool_FromLong(fine);
}

PyObject* sensor_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *model = nullptr, *frames = nullptr, *table = nullptr;
  if (!PyArg_ParseTuple(args, "O!OO!", model_type, &model, &frames, &PyDict_Type, &table)) return nullptr;
  auto* self = reinterpret_cast<SensorObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  try {
    self->sensors = new Sensors;
    Sensors& s = *self->sensors;
    s.model = Py_NewRef(model);
    auto* owner = reinterpret_cast<ModelObject*>(model);
    Entries e(table);
    if (choose_frames(owner, frames, s.frames) && read_table(e, owner->model->tables, s))
      return reinterpret_cast<PyObject*>(self);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "tables of the sensors do not fit together");
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  Py_DECREF(self);
  return nullptr;
}

void sensor_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<SensorObject*>(object)->sensors;
  type->tp_free(object);
  Py_DECREF(type);
}

PyMethodDef sensor_methods[] = {
    {"sense", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(sense_robots)), METH_FASTCALL,
     "sense(q, v, vdot, position, force, out)\n--\n\nWhat is sensed; False where a state is refused."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot sensor_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(sensor_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(sensor_dealloc)},
    {Py_tp_methods, sensor_methods},
    {Py_tp_doc, const_cast<char*>("What perfect sensors of one model read.")},
    {0, nullptr},
};
PyType_Spec sensor_spec = {"tarsus._native.SensorCore", sizeof(SensorObject), 0, Py_TPFLAGS_DEFAULT, sensor_slots};

}  // namespace

PyTypeObject* make_sensor_type() { return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&sensor_spec)); }

}  // namespace tarsus
