// What sensors read of a robot that is written down by hand, beside closed forms.
#pragma once
#include "sensors/truth.hpp"
#include "tests/check.hpp"

namespace tests {

inline void test_sensors() {
  using namespace tarsus;
  constexpr double kWeight = 2.0 * 9.81, kRounding = 1e-14;
  // Two frames: one at the origin, one turned by 90 degrees about z at (1, 2, 3), which spins with 3 rad/s about z.
  const Numbers X{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1};
  const Numbers V{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3}, A{0, 0, 0, 0, 0, 0, 4, 5, 6, 0, 0, 0};
  const Numbers position{0.5, 0, 0, NAN, NAN, NAN}, force{0, 0, 10, 0, 0, 0}, q{7, 8}, gravity{0, 0, -9.81};
  // A part of 2 kg with its centre 0.1 m in front of the first frame; unit matrices; weights of a component; contacts 0 and 1.
  const Numbers part{2, 0.1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, matrices{1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0, 0, 2, 0, 0, 0, 2};
  Numbers numbers = matrices;
  for (const double weight : {0.0, 0.0, 1.0, 0.0, 1.0, 0.0}) numbers.push_back(weight);
  const std::vector<int> part_frame{0}, contact{0, 1};
  const std::vector<SensedEntry> entries{{kSensedPosition, 0, 1, 0, 0, 0, 0, 0},
                                         {kSensedInertial, 1, 1, 0, 0, 0, 0, 0},
                                         {kSensedWrench, 7, 0, 0, 0, 1, 0, 2},
                                         {kSensedComponent, 13, 0, 18, 0, 1, 0, 2},
                                         {kSensedForce, 14, 0, 0, 0, 0, 0, 2}};
  SensedTable table{};
  table.entries = static_cast<int>(entries.size()), table.channels = 15, table.frames = 2, table.contacts = 2;
  table.entry = entries.data(), table.part_frame = part_frame.data(), table.part = part.data();
  table.numbers = numbers.data(), table.contact = contact.data();
  Numbers out(15);
  sense(table, {q.data(), X.data(), V.data(), A.data(), position.data(), force.data(), gravity.data()}, out.data());
  const Numbers expected{8,
                         0,
                         0,
                         3,
                         2 * 5,
                         2 * -4,
                         2 * (6 + 9.81),  // in the axes of the second frame
                         0,
                         0,
                         10 - kWeight,
                         0,
                         0.1 * kWeight - 0.5 * 10,
                         0,  // the ground less the weight
                         10 - kWeight + 0.1 * kWeight - 5,
                         10};
  check_close(out, expected, kRounding, "sensors differ from closed forms");
}

}  // namespace tests
