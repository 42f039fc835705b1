// Every public function of a state: its parameters, and the operations behind its methods.
#pragma once
#include <vector>

#include "bindings/python.hpp"

namespace tarsus {

enum Parameter {
  pModel,
  pQ,
  pV,
  pA,
  pExternal,
  pDrive,
  pFrame,
  pFrames,
  pConstraints,
  pVolumes,
  pExpressedIn,
  pMethod,
  pPassive,
  pAlpha,
  pBeta,
  pRankTolerance,
  pOut,
  pThreads
};
constexpr int kMaxParameters = pThreads + 1;

struct Function {
  const char* name;
  std::vector<Parameter> parameters;
  const char* names[kMaxParameters];
  int required, positional;
  bool plain;                                // the required arguments are the model, vectors and at most one frame
  std::vector<const Operation*> operations;  // one a method, the first is the default
  PyTypeObject* results;                     // a named tuple where there are several
  PyObject* interned[kMaxParameters];
};

// Made from the rows of the table of operations when they are first asked for.
std::vector<Function>& functions();

}  // namespace tarsus
