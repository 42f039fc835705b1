// Sweeps over all nodes that the kernels of several units share, compiled once a set (TARSUS_COMPILED_ONCE in math/pack.hpp).
#define TARSUS_COMPILES_SWEEPS
#include "kernels/dynamics/articulated_body.hpp"
#include "kernels/dynamics/composite_body.hpp"
