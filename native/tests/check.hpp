// The few lines of a test framework that the native tests need: named cases, checks that count, comparisons of arrays.
#pragma once
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace tests {

using Numbers = std::vector<double>;

struct Tally {
  long checks = 0, failures = 0;
  std::string where;  // what is being tested, for messages
  std::map<std::string, int> printed;

  void check(bool good, const std::string& what) {
    ++checks;
    if (good) return;
    ++failures;  // the same failure is printed once, with its first numbers
    if (printed[where + what.substr(0, what.find(" ("))]++ == 0) std::printf("FAILED  %s: %s\n", where.c_str(), what.c_str());
  }
};

inline Tally& tally() {
  static Tally one;
  return one;
}

inline void check(bool good, const std::string& what) { tally().check(good, what); }

// Largest difference relative to the largest entry, at least 1; infinite where the sizes differ or a number is NaN.
inline double distance(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return INFINITY;
  double scale = 1.0, worst = 0.0;
  for (double x : b) scale = std::fmax(scale, std::fabs(x));
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(a[i] - b[i]);
    if (!(d <= worst)) worst = d;
    if (std::isnan(d)) return INFINITY;
  }
  return worst / scale;
}

inline void check_close(const Numbers& a, const Numbers& b, double tolerance, const std::string& what) {
  const double d = distance(a, b);
  check(d <= tolerance, what + " (relative error " + std::to_string(d) + " = " + std::to_string(d / tolerance) + " tolerances)");
}

// Every bit the same.
inline void check_same(const Numbers& a, const Numbers& b, const std::string& what) { check(a == b, what); }

}  // namespace tests
