// Kalman filter of an inertial unit and of contacts that stand still, with right-invariant errors (Hartley, Ghaffari, Eustice and
// Grizzle 2020). Equations, blocks and units are those of src/tarsus/control/estimation/invariant_filter.py; tests compare with
// the book-like version of tests/control/estimation/book_filter.py, which builds F, H and K as whole matrices.
#pragma once
#include <cmath>
#include <cstddef>

namespace tarsus {

// Blocks of three errors; positions of contacts follow, then orientations of patches.
enum FilterBlock { kErrorRotation, kErrorGyroscope, kErrorAccelerometer, kErrorVelocity, kErrorPosition, kErrorContact };

// Standard deviations and densities; fields and units of EstimatorNoise.
struct FilterNoise {
  double gyroscope, accelerometer, gyroscope_walk, accelerometer_walk;
  double encoder, contact, contact_turn;
  double creep, creep_turn, creep_tilt;
};

// What is estimated. All arrays are row-major, and belong to the caller; matrices of rotation are 9 numbers.
struct FilterState {
  int contacts, patches;
  const int* patch;  // contact of each patch
  const int* on;     // blocks: not 0 for those that count
  double *R, *x;     // orientation of the unit; velocity and position of the unit and positions of the contacts, 3 each
  double *bias, *C;  // of gyroscope and accelerometer, 3 each; orientations of the patches
  double* P;         // covariance of the errors, filter_size squared
  const double* gravity;
};

// What joints tell of contacts.
struct SeenContacts {
  const double *p_IC, *R_IC;  // of all contacts, in axes of the unit I: 3 and 9 each
  const double* X_BI;         // pose of the unit in the base B, 16
  const double* J;            // of the contacts relative to I, axes of B: 6 rows of `joints` columns each
  size_t contact_stride, row_stride;
  int joints;
};

static inline int filter_blocks(const FilterState& s) { return kErrorContact + s.contacts + s.patches; }
static inline int filter_size(const FilterState& s) { return 3 * filter_blocks(s); }
static inline int filter_rows(const FilterState& s) { return 3 * (s.contacts + s.patches); }  // that all contacts tell, at most
// Numbers of scratch memory of `correct_filter`.
static inline size_t filter_scratch(const FilterState& s) {
  const size_t rows = filter_rows(s);
  return (rows + 1) * filter_size(s) + rows * rows + rows;
}

namespace filtering {

constexpr double kSmall = 1e-4;  // angle below which series are exact to rounding: their next terms are below 1e-18

static inline void multiply(const double* A, const double* B, double* out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  }
}
static inline void multiply_transposed(const double* A, const double* B, double* out) {  // A B^T
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[3 * i + j] = A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
    }
  }
}
static inline void turn(const double* A, const double* x, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}
static inline void copy(const double* from, int count, double* to) {
  for (int i = 0; i < count; ++i) to[i] = from[i];
}
static inline void cross_matrix(const double* x, double* S) {
  S[0] = 0.0, S[1] = -x[2], S[2] = x[1];
  S[3] = x[2], S[4] = 0.0, S[5] = -x[0];
  S[6] = -x[1], S[7] = x[0], S[8] = 0.0;
}
// 1 + a S + b S^2 with S the matrix of r times, where S^2 = r r^T - |r|^2.
static inline void polynomial(const double* r, double square, double a, double b, double* out) {
  cross_matrix(r, out);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[3 * i + j] = a * out[3 * i + j] + b * r[i] * r[j] + (i == j ? 1.0 - b * square : 0.0);
  }
}
// exp of the matrix of r times, and the matrix J with exp of (rotation r, translation u) = (exp(r), J u).
static inline void exponential(const double* r, double* E, double* J = nullptr) {
  const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], angle = std::sqrt(square);
  double a = 1.0 - square / 6.0, b = 0.5 - square / 24.0, c = 1.0 / 6.0 - square / 120.0;
  if (angle >= kSmall) {
    const double half = std::sin(0.5 * angle), sine = std::sin(angle);
    a = sine / angle, b = 2.0 * half * half / square, c = (angle - sine) / (square * angle);
  }
  polynomial(r, square, a, b, E);
  if (J) polynomial(r, square, b, c, J);
}

