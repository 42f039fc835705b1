// Where within a step something that must not become negative does.
#pragma once
#include "kernels/workspace.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kEventTime = 1e-12;  // bracket that remains about the time of an event [s]

// The part of a step of length h at which value(part) becomes negative, between low and high: regula falsi (Illinois), and
// bisection where that is slow. The value is negative there.
template <class Value>
inline double first_negative(double low, double high, double h, Value value_at) {
  double below = value_at(high), above = value_at(low);
  if (!(below < 0.0)) below = -1e-300;
  if (!(above > 0.0)) above = 1e-300;
  const double least = 0.4 * kEventTime / h;
  for (int k = 0; k < 60 && (high - low) * h > kEventTime; ++k) {
    double x = k % 4 == 3 ? 0.5 * (low + high) : low + (high - low) * above / (above - below);
    if (!(x > low + least)) x = low + least;
    if (!(x < high - least)) x = high - least;
    if (!(x > low && x < high)) break;
    const double value = value_at(x);
    if (value < 0.0) {
      high = x, below = value, above *= 0.5;
    } else {
      low = x, above = value > 0.0 ? value : 1e-300, below *= 0.5;
    }
  }
  return high;
}

}  // namespace tarsus::TARSUS_ISA
