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

// Tables of all meshes; each takes its part when its surface is read.
struct MeshTables {
  size_t triangles = 0, nodes = 0;  // used so far
};
bool read_meshes(Entries& e, OwnedWorld& w) {
  const long triangles = e.integer("triangles"), nodes = e.integer("tree_nodes");
  if (!e.good() || triangles < 0 || nodes < 0) return false;
  const double* corner = e.needed<double>("triangle_corner", 9 * triangles);
  const double* normal = e.needed<double>("triangle_normal", 21 * triangles);
  const int* rim = e.needed<int>("triangle_rim", 7 * triangles);
  const double* box = e.needed<double>("tree_box", 6 * nodes);
  if (!e.good()) return false;
  w.corners.assign(corner, corner + 9 * triangles), w.normals.assign(normal, normal + 21 * triangles);
  w.rims.assign(rim, rim + 7 * triangles), w.boxes.assign(box, box + 6 * nodes);
  return true;
}
bool take_mesh(const OwnedWorld& w, int triangles, int leaves, MeshTables& used, Surface& s) {
  const bool power = leaves > 0 && (leaves & (leaves - 1)) == 0;
  if (!power || triangles < 1 || (long)triangles > (long)leaves * kMeshLeaf) return false;
  if (21 * (used.triangles + triangles) > w.normals.size() || 6 * (used.nodes + 2 * (size_t)leaves) > w.boxes.size())
    return false;
  s.triangles = triangles, s.leaves = leaves, s.closed = true;
  s.corner = w.corners.data() + 9 * used.triangles, s.triangle_normal = w.normals.data() + 21 * used.triangles;
  s.rim = w.rims.data() + 7 * used.triangles, s.box = w.boxes.data() + 6 * used.nodes;
  for (size_t k = 0; k < 7 * (size_t)triangles; ++k) s.closed = s.closed && !s.rim[k];
  used.triangles += triangles, used.nodes += 2 * (size_t)leaves;
  return true;
}

bool read_surfaces(Entries& e, OwnedWorld& w) {
  const long n = e.integer("surfaces"), heights = e.integer("heights");
  if (!e.good() || n < 0 || heights < 0) return false;
  const int* kinds = e.needed<int>("surface_kind", 4 * n);        // kind, law, columns and rows, or triangles and leaves
  const double* data = e.needed<double>("surface_data", 21 * n);  // rotation, position, half extents, velocity, spin
  const double* parameters = e.needed<double>("law_parameters", kMostLawParameters * n);
  const double* height = e.needed<double>("height", heights);
  if (!e.good()) return false;
  w.heights.assign(height, height + heights);
  if (!read_meshes(e, w)) return false;
  MeshTables meshes;
  size_t used = 0;
  for (long i = 0; i < n; ++i) {
    Surface s{};
    const int* k = kinds + 4 * i;
    const double* d = data + 21 * i;
    s.kind = k[0], s.law = k[1];
    std::memcpy(s.rotation, d, sizeof(s.rotation)), std::memcpy(s.position, d + 9, sizeof(s.position));
    std::memcpy(s.half, d + 12, sizeof(s.half));
    std::memcpy(s.velocity, d + 15, sizeof(s.velocity)), std::memcpy(s.spin, d + 18, sizeof(s.spin));
    for (int k = 15; k < 21; ++k) s.moves = s.moves || d[k] != 0.0;
    w.tables.moves = w.tables.moves || s.moves;
    std::memcpy(s.parameter, parameters + kMostLawParameters * i, sizeof(s.parameter));
    if (s.law < 0 || s.law >= active_table->simulation->laws) return false;
    if (s.kind == kTriangleMesh && !take_mesh(w, k[2], k[3], meshes, s)) return false;
    if (s.kind == kHeightField) {
      s.columns = k[2], s.rows = k[3];
      const size_t size = s.columns > 1 && s.rows > 1 ? (size_t)s.columns * s.rows : 0;
      if (size == 0 || used + size > (size_t)heights) return false;
      s.height = w.heights.data() + used;
      used += size;
    }
    w.surfaces.push_back(s);
  }
  return true;
}

// Body axes to node axes: a point, or a direction.
void place_in_node(const Node& node, const double* from, bool point, double* to) {
  for (int r = 0; r < 3; ++r) {
    to[r] = point ? node.body_position[r] : 0.0;
    for (int c = 0; c < 3; ++c) to[r] += node.body_rotation[3 * c + r] * from[c];
  }
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
    place_in_node(node, data + 7 * i, true, f.a), place_in_node(node, data + 7 * i + 3, true, f.b);
    f.radius = data[7 * i + 6];
    w.features.push_back(f);
  }
  w.tables.contacts = contacts;
  return true;
}

