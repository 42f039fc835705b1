#include "bindings/result_memory.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tarsus {
namespace {

constexpr size_t kLarge = 64 << 10;  // bytes of a result from which its memory is kept; less comes from the heap anyway
constexpr size_t kHuge = 4 << 20;    // from which large pages pay
constexpr size_t kPage = 4096;
constexpr size_t kHeader = 64;  // bytes before the data, which stay aligned to a cache line
constexpr int kMaxBlocks = 64;

// Freed blocks, oldest first. A lock that is not to be had at once is not waited for: the caller then goes to the system, also
// in the child of a fork that happened while another thread held it.
struct Kept {
  std::mutex lock;
  char* block[kMaxBlocks];
  int count = 0;
  std::atomic<size_t> bytes{0};
};
Kept kept;
PyObject* context = nullptr;  // of Python, in which NumPy allocates by the functions below
PyArray_Descr* float64 = nullptr;

size_t capacity_of(const char* block) {
  size_t capacity;
  std::memcpy(&capacity, block, sizeof capacity);
  return capacity;
}

// Takes block i out; the lock is held.
char* take_block(int i) {
  char* block = kept.block[i];
  kept.bytes -= capacity_of(block);
  for (--kept.count; i < kept.count; ++i) kept.block[i] = kept.block[i + 1];
  return block;
}

// A freed block that is large enough and by no more than a quarter too large, the latest one; null where there is none.
char* reuse_block(size_t size) {
  std::unique_lock<std::mutex> held(kept.lock, std::try_to_lock);
  if (!held) return nullptr;
  for (int i = kept.count - 1; i >= 0; --i) {
    const size_t capacity = capacity_of(kept.block[i]);
    if (capacity >= size && capacity <= size + size / 4 + kPage) return take_block(i);
  }
  return nullptr;
}

// Whether the block is kept; older ones go back to the system for it.
bool keep_block(char* block) {
  const size_t capacity = capacity_of(block);
  if (capacity < kLarge || capacity > kResultMemoryLimit) return false;
  std::unique_lock<std::mutex> held(kept.lock, std::try_to_lock);
  if (!held) return false;
  while (kept.count == kMaxBlocks || kept.bytes + capacity > kResultMemoryLimit) std::free(take_block(0));
  kept.block[kept.count++] = block;
  kept.bytes += capacity;
  return true;
}

char* fresh_block(size_t size) {
  if (size > PTRDIFF_MAX - kHeader - kPage) return nullptr;
  const size_t whole = (size + kHeader + kPage - 1) / kPage * kPage, capacity = whole - kHeader;
  char* block = static_cast<char*>(std::aligned_alloc(kHeader, whole));
  if (!block) return nullptr;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (whole >= kHuge) {
    const size_t skipped = (kPage - reinterpret_cast<size_t>(block) % kPage) % kPage;
    madvise(block + skipped, (whole - skipped) / kPage * kPage, MADV_HUGEPAGE);  // as NumPy does; a failure does no harm
  }
#endif
  std::memcpy(block, &capacity, sizeof capacity);
  return block;
}

// What NumPy calls for arrays that own a block.
void* allocate(void*, size_t size) {
  char* block = reuse_block(size);
  if (!block) block = fresh_block(size);
  return block ? block + kHeader : nullptr;
}
void* allocate_zeros(void*, size_t count, size_t size) {
  if (size > 0 && count > PTRDIFF_MAX / size) return nullptr;
  void* data = allocate(nullptr, count * size);
  if (data) std::memset(data, 0, count * size);
  return data;
}
void release(void*, void* data, size_t) {
  if (!data) return;
  char* block = static_cast<char*>(data) - kHeader;
  if (!keep_block(block)) std::free(block);
}
void* reallocate(void*, void* data, size_t size) {
  const size_t capacity = data ? capacity_of(static_cast<char*>(data) - kHeader) : 0;
  if (size <= capacity && size >= capacity / 2) return data;
  void* moved = allocate(nullptr, size);
  if (!moved) return nullptr;
  if (data) std::memcpy(moved, data, size < capacity ? size : capacity);
  release(nullptr, data, 0);
  return moved;
}

PyDataMem_Handler definition = {"tarsus_results", 1, {nullptr, allocate, allocate_zeros, reallocate, release}};

}  // namespace

PyObject* new_result(int axes, const npy_intp* dims) {
  size_t bytes = sizeof(double);
  for (int i = 0; i < axes; ++i) {
    if (__builtin_mul_overflow(bytes, (size_t)dims[i], &bytes)) break;  // which NumPy refuses
  }
  // The handler is set in a context of our own: setting it in the caller's would slow down all arrays made there later.
  const bool entered = bytes >= kLarge && PyContext_Enter(context) == 0;
  if (bytes >= kLarge && !entered) PyErr_Clear();  // another allocation is under way, which the usual memory does not mind
  Py_INCREF(float64);
  PyObject* array = PyArray_NewFromDescr(&PyArray_Type, float64, axes, dims, nullptr, nullptr, 0, nullptr);
  if (!entered) return array;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  if (PyContext_Exit(context) < 0) PyErr_Clear();
  PyErr_Restore(type, value, trace);
  return array;
}

size_t kept_result_memory() { return kept.bytes; }

void release_result_memory() {
  std::unique_lock<std::mutex> held(kept.lock, std::try_to_lock);
  while (held && kept.count > 0) std::free(take_block(kept.count - 1));
}

int ready_result_memory() {
  float64 = PyArray_DescrFromType(NPY_DOUBLE);
  context = PyContext_New();
  PyObject* handler = PyCapsule_New(&definition, "mem_handler", nullptr);
  if (!float64 || !context || !handler || PyContext_Enter(context) < 0) return -1;
  PyObject* usual = PyDataMem_SetHandler(handler);
  Py_XDECREF(usual);
  Py_DECREF(handler);
  return PyContext_Exit(context) < 0 || !usual ? -1 : 0;
}

}  // namespace tarsus
