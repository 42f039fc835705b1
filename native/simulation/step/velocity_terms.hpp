// Velocity terms of one step: what the motion needs without acceleration, at some velocity.
//
// Taken at the mean v_m of the velocities at the start and the end they do no work of their own: a single body keeps its energy
// at any speed, because v_m . (v_m x I v_m) = 0, where Euler's method gains (dt omega)^2 / 2 a step. Rates of a free or planar
// base are those of components in the axes of the start of the step (base_axes.hpp), which takes omega x v off its acceleration.
#pragma once
#include "simulation/derivative.hpp"
#include "simulation/step/base_axes.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kMeanAcceleration = 1e-3;  // error of velocity terms that is left [rad/s^2],
constexpr double kMeanEnergy = 1e-6;        // or a fourth of the part of the kinetic energy that it makes a step wrong by

// r.bias from a velocity (nv) and the closed coordinates and velocities of the tree; ws.motion has the angular velocities
// afterwards. Joints may be `prepared` already.
template <class T>
TARSUS_KERNEL void velocity_terms(Robot<T>& r, const T* tree_q, const T* v, const T* tree_v, bool prepared = false) {
  const Model& m = r.model;
  if (is_floating(m.node[0]) && m.manifolds == 1 && (!m.coupled || m.linear)) {  // all that turns is the base: a shorter way
    for (int k = 0; k < m.tree_nv; ++k) r.drift[k] = r.translates[k] ? broadcast<T>(0.0) : tree_v[k];
    sweep<false>(m, r.ws, tree_q, static_cast<const T*>(r.drift), static_cast<const T*>(nullptr), false, prepared);
  } else {
    for (int k = 0; k < m.tree_nv; ++k) r.drift[k] = m.coupled && !m.linear ? r.ws.bias[k] : broadcast<T>(0.0);
    drop_turning(r, v, r.drift);
    sweep<true>(m, r.ws, tree_q, tree_v, static_cast<const T*>(r.drift), false, prepared);
    add_sliding_wrenches(m, r.ws, tree_q, tree_v, -1.0);  // rates of the slides are those of the origin already
  }
  if (m.carried) subtract_carried(m, r.ws, tree_q);
  if (r.external) subtract_external(m, r.ws, tree_q, r.external);
  for (int i = 0; i < m.nodes; ++i) r.bias[i] = r.ws.wrench[i];
}

// Lanes in which the mean velocity that was found differs from the one of the velocity terms (r.mean), which follows it there.
template <class T>
TARSUS_KERNEL typename Bits<T>::type follow_mean_velocity(Robot<T>& r, const TreeState<T>& tree, double dt,
                                                          typename Bits<T>::type lanes_found) {
  const Model& m = r.model;
  const T zero = broadcast<T>(0.0);
  for (int k = 0; k < m.nv; ++k) r.total[k] = r.v[k] + (0.5 * dt) * r.vdot[k] - r.mean[k];
  const T* changes = r.total;
  if (m.coupled) expand_rates(r, static_cast<const T*>(r.total), r.drift), changes = r.drift;
  T fastest = zero, change = zero;
  for (int k = 0; k < m.tree_nv; ++k) {
    if (r.translates[k]) continue;  // of a base: its velocity has no part in them
    fastest = larger<T>(fastest, magnitude<T>(tree.v[k] + (0.5 * dt) * r.rate[k]));
    change = larger<T>(change, magnitude<T>(changes[k]));
  }
  const auto differs =
      lanes_found & less<T>(broadcast<T>(kMeanAcceleration), fastest * change) & less<T>(broadcast<T>(kMeanEnergy), dt * change);
  if (!any<T>(differs)) return differs;
  for (int k = 0; k < m.nv; ++k) r.mean[k] = select<T>(differs, r.v[k] + (0.5 * dt) * r.vdot[k], r.mean[k]);
  return differs;
}

}  // namespace tarsus::TARSUS_ISA
