// Errors and Jacobians of tasks at a configuration, weighted, in coordinates of the spanning tree. Everything is seen in world
// axes from the root, where nothing is far away.
#pragma once
#include "kernels/dynamics/momentum.hpp"
#include "kernels/kinematics/frames.hpp"
#include "kernels/kinematics/rotation_vector.hpp"
#include "model/tasks.hpp"

namespace tarsus::TARSUS_ISA {

// Adds `column(s)` of all joints between the root and a node, times `sign`, to rows of J.
template <class T, class F>
TARSUS_INLINE void add_columns(const Model& m, const Workspace<T>& ws, int node, double sign, const TaskRow* row, int rows, T* J,
                               F column) {
  for (int i = node; i >= 0; i = m.node[i].parent) {
    for (int k = m.node[i].v; k < m.node[i].v + m.node[i].dof; ++k) {
      const Vec3<T> c = column(ws.screw[k]);
      for (int r = 0; r < rows; ++r) {
        const T x = row[r].component == 0 ? c.x : row[r].component == 1 ? c.y : c.z;
        J[(size_t)r * m.tree_nv + k] = J[(size_t)r * m.tree_nv + k] + sign * row[r].weight * x;
      }
    }
  }
}

template <class T>
TARSUS_INLINE void put_error(const TaskRow* row, int rows, const Vec3<T>& e, T* out) {
  for (int r = 0; r < rows; ++r) out[r] = row[r].component == 0 ? e.x : row[r].component == 1 ? e.y : e.z;
}

// Numbers of a target: one for all lanes (S = double), or one a lane.
template <class S>
TARSUS_INLINE Vec3<S> three(const S* numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

// Where a block's frames are: F, and R or the world, relative to the root.
template <class T>
struct BlockPlace {
  Placed<T> F, R;
};
template <class T>
inline BlockPlace<T> place_of(const TaskBlock& b, const Workspace<T>& ws, const Vec3<T>& root) {
  const Placed<T> F = frame_on(ws.pose[b.frame.node], b.frame);
  if (b.reference.node < 0) return {F, {identity3<T>(), -root}};
  return {F, frame_on(ws.pose[b.reference.node], b.reference)};
}

// Way from F to its target in axes of R. A joint that moves F or R moves p_RF by R^T (v + w x p_F), with opposite signs.
template <class T, class S>
inline void position_rows(const Model& m, const TaskBlock& b, const TaskRow* row, const Workspace<T>& ws, const Vec3<T>& root,
                          const S* target, T* e, T* J) {
  const BlockPlace<T> at = place_of(b, ws, root);
  put_error(row, b.rows, three(target) - to_child(at.R.R, at.F.p - at.R.p), e);
  if (!J) return;
  const auto column = [&](const Screw<T>& s) TARSUS_LAMBDA { return to_child(at.R.R, s.linear + cross(s.angular, at.F.p)); };
  add_columns(m, ws, b.frame.node, 1.0, row, b.rows, J, column);
  if (b.reference.node >= 0) add_columns(m, ws, b.reference.node, -1.0, row, b.rows, J, column);
}

template <class T, class S>
inline void orientation_rows(const Model& m, const TaskBlock& b, const TaskRow* row, const Workspace<T>& ws, const Vec3<T>& root,
                             const S* target, T* e, T* J) {
  const BlockPlace<T> at = place_of(b, ws, root);
  // R* R_RF^T with R_RF^T = F^T R: its columns are R* times the columns of F^T R.
  const Mat3<T> back{to_child(at.F.R, at.R.R.a), to_child(at.F.R, at.R.R.b), to_child(at.F.R, at.R.R.c)};
  const auto times = [&](const Vec3<T>& x) TARSUS_LAMBDA {
    return Vec3<T>{dot(three(target), x), dot(three(target + 3), x), dot(three(target + 6), x)};
  };
  put_error(row, b.rows, rotation_vector(Mat3<T>{times(back.a), times(back.b), times(back.c)}), e);
  if (!J) return;
  const auto column = [&](const Screw<T>& s) TARSUS_LAMBDA { return to_child(at.R.R, s.angular); };
  add_columns(m, ws, b.frame.node, 1.0, row, b.rows, J, column);
  if (b.reference.node >= 0) add_columns(m, ws, b.reference.node, -1.0, row, b.rows, J, column);
}

// Line of sight g from F to the target against an axis n of F; F turns against it by w + g x v / distance.
template <class T, class S>
inline void sight_rows(const Model& m, const TaskBlock& b, const TaskRow* row, const Workspace<T>& ws, const Vec3<T>& root,
                       const S* target, T* e, T* J) {
  const Placed<T> F = place_of(b, ws, root).F;
  const Vec3<T> way = three(target) - root - F.p;
  const T distance = sqrt_of(dot(way, way)), inverse = 1.0 / distance;
  const Vec3<T> g = inverse * way, seen = to_child(F.R, g), turn = cross(widen<T>(vec3(b.axis)), seen);
  const T first = dot(turn, vec3(b.axis + 3)), second = dot(turn, vec3(b.axis + 6));
  const T sine = sqrt_of(first * first + second * second), cosine = dot(seen, vec3(b.axis));
  T angle = sine, scale = sine;
  for (int l = 0; l < lanes<T>; ++l) {
    const double s = lane(sine, l), a = std::atan2(s, lane(cosine, l));
    set_lane(angle, l, s > 0.0 ? 0.0 : a), set_lane(scale, l, s > 0.0 ? a / s : 0.0);
  }
  put_error(row, b.rows, Vec3<T>{scale * first + angle, scale * second, broadcast<T>(0.0)}, e);
  if (!J) return;
  const auto column = [&](const Screw<T>& s) TARSUS_LAMBDA {
    const Vec3<T> w = to_child(F.R, s.angular + inverse * cross(g, s.linear + cross(s.angular, F.p)));
    return Vec3<T>{dot(w, vec3(b.axis + 3)), dot(w, vec3(b.axis + 6)), broadcast<T>(0.0)};
  };
  add_columns(m, ws, b.frame.node, 1.0, row, b.rows, J, column);
}

// Linear or angular momentum of what each joint moves, the latter about the centre of mass.
template <class T>
inline void momentum_rows(const Model& m, const TaskBlock& b, const TaskRow* row, const Workspace<T>& ws, const Vec3<T>& center,
                          T* e, T* J) {
  put_error(row, b.rows, zero3<T>(), e);
  for (int k = 0; J && k < m.tree_nv; ++k) {
    const Screw<T>& h = ws.screw_rate[k];
    const Vec3<T> column = b.kind == kTaskSpin ? about(h, center).angular : h.linear;
    for (int r = 0; r < b.rows; ++r) {
      const T x = row[r].component == 0 ? column.x : row[r].component == 1 ? column.y : column.z;
      J[(size_t)r * m.tree_nv + k] = row[r].weight * x;
    }
  }
}

// Errors e (rows) without weights, and with J (rows x tree_nv, zero before) the weighted Jacobian of all blocks but postures,
// whose rows are those of independent coordinates. Nodes and screws must be in place and, where t.center says so, the momentum of
// what each joint moves in ws.screw_rate.
template <class T, class S>
inline void placed_task_rows(const Model& m, const TaskTable& t, const Workspace<T>& ws, const S* target, T* e, T* J) {
  const Vec3<T> root = root_pose(m, ws).p;
  const double share = 1.0 / m.total_mass;
  for (int i = 0; i < t.blocks; ++i) {
    const TaskBlock& b = t.block[i];
    const TaskRow* row = t.row + b.first;
    const S* goal = target + b.target;
    T *own = e + b.first, *columns = J ? J + (size_t)b.first * m.tree_nv : nullptr;
    switch (b.kind) {
      case kTaskPosition: position_rows(m, b, row, ws, root, goal, own, columns); break;
      case kTaskOrientation: orientation_rows(m, b, row, ws, root, goal, own, columns); break;
      case kTaskSight: sight_rows(m, b, row, ws, root, goal, own, columns); break;
      case kTaskCenter: {
        put_error(row, b.rows, three(goal) - root - share * placed_first_moments(m, ws), own);
        for (int r = 0; J && r < b.rows; ++r) {
          for (int k = 0; k < m.tree_nv; ++k) {
            const Vec3<T>& p = ws.screw_rate[k].linear;
            const T x = row[r].component == 0 ? p.x : row[r].component == 1 ? p.y : p.z;
            columns[(size_t)r * m.tree_nv + k] = share * row[r].weight * x;
          }
        }
        break;
      }
      case kTaskMomentum:
      case kTaskSpin: momentum_rows(m, b, row, ws, share * placed_first_moments(m, ws), own, columns); break;
      default: break;
    }
  }
}

// The same where nothing is in place. `q` are coordinates of the tree.
template <class T, class S>
TARSUS_KERNEL void task_rows(const Model& m, const TaskTable& t, Workspace<T>& ws, const T* q, const S* target, T* e, T* J) {
  if (t.center && J) {  // also places the nodes
    momentum_columns(m, ws, q, [&](int k, const Screw<T>& F) TARSUS_LAMBDA { ws.screw_rate[k] = F; });
  } else {
    rooted_poses(m, ws, q);
    if (J) joint_screws(m, ws);
  }
  placed_task_rows(m, t, ws, target, e, J);
}

}  // namespace tarsus::TARSUS_ISA
