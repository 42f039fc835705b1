// Memory of large results. The allocator gives large blocks back to the system at once, and getting them again costs a page
// fault for every 4 kB, about as much as computing what is in them. A few blocks are kept instead, up to 32 MB in all.
#pragma once
#include "bindings/python.hpp"

namespace tarsus {

// New float64 array in C order, not initialised.
PyObject* new_array(int axes, const npy_intp* dims);

}  // namespace tarsus