// Convex solids: numbers of corners, faces and edges of each, then all of these one after the other.
bool read_solids(Entries& e, const Model& m, OwnedWorld& w) {
  const long n = e.integer("solids"), corners = e.integer("corners"), faces = e.integer("faces"), edges = e.integer("edges"),
             loops = e.integer("face_corners");
  if (!e.good() || n < 0 || corners < 0 || faces < 0 || edges < 0 || loops < 0) return false;
  const int* kinds = e.needed<int>("solid_kind", 4 * n);       // body, corners, faces, edges
  const double* data = e.needed<double>("solid_data", 5 * n);  // centre, reach, radius
  const double* corner = e.needed<double>("corner", 3 * corners);
  const int* face_kind = e.needed<int>("face_kind", faces);            // corners
  const double* face_data = e.needed<double>("face_data", 4 * faces);  // normal, offset
  const int* loop = e.needed<int>("face_corner", loops);
  const int* edge = e.needed<int>("edge", 4 * edges);  // two corners, two faces
  if (!e.good()) return false;
  w.solid_corners.resize(3 * corners), w.face_corners.assign(loop, loop + loops);
  w.faces.reserve(faces), w.edges.reserve(edges);  // pointers into them stay
  long c = 0, f = 0, g = 0, l = 0;
  for (long i = 0; i < n; ++i) {
    const int *k = kinds + 4 * i, body = k[0];
    if (body < 0 || body >= m.bodies || k[1] < 1 || k[1] > kMostCorners || k[2] < 0 || k[2] > kMostFaces || k[3] < 0)
      return false;
    if (c + k[1] > corners || f + k[2] > faces || g + k[3] > edges || (k[1] > 2 && (k[2] < 4 || k[3] < 6))) return false;
    Solid s{};
    s.node = m.body_node[body];
    const Node& node = m.node[s.node];
    place_in_node(node, data + 5 * i, true, s.centre);
    s.reach = data[5 * i + 3], s.radius = data[5 * i + 4];
    s.corners = k[1], s.faces = k[2], s.edges = k[3];
    s.corner = w.solid_corners.data() + 3 * c, s.face = w.faces.data() + f, s.edge = w.edges.data() + g;
    for (int x = 0; x < s.corners; ++x, ++c) place_in_node(node, corner + 3 * c, true, w.solid_corners.data() + 3 * c);
    for (int x = 0; x < s.faces; ++x, ++f) {
      SolidFace face{};
      place_in_node(node, face_data + 4 * f, false, face.normal);
      face.offset = face_data[4 * f + 3], face.corners = face_kind[f], face.corner = w.face_corners.data() + l;
      if (face.corners < 3 || face.corners > s.corners || l + face.corners > loops) return false;
      for (int y = 0; y < face.corners; ++y, ++l) {
        if (loop[l] < 0 || loop[l] >= s.corners) return false;
      }
      w.faces.push_back(face);
    }
    for (int x = 0; x < s.edges; ++x, ++g) {
      const int* y = edge + 4 * g;
      for (int z = 0; z < 4; ++z) {
        if (y[z] < 0 || y[z] >= (z < 2 ? s.corners : s.faces)) return false;
      }
      w.edges.push_back({{y[0], y[1]}, {y[2], y[3]}});
    }
    w.solids.push_back(s);
  }
  return c == corners && f == faces && g == edges && l == loops;
}

// Number of the motion of two nodes relative to each other.
int motion_of(OwnedWorld& w, int first, int second) {
  const size_t known = w.motions.size() / 2;
  for (size_t k = known; k-- > 0;) {  // pairs of the same bodies follow each other
    if (w.motions[2 * k] == first && w.motions[2 * k + 1] == second) return static_cast<int>(k);
  }
  w.motions.push_back(first), w.motions.push_back(second);
  return static_cast<int>(known);
}

// Pairs of solids, whose contacts follow those of the features.
bool read_pairs(Entries& e, OwnedWorld& w) {
  const long n = e.integer("pairs");
  if (!e.good() || n < 0) return false;
  const int* pair = e.needed<int>("pair", 4 * n);  // first, second, law, slots
  const double* parameters = e.needed<double>("pair_parameters", kMostLawParameters * n);
  if (!e.good()) return false;
  const int solids = static_cast<int>(w.solids.size());
  for (long i = 0; i < n; ++i) {
    const int* k = pair + 4 * i;
    if (k[0] < 0 || k[0] >= solids || k[1] < 0 || k[1] >= solids || k[2] < 0 || k[2] >= active_table->simulation->laws)
      return false;
    SolidPair p{};
    p.first = k[0], p.second = k[1], p.law = k[2], p.slots = k[3], p.contact = w.tables.contacts;
    if (p.slots != active_table->simulation->slots(w.solids[p.first].corners, w.solids[p.second].corners)) return false;
    std::memcpy(p.parameter, parameters + kMostLawParameters * i, sizeof(p.parameter));
    w.tables.contacts += p.slots;
    p.motion = motion_of(w, w.solids[p.first].node, w.solids[p.second].node);
    w.pairs.push_back(p);
  }
  return true;
}

