// By how much commands may miss what they must fulfil.
#pragma once

namespace tarsus::TARSUS_ISA {

constexpr double kMotionHolds = 1e-8;  // what is left of equations of motion and contact rows, relative to their parts
constexpr double kLimitHolds = 1e-7;   // violations of cones and torque limits, in units of force, relative to the torques

}  // namespace tarsus::TARSUS_ISA
