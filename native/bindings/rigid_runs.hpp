// Runs of robots on rigid ground by events: what they read and tell beyond other runs.
#pragma once
#include <vector>

#include "bindings/entries.hpp"
#include "bindings/python.hpp"
#include "simulation/rigid/phase_numbers.hpp"
#include "threads/pool.hpp"

namespace tarsus {

inline bool read_rigid_request(Entries& e, const World& w, Run& run) {
  run.phase = e.needed<double>("phase", run.robots * phase_numbers(w.contacts, run.model->tree_nv), true);
  run.take_impacts = static_cast<int>(e.integer("take_impacts")), run.check_start = static_cast<int>(e.integer("check_start"));
  run.out_time = e.array<double>("out_time", run.samples, true);
  run.out_dof = e.array<double>("out_dof", run.samples * run.robots, true);
  return e.good() && !(run.take_impacts && run.robots != 1);
}

// One robot at a time; what happened comes in the order of the robots. Memory of a thread is made by its first call.
inline void run_rigid_robots(Run& run, std::vector<void*>& memory, std::vector<RigidEvent>& happened) {
  std::vector<std::vector<RigidEvent>> logs(run.robots);
  std::vector<Run> parts(run.robots, run);
  const int threads = static_cast<int>(memory.size());
  parallel_rows(run.robots, 1, threads, [&](int worker, long begin, long end) {
    for (long row = begin; row < end; ++row) {
      Run& part = parts[row];
      part.begin = row, part.end_row = row + 1, part.log = &logs[row];
      part.note = [](void* log, const RigidEvent& event) { static_cast<std::vector<RigidEvent>*>(log)->push_back(event); };
      if (!memory[worker]) memory[worker] = active_table->simulation->open_rigid(run);
      if (memory[worker]) {
        active_table->simulation->run_rigid(part, memory[worker]);
      } else {
        part.status = kRunOutOfMemory;
      }
    }
  });
  for (const std::vector<RigidEvent>& log : logs) happened.insert(happened.end(), log.begin(), log.end());
  for (const Run& part : parts) run.unsettled += part.unsettled, run.taken = part.taken, run.due_taken = part.due_taken;
  for (const Run& part : parts) {
    if (part.status == 0) continue;
    run.status = part.status, run.row = part.row, run.time = part.time, run.closure = part.closure, run.depth = part.depth;
    return;
  }
}

inline PyObject* event_list(const std::vector<RigidEvent>& happened) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(happened.size()));
  for (size_t i = 0; list && i < happened.size(); ++i) {
    const RigidEvent& e = happened[i];
    PyObject* entry =
        Py_BuildValue("(liiddddd)", e.row, e.kind, e.contact, e.time, e.speed, e.impulse[0], e.impulse[1], e.impulse[2]);
    if (entry) {
      PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), entry);
    } else {
      Py_CLEAR(list);
    }
  }
  return list;
}

}  // namespace tarsus
