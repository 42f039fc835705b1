// What follows from the optima of several robots, one a lane: accelerations, torques, wrenches and what tasks miss, and whether
// equations of motion, contacts and limits hold.
#pragma once
#include "control/joint_limits.hpp"
#include "control/lane_program.hpp"
#include "control/whole_body_checks.hpp"
#include "optimization/dual_active_set.hpp"

namespace tarsus::TARSUS_ISA {

// Written by whom is said behind each field.
struct LaneAnswers {
  double *optima, *rows;  // kLanes x padded unknowns: x of each lane <- the caller; kLanes x body_results <- tell
  Pack *x, *unknown;      // padded unknowns each <- find
  Pack *torque, *out;     // nv, body_results <- find
  int pitch;              // of `optima`

  static void layout(LaneAnswers& s, const BodyProblem& p, auto take) {
    const int all = p.model->nv + p.forces;
    s.pitch = padded(all);
    take(s.optima, kLanes * s.pitch), take(s.rows, kLanes * body_results(p)), take(s.x, s.pitch), take(s.unknown, all);
    take(s.torque, p.model->nv), take(s.out, body_results(p));
  }

  // Lanes whose answers hold, without a joint that misses its limits; q and v as `for_joint_limits` reads them.
  Bits<Pack>::type find(const BodyProblem& p, const double* contact, const LanePrograms& programs, const BodyTerms<Pack>& t,
                        const Pack* q, const Pack* v) {
    const int nv = p.model->nv;
    const Pack unit = programs.unit, *force = unknown + nv;
    load_rows(optima, pitch, kLanes, x);
    programs.unknowns.values(x, unknown);
    for (int j = nv; j < nv + p.forces; ++j) unknown[j] *= unit;
    copy(torque, t.h, nv);
    RowSum<Pack> sum_of(torque, nv);
    for (int k = 0; k < nv; ++k) sum_of.add(unknown[k], t.M + (size_t)k * nv);
    sum_of.finish();
    const Pack scale = larger<Pack>(unit, largest(torque, nv));
    for (int j = 0; j < p.forces; ++j) sum_of.add(-force[j], t.F + (size_t)j * nv);
    sum_of.finish();
    Pack most;
    Bits<Pack>::type good = torques_hold(p, unit, scale, most);
    good &= contacts_hold(p, t) & cones_hold(p, contact, t, kLimitHolds * (unit + most));
    if (p.limits.any) good &= limits_hold(p, q, v, kLimitHolds * (1.0 + most / unit));
    write(p, t, unit);
    return good & within(poison_of(out, body_results(p), kResultScale), Pack{});  // which numbers that are not finite are not
  }

 private:
  static Bits<Pack>::type within(const Pack& a, const Pack& b) { return a <= b; }

  // Torques within their limits, as far as the program says so, and what drives do not give is zero; the largest one.
  Bits<Pack>::type torques_hold(const BodyProblem& p, const Pack& unit, const Pack& scale, Pack& most) {
    Bits<Pack>::type good = ~Bits<Pack>::type{};
    Pack left{}, *tau = out + p.model->nv;
    most = Pack{};
    for (int k = 0; k < p.model->nv; ++k) {
      const Pack size = magnitude<Pack>(torque[k]);
      tau[k] = p.driven[k] ? torque[k] : Pack{};
      if (!p.driven[k]) left = larger<Pack>(left, size);
      if (!p.driven[k]) continue;
      const double limit = p.tau_max[k];
      if (limit < kNoBound) {
        good &= within(size - limit, kFeasible * (unit + limit));
        tau[k] = larger<Pack>(smaller<Pack>(tau[k], broadcast<Pack>(limit)), broadcast<Pack>(-limit));
      }
      most = larger<Pack>(most, magnitude<Pack>(tau[k]));
    }
    return good & within(left, kMotionHolds * scale);
  }
  Bits<Pack>::type contacts_hold(const BodyProblem& p, const BodyTerms<Pack>& t) const {
    const int nv = p.model->nv;
    const Pack scale = larger<Pack>(larger<Pack>(broadcast<Pack>(1.0), largest(t.c, p.contact_rows)), largest(unknown, nv));
    Pack left{};
    for (int r = 0; r < p.contact_rows; ++r) {
      left = larger<Pack>(left, magnitude<Pack>(dot(t.C + (size_t)r * nv, unknown, nv) - t.c[r]));
    }
    return within(left, kMotionHolds * scale);
  }
  Bits<Pack>::type cones_hold(const BodyProblem& p, const double* contact, const BodyTerms<Pack>& t, const Pack& room) const {
    Pack beyond{};
    for (int i = 0; i < p.contacts; ++i) {
      const BodyContact& c = p.contact[i];
      const Pack* y = unknown + p.model->nv + c.force;
      const double* number = contact + (size_t)i * kContactNumbers;
      for (int r = 0; r < c.cones; ++r) {
        Pack value{};
        for (int j = 0; j < c.forces; ++j) value += c.cone[(size_t)r * c.forces + j] * y[j];
        beyond = larger<Pack>(beyond, -value);
      }
      const Pack normal = normal_force(c, t.place + kPlaceNumbers * i, y);
      beyond = larger<Pack>(beyond, larger<Pack>(number[kContactLeast] - normal, normal - number[kContactMost]));
    }
    return within(beyond, room);
  }
  Bits<Pack>::type limits_hold(const BodyProblem& p, const Pack* q, const Pack* v, const Pack& room) const {
    Pack beyond{};
    for_joint_limits(p, q, v, [&](int k, const Pack& least, const Pack& most) TARSUS_LAMBDA {
      beyond = larger<Pack>(beyond, larger<Pack>(least - unknown[k], unknown[k] - most));
    });
    return within(beyond, room);
  }

  // What is not torques of the results.
  void write(const BodyProblem& p, const BodyTerms<Pack>& t, const Pack& unit) {
    const int nv = p.model->nv;
    Pack *wrench = out + 2 * nv, *missed = wrench + 6 * p.slots;
    copy(out, unknown, nv), clear(wrench, 6 * p.slots);
    for (int c = 0; c < p.contacts; ++c) {
      const BodyContact& contact = p.contact[c];
      add_wrench(contact, t.place + kPlaceNumbers * c, unknown + nv + contact.force, wrench + 6 * contact.slot);
    }
    for (int b = 0; p.tasks && b < p.tasks->blocks; ++b) {
      const TaskBlock& block = p.tasks->block[b];
      for (int r = block.first; r < block.first + block.rows; ++r) {
        const bool posture = block.kind == kTaskPosture;
        missed[r] = t.a[r] - (posture ? unknown[p.tasks->row[r].component] : dot(t.J + (size_t)r * nv, unknown, nv));
      }
    }
    missed[task_rows_of(p)] = unit;
  }
};

}  // namespace tarsus::TARSUS_ISA
