// Three-vectors and symmetric 3 x 3 matrices over any scalar; A and B may be a pack and a constant.
#pragma once
#include "math/pack.hpp"

namespace tarsus::TARSUS_ISA {

// Copies are spelled out entry by entry, here and so in every structure made of these: compilers copy whole structures
// of packs through memory ("rep movs"), which doubles the time of a kernel.
template <class T>
struct Vec3 {
  T x, y, z;
  Vec3() = default;
  TARSUS_INLINE Vec3(const T& x_, const T& y_, const T& z_) : x(x_), y(y_), z(z_) {}
  TARSUS_INLINE Vec3(const Vec3& o) : x(o.x), y(o.y), z(o.z) {}
  TARSUS_INLINE Vec3& operator=(const Vec3& o) {
    x = o.x, y = o.y, z = o.z;
    return *this;
  }
};

template <class T>
struct Sym3 {
  T xx, yy, zz, xy, xz, yz;
  Sym3() = default;
  TARSUS_INLINE Sym3(const T& a, const T& b, const T& c, const T& d, const T& e, const T& f)
      : xx(a), yy(b), zz(c), xy(d), xz(e), yz(f) {}
  TARSUS_INLINE Sym3(const Sym3& o) : xx(o.xx), yy(o.yy), zz(o.zz), xy(o.xy), xz(o.xz), yz(o.yz) {}
  TARSUS_INLINE Sym3& operator=(const Sym3& o) {
    xx = o.xx, yy = o.yy, zz = o.zz, xy = o.xy, xz = o.xz, yz = o.yz;
    return *this;
  }
};

template <class A, class B>
TARSUS_INLINE auto operator+(const Vec3<A>& a, const Vec3<B>& b) {
  return Vec3<decltype(a.x + b.x)>{a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
TARSUS_INLINE auto operator-(const Vec3<A>& a, const Vec3<B>& b) {
  return Vec3<decltype(a.x - b.x)>{a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A>
TARSUS_INLINE Vec3<A> operator-(const Vec3<A>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class A, class B>
TARSUS_INLINE auto operator*(const A& s, const Vec3<B>& b) {
  return Vec3<decltype(s * b.x)>{s * b.x, s * b.y, s * b.z};
}
template <class A, class B>
TARSUS_INLINE void operator+=(Vec3<A>& a, const Vec3<B>& b) {
  a.x = a.x + b.x, a.y = a.y + b.y, a.z = a.z + b.z;
}
template <class A, class B>
TARSUS_INLINE auto dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
TARSUS_INLINE auto cross(const Vec3<A>& a, const Vec3<B>& b) {
  return Vec3<decltype(a.x * b.x)>{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
TARSUS_INLINE Vec3<T> zero3() {
  return {broadcast<T>(0.0), broadcast<T>(0.0), broadcast<T>(0.0)};
}
template <class T, class C>
TARSUS_INLINE Vec3<T> widen(const Vec3<C>& a) {  // constants to the scalar of the kernel
  if constexpr (sizeof(C) == sizeof(T)) {
    return a;
  } else {
    return {broadcast<T>(a.x), broadcast<T>(a.y), broadcast<T>(a.z)};
  }
}
TARSUS_INLINE Vec3<double> vec3(const double* p) { return {p[0], p[1], p[2]}; }

template <class A, class B>
TARSUS_INLINE auto operator*(const Sym3<A>& s, const Vec3<B>& v) {
  return Vec3<decltype(s.xx * v.x)>{s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
                                    s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
template <class A, class B>
TARSUS_INLINE auto operator+(const Sym3<A>& a, const Sym3<B>& b) {
  return Sym3<decltype(a.xx + b.xx)>{a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class T, class C>
TARSUS_INLINE Sym3<T> widen(const Sym3<C>& s) {
  if constexpr (sizeof(C) == sizeof(T)) {
    return s;
  } else {
    return {broadcast<T>(s.xx), broadcast<T>(s.yy), broadcast<T>(s.zz),
            broadcast<T>(s.xy), broadcast<T>(s.xz), broadcast<T>(s.yz)};
  }
}
TARSUS_INLINE Sym3<double> sym3(const double* p) { return {p[0], p[1], p[2], p[3], p[4], p[5]}; }

// s - k u k^T-like rank-one change: s - u w^T for w parallel to u
template <class T>
TARSUS_INLINE Sym3<T> minus_outer(const Sym3<T>& s, const Vec3<T>& u, const Vec3<T>& w) {
  return {s.xx - u.x * w.x, s.yy - u.y * w.y, s.zz - u.z * w.z, s.xy - u.x * w.y, s.xz - u.x * w.z, s.yz - u.y * w.z};
}

}  // namespace tarsus::TARSUS_ISA
