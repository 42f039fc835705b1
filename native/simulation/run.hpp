// One stretch of simulation, over a range of robots, as the bindings hand it to an instruction set: plain data.
#pragma once
#include "contact/world.hpp"
#include "model/model.hpp"

namespace tarsus {

enum Integrator { kSemiImplicitEuler, kRungeKutta4, kDormandPrince, kImplicitMidpoint, kLeastConstraintEuler, kFlow };
constexpr const char* kIntegratorNames[] = {"semi-implicit-euler", "runge-kutta-4",    "dormand-prince",
                                            "implicit-midpoint",   "least-constraint", "flow"};

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

struct Run {
  const Model* model;
  const World* world;
  const JointLaw* law;
  void* workspace;
  int integrator;
  double dt;
  long first_step, steps;  // times are (first_step + k) dt
  double start, end;       // of adaptive integrators [s]
  double relative, absolute;
  long every;                // steps between samples
  double *q, *v, *z, *work;  // state, row by row: nq, nv, 3 per contact, kWorks
  double* step_size;         // adaptive integrators: last step, one a robot
  const double* external;    // nb x 6 a row, or null
  long samples;              // rows of results a robot
  int sample_start;          // record the state as it is, and take no steps
  double* out_rate;          // kFlow: rates of q, v, z and work instead of steps
  double *out_q, *out_v, *out_tau, *out_position, *out_force, *out_energy, *out_z;  // (samples, robots, ...); may be null
  long robots;                                                                      // in the whole batch
  long begin, end_row;                                                              // robots to run
  // What went wrong, where:
  int status;
  long row, step;
  int index;
};

}  // namespace tarsus
