// State and memory of one simulated robot (T = double) or of one pack of them.
#pragma once
#include "contact/contact_force.hpp"
#include "contact/friction_cone.hpp"
#include "dispatch/coupled.hpp"
#include "simulation/impulses/impulse_response.hpp"
#include "simulation/joint_law.hpp"

namespace tarsus::TARSUS_ISA {

// What a contact and a joint are in the course of one implicit step: see implicit_step.hpp.
template <class T>
struct StepContact {
  using Mask = typename Bits<T>::type;
  Mask active, slips;
  Vec3<T> normal;        // node axes
  T pull, give;          // normal force at constant velocity; what it loses for a unit of acceleration
  T gain;                // tangential force for a unit of velocity
  T carried;             // normal force that friction was computed from
  T turning;             // part of the force of sticking that acts across the direction of slip
  T relaxed;             // compression of a sole in the air
  Vec3<T> deflection;    // of the stick spring
  Vec3<T> stick, slide;  // force of sticking at constant velocity (its negative), direction of slip; world
};
// A contact whose impulse is solved for: see least_constraint.hpp.
template <class T>
struct StepImpulse {
  using Mask = typename Bits<T>::type;
  int contact, body;        // in Robot::contact, among the touching bodies
  Mask active, strikes;     // may carry an impulse; closes fast enough to be an impact
  Vec3<T> axis[3], arm[3];  // n, t1, t2 in node axes, and the moments of unit impulses along them
  LocalProblem<T> local;
  T required;         // least normal velocity at the end of the step
  Impulse<T> before;  // velocity at the start of the step
  Impulse<T> impulse;
  T gamma;  // of slip: see friction_cone.hpp
};
// Velocity of a contact point along its axes; the wrench of an impulse on its body.
template <class T>
TARSUS_INLINE Impulse<T> point_velocity(const StepImpulse<T>& s, const Screw<T>& V) {
  return {dot(s.axis[0], V.linear) + dot(s.arm[0], V.angular), dot(s.axis[1], V.linear) + dot(s.arm[1], V.angular),
          dot(s.axis[2], V.linear) + dot(s.arm[2], V.angular)};
}
template <class T>
TARSUS_INLINE Wrench<T> wrench_of(const StepImpulse<T>& s, const Impulse<T>& l) {
  return {l.n * s.axis[0] + l.t1 * s.axis[1] + l.t2 * s.axis[2], l.n * s.arm[0] + l.t1 * s.arm[1] + l.t2 * s.arm[2]};
}
// Memory of sticking_contacts.hpp, where its equations are explained. Every lane has a list of its own of the bodies that it
// touches, so that robots do not depend on what their neighbours in a pack touch.
constexpr int kMostCoupledBodies = 16;  // touching bodies of a lane beyond which they are not used
template <class T>
struct StickingContacts {
  using Mask = typename Bits<T>::type;
  int bodies;  // the longest list, at most kMostCoupledBodies
  int* own;    // kMostCoupledBodies x lanes: touching body at each place of a lane's list, -1 behind its end
  Mask few;    // lanes with lists that are not too long
  T *factor, *product, *matrix, *right, *load, *stiffness;  // of the lists
  T *all_load, *all_stiffness;                              // of all touching bodies
  T* weight;                                                // seven a contact
  Impulse<T>* step;                                         // contacts
  Screw<T>* change;                                         // touching bodies

