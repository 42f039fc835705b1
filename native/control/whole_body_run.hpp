// One step of whole-body control of a batch of robots, as plain data: what the bindings hand to the code of one instruction set.
// The equations are those of src/tarsus/control/whole_body/ (terms.py, reduced.py, program.py), which is also what tests compare
// with:
//   minimise   sum of weight^2 |J vdot - a|^2 + acceleration_weight^2 |vdot|^2 + force_weight^2 |y / unit|^2
//   subject to M vdot + h = tau + F y,  C vdot = c,  cones of y,  |tau| <= tau_max,  limits of joints
// Where limits of joints leave no room, they are missed by s at the cost 1/2 yield s^2 each.
#pragma once
#include "model/model.hpp"
#include "model/tasks.hpp"

namespace tarsus {

// How a step ended. Only the first two are answers; of the others the caller asks the slow way, which finds one or tells why not.
// Of the last two, arguments are bad.
enum BodyStatus {
  kBodySolved,
  kBodyLimitsMissed,    // everything else holds
  kBodyInfeasible,      // rows contradict each other
  kBodyIterationLimit,  // of the active set
  kBodyInaccurate,      // what was found does not hold
  kBodyContradictory,   // contacts cannot stay together
  kBodyDoubtful,        // which of their rows depend on others is a matter of rounding
  kBodyLoopOpen,
  kBodyNotFinite,
  kBodyBadNorm
};
constexpr const char* kBodyStatusNames[] = {"solved",        "limits-missed", "infeasible", "iteration-limit", "inaccurate",
                                            "contradictory", "doubtful",      "loop open",  "not finite",      "bad norm"};
constexpr int kBodyStatuses = kBodyBadNorm + 1;

// A contact; C are its axes, on the frame F. Forces are one wrench in axes of C (of the rows that it keeps), or one at each
// point.
struct BodyContact {
  FrameTable frame;
  double rotation[9], position[3];  // columns of R_FC, p_FC
  double friction;                  // coefficient of Coulomb friction
  int freedoms;                     // rotations that are left free: 3 of a point, 1 of an edge, 0 of a patch
  int row, rows;                    // of all contact rows
  int force, forces;                // of all force variables
  int points;                       // forces at points: their number, 0 for a wrench
  const double* arm;                // points x 3: seen from C
  int cones;                        // rows of its cone
  const double* cone;               // cones x forces
  int slot;                         // wrench of the results that it adds to
};

// Numbers of a contact that may change from call to call.
enum ContactNumber { kContactGain, kContactLeast, kContactMost, kContactPosed, kContactRotation, kContactPlace = 13 };
constexpr int kContactNumbers = 16;  // gain, min_force, max_force, whether a pose is given; columns of R_WC and p_WC of it

// Limits of joints as rows of accelerations: the law of src/tarsus/ik/acceleration/limits.py.
struct BodyLimits {
  bool any;
  double gain;                  // [1/s]
  int flats;                    // independent coordinates that are plain numbers and have limits of position:
  const int *flat_q, *flat_v;   // their places,
  const double *q_min, *q_max;  // and limits, infinite where there are none
  const double *v_max, *a_max;  // nv, infinite where there are none
};

// What all robots of a batch share.
struct BodyProblem {
  const Model* model;
  const TaskTable* tasks;  // with weights of 1; null where there are none
  int contacts, contact_rows, forces, cone_rows, slots;
  const BodyContact* contact;
  bool wrenches;          // all contacts have wrenches: force variables are those of the contact rows
  const int* driven;      // nv: 1 where a drive is
  const double* tau_max;  // nv, infinite where there is no limit
  double acceleration_weight, force_weight;
  BodyLimits limits;
  int extra;  // rows of the caller, at most
};

struct BodyRun {
  const BodyProblem* problem;
  // Arrays of the batch, one row a robot; those of stride 0 serve all.
  const double *q, *v;                    // nq, nv
  const double* target;                   // numbers of the tasks' targets
  const double *velocity, *acceleration;  // rows of the tasks: of the targets
  const double *gain, *weight;            // rows of the tasks
  const double* contact;                  // contacts x kContactNumbers
  size_t target_stride, rate_stride;      // of the target, of velocity and acceleration
  signed char* side;                      // body_sides: bounds that the last step ended at, zero at first; null to begin without
  int extra;                              // rows of the caller, which yield as limits of joints do: lower <= A vdot
  const double *extra_A, *extra_low;
  // Results.
  double* out;  // body_results: vdot, tau, wrenches (slots x 6), what each task row misses, the unit of forces
  int *status, *iterations;
  long begin, end;  // of this part
};

// Robots of a batch that follow each other: each begins with the active rows of the one before. Parts of a batch begin at
// multiples.
constexpr long kBodyChain = 32;

// Functions of one instruction set; memory is `bytes` long and aligned to 64 bytes.
struct BodyTable {
  size_t (*bytes)(const BodyProblem&, bool batch);
  void (*prepare)(const BodyProblem&, bool batch, void* memory);  // once
  void (*run)(const BodyRun&, void* memory);                      // one by one
  void (*run_batch)(const BodyRun&, void* memory);                // terms of several robots at once
};

static inline int task_rows_of(const BodyProblem& p) { return p.tasks ? p.tasks->rows : 0; }
static inline size_t body_results(const BodyProblem& p) {
  return 2 * (size_t)p.model->nv + 6 * (size_t)p.slots + task_rows_of(p) + 1;
}
// Rows of the program, at most: cones, normal forces, torques; limits of joints where they are hard and beside bounds of
// variables,
static inline int hard_rows(const BodyProblem& p) {
  return p.cone_rows + p.contacts + p.model->nv + (p.limits.any ? p.contact_rows + p.model->nv + p.extra : 0);
}
// and where they yield: one of an acceleration, two where its limits cross.
static inline int yielding_rows(const BodyProblem& p) { return p.limits.any ? 2 * p.model->nv + p.extra : 0; }
static inline int body_rows(const BodyProblem& p) {
  const int soft = p.cone_rows + p.contacts + p.model->nv + yielding_rows(p), hard = hard_rows(p);
  return soft > hard ? soft : hard;
}
// Bounds of one program, and entries of BodyRun::side: of the program with hard limits, then of the one where they yield.
static inline int program_sides(const BodyProblem& p) { return body_rows(p) + p.model->nv + p.forces; }
static inline int body_sides(const BodyProblem& p) { return 2 * program_sides(p); }

}  // namespace tarsus
