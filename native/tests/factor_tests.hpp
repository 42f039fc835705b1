// The reversed sparse Cholesky factorisation by itself.
#pragma once
#include "tests/math_tests.hpp"
#include "tests/operation_tests.hpp"

namespace tests {

constexpr double kFactor = 1e-12;  // rounding of sums over some thirty entries, relative to the largest

// L^T L is the mass matrix although L has entries along branches only: nothing is filled in.
inline void test_sparse_factor() {
  unsigned seed = 700;
  for (const Wish& wish : wishes()) {
    Random r(++seed);
    const Tree t = random_tree(wish, r);
    if (t.nv != t.tree_nv) continue;  // the factorisation is that of the tree
    const auto model = build(t);
    const Numbers M = tests::mass_matrix(t, Columns(t, t.random_q(r)));
    for (const Probe* probe : usable_probes()) {
      Numbers L(M.size(), 0.0), product(M.size(), 0.0);
      probe->sparse_factor(model->tables, M.data(), L.data());
      for (int i = 0; i < t.nv; ++i) {
        check(L[i * t.nv + i] > 0, t.name + ": pivot of L");
        for (int j = 0; j < t.nv; ++j) {
          for (int k = 0; k < t.nv; ++k) product[i * t.nv + j] += L[k * t.nv + i] * L[k * t.nv + j];
        }
      }
      check_close(product, M, kFactor, std::string(probe->name) + " L^T L of " + t.name);
    }
  }
}

}  // namespace tests
