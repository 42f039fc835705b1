// Sine and cosine against the C library, and rows of batches to packs and back, for every instruction set.
#pragma once
#include <cfloat>
#include <cstring>

#include "tests/probe.hpp"
#include "tests/runner.hpp"

#define TARSUS_DECLARE_PROBE(isa)    \
  namespace tarsus::isa {            \
  extern const ::tests::Probe probe; \
  }
TARSUS_DECLARE_PROBE(baseline)
#ifdef TARSUS_HAS_AVX2
TARSUS_DECLARE_PROBE(avx2)
#endif
#ifdef TARSUS_HAS_AVX512
TARSUS_DECLARE_PROBE(avx512)
#endif

namespace tests {

inline std::vector<const Probe*> usable_probes() {
  const std::vector<const Probe*> probes = {
      &tarsus::baseline::probe,
#ifdef TARSUS_HAS_AVX2
      &tarsus::avx2::probe,
#endif
#ifdef TARSUS_HAS_AVX512
      &tarsus::avx512::probe,
#endif
  };
  std::vector<const Probe*> usable;
  for (const KernelTable* table : usable_tables()) {
    for (const Probe* p : probes) {
      if (std::strcmp(p->name, table->name) == 0) usable.push_back(p);
    }
  }
  return usable;
}

constexpr double kSineError = 2 * DBL_EPSILON;  // two units in the last place of 1

// Ordinary angles, multiples of pi/2 (where cancellation is worst), tiny and huge ones, and the limit of the reduction.
inline Numbers angles(Random& r) {
  Numbers x = {0.0,      -0.0, 1e-300, -1e-12, 5e-324,  99999.5,           1e5,  -1e5,
               100000.5, 1e10, -1e22,  1e300,  DBL_MAX, 0.785398163397448, 3.0e5};
  for (int i = 0; i < 20000; ++i) x.push_back(r.uniform(-10, 10));
  for (int i = 0; i < 20000; ++i) x.push_back(r.uniform(-1e5, 1e5));
  for (int k = -2000; k <= 2000; ++k) x.push_back(k * M_PI_2);
  for (int i = 0; i < 1000; ++i) x.push_back(std::pow(10.0, r.uniform(-20, 300)));
  return x;
}

inline void test_sine_and_cosine() {
  Random r(30);
  const Numbers x = angles(r);
  for (const Probe* p : usable_probes()) {
    tally().where = std::string("sine and cosine of ") + p->name;
    double worst = 0;
    auto compare = [&](double angle, double s, double c) {
      const double error = std::fmax(std::fabs(s - std::sin(angle)), std::fabs(c - std::cos(angle)));
      if (!(error <= worst)) worst = error;
      check(error <= kSineError, "at " + std::to_string(angle));
    };
    for (size_t i = 0; i + p->lanes <= x.size(); ++i) {
      Numbers s(p->lanes), c(p->lanes);
      p->pack_sincos(&x[i], s.data(), c.data());
      for (int l = 0; l < p->lanes; ++l) compare(x[i + l], s[l], c[l]);
      double one_s, one_c;
      p->single_sincos(x[i], &one_s, &one_c);
      compare(x[i], one_s, one_c);
    }
    std::printf("  %-9s sine and cosine: largest error %.2f ulp of 1\n", p->name, worst / DBL_EPSILON);
  }
}

inline void test_rows_and_packs() {
  Random r(31);
  for (const Probe* p : usable_probes()) {
    tally().where = std::string("rows and packs of ") + p->name;
    for (int count = 1; count <= p->lanes; ++count) {
      for (size_t n = 0; n <= 3 * (size_t)p->lanes + 1; ++n) {
        const std::string what = std::to_string(count) + " rows of " + std::to_string(n);
        const Numbers rows = r.numbers(count * n, 1);
        Numbers packs(n * p->lanes), expected(n * p->lanes), back(count * n, 0.0);
        for (size_t j = 0; j < n; ++j) {  // the last row fills spare lanes
          for (int l = 0; l < p->lanes; ++l) expected[j * p->lanes + l] = rows[(l < count ? l : count - 1) * n + j];
        }
        check(p->load_rows(rows.data(), n, count, packs.data()), what + " are called not finite");
        check_same(packs, expected, what + " do not become packs");
        p->store_rows(back.data(), n, count, packs.data());
        check_same(back, rows, what + " do not come back");
        for (size_t i = 0; i < rows.size(); ++i) {
          Numbers bad = rows;
          bad[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
          check(!p->load_rows(bad.data(), n, count, packs.data()), what + " are called finite");
          check(!p->all_finite(bad.data(), bad.size()), what + " are called finite as a whole");
        }
        check(p->all_finite(rows.data(), rows.size()), what + " are called not finite as a whole");
      }
    }
  }
}

}  // namespace tests
