// Memory of one step of whole-body control.
#pragma once
#include "control/lane_answers.hpp"
#include "optimization/program_memory.hpp"

namespace tarsus::TARSUS_ISA {

// Written by whom is said behind each field; n: variables of the program, width: padded.
struct BodyMemory {
  double *q, *v;                // nq, nv: normalised <- read
  double* terms;                // BodyTerms <- body_terms
  Unknowns<double> unknowns;    // <- command
  Objective<double> objective;  // <- command
  double* H;                    // n x width <- command
  double *A, *low, *high;       // rows x n, sides, sides <- limit
  double *least, *most;         // nv: accelerations within limits of joints <- joint_limits
  double* yield;                // sides: weights of rows that yield, infinite of others <- limit
  double *x, *multiplier;       // n, sides <- minimise
  double *unknown, *sum;        // unknowns <- find_values; padded nv: scratch
  double* torque;               // padded nv: M vdot + h - F y <- find_values
  double* pull_back;            // forces: scratch
  signed char* watched;         // cones, normal forces, torques: rows that are in the program <- minimise_watched
  signed char* own_side;        // sides: of the rows that are <- take_sides, minimise
  signed char* side;            // body_sides: bounds that the last step ended at, where the caller keeps none
  TermMemory<double> single;
  // Batches only: packs of the state, of targets and their rates, and of the terms.
  TermMemory<Pack> pack;
  Pack *pack_q, *pack_v, *pack_target, *pack_rates, *pack_terms;
  double* lanes;          // kLanes x BodyTerms
  LanePrograms programs;  // <- WholeBodyBatch
  LaneAnswers answers;    // <- WholeBodyBatch
  double* normal;         // forces: 0, 0, 1, ...: the normal force of points, and of a wrench in its first three <- prepare
  double** facets;        // contacts: columns of their cones, padded <- prepare
  double* facet_columns;  // what they point to
  void* program;          // QpMemory

  static size_t facet_numbers(const BodyProblem& p) {
    size_t sum = 0;
    for (int i = 0; i < p.contacts; ++i) sum += (size_t)p.contact[i].forces * padded(p.contact[i].cones);
    return sum;
  }

  static size_t layout(BodyMemory& s, const BodyProblem& p, bool batch, char* memory) {
    const Model& m = *p.model;
    const size_t nv = m.nv, all = nv + p.forces, width = padded(static_cast<int>(all)), tasks = task_rows_of(p);
    const size_t rows = body_rows(p), sides = program_sides(p), targets = p.tasks ? p.tasks->targets : 0;
    size_t used = (sizeof(BodyMemory) + 63) / 64 * 64;
    auto take = [&]<class T>(T*& array, size_t count) {
      array = reinterpret_cast<T*>(memory + used);
      used += (count * sizeof(T) + 63) / 64 * 64;
    };
    take(s.q, m.nq + 1), take(s.v, nv), take(s.terms, BodyTerms<double>::size(p));
    Unknowns<double>::layout(s.unknowns, p, take), Objective<double>::layout(s.objective, p, s.unknowns, take);
    take(s.H, width * width), take(s.A, rows * all + width), take(s.low, sides + 8), take(s.high, sides + 8), take(s.least, nv),
        take(s.most, nv), take(s.yield, sides + 8);
    take(s.x, width), take(s.multiplier, sides + 8), take(s.unknown, all), take(s.sum, padded(m.nv)), take(s.normal, p.forces);
    take(s.facets, p.contacts), take(s.facet_columns, facet_numbers(p));
    take(s.side, body_sides(p) + 8), take(s.torque, padded(m.nv)), take(s.pull_back, p.forces), take(s.watched, rows + 8),
        take(s.own_side, sides + 8);
    auto lay_out = [&]<class T>(TermMemory<T>& terms) {
      char* block = memory ? memory + used : nullptr;
      used += (TermMemory<T>::layout(terms, p, block) + 63) / 64 * 64;
    };
    lay_out(s.single);
    if (batch) {
      lay_out(s.pack);
      take(s.pack_q, m.nq + 1), take(s.pack_v, nv), take(s.pack_target, targets), take(s.pack_rates, 2 * tasks);
      take(s.pack_terms, BodyTerms<Pack>::size(p)), take(s.lanes, kLanes * BodyTerms<double>::size(p));
      LanePrograms::layout(s.programs, p, take), LaneAnswers::layout(s.answers, p, take);
    }
    s.program = memory + used;
    QpMemory w;
    const int most = static_cast<int>(all), soft = yielding_rows(p);
    const size_t hard = QpMemory::layout(w, most, hard_rows(p), p.limits.any, 0, nullptr);
    const size_t yielding = soft > 0 ? QpMemory::layout(w, most, body_rows(p), false, soft, nullptr) : 0;
    return used + (hard > yielding ? hard : yielding);
  }
};

}  // namespace tarsus::TARSUS_ISA
