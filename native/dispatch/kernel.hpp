// A row of the table with its kernels, in the code of one instruction set.
#pragma once
#include <type_traits>

#include "dispatch/call.hpp"
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

struct LimbPlan;
struct LimbSpace;

// A context with the volumes of its call, which operations on them (Operation::volumes) get.
template <class T>
struct VolumeContext : Context<T> {
  const VolumeCounts* volumes;
};

// One kernel for one state and for packs of states, made from a generic function of a context and scratch memory.
struct Kernel {
  void (*single)(const Context<double>&, double*) = nullptr;
  void (*pack)(const Context<Pack>&, Pack*) = nullptr;

  constexpr Kernel() = default;
  template <class F>
  constexpr Kernel(F f) : single(f), pack(f) {}
  explicit operator bool() const { return single != nullptr; }
  void operator()(const Context<double>& x, double* scratch) const { single(x, scratch); }
  void operator()(const Context<Pack>& x, Pack* scratch) const { pack(x, scratch); }
};

// Entries of scratch memory that a kernel needs, enough for either scalar; the table of constraints may be null.
using Scratch = size_t (*)(const Model&, const ConstraintTable*);

// One state with limbs as lanes.
using LimbKernel = void (*)(const Call&, const LimbPlan&, LimbSpace&);

struct Row {
  Operation operation;
  // Over the coordinates of the tree, to be reduced where joints depend on others.
  Kernel kernel;
  Scratch scratch = nullptr;
  // For dependent joints in place of that: x.q and x.v are the tree's, x.independent_v, x.a and x.out independent.
  Kernel coupled = {};
  Scratch coupled_scratch = nullptr;
  // On a driven tree (Model::driven) without external wrenches and passive forces.
  Kernel driven = {};
  // Where dependent joints accelerate by themselves: in place of `kernel`, with their accelerations at vdot = 0 in x.a.
  Kernel biased = {};
  // The tree's matrix that the rate of the coupling matrix G multiplies; the product is added to the result.
  Kernel rate = {};
  // One state with limbs as lanes, without external wrenches and passive forces; of a tree, and of a driven tree.
  LimbKernel limbs = nullptr, driven_limbs = nullptr;
  // The node to be named where the result is not finite, -1 for none; operations on given forces look for massless joints.
  int (*culprit)(const Model&, Workspace<double>&, const double* q) = nullptr;
};

// The row that the bindings know as an operation: its first member.
static_assert(std::is_standard_layout_v<Row>);
inline const Row& row_of(const Operation& operation) { return reinterpret_cast<const Row&>(operation); }

// Rows by where they are compiled; their order is that of the table.
struct Rows {
  const Row* row;
  int count;
};
template <size_t n>
constexpr Rows rows_of(const Row (&rows)[n]) {
  return {rows, static_cast<int>(n)};
}
Rows tree_rows();
Rows formulation_rows();
Rows derivative_rows();
Rows constrained_derivative_rows();
Rows constrained_rows();
Rows collision_rows();

}  // namespace tarsus::TARSUS_ISA
