#include "bindings/function_table.hpp"

#include <algorithm>
#include <cstring>

namespace tarsus {
namespace {

const char* name_of(Parameter parameter, const Operation& o) {
  switch (parameter) {
    case pModel: return "model";
    case pQ: return o.q_name;
    case pV: return "v";
    case pA: return o.a_name;
    case pExternal: return "external";
    case pDrive: return o.volumes ? "obstacle_poses" : "drive";
    case pFrame: return "frame";
    case pFrames: return "frames";
    case pConstraints: return "constraints";
    case pVolumes: return "volumes";
    case pExpressedIn: return "expressed_in";
    case pMethod: return "method";
    case pPassive: return "passive";
    case pAlpha: return "alpha";
    case pBeta: return "beta";
    case pRankTolerance: return "rank_tolerance";
    case pOut: return "out";
    case pThreads: return "threads";
  }
  return "";
}

// Parameters in the order in which a function takes them. Those that are optional follow by position, too, as far as the
// method, unless there are constraints, which have many.
Function declare(const std::vector<const Operation*>& operations) {
  const Operation& o = *operations[0];
  Function f{};
  f.name = o.function;
  f.operations = operations;
  auto take = [&](bool has, Parameter parameter) {
    if (has) f.parameters.push_back(parameter);
  };
  take(true, pModel), take(true, pQ), take(o.v != Length::kNone, pV), take(o.a != Length::kNone, pA);
  take(o.frames == Frames::kOne, pFrame), take(o.frames == Frames::kSeveral, pFrames), take(o.constraints, pConstraints);
  take(o.volumes, pVolumes);
  f.required = static_cast<int>(f.parameters.size());
  take(o.expressed_in, pExpressedIn), take(o.external, pExternal), take(o.constraints || o.volumes, pDrive);
  take(operations.size() > 1, pMethod);
  f.positional = o.constraints || o.volumes ? f.required : static_cast<int>(f.parameters.size());
  take(o.passive, pPassive), take(o.stabilised, pAlpha), take(o.stabilised, pBeta), take(o.stabilised, pRankTolerance);
  take(!o.output[1].name, pOut), take(true, pThreads);
  for (size_t i = 0; i < f.parameters.size(); ++i) f.names[i] = name_of(f.parameters[i], o);
  f.plain = o.frames != Frames::kSeveral && !o.constraints && !o.volumes;
  return f;
}

}  // namespace

std::vector<Function>& functions() {
  static std::vector<Function> all = [] {
    std::vector<std::vector<const Operation*>> groups;  // by function, in the order of the rows
    for (int i = 0; const Operation* o = active_table->operation(i); ++i) {
      auto same = [&](const std::vector<const Operation*>& group) { return std::strcmp(group[0]->function, o->function) == 0; };
      const auto found = std::find_if(groups.begin(), groups.end(), same);
      if (found == groups.end()) {
        groups.push_back({o});
      } else {
        found->push_back(o);
      }
    }
    std::vector<Function> made;
    for (const auto& group : groups) made.push_back(declare(group));
    return made;
  }();
  return all;
}

}  // namespace tarsus
