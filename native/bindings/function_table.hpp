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

struct Method {
  const char* name;
  int operation;
};

struct Function {
  const char* name;
  std::vector<Parameter> parameters;
  const char* names[kMaxParameters];
  int required, positional;
  bool plain;                   // the required arguments are the model and vectors
  std::vector<Method> methods;  // the first is the default
  PyObject* interned[kMaxParameters];
};

std::vector<Function>& functions();

}  // namespace tarsus
