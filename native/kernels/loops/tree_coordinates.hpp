// Coordinates of the spanning tree from the independent ones: q_tree(q), v_tree = G v, vdot_tree = G vdot + bias.
#pragma once
#include "kernels/loops/four_bar.hpp"
#include "kernels/loops/loop_path.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFullTurn = 6.283185307179586;

// c0 + c1 x + c2 x^2 + ... with its first three derivatives.
template <class T>
struct PolynomialValue {
  T value, slope, curvature, jerk;
};
template <class T>
TARSUS_INLINE PolynomialValue<T> polynomial(const double* coefficients, int count, const T& x) {
  const T zero = broadcast<T>(0.0);
  PolynomialValue<T> p{zero, zero, zero, zero};
  for (int k = count - 1; k >= 0; --k) {
    p.jerk = p.jerk * x + 3.0 * p.curvature;
    p.curvature = p.curvature * x + 2.0 * p.slope;
    p.slope = p.slope * x + p.value;
    p.value = p.value * x + coefficients[k];
  }
  return p;
}

// A four-bar: sines and cosines of its dependents for prepare_joints, and where they are asked for the angles themselves, on the
// turn that continues the reference.
template <class T>
inline void close_four_bar(const Model& m, int i, Workspace<T>& ws, const T* q, const T* v, bool angles) {
  const Closure& c = m.closure[i];
  const FourBarNumbers& numbers = *reinterpret_cast<const FourBarNumbers*>(c.table);
  const FourBar<T> bar = four_bar(numbers, q[c.independent[0]]);
  note_failure(ws, i, bar.open, kNotClosed);
  if (any_steep(bar.steepness)) {
    const T zero = broadcast<T>(0.0), rate = v ? v[m.column[m.row[c.dof[0]]]] : zero;
    const LoopSpeeds<T> speeds = four_bar_speeds(bar, rate);
    note_failure(ws, i, irregular_lanes(ws, bar.steepness, speeds), kNotDetermined);
  }
  for (int k = 0; k < 2; ++k) {
    const int e = m.row[c.dof[k]], node = c.dof_node[k];
    ws.coupling[e] = bar.slope[k];
    if (v) ws.coupling_rate[e] = bar.curvature[k] * v[m.column[e]];
    ws.given_sine[node] = bar.angle[k].s, ws.given_cosine[node] = bar.angle[k].c;
    if (!angles) {
      ws.tree_q[c.coordinate[k]] = broadcast<T>(0.0);  // is read and not used
      continue;
    }
    const FourBarNumbers::Follower& f = numbers.follower[k];
    const T line = f.winding * q[c.independent[0]] + f.middle;
    for (int l = 0; l < lanes<T>; ++l) {
      const double angle = std::atan2(lane(bar.angle[k].s, l), lane(bar.angle[k].c, l));
      const double turns = std::floor((lane(line, l) - angle) / kFullTurn + 0.5);
      set_lane(ws.tree_q[c.coordinate[k]], l, angle + turns * kFullTurn);
    }
  }
}

// One closure: its dependent coordinates into ws.tree_q, its entries of G and, with velocities, of the rate of G.
template <class T>
inline void evaluate_closure(const Model& m, int i, Workspace<T>& ws, const T* q, const T* v, bool angles) {
  const Closure& c = m.closure[i];
  switch (c.kind) {
    case kLinearClosure:
      for (int k = 0; k < c.dependents; ++k) {
        T sum = broadcast<T>(c.table[k]);
        for (int j = 0; j < c.independents; ++j) sum = sum + c.slope[k * c.independents + j] * q[c.independent[j]];
        ws.tree_q[c.coordinate[k]] = sum;
      }
      break;
    case kPolynomialClosure: {
      const PolynomialValue<T> p = polynomial(c.table, c.table_size, q[c.independent[0]]);
      const int e = m.row[c.dof[0]];
      ws.tree_q[c.coordinate[0]] = p.value, ws.coupling[e] = p.slope;
      if (v) ws.coupling_rate[e] = p.curvature * v[m.column[e]];
      break;
    }
    case kFourBarClosure: close_four_bar(m, i, ws, q, v, angles); break;
    default:
      note_failure(ws, i, close_loops(m, c, ws, ws.tree_q), kNotClosed);
      note_failure(ws, i, loop_coupling(m, c, ws, ws.tree_q, v), kNotDetermined);
  }
}

// v_tree = G v and the bias Gdot v of the tree's accelerations.
template <class T>
inline void expand_velocities(const Model& m, Workspace<T>& ws, const T* v) {
  if (m.followers == m.closures) {  // one entry a row, and nothing but constants
    for (int k = 0; k < m.tree_nv; ++k) {
      ws.tree_v[k] = ws.coupling[k] * v[m.column[k]], ws.bias[k] = broadcast<T>(0.0);
    }
    return;
  }
  for (int k = 0; k < m.tree_nv; ++k) {
    T rate = broadcast<T>(0.0), bias = rate;
    for (int e = m.row[k]; e < m.row[k + 1]; ++e) {
      rate = rate + ws.coupling[e] * v[m.column[e]];
      bias = bias + ws.coupling_rate[e] * v[m.column[e]];
    }
    ws.tree_v[k] = rate, ws.bias[k] = bias;
  }
}

// Positions of the tree into ws.tree_q and G into ws.coupling; with velocities also ws.tree_v, the rate of G and ws.bias.
// Without `angles`, coordinates of joints in four-bars are left out, because kernels take their sines and cosines. What fails is
// noted in ws.failed_closure, which the caller sets to -1 before: a failure stays there through the stages of an integrator.
template <class T>
TARSUS_KERNEL void close(const Model& m, Workspace<T>& ws, const T* q, const T* v, bool angles) {
  // Independent coordinates, and those that follow one of them.
  for (int k = 0; k < m.tree_nq; ++k) {
    if (m.copied_q[k] >= 0) ws.tree_q[k] = q[m.copied_q[k]];
  }
  for (int i = 0; i < m.followers; ++i) {
    const Follower& f = m.follower[i];
    ws.tree_q[f.coordinate] = f.ratio * q[f.leader] + f.offset;
  }
  // Their velocities, which the rates of loops need.
  if (v && m.followers < m.closures) {
    for (int k = 0; k < m.tree_nv; ++k) {
      if (m.row[k + 1] - m.row[k] == 1) ws.tree_v[k] = ws.coupling[m.row[k]] * v[m.column[m.row[k]]];
    }
  }
  for (int i = m.followers; i < m.closures; ++i) evaluate_closure(m, i, ws, q, v, angles);
  if (v) expand_velocities(m, ws, v);
}

}  // namespace tarsus::TARSUS_ISA
