// Predictive inverse kinematics over one horizon (Buschmann 2014, 5.6) as plain data: what the bindings hand to the code of one
// instruction set. A horizon has `steps` steps of `dt`, and one sample more than steps.
#pragma once
#include "collision/volume_counts.hpp"
#include "model/model.hpp"
#include "model/tasks.hpp"

namespace tarsus {

// How an optimisation ended; src/tarsus/ik/predictive/plan.py says what each means.
enum PredictiveStatus { kPredictiveConverged, kPredictiveExhausted, kPredictiveStuck, kPredictiveFailed, kPredictiveInterrupted };
constexpr const char* kPredictiveStatusNames[] = {"converged", "iteration limit", "no way down", "not evaluable", "interrupted"};

enum PotentialKind { kQuadraticPotential, kCubicPotential, kPiecewisePotential };
constexpr const char* kPotentialKindNames[] = {"quadratic", "cubic", "piecewise"};

struct Potential {
  int kind;
  double gain, activation, switching;  // s_0, d_a and t of (5.50)-(5.58)
};

// Parts of the integral cost, in the order of PredictiveRun::parts.
enum CostPart { kVelocityCost, kLimitCost, kCollisionCost, kPostureCost, kAccelerationCost, kCostParts };
constexpr const char* kCostPartNames[] = {"velocity", "limits", "collision", "posture", "acceleration"};

constexpr int kMostSteps = 1000000;  // of a horizon

struct PredictiveRun {
  const Model* model;
  const TaskTable* tasks;
  const VolumeCounts* volumes;  // null without a collision model
  // What is to be followed.
  int steps;
  double dt;
  const double* q0;      // nq
  const double* target;  // (steps + 1) x targets
  const double* rate;    // steps x rows: velocity of the targets from sample to sample
  const double* gain;    // rows: of the error of the tasks [1/s], Buschmann 2014 (5.5)
  double near, damping;  // singular value below which damping sets in, and the root of what it is at a singularity
  // Costs, each with its weight.
  double weight[kCostParts];
  const double* velocity_scale;  // nv: of the squared velocities
  int bounds;                    // joint limits:
  const int *bound_q, *bound_v;
  const double *lower, *upper, *bound_gain, *bound_activation;  // bounds
  Potential limit;                                              // gain and activation are those of each joint
  Potential collision;
  int postured;  // coordinates with a preferred value:
  const int *posture_q, *posture_v;
  const double *posture_target, *posture_scale;
  // What is chosen: u or, with `augmented`, its rate; the start, too, where it is free.
  bool augmented, free_start;
  const double* u0;    // nv: u at the start, of augmented states
  const double* most;  // nv: bound of the input's size, null for none
  // How.
  bool local;     // u is minus the gradient of the other costs over the weight of velocities (5.14): nothing is optimised
  bool steepest;  // descent along the gradient, else Fletcher-Reeves
  double step;    // constant step, 0 for backtracking
  double tolerance;
  int max_iterations;
  // Given and returned: the input (steps x nv), and the last step length (0: none yet).
  double* input;
  double* length;
  // Results.
  double *q, *v, *u;           // (steps + 1) x nq, steps x nv, steps x nv
  double *adjoint, *gradient;  // (steps + 1) x nv, steps x nv
  double* error;               // steps + 1: largest error of the tasks
  double* damped;              // steps: damping
  double* history;             // max_iterations + 1
  double parts[kCostParts];    // with their weights
  int status, iterations, evaluations;
  int failed_step;  // at which a horizon cannot be evaluated, else -1
  bool out_of_memory;
  bool (*interrupted)(void* caller);
  void* caller;
};

}  // namespace tarsus
