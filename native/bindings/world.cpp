// World tables, and what there is of laws and integrators. What the tables mean and that they fit together is checked in Python
// (src/tarsus/simulation/world.py); here only sizes and kinds are, so that nothing is read out of bounds.
#include "bindings/world.hpp"

#include <cstring>
#include <memory>
#include <vector>

#include "bindings/entries.hpp"

namespace tarsus {
namespace {

void free_world(PyObject* capsule) { delete static_cast<OwnedWorld*>(PyCapsule_GetPointer(capsule, kWorldName)); }

bool read_surfaces(Entries& e, OwnedWorld& w) {
  const long n = e.integer("surfaces"), heights = e.integer("heights");
  if (!e.good() || n < 0 || heights < 0) return false;
  const int* kinds = e.needed<int>("surface_kind", 4 * n);        // kind, law, columns, rows
  const double* data = e.needed<double>("surface_data", 15 * n);  // rotation, position, half extents
  const double* parameters = e.needed<double>("law_parameters", kMostLawParameters * n);
  const double* height = e.needed<double>("height", heights);
  if (!e.good()) return false;
  w.heights.assign(height, height + heights);
  size_t used = 0;
  for (long i = 0; i < n; ++i) {
    Surface s{};
    const int* k = kinds + 4 * i;
    const double* d = data + 15 * i;
    s.kind = k[0], s.law = k[1], s.columns = k[2], s.rows = k[3];
    std::memcpy(s.rotation, d, sizeof(s.rotation)), std::memcpy(s.position, d + 9, sizeof(s.position));
    std::memcpy(s.half, d + 12, sizeof(s.half));
    std::memcpy(s.parameter, parameters + kMostLawParameters * i, sizeof(s.parameter));
    if (s.law < 0 || s.law >= active_table->simulation->laws) return false;
    if (s.kind == kHeightField) {
      const size_t size = s.columns > 1 && s.rows > 1 ? (size_t)s.columns * s.rows : 0;
      if (size == 0 || used + size > (size_t)heights) return false;
      s.height = w.heights.data() + used;
      used += size;
    }
    w.surfaces.push_back(s);
  }
  return true;
}

bool read_features(Entries& e, const Model& m, OwnedWorld& w) {
  const long n = e.integer("features");
  if (!e.good() || n < 0) return false;
  const int* kinds = e.needed<int>("feature_kind", 2 * n);  // kind, body
  const double* data = e.needed<double>("feature_data", 7 * n);
  if (!e.good()) return false;
  int contacts = 0;
  for (long i = 0; i < n; ++i) {
    const int kind = kinds[2 * i], body = kinds[2 * i + 1];
    if (body < 0 || body >= m.bodies || (kind != kPoint && kind != kSegment)) return false;
    const Node& node = m.node[m.body_node[body]];
    Feature f{};
    f.kind = kind, f.node = m.body_node[body], f.contact = contacts;
    contacts += kind == kSegment ? 2 : 1;
    auto place = [&](const double* from, double* to) {  // body axes to node axes
      for (int r = 0; r < 3; ++r) {
        to[r] = node.body_position[r];
        for (int c = 0; c < 3; ++c) to[r] += node.body_rotation[3 * c + r] * from[c];
      }
    };
    place(data + 7 * i, f.a), place(data + 7 * i + 3, f.b);
    f.radius = data[7 * i + 6];
    w.features.push_back(f);
  }
  w.tables.contacts = contacts;
  return true;
}

// Nodes whose poses are needed: those with features and all on the way to them, or simply all.
void list_nodes(const Model& m, bool all, OwnedWorld& w) {
  std::vector<char> wanted(m.nodes, all);
  w.slots.assign(m.nodes, -1);
  int slots = 0;
  for (const Feature& f : w.features) {
    if (w.slots[f.node] < 0) w.slots[f.node] = slots++;
    for (int i = f.node; i >= 0 && !wanted[i]; i = m.node[i].parent) wanted[i] = 1;
  }
  for (int i = 0; i < m.nodes; ++i) {
    if (wanted[i]) w.nodes.push_back(i);
  }
  w.tables.touchables = slots;
}

}  // namespace

// make_world(model, tables): surfaces and features as a capsule.
PyObject* make_world(PyObject*, PyObject* args) {
  PyObject *model = nullptr, *dict = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", model_type, &model, &PyDict_Type, &dict)) return nullptr;
  const Model& m = reinterpret_cast<ModelObject*>(model)->model->tables;
  auto world = std::make_unique<OwnedWorld>();
  Entries entries(dict);
  const bool all = entries.integer("all_nodes") != 0;
  if (!read_surfaces(entries, *world) || !read_features(entries, m, *world)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "tables of the world do not fit together");
    return nullptr;
  }
  list_nodes(m, all, *world);
  World& w = world->tables;
  w.surfaces = static_cast<int>(world->surfaces.size()), w.surface = world->surfaces.data();
  w.features = static_cast<int>(world->features.size()), w.feature = world->features.data();
  w.nodes = static_cast<int>(world->nodes.size()), w.node = world->nodes.data(), w.slot = world->slots.data();
  return PyCapsule_New(world.release(), kWorldName, free_world);
}