// Block `to` of rows += B times block `from` of rows, in a square matrix; the same of columns by B^T.
static inline void add_rows(double* P, int size, int to, const double* B, int from) {
  for (int i = 0; i < 3; ++i) {
    double* row = P + (size_t)(3 * to + i) * size;
    const double *a = P + (size_t)(3 * from) * size, *b = a + size, *c = b + size;
    const double x = B[3 * i], y = B[3 * i + 1], z = B[3 * i + 2];
    for (int j = 0; j < size; ++j) row[j] += x * a[j] + y * b[j] + z * c[j];
  }
}
static inline void add_columns(double* P, int size, int to, const double* B, int from) {
  for (int k = 0; k < size; ++k) {
    double *row = P + (size_t)k * size + 3 * to, sum[3];
    turn(B, P + (size_t)k * size + 3 * from, sum);
    for (int i = 0; i < 3; ++i) row[i] += sum[i];
  }
}

// P = F P F^T for F = 1 + A dt (the position to second order), block by block, in place: blocks from which others are made are
// changed after these.
static inline void transport(const FilterState& s, double dt) {
  const int size = filter_size(s);
  double minus_dt_R[9], half_dt_R[9], falling[9], half_falling[9], forward[9] = {dt, 0, 0, 0, dt, 0, 0, 0, dt}, lever[9], S[9];
  cross_matrix(s.gravity, falling);
  for (int i = 0; i < 9; ++i) {
    minus_dt_R[i] = -dt * s.R[i], half_dt_R[i] = 0.5 * dt * minus_dt_R[i];
    falling[i] *= dt, half_falling[i] = 0.5 * dt * falling[i];
  }
  const auto add = [&](int to, const double* B, int from) {
    add_rows(s.P, size, to, B, from);
    add_columns(s.P, size, to, B, from);
  };
  for (int k = 2 + s.contacts - 1; k >= 0; --k) {  // contacts, position, velocity: x times what the gyroscope is off
    const int block = kErrorVelocity + k;
    if (!s.on[block]) continue;
    cross_matrix(s.x + 3 * k, S);
    multiply(S, minus_dt_R, lever);
    add(block, lever, kErrorGyroscope);
    if (block == kErrorPosition) {
      add(block, half_falling, kErrorRotation), add(block, forward, kErrorVelocity), add(block, half_dt_R, kErrorAccelerometer);
    } else if (block == kErrorVelocity) {
      add(block, falling, kErrorRotation), add(block, minus_dt_R, kErrorAccelerometer);
    }
  }
  add(kErrorRotation, minus_dt_R, kErrorGyroscope);
}

// P += noise of the gyroscope, which turns everything, and of all else block by block, in dt.
static inline void grow(const FilterState& s, const FilterNoise& noise, double dt, double gyroscope_scale, double scale) {
  const int size = filter_size(s), moved = 3 + s.contacts;
  const double gyroscope = gyroscope_scale * noise.gyroscope, turning = dt * gyroscope * gyroscope;
  double first[9], second[9], product[9];
  const auto lever = [&](int k, double* L) {  // 1 of the rotation, x times of velocity, position and contacts
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    k == 0 ? copy(unit, 9, L) : cross_matrix(s.x + 3 * (k - 1), L);
    return k == 0 ? (int)kErrorRotation : kErrorVelocity + k - 1;
  };
  for (int i = 0; i < moved; ++i) {
    const int row = lever(i, first);
    for (int j = 0; s.on[row] && j < moved; ++j) {
      const int column = lever(j, second);
      if (!s.on[column]) continue;
      multiply_transposed(first, second, product);
      for (int a = 0; a < 9; ++a) s.P[(size_t)(3 * row + a / 3) * size + 3 * column + a % 3] += turning * product[a];
    }
  }
  const auto spread = [&](int block, double x, double y, double z) {
    if (!s.on[block]) return;
    const double deviation[3] = {x, y, z};
    for (int i = 0; i < 3; ++i) s.P[(size_t)(3 * block + i) * (size + 1)] += dt * deviation[i] * deviation[i];
  };
  const double g = noise.gyroscope_walk, a = noise.accelerometer_walk, v = scale * noise.accelerometer;
  spread(kErrorGyroscope, g, g, g), spread(kErrorAccelerometer, a, a, a), spread(kErrorVelocity, v, v, v);
  for (int k = 0; k < s.contacts; ++k) spread(kErrorContact + k, noise.creep, noise.creep, noise.creep);
  for (int k = 0; k < s.patches; ++k) {
    spread(kErrorContact + s.contacts + k, noise.creep_tilt, noise.creep_tilt, noise.creep_turn);
  }
}

