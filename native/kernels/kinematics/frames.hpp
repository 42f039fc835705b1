// Pose, velocity, acceleration and Jacobians of frames, Buschmann 2014 (2.81), (2.87): only the joints between the
// root and the frame are visited.
#pragma once
#include "kernels/kinematics/twists.hpp"

namespace tarsus::TARSUS_ISA {

// Axes and reference point of frame velocities and Jacobians.
enum ExpressedIn { kWorld, kLocal, kWorldOrigin };

template <class T>
TARSUS_INLINE Placed<T> frame_in_node(const FrameTable& f) {
  return {{widen<T>(vec3(f.rotation)), widen<T>(vec3(f.rotation + 3)), widen<T>(vec3(f.rotation + 6))},
          widen<T>(vec3(f.position))};
}
template <class T>
TARSUS_INLINE Placed<T> frame_on(const Placed<T>& X, const FrameTable& f) {
  const Columns<double, double> R{vec3(f.rotation), vec3(f.rotation + 3), vec3(f.rotation + 6)};
  return {compose(X.R, R), X.p + f.position[0] * X.R.a + f.position[1] * X.R.b + f.position[2] * X.R.c};
}
template <class T>
TARSUS_INLINE void write_pose(T* out, const Placed<T>& X) {
  const T o = broadcast<T>(0.0), i = broadcast<T>(1.0);
  const T entries[16] = {X.R.a.x, X.R.b.x, X.R.c.x, X.p.x, X.R.a.y, X.R.b.y, X.R.c.y, X.p.y,
                         X.R.a.z, X.R.b.z, X.R.c.z, X.p.z, o,       o,       o,       i};
  for (int k = 0; k < 16; ++k) out[k] = entries[k];
}

template <class T>
TARSUS_KERNEL void frame_poses(const Model& m, Workspace<T>& ws, const T* q, const FrameTable* frames, int count, T* out) {
  if (count == 1) {
    poses_to(m, ws, q, frames[0].node);
  } else {
    prepare_joints(m, ws, q);
    world_poses(m, ws, q);
  }
  for (int k = 0; k < count; ++k) write_pose(out + 16 * k, frame_on(ws.pose[frames[k].node], frames[k]));
}

// Poses along the path to a frame relative to the root (world axes), the frame's own, and where the root is.
template <class T>
struct FramePath {
  int count;
  Placed<T> frame;
  Vec3<T> root;
};
template <class T>
inline FramePath<T> path_to_frame(const Model& m, Workspace<T>& ws, const T* q, const FrameTable& f) {
  const int count = path_to(m, ws, f.node);
  prepare_path(m, ws, q, count);
  const Placed<T> root = root_pose(m, ws);
  ws.pose[0] = {root.R, zero3<T>()};
  for (int k = 1; k < count; ++k) pose_step(m, ws, q, ws.path[k], ws.pose[ws.path[k - 1]]);
  return {count, frame_on(ws.pose[f.node], f), root.p};
}

// A twist given at the root, seen the way `expressed_in` asks.
template <class T>
TARSUS_INLINE Screw<T> expressed(const Screw<T>& s, const FramePath<T>& path, int expressed_in) {
  if (expressed_in == kWorldOrigin) return moved(s, path.root);
  const Screw<T> at{s.linear + cross(s.angular, path.frame.p), s.angular};
  if (expressed_in == kWorld) return at;
  return {to_child(path.frame.R, at.linear), to_child(path.frame.R, at.angular)};
}

// Time derivative of `expressed` for a screw s with rate r, when the frame moves with twist V.
template <class T>
TARSUS_INLINE Screw<T> expressed_rate(const Screw<T>& s, const Screw<T>& r, const Screw<T>& V, const FramePath<T>& path,
                                      int expressed_in) {
  if (expressed_in == kWorldOrigin) return moved(r, path.root);
  const Vec3<T> velocity = V.linear + cross(V.angular, path.frame.p);
  const Vec3<T> linear = s.linear + cross(s.angular, path.frame.p);
  Screw<T> at{r.linear + cross(r.angular, path.frame.p) + cross(s.angular, velocity), r.angular};
  if (expressed_in == kWorld) return at;
  at.linear = at.linear - cross(V.angular, linear);
  at.angular = at.angular - cross(V.angular, s.angular);
  return {to_child(path.frame.R, at.linear), to_child(path.frame.R, at.angular)};
}

template <class T>
TARSUS_INLINE void write_twist(T* out, const Screw<T>& s) {
  write_column(out, 1, 0, s);
}

template <class T>
TARSUS_KERNEL void frame_velocity(const Context<T>& x) {
  const FramePath<T> path = path_to_frame(x.model, x.ws, x.q, *x.frames);
  const PathMotion<T> motion = motion_along<false>(x.model, x.ws, path.count, x.v, x.v);
  write_twist(x.out, expressed(motion.twist, path, x.expressed_in));
}

// Derivative of frame_velocity; without kVdot the part that does not depend on vdot.
template <bool kVdot, class T>
TARSUS_KERNEL void frame_acceleration(const Context<T>& x) {
  const FramePath<T> path = path_to_frame(x.model, x.ws, x.q, *x.frames);
  const PathMotion<T> motion = motion_along<kVdot>(x.model, x.ws, path.count, x.v, x.a);
  write_twist(x.out, expressed_rate(motion.twist, motion.acceleration, motion.twist, path, x.expressed_in));
}

// Poses, velocities and accelerations of several frames in one pass over all nodes; world axes. `scratch` has 6 entries a node.
template <class T>
TARSUS_KERNEL void frame_motions(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const Screw<T> none{zero3<T>(), zero3<T>()};
  Screw<T>* acceleration = reinterpret_cast<Screw<T>*>(scratch);  // spatial, at the root
  rooted_poses(m, x.ws, x.q);
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    Screw<T> own = none, V = n.parent < 0 ? none : x.ws.twist[n.parent], A = n.parent < 0 ? none : acceleration[n.parent];
    for_screws(n, x.ws.pose[i], [&](int k, const Screw<T>& s) TARSUS_LAMBDA { own += x.v[k] * s, A += x.a[k] * s; });
    V += own, A += carried_rate(V, own);
    x.ws.twist[i] = V, acceleration[i] = A;
  }
  const Vec3<T> root = root_pose(m, x.ws).p;
  for (int k = 0; k < x.frame_count; ++k) {
    const int i = x.frames[k].node;
    const FramePath<T> path{0, frame_on(x.ws.pose[i], x.frames[k]), root};
    const Screw<T>& V = x.ws.twist[i];
    write_pose(x.out + x.offset[0] + 16 * k, Placed<T>{path.frame.R, path.frame.p + root});
    write_twist(x.out + x.offset[1] + 6 * k, expressed(V, path, kWorld));
    write_twist(x.out + x.offset[2] + 6 * k, expressed_rate(V, acceleration[i], V, path, kWorld));
  }
}

