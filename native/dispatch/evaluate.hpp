// One operation on one state or one pack of states: couplings expanded, the kernel called, the result reduced.
#pragma once
#include "dispatch/coupled.hpp"
#include "dispatch/kernel.hpp"
#include "dispatch/reduction.hpp"
#include "kernels/dynamics/passive.hpp"

namespace tarsus::TARSUS_ISA {

// Arguments of one state or one pack; null where there are none.
template <class T>
struct Given {
  const T *q, *v, *a, *external, *drive;
};

inline bool reduces(const Operation& o) {
  for (const Output& output : o.output) {
    if (output.reduction != Reduction::kKeep) return true;
  }
  return false;
}

// Entries of scratch memory that a call needs beside its result.
inline size_t scratch_size(const Call& call) {
  const Model& m = *call.model;
  const Row& row = row_of(*call.operation);
  auto entries = [&](Scratch scratch) {
    return (scratch ? scratch(m, call.constraints) : 0) + (call.volumes ? call.volumes->scratch : 0);
  };
  if (m.coupled && row.coupled) return entries(row.coupled_scratch);
  const bool reduced = m.coupled && reduces(row.operation);
  return entries(row.scratch) + (reduced ? result_layout(row.operation, extent_of(call), m.tree_nv).size : 0);
}

template <class T>
inline VolumeContext<T> context_of(const Call& call, const ResultLayout& layout, Workspace<T>& ws, const Given<T>& given,
                                   T* out) {
  VolumeContext<T> x{{*call.model, ws, given.q, given.v, given.a, given.external, out}, call.volumes};
  x.offset = layout.offset, x.independent_v = given.v;
  x.frames = call.frames, x.frame_count = call.frame_count, x.expressed_in = call.expressed_in, x.passive = call.passive;
  x.constraints = call.constraints, x.drive = given.drive;
  x.alpha = call.alpha, x.beta = call.beta, x.rank_tolerance = call.rank_tolerance;
  return x;
}

// Accelerations of the joints with zeros for the base before them.
template <class T>
inline const T* with_resting_base(const Model& m, const T* joints, T* all) {
  const int base = m.node[0].dof;
  for (int k = 0; k < m.nv; ++k) all[k] = k < base ? broadcast<T>(0.0) : joints[k - base];
  return all;
}

// Coordinates of the tree for a model with dependent joints: x.q, x.v and, unless it is a force, x.a.
template <class T>
inline void expand(const Operation& o, Context<T>& x) {
  const Model& m = x.model;
  close_coordinates(m, x.ws, x.q, x.v, o.angles || x.passive);
  const bool moving = x.v != nullptr;
  x.q = x.ws.tree_q;
  if (moving) x.v = x.ws.tree_v;
  if (!x.a || o.force_given) return;
  expand_acceleration(m, x.ws, x.a, moving, x.ws.tree_a);
  x.a = x.ws.tree_a;
}

// Passive forces beside those given in x.a.
template <class T>
inline void add_passive(Context<T>& x) {
  const Model& m = x.model;
  T *sum = x.ws.tree_a, *own = x.ws.force2;
  passive_force(m, x.ws, x.q, x.v, own);
  for (int k = 0; k < m.nv; ++k) sum[k] = m.coupled ? x.a[k] : x.a[k] + own[k];
  if (m.coupled) add_reduced_vector(m, static_cast<const T*>(x.ws.coupling), static_cast<const T*>(own), sum);
  x.a = sum;
}

template <class T>
inline void zero_gaps(const Operation& o, const ResultLayout& layout, T* out) {
  for (int k = 0; k < layout.outputs; ++k) {
    if (o.output[k].gaps) zero_fill(out + layout.offset[k], size_of_output(layout, k));
  }
}

// Result over the coordinates of the tree, whose gaps are zero already.
template <class T>
inline void evaluate_tree(const Row& row, const Context<T>& x, T* scratch) {
  const Model& m = x.model;
  const bool biased = m.coupled && !m.linear && row.biased;
  if (biased) {
    Context<T> y = x;
    y.a = x.ws.bias;
    row.biased(y, scratch);
  } else {
    row.kernel(x, scratch);
  }
  if (!x.passive || !row.operation.minus_passive) return;
  passive_force(m, x.ws, x.q, x.v, x.ws.force2);
  for (int k = 0; k < m.tree_nv; ++k) x.out[k] = x.out[k] - x.ws.force2[k];
}

// What the rate of G adds to the rate of a Jacobian, J Gdot, and to the Coriolis matrix, G^T M Gdot.
template <class T>
inline void add_coupling_rate(const Row& row, const Context<T>& x, size_t size, T* scratch, T* out) {
  zero_fill(x.out, size);
  row.rate(x, scratch);
  add_reduced(x.model, row.operation.output[0].reduction, static_cast<const T*>(x.ws.coupling),
              static_cast<const T*>(x.ws.coupling_rate), static_cast<const T*>(x.out), size, out);
}

// The tree's result in scratch memory, then in independent coordinates in x.out.
template <class T>
inline void evaluate_reduced(const Call& call, const Row& row, const ResultLayout& layout, VolumeContext<T> x, T* scratch) {
  const Model& m = x.model;
  const ResultLayout tree = result_layout(row.operation, extent_of(call), m.tree_nv);
  T *out = x.out, *rest = scratch + tree.size;
  x.out = scratch, x.offset = tree.offset;
  zero_gaps(row.operation, tree, scratch);
  evaluate_tree(row, x, rest);
  zero_fill(out, layout.size);
  const T* G = x.ws.coupling;
  for (int k = 0; k < tree.outputs; ++k) {
    const T* from = scratch + tree.offset[k];
    add_reduced(m, row.operation.output[k].reduction, G, G, from, size_of_output(tree, k), out + layout.offset[k]);
  }
  if (row.rate && !m.linear) add_coupling_rate(row, x, tree.size, rest, out);
}

// The whole operation. `zeroed` tells that the gaps of `out` are zero already.
template <class T>
inline void evaluate(const Call& call, const ResultLayout& layout, Workspace<T>& ws, const Given<T>& given, T* out, T* scratch,
                     bool zeroed) {
  const Model& m = *call.model;
  const Row& row = row_of(*call.operation);
  VolumeContext<T> x = context_of(call, layout, ws, given, out);
  ws.failed_closure = ws.failed_pair = -1;
  ws.diverged = false;
  // Wrenches on rotors and friction in their bearings need them as bodies and joints of their own.
  if (m.driven && row.driven && !x.external && !x.passive) return row.driven(x, scratch);
  // `expand` reads from the result's place, which closing loops leaves alone.
  if (row.operation.a == Length::kJoints) x.a = with_resting_base(m, x.a, m.coupled ? out : ws.tree_a);
  if (m.coupled && !row.operation.manifold) expand(row.operation, x);
  if (x.passive && row.operation.force_given) add_passive(x);
  if (m.coupled && row.coupled) return row.coupled(x, scratch);
  if (m.coupled && reduces(row.operation)) return evaluate_reduced(call, row, layout, x, scratch);
  if (layout.size == 0) return;
  if (!zeroed) zero_gaps(row.operation, layout, out);
  evaluate_tree(row, x, scratch);
}

}  // namespace tarsus::TARSUS_ISA
