// Sine, cosine, angles and rotation vectors against the C library, and rows of batches to packs and back, for every instruction
// set.
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

constexpr double kAngleError = 3 * DBL_EPSILON;  // of the angle: the ratio, what is left of it and pi/4 are rounded

// Ratios of all sizes, both axes, the diagonal, and where the reduction changes.
inline void test_angles() {
  Random r(32);
  Numbers s = {0.0, 1.0, 1.0, 1e-300, 1.0, 1e-160, std::tan(M_PI / 8)}, c = {1.0, 0.0, 1.0, 1.0, 1e-300, 1e-160, 1.0};
  for (int i = 0; i < 20000; ++i) s.push_back(std::pow(10.0, r.uniform(-12, 1))), c.push_back(std::pow(10.0, r.uniform(-12, 1)));
  for (const Probe* p : usable_probes()) {
    tally().where = std::string("angles of ") + p->name;
    for (size_t i = 0; i + p->lanes <= s.size(); ++i) {
      Numbers angle(p->lanes);
      p->pack_angle(&s[i], &c[i], angle.data());
      for (int l = 0; l < p->lanes; ++l) {
        const double expected = std::atan2(s[i + l], c[i + l]);
        check(std::fabs(angle[l] - expected) <= kAngleError * std::fmax(expected, 1e-300), "at " + std::to_string(expected));
      }
    }
  }
}

// Columns of exp(w), Buschmann 2014 (2.33).
inline void put_rotation(const double* w, double* columns) {
  const double t = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const double a = t > 0.0 ? std::sin(t) / t : 1.0, h = std::sin(0.5 * t), b = t > 0.0 ? 2.0 * h * h / (t * t) : 0.5;
  const double cross[9] = {0.0, w[2], -w[1], -w[2], 0.0, w[0], w[1], -w[0], 0.0};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      columns[3 * j + i] = a * cross[3 * j + i] + b * w[i] * w[j] + (i == j ? 1.0 - b * t * t : 0.0);
    }
  }
}

constexpr double kVectorError = 1e-14;  // entries of rotations have rounding of one part in 1e16

inline void test_rotation_vectors() {
  Random r(33);
  const double lengths[] = {0.0, 1e-300, 1e-9, 1e-7, 1e-3, 0.5, 1.0, 2.0, 3.0, 3.14, M_PI - 1e-6, M_PI - 1e-9};
  for (const Probe* p : usable_probes()) {
    tally().where = std::string("rotation vectors of ") + p->name;
    for (int round = 0; round < 500; ++round) {
      Numbers w(3 * p->lanes), columns(9 * p->lanes), found(3 * p->lanes);
      for (int l = 0; l < p->lanes; ++l) {
        const Numbers n = r.numbers(3, 1.0);
        const double size = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), length = lengths[(round + l) % 12];
        for (int k = 0; k < 3; ++k) w[3 * l + k] = length * n[k] / size;
        put_rotation(&w[3 * l], &columns[9 * l]);
      }
      p->pack_rotation_vector(columns.data(), found.data());
      for (size_t k = 0; k < w.size(); ++k) check(std::fabs(found[k] - w[k]) <= kVectorError, "entry " + std::to_string(w[k]));
    }
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