  template <class Take>
  void lay_out(Take& take, int contacts, int touchables) {
    const size_t most = touchables < kMostCoupledBodies ? touchables : kMostCoupledBodies, n = 6 * most, all = touchables;
    take(own, kMostCoupledBodies * lanes<T>);
    take(factor, n * n), take(product, n * n), take(matrix, n * n), take(right, n), take(load, n), take(stiffness, 36 * most);
    take(all_load, 6 * all), take(all_stiffness, 36 * all);
    take(weight, 7 * (size_t)contacts), take(step, contacts), take(change, all);
  }
};
template <class T>
struct StepJoint {
  using Mask = typename Bits<T>::type;
  Mask saturated, slips, low, high;  // torque at its limit, friction at its limit, at the lower or upper stop
  T torque, resist;                  // of the law at constant velocity, and what it loses for a unit of acceleration
  T limit;                           // the torque where saturated
  T direction;                       // of motion, where friction is at its limit
};

template <class T>
struct Robot {
  const Model& model;
  const World& world;
  const JointLaw& law;
  Workspace<T>& ws;
  long row;
  int rows;
  int *law_of, *dof_of;   // tree_nv: independent degree of freedom that is this one, -1 for none; nv: the other way round
  bool referred = false;  // constant references are there already
  // State: nq, nv, 3 a contact, kWorks.
  T *q, *v, *z, *work;
  const T* external;  // 6 nb, or null
  // Results of the last evaluation:
  T *vdot, *zdot, *power;  // rates of v, z, work
  T *tau, *passive, *total;
  T *force, *rate;  // tree_nv: forces on joints, accelerations of joints; `rate` is vdot where no joint depends on others
  Contact<T>* contact;
  References<T> reference;
  // Scratch:
  Vec3<T>* speed;         // nodes
  Wrench<T>* bias;        // nodes
  Articulated<T>* added;  // touchables: what contacts add to the inertia of a body
  T* joint_inertia;       // tree_nv
  StepContact<T>* step_contact;
  StepJoint<T>* step_joint;
  StepImpulse<T>* impulse;  // contacts; only where impulses are solved for, and so are the next ones
  ImpulseResponse<T> response;
  StickingContacts<T> sticking;
  Screw<T>*body_free, *body_end;  // velocities of touching bodies without and with impulses, node axes
  T* line;                        // 3 a contact
  T* cluster;                     // of models with dependent joints
  T* scratch;                     // stages of integrators

  Robot(const Model& m, const World& w, const JointLaw& l, Workspace<T>& space) : model(m), world(w), law(l), ws(space) {}

  // Assigns arrays to pieces of `memory`; returns the bytes needed. `stages` copies of the state are kept for integrators;
  // `solves` says whether impulses of contacts are solved for.
  size_t lay_out(char* memory, int stages, bool solves) {
    size_t used = 0;
    auto take = [&]<class U>(U*& array, size_t count) {
      array = reinterpret_cast<U*>(memory + used);
      used += (count * sizeof(U) + 63) / 64 * 64;
    };
    const size_t nq = model.nq, nv = model.nv, n = model.tree_nv + 1, nz = 3 * (size_t)world.contacts;
    take(q, nq), take(v, nv), take(z, nz + 1), take(work, kWorks);
    take(vdot, n), take(zdot, nz + 1), take(power, kWorks), take(tau, n), take(passive, n), take(total, n), take(force, n);
    take(law_of, n), take(dof_of, n);
    rate = vdot;
    if (model.coupled) take(rate, n);
    take(contact, world.contacts + 1);
    take(reference.q, nq), take(reference.v, nv), take(reference.tau, nv);
    take(speed, model.nodes), take(bias, model.nodes), take(added, world.touchables + 1), take(joint_inertia, n);
    take(step_contact, world.contacts + 1), take(step_joint, n);
    T* outside;
    take(outside, 6 * (size_t)model.bodies);
    external = outside;
    if (solves) {
      take(impulse, world.contacts + 1), take(body_free, world.touchables + 1), take(body_end, world.touchables + 1);
      response.lay_out(take, world.touchables, model.nodes, n);
      sticking.lay_out(take, world.contacts, world.touchables);
    }
    take(line, nz + 1), take(cluster, model.coupled ? model.cluster_memory : 0);
    take(scratch, stages * state_size() + 2 * nq + 64);
    return used;
  }
  // Which independent degree of freedom a joint of the tree is (-1: it depends on others), and where it is in the tree.
  int driven(int k) const { return model.coupled ? law_of[k] : k; }
  int own_dof(int c) const { return model.coupled ? dof_of[c] : c; }
  double limit(int k) const { return driven(k) >= 0 ? law.limit[driven(k)] : 1e300; }
  void number_joints() {
    for (int i = 0; i < model.nodes; ++i) {
      const Node& n = model.node[i];
      for (int k = n.v; k < n.v + n.dof; ++k) {
        law_of[k] = !model.coupled ? k : model.copied_q[n.q] >= 0 ? model.column[model.row[k]] : -1;
        if (law_of[k] >= 0) dof_of[law_of[k]] = k;
      }
    }
  }

