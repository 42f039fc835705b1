// State and memory of one simulated robot (T = double) or of one pack of them.
#pragma once
#include "simulation/constraints/records.hpp"
#include "simulation/impulses/records.hpp"
#include "simulation/joint_law.hpp"
#include "simulation/rigid/records.hpp"
#include "simulation/step/contact_space_records.hpp"
#include "simulation/step/couplings.hpp"
#include "simulation/step/records.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostHalvings = 6;  // of a step that cannot be solved, or makes energy of nothing

template <class T>
struct Robot {
  const Model& model;
  World world;  // of these robots; RobotMemory::load
  const JointLaw& law;
  Workspace<T>& ws;
  // Which robots of the batch these are; written by RobotMemory::load.
  long row;  // of the first
  int rows;
  long source[lanes<T>];  // robot that each lane computes: another one where there are fewer, or one has failed,
  bool keeps[lanes<T>];   // and then nothing is kept of it
  // What may differ from robot to robot; written by RobotMemory::load.
  BodyInertia<T>* own_bodies;  // nodes; ws.bodies points there, or nowhere
  T own_friction;
  const T* friction;  // the same, or null: that of the surfaces
  // Numbers of joints; written by number_joints.
  int *law_of, *dof_of;  // tree_nv: independent degree of freedom that is this one, -1 for none; nv: the other way round
  int* translates;       // tree_nv: 1 where it shifts a base, which has no part in velocity terms,
  int* spins;            // and where it turns a round rotor, which looks the same from all sides
  // State; loaded and stored by RobotMemory, advanced by the integrators. With it belongs the force of each contact.
  T *q, *v;               // nq, nv
  Vec3<T>* displacement;  // contacts: see contact/contact_state.hpp
  T* work;                // kWorks
  T* outside;             // 6 nb: wrenches from outside, world axes; written by RobotMemory::load
  const T* external;      // the same, or null
  T* switched;            // contacts: not 0 where they are switched off; written by RobotMemory::load
  const T* off;           // the same, or null
  // Closure at the start of the present step, for models whose loops are followed from the reference, else null: branches.hpp.
  T *kept_q = nullptr, *kept_coupling = nullptr;   // tree_nq, entries of G
  bool branches_kept = false, keeps_next = false;  // they are there; the next evaluation begins a step
  // References of the joint law; written by read_law.
  References<T> reference;
  bool references_constant = false;  // they are there already and do not change
  // Results of the last evaluation or step:
  T* vdot;                     // tree_nv: rates of v; derivative, accelerate
  Vec3<T>* displacement_rate;  // contacts; derivative
  T* power;                    // kWorks: rates of work; derivative
  T* tau;                      // nv: torques of the joint law; derivative, end_joints
  T* passive;                  // tree_nv: springs, dampers, friction and stops; derivative, load_joints, end_joints
  T* total;                    // nv: forces on the independent coordinates; derivative, solve_step
  T* force;                    // tree_nv: forces on the joints of the tree; load_joints
  T* rate;  // tree_nv: accelerations of the joints of the tree; solve_step. It is vdot where no joint depends on others
  Contact<T>* contact;  // contacts; update_contacts, the force by derivative, end_contact and end_impulses
  // Scratch of all steps:
  Vec3<T>* speed;  // nodes: velocities of their origins, node axes; locate_nodes
  T* line;         // 3 a contact: one row of results; record
  T* cluster;      // of models with dependent joints; solve_swept
  T* scratch;      // stages of integrators
  // Scratch of implicit steps:
  Wrench<T>* bias;        // nodes: wrenches that the motion at vdot = 0 needs; velocity_terms
  T* mean;                // nv: the velocity of the velocity terms; begin_step, follow_mean_velocity
  T* drift;               // tree_nv: accelerations at vdot = 0; velocity_terms
  T* tree_v;              // tree_nv: velocities at the start, where joints depend on others; begin_step
  Vec3<T>* turn;          // nodes: angular velocities at the start, node axes; begin_step
  Articulated<T>* added;  // touchables: what contacts add to the inertia of a body; load_step
  T* joint_inertia;       // tree_nv: armature and what implicit forces add to it; load_joints
  int* awake;             // contacts that take part in the step, `awakes` of them; wake_contact
  int awakes;
  StepContact<T>* step_contact;     // contacts; begin_contact, try_contact, take_contact
  StepJoint<T>* step_joint;         // tree_nv; begin_joints, try_joints, take_joints
  typename Bits<T>::type unsolved;  // lanes whose step could not be solved; implicit_step
  bool uneven;                      // the world has a height field or a mesh
  KeptEnergy<T> kept_energy;        // of the present state; step_energy
  T* checkpoints;                   // states at the start of steps within steps, and at the end of the last one; implicit_step,
                                    // checked_impulse_step
  const int springs;                // between points
  const TwoPointSpring* spring;
  StepSpring<T>* step_spring;       // springs; begin_springs, try_springs, take_springs
  ContactSpace<T> points;           // contact_space.hpp
  RobotConstraints<T> constraints;  // kept by multipliers, where there are some
  Couplings<T> couplings;           // rows between bodies and joints in a solve; empty where nobody adds any
  int* listed;                      // contacts that may do something, `listeds` of them; list_contacts
  int listeds;
  // Scratch of contacts between bodies, there only where the world has pairs of solids:
  int* quiet;                 // pairs: not 0 where they are far apart and nothing is left of them; find_pair_contacts
  bool sets;                  // displacements of contacts between bodies hold their sets: step/contact_sets.hpp
  ImpulseResponse<T> pushed;  // list_pairs, find_columns
  PairSystem<T> pairs;        // step/pair_resistance.hpp
  // Scratch of solved impulses, there only where the world has such a law:
  bool solves_impulses;
  StepImpulse<T>* impulse;                // contacts; list_impulses, begin_impulses, solve_impulses
  ImpulseResponse<T> response;            // list_impulses, find_responses
  int own_motions;                        // motions of bodies in it: relative ones follow; list_motions
  int* relative;                          // World::motion of each of these; list_motions
  ImpulseResponse<T> carrying;            // columns of their bodies; list_motions, find_relative_columns
  MotionSpace<T> space;                   // motion_space.hpp
  CoupledColumns<T> coupled;              // coupled_columns.hpp, where `couples`
  bool couples;                           // constraints, springs or contacts between bodies take part in responses
  Vec3<T>* start_force;                   // contacts: of the last step or pass, world [N]; least_constraint_step
  KeptImpulse<T>* kept;                   // contacts; keep_impulses
  ContactRegime<T>*regime, *next_regime;  // contacts; contact_regimes.hpp
  Participation<T>* part;                 // contacts: how they take part; solve_together
  Impulse<T>* change;                     // contacts: change of their impulses; solve_together
  InnerContact<T>* inner;                 // contacts; interior_point.hpp
  T urge, bounce;                         // parts of what pushes penetrations out and of restitution that act; impulse_steps
  T unsettled;                            // steps in which impulses did not settle, since they were loaded; least_constraint_step
  Screw<T>*body_free, *body_end;          // touchables: velocities of touching bodies without and with impulses, node axes
  Screw<T>* body_trial;                   // the same on the way to a solution; interior_point.hpp
  Wrench<T>* body_impulse;                // touchables: impulses on touching bodies, node axes; apply_impulses

