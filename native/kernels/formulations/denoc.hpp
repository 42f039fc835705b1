// Recursive forward dynamics with the DeNOC matrices, Shah, Saha and Dutt section 3.2: the generalised inertia matrix is never
// formed; reverse Gaussian elimination gives its factors U D U^T analytically (Saha 1997),
//   D_i = P_i^T M^_i P_i,  U_ij = P_i^T A_ji^T Psi_j,  Psi_j = M^_j P_j D_j^-1,
// with the inertia M^_i of what is behind joint i while the joints behind it are free. D has a block for each joint: a number for
// one degree of freedom, 3 x 3 for spherical and planar joints, 6 x 6 for free ones. O(n).
#pragma once
#include "kernels/factorisation/cholesky.hpp"
#include "kernels/formulations/denoc_wrenches.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kLargestBlock = 36;  // entries of D_i of a free joint

inline size_t denoc_scratch(const Model& m) { return (size_t)kLargestBlock * m.slots; }

template <class T>
TARSUS_INLINE Articulated<T> free_inertia(const Node& n, const ExtendedMass<T>& M) {
  const T o = broadcast<T>(0.0), mass = o + n.mass;
  const Vec3<T>& h = M.md;
  return {M.I, {mass, mass, mass, o, o, o}, {o, -h.z, h.y}, {h.z, o, -h.x}, {-h.y, h.x, o}};
}

template <class T>
TARSUS_INLINE Wrench<T> times(const Articulated<T>& M, const Screw<T>& p, bool turns) {
  const Vec3<T>& w = p.angular;
  Wrench<T> psi{w.x * M.Bx + w.y * M.By + w.z * M.Bz, M.A * w};
  if (turns) return psi;
  psi.f += M.C * p.linear;
  psi.n += Vec3<T>{dot(M.Bx, p.linear), dot(M.By, p.linear), dot(M.Bz, p.linear)};
  return psi;
}

// M - u w^T, which is symmetric once all columns of a joint are taken off.
template <class T>
TARSUS_INLINE void take_off(Articulated<T>& M, const Wrench<T>& u, const Wrench<T>& w) {
  M.A = minus_outer(M.A, u.n, w.n), M.C = minus_outer(M.C, u.f, w.f);
  M.Bx = M.Bx - u.n.x * w.f, M.By = M.By - u.n.y * w.f, M.Bz = M.Bz - u.n.z * w.f;
}

// A^T M A (18): an inertia at O_i, shifted to the origin of the parent. B' = B + [a]C, A' = A - B[a] + [a]B'^T.
template <class T>
TARSUS_INLINE Articulated<T> shifted(const Articulated<T>& M, const Vec3<T>& a) {
  const Vec3<T>&x = M.Bx, &y = M.By, &z = M.Bz;
  const Vec3<T> Cx{M.C.xx, M.C.xy, M.C.xz}, Cy{M.C.xy, M.C.yy, M.C.yz}, Cz{M.C.xz, M.C.yz, M.C.zz};
  const Vec3<T> X = x + a.y * Cz - a.z * Cy, Y = y + a.z * Cx - a.x * Cz, Z = z + a.x * Cy - a.y * Cx;
  const Sym3<T>& A = M.A;
  return {{A.xx - (x.y * a.z - x.z * a.y) + (a.y * X.z - a.z * X.y), A.yy - (y.z * a.x - y.x * a.z) + (a.z * Y.x - a.x * Y.z),
           A.zz - (z.x * a.y - z.y * a.x) + (a.x * Z.y - a.y * Z.x), A.xy - (x.z * a.x - x.x * a.z) + (a.y * Y.z - a.z * Y.y),
           A.xz - (x.x * a.y - x.y * a.x) + (a.y * Z.z - a.z * Z.y), A.yz - (y.x * a.y - y.y * a.x) + (a.z * Z.x - a.x * Z.z)},
          M.C,
          X,
          Y,
          Z};
}

// Joint with several degrees of freedom: D_i factorised in `block`, Psi_i into ws.eliminated, M^_i - M^_i P_i Psi_i^T in place.
template <class T>
__attribute__((noinline)) void decompose_block(const Model& m, Workspace<T>& ws, const Node& n, Articulated<T>& M, T* block) {
  Wrench<T> psi[6];
  for (int k = 0; k < n.dof; ++k) psi[k] = times(M, ws.screw[n.v + k], false);
  for (int r = 0; r < n.dof; ++r) {
    for (int c = 0; c < n.dof; ++c) block[r * n.dof + c] = along(ws.screw[n.v + r], psi[c], false);
    block[r * n.dof + r] = block[r * n.dof + r] + m.armature[n.v + r];
  }
  cholesky_factor(n.dof, block);
  if (n.parent < 0 || n.grounded) return;  // nothing moves before it
  T row[6];
  auto solved_row = [&](auto component_of, auto put) {
    for (int k = 0; k < n.dof; ++k) row[k] = component_of(psi[k]);
    cholesky_substitute(n.dof, static_cast<const T*>(block), row);
    for (int k = 0; k < n.dof; ++k) put(ws.eliminated[n.v + k]) = row[k];
  };
  solved_row([](Wrench<T>& w) -> T& { return w.f.x; }, [](Eliminated<T>& e) -> T& { return e.f.x; });
  solved_row([](Wrench<T>& w) -> T& { return w.f.y; }, [](Eliminated<T>& e) -> T& { return e.f.y; });
  solved_row([](Wrench<T>& w) -> T& { return w.f.z; }, [](Eliminated<T>& e) -> T& { return e.f.z; });
  solved_row([](Wrench<T>& w) -> T& { return w.n.x; }, [](Eliminated<T>& e) -> T& { return e.n.x; });
  solved_row([](Wrench<T>& w) -> T& { return w.n.y; }, [](Eliminated<T>& e) -> T& { return e.n.y; });
  solved_row([](Wrench<T>& w) -> T& { return w.n.z; }, [](Eliminated<T>& e) -> T& { return e.n.z; });
  for (int k = 0; k < n.dof; ++k) take_off(M, psi[k], Wrench<T>{ws.eliminated[n.v + k].f, ws.eliminated[n.v + k].n});
}

