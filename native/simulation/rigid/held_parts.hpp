// Loads of points whose parts are given: sticking ones do not move, slipping ones not along the normal. Feng et al. 2015 (10) to
// (29) for any number of points, in the velocities of the touching bodies (motion_space.hpp).
//
// With rows J of the motions, rows F of the forces and the motion e that is still left, a step with the compliance eps is
//   dl = -(e + J dV) / eps,   dV = W F^T dl,
// and steps with the same factors go on to the loads next to those of the start (Rockafellar 1976), however many points share
// them. Where there are fewer rows than such velocities the same steps are made in the space of the rows (few_rows.hpp).
#pragma once
#include "simulation/impulses/interior_point.hpp"
#include "simulation/rigid/few_rows.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kPartCompliance[] = {1e-7, 1e-9, 1e-11};  // eps, relative to the largest response of a point; smaller ones where
                                                           // rows almost depend on one another: stretched knees
constexpr int kFinest = 2;
constexpr double kPartDone = 1e-12;       // of motions, relative to those without loads: a smaller compliance is not needed,
constexpr double kPartTolerance = 1e-15;  // of motions, relative to those without loads: settled,
constexpr double kRateTolerance = 1e-13;  // the same within a phase: far below what a step may be wrong by,
constexpr double kPartFailure = 1e-7;     // and the same that is no solution
constexpr double kIndependent = 1e-5;     // part of a row that is its own, relative to the largest row: independent

// Blocks F^T J / eps of all bodies.
inline bool factorise_parts(Robot<double>& r, int count, double eps) {
  clear_equations(r);
  PartRow row[3];
  for (int i = 0; i < count; ++i) {
    const ListedPoint& s = r.rigid.listed[i];
    const int rows = rows_of(s, row);
    for (int k = 0; k < rows; ++k) {
      const double per = 1.0 / (row[k].compliance + eps);
      const Wrench<double> f = wrench_of(s, row[k].force), g = wrench_of(s, row[k].motion);
      const double a[6] = {f.f.x, f.f.y, f.f.z, f.n.x, f.n.y, f.n.z}, b[6] = {g.f.x, g.f.y, g.f.z, g.n.x, g.n.y, g.n.z};
      double* K = r.space.stiffness + 36 * s.body;
      for (int x = 0; x < 6; ++x) {
        for (int y = 0; y < 6; ++y) K[6 * x + y] += per * a[x] * b[y];
      }
    }
  }
  return factorise_equations(r) != 0;
}

// One step of the loads.
inline void improve_parts(Robot<double>& r, int count, double eps) {
  PartRow row[3];
  clear_loads(r);
  for (int i = 0; i < count; ++i) {
    const ListedPoint& s = r.rigid.listed[i];
    const int rows = rows_of(s, row);
    Wrench<double>& load = reinterpret_cast<Wrench<double>*>(r.space.load)[s.body];
    for (int k = 0; k < rows; ++k) {
      const double push = -row[k].left / (row[k].compliance + eps);
      load += wrench_of(s, Impulse<double>{push * row[k].force.n, push * row[k].force.t1, push * row[k].force.t2});
    }
  }
  solve_equations(r);
  for (int i = 0; i < count; ++i) {
    ListedPoint& s = r.rigid.listed[i];
    const int rows = rows_of(s, row);
    const Impulse<double> d = along(s, r.space.change[s.body]);
    for (int k = 0; k < rows; ++k) {
      const double push = -(row[k].left + dot(row[k].motion, d)) / (row[k].compliance + eps);
      s.load.n += push * row[k].force.n, s.load.t1 += push * row[k].force.t1, s.load.t2 += push * row[k].force.t2;
    }
  }
}

// Steps with one compliance, until they lead no further; returns the motion that is left, relative to that without loads.
inline double approach_parts(Robot<double>& r, int count, double eps, double tolerance) {
  double before = 1e300, left = motion_left(r, count), scale = motion_scale(r, count);
  for (int step = 0; step < kMostPartSteps && left > tolerance * scale; ++step) {
    if (step > 2 && left > 0.5 * before) break;
    before = left;
    improve_parts(r, count, eps);
    follow_loads(r, count);
    left = motion_left(r, count), scale = motion_scale(r, count);
  }
  return left / scale;
}

