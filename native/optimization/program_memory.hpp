// Memory of a quadratic program that is being solved.
#pragma once
#include "optimization/active_rows.hpp"
#include "optimization/upper_factor.hpp"

namespace tarsus::TARSUS_ISA {

// Memory of one program; written by whom is said behind each field.
struct QpMemory {
  int n, rows, all, soft, capacity;    // all rows; most rows that can be active
  int width, full;                     // padded length of x; the same with coordinates of soft rows
  Definiteness definiteness;           // <- factor
  bool sound;                          // <- factor, solve: U is that of H without D
  bool kept;                           // <- factor, pack, solve: active rows are still those of U and C
  UpperFactor U;                       // <- factor, solve
  ActiveRows active;                   // <- solve
  double *C, *norm, *scale;            // rows x width, all, all: padded rows, their lengths, 1 / length <- pack
  int* soft_place;                     // all <- pack: coordinate of soft rows behind x, -1 for hard ones
  double *y0, *y, *b;                  // full, full, 4 full: rows that are being added
  double *z, *h, *share;               // full + capacity, capacity, capacity
  double *multiplier, *reference;      // capacity: of active rows, now and where the program is seen from
  double *length, *sign;               // capacity: |b_i|, 1 at the upper bound and -1 at the lower one
  double *x, *delta, *gradient, *sum;  // width: reference, step from it, H x + g, scratch
  double *idle, *score;                // all: 1 / length of rows that are not active, 0 of those that are; violations
  double *offset, *value;              // all: rows at the reference, and at the point <- most_violated
  int *index, *place;                  // capacity, all: rows that are active, and where (-1: not)

  // Assigns arrays to aligned pieces of memory behind this; returns the bytes needed (memory may be null).
  static size_t layout(QpMemory& w, int n, int rows, bool bounded, int soft, char* memory) {
    w.n = n, w.rows = rows, w.all = rows + (bounded ? n : 0), w.soft = soft;
    w.width = padded(n), w.full = w.width + padded(soft);
    w.capacity = n + soft < w.all ? n + soft : w.all;
    const size_t width = w.width, full = w.full, capacity = w.capacity + 1, all = w.all;
    size_t used = (sizeof(QpMemory) + 63) / 64 * 64;
    auto take = [&]<class T>(T*& array, size_t count) {
      array = reinterpret_cast<T*>(memory + used);
      used += (count * sizeof(T) + 63) / 64 * 64;
    };
    w.U.n = n, w.U.width = w.width;
    w.active.width = w.full, w.active.capacity = static_cast<int>(capacity), w.active.count = 0;
    take(w.U.U, width * width), take(w.U.L, width * width), take(w.U.inverse, width), take(w.C, rows * width), take(w.norm, all),
        take(w.scale, all), take(w.soft_place, all);
    take(w.active.Q, capacity * full), take(w.active.R, capacity * capacity), take(w.active.inverse, capacity);
    take(w.y0, full), take(w.y, full), take(w.b, 4 * full), take(w.z, full + capacity), take(w.h, capacity),
        take(w.share, capacity);
    take(w.multiplier, capacity), take(w.reference, capacity), take(w.length, capacity), take(w.sign, capacity);
    take(w.x, width), take(w.delta, width), take(w.gradient, width), take(w.sum, width);
    take(w.idle, all), take(w.score, all), take(w.offset, all), take(w.value, all), take(w.index, capacity), take(w.place, all);
    return used;
  }
};

}  // namespace tarsus::TARSUS_ISA
