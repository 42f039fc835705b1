// Sums of padded rows times factors, several rows in one pass: a pass for each would wait for what the one before has stored.
#pragma once
#include "control/row_operations.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class RowSum {
 public:
  RowSum(T* to, int width) : to_(to), width_(width) {}

  // Rows times zero cost nothing.
  TARSUS_INLINE void add(const T& factor, const T* row) {
    if (is_zero(factor)) return;
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
  static constexpr int kStep = kLanes / lanes<T>;  // entries of a row that one register holds
  T* to_;
  int width_, count_ = 0;
  T factor_[kTogether];
  const T* row_[kTogether];

  static TARSUS_INLINE Pack at(const T* row, int j) { return load<Pack>(reinterpret_cast<const double*>(row + j)); }

  void flush() {
    for (int j = 0; j < width_; j += kStep) {
      Pack x = at(to_, j), y = factor_[1] * at(row_[1], j);
      TARSUS_UNROLL
      for (int i = 0; i < kTogether; i += 2) x += factor_[i] * at(row_[i], j);
      TARSUS_UNROLL
      for (int i = 3; i < kTogether; i += 2) y += factor_[i] * at(row_[i], j);
      store(reinterpret_cast<double*>(to_ + j), x + y);
    }
    count_ = 0;
  }
};

}  // namespace tarsus::TARSUS_ISA
