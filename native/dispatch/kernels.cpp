// The table of one instruction set, and how it runs an operation; compiled once for each, with TARSUS_ISA as its name.
#include <cstdlib>

#include "dispatch/collision.hpp"
#include "dispatch/evaluate.hpp"
#include "dispatch/inverse_kinematics.hpp"
#include "dispatch/optimization.hpp"
#include "dispatch/predictive.hpp"
#include "dispatch/rows.hpp"
#include "dispatch/simulate.hpp"
#include "dispatch/trees.hpp"
#include "dispatch/velocity_step.hpp"
#include "dispatch/whole_body.hpp"
#include "kernels/limbs/limb_articulated_body.hpp"
#include "kernels/limbs/limb_inverse_dynamics.hpp"
#include "kernels/limbs/limb_joint_screws.hpp"
#include "kernels/limbs/limb_mass_matrix.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

constexpr double kNormTolerance = 1e-3;  // of quaternions; more is a mistake, not rounding
constexpr double kSmallestNorm = 1e-6;   // that `normalize` can tell from no rotation at all

void* aligned_bytes(size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }

// Memory of one caller: workspaces for one state and for packs, and buffers that grow to what operations need.
struct Memory {
  Workspace<double> single;
  Workspace<Pack> pack;
  LimbSpace limb;
  void *single_block, *pack_block, *limb_block;
  Pack* rows;  // q, v, a, external, result, scratch of one pack of states
  size_t rows_size;
  double* scratch;
  size_t scratch_size;
};

template <class T>
bool grow(T*& buffer, size_t& size, size_t needed) {
  if (needed <= size) return true;
  T* fresh = static_cast<T*>(aligned_bytes(needed * sizeof(T)));
  if (!fresh) return false;
  std::free(buffer);
  buffer = fresh;
  size = needed;
  return true;
}

template <class T>
bool lay_out(Workspace<T>& ws, void*& block, const Model& m) {
  if (block) return true;
  block = aligned_bytes(Workspace<T>::layout(ws, m, nullptr));
  if (!block) return false;
  Workspace<T>::layout(ws, m, static_cast<char*>(block));
  Workspace<T>::fill_constants(ws, m);
  return true;
}

void* make_workspace(const Model&) { return std::calloc(1, sizeof(Memory)); }

void free_workspace(void* p) {
  Memory* memory = static_cast<Memory*>(p);
  void* const blocks[] = {memory->single_block, memory->pack_block, memory->limb_block, memory->rows, memory->scratch, memory};
  for (void* block : blocks) std::free(block);
}

void* make_plan(const Model& m) { return make_limb_plan(m.driven ? *m.driven : m); }
void free_plan(void* plan) { std::free(plan); }

int refuse(Call& call, int status, int argument, long row, int index) {
  call.status = status, call.argument = argument, call.row = row, call.index = index;
  return status;
}

int first_bad(const double* x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (!(__builtin_fabs(x[i]) <= kLargest)) return static_cast<int>(i);
  }
  return -1;
}

constexpr int kArguments = 5;  // q, v, a, external, drive
template <class T>
Given<T> given_by(const T* const (&data)[kArguments]) {
  return {data[0], data[1], data[2], data[3], data[4]};
}

// Where the arguments of a call are, and how long each is; null for those that it does not have.
struct Arguments {
  const double* data[kArguments];
  size_t size[kArguments];
};
Arguments arguments_of(const Call& call) {
  const Model& m = *call.model;
  const Operation& o = *call.operation;
  return {{call.q, o.v == Length::kNone ? nullptr : call.v, o.a == Length::kNone ? nullptr : call.a, call.external, call.drive},
          {(size_t)m.nq, (size_t)m.nv, size_of_a(o, m), (size_t)6 * m.bodies, size_of_drive(call)}};
}

// Whether argument k is a configuration.
bool has_quaternions(const Operation& o, int k) { return k == 0 || (k == 2 && o.a == Length::kNq); }

