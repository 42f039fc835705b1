#include "model/build.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "math/rotation.hpp"
#include "model/closures.hpp"
#include "model/elimination_tree.hpp"

namespace tarsus {
namespace {

using host::cross;
using host::dot;
using V3 = host::Vec3<double>;
using M3 = host::Mat3<double>;

constexpr double kAligned = 1e-15;  // deviation from a coordinate axis below which an axis is that axis, rounded

struct Pose {
  M3 R;
  V3 p;
};

V3 times(const M3& R, const V3& v) { return host::to_parent(R, v); }
M3 times(const M3& A, const M3& B) { return {times(A, B.a), times(A, B.b), times(A, B.c)}; }
M3 transposed(const M3& A) { return {{A.a.x, A.b.x, A.c.x}, {A.a.y, A.b.y, A.c.y}, {A.a.z, A.b.z, A.c.z}}; }
Pose times(const Pose& A, const Pose& B) { return {times(A.R, B.R), times(A.R, B.p) + A.p}; }
Pose pose_of(const double* x) { return {{{x[0], x[4], x[8]}, {x[1], x[5], x[9]}, {x[2], x[6], x[10]}}, {x[3], x[7], x[11]}}; }
double norm(const V3& v) { return std::sqrt(dot(v, v)); }
V3 unit(const V3& v) { return (1.0 / norm(v)) * v; }
void put(double* to, const V3& v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
void put(double* to, const M3& R) { put(to, R.a), put(to + 3, R.b), put(to + 6, R.c); }

// Right-handed axes with the given z, x as close to `hint` as z allows.
M3 axes_about(const V3& z, const V3& hint) {
  V3 x = hint - dot(hint, z) * z;
  if (norm(x) < 1e-6) {
    const V3 other = std::fabs(z.x) < 0.9 ? V3{1, 0, 0} : V3{0, 1, 0};
    x = other - dot(other, z) * z;
  }
  x = unit(x);
  x = unit(x - dot(x, z) * z);  // once more: a hint nearly along z loses digits
  return {x, cross(z, x), z};
}

// Second moments from inertia about the same point: S = trace(I)/2 - I, and back.
void second_from_inertia(const double* inertia, double* second) {
  const double half = 0.5 * (inertia[0] + inertia[1] + inertia[2]);
  for (int k = 0; k < 3; ++k) second[k] = half - inertia[k], second[3 + k] = -inertia[3 + k];
}

}  // namespace

void set_inertia(Node& n, const double* body) {
  const double *R = n.body_rotation, *p = n.body_position;
  const Pose X_NB{{{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}}, {p[0], p[1], p[2]}};
  const V3 com = times(X_NB.R, V3{body[1], body[2], body[3]}) + X_NB.p;
  const host::Sym3<double> moments = host::congruence(X_NB.R, host::sym3(body + 4));
  n.mass = body[0];
  put(n.first, n.mass * com);
  const double c2 = dot(com, com), m = n.mass;
  const double inertia[6] = {moments.xx + m * (c2 - com.x * com.x), moments.yy + m * (c2 - com.y * com.y),
                             moments.zz + m * (c2 - com.z * com.z), moments.xy - m * com.x * com.y,
                             moments.xz - m * com.x * com.z,        moments.yz - m * com.y * com.z};
  for (int k = 0; k < 6; ++k) n.inertia[k] = inertia[k];
  second_from_inertia(inertia, n.second);
}

namespace {

struct Builder {
  const ModelArrays& a;
  OwnedModel& m;
  std::vector<int> first_child;  // body, -1 where none
  std::vector<Pose> X_NB;        // of the nodes

  V3 row3(const double* x, int body) const { return {x[3 * body], x[3 * body + 1], x[3 * body + 2]}; }

  // Axis of the first child of a body, in the axes of the body at rest: what a free choice of x is best aligned with.
  V3 hint(int body) const {
    const int child = first_child[body];
    if (child < 0) return {1, 0, 0};
    return times(pose_of(a.pose + 12 * child).R, row3(a.axis, child));
  }

