#include "model/build.hpp"

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

}  // namespace

JointSize joint_size(int kind) {
  switch (kind) {
    case kRevolute:
    case kPrismatic:
    case kHelical: return {1, 1};
    case kCylindrical:
    case kUniversal: return {2, 2};
    case kSpherical: return {4, 3};
    case kPlanar: return {3, 3};
    case kFree: return {7, 6};
    default: return {0, 0};
  }
}

namespace {

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

// Mass properties of a body, given about its centre of mass in body axes, put into the node frame.
void set_inertia(Node& n, const double* body, const Pose& X_NB) {
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

  // Appends a node whose joint frame has the pose X_PJ in the parent node's frame, with its axis given in J.
  // Returns R_NJ at the zero configuration.
  M3 append(int parent, int arm, const Pose& X_PJ, const V3& axis, const M3* exact, const V3& hint_J) {
    Node n{};
    n.parent = parent, n.arm = arm, n.body = -1, n.slot = -1, n.sign = 1.0;
    M3 R_PN = X_PJ.R;
    if (exact) {
      R_PN = times(X_PJ.R, *exact);
    } else {
      const V3 z = times(X_PJ.R, axis);
      const double along[3] = {z.x, z.y, z.z};
      bool aligned = false;
      for (int k = 0; k < 3 && arm == kTurnGeneral; ++k) {
        if (1.0 - std::fabs(along[k]) > kAligned) continue;
        if (std::fabs(along[(k + 1) % 3]) > 1e-15 || std::fabs(along[(k + 2) % 3]) > 1e-15) continue;
        // z of the child is axis k of the parent: k = 2, 0, 1 are the permutations 0, 1, 2
        const M3 permutation[3] = {
            {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        R_PN = permutation[k];
        n.arm = k == 2 ? kTurn0 : k == 0 ? kTurn1 : kTurn2;
        n.sign = along[k] > 0 ? 1.0 : -1.0;
        aligned = true;
      }
      if (!aligned) R_PN = axes_about(unit(z), times(X_PJ.R, hint_J));
    }
    put(n.e0, R_PN.a), put(n.e1, R_PN.b), put(n.e2, R_PN.c), put(n.p, X_PJ.p);
    m.nodes.push_back(n);
    return times(transposed(R_PN), X_PJ.R);
  }

  // Nodes of the joint of one body.
  void add_body(int body, int& q, int& v) {
    const int kind = a.kind[body], parent_body = a.parent[body];
    const int parent = parent_body < 0 ? -1 : m.body_node[parent_body];
    const Pose X_PJ = parent < 0 ? pose_of(a.pose + 12 * body) : times(X_NB[parent], pose_of(a.pose + 12 * body));
    const Pose X_JB = pose_of(a.child_pose + 12 * body);
    const V3 axis = row3(a.axis, body), axis2 = row3(a.axis2, body);
    const V3 child_hint = times(X_JB.R, hint(body));
    const M3 same = host::identity3<double>();
    M3 R_NJ = same;
    auto finish = [&](int dof, int nq) {
      Node& n = m.nodes.back();
      n.q = q, n.v = v, n.dof = dof, n.pitch = a.pitch[body];
      n.armature = dof == 1 ? a.armature[v] : 0.0;
      q += nq, v += dof;
    };
    switch (kind) {
      case kFixed:
        R_NJ = append(parent, kRoot, X_PJ, axis, &same, child_hint);
        finish(0, 0);
        break;
      case kRevolute:
        R_NJ = append(parent, kTurnGeneral, X_PJ, axis, nullptr, child_hint);
        finish(1, 1);
        break;
      case kPrismatic:
        R_NJ = append(parent, kSlide, X_PJ, axis, nullptr, child_hint);
        finish(1, 1);
        break;
      case kHelical:
        R_NJ = append(parent, kScrew, X_PJ, axis, nullptr, child_hint);
        finish(1, 1);
        break;
      case kCylindrical: {
        const M3 inner = append(parent, kSlide, X_PJ, axis, nullptr, child_hint);
        finish(1, 1);
        X_NB.push_back({inner, {0, 0, 0}});
        R_NJ = append(static_cast<int>(m.nodes.size()) - 1, kTurnGeneral, {inner, {0, 0, 0}}, axis, nullptr, child_hint);
        finish(1, 1);
        break;
      }
      case kUniversal: {
        const M3 inner = append(parent, kTurnGeneral, X_PJ, axis, nullptr, axis2);
        finish(1, 1);
        X_NB.push_back({inner, {0, 0, 0}});
        R_NJ = append(static_cast<int>(m.nodes.size()) - 1, kTurnGeneral, {inner, {0, 0, 0}}, axis2, nullptr, child_hint);
        finish(1, 1);
        break;
      }
      case kSpherical:
        R_NJ = append(parent, kBall, X_PJ, axis, &same, child_hint);
        finish(3, 4);
        break;
      case kPlanar: {
        const M3 tangents{axis, axis2, cross(axis, axis2)};
        R_NJ = append(parent, kPlane, X_PJ, axis, &tangents, child_hint);
        m.nodes.back().sign = a.sign[body];
        finish(3, 3);
        break;
      }
      default: R_NJ = append(parent, kFloat, X_PJ, axis, &same, child_hint); finish(6, 7);
    }
    Node& n = m.nodes.back();
    n.body = body;
    const Pose X = times(Pose{R_NJ, {0, 0, 0}}, X_JB);
    X_NB.push_back(X);
    put(n.body_rotation, X.R), put(n.body_position, X.p);
    set_inertia(n, a.inertia + 10 * body, X);
    m.body_node[body] = static_cast<int>(m.nodes.size()) - 1;
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
      n.grounded = m.nodes[n.parent].arm == kRoot;
    }
  }
  for (Node& n : m.nodes) {
    if (n.arm == kBall || n.arm == kPlane || n.arm == kFloat) n.slot = slots++;
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

}  // namespace

std::string OwnedModel::build(const ModelArrays& a) {
  if (a.bodies < 1) return "a model needs at least one body";
  int tree_nq = 0, tree_nv = 0;
  for (int i = 0; i < a.bodies; ++i) {
    if (a.parent[i] >= i || (i == 0) != (a.parent[i] < 0)) return "bodies must be numbered parents first with one root";
    if (a.kind[i] < kFixed || a.kind[i] > kFree || (i > 0 && a.kind[i] == kFixed)) return "unexpected joint kind";
    tree_nq += joint_size(a.kind[i]).nq, tree_nv += joint_size(a.kind[i]).nv;
  }
  if (tree_nq != a.tree_nq || tree_nv != a.tree_nv) return "coordinates do not match the joints";
  for (int k = 0; k < tree_nq; ++k) {
    if (a.leader_q[k] < -1 || a.leader_q[k] >= a.nq) return "coupling out of range";
  }
  for (int k = 0; k < tree_nv; ++k) {
    if (a.leader_v[k] < -1 || a.leader_v[k] >= a.nv) return "coupling out of range";
  }
  Builder builder{a, *this, std::vector<int>(a.bodies, -1), {}};
  for (int i = a.bodies - 1; i > 0; --i) builder.first_child[a.parent[i]] = i;
  body_node.assign(a.bodies, 0);
  for (int i = 0, q = 0, v = 0; i < a.bodies; ++i) builder.add_body(i, q, v);
  tables.tree_nv = tree_nv;
  link_nodes(*this);

  for (int i = 0; i < a.frames; ++i) {
    if (a.frame_body[i] < 0 || a.frame_body[i] >= a.bodies) return "frame on an unknown body";
    FrameTable f;
    f.node = body_node[a.frame_body[i]];
    const Pose X = times(builder.X_NB[f.node], pose_of(a.frame_pose + 12 * i));
    put(f.rotation, X.R), put(f.position, X.p);
    frame_tables.push_back(f);
  }
  reference_q.assign(a.reference_q, a.reference_q + (a.reference_q ? tree_nq : 0));
  armature.assign(a.armature, a.armature + tree_nv), damping.assign(a.damping, a.damping + tree_nv);
  friction.assign(a.friction, a.friction + tree_nv), stiffness.assign(a.stiffness, a.stiffness + tree_nv);
  rest.assign(a.rest, a.rest + tree_nv);
  spring_q.assign(tree_nv, -1);
  int q = 0, v = 0, tree_q = 0, tree_v = 0;
  for (int i = 0; i < a.bodies; ++i) {
    const JointSize size = joint_size(a.kind[i]);
    const int arm = nodes[body_node[i]].arm;
    const bool vector = size.nq == size.nv && arm != kPlane;
    for (int k = 0; k < size.nv && vector; ++k) spring_q[tree_v + k] = tree_q + k;
    tree_q += size.nq, tree_v += size.nv;
    if (!a.independent[i]) continue;
    for (int k = 0; k < size.nv && vector; ++k) vector_q.push_back(q + k), vector_v.push_back(v + k);
    if (!vector) manifold.push_back({arm, q, v, nodes[body_node[i]].sign});
    if (arm == kBall || arm == kFloat) quaternion.push_back(q + (arm == kFloat ? 3 : 0));
    q += size.nq, v += size.nv;
  }
  if (q != a.nq || v != a.nv) return "independent coordinates do not match the joints";

  static std::atomic<long> models{0};
  Model& t = tables;
  t.serial = ++models;
  t.nodes = static_cast<int>(nodes.size()), t.bodies = a.bodies, t.frames = a.frames;
  t.nq = a.nq, t.nv = a.nv, t.tree_nq = tree_nq, t.tree_nv = tree_nv, t.coupled = a.nv != tree_nv;
  t.quaternions = static_cast<int>(quaternion.size()), t.manifolds = static_cast<int>(manifold.size());
  t.vector_dofs = static_cast<int>(vector_q.size());
  for (const Node& n : nodes) t.total_mass += n.mass;
  for (int k = 0; k < 3; ++k) t.gravity[k] = a.gravity[k];
  t.node = nodes.data(), t.body_node = body_node.data(), t.dof_parent = dof_parent.data(), t.frame = frame_tables.data();
  t.quaternion = quaternion.data(), t.reference_q = reference_q.data();
  t.manifold = manifold.data(), t.vector_q = vector_q.data(), t.vector_v = vector_v.data();
  t.armature = armature.data(), t.damping = damping.data(), t.friction = friction.data();
  t.stiffness = stiffness.data(), t.rest = rest.data(), t.spring_q = spring_q.data();
  const std::string wrong = build_closures(a, *this);
  if (wrong.empty() && t.coupled) {
    reduced_parent = elimination_tree(t);
    t.reduced_parent = reduced_parent.data();
  }
  return wrong;
}

}  // namespace tarsus
