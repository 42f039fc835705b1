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
  // Impulses of one contact with friction by itself, `lanes` at once (contact/friction_cone.hpp). A row of `problem` is g_nn,
  // g_n1, g_n2, s1, s2, mu; of b the velocity without impulse (n, t1, t2), of l the impulse.
  void (*solve_contact)(const double* problem, const double* b, double* l);
};

}  // namespace tests
