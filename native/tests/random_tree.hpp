// Random trees with every kind of joint, as the flat arrays from which the native core builds its tables.
#pragma once
#include <random>

#include "model/build.hpp"
#include "tests/check.hpp"

namespace tests {

struct Random {
  std::mt19937_64 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); }
  bool chance(double p) { return uniform(0, 1) < p; }
  Numbers numbers(size_t n, double scale) {
    Numbers x(n);
    for (double& e : x) e = uniform(-scale, scale);
    return x;
  }
  Numbers unit(size_t n) {
    std::normal_distribution<double> normal;
    Numbers x(n);
    double square = 0;
    for (double& e : x) e = normal(engine), square += e * e;
    for (double& e : x) e /= std::sqrt(square);
    return x;
  }
};

struct Size {
  int nq, nv;
};
inline Size joint_size(int kind) {
  const Size sizes[] = {{0, 0}, {1, 1}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, {4, 3}, {3, 3}, {7, 6}};
  return sizes[kind];
}

struct Tree {
  std::string name;
  std::vector<int> parent, kind, independent, leader_q, leader_v, frame_body;
  Numbers pose, child_pose, axis, axis2, pitch, sign, inertia, carried, armature, damping, friction, stiffness, rest;
  Numbers ratio_q, offset_q, ratio_v, frame_pose, gravity;
  std::vector<int> tree_q, tree_v;  // where joints start in the coordinates of the tree
  std::vector<int> own_q;           // where independent joints start in q, -1 for the others
  int nq = 0, nv = 0, tree_nq = 0, tree_nv = 0;

  int bodies() const { return static_cast<int>(parent.size()); }
  int frames() const { return static_cast<int>(frame_body.size()); }

  tarsus::ModelArrays arrays() const {
    tarsus::ModelArrays a{};
    a.bodies = bodies(), a.frames = frames();
    a.parent = parent.data(), a.kind = kind.data(), a.pose = pose.data(), a.child_pose = child_pose.data();
    a.axis = axis.data(), a.axis2 = axis2.data(), a.pitch = pitch.data(), a.sign = sign.data();
    a.inertia = inertia.data(), a.carried = carried.data(), a.independent = independent.data();
    a.armature = armature.data(), a.damping = damping.data(), a.friction = friction.data();
    a.stiffness = stiffness.data(), a.rest = rest.data();
    a.leader_q = leader_q.data(), a.leader_v = leader_v.data();
    a.ratio_q = ratio_q.data(), a.offset_q = offset_q.data(), a.ratio_v = ratio_v.data();
    a.frame_body = frame_body.data(), a.frame_pose = frame_pose.data(), a.gravity = gravity.data();
    a.nq = nq, a.nv = nv, a.tree_nq = tree_nq, a.tree_nv = tree_nv;
    return a;
  }

  Numbers random_q(Random& r) const {
    Numbers q(nq);
    for (double& e : q) e = r.uniform(-2, 2);
    for (int i = 0; i < bodies(); ++i) {
      if (own_q[i] < 0 || (kind[i] != tarsus::kSpherical && kind[i] != tarsus::kFree)) continue;
      const Numbers unit = r.unit(4);
      std::copy(unit.begin(), unit.end(), q.begin() + own_q[i] + (kind[i] == tarsus::kFree ? 3 : 0));
    }
    return q;
  }

  // Coordinates of all joints of the tree from the independent ones.
  Numbers expand_q(const Numbers& q) const {
    Numbers tree(tree_nq);
    for (int k = 0; k < tree_nq; ++k) tree[k] = ratio_q[k] * q[leader_q[k]] + offset_q[k];
    return tree;
  }
  Numbers expand_v(const Numbers& v) const {
    Numbers tree(tree_nv);
    for (int k = 0; k < tree_nv; ++k) tree[k] = ratio_v[k] * v[leader_v[k]];
    return tree;
  }
  Numbers reduce(const Numbers& tau) const {
    Numbers out(nv, 0.0);
    for (int k = 0; k < tree_nv; ++k) out[leader_v[k]] += ratio_v[k] * tau[k];
    return out;
  }
};

inline void append(Numbers& to, const Numbers& x) { to.insert(to.end(), x.begin(), x.end()); }

