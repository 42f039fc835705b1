// Inverse kinematics of a range of targets, in packs of them.
#include "dispatch/inverse_kinematics.hpp"

#include <cstdlib>

#include "ik/levenberg_marquardt.hpp"

namespace tarsus::TARSUS_ISA {

void solve_positions(PositionRun& run) {
  const Model& m = *run.model;
  const auto rounded = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  Workspace<Pack> ws;
  const size_t own = rounded(Workspace<Pack>::layout(ws, m, nullptr)), rest = PositionSolver<Pack>::memory(run) * sizeof(Pack);
  char* block = static_cast<char*>(std::aligned_alloc(64, own + rounded(rest)));
  if (!block) {
    run.out_of_memory = true;
    return;
  }
  Workspace<Pack>::layout(ws, m, block);
  Workspace<Pack>::fill_constants(ws, m);
  PositionSolver<Pack>(run, ws, reinterpret_cast<Pack*>(block + own)).solve();
  std::free(block);
}

}  // namespace tarsus::TARSUS_ISA
