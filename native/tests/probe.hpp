// Pieces of an instruction set that no operation shows by itself, behind plain function pointers.
#pragma once
#include <cstddef>

#include "model/model.hpp"

namespace tests {

struct Probe {
  const char* name;
  int lanes;
  void (*pack_sincos)(const double* x, double* s, double* c);  // `lanes` angles at once
  void (*single_sincos)(double x, double* s, double* c);
  // Rows to packs (n x lanes, one pack after the other) and back; true where all numbers of the rows are finite.
  bool (*load_rows)(const double* rows, size_t n, int count, double* packs);
  void (*store_rows)(double* rows, size_t n, int count, const double* packs);
  bool (*all_finite)(const double* x, size_t n);
  // L of M = L^T L (n x n, row-major) from the entries of M along branches; the others of L are left alone.
  void (*sparse_factor)(const tarsus::Model& m, const double* M, double* L);
};

}  // namespace tests
