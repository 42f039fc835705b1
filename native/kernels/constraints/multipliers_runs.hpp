// Multipliers by runs of the O(n) algorithm, after Gattringer and Bremer (2005), Buschmann 2014 section 3.4.2: one run without
// multipliers gives the free acceleration, one for each multiplier the response to a unit of it (a column of M^-1 J^T); then
// G = J M^-1 J^T gives the multipliers, and a last run what they add. The inertias are eliminated in the first run only: m + 2
// runs, O(m n + m^3).
#pragma once
#include "kernels/constraints/multiplier_problem.hpp"
#include "kernels/dynamics/articulated_body.hpp"

namespace tarsus::TARSUS_ISA {

// Takes a joint force through a joint that is eliminated already: what `eliminate` does to the bias wrench p.
template <int axis, class V, class T>
TARSUS_INLINE void pass_force(const V& J, Eliminated<T>& e, Wrench<T>& p, const T& force) {
  e.u = force - power_along<axis>(J, p.f, p.n);
  const T share = e.u * e.inverse;
  p.f += share * e.f, p.n += share * e.n;
}

// M^-1 rhs, after a run that has eliminated all joints at this configuration.
template <class T>
TARSUS_KERNEL void respond(const Model& m, Workspace<T>& ws, const T* q, const T* rhs, T* vdot) {
  for (int i = 0; i < m.nodes; ++i) ws.wrench[i] = {zero3<T>(), zero3<T>()};
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    visit_node(m, ws, q, i, [&](const auto& J) TARSUS_LAMBDA {
      using V = std::remove_cvref_t<decltype(J)>;
      T force[V::dof];
      load_rates<V>(n, rhs, force);
      Wrench<T> p = ws.wrench[i];
      for_axes_reversed<V>([&]<int axis>(int k) TARSUS_LAMBDA { pass_force<axis>(J, ws.eliminated[n.v + k], p, force[k]); });
      if (n.parent >= 0 && !n.grounded) ws.wrench[n.parent] += to_parent(J, p);
    });
  }
  accelerate(m, ws, q, vdot);
}

// x.vdot holds the free acceleration; response(rhs, result) is a run. Y has (rows + 1) x (nv + 1) entries, G
// rows x rows.
template <class T, class Response>
inline void multipliers_by_runs(const MultiplierProblem<T>& x, Response response, T* Y, T* G, T* force) {
  const int n = x.rows.count;
  const size_t nv = x.width;
  if (n == 0) return;
  const ConstraintTable& c = x.table;
  for (int i = 0; i < n; ++i) {
    T* unit = Y + i * nv;
    response(x.row(i), unit);
    for_taken(x, [&](int k, int r, const RowBlock& b) TARSUS_LAMBDA {
      if (k > i) return;
      const T* J = x.jacobian + r * nv;
      T sum = broadcast<T>(0.0);
      for_columns(c, b.own, [&](int d) TARSUS_LAMBDA { sum = sum + J[d] * unit[d]; });
      G[(size_t)i * n + k] = sum;
    });
  }
  factor_response(n, G);
  T* rhs = Y;  // the responses are not needed any more
  for (int i = 0; i < n; ++i) {
    rhs[i] = x.target[x.rows.taken[i]] - row_product(nv, x.row(i), static_cast<const T*>(x.vdot));
  }
  cholesky_substitute(n, static_cast<const T*>(G), rhs);
  for (size_t k = 0; k < nv; ++k) force[k] = broadcast<T>(0.0);
  for (int i = 0; i < n; ++i) {
    x.lambda[x.rows.taken[i]] = rhs[i];
    for (size_t k = 0; k < nv; ++k) force[k] = force[k] + rhs[i] * x.row(i)[k];
  }
  T* added = rhs + n;
  response(static_cast<const T*>(force), added);
  for (size_t k = 0; k < nv; ++k) x.vdot[k] = x.vdot[k] + added[k];
}

}  // namespace tarsus::TARSUS_ISA
