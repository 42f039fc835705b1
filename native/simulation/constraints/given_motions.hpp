// Motions that constraints are given as functions of time, between equidistant knots: polynomials of degree five through
// position, rate and acceleration at both ends, so that what they miss is of order six in the spacing.
#pragma once
#include "simulation/constraints/records.hpp"

namespace tarsus::TARSUS_ISA {

// Position, rate and acceleration at one moment.
struct Moment {
  double x, rate, second;
};

// The polynomial at the part s of a stretch of length h between two moments.
inline Moment between(const Moment& a, const Moment& b, double s, double h) {
  // x(s) = a.x + h a.rate s + h^2 a.second s^2 / 2 + c3 s^3 + c4 s^4 + c5 s^5
  const double c1 = h * a.rate, c2 = 0.5 * h * h * a.second;
  const double x = b.x - a.x - c1 - c2, v = h * b.rate - c1 - 2.0 * c2, w = h * h * b.second - 2.0 * c2;
  const double c3 = 10.0 * x - 4.0 * v + 0.5 * w, c4 = -15.0 * x + 7.0 * v - w, c5 = 6.0 * x - 3.0 * v + 0.5 * w;
  return {a.x + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5)))),
          (c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h,
          (2.0 * c2 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / (h * h)};
}

// A frame (R | p), twist, its rate, between two knots. Columns c of R turn with w x c; angular velocities are a polynomial of
// degree three.
inline void frame_between(const double* a, const double* b, double s, double h, double* out) {
  auto entry = [](const double* d, int row, int column) {
    const double c[3] = {d[column], d[4 + column], d[8 + column]};
    const Vec3<double> x = vec3(c), w = vec3(d + 15), dw = vec3(d + 21), turned = cross(w, x);
    const Vec3<double> second = cross(dw, x) + cross(w, turned);
    const double rates[3] = {turned.x, turned.y, turned.z}, seconds[3] = {second.x, second.y, second.z};
    return Moment{c[row], rates[row], seconds[row]};
  };
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      out[4 * row + column] = between(entry(a, row, column), entry(b, row, column), s, h).x;
    }
    const Moment p = between({a[4 * row + 3], a[12 + row], a[18 + row]}, {b[4 * row + 3], b[12 + row], b[18 + row]}, s, h);
    out[4 * row + 3] = p.x, out[12 + row] = p.rate, out[18 + row] = p.second;
    const double w = a[15 + row], dw = h * a[21 + row], rest = b[15 + row] - w - dw, slope = h * b[21 + row] - dw;
    const double c2 = 3.0 * rest - slope, c3 = slope - 2.0 * rest;
    out[15 + row] = w + s * (dw + s * (c2 + s * c3)), out[21 + row] = (dw + s * (2.0 * c2 + s * 3.0 * c3)) / h;
  }
}

// Given motions at time t, into c.drive; `held` leaves their positions and takes the motion away: what a step ends with.
template <class T>
inline void read_given_motions(RobotConstraints<T>& c, double t, bool held) {
  const ConstraintTable& table = *c.table;
  if (table.drives == 0) return;
  const GivenMotions& given = *c.given;
  const double place = given.knots > 1 ? (t - given.first) / given.spacing : 0.0;
  int knot = place > 0.0 ? static_cast<int>(place) : 0;
  knot = knot > given.knots - 2 ? (given.knots > 1 ? given.knots - 2 : 0) : knot;
  const double *a = given.number + (size_t)knot * table.drives, *b = given.knots > 1 ? a + table.drives : a;
  const double s = given.knots > 1 ? place - knot : 0.0, h = given.knots > 1 ? given.spacing : 1.0;
  auto put = [&](int at, const double* x, int n, int kept) {
    for (int k = 0; k < n; ++k) c.drive[at + k] = broadcast<T>(held && k >= kept ? 0.0 : x[k]);
  };
  for (int i = 0; i < table.pairs; ++i) {
    const int at = table.pair[i].drive;
    if (at < 0) continue;
    double now[kFrameDrive];
    frame_between(a + at, b + at, s, h, now);
    put(at, now, kFrameDrive, 12);
  }
  for (int i = 0; i < table.joints; ++i) {
    const int at = table.joint[i].drive;
    if (at < 0) continue;
    const Moment x = between({a[at], a[at + 1], a[at + 2]}, {b[at], b[at + 1], b[at + 2]}, s, h);
    const double now[kJointDrive] = {x.x, x.rate, x.second};
    put(at, now, kJointDrive, 1);
  }
}

}  // namespace tarsus::TARSUS_ISA
