// The rows of the table of operations by number and by name; their order is the same in all instruction sets.
#pragma once
#include <cstring>
#include <string>

#include "dispatch/select.hpp"

namespace tests {

// Null after the last one.
inline const tarsus::Operation* operation_or_null(int operation) {
  static const tarsus::KernelTable& table = *tarsus::compiled_tables().front();
  return table.operation(operation);
}
inline const tarsus::Operation& row(int operation) { return *operation_or_null(operation); }

inline int operation_of(const char* function, const char* method = "") {
  for (int i = 0; const tarsus::Operation* o = operation_or_null(i); ++i) {
    if (std::strcmp(o->function, function) == 0 && std::strcmp(o->method, method) == 0) return i;
  }
  std::abort();
}

inline std::string operation_name(int operation) {
  const tarsus::Operation& o = row(operation);
  return *o.method ? std::string(o.function) + " (" + o.method + ")" : o.function;
}

inline const int kOperations = [] {
  int count = 0;
  while (operation_or_null(count)) ++count;
  return count;
}();

inline const int kBodyPoses = operation_of("body_poses"), kFramePoses = operation_of("frame_poses"),
                 kFrameVelocity = operation_of("frame_velocity"), kFrameAcceleration = operation_of("frame_acceleration"),
                 kFrameMotions = operation_of("frame_motions"), kJacobian = operation_of("jacobian"),
                 kJacobianDot = operation_of("jacobian_dot"), kJacobianDotV = operation_of("jacobian_dot_v"),
                 kJointScrews = operation_of("joint_screws"), kBodyJacobians = operation_of("body_jacobians"),
                 kCenterOfMass = operation_of("center_of_mass"), kComJacobian = operation_of("com_jacobian"),
                 kMomentum = operation_of("momentum"), kMomentumMatrix = operation_of("momentum_matrix"),
                 kKineticEnergy = operation_of("kinetic_energy"), kPotentialEnergy = operation_of("potential_energy");
inline const int kMassMatrix = operation_of("mass_matrix"), kBiasForce = operation_of("bias_force"),
                 kGravityForce = operation_of("gravity_force"), kCoriolisMatrix = operation_of("coriolis_matrix"),
                 kSolveMass = operation_of("solve_mass"), kTorqueRegressor = operation_of("torque_regressor"),
                 kPassiveForce = operation_of("passive_force"), kIntegrate = operation_of("integrate"),
                 kDifference = operation_of("difference"), kNormalize = operation_of("normalize"),
                 kJointPositions = operation_of("joint_positions");
inline const int kInverseDynamics = operation_of("inverse_dynamics", "recursive"),
                 kInverseNewtonEuler = operation_of("inverse_dynamics", "newton-euler"),
                 kInverseDenoc = operation_of("inverse_dynamics", "denoc"),
                 kInverseGauss = operation_of("inverse_dynamics", "gauss"),
                 kFloatingInverseDynamics = operation_of("floating_inverse_dynamics");
inline const int kArticulatedBody = operation_of("forward_dynamics", "articulated-body"),
                 kCompositeBody = operation_of("forward_dynamics", "composite-body"),
                 kCompositeBodySparse = operation_of("forward_dynamics", "composite-body-sparse"),
                 kNewtonEuler = operation_of("forward_dynamics", "newton-euler"),
                 kNewtonEulerSparse = operation_of("forward_dynamics", "newton-euler-sparse"),
                 kDenoc = operation_of("forward_dynamics", "denoc"), kGauss = operation_of("forward_dynamics", "gauss");
inline const int kInverseDynamicsDerivatives = operation_of("inverse_dynamics_derivatives"),
                 kForwardDynamicsDerivatives = operation_of("forward_dynamics_derivatives"),
                 kJacobianDerivative = operation_of("jacobian_derivative");
inline const int kConstrainedDerivatives = operation_of("constrained_dynamics_derivatives"),
                 kConstraintRows = operation_of("constraint_rows"),
                 kMultipliersSparse = operation_of("constrained_dynamics", "sparse");  // the last ones of the table

}  // namespace tests