// Names the first thing wrong with a row whose numbers are not finite or whose quaternions are not of unit norm.
int diagnose(Call& call, const Arguments& args, long row) {
  const Model& m = *call.model;
  for (int k = 0; k < kArguments; ++k) {
    if (!args.data[k]) continue;
    const double* x = args.data[k] + row * args.size[k];
    const int bad = first_bad(x, args.size[k]);
    if (bad >= 0) return refuse(call, kNonFinite, k, row, bad);
    for (int i = 0; i < m.quaternions && has_quaternions(*call.operation, k); ++i) {
      const double* q = x + m.quaternion[i];
      const double norm = __builtin_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      const bool fits = call.operation->any_norm ? norm > kSmallestNorm : __builtin_fabs(norm - 1.0) <= kNormTolerance;
      if (!fits) return refuse(call, kQuaternionNorm, k, row, m.quaternion[i]);
    }
  }
  return kOk;
}

template <class T>
bool quaternions_fit(const Model& m, const T* q) {
  const double low = (1 - kNormTolerance) * (1 - kNormTolerance), high = (1 + kNormTolerance) * (1 + kNormTolerance);
  for (int i = 0; i < m.quaternions; ++i) {
    const T* x = q + m.quaternion[i];
    const T n = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
    for (int l = 0; l < lanes<T>; ++l) {
      if (!(lane(n, l) >= low && lane(n, l) <= high)) return false;  // a second look is taken by `diagnose`
    }
  }
  return true;
}

template <class T>
bool configurations_fit(const Call& call, const Given<T>& given) {
  return quaternions_fit(*call.model, given.q) && (call.operation->a != Length::kNq || quaternions_fit(*call.model, given.a));
}

// The joint to be named when a result is not finite: one without inertia, -1 where the numbers merely overflowed.
int culprit(const Call& call, Memory& memory, const double* q) {
  const Row& row = row_of(*call.operation);
  if (!(row.culprit || row.operation.force_given) || !lay_out(memory.single, memory.single_block, *call.model)) return -1;
  return row.culprit ? row.culprit(*call.model, memory.single, q) : massless_node(*call.model, memory.single, q);
}

// Whether a loop could not be closed, or solved for its dependent joints, or a constraint has no direction, in one of the rows.
template <class T>
bool loop_failed(Call& call, const Workspace<T>& ws, long row, int rows) {
  if (ws.failed_closure < 0 && ws.failed_pair < 0) return false;
  for (int l = 0; l < rows; ++l) {
    if (ws.failed_closure >= 0 && ws.failed_lanes >> l & 1) {
      refuse(call, ws.failed_how == kNotClosed ? kLoopOpen : kLoopSingular, 0, row + l, ws.failed_closure);
      return true;
    }
    if (ws.failed_pair >= 0 && ws.failed_pair_lanes >> l & 1) {
      refuse(call, kPairSingular, 0, row + l, ws.failed_pair);
      return true;
    }
  }
  return false;
}

// One state by the general way, row `row` of the arguments, its results one after the other; false where it failed.
bool run_state(Call& call, const Arguments& args, Memory& memory, const ResultLayout& layout, long row, double* out) {
  if (!lay_out(memory.single, memory.single_block, *call.model)) return refuse(call, kOutOfMemory, 0, row, 0), false;
  const double* at[kArguments];
  for (int k = 0; k < kArguments; ++k) at[k] = args.data[k] ? args.data[k] + row * args.size[k] : nullptr;
  evaluate<double>(call, layout, memory.single, given_by(at), out, memory.scratch, false);
  return !loop_failed(call, memory.single, row, 1);
}

// Where the next result of a row is; `k` counts its results.
double* place_of(const Call& call, const ResultLayout& layout, int k, long row) {
  return call.out + call.rows * layout.offset[k] + row * size_of_output(layout, k);
}

