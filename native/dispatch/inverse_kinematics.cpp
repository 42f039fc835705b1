// Inverse kinematics of a range of targets, one after the other.
#include "dispatch/inverse_kinematics.hpp"

#include <cstdlib>

#include "ik/levenberg_marquardt.hpp"

namespace tarsus::TARSUS_ISA {

void solve_positions(PositionRun& run) {
  const Model& m = *run.model;
  const auto rounded = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  Workspace<double> ws;
  const size_t own = rounded(Workspace<double>::layout(ws, m, nullptr)), rest = PositionSolver::memory(run) * sizeof(double);
  char* block = static_cast<char*>(std::aligned_alloc(64, own + rounded(rest)));
  if (!block) {
    run.out_of_memory = true;
    return;
  }
  Workspace<double>::layout(ws, m, block);
  Workspace<double>::fill_constants(ws, m);
  PositionSolver solver(run, ws, reinterpret_cast<double*>(block + own));
  for (long i = run.begin; i < run.end; ++i) solver.solve(i);
  std::free(block);
}

}  // namespace tarsus::TARSUS_ISA
