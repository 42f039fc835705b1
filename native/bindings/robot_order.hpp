// Which robots of a batch share packs.
#pragma once
#include <algorithm>
#include <functional>
#include <numeric>

#include "bindings/simulator.hpp"

namespace tarsus {

// Whether impulses are solved for in a world.
inline bool solves_impulses(const World& world) {
  const LawRow* law = active_table->simulation->law;
  return std::any_of(world.surface, world.surface + world.surfaces, [&](const Surface& s) { return law[s.law].solved; });
}

// Whether robots are the same bits in any company: not where constraints, springs between bodies, bodies that touch or impulses
// are solved for.
inline bool same_in_company(const Simulator& s) {
  if (s.run.constraints || s.run.springs > 0 || s.run.world->pairs > 0 || solves_impulses(*s.run.world)) return false;
  return std::none_of(s.worlds.begin(), s.worlds.end(), [](const World* w) { return solves_impulses(*w); });
}

// Robots that are alike, and in the same world, one after the other; those that have failed (`run.failed` is there) are last.
// Robots that are equally alike stay in the order of the run before, as they were alike then.
inline void order_robots(Simulator& s, Run& run) {
  const size_t n = run.robots;
  if (s.single || n < 2 || run.world->contacts == 0 || !same_in_company(s)) return;
  if (s.order.size() != n) {
    s.likeness.assign(n, 0.0), s.order.resize(n);
    std::iota(s.order.begin(), s.order.end(), 0L);
  }
  std::stable_sort(s.order.begin(), s.order.end(), [&](long a, long b) {
    const bool fails = run.failed[a] != kRunOk;
    if (fails != (run.failed[b] != kRunOk)) return !fails;
    const World *mine = &world_of(run, a), *theirs = &world_of(run, b);
    return mine != theirs ? std::less<const World*>{}(mine, theirs) : s.likeness[a] < s.likeness[b];
  });
  run.order = s.order.data(), run.likeness = s.likeness.data();
}

}  // namespace tarsus
