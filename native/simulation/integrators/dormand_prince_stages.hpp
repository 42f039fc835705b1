// Stages of Dormand and Prince's method of order 5(4), and its extension of order 4 (Hairer, Norsett and Wanner 1993, table 5.2
// and section II.6), whatever the rates are.
#pragma once
#include <cmath>
#include <cstddef>

namespace tarsus::TARSUS_ISA {

struct DormandPrinceStages {
  // All seven stages from y with step h, of which k[0] is there; the result in `next`. rate(y, t, k) returns whether there is
  // one; so does this.
  template <class Rate>
  static bool attempt(size_t n, const double* y, double t, double h, double* const* k, double* stage, double* next, Rate rate) {
    static constexpr double a[7][6] = {{},
                                       {1.0 / 5},
                                       {3.0 / 40, 9.0 / 40},
                                       {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                       {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                       {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                       {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double at[7] = {0.0, 0.2, 0.3, 0.8, 8.0 / 9, 1.0, 1.0};
    for (int s = 1; s < 7; ++s) {
      double* to = s == 6 ? next : stage;
      for (size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < s; ++j) sum += a[s][j] * k[j][i];
        to[i] = y[i] + h * sum;
      }
      if (!rate(static_cast<const double*>(to), t + at[s] * h, k[s])) return false;
    }
    return true;
  }

  // Error of entry i of a step h.
  static double error(double* const* k, double h, size_t i) {
    static constexpr double e[7] = {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double error = 0.0;
    for (int s = 0; s < 7; ++s) error += e[s] * k[s][i];
    return h * error;
  }

  // Coefficients c of the extension over a step h from y to next.
  static void extend(size_t n, const double* y, const double* next, double h, double* const* k, double* const* c) {
    static constexpr double d[7] = {-12715105075.0 / 11282082432,  0.0,
                                    87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                    701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                    69997945.0 / 29380423};
    for (size_t i = 0; i < n; ++i) {
      const double difference = next[i] - y[i], bend = h * k[0][i] - difference;
      double sum = 0.0;
      for (int s = 0; s < 7; ++s) sum += d[s] * k[s][i];
      c[0][i] = y[i], c[1][i] = difference, c[2][i] = bend, c[3][i] = difference - h * k[6][i] - bend, c[4][i] = h * sum;
    }
  }

  // The state at the part x of the step.
  static void interpolate(size_t n, double* const* c, double x, double* to) {
    for (size_t i = 0; i < n; ++i) {
      to[i] = c[0][i] + x * (c[1][i] + (1 - x) * (c[2][i] + x * (c[3][i] + (1 - x) * c[4][i])));
    }
  }
};

}  // namespace tarsus::TARSUS_ISA
