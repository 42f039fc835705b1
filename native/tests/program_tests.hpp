// Quadratic programs by the native solver, in plain arrays.
#pragma once
#include <cstdlib>
#include <limits>

#include "optimization/quadratic_program.hpp"
#include "tests/runner.hpp"

namespace tests {

constexpr double kOptimality = 1e-9;  // residuals relative to the sizes of what is summed: those that count as optimal

// A program with its memory, sized exactly, so that a sanitizer sees every step beyond it.
struct OwnedProgram {
  int n, rows;
  bool bounded;
  Numbers H, g, C, lower, upper, weight, x, multiplier;
  std::vector<signed char> side;
  const tarsus::OptimizationTable& table;
  void* memory = nullptr;
  tarsus::QuadraticProgram program{};

  OwnedProgram(const tarsus::OptimizationTable& t, int variables, int general, bool with_bounds, int soft)
      : n(variables), rows(general), bounded(with_bounds), table(t) {
    const int all = rows + (bounded ? n : 0);
    const double infinity = std::numeric_limits<double>::infinity();
    H.assign(n * n, 0.0), g.assign(n, 0.0), C.assign(rows * n, 0.0), x.assign(n, 0.0), multiplier.assign(all, 0.0);
    lower.assign(all, -infinity), upper.assign(all, infinity), side.assign(all, 0), weight.assign(all, infinity);
    for (int i = 0; i < soft; ++i) weight[all - 1 - i] = 10.0;
    const size_t bytes = table.bytes(n, rows, bounded, soft);
    memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    table.prepare(n, rows, bounded, soft, memory);
    program = {n, rows, bounded, H.data(), g.data(), C.data(), lower.data(), upper.data(), soft ? weight.data() : nullptr, 0.0};
  }
  ~OwnedProgram() { std::free(memory); }
  OwnedProgram(const OwnedProgram&) = delete;
  OwnedProgram& operator=(const OwnedProgram&) = delete;

