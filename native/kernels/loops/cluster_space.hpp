// Memory of a cluster of joints that are eliminated together (clustered_body.hpp).
#pragma once
#include "kernels/dynamics/articulated_body.hpp"

namespace tarsus::TARSUS_ISA {

// Memory of one cluster: what the forward recursion needs (kept), and what only its elimination does (shared).
template <class T>
struct ClusterSpace {
  T *lower, *inverse, *rhs, *wrench;  // M_S = L D L^T: ni x ni, 1/D, L^-1 r, L^-1 B (ni x 6)
  T *mass, *coupling, *force;         // of the tree's joints in the cluster: n x n, n x ni, n
  Wrench<T>* carried;                 // n: wrench that a unit acceleration of a joint needs, at the root
  ClusterSpace(const Model& m, const Cluster& c, T* memory) {
    const size_t ni = c.independents, n = c.dofs;
    lower = memory + c.scratch, inverse = lower + ni * ni, rhs = inverse + ni, wrench = rhs + ni;
    T* shared = memory + m.cluster_working;
    mass = shared, coupling = mass + n * n, force = coupling + n * ni;
    carried = reinterpret_cast<Wrench<T>*>(force + n);
  }
};

}  // namespace tarsus::TARSUS_ISA
