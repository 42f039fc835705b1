// Closures and clusters of a model whose nodes are built: which joints depend on which, and which are eliminated together.
#pragma once
#include "model/build.hpp"

namespace tarsus {

// Numbers in the table of a closure; `size` is what ModelArrays::closure_size says of it.
int closure_table_size(int kind, int dependents, int size);

// Fills in the coupling tables of `m`; returns an empty string, or what is wrong with the arrays.
std::string build_closures(const ModelArrays& a, OwnedModel& m);

}  // namespace tarsus
