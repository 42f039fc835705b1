// Poses as they are seen from the first one.
#pragma once

namespace tarsus {

// X are poses (4 x 4, by rows) in some frame B, that of I and then those of `count` frames C; p_IC (3 each) and R_IC (9 each).
static inline void relative_poses(const double* X, int count, double* p_IC, double* R_IC) {
  for (int c = 0; c < count; ++c, p_IC += 3, R_IC += 9) {
    const double* Y = X + 16 * (c + 1);
    const double arm[3] = {Y[3] - X[3], Y[7] - X[7], Y[11] - X[11]};
    for (int i = 0; i < 3; ++i) {
      p_IC[i] = X[i] * arm[0] + X[4 + i] * arm[1] + X[8 + i] * arm[2];
      for (int j = 0; j < 3; ++j) R_IC[3 * i + j] = X[i] * Y[j] + X[4 + i] * Y[4 + j] + X[8 + i] * Y[8 + j];
    }
  }
}

}  // namespace tarsus
