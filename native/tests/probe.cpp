// Compiled once for each instruction set, like the kernels.
#include "tests/probe.hpp"

#include <cstdlib>

#include "contact/friction_cone.hpp"
#include "dispatch/rows.hpp"
#include "kernels/factorisation/sparse_cholesky.hpp"
#include "math/sincos.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

struct Packs {  // aligned copy of an array of packs
  Pack* data;
  explicit Packs(size_t n) : data(static_cast<Pack*>(std::aligned_alloc(64, (n * sizeof(Pack) + 63) / 64 * 64))) {}
  ~Packs() { std::free(data); }
};

void pack_sincos(const double* x, double* s, double* c) {
  Pack sine, cosine;
  sincos(load<Pack>(x), sine, cosine);
  store(s, sine), store(c, cosine);
}

void single_sincos(double x, double* s, double* c) { sincos(x, *s, *c); }

bool rows_to_packs(const double* rows, size_t n, int count, double* packs) {
  Packs to(n + 1);
  const Pack bad = load_rows(rows, n, count, to.data);
  if (n > 0) std::memcpy(packs, to.data, n * sizeof(Pack));
  for (int l = 0; l < kLanes; ++l) {
    if (bad[l] != 0.0) return false;
  }
  return true;
}

void packs_to_rows(double* rows, size_t n, int count, const double* packs) {
  Packs from(n + 1);
  if (n > 0) std::memcpy(from.data, packs, n * sizeof(Pack));
  store_rows(rows, n, count, from.data);
}

bool all_finite(const double* x, size_t n) { return is_clean(poison_of_array(x, n, kArgumentScale)); }

// The factorisation as the kernels do it, with packed rows.
void sparse_factor(const Model& m, const double* M, double* L) {
  const long n = m.tree_nv;
  double* memory = static_cast<double*>(std::calloc(packed_tables_size(m) + packed_rows_size(m) + 1, sizeof(double)));
  PackedRows rows;
  pack_rows(m, memory, rows);
  double* packed = memory + packed_tables_size(m);
  auto each = [&](auto f) {
    for (int k = 0; k < n; ++k) {
      for (int i = k; i >= 0; i = m.dof_parent[i]) f(k * n + i, rows.start[k] + rows.depth[i]);
    }
  };
  each([&](long full, long entry) { packed[entry] = M[full]; });
  sparse_cholesky(m, rows, packed);
  each([&](long full, long entry) { L[full] = packed[entry]; });
  for (int k = 0; k < n; ++k) L[k * n + k] = 1.0 / L[k * n + k];
  std::free(memory);
}

void solve_contacts(const double* problem, const double* b, double* l) {
  auto column = [](const double* rows, int n, int k) {
    Pack x{};
    for (int i = 0; i < kLanes; ++i) x[i] = rows[n * i + k];
    return x;
  };
  const Pack nn = column(problem, 6, 0), one = broadcast<Pack>(1.0), zero = broadcast<Pack>(0.0);
  const LocalProblem<Pack> g{
      nn,  column(problem, 6, 1), column(problem, 6, 2), column(problem, 6, 3), column(problem, 6, 4), 1.0 / nn, one,
      one, column(problem, 6, 5)};
  const Impulse<Pack> u{column(b, 3, 0), column(b, 3, 1), column(b, 3, 2)};
  Pack gamma = zero;
  const Impulse<Pack> found = solve_contact(g, Impulse<Pack>{zero, zero, zero}, u, gamma);
  for (int i = 0; i < kLanes; ++i) l[3 * i] = found.n[i], l[3 * i + 1] = found.t1[i], l[3 * i + 2] = found.t2[i];
}

}  // namespace

#define TARSUS_PROBE_TEXT2(x) #x
#define TARSUS_PROBE_TEXT(x) TARSUS_PROBE_TEXT2(x)
extern const tests::Probe probe;
const tests::Probe probe = {TARSUS_PROBE_TEXT(TARSUS_ISA),
                            kLanes,
                            pack_sincos,
                            single_sincos,
                            rows_to_packs,
                            packs_to_rows,
                            all_finite,
                            sparse_factor,
                            solve_contacts};

}  // namespace tarsus::TARSUS_ISA
