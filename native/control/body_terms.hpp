// What a step of whole-body control is made of, at one state or one pack of states, in independent coordinates:
//   M vdot + h = tau + F y,  contact rows C vdot = c,  task rows J vdot = a
#pragma once
#include "control/contact_rows.hpp"
#include "control/task_accelerations.hpp"
#include "dispatch/coupled.hpp"
#include "dispatch/reduction.hpp"
#include "kernels/dynamics/passive.hpp"
#include "kernels/dynamics/sliding_armature.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kTermPadding = 8;  // entries behind the last row that whole packs may read

// The terms, one after the other in memory.
template <class T>
struct BodyTerms {
  T *M, *h;  // nv x nv, nv: bias less passive forces
  T *C, *c;  // contact rows x nv, contact rows
  T* F;      // forces x nv: rows of C where all forces are wrenches
  T *J, *a;  // task rows x nv, task rows; rows of postures are not in J
  T* place;  // contacts x kPlaceNumbers: ContactPlace

  static size_t size(const BodyProblem& p) {
    const size_t nv = p.model->nv, rows = p.contact_rows, tasks = task_rows_of(p);
    return nv * nv + nv + rows * nv + rows + (p.wrenches ? 0 : (size_t)p.forces * nv) + tasks * nv + tasks +
           kPlaceNumbers * (size_t)p.contacts + kTermPadding;
  }
  static BodyTerms at(const BodyProblem& p, T* memory) {
    const size_t nv = p.model->nv, rows = p.contact_rows, tasks = task_rows_of(p);
    BodyTerms t;
    t.M = memory, t.h = t.M + nv * nv, t.C = t.h + nv, t.c = t.C + rows * nv;
    T* next = t.c + rows;
    t.F = p.wrenches ? t.C : next;
    if (!p.wrenches) next += (size_t)p.forces * nv;
    t.J = next, t.a = t.J + tasks * nv, t.place = t.a + tasks;
    return t;
  }
};

// Memory of their evaluation. Of coupled models the matrices of the tree are apart.
template <class T>
struct TermMemory {
  Workspace<T> ws;
  MotionMemory<T> motion;
  T* passive;                      // tree_nv
  T *tree_M, *tree_h, *tree_rows;  // tree_nv x tree_nv, tree_nv, the largest stack of rows x tree_nv; coupled models only

  static size_t most_rows(const BodyProblem& p) {
    const size_t tasks = task_rows_of(p), rows = p.contact_rows, forces = p.wrenches ? 0 : p.forces;
    return tasks > rows + forces ? tasks : rows + forces;
  }
  // Assigns arrays to aligned pieces of memory; returns the bytes needed (memory may be null).
  static size_t layout(TermMemory& s, const BodyProblem& p, char* memory) {
    const Model& m = *p.model;
    const size_t n = m.tree_nv;
    size_t used = 0;
    auto take = [&]<class U>(U*& array, size_t count) {
      array = reinterpret_cast<U*>(memory + used);
      used += (count * sizeof(U) + 63) / 64 * 64;
    };
    take(s.motion.acceleration, m.nodes), take(s.motion.force, m.nodes), take(s.passive, n + 1);
    take(s.tree_M, m.coupled ? n * n : 0), take(s.tree_h, m.coupled ? n : 0), take(s.tree_rows, m.coupled ? most_rows(p) * n : 0);
    char* block = memory + used;
    return used + (Workspace<T>::layout(s.ws, m, memory ? block : nullptr) + 63) / 64 * 64;
  }
};

// Targets and what else the terms read beside the state; S as T where robots differ.
template <class S>
struct BodyWishes {
  const S* target;
  TargetRates<S> rates;
  const double* contact;
};

// Rows of contacts over the tree into `C` and `F`; where they have no entries, they must be zero.
template <class T, class S>
inline void tree_contact_rows(const BodyProblem& p, TermMemory<T>& s, const BodyWishes<S>& wishes, const BodyTerms<T>& t, T* C,
                              T* F) {
  const Model& m = *p.model;
  const size_t n = m.tree_nv;
  for (int i = 0; i < p.contacts; ++i) {
    const BodyContact& contact = p.contact[i];
    contact_rows(m, contact, wishes.contact + (size_t)i * kContactNumbers, s.ws, s.motion, C + contact.row * n, t.c + contact.row,
                 F ? F + contact.force * n : static_cast<T*>(nullptr), t.place + kPlaceNumbers * i);
  }
}

