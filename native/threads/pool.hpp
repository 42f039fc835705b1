// A pool of threads for batches: workers take small chunks of rows, spin for a moment when idle and then sleep.
#pragma once
#include <functional>

namespace tarsus {

// Calls work(worker, begin, end) for chunks that cover [0, rows); worker numbers are below `threads`. There are fewer threads
// where the system gives no more. `idle` is called by the caller while others work on what is left. Exceptions must not leave
// either. Safe after fork: a child process starts a pool of its own.
void parallel_rows(long rows, long chunk, int threads, const std::function<void(int, long, long)>& work,
                   const std::function<void()>& idle = {});

int hardware_threads();

}  // namespace tarsus