  tarsus::QpResult solve(bool warm = false, int limit = 10000) {
    tarsus::QpResult r{};
    r.x = x.data(), r.multiplier = multiplier.data(), r.side = side.data(), r.warm = warm, r.limit = limit;
    table.factor(program, memory);
    table.pack(program, memory);
    table.solve(program, memory, r);
    return r;
  }
  double row(int i, const Numbers& at) const {
    const int first = bounded ? n : 0;
    if (i < first) return at[i];
    double sum = 0.0;
    for (int j = 0; j < n; ++j) sum += C[(i - first) * n + j] * at[j];
    return sum;
  }
  // Largest defect of the conditions of optimality, by sums of its own.
  double defect() const {
    double worst = 0.0, size = 1.0;
    const int first = bounded ? n : 0;
    for (int j = 0; j < n; ++j) {
      double slope = g[j];
      for (int k = 0; k < n; ++k) slope += H[j * n + k] * x[k];
      for (int i = 0; i < (int)multiplier.size(); ++i) {
        slope += multiplier[i] * (i < first ? (i == j ? 1.0 : 0.0) : C[(i - first) * n + j]);
        size = std::fmax(size, std::fabs(multiplier[i]));
      }
      worst = std::fmax(worst, std::fabs(slope)), size = std::fmax(size, std::fabs(x[j]));
    }
    for (int i = 0; i < (int)multiplier.size(); ++i) {
      const double l = multiplier[i], missed = std::isfinite(weight[i]) ? l / weight[i] : 0.0, value = row(i, x) - missed;
      worst = std::fmax(worst, std::fmax(value - upper[i], lower[i] - value));
      if (l > 0) worst = std::fmax(worst, std::fabs(value - upper[i]));
      if (l < 0) worst = std::fmax(worst, std::fabs(value - lower[i]));
    }
    return worst / size;
  }
};

inline void fill_random(OwnedProgram& p, int rank, Random& r) {
  const Numbers J = r.numbers(rank * p.n, 1.0), at = r.numbers(p.n, 1.0);
  p.C = r.numbers(p.rows * p.n, 1.0), p.program.C = p.C.data();
  for (int i = 0; i < p.n; ++i) {
    p.g[i] = 0.0;
    for (int j = 0; j < p.n; ++j) {
      p.H[i * p.n + j] = 0.0;
      for (int k = 0; k < rank; ++k) p.H[i * p.n + j] += J[k * p.n + i] * J[k * p.n + j];
    }
  }
  for (int i = 0; i < p.n; ++i) {  // in the range of H, so that there is an optimum whatever the rows are
    for (int j = 0; j < p.n; ++j) p.g[i] += 5.0 * p.H[i * p.n + j] * at[(j + 1) % p.n];
  }
  for (size_t i = 0; i < p.lower.size(); ++i) {
    const double value = p.row(static_cast<int>(i), at), width = std::fabs(r.numbers(1, 1.0)[0]);
    p.lower[i] = i % 3 == 0 ? -std::numeric_limits<double>::infinity() : value - width;
    p.upper[i] = value + (i % 7 == 6 ? -width : width);  // some are equalities
    if (i % 7 == 6) p.lower[i] = p.upper[i];
  }
}

// Definite and semidefinite, with bounds and soft rows, sizes around those of packs; cold, then warm with other numbers.
inline void test_quadratic_programs() {
  for (const KernelTable* table : usable_tables()) {
    Random r(7);
    int optima = 0;
    for (int n : {1, 2, 3, 7, 8, 9, 16, 33}) {
      for (int rows : {0, 1, n, 3 * n}) {
        for (int soft : {0, rows / 3}) {
          for (int rank : {n, n / 2}) {
            OwnedProgram p(*table->optimization, n, rows, n % 2 == 1, soft);
            fill_random(p, rank, r);
            for (int turn = 0; turn < 3; ++turn) {
              const tarsus::QpResult found = p.solve(turn > 0);
              const std::string what = std::string(table->name) + " program";
              // Equalities at random may contradict each other and the bounds: what matters is that nothing is made up.
              if (found.status == tarsus::kQpOptimal) {
                ++optima;
                check(p.defect() <= kOptimality, what + ": optimum (" + std::to_string(p.defect()) + ")");
              } else {
                check(found.status == tarsus::kQpInfeasible, what + ": verdict (" + std::to_string(found.status) + ")");
              }
              for (double& x : p.g) x += 0.1 * r.numbers(1, 1.0)[0] * (rank == n);
            }
          }
        }
      }
    }
    check(optima > 100, std::string(table->name) + ": programs with an optimum (" + std::to_string(optima) + ")");
  }
}

// min |x|^2 / 2 - 2 x_0 with x_0 + x_1 <= 1: x = (1.5, -0.5), multiplier 0.5; and verdicts that are known.
inline void test_known_programs() {
  for (const KernelTable* table : usable_tables()) {
    const std::string name = table->name;
    OwnedProgram p(*table->optimization, 2, 3, false, 0);
    p.H = {1, 0, 0, 1}, p.g = {-2, 0}, p.C = {1, 1, 2, 2, 1, -1};
    p.program.H = p.H.data(), p.program.g = p.g.data(), p.program.C = p.C.data();
    p.upper[0] = 1, p.upper[1] = 2;
    check(p.solve().status == tarsus::kQpOptimal, name + ": the same row twice");
    check_close(p.x, {1.5, -0.5}, 1e-14, name + ": optimum");
    check_close({p.multiplier[0] + 2 * p.multiplier[1]}, {0.5}, 1e-14, name + ": multipliers");
    check(p.solve(false, 0).status == tarsus::kQpIterationLimit, name + ": cap on iterations");
    p.lower[1] = 2.5, p.upper[1] = 3;
    check(p.solve().status == tarsus::kQpInfeasible, name + ": contradiction");
    check(p.multiplier[0] > 0 && p.multiplier[1] < 0 && p.multiplier[2] == 0, name + ": rows of the contradiction");
    check_close({p.multiplier[0]}, {-2 * p.multiplier[1]}, 1e-12, name + ": combination of the rows that vanishes");
    p.lower[1] = -INFINITY, p.H = {0, 0, 0, 0};
    check(p.table.factor(p.program, p.memory) == tarsus::kSemidefinite, name + ": no curvature");
    check(p.solve().status == tarsus::kQpUnbounded, name + ": unbounded");
    p.H = {0, 1, 1, 0};
    check(p.table.factor(p.program, p.memory) == tarsus::kIndefinite, name + ": indefinite");
    p.H = {1, 0, 0, -1};
    check(p.table.factor(p.program, p.memory) == tarsus::kIndefinite, name + ": negative curvature");
  }
}

}  // namespace tests