  // Axes of a node whose joint frame has the rotation R_PJ in the parent node's frame. A turn whose axis is one of the parent's
  // gets the arm of that permutation, and the sign of its direction.
  M3 choose_axes(Node& n, const M3& R_PJ, const V3& axis, const V3& axis2, const V3& hint_J) const {
    if (arm_of(n).axes == kJointFrame) return R_PJ;
    if (arm_of(n).axes == kTwoTangents) return times(R_PJ, M3{axis, axis2, cross(axis, axis2)});
    const V3 z = times(R_PJ, axis);
    const double along[3] = {z.x, z.y, z.z};
    for (int k = 0; k < 3 && is_turn(n.arm); ++k) {
      if (1.0 - std::fabs(along[k]) > kAligned) continue;
      if (std::fabs(along[(k + 1) % 3]) > kAligned || std::fabs(along[(k + 2) % 3]) > kAligned) continue;
      // z of the child is axis k of the parent: k = 2, 0, 1 are the permutations 0, 1, 2
      const M3 permutation[3] = {
          {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
      n.arm = k == 2 ? kTurn0 : k == 0 ? kTurn1 : kTurn2;
      n.sign = along[k] > 0 ? 1.0 : -1.0;
      return permutation[k];
    }
    return axes_about(unit(z), times(R_PJ, hint_J));
  }

  // Nodes of the joint of one body, the parts of its kind in a row.
  void add_body(int body, int& q, int& v) {
    const JointParts& joint = kJoint[a.kind[body]];
    const V3 axis[2] = {row3(a.axis, body), row3(a.axis2, body)};
    const Pose X_JB = pose_of(a.child_pose + 12 * body);
    const V3 child_hint = times(X_JB.R, hint(body));
    int parent = a.parent[body] < 0 ? -1 : m.body_node[a.parent[body]];
    Pose X_PJ = pose_of(a.pose + 12 * body);
    if (parent >= 0) X_PJ = times(X_NB[parent], X_PJ);
    for (int k = 0; k < joint.nodes; ++k) {
      const JointParts::Part& part = joint.part[k];
      const bool last = k + 1 == joint.nodes;
      // x of an inner node looks along the next axis where that is another one, else to what hangs on the body.
      const bool bends = !last && joint.part[k + 1].axis != part.axis;
      Node n{};
      n.parent = parent, n.arm = part.arm, n.body = last ? body : -1, n.slot = -1;
      n.sign = is_placed(part.arm) && arm_of(n).signed_dof >= 0 ? a.sign[body] : 1.0;
      const M3 R_PN = choose_axes(n, X_PJ.R, axis[part.axis], axis[1], bends ? axis[joint.part[k + 1].axis] : child_hint);
      put(n.e0, R_PN.a), put(n.e1, R_PN.b), put(n.e2, R_PN.c), put(n.p, X_PJ.p);
      n.q = q, n.v = v, n.dof = arm_of(n).dof, n.pitch = a.pitch[body];
      n.armature = n.dof == 1 ? a.armature[v] : 0.0;
      q += arm_of(n).nq, v += n.dof;
      X_PJ = {times(transposed(R_PN), X_PJ.R), {0, 0, 0}};  // of the joint frame in this node, which the next one hangs on
      X_NB.push_back(last ? times(X_PJ, X_JB) : X_PJ);
      if (last) {
        put(n.body_rotation, X_NB.back().R), put(n.body_position, X_NB.back().p);
        set_inertia(n, a.inertia + 10 * body);
      }
      parent = static_cast<int>(m.nodes.size());
      m.nodes.push_back(n);
    }
    m.body_node[body] = parent;
  }
};

// Facts about the finished tree that the kernels' loops use.
void link_nodes(OwnedModel& m) {
  std::vector<char> has_child(m.nodes.size(), 0);
  int slots = 0;
  for (size_t i = m.nodes.size(); i-- > 0;) {
    Node& n = m.nodes[i];
    n.leaf = !has_child[i];
    if (n.parent >= 0) {
      n.opens = !has_child[n.parent];
      has_child[n.parent] = 1;
      n.grounded = is_fixed(m.nodes[n.parent]);
    }
  }
  for (Node& n : m.nodes) {
    if (is_placed(n.arm)) n.slot = slots++;
  }
  m.tables.slots = slots;
  m.dof_parent.assign(m.tables.tree_nv, -1);
  std::vector<int> last(m.nodes.size(), -1);  // last degree of freedom at or above each node
  for (size_t i = 0; i < m.nodes.size(); ++i) {
    const Node& n = m.nodes[i];
    last[i] = n.parent >= 0 ? last[n.parent] : -1;
    for (int k = n.v; k < n.v + n.dof; ++k) m.dof_parent[k] = last[i], last[i] = k;
  }
}

// What is wrong with the numbers of bodies, joints and couplings; empty where nothing is.
std::string check_arrays(const ModelArrays& a) {
  if (a.bodies < 1) return "a model needs at least one body";
  int nq = 0, nv = 0;
  for (int i = 0; i < a.bodies; ++i) {
    if (a.parent[i] >= i || (i == 0) != (a.parent[i] < 0)) return "bodies must be numbered parents first with one root";
    if (a.kind[i] < 0 || a.kind[i] >= kJointKinds || (i > 0 && joint_size(a.kind[i]).nv == 0)) return "unexpected joint kind";
    nq += joint_size(a.kind[i]).nq, nv += joint_size(a.kind[i]).nv;
  }
  if (nq != a.tree_nq || nv != a.tree_nv) return "coordinates do not match the joints";
  auto out_of_range = [](const int* leader, int count, int size) {
    return std::any_of(leader, leader + count, [&](int k) { return k < -1 || k >= size; });
  };
  if (out_of_range(a.leader_q, nq, a.nq) || out_of_range(a.leader_v, nv, a.nv)) return "coupling out of range";
  return {};
}

// Frames, moved from their bodies to the nodes that carry them; false where a body is not there.
bool add_frames(const ModelArrays& a, const std::vector<Pose>& X_NB, OwnedModel& m) {
  for (int i = 0; i < a.frames; ++i) {
    if (a.frame_body[i] < 0 || a.frame_body[i] >= a.bodies) return false;
    FrameTable f;
    f.node = m.body_node[a.frame_body[i]];
    const Pose X = times(X_NB[f.node], pose_of(a.frame_pose + 12 * i));
    put(f.rotation, X.R), put(f.position, X.p);
    m.frame_tables.push_back(f);
  }
  return true;
}

void copy_joint_numbers(const ModelArrays& a, OwnedModel& m) {
  const int n = a.tree_nv;
  m.reference_q.assign(a.reference_q, a.reference_q + (a.reference_q ? a.tree_nq : 0));
  m.armature.assign(a.armature, a.armature + n), m.damping.assign(a.damping, a.damping + n);
  m.friction.assign(a.friction, a.friction + n), m.stiffness.assign(a.stiffness, a.stiffness + n);
  m.rest.assign(a.rest, a.rest + n);
}

// Springs of joints whose coordinates are no vectors; the rest of a rotation is given as a vector.
void add_pose_springs(OwnedModel& m) {
  for (const Node& n : m.nodes) {
    const ArmFacts& arm = arm_of(n);
    if (arm.quaternion < 0) continue;
    const int turn = n.v + arm.translations;
    PoseSpring s{n.q, n.v, n.q + arm.quaternion, turn, m.stiffness[turn], arm.translations ? m.stiffness[n.v] : 0.0, {}, {}};
    if (s.stiffness == 0.0 && s.pull == 0.0) continue;
    const double *w = m.rest.data() + turn, angle = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double per = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
    s.rest[0] = std::cos(0.5 * angle);
    for (int k = 0; k < 3; ++k) s.rest[k + 1] = per * w[k], s.place[k] = arm.translations ? m.rest[n.v + k] : 0.0;
    m.pose_springs.push_back(s);
  }
}

// Weights that are carried, moved from the bodies to their nodes; none where nothing is.
void add_carried(const ModelArrays& a, const std::vector<Pose>& X_NB, OwnedModel& m) {
  if (std::all_of(a.carried, a.carried + 4 * (size_t)a.bodies, [](double x) { return x == 0.0; })) return;
  m.carried.assign(m.nodes.size(), CarriedWeight{});
  for (int i = 0; i < a.bodies; ++i) {
    const double* given = a.carried + 4 * i;
    const Pose& X = X_NB[m.body_node[i]];
    CarriedWeight& c = m.carried[m.body_node[i]];
    c.mass = given[0];
    put(c.first, times(X.R, V3{given[1], given[2], given[3]}) + given[0] * X.p);
  }
}

// Sorts independent coordinates by how they move: as vectors, or by groups of rotations and motions. False where their number is
// not what the arrays say.
bool sort_coordinates(const ModelArrays& a, OwnedModel& m) {
  m.spring_q.assign(a.tree_nv, -1);
  int q = 0, v = 0;
  for (int i = 0; i < a.bodies; ++i) {
    for (int part = 1 - kJoint[a.kind[i]].nodes; part <= 0; ++part) {
      const Node& n = m.nodes[m.body_node[i] + part];
      const ArmFacts& arm = arm_of(n);
      const bool vector = arm.group == kVectorGroup;
      for (int d = 0; d < arm.dof && vector; ++d) m.spring_q[n.v + d] = n.q + d;
      if (!a.independent[i]) continue;
      for (int d = 0; d < arm.dof && vector; ++d) m.vector_q.push_back(q + d), m.vector_v.push_back(v + d);
      if (!vector) m.manifold.push_back({n.arm, arm.group, q, v, n.sign});
      if (arm.quaternion >= 0) m.quaternion.push_back(q + arm.quaternion);
      q += arm.nq, v += arm.dof;
    }
  }
  return q == a.nq && v == a.nv;
}

// Sizes, and pointers to what the vectors hold.
void point(const ModelArrays& a, OwnedModel& m) {
  static std::atomic<long> models{0};
  Model& t = m.tables;
  t.serial = ++models;
  t.nodes = static_cast<int>(m.nodes.size()), t.bodies = a.bodies, t.frames = a.frames;
  t.nq = a.nq, t.nv = a.nv, t.tree_nq = a.tree_nq, t.tree_nv = a.tree_nv, t.coupled = a.nv != a.tree_nv;
  t.quaternions = static_cast<int>(m.quaternion.size()), t.manifolds = static_cast<int>(m.manifold.size());
  t.vector_dofs = static_cast<int>(m.vector_q.size());
  for (const Node& n : m.nodes) t.total_mass += n.mass;
  for (int k = 0; k < 3; ++k) t.gravity[k] = a.gravity[k];
  t.node = m.nodes.data(), t.body_node = m.body_node.data(), t.dof_parent = m.dof_parent.data();
  t.frame = m.frame_tables.data(), t.quaternion = m.quaternion.data(), t.reference_q = m.reference_q.data();
  t.manifold = m.manifold.data(), t.vector_q = m.vector_q.data(), t.vector_v = m.vector_v.data();
  t.armature = m.armature.data(), t.damping = m.damping.data(), t.friction = m.friction.data();
  t.stiffness = m.stiffness.data(), t.rest = m.rest.data(), t.spring_q = m.spring_q.data();
  t.pose_springs = static_cast<int>(m.pose_springs.size()), t.pose_spring = m.pose_springs.data();
  t.carried = m.carried.empty() ? nullptr : m.carried.data();
  t.sliding_armatures = static_cast<int>(m.sliding_armatures.size()), t.sliding_armature = m.sliding_armatures.data();
}

}  // namespace

std::vector<SlidingArmature> sliding_armatures_of(const std::vector<Node>& nodes, const std::vector<double>& armature) {
  std::vector<SlidingArmature> found;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& n = nodes[i];
    if (arm_of(n).translations == 0 || armature[n.v] == 0.0) continue;
    found.push_back({static_cast<int>(i), n.v, arm_of(n).group == kMotions2, armature[n.v], n.sign});
  }
  return found;
}

std::string OwnedModel::build(const ModelArrays& a) {
  const std::string wrong = check_arrays(a);
  if (!wrong.empty()) return wrong;
  Builder builder{a, *this, std::vector<int>(a.bodies, -1), {}};
  for (int i = a.bodies - 1; i > 0; --i) builder.first_child[a.parent[i]] = i;
  body_node.assign(a.bodies, 0);
  for (int i = 0, q = 0, v = 0; i < a.bodies; ++i) builder.add_body(i, q, v);
  tables.tree_nv = a.tree_nv;
  link_nodes(*this);
  if (!add_frames(a, builder.X_NB, *this)) return "frame on an unknown body";
  copy_joint_numbers(a, *this);
  add_pose_springs(*this), add_carried(a, builder.X_NB, *this);
  sliding_armatures = sliding_armatures_of(nodes, armature);
  if (!sort_coordinates(a, *this)) return "independent coordinates do not match the joints";
  point(a, *this);
  const std::string open = build_closures(a, *this);
  if (!open.empty() || !tables.coupled) return open;
  reduced_parent = elimination_tree(tables);
  tables.reduced_parent = reduced_parent.data();
  return {};
}

}  // namespace tarsus
