// Jacobians of all bodies in their own axes, carried from parent to child: Buschmann 2014 (2.81), and what the Newton-Euler
// method does with them, (3.23) and (3.29). A Jacobian is six rows (linear first) of `width` entries; which columns it has, all
// degrees of freedom or those of the predecessors only, is up to the caller.
#pragma once
#include "kernels/dynamics/newton_euler.hpp"
#include "math/chunk.hpp"

// The iterations of the loop that follows do not depend on each other.
#if defined(__GNUC__) && !defined(__clang__)
#define TARSUS_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TARSUS_INDEPENDENT
#endif

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE Vec3<T> column3(const T* rows, long width, long c) {
  return {rows[c], rows[width + c], rows[2 * width + c]};
}
template <class T>
TARSUS_INLINE void set_column3(T* rows, long width, long c, const Vec3<T>& x) {
  rows[c] = x.x, rows[width + c] = x.y, rows[2 * width + c] = x.z;
}

// A Jacobian in memory.
template <class T>
struct JacobianRows {
  T* rows;
  long width;
};

// J_i = C_ip J_p + J_Ji for the first `columns` columns of the parent and the joint's own, which start at `own`.
template <class T>
TARSUS_INLINE void carry_jacobian(const Model& m, const Workspace<T>& ws, const T* q, int i, const JacobianRows<T>& parent,
                                  long columns, const JacobianRows<T>& child, long own) {
  const Node& n = m.node[i];
  visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
    using V = std::remove_cvref_t<decltype(J)>;
    const T *P = parent.rows, *Pw = P + 3 * parent.width;
    T *C = child.rows, *Cw = C + 3 * child.width;
    TARSUS_INDEPENDENT
    for (long c = 0; c < columns; ++c) {
      const Vec3<T> w = column3(Pw, parent.width, c);
      set_column3(C, child.width, c, to_child(J.R, column3(P, parent.width, c) + cross(w, J.p)));
      set_column3(Cw, child.width, c, to_child(J.R, w));
    }
    T unit[V::dof];
    for (int k = 0; k < V::dof; ++k) unit[k] = broadcast<T>(1.0);
    orient<V>(n.sign, unit);
    for_axes<V>([&]<int axis>(int k) TARSUS_LAMBDA {
      Vec3<T> linear = zero3<T>(), angular = zero3<T>();
      add_along<axis>(J, unit[k], linear, angular);
      set_column3(C, child.width, own + k, linear);
      set_column3(Cw, child.width, own + k, angular);
    });
  });
}

// F = M_i J, the momentum of body i per unit rate, with M_i split into its linear and angular parts.
template <class T>
TARSUS_INLINE void weigh_jacobian(const Node& n, const JacobianRows<T>& J, long columns, T* F) {
  const Constants<double>& b = constants(n);
  const T *v = J.rows, *w = v + 3 * J.width;
  TARSUS_INDEPENDENT
  for (long c = 0; c < columns; ++c) {
    const Vec3<T> linear = column3(v, J.width, c), angular = column3(w, J.width, c);
    set_column3(F, columns, c, b.mass * linear + cross(angular, b.first));
    set_column3(F + 3 * columns, columns, c, b.inertia * angular + cross(b.first, linear));
  }
}

// Adds columns 0..r of row r of J^T F to those of a row of the mass matrix, (3.29). Some entries of the row beyond r may be
// changed, but not entry `end`; of F, which has `columns` columns, as many may be read beyond its last.
template <class T>
TARSUS_INLINE void add_mass_row(const JacobianRows<T>& J, const T* F, long columns, long r, T* row, long end) {
  const T x = J.rows[r], y = J.rows[J.width + r], z = J.rows[2 * J.width + r];
  const T a = J.rows[3 * J.width + r], b = J.rows[4 * J.width + r], c = J.rows[5 * J.width + r];
  auto product = [&](auto entry) TARSUS_LAMBDA {
    return (x * entry(0) + y * entry(1) + z * entry(2)) + (a * entry(3) + b * entry(4) + c * entry(5));
  };
  long k = 0;
  for (; k <= r && k + kChunk<T> <= end; k += kChunk<T>) {
    put_chunk(row + k, chunk(row + k) + product([&](int i) TARSUS_LAMBDA { return chunk(F + i * columns + k); }));
  }
  for (; k <= r; ++k) row[k] = row[k] + product([&](int i) TARSUS_LAMBDA { return F[i * columns + k]; });
}

// J^T w for one column.
template <class T>
TARSUS_INLINE T project(const JacobianRows<T>& J, long c, const Wrench<T>& w) {
  return dot(column3(J.rows, J.width, c), w.f) + dot(column3(J.rows + 3 * J.width, J.width, c), w.n);
}

// ws.wrench = M_i (dJ_i/dt v + c_i) + h_i: what each body needs at vdot = 0 of the independent joints, gravity and external
// wrenches counted (3.25).
template <class T>
inline void sweep_at_rest(const Context<T>& x) {
  const Model& m = x.model;
  if (m.coupled && !m.linear) {
    sweep<true>(m, x.ws, x.q, x.v, static_cast<const T*>(x.ws.bias));
  } else {
    sweep<false>(m, x.ws, x.q, x.v, static_cast<const T*>(nullptr));
  }
  if (x.external) subtract_external(m, x.ws, x.q, x.external);
}

}  // namespace tarsus::TARSUS_ISA
