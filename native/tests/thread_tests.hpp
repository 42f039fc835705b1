// The thread pool: every row once, callers at the same time, and life after fork.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/operation_tests.hpp"
#include "threads/pool.hpp"

namespace tests {

// True where every row in [0, rows) was visited exactly once by a worker with a number below `threads`.
inline bool covers(long rows, long chunk, int threads) {
  std::vector<std::atomic<int>> visits(rows);
  std::atomic<bool> good{true};
  parallel_rows(rows, chunk, threads, [&](int worker, long begin, long end) {
    if (worker < 0 || worker >= threads || begin < 0 || end > rows || end - begin > chunk || begin >= end) good = false;
    for (long i = begin; i < end; ++i) visits[i].fetch_add(1);
  });
  for (const auto& v : visits) good = good && v == 1;
  return good;
}

inline void test_coverage() {
  tally().where = "thread pool";
  for (int threads : {1, 2, 3, 8}) {
    for (long rows : {0, 1, 2, 63, 64, 65, 1000}) {
      for (long chunk : {1, 7, 64, 5000}) {
        check(covers(rows, chunk, threads), std::to_string(rows) + " rows in chunks of " + std::to_string(chunk) + " on " +
                                                std::to_string(threads) + " threads");
      }
    }
  }
}

inline void test_several_callers() {
  tally().where = "several callers";
  std::atomic<int> bad{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&bad, c] {
      for (int i = 0; i < 100; ++i) bad += !covers(200 + i, 8, 1 + (c + i) % 4);
    });
  }
  for (std::thread& caller : callers) caller.join();
  check(bad == 0, std::to_string(bad) + " of 400 calls went wrong");
}

inline void test_fork() {
  tally().where = "fork";
  check(covers(1000, 10, 4), "before");
  for (int generation = 0; generation < 3; ++generation) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(covers(1000, 10, 4) && covers(500, 1, 2) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "in the child");
    check(covers(1000, 10, 4), "in the parent, afterwards");
  }
}

// Batches cut into chunks for several threads give the bits of one thread.
inline void test_batches_on_threads() {
  tally().where = "batches on threads";
  Random r(20);
  const Tree t = random_tree({"a robot", 10, kFree, {kRevolute, kPrismatic, kSpherical}}, r);
  const auto model = build(t);
  const long rows = 333, chunk = 64;
  Arguments all;
  for (long i = 0; i < rows; ++i) {
    const Arguments x = random_arguments(t, r);
    append(all.q, x.q), append(all.v, x.v), append(all.a, x.a);
  }
  for (const KernelTable* table : usable_tables()) {
    std::vector<std::unique_ptr<Runner>> runners;
    for (int i = 0; i < 4; ++i) runners.push_back(std::make_unique<Runner>(*table, *model));
    const Numbers whole = runners[0]->rows(kArticulatedBody, all, rows).out;
    Numbers parts(whole.size());
    parallel_rows(rows, chunk, 4, [&](int worker, long begin, long end) {
      const Numbers out = runners[worker]->rows(kArticulatedBody, all, rows, begin, end).out;
      std::copy(out.begin() + begin * t.nv, out.begin() + end * t.nv, parts.begin() + begin * t.nv);
    });
    check_same(parts, whole, table->name);
  }
}

}  // namespace tests
