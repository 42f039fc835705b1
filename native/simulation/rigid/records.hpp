// Rigid contact by events: what lasts from event to event, and the points that are looked at at one state. Data only.
#pragma once
#include "simulation/impulses/records.hpp"
#include "simulation/run.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kRigidStages = 17;  // vectors (q, v, works) that the integrators keep

constexpr int kMostNewtonPoints = 48;  // at one moment, that cone_newton.hpp takes
constexpr int kMostFewRows = 48;       // at one moment, that few_rows.hpp takes
constexpr size_t kNewtonNumbers = (size_t)9 * kMostNewtonPoints * (2 * kMostNewtonPoints + 5);

// A point of the robot between two events.
struct RigidPoint {
  int mode;                // RigidMode
  Vec3<double> direction;  // of slip, world, unit
  Vec3<double> force;      // at the last event, world [N]: redundant points go on sharing the load so
  double level;            // gap at which it is held while it is closed, below which it touches while it is open [m]
  double backward;         // speed up to which it may slip backwards before its slip has ended [m/s]
};

// How a listed point takes part in a linear solve.
enum Part { kFreePart, kSticks, kSlides, kTurns };  // slides: in a given direction; turns: in one that is solved for

// A point near the ground at one state; contact axes are (n, t1, t2) with n out of the ground.
struct ListedPoint {
  int point, node, body;            // among the contacts, the nodes, the touching bodies
  Vec3<double> axis[3], arm[3];     // the axes in node axes, and the moments of unit forces along them
  Vec3<double> n, t1, t2;           // the same axes in the world
  Vec3<double> turn, spin, centre;  // rate of n, world; w x (w x a) - r w x n', node axes; a, the place of the centre
  double gap, friction, restitution;
  Impulse<double> velocity;  // u
  Impulse<double> free;      // motion without loads: u' (forces) or u (impulses)
  Impulse<double> motion;    // with them
  Impulse<double> load;
  double required;       // normal motion that a pressed point has
  bool sliding;          // slips along `d` whatever the tangential motion is
  double d1, d2;         // direction of slip in (t1, t2)
  int part;              // Part
  double turning;        // of kSlides: by how much friction turns with the velocity across the slip, a newton of load [s/m]
  double yielding;       // of kSlides in a stage of an implicit step: compliance across the slip, negative without one,
  double yielded;        // and the motion across it at which that compliance carries nothing
  double lift;           // of convex problems: slip that is added to the normal motion, held
  double e1, e2, gamma;  // of kTurns: direction of friction, and u_t = -gamma l_t
  double own;            // response of the point along n to a unit load there
  double own_sliding;    // the same to the load of a slipping point, Feng et al. 2015 (20)
  double size;           // mean response of the point in all directions
};

// What the last evaluation of rates gave at a closed point: an iterate of a stage of an implicit step.
struct StagePoint {
  Vec3<double> motion;  // acceleration, world
  double normal;        // force
  double ahead;         // speed along the slip, with what it may go backwards: negative where the slip has ended,
  double least;         // and the least of it in the stages of a step
};

// Memory of rigid contact, there only where some surface is rigid.
struct RigidMemory {
  RigidPoint* point;    // contacts
  RigidPoint* before;   // contacts: the same before an event
  char* wanted;         // contacts
  ListedPoint* listed;  // contacts
  double* gap;          // contacts
  double* first_gap;    // contacts: at the start of a step
  int* closed;          // features of closed points, closeds of them; find_closed
  int closeds;
  double *reach, *bound;  // touchables: how far points are from the origin, least gap of them; find_reaches, find_near_gaps
  bool bounded;           // such bounds hold
  Vec3<double>* kept;     // contacts: forces, while a sample is taken
  int* near;              // features whose points can touch within a step, nears of them
  int nears;
  StagePoint* stage;              // contacts
  double* q;                      // nq: the configuration of the evaluation, with unit quaternions
  double* vdot;                   // tree_nv: accelerations without contact
  double* change;                 // nq + nv: a change of velocities, and a configuration
  Vec3<double>*bias_a, *bias_dw;  // nodes: accelerations at vdot = 0, node axes, without gravity
  Screw<double>* free;            // touchables: motions of the touching bodies without loads, node axes
  Screw<double>* moved;           // and with them
  Wrench<double>* wrench;         // touchables: loads on them
  double* rows;                   // 3 contacts x dofs: for the number of independent constraints
  signed char* joint;             // dofs: JointMode; held_joints.hpp
  double* joint_force;            // dofs: what held joints carry in the last evaluation
  double *given, *given_memory;   // dofs: accelerations of held joints, null for none; stop_joints
  bool loose;                     // friction holds no joint for now
  double lock_impulse;            // of the joint that a lock has just stopped
  int held, stuck;                // joints that are held, and those of them that friction holds; count_held
  double slowest;                 // slower impacts are plastic, slower slips may stick [m/s]; chosen at events
  int fineness;     // number of the compliance of kPartCompliance: within a phase it is only made finer, so that loads
                    // do not jump
  double* stages;   // of the integrators
  double* newton;   // kNewtonNumbers; cone_newton.hpp
  double* few;      // few_rows.hpp
  double* columns;  // kMostFewRows x 3 most: columns of its body along the axes of each listed point; begin_loads
  bool complete;    // blocks of the responses are there; complete_responses

  template <class Take>
  void lay_out(Take& take, size_t contacts, size_t features, size_t touchables, size_t nodes, size_t nq, size_t dofs,
               size_t stage_numbers) {
    take(point, contacts), take(before, contacts), take(wanted, contacts), take(listed, contacts), take(gap, contacts),
        take(first_gap, contacts), take(near, features), take(closed, features), take(reach, touchables + 1),
        take(bound, touchables + 1), take(kept, contacts), take(stage, contacts), take(q, nq), take(vdot, dofs),
        take(change, nq + dofs);
    take(joint, dofs), take(joint_force, dofs), take(given_memory, dofs), given = nullptr;
    take(bias_a, nodes), take(bias_dw, nodes), take(free, touchables + 1), take(moved, touchables + 1);
    take(wrench, touchables + 1), take(rows, (dofs + 1) * dofs), take(stages, stage_numbers), take(newton, kNewtonNumbers);
    take(few, kMostFewRows * (4 * kMostFewRows + 3 + dofs)), take(columns, 3 * kMostFewRows * dofs);
  }
};

}  // namespace tarsus::TARSUS_ISA