// Rows of tasks that are not postures, which are not in J.
template <class T>
inline void clear_task_rows(const TaskTable& t, size_t n, T* J) {
  for (int i = 0; i < t.blocks; ++i) {
    const TaskBlock& b = t.block[i];
    if (b.kind != kTaskPosture) zero_fill(J + b.first * n, b.rows * n);
  }
}

// All terms; q and v are independent. Entries that are zero in every state are not written: memory is zero before the first call.
// False where a loop does not close.
template <class T, class S>
inline bool body_terms(const BodyProblem& p, TermMemory<T>& s, const T* q, const T* v, const BodyWishes<S>& wishes,
                       const BodyTerms<T>& t) {
  const Model& m = *p.model;
  const size_t n = m.tree_nv, nv = m.nv, forces = p.wrenches ? 0 : p.forces, tasks = task_rows_of(p);
  const T *tree_q = q, *tree_v = v, *bias = nullptr;
  s.ws.failed_closure = -1, s.ws.failing = 0;
  if (m.coupled) {
    close_coordinates(m, s.ws, q, v, true);
    if (s.ws.failed_closure >= 0) return false;
    tree_q = s.ws.tree_q, tree_v = s.ws.tree_v, bias = m.linear ? nullptr : s.ws.bias;
  }
  passive_force(m, s.ws, tree_q, tree_v, s.passive);  // first: it places nodes for itself
  T *M = m.coupled ? s.tree_M : t.M, *h = m.coupled ? s.tree_h : t.h;
  motion_terms(m, s.ws, s.motion, tree_q, tree_v, bias, M, h);
  add_sliding_drift(m, tree_v, 1.0, h);
  for (size_t k = 0; k < n; ++k) h[k] = h[k] - s.passive[k];
  // Contacts.
  T *C = m.coupled ? s.tree_rows : t.C, *F = p.wrenches ? nullptr : m.coupled ? C + p.contact_rows * n : t.F;
  if (m.coupled) zero_fill(C, (p.contact_rows + forces) * n);  // tasks have been there
  tree_contact_rows(p, s, wishes, t, C, F);
  const T* G = s.ws.coupling;
  if (m.coupled) {
    zero_fill(t.M, nv * nv), zero_fill(t.h, nv), zero_fill(t.C, p.contact_rows * nv);
    add_reduced_square(m, G, G, static_cast<const T*>(M), t.M);
    add_reduced_vector(m, G, static_cast<const T*>(h), t.h);
    add_reduced_columns(m, G, static_cast<const T*>(C), p.contact_rows, t.C);
    if (F) zero_fill(t.F, forces * nv), add_reduced_columns(m, G, static_cast<const T*>(F), forces, t.F);
  }
  if (tasks == 0) return true;
  // Tasks: errors into a, then accelerations.
  T* J = m.coupled ? s.tree_rows : t.J;
  clear_task_rows(*p.tasks, n, J);
  placed_task_rows(m, *p.tasks, s.ws, wishes.target, t.a, J);
  if (m.coupled) zero_fill(t.J, tasks * nv), add_reduced_columns(m, G, static_cast<const T*>(J), tasks, t.J);
  for (int i = 0; i < p.tasks->blocks; ++i) {
    const TaskBlock& b = p.tasks->block[i];
    for (int r = b.first; b.kind == kTaskPosture && r < b.first + b.rows; ++r) {
      t.a[r] = wishes.target[b.target + r - b.first] - q[p.tasks->row[r].coordinate];
    }
  }
  task_accelerations(m, *p.tasks, s.ws, s.motion, tree_v, v, wishes.target, wishes.rates, t.a);
  return true;
}

}  // namespace tarsus::TARSUS_ISA
