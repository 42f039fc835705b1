// Compiled once for each instruction set, like the kernels.
#include "tests/probe.hpp"

#include <cstdlib>

#include "contact/friction_cone.hpp"
#include "dispatch/coupled.hpp"
#include "dispatch/rows.hpp"
#include "kernels/factorisation/sparse_cholesky.hpp"
#include "kernels/kinematics/rotation_vector.hpp"
#include "math/sincos.hpp"
#include "simulation/step/couplings.hpp"

namespace tarsus::TARSUS_ISA {
namespace {

struct Packs {  // aligned copy of an array of packs
  Pack* data;
  explicit Packs(size_t n) : data(static_cast<Pack*>(std::aligned_alloc(64, (n * sizeof(Pack) + 63) / 64 * 64))) {}
  ~Packs() { std::free(data); }
};

void pack_sincos(const double* x, double* s, double* c) {
  Pack sine, cosine;
  sincos(load<Pack>(x), sine, cosine);
  store(s, sine), store(c, cosine);
}

void single_sincos(double x, double* s, double* c) { sincos(x, *s, *c); }

void pack_angle(const double* s, const double* c, double* angle) {
  store(angle, first_quadrant_angle<Pack>(load<Pack>(s), load<Pack>(c)));
}

void pack_rotation_vector(const double* columns, double* w) {
  Pack x[9];
  for (int k = 0; k < 9; ++k) {
    for (int l = 0; l < kLanes; ++l) x[k][l] = columns[9 * l + k];
  }
  const Vec3<Pack> found = rotation_vector(Mat3<Pack>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}});
  for (int l = 0; l < kLanes; ++l) w[3 * l] = found.x[l], w[3 * l + 1] = found.y[l], w[3 * l + 2] = found.z[l];
}

bool rows_to_packs(const double* rows, size_t n, int count, double* packs) {
  Packs to(n + 1);
  const Pack bad = load_rows(rows, n, count, to.data);
  if (n > 0) std::memcpy(packs, to.data, n * sizeof(Pack));
  for (int l = 0; l < kLanes; ++l) {
    if (bad[l] != 0.0) return false;
  }
  return true;
}

void packs_to_rows(double* rows, size_t n, int count, const double* packs) {
  Packs from(n + 1);
  if (n > 0) std::memcpy(from.data, packs, n * sizeof(Pack));
  store_rows(rows, n, count, from.data);
}

bool all_finite(const double* x, size_t n) { return is_clean(poison_of_array(x, n, kArgumentScale)); }

// The factorisation as the kernels do it, with packed rows.
void sparse_factor(const Model& m, const double* M, double* L) {
  const long n = m.tree_nv;
  double* memory = static_cast<double*>(std::calloc(packed_tables_size(m) + packed_rows_size(m) + 1, sizeof(double)));
  PackedRows rows;
  pack_rows(m, memory, rows);
  double* packed = memory + packed_tables_size(m);
  auto each = [&](auto f) {
    for (int k = 0; k < n; ++k) {
      for (int i = k; i >= 0; i = m.dof_parent[i]) f(k * n + i, rows.start[k] + rows.depth[i]);
    }
  };
  each([&](long full, long entry) { packed[entry] = M[full]; });
  sparse_cholesky(m, rows, packed);
  each([&](long full, long entry) { L[full] = packed[entry]; });
  for (int k = 0; k < n; ++k) L[k * n + k] = 1.0 / L[k * n + k];
  std::free(memory);
}