// Rows of (R | p); R is a random rotation, or a cyclic permutation of axes, which kernels treat specially.
inline Numbers random_pose(Random& r, bool aligned) {
  Numbers R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (aligned) {
    const Numbers permutations[] = {R, {0, 0, 1, 1, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 0, 1, 1, 0, 0}};
    R = permutations[r.below(3)];
  } else {
    const Numbers q = r.unit(4);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
         2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
  }
  const Numbers p = r.numbers(3, 0.5);
  return {R[0], R[1], R[2], p[0], R[3], R[4], R[5], p[1], R[6], R[7], R[8], p[2]};
}

inline const Numbers kIdentityPose = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

// Mass, centre of mass, and moments of a cloud of points about it.
inline Numbers random_inertia(Random& r) {
  const Numbers A = r.numbers(9, 0.3);
  double S[3][3];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k)
      S[i][k] = A[3 * i] * A[3 * k] + A[3 * i + 1] * A[3 * k + 1] + A[3 * i + 2] * A[3 * k + 2] + 0.01 * (i == k);
  }
  const double trace = S[0][0] + S[1][1] + S[2][2];
  const Numbers c = r.numbers(3, 0.3);
  return {r.uniform(0.5, 3), c[0], c[1], c[2], trace - S[0][0], trace - S[1][1], trace - S[2][2], -S[0][1], -S[0][2], -S[1][2]};
}

struct Wish {
  std::string name;
  int bodies;
  int base = tarsus::kFixed;
  std::vector<int> kinds = {tarsus::kRevolute};  // joints are drawn from these
  double aligned = 0.5;                          // share of joints along coordinate axes
  double branching = 0.4;                        // 0 a chain
  double coupled = 0.0;                          // share of one-axis joints that follow another one
  bool armature = true;
  double driven = 0.0;  // share of one-axis joints that turn a round rotor on the link before
};

inline void add_joint_axes(Tree& t, Random& r, int kind, bool aligned, bool root) {
  Numbers a = r.unit(3), b;
  if (aligned || root) {
    a = {0, 0, 0};
    a[root ? 0 : r.below(3)] = root || r.chance(0.5) ? 1.0 : -1.0;
  }
  double sign = 1.0;
  if (kind == tarsus::kPlanar) {  // two tangents; a planar base moves in x and z and turns about y
    const Numbers c = root ? Numbers{0, 0, 1} : r.unit(3);
    const double along = a[0] * c[0] + a[1] * c[1] + a[2] * c[2];
    b = {c[0] - along * a[0], c[1] - along * a[1], c[2] - along * a[2]};
    const double n = std::sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    for (double& e : b) e /= n;
    sign = root || r.chance(0.5) ? -1.0 : 1.0;
  } else {
    b = aligned ? Numbers{a[1], a[2], a[0]} : r.unit(3);
  }
  append(t.axis, a), append(t.axis2, b);
  t.pitch.push_back(r.uniform(-0.3, 0.3)), t.sign.push_back(sign);
}

// Rotors: bodies that are round about the axis of their joint, which need not be that of the joint that they follow. Returns the
// bodies that all bodies follow, -1 for none.
inline std::vector<int> add_rotors(Tree& t, Random& r, double driven) {
  std::vector<int> followed(t.bodies(), -1);
  for (int i = 1, links = t.bodies(); i < links; ++i) {
    if (joint_size(t.kind[i]).nv != 1 || !r.chance(driven)) continue;
    const bool aligned = r.chance(0.5);
    t.parent.push_back(t.parent[i]), t.kind.push_back(tarsus::kRevolute), followed.push_back(i);
    append(t.pose, random_pose(r, aligned)), append(t.child_pose, kIdentityPose);
    add_joint_axes(t, r, tarsus::kRevolute, aligned, false);
    const Numbers a(t.axis.end() - 3, t.axis.end());
    const double along = r.uniform(0.01, 0.02), across = r.uniform(0.01, 0.02), d = along - across, c = r.uniform(-0.2, 0.2);
    append(t.inertia, {r.uniform(0.1, 0.5), c * a[0], c * a[1], c * a[2], across + d * a[0] * a[0], across + d * a[1] * a[1],
                       across + d * a[2] * a[2], d * a[0] * a[1], d * a[0] * a[2], d * a[1] * a[2]});
  }
  return followed;
}