// The compliance that is fine enough: factorise(eps) tells whether there are factors, approach(eps) the motion that is left.
template <class Factorise, class Approach>
inline bool refine_parts(Robot<double>& r, int count, double largest, Factorise factorise, Approach approach) {
  for (int& fine = r.rigid.fineness;; ++fine) {
    const double eps = kPartCompliance[fine] * largest;
    if (!factorise(eps)) return false;
    if (approach(eps) <= kPartDone) return are_bounded(r, count);
    if (fine == kFinest) break;
  }
  return motion_left(r, count) <= kPartFailure * motion_scale(r, count) && are_bounded(r, count);
}

// Loads of the parts next to those that are there, and the motions with them; false where there are none.
TARSUS_KERNEL bool solve_parts(Robot<double>& r, int count, double tolerance = kPartTolerance) {
  double largest = 0.0;
  for (int i = 0; i < count; ++i) {
    ListedPoint& s = r.rigid.listed[i];
    largest = larger<double>(largest, s.part == kFreePart ? 0.0 : s.size);
    if (s.part == kFreePart) s.load = {0.0, 0.0, 0.0};
    if (s.part == kSlides) s.load = {s.load.n, -s.friction * s.d1 * s.load.n, -s.friction * s.d2 * s.load.n};
  }
  follow_loads(r, count);
  if (!(largest > 0.0)) return true;
  if (FewRows::fits(r, count)) {
    FewRows rows(r, count);
    return refine_parts(
        r, count, largest, [&](double eps) { return rows.factorise(eps); }, [&](double) { return rows.approach(tolerance); });
  }
  complete_responses(r, count);
  return refine_parts(
      r, count, largest, [&](double eps) { return factorise_parts(r, count, eps); },
      [&](double eps) { return approach_parts(r, count, eps, tolerance); });
}

// Number of independent constraints among the rows of the parts: their rows times A, made orthogonal one after the other.
inline int independent_constraints(Robot<double>& r, int count) {
  const ImpulseResponse<double>& w = r.response;
  const int n = r.model.nv;
  int rank = 0;
  double largest = 0.0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < count && rank < n; ++i) {
      const ListedPoint& s = r.rigid.listed[i];
      for (int a = 0; a < (s.part == kSticks ? 3 : s.part == kFreePart ? 0 : 1) && rank < n; ++a) {
        const double g[6] = {s.axis[a].x, s.axis[a].y, s.axis[a].z, s.arm[a].x, s.arm[a].y, s.arm[a].z};
        double* h = r.rigid.rows + (size_t)rank * n;
        for (int c = 0; c < n; ++c) h[c] = 0.0;
        double size = 0.0;
        for (int c = 0; c < w.width[s.body]; ++c) {
          double sum = 0.0;
          for (int x = 0; x < 6; ++x) sum += w.factor_of(s.body)[6 * c + x] * g[x];
          h[w.columns_of(s.body)[c]] = sum, size += sum * sum;
        }
        if (pass == 0) {
          largest = larger<double>(largest, size);
          continue;
        }
        for (int twice = 0; twice < 2; ++twice) {
          for (int k = 0; k < rank; ++k) {
            const double* o = r.rigid.rows + (size_t)k * n;
            double sum = 0.0;
            for (int c = 0; c < n; ++c) sum += o[c] * h[c];
            for (int c = 0; c < n; ++c) h[c] -= sum * o[c];
          }
        }
        double rest = 0.0;
        for (int c = 0; c < n; ++c) rest += h[c] * h[c];
        if (!(rest > kIndependent * kIndependent * largest)) continue;
        const double per = 1.0 / std::sqrt(rest);
        for (int c = 0; c < n; ++c) h[c] *= per;
        ++rank;
      }
    }
  }
  return rank;
}

}  // namespace tarsus::TARSUS_ISA
