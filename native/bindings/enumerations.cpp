// Enumerations that Python shares with the native core: names to numbers, written down once beside each enumeration.
#include <cstring>

#include "bindings/python.hpp"
#include "control/whole_body_run.hpp"
#include "ik/step_run.hpp"
#include "sensors/truth.hpp"
#include "simulation/run.hpp"

namespace tarsus {
namespace {

struct Enumeration {
  const char* name;
  const char* const* members;
  size_t count;
};

template <size_t n>
constexpr Enumeration listed(const char* name, const char* const (&members)[n]) {
  return {name, members, n};
}

constexpr Enumeration kEnumerations[] = {
    listed("JointKind", kJointKindNames),           listed("ClosureKind", kClosureKindNames),
    listed("LoopRowKind", kLoopRowKindNames),       listed("PairRowKind", kPairRowKindNames),
    listed("SurfaceKind", kSurfaceKindNames),       listed("FeatureKind", kFeatureKindNames),
    listed("EnergyPart", kEnergyPartNames),         listed("RunStatus", kRunStatusNames),
    listed("StartSample", kStartSampleNames),       listed("RigidEventKind", kRigidEventKindNames),
    listed("SensedKind", kSensedKindNames),         listed("TaskKind", kTaskKindNames),
    listed("PositionStatus", kPositionStatusNames), listed("PredictiveStatus", kPredictiveStatusNames),
    listed("PotentialKind", kPotentialKindNames),   listed("CostPart", kCostPartNames),
    listed("StepStatus", kStepStatusNames),         listed("BodyStatus", kBodyStatusNames),
};

// A list of names that is shorter or longer than its enumeration does not compile.
template <size_t n>
constexpr int size_of(const char* const (&)[n]) {
  return static_cast<int>(n);
}
static_assert(size_of(kClosureKindNames) == kFourBarClosure + 1);
static_assert(size_of(kLoopRowKindNames) == kRelation + 1 && size_of(kPairRowKindNames) == kPairRowKinds);
static_assert(size_of(kSurfaceKindNames) == kTriangleMesh + 1 && size_of(kFeatureKindNames) == kSegment + 1);
static_assert(size_of(kEnergyPartNames) == kEnergyParts && size_of(kRunStatusNames) == kRunStatuses);
static_assert(size_of(kStartSampleNames) == kSampleActed + 1 && size_of(kRigidEventKindNames) == kRigidEventKinds);
static_assert(size_of(kSensedKindNames) == kSensedForce + 1 && size_of(kTaskKindNames) == kTaskKinds);
static_assert(size_of(kPositionStatusNames) == kPositionExhausted + 1);
static_assert(size_of(kPredictiveStatusNames) == kPredictiveInterrupted + 1 && size_of(kCostPartNames) == kCostParts);
static_assert(size_of(kPotentialKindNames) == kPiecewisePotential + 1);
static_assert(size_of(kStepStatusNames) == kStepBadNorm + 1 && size_of(kBodyStatusNames) == kBodyStatuses);

}  // namespace

PyObject* enumeration(PyObject*, PyObject* wanted) {
  const char* name = PyUnicode_AsUTF8(wanted);
  if (!name) return nullptr;
  for (const Enumeration& e : kEnumerations) {
    if (std::strcmp(e.name, name) != 0) continue;
    PyObject* numbers = PyDict_New();
    for (size_t i = 0; numbers && i < e.count; ++i) {
      PyObject* number = PyLong_FromSize_t(i);
      if (!number || PyDict_SetItemString(numbers, e.members[i], number) < 0) Py_CLEAR(numbers);
      Py_XDECREF(number);
    }
    return numbers;
  }
  PyErr_Format(PyExc_KeyError, "no native enumeration %s", name);
  return nullptr;
}

}  // namespace tarsus
