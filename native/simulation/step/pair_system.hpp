// What contacts between bodies add to the inertia of a robot, in the columns of its independent velocities: 1 + K with
// K = sum c (g A)^T (g A), H^-1 = A A^T (pair_resistance.hpp explains it).
#pragma once
#include "kernels/dynamics/newton_euler.hpp"
#include "simulation/impulses/dense_systems.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct PairSystem {
  using Mask = typename Bits<T>::type;
  bool acts = false;  // there are such contacts in the present solve; list_pairs
  Mask resisting;     // lanes in which some of them resist; add_pair_resistances
  int columns;        // independent velocities that move the touching bodies
  int* place;         // of every independent velocity among them, -1 for none
  const T* root;      // 1 / sqrt(D) of every independent velocity; prepare_pairs
  T *matrix, *right;  // columns x columns: L U of 1 + K; columns
  T* row;             // 3 columns: what three directions of a contact see of them
  int* used;          // columns that are not zero in these rows
  Wrench<T>* wrench;  // touchables: on the touching bodies, node axes

  template <class Take>
  void lay_out(Take& take, size_t touchables, size_t dofs) {
    take(place, dofs), take(matrix, dofs * dofs), take(right, dofs), take(row, 3 * dofs), take(used, 2 * dofs);
    take(wrench, touchables + 1);
  }

  // D^(-1/2) (1 + K)^-1 D^(-1/2) of right-hand sides u of all independent velocities: D^-1 u where there are no such contacts,
  // to the last bit in lanes whose neighbours have some.
  void respond(int count, const T* inverse, const T* u, T* out) {
    for (int d = 0; d < count; ++d) out[d] = inverse[d] * u[d];
    if (!acts) return;
    for (int d = 0; d < count; ++d) {
      if (place[d] >= 0) right[place[d]] = root[d] * u[d];
    }
    substitute_rows(static_cast<const T*>(matrix), columns, right);
    for (int d = 0; d < count; ++d) {
      if (place[d] >= 0) out[d] = select<T>(resisting, root[d] * right[place[d]], out[d]);
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
