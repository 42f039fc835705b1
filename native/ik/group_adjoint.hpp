// How changes pass through a step on the configuration manifold, transposed. With q' = q exp(x), x = dt v,
//   dq' = Ad(exp(-x)) dq + Jr(x) dx,   Ad(exp(-x)) = sum (-ad x)^k / k!,   Jr(x) = sum (-ad x)^k / (k + 1)!
// in the tangent spaces of body axes. Coordinates that are plain numbers have ones in both.
#pragma once
#include "kernels/kinematics/screws.hpp"
#include "model/model.hpp"

namespace tarsus::TARSUS_ISA {

// Terms of the series; a step that turns by pi needs 30 for the last digit.
constexpr int kMostTerms = 60;
constexpr double kLastTerm = 1e-17;

// (ad x)^T y: y . (x . ) of twists, linear part first.
static inline Screw<double> coadjoint(const Screw<double>& x, const Screw<double>& y) {
  return {cross(y.linear, x.angular), cross(y.linear, x.linear) + cross(y.angular, x.angular)};
}

struct PassedBack {
  Screw<double> by_q, by_x;  // Ad^T y and Jr^T y
};
static inline PassedBack pass_back(const Screw<double>& x, const Screw<double>& y) {
  PassedBack r{y, y};
  Screw<double> term = y;
  for (int k = 1; k < kMostTerms; ++k) {
    term = (-1.0 / k) * coadjoint(x, term);
    r.by_q += term, r.by_x += (1.0 / (k + 1)) * term;
    if (dot(term.linear, term.linear) + dot(term.angular, term.angular) <
        kLastTerm * kLastTerm * (dot(y.linear, y.linear) + dot(y.angular, y.angular))) {
      break;
    }
  }
  return r;
}

// Joint after joint: y (nv) after the step to by_q and by_x (nv) before it. x = dt v.
static inline void pass_step_back(const Model& m, const double* v, double dt, const double* y, double* by_q, double* by_x) {
  for (int k = 0; k < m.nv; ++k) by_q[k] = by_x[k] = y[k];
  for (int i = 0; i < m.manifolds; ++i) {
    const Manifold& j = m.manifold[i];
    const double *a = v + j.v, *b = y + j.v;
    Screw<double> x{zero3<double>(), zero3<double>()}, z = x;
    if (j.group == kRotations3) {
      x.angular = {dt * a[0], dt * a[1], dt * a[2]}, z.angular = {b[0], b[1], b[2]};
    } else if (j.group == kMotions3) {
      x = {{dt * a[0], dt * a[1], dt * a[2]}, {dt * a[3], dt * a[4], dt * a[5]}}, z = {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
    } else {  // motions of a plane: the turn is about its normal, by sign times the coordinate
      x = {{dt * a[0], dt * a[1], 0.0}, {0.0, 0.0, j.sign * dt * a[2]}}, z = {{b[0], b[1], 0.0}, {0.0, 0.0, j.sign * b[2]}};
    }
    const PassedBack r = pass_back(x, z);
    const auto put = [&](const Screw<double>& s, double* out) {
      if (j.group == kRotations3) {
        out[0] = s.angular.x, out[1] = s.angular.y, out[2] = s.angular.z;
        return;
      }
      out[0] = s.linear.x, out[1] = s.linear.y;
      if (j.group == kMotions3) {
        out[2] = s.linear.z, out[3] = s.angular.x, out[4] = s.angular.y, out[5] = s.angular.z;
      } else {
        out[2] = j.sign * s.angular.z;
      }
    };
    put(r.by_q, by_q + j.v), put(r.by_x, by_x + j.v);
  }
}

}  // namespace tarsus::TARSUS_ISA