// Rows z = H xi + noise of the contacts that are used: positions, then orientations of those that are patches. H is 1 at the
// block `source` and -1 at `block`.
struct Rows {
  int count = 0;
  const FilterState& s;
  const int* used;
  int number;

  template <class F>
  void each(F f) const {  // f(number among the rows, source, block, contact, patch or -1)
    int row = 0;
    for (int i = 0; i < number; ++i, row += 3) f(row, (int)kErrorPosition, kErrorContact + used[i], used[i], -1);
    for (int i = 0; i < number; ++i) {
      for (int k = 0; k < s.patches; ++k) {
        if (s.patch[k] == used[i]) f(row, (int)kErrorRotation, kErrorContact + s.contacts + k, used[i], k), row += 3;
      }
    }
  }
};

// What is seen, less what is expected: R p_IC + p - d, and the rotation vector of R R_IC C^T to first order.
static inline void innovation(const Rows& rows, const SeenContacts& seen, double* z) {
  const FilterState& s = rows.s;
  rows.each([&](int row, int, int, int contact, int patch) {
    if (patch < 0) {
      turn(s.R, seen.p_IC + 3 * contact, z + row);
      for (int i = 0; i < 3; ++i) z[row + i] += s.x[3 + i] - s.x[3 * (2 + contact) + i];
      return;
    }
    double turned[9], D[9];
    multiply(s.R, seen.R_IC + 9 * contact, turned);
    multiply_transposed(turned, s.C + 9 * patch, D);
    z[row] = 0.5 * (D[7] - D[5]), z[row + 1] = 0.5 * (D[2] - D[6]), z[row + 2] = 0.5 * (D[3] - D[1]);
  });
}

// A B^T of three rows each, `stride` apart.
static inline void products(const double* A, const double* B, size_t stride, int columns, double* out) {
  const double *x = B, *y = B + stride, *z = y + stride;
  for (int i = 0; i < 3; ++i, A += stride, out += 3) {
    double first = 0.0, second = 0.0, third = 0.0;
    for (int k = 0; k < columns; ++k) first += A[k] * x[k], second += A[k] * y[k], third += A[k] * z[k];
    out[0] = first, out[1] = second, out[2] = third;
  }
}

// Lower triangle of S = H P H^T + N with N = encoder^2 J J^T + that of contacts, J in world axes; PH is H P.
static inline void innovation_covariance(const Rows& rows, const FilterNoise& noise, const SeenContacts& seen, double* PH,
                                         double* S) {
  const FilterState& s = rows.s;
  const int size = filter_size(s), n = rows.count;
  double R_BI[9], R_WB[9];
  for (int i = 0; i < 9; ++i) R_BI[i] = seen.X_BI[4 * (i / 3) + i % 3];
  multiply_transposed(s.R, R_BI, R_WB);
  rows.each([&](int row, int source, int block, int, int) {
    for (int i = 0; i < 3; ++i) {
      const double *a = s.P + (size_t)(3 * source + i) * size, *b = s.P + (size_t)(3 * block + i) * size;
      for (int j = 0; j < size; ++j) PH[(size_t)(row + i) * size + j] = a[j] - b[j];
    }
  });
  const auto jacobian = [&](int contact, int patch) {
    return seen.J + contact * seen.contact_stride + (patch < 0 ? 0 : 3) * seen.row_stride;
  };
  rows.each([&](int row, int source, int block, int contact, int patch) {
    rows.each([&](int column, int, int, int other, int other_patch) {
      if (column > row) return;
      double base[9], half[9], world[9];
      products(jacobian(contact, patch), jacobian(other, other_patch), seen.row_stride, seen.joints, base);
      multiply(R_WB, base, half), multiply_transposed(half, R_WB, world);
      for (int i = 0; i < 9; ++i) {
        const double* ph = PH + (size_t)(column + i % 3) * size + i / 3;
        S[(size_t)(row + i / 3) * n + column + i % 3] = ph[3 * source] - ph[3 * block] + noise.encoder * noise.encoder * world[i];
      }
    });
    const double own = patch < 0 ? noise.contact : noise.contact_turn;
    for (int i = 0; i < 3; ++i) S[(size_t)(row + i) * (n + 1)] += own * own;
  });
}

