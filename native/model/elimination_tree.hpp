// The elimination tree of the reduced mass matrix of a model with dependent joints.
#pragma once
#include <vector>

#include "model/model.hpp"

namespace tarsus {

// For each independent degree of freedom the next one on the way to the root of the tree, -1 at its end, when G^T M G is
// factorised from the last row up. M is a sum over bodies of products of Jacobians, whose columns are those of G on the way to
// the body: the tree of such a sum follows from the columns of each way (Gilbert, Li, Ng and Peyton 2001), and ways to the leaves
// hold the others.
std::vector<int> elimination_tree(const Model& m);

}  // namespace tarsus
