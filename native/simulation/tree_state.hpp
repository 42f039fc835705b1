// Models with dependent joints (gears, loops): from the independent coordinates of the state to those of the tree, and back.
#pragma once
#include "dispatch/coupled.hpp"
#include "simulation/branches.hpp"

namespace tarsus::TARSUS_ISA {

// Lanes of a set of bits.
template <class T>
TARSUS_INLINE typename Bits<T>::type lanes_of(int bits) {
  T found = broadcast<T>(0.0);
  for (int l = 0; l < lanes<T>; ++l) set_lane(found, l, bits >> l & 1 ? 1.0 : 0.0);
  return less<T>(broadcast<T>(0.0), found);
}

// Coordinates of the tree, which differ from the state's where joints depend on others.
template <class T>
struct TreeState {
  const T *q, *v;
};
template <class T>
TARSUS_INLINE TreeState<T> expand_state(Robot<T>& r, const T* q, const T* v) {
  if (!r.model.coupled) return {q, v};
  close_coordinates(r.model, r.ws, q, v, true);
  compare_branches(r);
  return {r.ws.tree_q, r.ws.tree_v};
}
// The present state, where it was expanded last.
template <class T>
TARSUS_INLINE TreeState<T> tree_state(const Robot<T>& r) {
  return r.model.coupled ? TreeState<T>{r.ws.tree_q, r.ws.tree_v} : TreeState<T>{r.q, r.v};
}

// Whether a loop could not be closed, or was singular, since the state was loaded.
template <class T>
TARSUS_INLINE bool loop_failed(const Robot<T>& r) {
  return r.model.coupled && r.ws.failed_closure >= 0;
}

// Adds G^T f, the force on the independent coordinates, to `out`.
template <class T>
TARSUS_INLINE void add_reduced_force(const Robot<T>& r, const T* f, T* out) {
  const Model& m = r.model;
  for (int k = 0; k < m.tree_nv; ++k) {
    if (!m.coupled) out[k] = out[k] + f[k];
    for (int e = m.coupled ? m.row[k] : 0; m.coupled && e < m.row[k + 1]; ++e) {
      out[m.column[e]] = out[m.column[e]] + r.ws.coupling[e] * f[k];
    }
  }
}

// G x: rates of the tree's joints from those of the independent ones.
template <class T>
inline void expand_rates(const Robot<T>& r, const T* x, T* tree) {
  const Model& m = r.model;
  for (int k = 0; k < m.tree_nv; ++k) {
    T sum = broadcast<T>(0.0);
    for (int e = m.row[k]; e < m.row[k + 1]; ++e) sum = sum + r.ws.coupling[e] * x[m.column[e]];
    tree[k] = sum;
  }
}

// q moved by a tangent vector: out = q (+) dt v.
template <class T>
TARSUS_INLINE void move(const Robot<T>& r, const T* q, const T* v, const T& dt, T* tangent, T* out) {
  const Model& m = r.model;
  for (int k = 0; k < m.nv; ++k) tangent[k] = dt * v[k];
  integrate(Context<T>{m, r.ws, q, tangent, nullptr, nullptr, out});
}

}  // namespace tarsus::TARSUS_ISA
