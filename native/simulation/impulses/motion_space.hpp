// Equations in the velocities of all touching bodies. Impulses move them by dV = W J^T dl, W = A A^T; where the impulses resist
// the motion, J^T dl = load - K dV with blocks K for each body, so that
//   dV = A z,   (1 + A^T K A) z = A^T load.
// Contacts of one body share its six velocities: the number of equations does not grow with the number of contacts.
//
// A has two forms, chosen once for a model and its contacts: six columns a body, the Cholesky factor of W, where few bodies can
// touch; the columns of the independent velocities (impulse_response.hpp) where many can.
#pragma once
#include "simulation/impulses/dense_systems.hpp"
#include "simulation/impulses/touching_motions.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kDependent = 1e-13;  // pivots of W below that, relative to the largest one, are directions that cannot move
constexpr double kLeastPivot = 1e-6;  // of 1 + A^T K A, whose pivots are 1 and more where K is symmetric

// What an impulse changes in the velocities V of the touching bodies.
template <class T>
TARSUS_INLINE void add_response(const T* block, const Wrench<T>& w, Screw<T>& V) {
  const T in[6] = {w.f.x, w.f.y, w.f.z, w.n.x, w.n.y, w.n.z};
  for (int c = 0; c < 6; ++c) {
    const T* b = block + 6 * c;
    V.linear += in[c] * Vec3<T>{b[0], b[1], b[2]};
    V.angular += in[c] * Vec3<T>{b[3], b[4], b[5]};
  }
}

// z += A_k^T w of a motion, and V += A_k z.
template <class T>
TARSUS_INLINE void add_to_columns(const ImpulseResponse<T>& w, int k, const Wrench<T>& l, T* z) {
  const int* column = w.columns_of(k);
  for (int x = 0; x < w.width[k]; ++x) {
    const T* a = w.factor_of(k) + 6 * x;
    z[column[x]] = z[column[x]] + (a[0] * l.f.x + a[1] * l.f.y + a[2] * l.f.z) + (a[3] * l.n.x + a[4] * l.n.y + a[5] * l.n.z);
  }
}
template <class T>
TARSUS_INLINE void add_from_columns(const ImpulseResponse<T>& w, int k, const T* z, Screw<T>& V) {
  const int* column = w.columns_of(k);
  for (int x = 0; x < w.width[k]; ++x) {
    const T *a = w.factor_of(k) + 6 * x, &y = z[column[x]];
    V.linear += y * Vec3<T>{a[0], a[1], a[2]}, V.angular += y * Vec3<T>{a[3], a[4], a[5]};
  }
}
template <class T>
TARSUS_INLINE void clear_taken(const Robot<T>& r) {
  for (int d = 0; d < r.model.nv; ++d) r.response.taken[d] = broadcast<T>(0.0);
}

// A unit of an impulse on motion k moves it by this.
template <class T>
TARSUS_INLINE void add_own_response(const Robot<T>& r, int k, const Wrench<T>& w, Screw<T>& V) {
  if (r.response.blocks) return add_response(r.response.response_of(k, k), w, V);
  clear_taken(r);
  add_to_columns(r.response, k, w, r.response.taken);
  add_from_columns(r.response, k, static_cast<const T*>(r.response.taken), V);
}

// What the impulse of one contact changes in all motions V.
template <class T>
TARSUS_INLINE void add_impulse(const Robot<T>& r, const StepImpulse<T>& s, const Impulse<T>& l, Screw<T>* V) {
  const Wrench<T> w = wrench_of(s, l);
  if (r.response.blocks) {
    for (int k = 0; k < r.response.bodies; ++k) add_response(r.response.response_of(k, s.body), w, V[k]);
    return;
  }
  clear_taken(r);
  add_to_columns(r.response, s.body, w, r.response.taken);
  for (int k = 0; k < r.response.bodies; ++k) {
    add_from_columns(r.response, k, static_cast<const T*>(r.response.taken), V[k]);
  }
}