// One state with limbs as lanes, where its row has such a kernel for the model and nothing else is asked; false otherwise.
bool run_by_limbs(Call& call, Memory& memory) {
  const Model& m = *call.model;
  const Row& row = row_of(*call.operation);
  const LimbPlan* plan = static_cast<const LimbPlan*>(call.plan);
  const LimbKernel kernel = m.driven ? row.driven_limbs : row.limbs;
  if (!plan || !kernel || call.external || call.passive) return false;
  if (!memory.limb_block && !memory.limb.lay_out(m, *plan, memory.limb_block = aligned_bytes(LimbSpace::bytes(m, *plan)))) {
    call.status = kOutOfMemory;
    return true;
  }
  kernel(call, *plan, memory.limb);
  return true;
}

void run_single(Call& call) {
  Memory& memory = *static_cast<Memory*>(call.workspace);
  const Arguments args = arguments_of(call);
  Pack bad = broadcast<Pack>(0.0);
  for (int k = 0; k < kArguments; ++k) {
    if (args.data[k]) bad = bad + poison_of_array(args.data[k], args.size[k], kArgumentScale);
  }
  const bool fine = is_clean(bad) && configurations_fit(call, given_by(args.data));
  if (!fine && diagnose(call, args, 0) != kOk) return;
  const ResultLayout layout = result_layout(*call.operation, extent_of(call), call.model->nv);
  if (!run_by_limbs(call, memory)) {
    if (!grow(memory.scratch, memory.scratch_size, scratch_size(call))) return (void)refuse(call, kOutOfMemory, 0, 0, 0);
    if (!run_state(call, args, memory, layout, 0, call.out)) return;
  }
  if (call.status == kOk && checks_result(*call.operation) && !is_clean(poison_of_array(call.out, layout.size, kResultScale))) {
    refuse(call, kSingular, 0, 0, culprit(call, memory, call.q));
  }
}

// Memory of one pack of states: arguments, results, scratch.
struct PackSpace {
  Pack* in[kArguments];
  Pack *out, *scratch;
};
bool lay_out_pack(const Call& call, const Arguments& args, const ResultLayout& layout, Memory& memory, PackSpace& s) {
  size_t used = 0, begin[kArguments];
  for (int k = 0; k < kArguments; ++k) begin[k] = used, used += args.data[k] ? args.size[k] : 0;
  if (!lay_out(memory.pack, memory.pack_block, *call.model)) return false;
  if (!grow(memory.rows, memory.rows_size, used + layout.size + scratch_size(call))) return false;
  for (int k = 0; k < kArguments; ++k) s.in[k] = args.data[k] ? memory.rows + begin[k] : nullptr;
  s.out = memory.rows + used, s.scratch = s.out + layout.size;
  return true;
}

// Arguments of rows [row, row + rows) into packs; false where one of them is refused.
bool load_arguments(Call& call, const Arguments& args, const PackSpace& s, long row, int rows) {
  Pack bad = broadcast<Pack>(0.0);
  for (int k = 0; k < kArguments; ++k) {
    if (s.in[k]) bad = bad + load_rows(args.data[k] + row * args.size[k], args.size[k], rows, s.in[k]);
  }
  const Pack* const in[kArguments] = {s.in[0], s.in[1], s.in[2], s.in[3], s.in[4]};
  bool fine = configurations_fit(call, given_by(in));
  for (int l = 0; l < kLanes; ++l) fine = fine && bad[l] == 0.0;
  for (int l = 0; !fine && l < rows; ++l) {
    if (diagnose(call, args, row + l) != kOk) return false;
  }
  return true;
}