  size_t state_size() const { return (size_t)model.nq + model.nv + 3 * (size_t)world.contacts + kWorks; }
};

// Coordinates of the tree, which differ from the state's where joints depend on others.
template <class T>
struct TreeState {
  const T *q, *v;
};
template <class T>
TARSUS_INLINE TreeState<T> expand_state(Robot<T>& r, const T* q, const T* v) {
  if (!r.model.coupled) return {q, v};
  close_coordinates(r.model, r.ws, q, v, true);
  return {r.ws.tree_q, r.ws.tree_v};
}

// Adds G^T f, the force on the independent coordinates, to `out`.
template <class T>
TARSUS_INLINE void add_reduced_force(const Robot<T>& r, const T* f, T* out) {
  const Model& m = r.model;
  for (int k = 0; k < m.tree_nv; ++k) {
    if (!m.coupled) out[k] = out[k] + f[k];
    for (int e = m.coupled ? m.row[k] : 0; m.coupled && e < m.row[k + 1]; ++e) {
      out[m.column[e]] = out[m.column[e]] + r.ws.coupling[e] * f[k];
    }
  }
}

// G x: rates of the tree's joints from those of the independent ones.
template <class T>
inline void expand_rates(const Robot<T>& r, const T* x, T* tree) {
  const Model& m = r.model;
  for (int k = 0; k < m.tree_nv; ++k) {
    T sum = broadcast<T>(0.0);
    for (int e = m.row[k]; e < m.row[k + 1]; ++e) sum = sum + r.ws.coupling[e] * x[m.column[e]];
    tree[k] = sum;
  }
}

// q moved by a tangent vector: out = q (+) dt v.
template <class T>
TARSUS_INLINE void move(const Robot<T>& r, const T* q, const T* v, const T& dt, T* tangent, T* out) {
  const Model& m = r.model;
  for (int k = 0; k < m.nv; ++k) tangent[k] = dt * v[k];
  integrate(Context<T>{m, r.ws, q, tangent, nullptr, nullptr, out});
}

// Contacts of a configuration in motion; joints are prepared and swept.
template <class T>
TARSUS_INLINE void update_contacts(Robot<T>& r, const T* q, const T* v, const T* z) {
  locate_nodes(r.model, r.world, r.ws, q, v, r.speed);
  find_contacts(r.world, r.ws, r.speed, z, r.contact);
}

// A force of world axes at a contact point, taken off the wrench that the motion of its node needs.
template <class T>
TARSUS_INLINE void apply_contact(Robot<T>& r, const Contact<T>& c, const Vec3<T>& force) {
  const Vec3<T> f = to_child(r.ws.pose[c.node].R, force);
  Wrench<T>& w = r.ws.wrench[c.node];
  w.f = w.f - f;
  w.n = w.n - cross(c.arm, f);
}

// Power of the external wrenches, from the velocities of the nodes, or from those after some time with their accelerations.
template <class T>
inline T external_power(const Robot<T>& r, double later = 0.0) {
  T sum = broadcast<T>(0.0);
  for (int i = 0; i < r.model.nodes; ++i) {
    const Node& n = r.model.node[i];
    if (n.body < 0) continue;
    const T* e = r.external + 6 * n.body;
    const Placed<T>& X = r.ws.pose[i];
    const Motion<T>& a = r.ws.motion[i];
    Vec3<T> w = a.w, origin = r.speed[i];
    if (later != 0.0) w = w + later * a.dw, origin = origin + later * a.a;
    const Vec3<T> u = origin + cross(w, widen<T>(vec3(n.body_position)));
    sum = sum + dot(to_parent(X.R, u), Vec3<T>{e[0], e[1], e[2]}) + dot(to_parent(X.R, w), Vec3<T>{e[3], e[4], e[5]});
  }
  return sum;
}

}  // namespace tarsus::TARSUS_ISA
