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

// Parts of the energy audit; those from kGroundWork on are sums over time and belong to the state of a simulation.
enum EnergyPart {
  kKinetic,
  kPotential,
  kGroundStored,
  kJointStored,
  kGroundWork,  // done on the ground: stored there or dissipated
  kActuator,    // done by the joint law
  kJointWork,   // done on springs, stops, damping and friction of joints: stored there or dissipated
  kExternal,    // done by external wrenches
  kImpact,      // lost in impacts
  kEnergyParts
};
constexpr int kWorks = kEnergyParts - kGroundWork;
constexpr const char* kEnergyPartNames[] = {"kinetic",  "potential",  "ground_stored", "joint_stored", "ground_work",
                                            "actuator", "joint_work", "external",      "impact"};
// Place of a part among the sums over time.
static constexpr int work_index(EnergyPart part) { return part - kGroundWork; }

enum RunStatus { kRunOk, kRunNonFinite, kRunStepTooSmall, kRunOutOfMemory, kRunLoopOpen };
constexpr const char* kRunStatusNames[] = {"ok", "non-finite", "step-too-small", "out-of-memory", "loop-open"};

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
  int sample_start;                  // record the state as it is, and take no steps
  double *out_q, *out_v, *out_tau;   // nq, nv, nv
  double *out_position, *out_force;  // 3 a contact, world [m, N]
  double* out_displacement;          // 3 a contact
  double* out_energy;                // kEnergyParts
  double* out_rate;  // (robots, nq + nv + 3 contacts + kWorks): where given, rates of the state at `start`, and no steps
  // Which robots:
  long robots;          // in the whole batch
  long begin, end_row;  // to run
  // What went wrong, where:
  int status;  // RunStatus
  long row, step;
  long unsettled;  // steps of robots in which solved impulses did not settle
};

// What an instruction set offers for simulations.
struct SimulationTable {
  void (*run)(Run& run, bool single);
  // Forces (rows x 3) of a law on points without displacement, from their depths and velocities (rows x 3) in axes whose third
  // is the normal.
  void (*contact_force)(int law, const double* parameter, long rows, const double* depth, const double* velocity, double* force);
  int laws;
  const LawRow* law;
  int integrators;
  const IntegratorRow* integrator;
};

}  // namespace tarsus