// The same of impulses on all motions (r.body_impulse): V_k = r.body_free + their response, handed to f(k, V_k).
template <class T, class F>
TARSUS_INLINE void for_pushed_motions(const Robot<T>& r, F f) {
  const ImpulseResponse<T>& w = r.response;
  if (!w.blocks) {
    clear_taken(r);
    for (int k = 0; k < w.bodies; ++k) add_to_columns(w, k, r.body_impulse[k], w.taken);
  }
  for (int b = 0; b < w.bodies; ++b) {
    Screw<T> V = r.body_free[b];
    if (w.blocks) {
      for (int k = 0; k < w.bodies; ++k) add_response(w.response_of(b, k), r.body_impulse[k], V);
    } else {
      add_from_columns(w, b, static_cast<const T*>(w.taken), V);
    }
    f(b, V);
  }
}

// A as Cholesky factor, with the bodies alone that a lane touches: it does not depend on its neighbours in a pack.
template <class T>
inline void factorise_responses(Robot<T>& r, int count) {
  MotionSpace<T>& k = r.space;
  const T zero = broadcast<T>(0.0), one = broadcast<T>(1.0);
  const int bodies = r.response.bodies, n = 6 * bodies;
  for (int b = 0; b < bodies; ++b) k.load[b] = zero;
  for (int i = 0; i < count; ++i) {
    T& touched = k.load[r.impulse[i].body];
    touched = select<T>(r.impulse[i].active, one, touched);
  }
  for (int t = 0; t < bodies; ++t) {
    for (int f = 0; f <= t; ++f) {
      const T* block = r.response.response_of(t, f);
      const auto both = less<T>(zero, k.load[t] * k.load[f]);
      for (int c = 0; c < 6; ++c) {
        for (int e = 0; e < 6; ++e) k.matrix[(6 * t + e) * n + 6 * f + c] = select<T>(both, block[6 * c + e], zero);
      }
    }
  }
  factorise(k.matrix, n, kDependent);
  for (int b = 0; b < bodies; ++b) {
    k.width[b] = 6 * (b + 1), k.column[b] = k.count, k.factor[b] = k.own + 6 * (size_t)n * b;
    for (int c = 0; c < 6 * (b + 1); ++c) {
      for (int e = 0; e < 6; ++e) k.own[6 * ((size_t)n * b + c) + e] = c > 6 * b + e ? zero : k.matrix[(6 * b + e) * n + c];
    }
  }
  for (int c = 0; c < n; ++c) k.count[c] = c;
  k.columns = n;
}

// A by independent velocities, those first that are eliminated first: the outermost.
template <class T>
inline void use_independents(Robot<T>& r) {
  MotionSpace<T>& k = r.space;
  const ImpulseResponse<T>& w = r.response;
  for (int d = 0; d < r.model.nv; ++d) k.place[d] = -1;
  for (int b = 0; b < w.bodies; ++b) {
    for (int x = 0; x < w.width[b]; ++x) k.place[w.columns_of(b)[x]] = 0;
  }
  k.columns = 0;
  for (int d = r.model.nv - 1; d >= 0; --d) {
    if (k.place[d] == 0) k.place[d] = k.columns++;
  }
  for (int b = 0; b < w.bodies; ++b) {
    int* own = k.number + (size_t)w.most * b;
    for (int x = 0; x < w.width[b]; ++x) own[x] = k.place[w.columns_of(b)[x]];
    k.width[b] = w.width[b], k.column[b] = own, k.factor[b] = w.factor_of(b);
  }
}

template <class T>
inline void begin_space(Robot<T>& r, int count) {
  if (r.space.by_bodies) {
    factorise_responses(r, count);
  } else {
    use_independents(r);
  }
}

template <class T>
inline void clear_loads(Robot<T>& r) {
  for (int i = 0; i < 6 * r.response.bodies; ++i) r.space.load[i] = broadcast<T>(0.0);
}
template <class T>
inline void clear_equations(Robot<T>& r) {
  clear_loads(r);
  for (int i = 0; i < 36 * r.response.bodies; ++i) r.space.stiffness[i] = broadcast<T>(0.0);
}

