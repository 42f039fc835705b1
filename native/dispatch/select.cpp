#include "dispatch/select.hpp"

namespace tarsus {

#define TARSUS_DECLARE(isa)              \
  namespace isa {                        \
  extern const KernelTable kernel_table; \
  }
TARSUS_DECLARE(baseline)
#ifdef TARSUS_HAS_AVX2
TARSUS_DECLARE(avx2)
#endif
#ifdef TARSUS_HAS_AVX512
TARSUS_DECLARE(avx512)
#endif

std::vector<const KernelTable*> compiled_tables() {
  return {
      &baseline::kernel_table,
#ifdef TARSUS_HAS_AVX2
      &avx2::kernel_table,
#endif
#ifdef TARSUS_HAS_AVX512
      &avx512::kernel_table,
#endif
  };
}

bool runs_here(const KernelTable& table) {
#ifdef TARSUS_HAS_AVX2
  __builtin_cpu_init();
  if (&table == &avx2::kernel_table) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#ifdef TARSUS_HAS_AVX512
  __builtin_cpu_init();
  if (&table == &avx512::kernel_table) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return &table == &baseline::kernel_table;
}

const KernelTable* select_table(const char* forced, std::string& message) {
  const KernelTable* best = nullptr;
  std::string names;
  for (const KernelTable* table : compiled_tables()) {
    names += std::string(names.empty() ? "" : ", ") + table->name;
    const bool wanted = !forced || !*forced || std::string(forced) == table->name;
    if (!wanted) continue;
    if (runs_here(*table)) {
      best = table;
    } else if (forced && *forced) {
      message = std::string("TARSUS_ISA=") + forced + ", but this processor does not have these instructions";
    }
  }
  if (!best && message.empty()) message = std::string("TARSUS_ISA=") + forced + " is not one of: " + names;
  return best;
}

}  // namespace tarsus
