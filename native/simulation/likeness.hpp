// Which robots do well to share a pack. Lanes of a pack wait for each other: a contact that acts in one of them is solved for in
// all, and so is a pass that one needs. What becomes of a robot does not depend on who shares its pack.
#pragma once
#include "simulation/robot.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kLikenessBits = 20;  // contacts that are told apart

// A number of the robot in this lane, near those of robots that touch the ground with the same contacts.
template <class T>
inline double likeness(const Robot<T>& r, int l) {
  double number = 0.0, place = 1.0;
  for (int i = 0; i < r.world.contacts && i < kLikenessBits; ++i, place *= 2.0) {
    if (lane(dot(r.contact[i].force, r.contact[i].force), l) > 0.0) number += place;
  }
  return number;
}

}  // namespace tarsus::TARSUS_ISA
