#include "threads/pool.hpp"

#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace tarsus {
namespace {

struct Job {
  const std::function<void(int, long, long)>* work;
  long rows, chunk;
  std::atomic<long> next{0};
  std::atomic<int> waiting{0};  // workers that have not finished

  void run(int worker) {
    for (long begin; (begin = next.fetch_add(chunk, std::memory_order_relaxed)) < rows;) {
      (*work)(worker, begin, begin + chunk < rows ? begin + chunk : rows);
    }
  }
};

#ifdef _WIN32
int process() { return _getpid(); }
#else
int process() { return static_cast<int>(getpid()); }
#endif

constexpr int kSpins = 4000;  // a few microseconds: covers back-to-back calls without burning a busy core

class Pool {
 public:
  explicit Pool(int owner) : owner_(owner) {}

  void run(Job& job, int threads, const std::function<void()>& idle) {
    std::lock_guard<std::mutex> one_at_a_time(callers_);
    const int helpers = grow(threads - 1);
    job.waiting.store(helpers, std::memory_order_relaxed);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      job_ = &job;
      helpers_ = helpers;
      ++generation_;
    }
    published_.store(generation_, std::memory_order_release);
    wake_.notify_all();
    job.run(0);
    for (int spin = 0; job.waiting.load(std::memory_order_acquire) > 0; ++spin) {
      if (spin <= kSpins) continue;
      if (idle) idle();
      std::this_thread::yield();
    }
  }

  int owner() const { return owner_; }

 private:
  // How many of the helpers that are wanted there are. Where the system has no more threads to give, those that are there do
  // all the work, the caller alone if need be.
  int grow(int wanted) {
    while (workers_ < wanted) {
      try {
        std::thread([this, number = workers_ + 1, seen = generation_] { serve(number, seen); }).detach();
      } catch (const std::exception&) {  // std::system_error: a limit of processes or of memory
        return workers_;
      }
      ++workers_;
    }
    return wanted;
  }

  void serve(int number, long seen) {
    for (;;) {
      for (int spin = 0; spin < kSpins && published_.load(std::memory_order_acquire) == seen; ++spin) {
      }
      Job* job = nullptr;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [&] { return generation_ != seen; });
        seen = generation_;
        if (number <= helpers_) job = job_;
      }
      if (!job) continue;
      job->run(number);
      job->waiting.fetch_sub(1, std::memory_order_release);
    }
  }

  const int owner_;
  std::mutex callers_, mutex_;
  std::condition_variable wake_;
  int workers_ = 0;  // threads that were started; callers_ guards it
  Job* job_ = nullptr;
  int helpers_ = 0;
  long generation_ = 0;
  std::atomic<long> published_{0};
};

std::atomic<Pool*> current{nullptr};

// The pool of this process; after a fork the parent's pool has no threads here and is left behind.
Pool& pool() {
  const int me = process();
  Pool* p = current.load(std::memory_order_acquire);
  if (!p || p->owner() != me) {
    Pool* fresh = new Pool(me);
    if (current.compare_exchange_strong(p, fresh)) return *fresh;
    delete fresh;
    p = current.load(std::memory_order_acquire);
  }
  return *p;
}

}  // namespace

void parallel_rows(long rows, long chunk, int threads, const std::function<void(int, long, long)>& work,
                   const std::function<void()>& idle) {
  Job job{&work, rows, chunk};
  if (threads <= 1 || rows <= chunk) {
    job.run(0);
  } else {
    pool().run(job, threads, idle);
  }
}

int hardware_threads() { return static_cast<int>(std::thread::hardware_concurrency()); }

}  // namespace tarsus