  // Scratch of rigid contact by events, there only where `by_events`:
  RigidMemory rigid;
  const bool by_events;

  Robot(const Run& run, Workspace<T>& space, bool events = false)
      : model(*run.model), law(*run.law), ws(space), springs(run.springs), spring(run.spring), by_events(events) {
    constraints.table = run.constraints;
    sets = run.sets && !events;
    enter(*run.world);
  }

  // Robots come into this world, which has as many contacts as the one before.
  void enter(const World& w) {
    world = w, uneven = has_field(w), solves_impulses = solves(w) || by_events;
    kept_energy.known = false;  // what the ground holds is that of another one
  }

  // Assigns arrays to pieces of `memory`; returns the bytes needed. `stages` copies of the state are kept for integrators;
  // `some_solve` tells whether some world has a law whose impulses are solved for.
  size_t lay_out(char* memory, int stages, bool some_solve) {
    size_t used = 0;
    auto take = [&]<class U>(U*& array, size_t count) {
      array = reinterpret_cast<U*>(memory + used);
      used += (count * sizeof(U) + 63) / 64 * 64;
    };
    const size_t nq = model.nq, nv = model.nv, n = model.tree_nv + 1, contacts = world.contacts + 1;
    take(q, nq), take(v, nv), take(displacement, contacts), take(work, kWorks);
    take(vdot, n), take(displacement_rate, contacts), take(power, kWorks);
    take(tau, n), take(passive, n), take(total, n), take(force, n);
    take(law_of, n), take(dof_of, n);
    rate = vdot;
    if (model.coupled) take(rate, n);
    take(contact, contacts);
    take(reference.q, nq), take(reference.v, nv), take(reference.tau, nv), take(reference.kp, nv), take(reference.kd, nv);
    take(speed, model.nodes), take(bias, model.nodes), take(turn, model.nodes), take(mean, n), take(drift, n), take(tree_v, n);
    take(translates, n), take(spins, n);
    take(checkpoints, (kMostHalvings + 2) * checkpoint_size());
    take(added, world.touchables + 1), take(joint_inertia, n);
    take(awake, contacts), take(step_contact, contacts), take(step_joint, n);
    take(outside, 6 * (size_t)model.bodies), take(own_bodies, model.nodes), take(switched, contacts), take(step_spring, springs);
    constraints.lay_out(take, model), couplings.lay_out(take, model, most_rows(), most_row_terms());
    take(listed, contacts);
    if (!model.coupled && world.pairs == 0 && most_rows() == 0 && point_features() <= kMostPoints) {
      points.lay_out(take, world.contacts, n, model.nodes);
    }
    if (world.pairs > 0) {
      take(quiet, world.pairs), pushed.lay_out(take, world.touchables, n, false, n), pairs.lay_out(take, world.touchables, n);
    }
    couples = most_rows() > 0 || has_soft_pairs(world);
    if (some_solve) {
      const bool blocks = world.motions == 0 && !couples;
      const size_t motions = world.touchables + world.motions, path = longest_path(), columns = couples ? n : path;
      take(impulse, contacts), take(body_free, motions + 1), take(body_end, motions + 1), take(body_impulse, motions + 1);
      response.lay_out(take, motions, n, blocks, blocks ? n : columns);
      space.lay_out(take, motions, n, blocks, blocks ? n : columns);
      take(relative, world.motions + 1);
      if (world.motions > 0) carrying.lay_out(take, world.touchables, n, false, path);
      if (couples) coupled.lay_out(take, n, most_rows());
      take(start_force, contacts), take(kept, contacts), take(regime, contacts), take(next_regime, contacts);
      take(part, contacts), take(change, contacts), take(inner, contacts), take(body_trial, motions + 1);
    }
    if (by_events) {
      const size_t stages = kRigidStages * (nq + nv + kWorks) + 2 * n;
      rigid.lay_out(take, contacts, world.features, world.touchables, model.nodes, nq, n, stages);
    }
    if (follows_from_reference(model)) take(kept_q, model.tree_nq), take(kept_coupling, model.entries);
    take(line, 3 * contacts), take(cluster, model.coupled ? model.cluster_memory : 0);
    take(scratch, stages * state_size() + 2 * nq + 64);
    return used;
  }
  // Contacts but those of edges, which have no radius: whether there are edges depends on the grounds of other robots.
  int point_features() const {
    int found = 0;
    for (int k = 0; k < world.features; ++k) {
      const Feature& f = world.feature[k];
      found += f.kind != kSegment ? 1 : f.radius > 0.0 ? 2 : 0;
    }
    return found;
  }
  // Whether a model has loops with several independent joints.
  static bool follows_from_reference(const Model& m) {
    for (int i = m.followers; m.coupled && i < m.closures; ++i) {
      if (m.closure[i].kind == kLoopClosure && m.closure[i].table_size == 0) return true;
    }
    return false;
  }
  // Whether a world has a law whose impulses are solved for.
  static bool solves(const World& world) {
    for (int k = 0; k < world.surfaces; ++k) {
      if (Laws::kRow[world.surface[k].law].solved) return true;
    }
    for (int k = 0; k < world.pairs; ++k) {
      if (Laws::kRow[world.pair[k].law].solved) return true;
    }
    return false;
  }
  // Whether bodies touch with forces that follow from the state.
  static bool has_soft_pairs(const World& world) {
    for (int k = 0; k < world.pairs; ++k) {
      if (!Laws::kRow[world.pair[k].law].solved) return true;
    }
    return false;
  }
  // Most independent velocities that move one body relative to another: twice those on the longest path to the root.
  size_t longest_path() const {
    size_t most = 1;
    for (int i = 0; i < model.nodes; ++i) {
      size_t width = 0;
      for (int k = i; k >= 0;) {
        const Node& n = model.node[k];
        const bool clustered = model.coupled && n.cluster >= 0;
        width += clustered ? model.cluster[n.cluster].independents : n.dof;
        k = clustered ? model.cluster[n.cluster].root : n.parent;
      }
      most = width > most ? width : most;
    }
    const size_t all = model.tree_nv + 1;
    return 2 * most < all ? 2 * most : all;
  }
  static bool has_field(const World& world) {
    for (int k = 0; k < world.surfaces; ++k) {
      if (world.surface[k].kind == kHeightField || world.surface[k].kind == kTriangleMesh) return true;
    }
    return false;
  }
  // Rows that couple bodies and joints, and joints that they name, at most in one solve.
  int most_rows() const { return constraints.count() + springs; }
  int most_row_terms() const { return constraints.terms(); }
  // All pairs of bodies are looked at again: the state is another one.
  void wake_pairs() {
    for (int k = 0; k < world.pairs; ++k) quiet[k] = 0;
  }
  // Which independent degree of freedom a joint of the tree is (-1: it depends on others), and where it is in the tree.
  int driven(int k) const { return model.coupled ? law_of[k] : k; }
  int own_dof(int c) const { return model.coupled ? dof_of[c] : c; }
  double limit(int k) const { return driven(k) >= 0 ? law.limit[driven(k)] : 1e300; }
  void number_joints() {
    couplings.number_nodes(model);
    for (int i = 0; i < model.nodes; ++i) {
      const Node& n = model.node[i];
      for (int k = n.v; k < n.v + n.dof; ++k) {
        law_of[k] = !model.coupled ? k : model.copied_q[n.q] >= 0 ? model.column[model.row[k]] : -1;
        if (law_of[k] >= 0) dof_of[law_of[k]] = k;
      }
      const bool shifted = n.parent < 0 || n.grounded;
      for (int k = 0; k < (shifted && kArm[n.arm].group != kVectorGroup ? kArm[n.arm].translations : 0); ++k) {
        translates[n.v + k] = 1;
      }
      for (int k = n.v; n.rotor && k < n.v + n.dof; ++k) spins[k] = 1;
    }
  }

  // Numbers of the state and of the forces that belong to it: see step/checkpoint.hpp.
  size_t checkpoint_size() const { return state_size() + 3 * (size_t)world.contacts; }
  // Numbers of the state as one vector: see flow.hpp.
  size_t state_size() const { return (size_t)model.nq + model.nv + 3 * (size_t)world.contacts + kWorks; }
};

}  // namespace tarsus::TARSUS_ISA