// Columns of joints that do not move the frame must be zero before.
template <class T>
TARSUS_KERNEL void frame_jacobian(const Context<T>& x) {
  const FramePath<T> path = path_to_frame(x.model, x.ws, x.q, *x.frames);
  const Vec3<T> point = x.expressed_in == kWorldOrigin ? Vec3<T>(-path.root) : path.frame.p;  // that the twists refer to
  for (int step = 0; step < path.count; ++step) {
    const int i = x.ws.path[step];
    const Placed<T> X{x.ws.pose[i].R, x.ws.pose[i].p - point};
    for_screws(x.model.node[i], X, [&](int k, const Screw<T>& s) TARSUS_LAMBDA {
      const bool local = x.expressed_in == kLocal;
      write_column(x.out, x.model.tree_nv, k,
                   local ? Screw<T>{to_child(path.frame.R, s.linear), to_child(path.frame.R, s.angular)} : s);
    });
  }
}

template <class T>
TARSUS_KERNEL void frame_jacobian_dot(const Context<T>& x) {
  const FramePath<T> path = path_to_frame(x.model, x.ws, x.q, *x.frames);
  Screw<T> V{zero3<T>(), zero3<T>()};
  for (int step = 0; step < path.count; ++step) {
    const Node& n = x.model.node[x.ws.path[step]];
    joint_screws_of(x.model, x.ws, x.ws.path[step]);
    V = twist_step(x.model, x.ws, x.ws.path[step], V, x.v);
    for (int k = n.v; k < n.v + n.dof; ++k) x.ws.screw_rate[k] = carried_rate(V, x.ws.screw[k]);
  }
  for (int step = 0; step < path.count; ++step) {
    const Node& n = x.model.node[x.ws.path[step]];
    for (int k = n.v; k < n.v + n.dof; ++k) {
      const Screw<T> rate = expressed_rate(x.ws.screw[k], x.ws.screw_rate[k], V, path, x.expressed_in);
      write_column(x.out, x.model.tree_nv, k, rate);
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
