// Articulated inertia of a subtree and its passage through a joint, Buschmann 2014 (3.54), Featherstone 2008 (7.36 ff).
#pragma once
#include <type_traits>

#include "nodes/motion.hpp"

namespace tarsus::TARSUS_ISA {

// n = A alpha + B a,  f = B^T alpha + C a  (rows Bx, By, Bz)
template <class T>
struct Articulated {
  Sym3<T> A, C;
  Vec3<T> Bx, By, Bz;
};

template <class T, class Body>
TARSUS_INLINE Articulated<T> rigid_inertia(const Body& b) {
  const T o = broadcast<T>(0.0), m = o + b.mass;
  const auto& h = b.first;
  return {widen<T>(b.inertia), {m, m, m, o, o, o}, {o, o - h.z, o + h.y}, {o + h.z, o, o - h.x}, {o - h.y, o + h.x, o}};
}

template <class T>
TARSUS_INLINE void operator+=(Articulated<T>& a, const Articulated<T>& b) {
  a.A = a.A + b.A, a.C = a.C + b.C;
  a.Bx += b.Bx, a.By += b.By, a.Bz += b.Bz;
}

// One degree of freedom taken out: U = I s, 1 / (s^T U + armature), u = tau - s^T p.
template <class T>
struct Eliminated {
  Vec3<T> n, f;
  T inverse, u;
};

template <int axis, class T>
TARSUS_INLINE Wrench<T> column(const Articulated<T>& I) {
  if constexpr (axis == 0) return {{I.C.xx, I.C.xy, I.C.xz}, {I.Bx.x, I.By.x, I.Bz.x}};
  if constexpr (axis == 1) return {{I.C.xy, I.C.yy, I.C.yz}, {I.Bx.y, I.By.y, I.Bz.y}};
  if constexpr (axis == 2) return {{I.C.xz, I.C.yz, I.C.zz}, {I.Bx.z, I.By.z, I.Bz.z}};
  if constexpr (axis == 3) return {I.Bx, {I.A.xx, I.A.xy, I.A.xz}};
  if constexpr (axis == 4) return {I.By, {I.A.xy, I.A.yy, I.A.yz}};
  if constexpr (axis == 5) return {I.Bz, {I.A.xz, I.A.yz, I.A.zz}};
}

// I s for the unit twist s of a degree of freedom: the wrench that a unit of its acceleration needs.
template <int axis, class V, class T>
TARSUS_INLINE Wrench<T> inertia_column(const V& J, const Articulated<T>& I) {
  Wrench<T> U = column<axis>(I);
  if constexpr (V::screws) {
    const Wrench<T> slide = column<kAlongZ>(I);
    U.f += J.pitch * slide.f, U.n += J.pitch * slide.n;
  }
  return U;
}

// Takes degree of freedom `axis` out of the inertia I and the bias wrench p. Joints with several degrees of freedom
// are taken out one axis after the other, which is the L D L^T factorisation of their block. `spin` is the moment of momentum of
// rotors on the parent for a unit of the joint's rate, in the node's axes (nodes/rotor.hpp).
struct NoSpin {};
template <int axis, class V, class T, class C, class S = NoSpin>
TARSUS_INLINE Eliminated<T> eliminate(const V& J, Articulated<T>& I, Wrench<T>& p, const C& armature, const T& tau,
                                      const S& spin = {}) {
  Wrench<T> U = inertia_column<axis>(J, I);
  const T d = power_along<axis>(J, U.f, U.n), along = power_along<axis>(J, p.f, p.n);
  if constexpr (!std::is_same_v<S, NoSpin>) U.n += spin;
  const T inverse = 1.0 / (d + armature), u = tau - along;
  const Vec3<T> kn = inverse * U.n, kf = inverse * U.f;
  p.f += u * kf, p.n += u * kn;
  I.A = minus_outer(I.A, U.n, kn);
  I.C = minus_outer(I.C, U.f, kf);
  I.Bx = I.Bx - kn.x * U.f, I.By = I.By - kn.y * U.f, I.Bz = I.Bz - kn.z * U.f;
  return {U.n, U.f, inverse, u};
}

// The inertia seen from the parent: rotated, then shifted by p: B' = B + [p]C, A' = A - B[p] + [p]B'^T.
template <class V, class T>
TARSUS_INLINE Articulated<T> to_parent(const V& J, Articulated<T> I) {
  const auto& p = J.p;
  const Sym3<T> A = congruence(J.R, I.A), C = congruence(J.R, I.C);
  Vec3<T> x = I.Bx, y = I.By, z = I.Bz;
  congruence(J.R, x, y, z);
  const Vec3<T> Cx{C.xx, C.xy, C.xz}, Cy{C.xy, C.yy, C.yz}, Cz{C.xz, C.yz, C.zz};
  const Vec3<T> X = x + p.y * Cz - p.z * Cy, Y = y + p.z * Cx - p.x * Cz, Z = z + p.x * Cy - p.y * Cx;
  return {{A.xx - (x.y * p.z - x.z * p.y) + (p.y * X.z - p.z * X.y), A.yy - (y.z * p.x - y.x * p.z) + (p.z * Y.x - p.x * Y.z),
           A.zz - (z.x * p.y - z.y * p.x) + (p.x * Z.y - p.y * Z.x), A.xy - (x.z * p.x - x.x * p.z) + (p.y * Y.z - p.z * Y.y),
           A.xz - (x.x * p.y - x.y * p.x) + (p.y * Z.z - p.z * Z.y), A.yz - (y.x * p.y - y.y * p.x) + (p.z * Z.x - p.x * Z.z)},
          C,
          X,
          Y,
          Z};
}

// The same of one rigid body: first moments and mass are enough for B and C.
template <class T, class V, class C>
TARSUS_INLINE Articulated<T> rigid_to_parent(const V& J, const Constants<C>& b) {
  const auto& p = J.p;
  const T o = broadcast<T>(0.0), m = o + b.mass;
  const Vec3<T> h = to_parent(J.R, widen<T>(b.first)), g = h + b.mass * p;  // about the joint, about the parent's origin
  const Sym3<T> I = congruence(J.R, widen<T>(b.inertia));
  const T both = 2.0 * dot(h, p) + b.mass * dot(p, p);
  return {{I.xx + both - p.x * (h.x + g.x), I.yy + both - p.y * (h.y + g.y), I.zz + both - p.z * (h.z + g.z),
           I.xy - p.x * h.y - p.y * g.x, I.xz - p.x * h.z - p.z * g.x, I.yz - p.y * h.z - p.z * g.y},
          {m, m, m, o, o, o},
          {o, o - g.z, g.y},
          {g.z, o, o - g.x},
          {o - g.y, g.x, o}};
}

// What is left of an inertia once a turn about z without armature is taken out: a moment about z accelerates nothing behind
// the joint, so the z rows of A and B vanish. A tenth of the operations of the backward sweep go with them.
template <class T>
struct Freed {
  T xx, yy, xy;  // of A
  Sym3<T> C;
  Vec3<T> Bx, By;
};

// `eliminate` for such a joint; the moment about z that remains in p is the motor's.
template <class T>
TARSUS_INLINE Freed<T> free_turn(const Articulated<T>& I, Wrench<T>& p, const T& tau, Eliminated<T>& e) {
  const Vec3<T> n{I.A.xz, I.A.yz, I.A.zz}, f = I.Bz;
  const T inverse = 1.0 / n.z, u = tau - p.n.z, nx = inverse * n.x, ny = inverse * n.y;
  const Vec3<T> kf = inverse * f;
  p.f += u * kf;
  p.n = {p.n.x + u * nx, p.n.y + u * ny, tau};
  e = {n, f, inverse, u};
  return {I.A.xx - n.x * nx, I.A.yy - n.y * ny, I.A.xy - n.x * ny, minus_outer(I.C, f, kf), I.Bx - nx * f, I.By - ny * f};
}

// The same passage to the parent. Shifting commutes with the cyclic permutation, which therefore comes last and costs nothing.
template <int D, class V, class T>
TARSUS_INLINE Articulated<T> to_parent(const V& J, const Freed<T>& I) {
  const Turn<T, 0> R{J.R.s, J.R.c};
  const auto p = permute<(3 - D) % 3>(J.p);
  const T t = R.c * I.xx - R.s * I.xy, w = R.c * I.xy - R.s * I.yy, xx = R.c * t - R.s * w, yy = I.xx + I.yy - xx;
  const Sym3<T> C = congruence(R, I.C);
  const Vec3<T> u = to_parent(R, I.Bx), v = to_parent(R, I.By), x = R.c * u - R.s * v, y = R.s * u + R.c * v;
  const Vec3<T> Cx{C.xx, C.xy, C.xz}, Cy{C.xy, C.yy, C.yz}, Cz{C.xz, C.yz, C.zz};
  const Vec3<T> X = x + p.y * Cz - p.z * Cy, Y = y + p.z * Cx - p.x * Cz, Z = p.x * Cy - p.y * Cx;
  const Sym3<T> A{xx - (x.y * p.z - x.z * p.y) + (p.y * X.z - p.z * X.y),
                  yy - (y.z * p.x - y.x * p.z) + (p.z * Y.x - p.x * Y.z),
                  p.x * Z.y - p.y * Z.x,
                  R.s * t + R.c * w - (x.z * p.x - x.x * p.z) + (p.y * Y.z - p.z * Y.y),
                  x.y * p.x - x.x * p.y + (p.y * Z.z - p.z * Z.y),
                  y.y * p.x - y.x * p.y + (p.z * Z.x - p.x * Z.z)};
  const Vec3<T> rows[3] = {permute<D>(X), permute<D>(Y), permute<D>(Z)};
  return {permute<D>(A), permute<D>(C), rows[(3 - D) % 3], rows[(4 - D) % 3], rows[(5 - D) % 3]};
}

}  // namespace tarsus::TARSUS_ISA