// Cholesky factor of S in its lower triangle, with the inverse of the diagonal on the diagonal; false where S has none.
static inline bool factor(double* S, int n) {
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double sum = S[(size_t)i * n + j];
      for (int k = 0; k < j; ++k) sum -= S[(size_t)i * n + k] * S[(size_t)j * n + k];
      if (i > j) {
        S[(size_t)i * n + j] = sum * S[(size_t)j * n + j];
      } else if (sum > 0.0 && sum < HUGE_VAL) {
        S[(size_t)j * n + j] = 1.0 / std::sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}

// Unit quaternion (w, x, y, z) of a rotation matrix, w not negative.
static inline void quaternion_of(const double* R, double* out) {
  const double trace = R[0] + R[4] + R[8];
  double w, x, y, z;
  if (trace > 0.0) {
    w = 1.0 + trace, x = R[7] - R[5], y = R[2] - R[6], z = R[3] - R[1];
  } else if (R[0] >= R[4] && R[0] >= R[8]) {
    w = R[7] - R[5], x = 1.0 + R[0] - R[4] - R[8], y = R[1] + R[3], z = R[2] + R[6];
  } else if (R[4] >= R[8]) {
    w = R[2] - R[6], x = R[1] + R[3], y = 1.0 - R[0] + R[4] - R[8], z = R[5] + R[7];
  } else {
    w = R[3] - R[1], x = R[2] + R[6], y = R[5] + R[7], z = 1.0 - R[0] - R[4] + R[8];
  }
  const double scale = std::copysign(1.0 / std::sqrt(w * w + x * x + y * y + z * z), w);
  out[0] = scale * w, out[1] = scale * x, out[2] = scale * y, out[3] = scale * z;
}

// X = exp(xi) X.
static inline void retract(const FilterState& s, const double* xi) {
  double E[9], J[9], turned[9], moved[3], along[3];
  exponential(xi, E, J);
  multiply(E, s.R, turned), copy(turned, 9, s.R);
  for (int k = 0; k < 2 + s.contacts; ++k) {
    turn(E, s.x + 3 * k, moved), turn(J, xi + 3 * (kErrorVelocity + k), along);
    for (int i = 0; i < 3; ++i) s.x[3 * k + i] = moved[i] + along[i];
  }
  for (int i = 0; i < 6; ++i) s.bias[i] += xi[3 * kErrorGyroscope + i];
  for (int k = 0; k < s.patches; ++k) {
    const int block = kErrorContact + s.contacts + k;
    if (!s.on[block]) continue;
    exponential(xi + 3 * block, E);
    multiply(E, s.C + 9 * k, turned), copy(turned, 9, s.C + 9 * k);
  }
}

}  // namespace filtering

// The orthogonal matrix next to a rotation that rounding has made a little crooked, by Newton's iteration R = (R + R^-T) / 2.
static inline void straighten(double* R) {
  for (int round = 0; round < 3; ++round) {
    const double* r = R;
    const double cofactor[9] = {r[4] * r[8] - r[5] * r[7], r[5] * r[6] - r[3] * r[8], r[3] * r[7] - r[4] * r[6],
                                r[2] * r[7] - r[1] * r[8], r[0] * r[8] - r[2] * r[6], r[1] * r[6] - r[0] * r[7],
                                r[1] * r[5] - r[2] * r[4], r[2] * r[3] - r[0] * r[5], r[0] * r[4] - r[1] * r[3]};
    const double determinant = r[0] * cofactor[0] + r[1] * cofactor[1] + r[2] * cofactor[2];
    for (int i = 0; i < 9; ++i) R[i] = 0.5 * (R[i] + cofactor[i] / determinant);
  }
}

// A step of dt with readings at its end, in the unit's axes there; noise of gyroscope and accelerometer times their scales.
static inline void propagate_filter(const FilterState& s, const FilterNoise& noise, double dt, const double* gyroscope,
                                    const double* accelerometer, double gyroscope_scale, double accelerometer_scale) {
  using namespace filtering;
  transport(s, dt);
  grow(s, noise, dt, gyroscope_scale, accelerometer_scale);
  double way[3], force[3], E[9], turned[9], a[3];
  for (int i = 0; i < 3; ++i) way[i] = dt * (gyroscope[i] - s.bias[i]), force[i] = accelerometer[i] - s.bias[3 + i];
  exponential(way, E);
  multiply(s.R, E, turned), copy(turned, 9, s.R);
  turn(s.R, force, a);
  double *v = s.x, *p = s.x + 3;
  for (int i = 0; i < 3; ++i) {
    a[i] += s.gravity[i];
    p[i] += dt * v[i] + 0.5 * dt * dt * a[i];
    v[i] += dt * a[i];
  }
}

