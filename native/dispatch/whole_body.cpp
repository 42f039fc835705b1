// Steps of whole-body control of one instruction set.
#include "dispatch/whole_body.hpp"

#include "control/whole_body_batch.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

size_t bytes(const BodyProblem& p, bool batch) {
  BodyMemory s;
  return BodyMemory::layout(s, p, batch, nullptr);
}

// Columns of the cones, which rows of products run along.
void spread_cones(const BodyProblem& p, BodyMemory& s) {
  double* to = s.facet_columns;
  for (int i = 0; i < p.contacts; ++i) {
    const BodyContact& c = p.contact[i];
    const int width = padded(c.cones);
    s.facets[i] = to;
    for (int j = 0; j < c.forces; ++j, to += width) {
      for (int r = 0; r < width; ++r) to[r] = r < c.cones ? c.cone[(size_t)r * c.forces + j] : 0.0;
    }
  }
}

void prepare(const BodyProblem& p, bool batch, void* memory) {
  BodyMemory& s = *static_cast<BodyMemory*>(memory);
  BodyMemory::layout(s, p, batch, static_cast<char*>(memory));
  Workspace<double>::fill_constants(s.single.ws, *p.model);
  if (batch) Workspace<Pack>::fill_constants(s.pack.ws, *p.model);
  spread_cones(p, s);
  const size_t terms = BodyTerms<double>::size(p), tree = p.model->coupled ? (size_t)p.model->tree_nv * p.model->tree_nv : 0;
  zero_fill(s.terms, terms), zero_fill(s.single.tree_M, tree);
  if (batch)
    zero_fill(s.pack_terms, terms), zero_fill(s.pack.tree_M, tree), zero_fill(s.answers.optima, kLanes * s.answers.pitch);
  for (int k = 0; k < p.forces; ++k) s.normal[k] = k % 3 == 2 ? 1.0 : 0.0;
  for (int k = 0, count = 0; k < p.model->nv; ++k) {
    if (p.driven[k]) continue;
    s.unknowns.idle[count] = k;
    if (batch) s.programs.unknowns.idle[count] = k;
    ++count;
  }
}

void run(const BodyRun& r, void* memory) {
  WholeBodyStep step(r, *static_cast<BodyMemory*>(memory));
  for (long i = r.begin; i < r.end; ++i) step.solve(i);
}

void run_batch(const BodyRun& r, void* memory) {
  WholeBodyBatch batch(r, *static_cast<BodyMemory*>(memory));
  for (long i = r.begin; i < r.end; i += kLanes) {
    if (i % kBodyChain == 0) batch.begin_chain();  // whichever thread comes by
    batch.solve(i, i + kLanes < r.end ? i + kLanes : r.end);
  }
}

}  // namespace

extern const BodyTable body_table;
const BodyTable body_table = {bytes, prepare, run, run_batch};

}  // namespace tarsus::TARSUS_ISA
