// One stretch of simulation, over a range of robots, as the bindings hand it to an instruction set: plain data.
#pragma once
#include "contact/world.hpp"
#include "model/constraints.hpp"

namespace tarsus {

// A row of the table of integrators (simulation/integrators/table.hpp).
struct IntegratorRow {
  const char* name;
  bool adaptive;
  int stages;  // copies of the state that it keeps
};

// Parts of the energy audit; those from kGroundBalance on are sums over time and belong to the state of a simulation. A balance
// is the work that was done and not stored; dissipation follows it and never falls.
enum EnergyPart {
  kKinetic,
  kPotential,
  kGroundStored,
  kJointStored,
  kGroundBalance,     // work on the ground that its springs did not store
  kGroundDissipated,  // the most of it so far
  kJointBalance,      // work on damping, friction, springs and stops of joints that was not stored
  kJointDissipated,   // the most of it so far
  kActuator,          // done by the joint law
  kExternal,          // done by external wrenches and by moving surfaces
  kImpact,            // lost in impacts
  kInitial,           // kinetic, potential and stored energy at the start
  kConstraint,        // done by motions that constraints are given as functions of time; the last, see flow.py
  kEnergyParts
};
constexpr int kWorks = kEnergyParts - kGroundBalance;
constexpr const char* kEnergyPartNames[] = {
    "kinetic",          "potential", "ground_stored", "joint_stored", "ground_balance", "ground_dissipated", "joint_balance",
    "joint_dissipated", "actuator",  "external",      "impact",       "initial",        "constraint"};
// Place of a part among the sums over time.
static constexpr int work_index(EnergyPart part) { return part - kGroundBalance; }

enum RunStatus {
  kRunOk,
  kRunNonFinite,
  kRunStepTooSmall,
  kRunOutOfMemory,
  kRunLoopOpen,
  kRunLoopSingular,
  kRunLoopJumped,
  kRunInterrupted,
  kRunUnsolved,
  kRunConstraintOpen,
  kRunPaused,
  kRunBelowGround,
  kRunStatuses
};
constexpr const char* kRunStatusNames[] = {"ok",        "non-finite",      "step-too-small", "out-of-memory",
                                           "loop-open", "loop-singular",   "loop-jumped",    "interrupted",
                                           "unsolved",  "constraint-open", "paused",         "below-ground"};

// Joint torques tau + kp (q_ref - q) + kd (v_ref - v), limited, with references given at equidistant knots, gains too or
// constant. Where a stride is not 0 every robot has its own.
struct JointLaw {
  const double *kp, *kd;  // nv a knot
  int gain_knots;         // 1, or as many as of the references
  long gain_stride;
  const double* limit;  // nv
  int gravity;          // compensate gravity, too,
  const int* actuated;  // in these of the nv degrees of freedom
  int knots;
  double first, spacing;  // of the knots [s]
  const double *q, *v, *tau;
  long q_stride, v_stride, tau_stride;
  // Stops at the limits of joints of the tree; stop_q is the coordinate, -1 for none; null without stops.
  const int* stop_q;
  const double *lower, *upper, *stop_stiffness, *stop_damping;  // tree_nv
};

// A spring and damper between points of two nodes, -1 for the world; with `pulls` it has no force where it would push.
struct TwoPointSpring {
  int node[2];
  double position[2][3];  // in node axes, or in the world [m]
  double stiffness, damping, length;
  int pulls;
};

// Motions that constraints are given as functions of time, at equidistant knots [s]: position, rate and acceleration in the order
// of ConstraintTable::drives.
struct GivenMotions {
  int knots;
  double first, spacing;
  const double* number;  // drives a knot
};

// Whether the state at the start is all that is recorded, with the forces that it causes or with those of the step that led to
// it (which are the same where an integrator does not keep them).
enum StartSample { kNoStartSample, kSampleCaused, kSampleActed };
constexpr const char* kStartSampleNames[] = {"none", "caused", "acted"};

// Rigid contact by events (simulation/rigid/): modes of a point, and what happens to it.
enum RigidMode { kOpenPoint, kStickPoint, kSlipPoint };
enum RigidEventKind {
  kImpactEvent,
  kPainleveEvent,
  kTouchDownEvent,
  kLiftOffEvent,
  kSlipEvent,
  kStickEvent,
  kSteppedEvent,  // a time that was gone through in steps with solved impulses
  kRigidEventKinds
};
constexpr const char* kRigidEventKindNames[] = {"impact", "painleve", "touch-down", "lift-off", "slip", "stick", "stepped"};
struct RigidEvent {
  long row;     // robot
  int kind;     // RigidEventKind
  int contact;  // -1 for all
  double time;
  double speed;       // of an impact [m/s]; how long was stepped [s]
  double impulse[3];  // world [N s]
};

// What lasts from event to event, as numbers for each robot: some for all of it, and some for each contact.
enum PhaseEntry {
  kPhaseSettled,
  kPhaseStep,
  kPhaseWindow,
  kPhaseEvents,
  kPhaseUnshared,
  kPhasePause,
  kPhaseStepped,
  kPhaseSteppedUntil,
  kPhaseFineness,
  kPhaseRattle,
  kPhaseRattled,
  kPhaseSlowest,
  kPhaseHeader
};
constexpr int kPhasePoint = 9;  // mode, direction, force, level, backward
static constexpr size_t phase_size(int contacts) { return kPhaseHeader + (size_t)kPhasePoint * contacts; }

// What a stretch of simulation reads (const pointers), changes (the state) and writes (out_..., status). Arrays have one row a
// robot; the bindings fill everything in, run_simulation writes.
struct Run {
  const Model* model;
  const World* world;
  const JointLaw* law;
  const ConstraintTable* constraints;  // kept by multipliers; null for none
  const GivenMotions* given;
  int springs;  // between points; the world tells where all nodes are
  const TwoPointSpring* spring;
  const int* engaged;  // rows of constraints a robot: 1 where a row acts; null where all do
  // What may differ from robot to robot; each may be null:
  const World* const* world_of;  // robots: theirs instead of `world`, with the same features
  const double* bodies;          // robots x nodes x kBodyNumbers: as in Node, from `first` on
  const double* friction;        // robots: in place of that of the surfaces
  int integrator;                // number in simulation/integrators/table.hpp
  bool sets;                     // implicit steps keep sets of contacts between bodies: step/contact_sets.hpp
  double dt;                     // step of fixed-step integrators [s]
  long first_step, steps;        // times are (first_step + k) dt
  double start, end;             // of adaptive integrators [s]
  double relative, absolute;     // tolerances of adaptive integrators
  long every;                    // steps between samples
  // State, changed in place:
  double *q, *v;             // nq, nv
  double* displacement;      // 3 a contact, world [m]: see contact/contact_state.hpp
  double* contact_force;     // 3 a contact, world [N]: of the last step, for solved impulses to start from
  double* work;              // kWorks
  double* step_size;         // 1: last step of adaptive integrators [s]
  double* tau;               // nv: torques of the joint law in the last step; results only
  double* constraint_force;  // rows: multipliers of the constraints in the last step; results only
  const double* external;    // 6 nb, world axes, or null
  const double* off;         // 1 a contact: not 0 where it is switched off; null where all are on
  // Results, (samples, robots, ...); each may be null:
  long samples;
  int sample_start;                  // StartSample: record the state as it is, and take no steps
  double *out_q, *out_v, *out_tau;   // nq, nv, nv
  double *out_position, *out_force;  // 3 a contact, world [m, N]
  double* out_displacement;          // 3 a contact
  double* out_constraint;            // rows of constraints
  double* out_energy;                // kEnergyParts
  double* out_rate;     // (robots, nq + nv + 3 contacts + kWorks): where given, rates of the state at `start`, and no steps
  bool silent;          // take no samples
  int* failed;          // robots: RunStatus of those that failed, which stay as they are; null: the first that fails ends the run
  double* failed_time;  // robots: when [s]
  // Rigid contact by events:
  double* phase;                                        // phase_size: see PhaseEntry
  int take_impacts;                                     // samples before and after impacts, too, of one robot
  int check_start;                                      // refuse a start below the ground
  double *out_time, *out_dof;                           // samples: times, and (samples, robots) degrees of freedom that are left
  long taken, due_taken;                                // samples that were taken, and those among them that were due
  void (*note)(void* log, const RigidEvent& happened);  // null for nothing
  void* log;
  double depth;  // of a start below the ground; its contact is `closure`
  // Which robots:
  long robots;          // in the whole batch
  long begin, end_row;  // to run: rows, or places in `order`
  // Robots at all places, or null: every one is in its row. Those that share a pack wait for each other; what becomes of them
  // does not depend on it. Without samples only.
  const long* order;
  double* likeness;  // robots: numbers near each other where it is good to share a pack; written at the end of a run, or null
  // Asked on the way, in every thread, whether to give up at once; null for never. The state is of no use then.
  bool (*interrupted)(void* caller);
  void* caller;
  // What went wrong, where:
  int status;      // RunStatus
  long row;        // robot
  double time;     // reached before [s]
  int closure;     // loop that is open or singular, or row of a constraint that is open
  long unsettled;  // steps of robots in which solved impulses did not settle
};

static inline long robot_at(const Run& run, long place) { return run.order ? run.order[place] : place; }
static inline const World& world_of(const Run& run, long robot) { return run.world_of ? *run.world_of[robot] : *run.world; }
static inline bool has_failed(const Run& run, long robot) { return run.failed && run.failed[robot] != kRunOk; }
static inline bool is_interrupted(const Run& run) { return run.interrupted && run.interrupted(run.caller); }

// What an instruction set offers for simulations.
struct SimulationTable {
  // Memory of the robots that one thread works on, for runs with the same model, world, law and integrator; null without any.
  void* (*open)(const Run& run, bool single);
  void (*close)(void* memory, int integrator, bool single);
  void (*run)(Run& run, void* memory, bool single);
  // The same for rigid contact by events.
  void* (*open_rigid)(const Run& run);
  void (*close_rigid)(void* memory);
  void (*run_rigid)(Run& run, void* memory);
  // Forces (rows x 3) of a law on points without displacement, from their depths and velocities (rows x 3) in axes whose third
  // is the normal.
  void (*contact_force)(int law, const double* parameter, long rows, const double* depth, const double* velocity, double* force);
  // Distances (rows) of points (rows x 3) to the nearest of all surfaces, and normals out of it (rows x 3).
  void (*distances)(const World& world, long rows, const double* point, double* gap, double* normal);
  // Contacts of a pair of solids of a world, from columns of R_WN and p_WN of their nodes: depth, points of both surfaces,
  // normal, ten numbers a slot; how many slots there are for solids of so many corners.
  void (*touch)(const World& world, int pair, const double* X, const double* Y, double* out);
  int (*slots)(int first_corners, int second_corners);
  int laws;
  const LawRow* law;
  int integrators;
  const IntegratorRow* integrator;
};

}  // namespace tarsus
