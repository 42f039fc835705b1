// Forces that are linear in the acceleration of a point, as an inertia of its body: a force -c a at a point adds c to what the
// body resists with.
#pragma once
#include "kernels/dynamics/articulated_body.hpp"

namespace tarsus::TARSUS_ISA {

// A resistance c_n along n and c_t across, at the point `arm`, as an inertia about the node's origin.
template <class T>
TARSUS_INLINE void add_point_inertia(const T& cn, const T& ct, const Vec3<T>& n, const Vec3<T>& arm, Articulated<T>& I) {
  const T d = cn - ct;
  const Vec3<T> u = d * n;
  const Sym3<T> K{ct + u.x * n.x, ct + u.y * n.y, ct + u.z * n.z, u.x * n.y, u.x * n.z, u.y * n.z};
  const Vec3<T> Kx{K.xx, K.xy, K.xz}, Ky{K.xy, K.yy, K.yz}, Kz{K.xz, K.yz, K.zz};
  const Vec3<T> X = arm.y * Kz - arm.z * Ky, Y = arm.z * Kx - arm.x * Kz, Z = arm.x * Ky - arm.y * Kx;  // [arm] K
  const Vec3<T> ax = cross(arm, X), ay = cross(arm, Y), az = cross(arm, Z);
  I.C = I.C + K;
  I.Bx += X, I.By += Y, I.Bz += Z;
  I.A = I.A + Sym3<T>{ax.x, ay.y, az.z, ax.y, ax.z, ay.z};
}

// A resistance c along the direction s alone.
template <class T>
TARSUS_INLINE void add_line_inertia(const T& c, const Vec3<T>& s, const Vec3<T>& arm, Articulated<T>& I) {
  const Vec3<T> f = c * s, m = cross(arm, s), n = c * m;
  I.C = I.C + Sym3<T>{f.x * s.x, f.y * s.y, f.z * s.z, f.x * s.y, f.x * s.z, f.y * s.z};
  I.Bx += m.x * f, I.By += m.y * f, I.Bz += m.z * f;
  I.A = I.A + Sym3<T>{n.x * m.x, n.y * m.y, n.z * m.z, n.x * m.y, n.x * m.z, n.y * m.z};
}

}  // namespace tarsus::TARSUS_ISA
