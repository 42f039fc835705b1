// A pool of threads for batches: workers take small chunks of rows, spin for a moment when idle and then sleep.
#pragma once
#include <functional>

namespace tarsus {

// Calls work(worker, begin, end) for chunks that cover [0, rows); worker numbers are below `threads`. There are fewer threads
// where the system gives no more. Exceptions must not leave `work`. Safe after fork: a child process starts a pool of its own.
void parallel_rows(long rows, long chunk, int threads, const std::function<void(int, long, long)>& work);

int hardware_threads();

}  // namespace tarsus