// Nodes whose poses are needed: those with features and all on the way to them, or simply all.
void list_nodes(const Model& m, bool all, OwnedWorld& w) {
  std::vector<char> wanted(m.nodes, all);
  w.slots.assign(m.nodes, -1);
  int slots = 0;
  auto add = [&](int node) {
    if (w.slots[node] < 0) w.slots[node] = slots++;
    for (int i = node; i >= 0 && !wanted[i]; i = m.node[i].parent) wanted[i] = 1;
  };
  for (const Feature& f : w.features) add(f.node);
  for (const SolidPair& p : w.pairs) add(w.solids[p.first].node), add(w.solids[p.second].node);
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
  if (!read_surfaces(entries, *world) || !read_features(entries, m, *world) || !read_solids(entries, m, *world) ||
      !read_pairs(entries, *world)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "tables of the world do not fit together");
    return nullptr;
  }
  list_nodes(m, all, *world);
  World& w = world->tables;
  w.surfaces = static_cast<int>(world->surfaces.size()), w.surface = world->surfaces.data();
  w.features = static_cast<int>(world->features.size()), w.feature = world->features.data();
  w.solids = static_cast<int>(world->solids.size()), w.solid = world->solids.data();
  w.pairs = static_cast<int>(world->pairs.size()), w.pair = world->pairs.data();
  w.motions = static_cast<int>(world->motions.size() / 2), w.motion = world->motions.data();
  w.nodes = static_cast<int>(world->nodes.size()), w.node = world->nodes.data(), w.slot = world->slots.data();
  return PyCapsule_New(world.release(), kWorldName, free_world);
}

// pair_contacts(world, pair, X, Y): contacts (slots, 10) of two solids whose nodes' bodies have the poses X and Y (4 x 4): depth,
// points of both surfaces, normal.
PyObject* pair_contacts(PyObject*, PyObject* args) {
  PyObject *model = nullptr, *capsule = nullptr, *poses[2];
  int number = 0;
  if (!PyArg_ParseTuple(args, "O!OiO!O!", model_type, &model, &capsule, &number, &PyArray_Type, &poses[0], &PyArray_Type,
                        &poses[1])) {
    return nullptr;
  }
  auto* world = static_cast<OwnedWorld*>(PyCapsule_GetPointer(capsule, kWorldName));
  if (!world) return nullptr;
  const Model& m = reinterpret_cast<ModelObject*>(model)->model->tables;
  if (number < 0 || number >= world->tables.pairs || world->slots.size() != static_cast<size_t>(m.nodes)) {
    PyErr_SetString(PyExc_ValueError, "arguments of pair_contacts do not fit together");
    return nullptr;
  }
  const SolidPair& pair = world->pairs[number];
  double placed[2][12];  // columns of R_WN, p_WN
  for (int b = 0; b < 2; ++b) {
    auto* a = reinterpret_cast<PyArrayObject*>(poses[b]);
    if (PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(a) || PyArray_SIZE(a) != 16) {
      PyErr_SetString(PyExc_ValueError, "poses are plain arrays (4, 4)");
      return nullptr;
    }
    const auto* X = static_cast<const double*>(PyArray_DATA(a));
    const Node& node = m.node[world->solids[b == 0 ? pair.first : pair.second].node];
    for (int r = 0; r < 3; ++r) {  // R_WN = R_WB R_NB^T, p_WN = p_WB - R_WN p_NB
      double shift = 0.0;
      for (int c = 0; c < 3; ++c) {
        double sum = 0.0;
        for (int k = 0; k < 3; ++k) sum += X[4 * r + k] * node.body_rotation[3 * k + c];
        placed[b][3 * c + r] = sum, shift += sum * node.body_position[c];
      }
      placed[b][9 + r] = X[4 * r + 3] - shift;
    }
  }
  npy_intp shape[2] = {pair.slots, 10};
  PyObject* out = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
  if (!out) return nullptr;
  active_table->simulation->touch(world->tables, number, placed[0], placed[1],
                                  static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(out))));
  return out;
}

// surface_distances(tables, points): distances (rows) of points (rows, 3) to the nearest surface, and normals out of it.
PyObject* surface_distances(PyObject*, PyObject* args) {
  PyObject *dict = nullptr, *points = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &dict, &PyArray_Type, &points)) return nullptr;
  auto* p = reinterpret_cast<PyArrayObject*>(points);
  OwnedWorld world;
  Entries entries(dict);
  if (!read_surfaces(entries, world) || world.surfaces.empty() || PyArray_TYPE(p) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(p) ||
      PyArray_NDIM(p) != 2 || PyArray_DIM(p, 1) != 3) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "surfaces and points (rows, 3) are needed");
    return nullptr;
  }
  world.tables.surfaces = static_cast<int>(world.surfaces.size()), world.tables.surface = world.surfaces.data();
  npy_intp shape[2] = {PyArray_DIM(p, 0), 3};
  PyObject *gap = PyArray_SimpleNew(1, shape, NPY_DOUBLE), *normal = gap ? PyArray_SimpleNew(2, shape, NPY_DOUBLE) : nullptr;
  if (!normal) {
    Py_XDECREF(gap);
    return nullptr;
  }
  auto data = [](PyObject* x) { return static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(x))); };
  active_table->simulation->distances(world.tables, shape[0], data(points), data(gap), data(normal));
  return Py_BuildValue("(NN)", gap, normal);
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