void solve_contacts(const double* problem, const double* b, double* l) {
  auto column = [](const double* rows, int n, int k) {
    Pack x{};
    for (int i = 0; i < kLanes; ++i) x[i] = rows[n * i + k];
    return x;
  };
  const Pack nn = column(problem, 6, 0), one = broadcast<Pack>(1.0), zero = broadcast<Pack>(0.0);
  const LocalProblem<Pack> g{
      nn,  column(problem, 6, 1), column(problem, 6, 2), column(problem, 6, 3), column(problem, 6, 4), 1.0 / nn, one,
      one, column(problem, 6, 5)};
  const Impulse<Pack> u{column(b, 3, 0), column(b, 3, 1), column(b, 3, 2)};
  Pack gamma = zero;
  const Impulse<Pack> found = solve_contact(g, Impulse<Pack>{zero, zero, zero}, u, gamma);
  for (int i = 0; i < kLanes; ++i) l[3 * i] = found.n[i], l[3 * i + 1] = found.t1[i], l[3 * i + 2] = found.t2[i];
}

// Memory of the model's joints without anything added, by which couplings are looked at in one solve.
template <class T>
struct RestingModel {
  const Model& m;
  Workspace<T> ws;
  Couplings<T> rows;
  T *q, *tau, *force, *joint, *vdot, *rate, *cluster;
  int* slot;
  char* memory;

  RestingModel(const Model& model, int count) : m(model) {
    const size_t kernel = Workspace<T>::layout(ws, m, nullptr), own = lay_out(nullptr, count);
    memory = static_cast<char*>(std::aligned_alloc(64, kernel + own + 64));
    std::memset(memory, 0, kernel + own + 64);
    Workspace<T>::layout(ws, m, memory);
    Workspace<T>::fill_constants(ws, m);
    lay_out(memory + kernel, count);
    rows.number_nodes(m);
    for (int i = 0; i < m.nodes; ++i) slot[i] = -1;
    for (int k = 0; k < m.tree_nv; ++k) joint[k] = broadcast<T>(m.armature[k]);
  }
  ~RestingModel() { std::free(memory); }
  size_t lay_out(char* at, int count) {
    size_t used = 0;
    auto take = [&]<class U>(U*& array, size_t n) {
      array = reinterpret_cast<U*>(at + used);
      used += (n * sizeof(U) + 63) / 64 * 64;
    };
    const size_t n = m.tree_nv + m.nq + 1;
    take(q, n), take(tau, n), take(force, n), take(joint, n), take(vdot, n), take(rate, n), take(slot, m.nodes);
    take(cluster, m.coupled ? m.cluster_memory : 0), rows.lay_out(take, m, count, count * m.tree_nv);
    return used;
  }
  // Wrenches of rows with forces are taken off, those on joints are in `force`; rows are added where asked for.
  void solve(const T* tree_q, bool coupled) {
    const AddedInertia<T> inertia{m, nullptr, slot, nullptr, joint};
    if (m.coupled) {
      eliminate_swept_step(inertia, ws, tree_q, static_cast<const T*>(rate), static_cast<const T*>(force), cluster);
    } else {
      eliminate_joints(m, ws, tree_q, static_cast<const T*>(force), inertia);
    }
    if (coupled) add_couplings(m, ws, tree_q, cluster, rows);
    if (m.coupled) {
      accelerate_swept_step(m, ws, tree_q, vdot, cluster);
    } else {
      accelerate(m, ws, tree_q, vdot);
    }
    for (int k = 0; k < m.tree_nv; ++k) {
      rate[k] = m.coupled ? broadcast<T>(0.0) : vdot[k];
      for (int e = m.coupled ? m.row[k] : 0; m.coupled && e < m.row[k + 1]; ++e) {
        rate[k] = rate[k] + ws.coupling[e] * vdot[m.column[e]];
      }
    }
  }
};

