// Quadratic programs of one instruction set.
#include "dispatch/optimization.hpp"

#include "optimization/dual_active_set.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

size_t bytes(int n, int rows, bool bounded, int soft) {
  QpMemory w;
  return QpMemory::layout(w, n, rows, bounded, soft, nullptr);
}

void prepare(int n, int rows, bool bounded, int soft, void* memory) {
  QpMemory& w = *static_cast<QpMemory*>(memory);
  QpMemory::layout(w, n, rows, bounded, soft, static_cast<char*>(memory));
}

Definiteness factor(const QuadraticProgram& p, void* memory) {
  return DualActiveSet(p, *static_cast<QpMemory*>(memory)).factor();
}

void pack(const QuadraticProgram& p, void* memory) { DualActiveSet(p, *static_cast<QpMemory*>(memory)).pack(); }

void solve(const QuadraticProgram& p, void* memory, QpResult& r) { DualActiveSet(p, *static_cast<QpMemory*>(memory)).solve(r); }

void residuals(const QuadraticProgram& p, void* memory, QpResult& r) {
  DualActiveSet(p, *static_cast<QpMemory*>(memory)).residuals(r);
}

}  // namespace

extern const OptimizationTable optimization_table;
const OptimizationTable optimization_table = {bytes, prepare, factor, pack, solve, residuals, all_finite, asymmetry};

}  // namespace tarsus::TARSUS_ISA