// contact_laws(): name to (number, names of the parameters).
PyObject* contact_laws(PyObject*, PyObject*) {
  const SimulationTable& table = *active_table->simulation;
  PyObject* found = PyDict_New();
  for (int i = 0; found && i < table.laws; ++i) {
    const LawRow& row = table.law[i];
    PyObject* names = PyTuple_New(row.parameters);
    for (int k = 0; names && k < row.parameters; ++k) {
      PyObject* name = PyUnicode_FromString(row.parameter[k]);
      if (name) {
        PyTuple_SET_ITEM(names, k, name);
      } else {
        Py_CLEAR(names);
      }
    }
    PyObject* entry = names ? Py_BuildValue("(iN)", i, names) : nullptr;
    if (!entry || PyDict_SetItemString(found, row.name, entry) < 0) Py_CLEAR(found);
    Py_XDECREF(entry);
  }
  return found;
}

// integrators(): name to (number, whether it chooses its steps by itself).
PyObject* integrators(PyObject*, PyObject*) {
  const SimulationTable& table = *active_table->simulation;
  PyObject* found = PyDict_New();
  for (int i = 0; found && i < table.integrators; ++i) {
    PyObject* entry = Py_BuildValue("(iO)", i, table.integrator[i].adaptive ? Py_True : Py_False);
    if (!entry || PyDict_SetItemString(found, table.integrator[i].name, entry) < 0) Py_CLEAR(found);
    Py_XDECREF(entry);
  }
  return found;
}

// contact_force(law, parameters, depth, velocity): forces (rows, 3) of a law without displacement, in axes whose third is the
// normal.
PyObject* contact_force(PyObject*, PyObject* args) {
  int law = 0;
  PyObject *parameters = nullptr, *depth = nullptr, *velocity = nullptr;
  if (!PyArg_ParseTuple(args, "iO!O!O!", &law, &PyArray_Type, &parameters, &PyArray_Type, &depth, &PyArray_Type, &velocity)) {
    return nullptr;
  }
  const SimulationTable& table = *active_table->simulation;
  auto plain = [](PyObject* x, npy_intp size) {
    auto* a = reinterpret_cast<PyArrayObject*>(x);
    return PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a) && PyArray_SIZE(a) == size;
  };
  npy_intp shape[2] = {PyArray_SIZE(reinterpret_cast<PyArrayObject*>(depth)), 3};
  if (law < 0 || law >= table.laws || !plain(parameters, kMostLawParameters) || !plain(depth, shape[0]) ||
      !plain(velocity, 3 * shape[0])) {
    PyErr_SetString(PyExc_ValueError, "arguments of contact_force do not fit together");
    return nullptr;
  }
  PyObject* force = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
  if (!force) return nullptr;
  auto data = [](PyObject* x) { return static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(x))); };
  table.contact_force(law, data(parameters), shape[0], data(depth), data(velocity), data(force));
  return force;
}

}  // namespace tarsus
