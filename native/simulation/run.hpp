// One stretch of simulation, over a range of robots, as the bindings hand it to an instruction set: plain data.
#pragma once
#include "contact/world.hpp"
#include "model/model.hpp"

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
  kExternal,          // done by external wrenches
  kImpact,            // lost in impacts
  kInitial,           // kinetic, potential and stored energy at the start
  kEnergyParts
};
constexpr int kWorks = kEnergyParts - kGroundBalance;
constexpr const char* kEnergyPartNames[] = {"kinetic",        "potential",         "ground_stored", "joint_stored",
                                            "ground_balance", "ground_dissipated", "joint_balance", "joint_dissipated",
                                            "actuator",       "external",          "impact",        "initial"};
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
  kRunPaused,
  kRunBelowGround,
  kRunStatuses
};
constexpr const char* kRunStatusNames[] = {"ok",        "non-finite",    "step-too-small", "out-of-memory",
                                           "loop-open", "loop-singular", "loop-jumped",    "interrupted",
                                           "unsolved",  "paused",        "below-ground"};

// Joint torques tau + kp (q_ref - q) + kd (v_ref - v), limited, with references given at equidistant knots. Where `stride`
// is not 0 every robot has references of its own.
struct JointLaw {
  const double *kp, *kd, *limit;  // nv
  int gravity;                    // compensate gravity, too,
  const int* actuated;            // in these of the nv degrees of freedom
  int knots;
  double first, spacing;  // of the knots [s]
  const double *q, *v, *tau;
  long q_stride, v_stride, tau_stride;
  // Stops at the limits of joints of the tree; stop_q is the coordinate, -1 for none; null without stops.
  const int* stop_q;
  const double *lower, *upper, *stop_stiffness, *stop_damping;  // tree_nv
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
  int integrator;             // number in simulation/integrators/table.hpp
  double dt;                  // step of fixed-step integrators [s]
  long first_step, steps;     // times are (first_step + k) dt
  double start, end;          // of adaptive integrators [s]
  double relative, absolute;  // tolerances of adaptive integrators
  long every;                 // steps between samples
  // State, changed in place:
  double *q, *v;           // nq, nv
  double* displacement;    // 3 a contact, world [m]: see contact/contact_state.hpp
  double* contact_force;   // 3 a contact, world [N]: of the last step, for solved impulses to start from
  double* work;            // kWorks
  double* step_size;       // 1: last step of adaptive integrators [s]
  const double* external;  // 6 nb, world axes, or null
  // Results, (samples, robots, ...); each may be null:
  long samples;
  int sample_start;                  // StartSample: record the state as it is, and take no steps
  double *out_q, *out_v, *out_tau;   // nq, nv, nv
  double *out_position, *out_force;  // 3 a contact, world [m, N]
  double* out_displacement;          // 3 a contact
  double* out_energy;                // kEnergyParts
  double* out_rate;  // (robots, nq + nv + 3 contacts + kWorks): where given, rates of the state at `start`, and no steps
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
  long begin, end_row;  // to run
  // Asked on the way, in every thread, whether to give up at once; null for never. The state is of no use then.
  bool (*interrupted)(void* caller);
  void* caller;
  // What went wrong, where:
  int status;      // RunStatus
  long row;        // robot
  double time;     // reached before [s]
  int closure;     // loop that is open or singular
  long unsettled;  // steps of robots in which solved impulses did not settle
};

static inline bool is_interrupted(const Run& run) { return run.interrupted && run.interrupted(run.caller); }

// What an instruction set offers for simulations.
struct SimulationTable {
  void (*run)(Run& run, bool single);
  void (*run_rigid)(Run& run);  // rigid contact by events
  // Forces (rows x 3) of a law on points without displacement, from their depths and velocities (rows x 3) in axes whose third
  // is the normal.
  void (*contact_force)(int law, const double* parameter, long rows, const double* depth, const double* velocity, double* force);
  int laws;
  const LawRow* law;
  int integrators;
  const IntegratorRow* integrator;
};

}  // namespace tarsus
