// A convex quadratic program in plain arrays, what becomes of it, and what an instruction set offers to solve it.
//   minimise 1/2 x' H x + g' x   subject to   lower <= (x; C x) <= upper
// Rows are counted through: bounds of the variables first, where there are any, then the rows of C. A row with lower = upper
// is an equality; one of finite weight is soft: it may be missed by s at the cost 1/2 weight s^2.
#pragma once
#include <cstddef>

namespace tarsus {

constexpr double kNoBound = 1e20;  // bounds from here on are none

struct QuadraticProgram {
  int n, rows;                  // variables, rows of C
  bool bounded;                 // whether variables have bounds: rows 0 to n - 1
  const double *H, *g;          // n x n, symmetric, and n
  const double* C;              // rows x n
  const double *lower, *upper;  // of all rows
  const double* weight;         // of all rows, infinite where a row is hard; null where all are
  double rank_tolerance;        // 0 for the default: sine of the angle below which a row depends on others
  int pitch = 0;                // from one row of H to the next: 0 for n; other rows are padded with zeros to whole blocks
};

static inline int pitch_of(const QuadraticProgram& p) { return p.pitch > 0 ? p.pitch : p.n; }
static inline int rows_of(const QuadraticProgram& p) { return (p.bounded ? p.n : 0) + p.rows; }

enum QpStatus { kQpOptimal, kQpInfeasible, kQpUnbounded, kQpIterationLimit, kQpInaccurate, kQpStatuses };
enum Definiteness { kDefinite, kSemidefinite, kIndefinite };

// Multipliers are those of H x + g + sum of multiplier * row = 0: positive at upper bounds, negative at lower ones.
struct QpResult {
  // Given: arrays to fill, the side on which rows are expected to be active (-1, 0, 1; read where `warm` is set), the cap.
  double *x, *multiplier;  // n, all rows
  signed char* side;       // all rows
  bool warm;
  int limit;  // of changes of the active set
  // Found. Where the program is infeasible, multipliers are those of a combination of rows that no x fulfils; where it is
  // unbounded, x is a point on the way.
  QpStatus status;
  double objective;
  int iterations, passes;                // changes of the active set, and refinements or proximal steps
  double primal, dual, complementarity;  // largest violation; |H x + g + C' l|; |l| times distance to the bound
  double scaled_primal, scaled_dual;     // relative to the size of what is summed
};

// Functions of one instruction set; memory is `bytes` long, aligned to 64 bytes and prepared once. It holds the factor of H and
// packed rows between calls: `factor` after H has changed, `pack` after C or which rows are soft.
struct OptimizationTable {
  size_t (*bytes)(int n, int rows, bool bounded, int soft);
  void (*prepare)(int n, int rows, bool bounded, int soft, void* memory);
  Definiteness (*factor)(const QuadraticProgram&, void* memory);
  void (*pack)(const QuadraticProgram&, void* memory);
  void (*solve)(const QuadraticProgram&, void* memory, QpResult&);
  void (*residuals)(const QuadraticProgram&, void* memory, QpResult&);  // of x and multiplier
  bool (*all_finite)(const double* a, size_t n);
  double (*asymmetry)(const double* H, int n);  // relative to the largest entry
};

}  // namespace tarsus
