#include "bindings/result_memory.hpp"

#include <cstdlib>

namespace tarsus {
namespace {

constexpr size_t kLarge = 64 << 10;  // smaller blocks stay in the allocator's own lists
constexpr size_t kKeptTotal = 32 << 20;
constexpr int kKept = 4;
const char* const kName = "tarsus result";

struct Block {
  size_t size;  // of the data, which starts 64 bytes behind this
};
constexpr size_t kHeader = 64;

Block* kept[kKept];  // the holder of the GIL owns these
size_t kept_total = 0;

Block* take(size_t size) {
  for (Block*& block : kept) {
    if (!block || block->size < size || block->size / 2 > size) continue;
    Block* found = block;
    block = nullptr;
    kept_total -= found->size;
    return found;
  }
  const size_t rounded = (size + 63) / 64 * 64;
  auto* fresh = static_cast<Block*>(std::aligned_alloc(64, kHeader + rounded));
  if (fresh) fresh->size = rounded;
  return fresh;
}

void give_back(PyObject* capsule) {
  auto* block = static_cast<Block*>(PyCapsule_GetPointer(capsule, kName));
  if (kept_total + block->size <= kKeptTotal) {
    for (Block*& place : kept) {
      if (place) continue;
      place = block;
      kept_total += block->size;
      return;
    }
  }
  std::free(block);
}

PyObject* array_on(Block* block, int axes, const npy_intp* dims) {
  PyObject* owner = PyCapsule_New(block, kName, give_back);
  if (!owner) {
    std::free(block);
    return nullptr;
  }
  PyObject* array = PyArray_New(&PyArray_Type, axes, const_cast<npy_intp*>(dims), NPY_DOUBLE, nullptr,
                                reinterpret_cast<char*>(block) + kHeader, 0, NPY_ARRAY_CARRAY, nullptr);
  if (!array || PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), owner) < 0) {
    if (!array) Py_DECREF(owner);
    Py_XDECREF(array);
    return nullptr;
  }
  return array;
}

}  // namespace

PyObject* new_array(int axes, const npy_intp* dims) {
  double entries = 1.0;
  for (int i = 0; i < axes; ++i) entries *= static_cast<double>(dims[i]);
  const double bytes = entries * sizeof(double);
  if (bytes >= kLarge && bytes <= kKeptTotal) {
    if (Block* block = take(static_cast<size_t>(bytes))) return array_on(block, axes, dims);
  }
  return PyArray_SimpleNew(axes, const_cast<npy_intp*>(dims), NPY_DOUBLE);
}

}  // namespace tarsus