// Coordinates (position, quaternion) and twist (linear, angular; its own axes) of the base B that carries the unit, whose pose in
// it is X_BI, whose angular velocity in its own axes is `angular`, and whose twist relative to B, in axes of B, is V_BI.
static inline void base_of_filter(const FilterState& s, const double* X_BI, const double* angular, const double* V_BI, double* q,
                                  double* v) {
  using namespace filtering;
  double R_BI[9], p_BI[3], R_WB[9], arm[3], turning[3], R_BW[9], speed[3];
  for (int i = 0; i < 9; ++i) R_BI[i] = X_BI[4 * (i / 3) + i % 3];
  for (int i = 0; i < 3; ++i) p_BI[i] = X_BI[4 * i + 3];
  multiply_transposed(s.R, R_BI, R_WB);
  for (int i = 0; i < 9; ++i) R_BW[i] = R_WB[3 * (i % 3) + i / 3];
  turn(R_WB, p_BI, arm), turn(R_BI, angular, turning), turn(R_BW, s.x, speed);
  for (int i = 0; i < 3; ++i) q[i] = s.x[3 + i] - arm[i], v[3 + i] = turning[i] - V_BI[3 + i];
  quaternion_of(R_WB, q + 3);
  for (int i = 0; i < 3; ++i) {  // less w x p_BI
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    v[i] = speed[i] - V_BI[i] - (v[3 + j] * p_BI[k] - v[3 + k] * p_BI[j]);
  }
}

// Takes into account that the contacts `used` (numbers that rise) are where joints see them. Where one is seen further off than
// `gate` standard deviations, nothing changes: `missed` tells which, one number each, and the result is false. It is false with
// all of them missed where their covariance is none.
static inline bool correct_filter(const FilterState& s, const FilterNoise& noise, const SeenContacts& seen, const int* used,
                                  int number, double gate, int* missed, double* scratch) {
  using namespace filtering;
  Rows rows{0, s, used, number};
  rows.each([&](int row, int, int, int, int) { rows.count = row + 3; });
  const int size = filter_size(s), n = rows.count;
  double *PH = scratch, *S = PH + (size_t)n * size, *z = S + (size_t)n * n;
  innovation(rows, seen, z);
  innovation_covariance(rows, noise, seen, PH, S);
  bool near = true;
  for (int i = 0; i < number; ++i) missed[i] = 0;
  rows.each([&](int row, int, int, int contact, int) {
    for (int i = row; i < row + 3; ++i) {
      if (z[i] * z[i] <= gate * gate * S[(size_t)i * (n + 1)]) continue;
      near = false;
      for (int k = 0; k < number; ++k) missed[k] |= used[k] == contact;
    }
  });
  if (!near) return false;
  if (!factor(S, n)) {
    for (int i = 0; i < number; ++i) missed[i] = 1;
    return false;
  }
  // With S = L L^T and Y = P H^T L^-T: the gain times z is Y L^-1 z, and P - K H P = P - Y Y^T.
  for (int i = 0; i < n; ++i) {
    double* y = PH + (size_t)i * size;
    for (int k = 0; k < i; ++k) {
      const double l = S[(size_t)i * n + k], *before = PH + (size_t)k * size;
      for (int j = 0; j < size; ++j) y[j] -= l * before[j];
      z[i] -= l * z[k];
    }
    const double inverse = S[(size_t)i * (n + 1)];
    for (int j = 0; j < size; ++j) y[j] *= inverse;
    z[i] *= inverse;
  }
  for (int i = 0; i < size; ++i) {
    double* row = s.P + (size_t)i * size;
    for (int j = 0; j < i; ++j) row[j] = 0.5 * (row[j] + s.P[(size_t)j * size + i]);
    for (int a = 0; a < n; ++a) {
      const double *y = PH + (size_t)a * size, x = y[i];
      for (int j = 0; j <= i; ++j) row[j] -= x * y[j];
    }
    for (int j = 0; j < i; ++j) s.P[(size_t)j * size + i] = row[j];
  }
  double* xi = z + n;
  for (int j = 0; j < size; ++j) xi[j] = 0.0;
  for (int a = 0; a < n; ++a) {
    for (int j = 0; j < size; ++j) xi[j] -= PH[(size_t)a * size + j] * z[a];
  }
  retract(s, xi);
  return true;
}

}  // namespace tarsus
