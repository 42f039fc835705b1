// Sums of padded rows times factors, several rows in one pass: a pass for each would wait for what the one before has stored.
#pragma once
#include "optimization/padded_vectors.hpp"

namespace tarsus::TARSUS_ISA {

class RowSum {
 public:
  RowSum(double* to, int width) : to_(to), width_(width) {}

  // Rows times zero cost nothing.
  TARSUS_INLINE void add(double factor, const double* row) {
    if (factor == 0.0) return;
    factor_[count_] = factor, row_[count_++] = row;
    if (count_ == kTogether) flush();
  }
  // What waits; nothing is complete before.
  TARSUS_INLINE void finish() {
    for (int i = 0; i < count_; ++i) add_scaled(to_, factor_[i], row_[i], width_);
    count_ = 0;
  }

 private:
  static constexpr int kTogether = 6;
  double* to_;
  int width_, count_ = 0;
  double factor_[kTogether];
  const double* row_[kTogether];

  void flush() {
    for (int j = 0; j < width_; j += kLanes) {
      Pack x = load<Pack>(to_ + j), y = factor_[1] * load<Pack>(row_[1] + j);
      TARSUS_UNROLL
      for (int i = 0; i < kTogether; i += 2) x += factor_[i] * load<Pack>(row_[i] + j);
      TARSUS_UNROLL
      for (int i = 3; i < kTogether; i += 2) y += factor_[i] * load<Pack>(row_[i] + j);
      store(to_ + j, x + y);
    }
    count_ = 0;
  }
};

}  // namespace tarsus::TARSUS_ISA
