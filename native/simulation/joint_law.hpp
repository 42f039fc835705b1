// Torques of the joint law, and the forces that joints produce by themselves, at one instant.
#pragma once
#include "contact/distance.hpp"
#include "kernels/dynamics/pose_springs.hpp"
#include "simulation/run.hpp"

namespace tarsus::TARSUS_ISA {

// Coulomb friction of a joint is viscous below this speed [rad/s or m/s], where its sign is not defined.
constexpr double kStictionSpeed = 1e-4;

// References of the law at one time, for every independent degree of freedom.
template <class T>
struct References {
  T *q, *v, *tau;  // nq, nv, nv
  T *kp, *kd;      // nv
};

// Reads the references of the robots `row` of each lane, between the knots that surround time t.
template <class T>
inline void read_references(const Model& m, const JointLaw& law, double t, const long* row, const References<T>& to) {
  double place = law.knots > 1 ? (t - law.first) / law.spacing : 0.0;
  place = place < 0.0 ? 0.0 : place > law.knots - 1 ? law.knots - 1 : place;
  const int knot = place >= law.knots - 1 && law.knots > 1 ? law.knots - 2 : static_cast<int>(place);
  const double part = law.knots > 1 ? place - knot : 0.0;
  auto read = [&](const double* from, long stride, int n, T* out, int knots) {
    const int own = stride == 0 ? 1 : lanes<T>;  // lanes that have numbers of their own
    for (int l = 0; l < own; ++l) {
      const double* a = from + row[l] * stride + (knots > 1 ? (size_t)knot * n : 0);
      const double* b = knots > 1 ? a + n : a;
      for (int k = 0; k < n; ++k) {
        const double x = a[k] + part * (b[k] - a[k]);
        if (own == 1) {
          out[k] = broadcast<T>(x);
        } else {
          set_lane(out[k], l, x);
        }
      }
    }
  };
  read(law.q, law.q_stride, m.nq, to.q, law.knots);
  read(law.v, law.v_stride, m.nv, to.v, law.knots);
  read(law.tau, law.tau_stride, m.nv, to.tau, law.knots);
  read(law.kp, law.gain_stride, m.nv, to.kp, law.gain_knots);
  read(law.kd, law.gain_stride, m.nv, to.kd, law.gain_knots);
}

template <class T>
TARSUS_INLINE T limited(const T& tau, double limit) {
  return larger<T>(broadcast<T>(-limit), smaller<T>(broadcast<T>(limit), tau));
}

// tau + kp (q_ref - q) + kd (v_ref - v), within the limits.
template <class T>
inline void law_torque(const Model& m, const JointLaw& law, const References<T>& r, const T* q, const T* v, T* tau) {
  for (int k = 0; k < m.nv; ++k) tau[k] = r.tau[k] + r.kd[k] * (r.v[k] - v[k]);
  for (int i = 0; i < m.vector_dofs; ++i) {
    const int k = m.vector_v[i], j = m.vector_q[i];
    tau[k] = tau[k] + r.kp[k] * (r.q[j] - q[j]);
  }
  for (int k = 0; k < m.nv; ++k) tau[k] = limited<T>(tau[k], law.limit[k]);
}

// Damping, friction and springs of the joints of the tree, and the stops at their limits, which push but never pull.
template <class T>
inline void joint_forces(const Model& m, const JointLaw& law, const T* q, const T* v, T* tau) {
  for (int k = 0; k < m.tree_nv; ++k) {
    const T zero = broadcast<T>(0.0);
    T f = -(m.damping[k] * v[k]);
    if (m.friction[k] > 0.0) f = f - m.friction[k] * limited<T>((1.0 / kStictionSpeed) * v[k], 1.0);
    if (m.spring_q[k] >= 0) f = f - m.stiffness[k] * (q[m.spring_q[k]] - m.rest[k]);
    if (law.stop_q && law.stop_q[k] >= 0) {
      const T x = q[law.stop_q[k]], below = law.lower[k] - x, above = x - law.upper[k];
      const T up = larger<T>(law.stop_stiffness[k] * below - law.stop_damping[k] * v[k], zero);
      const T down = larger<T>(law.stop_stiffness[k] * above + law.stop_damping[k] * v[k], zero);
      f = f + select<T>(less<T>(zero, below), up, zero) - select<T>(less<T>(zero, above), down, zero);
    }
    tau[k] = f;
  }
  add_pose_springs(m, q, tau);
}

// Power that damping, friction and stops of the joints take: that of their forces less what stops store.
template <class T>
inline T joint_loss(const Model& m, const JointLaw& law, const T* q, const T* v) {
  const T zero = broadcast<T>(0.0);
  T sum = zero;
  for (int k = 0; k < m.tree_nv; ++k) {
    sum = sum + m.damping[k] * v[k] * v[k];
    if (m.friction[k] > 0.0) sum = sum + m.friction[k] * limited<T>((1.0 / kStictionSpeed) * v[k], 1.0) * v[k];
    if (!law.stop_q || law.stop_q[k] < 0) continue;
    // c v^2 while the stop pushes; what its spring gives back, where it cannot follow the joint
    auto loss = [&](const T& inside, const T& approach) TARSUS_LAMBDA {
      const T spring = law.stop_stiffness[k] * inside, push = larger<T>(spring + law.stop_damping[k] * approach, zero);
      return select<T>(less<T>(zero, inside), (push - spring) * approach, zero);
    };
    const T x = q[law.stop_q[k]];
    sum = sum + loss(law.lower[k] - x, -v[k]) + loss(x - law.upper[k], v[k]);
  }
  return sum;
}

// Energy in the springs and stops of the joints.
template <class T>
inline T joint_energy(const Model& m, const JointLaw& law, const T* q) {
  T sum = broadcast<T>(0.0);
  for (int k = 0; k < m.tree_nv; ++k) {
    if (m.spring_q[k] >= 0) {
      const T d = q[m.spring_q[k]] - m.rest[k];
      sum = sum + m.stiffness[k] * d * d;
    }
    if (law.stop_q && law.stop_q[k] >= 0) {
      const T x = q[law.stop_q[k]], zero = broadcast<T>(0.0);
      const T below = larger<T>(law.lower[k] - x, zero), above = larger<T>(x - law.upper[k], zero);
      sum = sum + law.stop_stiffness[k] * (below * below + above * above);
    }
  }
  for (int i = 0; i < m.pose_springs; ++i) sum = sum + doubled_energy(m.pose_spring[i], spring_pose(m.pose_spring[i], q));
  return 0.5 * sum;
}

}  // namespace tarsus::TARSUS_ISA