// Step 2: U D U^T from the leaves to the root. ws.articulated holds M_i and becomes M^_i.
template <class T>
TARSUS_INLINE void decompose(const Model& m, Workspace<T>& ws, T* blocks) {
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    if (is_fixed(n)) continue;
    const bool inner = n.parent >= 0 && !n.grounded;
    Articulated<T>& M = ws.articulated[i];
    if (n.dof == 1) {
      const bool turns = is_turn(n.arm);
      const Wrench<T> psi = times(M, ws.screw[n.v], turns);
      Eliminated<T>& e = ws.eliminated[n.v];
      e.inverse = 1.0 / (along(ws.screw[n.v], psi, turns) + m.armature[n.v]);
      e.f = e.inverse * psi.f, e.n = e.inverse * psi.n;
      if (inner) take_off(M, psi, Wrench<T>{e.f, e.n});
    } else {
      decompose_block(m, ws, n, M, blocks + kLargestBlock * n.slot);
    }
    if (inner) ws.articulated[n.parent] += shifted(M, offset_of(ws, n, i));
  }
}

// Step 3 i) U phi^ = phi, from the leaves to the root, with eta_i = Psi_i phi^_i and what comes from behind; ii) D phi~ = phi^.
// Overwrites phi by phi~.
template <class T>
TARSUS_INLINE void solve_backward(const Model& m, Workspace<T>& ws, const T* blocks, T* phi) {
  for (int i = 0; i < m.nodes; ++i) ws.wrench[i] = {zero3<T>(), zero3<T>()};
  for (int i = m.nodes - 1; i >= 0; --i) {
    const Node& n = m.node[i];
    Wrench<T> eta = ws.wrench[i];
    const bool inner = n.parent >= 0 && !n.grounded;
    for (int k = n.v; k < n.v + n.dof; ++k) phi[k] = phi[k] - along(ws.screw[k], ws.wrench[i], is_turn(n.arm));
    for (int k = n.v; k < n.v + n.dof && inner; ++k) {
      const Eliminated<T>& e = ws.eliminated[k];
      eta.f += phi[k] * e.f, eta.n += phi[k] * e.n;
    }
    if (n.dof == 1) phi[n.v] = phi[n.v] * ws.eliminated[n.v].inverse;
    if (n.dof > 1) cholesky_substitute(n.dof, blocks + kLargestBlock * n.slot, phi + n.v);
    if (inner) ws.wrench[n.parent] += shifted(eta, offset_of(ws, n, i));
  }
}

// Step 3 iii) U^T vdot = phi~, from the root outwards, with mu_i = A_i,parent mu_parent + P_i vdot_i. Overwrites phi~ by vdot.
template <class T>
TARSUS_INLINE void solve_forward(const Model& m, Workspace<T>& ws, T* phi) {
  for (int i = 0; i < m.nodes; ++i) {
    const Node& n = m.node[i];
    Screw<T> mu{zero3<T>(), zero3<T>()};
    if (n.parent >= 0 && !n.grounded) {
      const Screw<T>& before = ws.twist[n.parent];
      mu = {before.linear + cross(before.angular, offset_of(ws, n, i)), before.angular};
      for (int k = n.v; k < n.v + n.dof; ++k) {
        const Eliminated<T>& e = ws.eliminated[k];
        phi[k] = phi[k] - (dot(e.f, mu.linear) + dot(e.n, mu.angular));
      }
    }
    for (int k = n.v; k < n.v + n.dof; ++k) {
      mu.angular += phi[k] * ws.screw[k].angular;
      if (!is_turn(n.arm)) mu.linear += phi[k] * ws.screw[k].linear;
    }
    ws.twist[i] = mu;
  }
}

template <class T>
TARSUS_KERNEL void denoc(const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  denoc_sweep<false>(x, [&](int i, const ExtendedMass<T>& M) TARSUS_LAMBDA { x.ws.articulated[i] = free_inertia(m.node[i], M); });
  project_wrenches(m, x.ws, x.out);
  add_sliding_drift(m, x.v, 1.0, x.out);
  for (int k = 0; k < m.tree_nv; ++k) x.out[k] = x.a[k] - x.out[k];  // phi' = tau + phi (22), with C v of all coordinates in phi
  decompose(m, x.ws, scratch);
  solve_backward(m, x.ws, scratch, x.out);
  solve_forward(m, x.ws, x.out);
}

}  // namespace tarsus::TARSUS_ISA
