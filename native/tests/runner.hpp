// Calls an operation through the kernel table of an instruction set, with arrays of exactly the right size on the heap, so
// that the address sanitizer sees every access beyond them.
#pragma once
#include <memory>

#include "collision/build.hpp"
#include "dispatch/call.hpp"
#include "dispatch/select.hpp"
#include "tests/operations.hpp"
#include "tests/random_tree.hpp"

namespace tests {

using namespace tarsus;

struct Outcome {
  Numbers out;
  int status = tarsus::kOk, argument = 0, index = 0;
  long row = 0;
};

struct Arguments {  // of one state, or of rows one after the other
  Numbers q, v, a, external;
  int frame = 0, frame_count = 1, expressed_in = 0, passive = 0;
  bool with_external = false;
  const tarsus::ConstraintTable* constraints = nullptr;  // none where it is null
  const tarsus::VolumeTable* volumes = nullptr;          // none where it is null
  Numbers drive;
  double alpha = 0.0, beta = 0.0;
};

class Runner {
 public:
  Runner(const tarsus::KernelTable& table, const tarsus::OwnedModel& model)
      : table_(table), model_(model), plan_(table.make_plan(model.tables)), workspace_(table.make_workspace(model.tables)) {
    check(unconstrained_.build({}, model.tables).empty(), "no constraints at all are refused");
    check(unoccupied_.build({}, model.tables).empty(), "no volumes at all are refused");
  }
  ~Runner() {
    table_.free_plan(plan_);
    table_.free_workspace(workspace_);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  const char* name() const { return table_.name; }
  int lanes() const { return table_.lanes; }
  const tarsus::Model& model() const { return model_.tables; }

  Outcome single(int operation, const Arguments& x) const { return run(operation, x, -1, 0, 0); }
  Outcome rows(int operation, const Arguments& x, long count) const { return run(operation, x, count, 0, count); }
  // Rows [begin, end) of a batch only; the others keep `untouched`.
  Outcome rows(int operation, const Arguments& x, long count, long begin, long end) const {
    return run(operation, x, count, begin, end);
  }

  static constexpr double untouched = -12345.0;

 private:
  Outcome run(int operation, const Arguments& x, long count, long begin, long end) const {
    const tarsus::Operation& o = *table_.operation(operation);
    Outcome result;
    tarsus::Call call{};
    if (o.constraints) {
      call.constraints = x.constraints ? x.constraints : &unconstrained_.table;
      call.drive = call.constraints->drives > 0 ? x.drive.data() : nullptr;
      call.alpha = x.alpha, call.beta = x.beta, call.rank_tolerance = 1e-9;
    }
    if (o.volumes) call.volumes = x.volumes ? x.volumes : &unoccupied_.table;
    call.operation = &o, call.model = &model_.tables, call.plan = plan_, call.workspace = workspace_;
    call.q = x.q.data(), call.v = o.v != Length::kNone ? x.v.data() : nullptr;
    call.a = o.a != Length::kNone ? x.a.data() : nullptr;
    call.external = o.external && x.with_external ? x.external.data() : nullptr;
    call.frames = model_.tables.frame + x.frame, call.frame_count = x.frame_count;
    call.rows = count < 0 ? 1 : count;
    const tarsus::ResultLayout layout = tarsus::result_layout(o, tarsus::extent_of(call), model_.tables.nv);
    Numbers out(layout.size * call.rows, untouched);
    call.out = out.data();
    call.expressed_in = x.expressed_in, call.passive = x.passive;
    call.begin = begin, call.end = end;
    if (count < 0) {
      table_.run_single(call);
    } else {
      table_.run_rows(call);
    }
    for (long row = 0; row < call.rows; ++row) {  // all results of one row after the other
      for (int k = 0; k < layout.outputs; ++k) {
        const size_t size = tarsus::size_of_output(layout, k);
        const auto from = out.begin() + call.rows * layout.offset[k] + row * size;
        result.out.insert(result.out.end(), from, from + size);
      }
    }
    result.status = call.status, result.argument = call.argument, result.row = call.row, result.index = call.index;
    return result;
  }

  const tarsus::KernelTable& table_;
  const tarsus::OwnedModel& model_;
  tarsus::OwnedConstraints unconstrained_;
  tarsus::OwnedVolumes unoccupied_;
  void *plan_, *workspace_;
};

inline std::vector<const tarsus::KernelTable*> usable_tables() {
  std::vector<const tarsus::KernelTable*> usable;
  for (const tarsus::KernelTable* table : tarsus::compiled_tables()) {
    if (tarsus::runs_here(*table)) usable.push_back(table);
  }
  return usable;
}

inline std::unique_ptr<tarsus::OwnedModel> build(const Tree& t) {
  auto model = std::make_unique<tarsus::OwnedModel>();
  const std::string message = model->build(t.arrays());
  check(message.empty(), t.name + " does not build: " + message);
  return model;
}

// A state with everything that any operation may want.
inline Arguments random_arguments(const Tree& t, Random& r) {
  Arguments x;
  x.q = t.random_q(r);
  x.v = r.numbers(t.nv, 2), x.a = r.numbers(t.nv, 5), x.external = r.numbers(6 * t.bodies(), 10);
  return x;
}

}  // namespace tests
