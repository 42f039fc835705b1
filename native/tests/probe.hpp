// Pieces of an instruction set that no operation shows by itself, behind plain function pointers.
#pragma once
#include <cstddef>

#include "model/model.hpp"

namespace tests {

// Rows and where they act, the same in all lanes; numbers of a lane lie one after the other.
struct RowProblem {
  bool single;  // one lane, with double instead of packs
  int rows;
  const int* node;        // 2 a row, -1 for none
  const double* wrench;   // 12 a row: f, n on both nodes, node axes
  const double* factor;   // tree_nv a row: forces on joints
  const int* hard;        // rows
  const double *q, *tau;  // nq, nv a lane
  const double* number;   // 3 a row and lane: target, constant, resist
  double *vdot, *force;   // results: nv, rows a lane;
  double* along;          // rows a lane: accelerations along the rows,
  double* explicit_vdot;  // nv a lane: accelerations where the forces that were found act as given ones
};

struct Probe {
  const char* name;
  int lanes;
  void (*pack_sincos)(const double* x, double* s, double* c);  // `lanes` angles at once
  void (*single_sincos)(double x, double* s, double* c);
  void (*pack_angle)(const double* s, const double* c, double* angle);  // of the first quadrant, `lanes` at once
  void (*pack_rotation_vector)(const double* columns, double* w);       // 9 numbers a rotation, 3 a vector
  // Rows to packs (n x lanes, one pack after the other) and back; true where all numbers of the rows are finite.
  bool (*load_rows)(const double* rows, size_t n, int count, double* packs);
  void (*store_rows)(double* rows, size_t n, int count, const double* packs);
  bool (*all_finite)(const double* x, size_t n);
  // L of M = L^T L (n x n, row-major) from the entries of M along branches; the others of L are left alone.
  void (*sparse_factor)(const tarsus::Model& m, const double* M, double* L);
  // Impulses of one contact with friction by itself, `lanes` at once (contact/friction_cone.hpp). A row of `problem` is g_nn,
  // g_n1, g_n2, s1, s2, mu; of b the velocity without impulse (n, t1, t2), of l the impulse.
  void (*solve_contact)(const double* problem, const double* b, double* l);
  // Accelerations of a model at rest without gravity under tau and rows between its nodes (simulation/step/couplings.hpp), one
  // configuration a lane.
  void (*couple)(const tarsus::Model& m, const RowProblem& x);
};

}  // namespace tests
