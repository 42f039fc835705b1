// Rows of points whose parts are given: sticking ones do not move, slipping ones not along the normal.
#pragma once
#include "simulation/rigid/free_motion.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostPartSteps = 8;  // of the loads, with each compliance
constexpr double kMostLoad = 1e9;  // motion of a point by its own load, relative to those without loads

// Largest motion without loads, and of the loads by themselves.
inline double motion_scale(const Robot<double>& r, int count) {
  double scale = 1e-12;
  for (int i = 0; i < count; ++i) {
    const ListedPoint& s = r.rigid.listed[i];
    const double b = __builtin_fabs(s.free.n) + __builtin_fabs(s.free.t1) + __builtin_fabs(s.free.t2);
    scale = larger<double>(scale, b + s.own * __builtin_fabs(s.load.n));
  }
  return scale;
}

// One row of a part: where it pushes, where it moves, what is left of its motion, and its own compliance.
struct PartRow {
  Impulse<double> force, motion;
  double left, compliance;
};

inline int number_of_rows(const ListedPoint& s) {
  if (s.part == kFreePart) return 0;
  if (s.part == kSticks) return 3;
  return (s.part == kSlides ? s.yielding : s.gamma) < 0.0 ? 1 : 2;
}

// The rows of a point; returns their number.
inline int rows_of(const ListedPoint& s, PartRow* row) {
  if (s.part == kFreePart) return 0;
  const Impulse<double> n{1.0, 0.0, 0.0}, t1{0.0, 1.0, 0.0}, t2{0.0, 0.0, 1.0};
  const double left = s.motion.n - s.required;
  if (s.part == kSticks) {
    row[0] = {n, n, left, 0.0}, row[1] = {t1, t1, s.motion.t1, 0.0}, row[2] = {t2, t2, s.motion.t2, 0.0};
    return 3;
  }
  if (s.part == kSlides) {
    row[0] = {{1.0, -s.friction * s.d1, -s.friction * s.d2}, n, left, 0.0};
    if (s.yielding < 0.0) return 1;
    const Impulse<double> side{0.0, -s.d2, s.d1};
    row[1] = {side, side, dot(side, s.motion) - s.yielded + s.yielding * dot(side, s.load), s.yielding};
    return 2;
  }
  row[0] = {{1.0, s.friction * s.e1, s.friction * s.e2}, n, left, 0.0};
  if (s.gamma < 0.0) return 1;
  const Impulse<double> side{0.0, -s.e2, s.e1};
  row[1] = {side, side, dot(side, s.motion) + s.gamma * dot(side, s.load), s.gamma};
  return 2;
}

// Largest motion that the parts leave; NaN where one of them is.
inline double motion_left(const Robot<double>& r, int count) {
  PartRow row[3];
  double left = 0.0, bad = 0.0;
  for (int i = 0; i < count; ++i) {
    for (int k = 0, rows = rows_of(r.rigid.listed[i], row); k < rows; ++k) {
      left = larger<double>(left, __builtin_fabs(row[k].left)), bad += 0.0 * row[k].left;
    }
  }
  return left + bad;
}

// Whether loads are not so large that their motions, which cancel, have no digits left: parts that no loads fulfil.
inline bool are_bounded(const Robot<double>& r, int count) {
  double scale = 1e-12, largest = 0.0;
  for (int i = 0; i < count; ++i) {
    const ListedPoint& s = r.rigid.listed[i];
    scale = larger<double>(scale, __builtin_fabs(s.free.n) + __builtin_fabs(s.free.t1) + __builtin_fabs(s.free.t2) + s.required);
    largest = larger<double>(largest, s.own * __builtin_fabs(s.load.n));
  }
  return largest < kMostLoad * scale;
}

}  // namespace tarsus::TARSUS_ISA
