// Where derivatives of inverse dynamics by q, v and vdot go.
#pragma once

namespace tarsus::TARSUS_ISA {

// The three results, row-major (tree_nv x tree_nv).
template <class T>
struct DerivativeSquares {
  T *q, *v, *a;
  int n;
};

}  // namespace tarsus::TARSUS_ISA
