// Queries of swept spheres without a model, in the code of one instruction set.
#pragma once
#include "geometry/pair_batch.hpp"

namespace tarsus::TARSUS_ISA {

// Rows [begin, end).
void pair_distances(const PairBatch& batch, long begin, long end);

}  // namespace tarsus::TARSUS_ISA
