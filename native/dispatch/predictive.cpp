// Predictive inverse kinematics of one horizon.
#include "dispatch/predictive.hpp"

#include <cstdlib>

#include "ik/predictive_solver.hpp"

namespace tarsus::TARSUS_ISA {

void solve_predictive(PredictiveRun& run) {
  const Model& m = *run.model;
  const auto rounded = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  Workspace<double> ws;
  const size_t own = rounded(Workspace<double>::layout(ws, m, nullptr)), packs = rounded(CollisionAlong::memory(run));
  const size_t rest = rounded(PredictiveSolver::memory(run) * sizeof(double));
  char* block = static_cast<char*>(std::aligned_alloc(64, own + packs + rest));
  if (!block) {
    run.out_of_memory = true;
    return;
  }
  Workspace<double>::layout(ws, m, block);
  Workspace<double>::fill_constants(ws, m);
  PredictiveSolver solver(run, ws, reinterpret_cast<double*>(block + own + packs), block + own);
  solver.solve();
  std::free(block);
}

}  // namespace tarsus::TARSUS_ISA
