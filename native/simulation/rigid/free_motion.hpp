// The motion of a robot at one state without contact, and what loads on its touching bodies change in it.
#pragma once
#include "simulation/impulses/motion_space.hpp"
#include "simulation/rigid/held_joints.hpp"

namespace tarsus::TARSUS_ISA {

// Forces of joints that a stage of an implicit step takes along: resistances D of the accelerations x of the iterate, so that
// (M + D) a = f + D x.
struct JointResistance {
  const double* resistance;    // tree_nv
  const double* acceleration;  // nv
  double length;               // velocities are those of the start of the stage and so long of the accelerations [s]
};

// Poses and velocities of the nodes alone, of a state y = (q, v, works).
inline TreeState<double> locate_at(Robot<double>& r, const double* y) {
  const Model& m = r.model;
  for (int k = 0; k < m.nq; ++k) r.rigid.q[k] = y[k];
  for (int i = 0; i < m.quaternions; ++i) normalize_quaternion(r.rigid.q + m.quaternion[i]);
  const TreeState<double> tree = expand_state(r, static_cast<const double*>(r.rigid.q), y + m.nq);
  sweep<false>(m, r.ws, tree.q, tree.v, static_cast<const double*>(nullptr));
  locate_nodes(m, r.world, r.ws, tree.q, tree.v, r.speed);
  return tree;
}

// Accelerations of a state y = (q, v, works) at time t without contact, into rigid.vdot; nodes are located.
TARSUS_KERNEL TreeState<double> move_without_contact(Robot<double>& r, const double* y, double t, const JointResistance* held) {
  const Model& m = r.model;
  RigidMemory& rigid = r.rigid;
  // 1. torques, velocities and wrenches of the motion at vdot = 0
  for (int k = 0; k < m.nq; ++k) rigid.q[k] = y[k];
  for (int i = 0; i < m.quaternions; ++i) normalize_quaternion(rigid.q + m.quaternion[i]);
  const double* v = y + m.nq;
  const TreeState<double> tree = load_motion(r, static_cast<const double*>(rigid.q), v, t);
  const double rubbed = rub_joints(r, tree);
  if (r.world.nodes > 0) locate_nodes(m, r.world, r.ws, tree.q, tree.v, r.speed);
  const Vec3<double> g = vec3(m.gravity);
  for (int k = 0; k < r.world.nodes; ++k) {  // in the sweep gravity is an acceleration of the world
    const int i = r.world.node[k];
    rigid.bias_a[i] = r.ws.motion[i].a + to_child(r.ws.pose[i].R, g), rigid.bias_dw[i] = r.ws.motion[i].dw;
  }
  load_forces(r, tree, v);
  r.power[work_index(kJointBalance)] += rubbed, r.power[work_index(kJointDissipated)] += rubbed;
  // 2. accelerations
  if (!m.coupled && !held && rigid.held == 0) {
    eliminate_joints(m, r.ws, tree.q, static_cast<const double*>(r.total), OwnInertia<double>{m, r.ws.bodies});
    accelerate(m, r.ws, tree.q, rigid.vdot);
    return tree;
  }
  const double o = 0.0;
  for (int s = 0; s < r.world.touchables; ++s) {
    r.added[s] = {{o, o, o, o, o, o}, {o, o, o, o, o, o}, zero3<double>(), zero3<double>(), zero3<double>()};
  }
  for (int k = 0; k < m.tree_nv; ++k) {
    r.joint_inertia[k] = m.armature[k] + (held ? held->resistance[k] : 0.0) + (is_held(r, k) ? kHold : 0.0);
  }
  if (rigid.given) {
    for (int k = 0; k < m.tree_nv; ++k) r.force[k] = is_held(r, k) ? kHold * rigid.given[k] : 0.0;
    add_reduced_force(r, static_cast<const double*>(r.force), r.total);
  }
  if (held) {
    const double* x = held->acceleration;
    if (m.coupled) expand_rates(r, x, r.drift), x = r.drift;
    for (int k = 0; k < m.tree_nv; ++k) r.force[k] = held->resistance[k] * x[k];
    add_reduced_force(r, static_cast<const double*>(r.force), r.total);
  }
  const AddedInertia<double> added{m, r.ws.bodies, r.world.slot, r.added, r.joint_inertia};
  if (m.coupled) {
    eliminate_swept_step(added, r.ws, tree.q, v, static_cast<const double*>(r.total), r.cluster);
    accelerate_swept_step(m, r.ws, tree.q, rigid.vdot, r.cluster);
  } else {
    eliminate_joints(m, r.ws, tree.q, static_cast<const double*>(r.total), added);
    accelerate(m, r.ws, tree.q, rigid.vdot);
  }
  return tree;
}

// Responses of the bodies of the listed points: columns, and of each point by itself.
inline void begin_loads(Robot<double>& r, const TreeState<double>& tree, int count) {
  find_columns(r.model, r.ws, tree.q, r.cluster, r.response);
  r.rigid.complete = false;
  const bool few = count <= kMostFewRows;
  for (int i = 0; i < count; ++i) {
    ListedPoint& s = r.rigid.listed[i];
    const auto* A = reinterpret_cast<const Screw<double>*>(r.response.factor_of(s.body));
    double nn = 0.0, n1 = 0.0, n2 = 0.0, across = 0.0;
    for (int x = 0; x < r.response.width[s.body]; ++x) {
      const Impulse<double> h = along(s, A[x]);
      nn += h.n * h.n, n1 += h.n * h.t1, n2 += h.n * h.t2, across += h.t1 * h.t1 + h.t2 * h.t2;
      if (few) reinterpret_cast<Impulse<double>*>(r.rigid.columns)[(size_t)r.response.most * i + x] = h;
    }
    s.own = nn, s.size = (nn + across) / 3.0;
    s.own_sliding = s.own - s.friction * (s.d1 * n1 + s.d2 * n2);
  }
}

// Blocks of these responses, and the equations in the velocities of the bodies (motion_space.hpp), where they are asked for.
inline void complete_responses(Robot<double>& r, int count) {
  if (r.rigid.complete) return;
  r.rigid.complete = true;
  find_blocks(r.response);
  for (int i = 0; i < count; ++i) r.impulse[i].body = r.rigid.listed[i].body, r.impulse[i].active = -1;
  begin_space(r, count);
}

// Motions of the listed points without loads: accelerations, or velocities.
inline void free_accelerations(Robot<double>& r, int count) {
  RigidMemory& rigid = r.rigid;
  for (int k = 0; k < r.response.bodies; ++k) {
    const int i = r.response.node[k];
    rigid.free[k] = {rigid.bias_a[i] + r.ws.motion[i].a, rigid.bias_dw[i] + r.ws.motion[i].dw};
  }
  for (int i = 0; i < count; ++i) {
    ListedPoint& s = rigid.listed[i];
    s.free = acceleration_of(s, rigid.free[s.body]), s.required = 0.0;
  }
}
inline void free_velocities(Robot<double>& r, int count) {
  for (int i = 0; i < count; ++i) r.rigid.listed[i].free = r.rigid.listed[i].velocity, r.rigid.listed[i].required = 0.0;
}

// Motions of the listed points with their loads.
inline void follow_loads(Robot<double>& r, int count) {
  RigidMemory& rigid = r.rigid;
  const int bodies = r.response.bodies;
  for (int k = 0; k < bodies; ++k) rigid.wrench[k] = {zero3<double>(), zero3<double>()};
  for (int i = 0; i < count; ++i) rigid.wrench[rigid.listed[i].body] += wrench_of(rigid.listed[i], rigid.listed[i].load);
  clear_taken(r);
  for (int k = 0; k < bodies; ++k) add_to_columns(r.response, k, rigid.wrench[k], r.response.taken);
  for (int k = 0; k < bodies; ++k) {
    rigid.moved[k] = {zero3<double>(), zero3<double>()};
    add_from_columns(r.response, k, static_cast<const double*>(r.response.taken), rigid.moved[k]);
  }
  for (int i = 0; i < count; ++i) {
    ListedPoint& s = rigid.listed[i];
    const Impulse<double> u = along(s, rigid.moved[s.body]);
    s.motion = {s.free.n + u.n, s.free.t1 + u.t1, s.free.t2 + u.t2};
  }
}

// Accelerations with the loads of the listed points, into r.vdot. What joints were eliminated with is used up by it.
inline void apply_loads(Robot<double>& r, const TreeState<double>& tree, int count) {
  RigidMemory& rigid = r.rigid;
  for (int k = 0; k < r.response.bodies; ++k) rigid.wrench[k] = {zero3<double>(), zero3<double>()};
  for (int i = 0; i < count; ++i) rigid.wrench[rigid.listed[i].body] += wrench_of(rigid.listed[i], rigid.listed[i].load);
  take_impulses(r.model, r.ws, r.cluster, r.response, static_cast<const Wrench<double>*>(rigid.wrench));
  if (r.model.coupled) {
    accelerate_swept_step(r.model, r.ws, tree.q, r.vdot, r.cluster);
  } else {
    accelerate(r.model, r.ws, tree.q, r.vdot);
  }
}

// What the loads change in the velocities or positions, M^-1 J^T l: r.vdot less the accelerations without them. Loads are scaled
// so that the difference has all its digits.
inline void response_to_loads(Robot<double>& r, const TreeState<double>& tree, int count, double* change) {
  double largest = 0.0;
  for (int i = 0; i < count; ++i) {
    const ListedPoint& s = r.rigid.listed[i];
    const double moved = s.size * (__builtin_fabs(s.load.n) + __builtin_fabs(s.load.t1) + __builtin_fabs(s.load.t2));
    if (moved > largest) largest = moved;
  }
  for (int k = 0; k < r.model.nv; ++k) change[k] = 0.0;
  if (!(largest > 0.0)) return;
  double fastest = 1.0;
  for (int k = 0; k < r.model.nv; ++k) fastest = larger<double>(fastest, __builtin_fabs(r.rigid.vdot[k]));
  const double scale = fastest / largest;
  for (int i = 0; i < count; ++i) {
    Impulse<double>& l = r.rigid.listed[i].load;
    l = {scale * l.n, scale * l.t1, scale * l.t2};
  }
  apply_loads(r, tree, count);
  for (int i = 0; i < count; ++i) {
    Impulse<double>& l = r.rigid.listed[i].load;
    l = {l.n / scale, l.t1 / scale, l.t2 / scale};
  }
  for (int k = 0; k < r.model.nv; ++k) change[k] = (r.vdot[k] - r.rigid.vdot[k]) / scale;
}

}  // namespace tarsus::TARSUS_ISA
