// Regressor of inverse dynamics: tau = Y pi with ten parameters per body (m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the
// body's origin), armature excluded.
#pragma once
#include "kernels/dynamics/momentum.hpp"
#include "kernels/dynamics/newton_euler.hpp"
#include "kernels/kinematics/bodies.hpp"

namespace tarsus::TARSUS_ISA {

// Wrench (f; n) in body axes at the body's origin that parameter `index` = 1 alone would need.
template <class T>
TARSUS_INLINE Wrench<T> parameter_wrench(int index, const Motion<T>& m, const PointAcceleration<T>& U) {
  const T o = broadcast<T>(0.0);
  const Vec3<T>&w = m.w, &d = m.dw, &a = m.a;
  switch (index) {
    case 0: return {a, zero3<T>()};
    case 1: return {{U.x.x, U.y.x, U.z.x}, {o, -a.z, a.y}};
    case 2: return {{U.x.y, U.y.y, U.z.y}, {a.z, o, -a.x}};
    case 3: return {{U.x.z, U.y.z, U.z.z}, {-a.y, a.x, o}};
    default: break;
  }
  auto gyro = [&](const Vec3<T>& Jd, const Vec3<T>& Jw) TARSUS_LAMBDA { return Wrench<T>{zero3<T>(), Jd + cross(w, Jw)}; };
  switch (index) {
    case 4: return gyro({d.x, o, o}, {w.x, o, o});
    case 5: return gyro({d.y, d.x, o}, {w.y, w.x, o});
    case 6: return gyro({o, d.y, o}, {o, w.y, o});
    case 7: return gyro({d.z, o, d.x}, {w.z, o, w.x});
    case 8: return gyro({o, d.z, d.y}, {o, w.z, w.y});
    default: return gyro({o, o, d.z}, {o, o, w.z});
  }
}

// (tree_nv, 10 bodies); entries of bodies that a joint does not move must be zero before.
template <class T>
TARSUS_KERNEL void torque_regressor(const Context<T>& x) {
  const Model& m = x.model;
  const int columns = 10 * m.bodies;
  sweep<true>(m, x.ws, x.q, x.v, x.a);
  rooted_poses(m, x.ws, x.q);
  joint_screws(m, x.ws);
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    if (n.body < 0) continue;
    const Columns<double, double> R{vec3(n.body_rotation), vec3(n.body_rotation + 3), vec3(n.body_rotation + 6)};
    const Motion<T>& at_node = x.ws.motion[i];
    const Vec3<T> a = at_node.a + apply(point_acceleration(at_node.w, at_node.dw), vec3(n.body_position));
    const Motion<T> motion{to_child(R, at_node.w), to_child(R, at_node.dw), to_child(R, a)};
    const PointAcceleration<T> U = point_acceleration(motion.w, motion.dw);
    const Placed<T> X = body_on(x.ws.pose[i], n);
    for (int index = 0; index < 10; ++index) {
      const Wrench<T> own = parameter_wrench(index, motion, U);
      const Vec3<T> f = to_parent(X.R, own.f);
      const Screw<T> wrench{f, to_parent(X.R, own.n) + cross(X.p, f)};
      for (int j = i; j >= 0; j = m.node[j].parent) {
        for (int k = m.node[j].v; k < m.node[j].v + m.node[j].dof; ++k) {
          x.out[(size_t)k * columns + 10 * n.body + index] = power(x.ws.screw[k], wrench);
        }
      }
    }
  }
}

}  // namespace tarsus::TARSUS_ISA