// Results of a pack to their rows; false where one of them is refused.
bool store_results(Call& call, Memory& memory, const ResultLayout& layout, const Pack* out, long row, int rows) {
  for (int k = 0; k < layout.outputs; ++k) {
    store_rows(place_of(call, layout, k, row), size_of_output(layout, k), rows, out + layout.offset[k]);
  }
  if (!checks_result(*call.operation)) return true;
  const Pack check = poison_of(out, layout.size, kResultScale);
  for (int l = 0; l < rows; ++l) {
    if (check[l] == 0.0) continue;
    refuse(call, kSingular, 0, row + l, culprit(call, memory, call.q + (row + l) * call.model->nq));
    return false;
  }
  return true;
}

// Rows of a pack whose lanes need different ways, one by one; false where one of them is refused.
bool run_apart(Call& call, const Arguments& args, Memory& memory, const ResultLayout& layout, long row, int rows) {
  const size_t scratch = scratch_size(call);
  if (!grow(memory.scratch, memory.scratch_size, scratch + layout.size)) return refuse(call, kOutOfMemory, 0, row, 0), false;
  double* result = memory.scratch + scratch;
  for (long r = row; r < row + rows; ++r) {
    if (!run_state(call, args, memory, layout, r, result)) return false;
    for (int k = 0; k < layout.outputs; ++k) {
      std::memcpy(place_of(call, layout, k, r), result + layout.offset[k], size_of_output(layout, k) * sizeof(double));
    }
    if (!checks_result(*call.operation) || is_clean(poison_of_array(result, layout.size, kResultScale))) continue;
    refuse(call, kSingular, 0, r, culprit(call, memory, call.q + r * call.model->nq));
    return false;
  }
  return true;
}

void run_rows(Call& call) {
  Memory& memory = *static_cast<Memory*>(call.workspace);
  const Arguments args = arguments_of(call);
  const ResultLayout layout = result_layout(*call.operation, extent_of(call), call.model->nv);
  PackSpace s;
  if (!lay_out_pack(call, args, layout, memory, s)) {
    call.status = kOutOfMemory;
    return;
  }
  zero_gaps(*call.operation, layout, s.out);
  const Pack* const in[kArguments] = {s.in[0], s.in[1], s.in[2], s.in[3], s.in[4]};
  for (long row = call.begin; row < call.end; row += kLanes) {
    const int rows = call.end - row < kLanes ? static_cast<int>(call.end - row) : kLanes;
    if (!load_arguments(call, args, s, row, rows)) return;
    evaluate<Pack>(call, layout, memory.pack, given_by(in), s.out, s.scratch, true);
    if (loop_failed(call, memory.pack, row, rows)) return;
    const bool stored = memory.pack.diverged ? run_apart(call, args, memory, layout, row, rows)
                                             : store_results(call, memory, layout, s.out, row, rows);
    if (!stored) return;
  }
}

// The rows of all units, one after the other.
const Operation* operation_at(int index) {
  const Rows units[] = {tree_rows(),       formulation_rows(), derivative_rows(), collision_rows(), constrained_derivative_rows(),
                        constrained_rows()};
  for (const Rows& unit : units) {
    if (index < unit.count) return &unit.row[index].operation;
    index -= unit.count;
  }
  return nullptr;
}

}  // namespace

#define TARSUS_TEXT2(x) #x
#define TARSUS_TEXT(x) TARSUS_TEXT2(x)
extern const KernelTable kernel_table;
const KernelTable kernel_table = {.name = TARSUS_TEXT(TARSUS_ISA),
                                  .lanes = kLanes,
                                  .operation = operation_at,
                                  .make_plan = make_plan,
                                  .free_plan = free_plan,
                                  .make_workspace = make_workspace,
                                  .free_workspace = free_workspace,
                                  .run_single = run_single,
                                  .run_rows = run_rows,
                                  .simulation = &simulation_table,
                                  .solve_positions = solve_positions,
                                  .stepping = &step_table,
                                  .whole_body = &body_table,
                                  .optimization = &optimization_table,
                                  .pair_distances = pair_distances,
                                  .solve_predictive = solve_predictive};

}  // namespace tarsus::TARSUS_ISA
