// What perfect sensors of a robot would read, from the motion of their frames and the forces of its contacts. The equations are
// those of src/tarsus/devices/sensors/, which is also what tests compare with.
#pragma once
#include <cmath>
#include <cstddef>

namespace tarsus {

enum SensedKind { kSensedPosition, kSensedInertial, kSensedWrench, kSensedComponent, kSensedForce };
constexpr const char* kSensedKindNames[] = {"position", "inertial", "wrench", "component", "force"};

// One entry of a table of sensors. Which of the numbers it has depends on its kind:
//   position   `place` in q                                                                                        1 channel
//   inertial   frame `place`; matrices of gyroscope and accelerometer in `numbers` from `number` on    6 channels
//   wrench     frame `place`; `parts` parts from `first` on; `contacts` contacts from `contact` on    6 channels
//   component  the same, of which the six `numbers` from `number` on times the wrench are told                         1 channel
//   force      magnitude of the sum of its contacts                                                   1 channel
struct SensedEntry {
  int kind, channel, place, number, first, parts, contact, contacts;
};
constexpr int kSensedEntryNumbers = 8;

// A rigid part behind a force sensor: frame it is fixed to, mass, centre of mass and moments of inertia about it in that frame.
constexpr int kPartNumbers = 13;

struct SensedTable {
  int entries, channels, frames, contacts;  // contacts: of the whole robot
  const SensedEntry* entry;
  const int* part_frame;
  const double* part;     // kPartNumbers a part
  const double* numbers;  // matrices by rows
  const int* contact;     // numbers of contacts
};

// One robot at one moment; contact arrays are 3 a contact, world axes.
struct SensedMotion {
  const double* q;
  const double *X, *V, *A;  // of the frames: 16, 6 and 6 each (kernels/kinematics/frames.hpp)
  const double *position, *force;
  const double* gravity;
};

namespace sensed {

static inline void cross(const double* a, const double* b, double* out) {
  out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}
static inline void add(const double* x, double* sum) { sum[0] += x[0], sum[1] += x[1], sum[2] += x[2]; }
// R x and R^T x of a pose by rows of four.
static inline void turned(const double* X, const double* x, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = X[4 * i] * x[0] + X[4 * i + 1] * x[1] + X[4 * i + 2] * x[2];
}
static inline void turned_back(const double* X, const double* x, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = X[i] * x[0] + X[4 + i] * x[1] + X[8 + i] * x[2];
}
static inline void times(const double* M, const double* x, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = M[3 * i] * x[0] + M[3 * i + 1] * x[1] + M[3 * i + 2] * x[2];
}

// Angular velocity and specific force a - g in the frame's axes, each times its matrix.
static inline void inertial(const SensedTable& t, const SensedEntry& e, const SensedMotion& m, double* out) {
  const double *X = m.X + 16 * e.place, *w = m.V + 6 * e.place + 3, *a = m.A + 6 * e.place;
  const double specific[3] = {a[0] - m.gravity[0], a[1] - m.gravity[1], a[2] - m.gravity[2]};
  double own[3];
  turned_back(X, w, own), times(t.numbers + e.number, own, out);
  turned_back(X, specific, own), times(t.numbers + e.number + 9, own, out + 3);
}

// Takes off what a part needs to move against gravity: force m (a - g), moment (r - o) x m (a - g) + dh/dt about the point o.
static inline void take_off_part(const SensedTable& t, int k, const SensedMotion& m, const double* o, double* force,
                                 double* moment) {
  const int frame = t.part_frame[k];
  const double *X = m.X + 16 * frame, *w = m.V + 6 * frame + 3, *A = m.A + 6 * frame, *dw = A + 3;
  const double *part = t.part + (size_t)kPartNumbers * k, *I = part + 4;
  double r[3], swing[3], turn[3], centripetal[3], f[3], arm[3], n[3];
  turned(X, part + 1, r);
  cross(dw, r, swing), cross(w, r, turn), cross(w, turn, centripetal);
  for (int i = 0; i < 3; ++i) f[i] = part[0] * (A[i] + swing[i] + centripetal[i] - m.gravity[i]);
  for (int i = 0; i < 3; ++i) arm[i] = X[4 * i + 3] + r[i] - o[i];
  cross(arm, f, n);
  // I dw + w x I w in the axes of the part.
  double w_own[3], dw_own[3], spin[3], rate[3], gyroscopic[3], world[3];
  turned_back(X, w, w_own), turned_back(X, dw, dw_own);
  times(I, w_own, spin), times(I, dw_own, rate), cross(w_own, spin, gyroscopic);
  add(gyroscopic, rate), turned(X, rate, world);
  for (int i = 0; i < 3; ++i) force[i] -= f[i], moment[i] -= n[i] + world[i];
}

static inline void wrench(const SensedTable& t, const SensedEntry& e, const SensedMotion& m, double* out) {
  const double* X = m.X + 16 * e.place;
  const double o[3] = {X[3], X[7], X[11]};
  double force[3] = {0.0, 0.0, 0.0}, moment[3] = {0.0, 0.0, 0.0};
  for (int k = e.first; k < e.first + e.parts; ++k) take_off_part(t, k, m, o, force, moment);
  for (int k = e.contact; k < e.contact + e.contacts; ++k) {
    const double *f = m.force + 3 * (size_t)t.contact[k], *p = m.position + 3 * (size_t)t.contact[k];
    double arm[3], n[3];
    for (int i = 0; i < 3; ++i) arm[i] = std::isfinite(p[i]) ? p[i] - o[i] : 0.0;  // no contact, no force, no place
    cross(arm, f, n), add(f, force), add(n, moment);
  }
  turned_back(X, force, out), turned_back(X, moment, out + 3);
}

static inline double component(const SensedTable& t, const SensedEntry& e, const SensedMotion& m) {
  double all[6], sum = 0.0;
  wrench(t, e, m, all);
  for (int i = 0; i < 6; ++i) sum += t.numbers[e.number + i] * all[i];
  return sum;
}

static inline double force(const SensedTable& t, const SensedEntry& e, const SensedMotion& m) {
  double sum[3] = {0.0, 0.0, 0.0};
  for (int k = e.contact; k < e.contact + e.contacts; ++k) add(m.force + 3 * (size_t)t.contact[k], sum);
  return std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

}  // namespace sensed

// All channels of one robot.
static inline void sense(const SensedTable& t, const SensedMotion& m, double* out) {
  for (int k = 0; k < t.entries; ++k) {
    const SensedEntry& e = t.entry[k];
    double* to = out + e.channel;
    switch (e.kind) {
      case kSensedPosition: *to = m.q[e.place]; break;
      case kSensedInertial: sensed::inertial(t, e, m, to); break;
      case kSensedWrench: sensed::wrench(t, e, m, to); break;
      case kSensedComponent: *to = sensed::component(t, e, m); break;
      default: *to = sensed::force(t, e, m);
    }
  }
}

}  // namespace tarsus
