// All kernels for one instruction set; compiled once for each, with TARSUS_ISA as its name.
#include <cstdlib>

#include "dispatch/evaluate.hpp"
#include "dispatch/rows.hpp"
#include "dispatch/simulate.hpp"
#include "kernels/limbs.hpp"

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

constexpr int kArguments = 5;
struct Argument {
  const double* data;
  size_t size;
};
struct Arguments {
  Argument of[kArguments];  // q, v, a, external, drive
};
Arguments arguments_of(const Call& call) {
  const Model& m = *call.model;
  const OperationInfo info = kOperationInfo[call.operation];
  const size_t nv = m.nv, nq = m.nq;
  return {{{call.q, nq},
           {info.v ? call.v : nullptr, nv},
           {info.a ? call.a : nullptr, size_of_a(info, m)},
           {call.external, (size_t)6 * m.bodies},
           {call.drive, call.constraints ? (size_t)call.constraints->drives : 0}}};
}

// Names the first thing wrong with a row whose numbers are not finite or whose quaternions are not of unit norm.
int diagnose(Call& call, const Arguments& args, long row) {
  const Model& m = *call.model;
  for (int k = 0; k < kArguments; ++k) {
    if (!args.of[k].data) continue;
    const double* x = args.of[k].data + row * args.of[k].size;
    const int bad = first_bad(x, args.of[k].size);
    if (bad >= 0) return refuse(call, kNonFinite, k, row, bad);
    if (k == 0 || (k == 2 && call.operation == kDifference)) {
      for (int i = 0; i < m.quaternions; ++i) {
        const double* q = x + m.quaternion[i];
        const double norm = __builtin_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        const bool fits = call.operation == kNormalize ? norm > kSmallestNorm : __builtin_fabs(norm - 1.0) <= kNormTolerance;
        if (!fits) return refuse(call, kQuaternionNorm, k, row, m.quaternion[i]);
      }
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

// Results that are checked on the way out: accelerations may divide by nothing, and huge velocities overflow.
bool checks_result(const Call& call) { return kOperationInfo[call.operation].v || is_solve(call.operation); }

// The joint that moves no inertia, found by eliminating joints one by one; -1 where the numbers merely overflowed.
int massless_node(const Call& call, Memory& memory, const double* q) {
  const Model& m = *call.model;
  Workspace<double>& ws = memory.single;
  if (!lay_out(ws, memory.single_block, m)) return -1;
  if (m.coupled) close_coordinates(m, ws, q, static_cast<const double*>(nullptr), false);
  const double* tree_q = m.coupled ? ws.tree_q : q;
  zero_fill(ws.force, m.tree_nv);
  solve_mass(m, ws, tree_q, static_cast<const double*>(ws.force), ws.force2);
  for (int i = m.nodes - 1; i >= 0; --i) {
    bool overflowed = false;
    for (int k = 0; k < m.node[i].dof; ++k) {  // of several axes, the first without inertia spoils the others
      const double inverse = ws.eliminated[m.node[i].v + k].inverse;
      if (inverse > 1e300 || inverse <= 0.0) return i;
      overflowed |= inverse != inverse;
    }
    if (overflowed) return -1;
  }
  return -1;
}

// The joint to be named when a result is not finite: one without inertia, -1 where the numbers merely overflowed.
int culprit(const Call& call, Memory& memory, const double* q) {
  if (divides_by_mass(call.operation)) return massless_node(call, memory, q);
  if (call.operation != kFloatingInverseDynamics || !lay_out(memory.single, memory.single_block, *call.model)) return -1;
  return base_is_massless(*call.model, memory.single, q) ? 0 : -1;
}

// Whether a loop could not be closed, or solved for its dependent joints, or a constraint has no direction, in one of the rows.
template <class T>
bool loop_failed(Call& call, const Workspace<T>& ws, long row, int rows) {
  if (ws.failed_closure < 0 && ws.failed_pair < 0) return false;
  for (int l = 0; l < rows; ++l) {
    if (ws.failed_closure >= 0 && ws.failed_lanes >> l & 1) {
      refuse(call, ws.failed_singular ? kLoopSingular : kLoopOpen, 0, row + l, ws.failed_closure);
      return true;
    }
    if (ws.failed_pair >= 0 && ws.failed_pair_lanes >> l & 1) {
      refuse(call, kPairSingular, 0, row + l, ws.failed_pair);
      return true;
    }
  }
  return false;
}

// One state by the general way, row `row` of the arguments; false where it failed.
bool run_state(Call& call, const Arguments& args, Memory& memory, long row, size_t result) {
  const Model& m = *call.model;
  if (!lay_out(memory.single, memory.single_block, m) || !grow(memory.scratch, memory.scratch_size, scratch_size<double>(call))) {
    call.status = kOutOfMemory;
    return false;
  }
  auto at = [&](int k) { return args.of[k].data ? args.of[k].data + row * args.of[k].size : nullptr; };
  evaluate<double>(call, memory.single, at(0), at(1), at(2), at(3), at(4), call.out + row * result, memory.scratch, false);
  return !loop_failed(call, memory.single, row, 1);
}

bool runs_by_limbs(int operation, const Model& m) {
  if (m.driven) return operation == kArticulatedBody;
  return operation == kInverseDynamics || operation == kArticulatedBody || operation == kMassMatrix || operation == kJointScrews;
}

void run_single(Call& call) {
  const Model& m = *call.model;
  Memory& memory = *static_cast<Memory*>(call.workspace);
  const Arguments args = arguments_of(call);
  Pack bad = broadcast<Pack>(0.0);
  for (const Argument& a : args.of) {
    if (a.data) bad = bad + poison_of_array(a.data, a.size, kArgumentScale);
  }
  const bool fine = is_clean(bad) && quaternions_fit(m, call.q) && (call.operation != kDifference || quaternions_fit(m, call.a));
  if (!fine && diagnose(call, args, 0) != kOk) return;
  const LimbPlan* plan = static_cast<const LimbPlan*>(call.plan);
  if (plan && !call.external && !call.passive && runs_by_limbs(call.operation, m)) {
    if (!memory.limb_block && !memory.limb.lay_out(m, *plan, memory.limb_block = aligned_bytes(LimbSpace::bytes(m, *plan)))) {
      call.status = kOutOfMemory;
      return;
    }
    if (call.operation == kInverseDynamics) {
      limb_inverse_dynamics(m, *plan, memory.limb, call.q, call.v, call.a, call.out);
    } else if (m.driven) {
      limb_forward_dynamics<true>(*m.driven, *plan, memory.limb, call.q, call.v, call.a, call.out);
    } else if (call.operation == kArticulatedBody) {
      limb_forward_dynamics(m, *plan, memory.limb, call.q, call.v, call.a, call.out);
    } else if (call.operation == kJointScrews) {
      limb_joint_screws(m, *plan, memory.limb, call.q, call.out);
    } else {
      zero_fill(call.out, (size_t)m.nv * m.nv);
      limb_mass_matrix(m, *plan, memory.limb, call.q, call.out);
    }
  } else {
    if (!run_state(call, args, memory, 0, 0)) return;
  }
  if (checks_result(call) && !is_clean(poison_of_array(call.out, result_size(call), kResultScale))) {
    refuse(call, kSingular, 0, 0, culprit(call, memory, call.q));
  }
}

void run_rows(Call& call) {
  const Model& m = *call.model;
  Memory& memory = *static_cast<Memory*>(call.workspace);
  const Arguments args = arguments_of(call);
  const size_t result = result_size(call);
  size_t needed = result + scratch_size<Pack>(call), offset[kArguments + 2] = {};
  for (int k = 0; k < kArguments; ++k) offset[k + 1] = offset[k] + (args.of[k].data ? args.of[k].size : 0);
  offset[kArguments + 1] = offset[kArguments] + result;
  needed += offset[kArguments];
  if (!lay_out(memory.pack, memory.pack_block, m) || !grow(memory.rows, memory.rows_size, needed)) {
    call.status = kOutOfMemory;
    return;
  }
  Pack* in[kArguments];
  for (int k = 0; k < kArguments; ++k) in[k] = args.of[k].data ? memory.rows + offset[k] : nullptr;
  Pack *out = memory.rows + offset[kArguments], *scratch = memory.rows + offset[kArguments + 1];
  if (has_gaps(call.operation)) zero_fill(out, result);
  for (long row = call.begin; row < call.end; row += kLanes) {
    const int rows = call.end - row < kLanes ? static_cast<int>(call.end - row) : kLanes;
    Pack bad = broadcast<Pack>(0.0);
    for (int k = 0; k < kArguments; ++k) {
      if (in[k]) bad = bad + load_rows(args.of[k].data + row * args.of[k].size, args.of[k].size, rows, in[k]);
    }
    bool fine = quaternions_fit(m, in[0]) && (call.operation != kDifference || quaternions_fit(m, in[2]));
    for (int l = 0; l < kLanes; ++l) fine = fine && bad[l] == 0.0;
    for (int l = 0; !fine && l < rows; ++l) {
      if (diagnose(call, args, row + l) != kOk) return;
    }
    evaluate<Pack>(call, memory.pack, in[0], in[1], in[2], in[3], in[4], out, scratch, true);
    if (loop_failed(call, memory.pack, row, rows)) return;
    if (memory.pack.diverged) {
      for (int l = 0; l < rows; ++l) {
        if (!run_state(call, args, memory, row + l, result)) return;
      }
    } else {
      store_rows(call.out + row * result, result, rows, out);
    }
    if (!checks_result(call)) continue;
    const Pack check = memory.pack.diverged ? broadcast<Pack>(0.0) : poison_of(out, result, kResultScale);
    for (int l = 0; l < rows; ++l) {
      if (check[l] == 0.0 &&
          (!memory.pack.diverged || is_clean(poison_of_array(call.out + (row + l) * result, result, kResultScale)))) {
        continue;
      }
      refuse(call, kSingular, 0, row + l, culprit(call, memory, call.q + (row + l) * m.nq));
      return;
    }
  }
}

}  // namespace

#define TARSUS_TEXT2(x) #x
#define TARSUS_TEXT(x) TARSUS_TEXT2(x)
extern const KernelTable kernel_table;
const KernelTable kernel_table = {TARSUS_TEXT(TARSUS_ISA), kLanes,     make_plan, free_plan,        make_workspace,
                                  free_workspace,          run_single, run_rows,  &simulation_table};

}  // namespace tarsus::TARSUS_ISA