// Adds kRows rows of A^T (K A) of one body to the matrix, together: they share what they read.
template <int kRows, class T>
TARSUS_INLINE void add_products(const T* A, const int* rows, const int* column, int width, const T* product, T* matrix, int n) {
  T e[6 * kRows], *to[kRows];
  TARSUS_UNROLL_ALL
  for (int x = 0; x < 6 * kRows; ++x) e[x] = A[x];
  for (int d = 0; d < kRows; ++d) to[d] = matrix + rows[d] * n;
  for (int c = 0; c < width; ++c) {
    const T* p = product + 6 * c;
    const T p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3], p4 = p[4], p5 = p[5];
    TARSUS_UNROLL
    for (int d = 0; d < kRows; ++d) {
      const T* f = e + 6 * d;
      T& entry = to[d][column[c]];
      entry = (entry + f[0] * p0 + f[1] * p1 + f[2] * p2) + (f[3] * p3 + f[4] * p4 + f[5] * p5);
    }
  }
}

// Factors of 1 + A^T K A; returns the lanes in which that can be solved.
template <class T>
TARSUS_KERNEL typename Bits<T>::type factorise_equations(Robot<T>& r) {
  MotionSpace<T>& k = r.space;
  const int n = k.columns;
  const T zero = broadcast<T>(0.0);
  for (int i = 0; i < n * n; ++i) k.matrix[i] = zero;
  for (int i = 0; i < n; ++i) k.matrix[i * n + i] = broadcast<T>(1.0);
  for (int b = 0; b < r.response.bodies; ++b) {
    const T *K = k.stiffness + 36 * b, *A = k.factor[b];
    const int *column = k.column[b], width = k.width[b];
    for (int c = 0; c < width; ++c) {
      const T* a = A + 6 * c;
      for (int x = 0; x < 6; ++x) {
        const T* row = K + 6 * x;
        k.product[6 * c + x] = row[0] * a[0] + row[1] * a[1] + row[2] * a[2] + row[3] * a[3] + row[4] * a[4] + row[5] * a[5];
      }
    }
    int d = 0;
    for (; d + 1 < width; d += 2) add_products<2>(A + 6 * d, column + d, column, width, k.product, k.matrix, n);
    if (d < width) add_products<1>(A + 6 * d, column + d, column, width, k.product, k.matrix, n);
  }
  if (!k.by_bodies) return eliminate_rows<true>(k.matrix, n, kLeastPivot);
  return n == 6    ? eliminate_all<6>(k.matrix, kLeastPivot)
         : n == 12 ? eliminate_all<12>(k.matrix, kLeastPivot)
                   : eliminate_rows<false>(k.matrix, n, kLeastPivot);
}

// The change of the velocities for the loads.
template <class T>
TARSUS_KERNEL void solve_equations(Robot<T>& r) {
  MotionSpace<T>& k = r.space;
  for (int i = 0; i < k.columns; ++i) k.right[i] = broadcast<T>(0.0);
  for (int b = 0; b < r.response.bodies; ++b) {
    const T* f = k.load + 6 * b;
    for (int c = 0; c < k.width[b]; ++c) {
      const T* a = k.factor[b] + 6 * c;
      T& sum = k.right[k.column[b][c]];
      sum = sum + a[0] * f[0] + a[1] * f[1] + a[2] * f[2] + a[3] * f[3] + a[4] * f[4] + a[5] * f[5];
    }
  }
  const T* factors = k.matrix;
  if (k.columns == 12) {
    substitute_all<12>(factors, k.right);
  } else {
    substitute_rows(factors, k.columns, k.right);
  }
  for (int b = 0; b < r.response.bodies; ++b) {
    Screw<T> V{zero3<T>(), zero3<T>()};
    for (int c = 0; c < k.width[b]; ++c) {
      const T* a = k.factor[b] + 6 * c;
      const T& z = k.right[k.column[b][c]];
      V.linear += z * Vec3<T>{a[0], a[1], a[2]};
      V.angular += z * Vec3<T>{a[3], a[4], a[5]};
    }
    k.change[b] = V;
  }
}

}  // namespace tarsus::TARSUS_ISA