template <class T>
void couple_lanes(const Model& m, const tests::RowProblem& x) {
  RestingModel<T> s(m, x.rows);
  auto load = [&](const double* from, int n, T* to) {
    for (int l = 0; l < lanes<T>; ++l) {
      for (int k = 0; k < n; ++k) set_lane(to[k], l, from[(size_t)l * n + k]);
    }
  };
  auto save = [&](const T& from, int n, int k, double* to) {
    for (int l = 0; l < lanes<T>; ++l) to[(size_t)l * n + k] = lane(from, l);
  };
  const T zero = broadcast<T>(0.0);
  load(x.q, m.nq, s.q), load(x.tau, m.nv, s.tau);
  const T* q = s.q;
  if (m.coupled) close_coordinates(m, s.ws, q, static_cast<const T*>(nullptr), true), q = s.ws.tree_q;
  prepare_joints(m, s.ws, q);
  // 1. the rows
  for (int k = 0; k < x.rows; ++k) {
    const int row = s.rows.add();
    CouplingRow<T>& r = s.rows.row[row];
    if (x.hard[k]) r.hard = less<T>(zero, broadcast<T>(1.0));
    for (int l = 0; l < lanes<T>; ++l) {
      const double* number = x.number + 3 * ((size_t)l * x.rows + k);
      set_lane(r.target, l, number[0]), set_lane(r.constant, l, number[1]), set_lane(r.resist, l, number[2]);
    }
    for (int e = 0; e < 2; ++e) {
      const double* w = x.wrench + 12 * k + 6 * e;
      if (x.node[2 * k + e] >= 0) s.rows.push(row, x.node[2 * k + e], {widen<T>(vec3(w)), widen<T>(vec3(w + 3))});
    }
    for (int d = 0; d < m.tree_nv; ++d) {
      if (x.factor[(size_t)k * m.tree_nv + d] != 0.0) s.rows.turn(row, d, broadcast<T>(x.factor[(size_t)k * m.tree_nv + d]));
    }
  }
  // 2. with them
  for (int i = 0; i < m.nodes; ++i) s.ws.wrench[i] = {zero3<T>(), zero3<T>()};
  for (int k = 0; k < m.nv; ++k) s.force[k] = s.tau[k];
  s.solve(q, true);
  for (int k = 0; k < m.nv; ++k) save(s.vdot[k], m.nv, k, x.vdot);
  for (int k = 0; k < x.rows; ++k) {
    save(s.rows.row[k].force, x.rows, k, x.force);
    save(acceleration_along(s.ws, static_cast<const T*>(s.rate), s.rows, k), x.rows, k, x.along);
  }
  // 3. with their forces
  for (int i = 0; i < m.nodes; ++i) s.ws.wrench[i] = {zero3<T>(), zero3<T>()};
  for (int k = 0; k < x.rows; ++k) {
    const CouplingRow<T>& r = s.rows.row[k];
    for (int e = 0; e < 2; ++e) {
      if (r.node[e] >= 0) s.ws.wrench[r.node[e]] += Wrench<T>{-r.force * r.wrench[e].f, -r.force * r.wrench[e].n};
    }
    for (int i = r.first; i < r.first + r.terms; ++i) {
      const int d = s.rows.term[i].dof;
      const T force = r.force * s.rows.term[i].factor;
      if (!m.coupled) s.force[d] = s.force[d] + force;
      for (int e = m.coupled ? m.row[d] : 0; m.coupled && e < m.row[d + 1]; ++e) {
        s.force[m.column[e]] = s.force[m.column[e]] + s.ws.coupling[e] * force;
      }
    }
  }
  s.solve(q, false);
  for (int k = 0; k < m.nv; ++k) save(s.vdot[k], m.nv, k, x.explicit_vdot);
}

void couple(const Model& m, const tests::RowProblem& x) {
  if (x.single) {
    couple_lanes<double>(m, x);
  } else {
    couple_lanes<Pack>(m, x);
  }
}

}  // namespace

#define TARSUS_PROBE_TEXT2(x) #x
#define TARSUS_PROBE_TEXT(x) TARSUS_PROBE_TEXT2(x)
extern const tests::Probe probe;
const tests::Probe probe = {TARSUS_PROBE_TEXT(TARSUS_ISA),
                            kLanes,
                            pack_sincos,
                            single_sincos,
                            pack_angle,
                            pack_rotation_vector,
                            rows_to_packs,
                            packs_to_rows,
                            all_finite,
                            sparse_factor,
                            solve_contacts,
                            couple};

}  // namespace tarsus::TARSUS_ISA