// Followers get the coordinates of a random independent one-axis joint, rotors those of the joint that turns them.
inline void number_coordinates(Tree& t, Random& r, double coupled, const std::vector<int>& followed) {
  std::vector<int> one_axis;
  for (int i = 1; i < t.bodies(); ++i) {
    if (joint_size(t.kind[i]).nv == 1 && followed[i] < 0) one_axis.push_back(i);
  }
  t.independent.assign(t.bodies(), 1);
  for (size_t k = 1; k < one_axis.size(); ++k) t.independent[one_axis[k]] = !r.chance(coupled);
  for (int i = 0; i < t.bodies(); ++i) {
    if (followed[i] >= 0) t.independent[i] = 0, t.independent[followed[i]] = 1;
  }
  std::vector<int> own_v(t.bodies(), -1);
  t.own_q.assign(t.bodies(), -1);
  for (int i = 0; i < t.bodies(); ++i) {
    const Size s = joint_size(t.kind[i]);
    t.tree_q.push_back(t.tree_nq), t.tree_v.push_back(t.tree_nv);
    t.tree_nq += s.nq, t.tree_nv += s.nv;
    if (t.independent[i]) t.own_q[i] = t.nq, own_v[i] = t.nv, t.nq += s.nq, t.nv += s.nv;
  }
  for (int i = 0; i < t.bodies(); ++i) {
    const Size s = joint_size(t.kind[i]);
    int leader = i;
    double ratio = 1.0, offset = 0.0;
    if (!t.independent[i]) {
      leader = followed[i];
      while (leader < 0 || !t.independent[leader]) leader = one_axis[r.below(static_cast<int>(one_axis.size()))];
      ratio = r.uniform(0.5, 2) * (r.chance(0.5) ? 1 : -1), offset = r.uniform(-1, 1);
    }
    for (int k = 0; k < s.nq; ++k)
      t.leader_q.push_back(t.own_q[leader] + k), t.ratio_q.push_back(ratio), t.offset_q.push_back(offset);
    for (int k = 0; k < s.nv; ++k) t.leader_v.push_back(own_v[leader] + k), t.ratio_v.push_back(ratio);
  }
}

// Slides of a joint whose axes turn with them.
inline int slides_of(int kind) { return kind == tarsus::kFree ? 3 : kind == tarsus::kPlanar ? 2 : 0; }

inline Tree random_tree(const Wish& wish, Random& r) {
  Tree t;
  t.name = wish.name;
  t.gravity = r.numbers(3, 10);
  for (int i = 0; i < wish.bodies; ++i) {
    const bool root = i == 0, aligned = r.chance(wish.aligned);
    t.parent.push_back(root ? -1 : r.chance(wish.branching) ? r.below(i) : i - 1);
    t.kind.push_back(root ? wish.base : wish.kinds[r.below(static_cast<int>(wish.kinds.size()))]);
    append(t.pose, root ? kIdentityPose : random_pose(r, aligned));
    append(t.child_pose, root || aligned ? kIdentityPose : random_pose(r, false));
    add_joint_axes(t, r, t.kind.back(), aligned, root);
    append(t.inertia, random_inertia(r));
  }
  const std::vector<int> followed = add_rotors(t, r, wish.driven);
  number_coordinates(t, r, wish.coupled, followed);
  for (int k = 0; k < t.tree_nv; ++k) {
    t.armature.push_back(wish.armature && r.chance(0.5) ? r.uniform(0, 0.2) : 0.0);
    t.damping.push_back(r.uniform(0, 1)), t.friction.push_back(r.uniform(0, 1));
    t.stiffness.push_back(r.uniform(0, 5)), t.rest.push_back(r.uniform(-1, 1));
  }
  for (int i = 0; i < t.bodies(); ++i) {
    if (followed[i] >= 0) t.armature[t.tree_v[i]] = 0.0;
    for (int k = 1; k < slides_of(t.kind[i]); ++k)
      t.armature[t.tree_v[i] + k] = t.armature[t.tree_v[i]];  // alike in all directions
  }
  for (int i = 0; i < 4; ++i) t.frame_body.push_back(r.below(wish.bodies)), append(t.frame_pose, random_pose(r, false));
  Random own(1000u * t.tree_nv + t.bodies());  // mass and first moment of weights, of every other tree
  const bool carried = own.chance(0.5);
  for (int i = 0; i < t.bodies(); ++i) append(t.carried, carried ? own.numbers(4, 0.5) : Numbers(4, 0.0));
  return t;
}

}  // namespace tests
