// Memory of large results. An array that is freed leaves its block here for the next one of its size: fresh pages from the
// system cost more than many kernels take to fill them.
#pragma once
#include "bindings/python.hpp"

namespace tarsus {

// A new float64 array whose entries are not set; large ones own a block of this memory, like any other array owns its own.
PyObject* new_result(int axes, const npy_intp* dims);

// Bytes that are kept for later arrays at this moment; never more than the limit.
size_t kept_result_memory();
constexpr size_t kResultMemoryLimit = 64 << 20;
void release_result_memory();

int ready_result_memory();

}  // namespace tarsus
