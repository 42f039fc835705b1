// Rotations from child to parent, v_P = R v_C, in the forms that occur at joints:
//   Turn<T, D>     cyclic permutation of axes times Rz(q): what most joints become once body frames are chosen well
//   Columns<T, C>  three columns, the third possibly constant (general E Rz(q)), or all of one type
// Each form offers the same operations: to_parent, to_child, and the congruences R S R^T and R B R^T.
#pragma once
#include "math/vec3.hpp"

namespace tarsus::TARSUS_ISA {

template <class T, class C>
struct Columns {
  Vec3<T> a, b;
  Vec3<C> c;
};
template <class T>
using Mat3 = Columns<T, T>;

template <class T, int D>
struct Turn {
  T s, c;
};

// P_D maps (e_x, e_y, e_z) to: D = 0 themselves, D = 1 (e_y, e_z, e_x), D = 2 (e_z, e_x, e_y).
template <int D, class T>
TARSUS_INLINE Vec3<T> permute(const Vec3<T>& v) {
  if constexpr (D == 0) return v;
  if constexpr (D == 1) return {v.z, v.x, v.y};
  if constexpr (D == 2) return {v.y, v.z, v.x};
}
template <int D, class T>
TARSUS_INLINE Sym3<T> permute(const Sym3<T>& s) {
  if constexpr (D == 0) return s;
  if constexpr (D == 1) return {s.zz, s.xx, s.yy, s.xz, s.yz, s.xy};
  if constexpr (D == 2) return {s.yy, s.zz, s.xx, s.yz, s.xy, s.xz};
}

template <class T, int D>
TARSUS_INLINE Vec3<T> to_parent(const Turn<T, D>& R, const Vec3<T>& v) {
  return permute<D>(Vec3<T>{R.c * v.x - R.s * v.y, R.s * v.x + R.c * v.y, v.z});
}
template <class T, int D>
TARSUS_INLINE Vec3<T> to_child(const Turn<T, D>& R, const Vec3<T>& w) {
  const Vec3<T> v = permute<(3 - D) % 3>(w);
  return {R.c * v.x + R.s * v.y, R.c * v.y - R.s * v.x, v.z};
}
template <class T, int D>
TARSUS_INLINE Sym3<T> congruence(const Turn<T, D>& R, const Sym3<T>& S) {
  const T t = R.c * S.xx - R.s * S.xy, u = R.c * S.xy - R.s * S.yy, xx = R.c * t - R.s * u;
  return permute<D>(Sym3<T>{xx, S.xx + S.yy - xx, S.zz, R.s * t + R.c * u, R.c * S.xz - R.s * S.yz, R.s * S.xz + R.c * S.yz});
}
template <class T, int D>
TARSUS_INLINE void congruence(const Turn<T, D>& R, Vec3<T>& x, Vec3<T>& y, Vec3<T>& z) {  // rows of B
  const Vec3<T> X = to_parent(R, x), Y = to_parent(R, y), Z = to_parent(R, z);
  const Vec3<T> rows[3] = {R.c * X - R.s * Y, R.s * X + R.c * Y, Z};
  x = rows[(3 - D) % 3], y = rows[(4 - D) % 3], z = rows[(5 - D) % 3];
}

template <class T, class A, class C>
TARSUS_INLINE Vec3<T> to_parent(const Columns<A, C>& R, const Vec3<T>& v) {
  return {R.a.x * v.x + R.b.x * v.y + R.c.x * v.z, R.a.y * v.x + R.b.y * v.y + R.c.y * v.z,
          R.a.z * v.x + R.b.z * v.y + R.c.z * v.z};
}
template <class T, class A, class C>
TARSUS_INLINE Vec3<T> to_child(const Columns<A, C>& R, const Vec3<T>& v) {
  return {dot(R.a, v), dot(R.b, v), dot(R.c, v)};
}
template <class T, class A, class C>
TARSUS_INLINE Sym3<T> congruence(const Columns<A, C>& R, const Sym3<T>& S) {
  const Vec3<T> X = to_parent(R, Vec3<T>{S.xx, S.xy, S.xz}), Y = to_parent(R, Vec3<T>{S.xy, S.yy, S.yz}),
                Z = to_parent(R, Vec3<T>{S.xz, S.yz, S.zz});
  return {R.a.x * X.x + R.b.x * Y.x + R.c.x * Z.x, R.a.y * X.y + R.b.y * Y.y + R.c.y * Z.y,
          R.a.z * X.z + R.b.z * Y.z + R.c.z * Z.z, R.a.x * X.y + R.b.x * Y.y + R.c.x * Z.y,
          R.a.x * X.z + R.b.x * Y.z + R.c.x * Z.z, R.a.y * X.z + R.b.y * Y.z + R.c.y * Z.z};
}
template <class T, class A, class C>
TARSUS_INLINE void congruence(const Columns<A, C>& R, Vec3<T>& x, Vec3<T>& y, Vec3<T>& z) {
  const Vec3<T> X = to_parent(R, x), Y = to_parent(R, y), Z = to_parent(R, z);
  x = R.a.x * X + R.b.x * Y + R.c.x * Z;
  y = R.a.y * X + R.b.y * Y + R.c.y * Z;
  z = R.a.z * X + R.b.z * Y + R.c.z * Z;
}

// Composition P R, the columns of the child's axes seen where P leads.
template <class T, int D>
TARSUS_INLINE Mat3<T> compose(const Mat3<T>& P, const Turn<T, D>& R) {
  const Vec3<T>&x = D == 0   ? P.a
                    : D == 1 ? P.b
                             : P.c,
        &y = D == 0   ? P.b
             : D == 1 ? P.c
                      : P.a,
        &z = D == 0   ? P.c
             : D == 1 ? P.a
                      : P.b;
  return {R.c * x + R.s * y, R.c * y - R.s * x, z};
}
template <class T, class A, class C>
TARSUS_INLINE Mat3<T> compose(const Mat3<T>& P, const Columns<A, C>& R) {
  return {R.a.x * P.a + R.a.y * P.b + R.a.z * P.c, R.b.x * P.a + R.b.y * P.b + R.b.z * P.c,
          R.c.x * P.a + R.c.y * P.b + R.c.z * P.c};
}
template <class T>
TARSUS_INLINE Mat3<T> identity3() {
  const T o = broadcast<T>(0.0), i = broadcast<T>(1.0);
  return {{i, o, o}, {o, i, o}, {o, o, i}};
}

// Rotation matrix of a quaternion (w, x, y, z) of any norm, Buschmann 2014 (2.41).
template <class T>
TARSUS_INLINE Mat3<T> quaternion_matrix(const T* q) {
  const T w = q[0], x = q[1], y = q[2], z = q[3];
  const T k = 2.0 / (w * w + x * x + y * y + z * z);
  const T xx = k * x * x, yy = k * y * y, zz = k * z * z, xy = k * x * y, xz = k * x * z, yz = k * y * z;
  const T wx = k * w * x, wy = k * w * y, wz = k * w * z;
  return {{1.0 - (yy + zz), xy + wz, xz - wy}, {xy - wz, 1.0 - (xx + zz), yz + wx}, {xz + wy, yz - wx, 1.0 - (xx + yy)}};
}

}  // namespace tarsus::TARSUS_ISA
