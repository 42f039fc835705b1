#include "bindings/function_table.hpp"

#include <cstring>

namespace tarsus {
namespace {

Function declare(const char* name, std::vector<Parameter> state, const char* a_name, std::vector<Parameter> options,
                 std::vector<Method> methods, int optional_positional = 0) {
  Function f{};
  f.name = name;
  f.parameters = {pModel};
  f.parameters.insert(f.parameters.end(), state.begin(), state.end());
  f.required = static_cast<int>(f.parameters.size());
  f.positional = f.required + optional_positional;
  f.parameters.insert(f.parameters.end(), options.begin(), options.end());
  f.parameters.insert(f.parameters.end(), {pOut, pThreads});
  f.methods = std::move(methods);
  for (size_t i = 0; i < f.parameters.size(); ++i) {
    switch (f.parameters[i]) {
      case pModel: f.names[i] = "model"; break;
      case pQ: f.names[i] = std::strcmp(name, "difference") == 0 ? "q1" : "q"; break;
      case pV: f.names[i] = "v"; break;
      case pA: f.names[i] = a_name; break;
      case pExternal: f.names[i] = "external"; break;
      case pDrive: f.names[i] = "drive"; break;
      case pFrame: f.names[i] = "frame"; break;
      case pFrames: f.names[i] = "frames"; break;
      case pConstraints: f.names[i] = "constraints"; break;
      case pExpressedIn: f.names[i] = "expressed_in"; break;
      case pMethod: f.names[i] = "method"; break;
      case pPassive: f.names[i] = "passive"; break;
      case pAlpha: f.names[i] = "alpha"; break;
      case pBeta: f.names[i] = "beta"; break;
      case pRankTolerance: f.names[i] = "rank_tolerance"; break;
      case pOut: f.names[i] = "out"; break;
      case pThreads: f.names[i] = "threads"; break;
    }
  }
  return f;
}

}  // namespace

std::vector<Function>& functions() {
  static std::vector<Function> all = {
      declare("body_poses", {pQ}, "", {}, {{"", kBodyPoses}}),
      declare("frame_pose", {pQ, pFrame}, "", {}, {{"", kFramePoses}}),
      declare("frame_poses", {pQ, pFrames}, "", {}, {{"", kFramePoses}}),
      declare("frame_velocity", {pQ, pV, pFrame}, "", {pExpressedIn}, {{"", kFrameVelocity}}, 1),
      declare("frame_acceleration", {pQ, pV, pA, pFrame}, "vdot", {pExpressedIn}, {{"", kFrameAcceleration}}, 1),
      declare("jacobian", {pQ, pFrame}, "", {pExpressedIn}, {{"", kJacobian}}, 1),
      declare("jacobian_dot", {pQ, pV, pFrame}, "", {pExpressedIn}, {{"", kJacobianDot}}, 1),
      declare("jacobian_dot_v", {pQ, pV, pFrame}, "", {pExpressedIn}, {{"", kJacobianDotV}}, 1),
      declare("joint_screws", {pQ}, "", {}, {{"", kJointScrews}}),
      declare("body_jacobians", {pQ}, "", {}, {{"", kBodyJacobians}}),
      declare("center_of_mass", {pQ}, "", {}, {{"", kCenterOfMass}}),
      declare("com_jacobian", {pQ}, "", {}, {{"", kComJacobian}}),
      declare("momentum", {pQ, pV}, "", {}, {{"", kMomentum}}),
      declare("momentum_matrix", {pQ}, "", {}, {{"", kMomentumMatrix}}),
      declare("inverse_dynamics", {pQ, pV, pA}, "vdot", {pExternal, pMethod, pPassive},
              {{"recursive", kInverseDynamics},
               {"newton-euler", kInverseNewtonEuler},
               {"denoc", kInverseDenoc},
               {"gauss", kInverseGauss}},
              2),
      declare("floating_inverse_dynamics", {pQ, pV, pA}, "joint_acceleration", {pExternal, pPassive},
              {{"", kFloatingInverseDynamics}}, 1),
      declare("mass_matrix", {pQ}, "", {}, {{"", kMassMatrix}}),
      declare("bias_force", {pQ, pV}, "", {}, {{"", kBiasForce}}),
      declare("gravity_force", {pQ}, "", {}, {{"", kGravityForce}}),
      declare("coriolis_matrix", {pQ, pV}, "", {}, {{"", kCoriolisMatrix}}),
      declare("solve_mass", {pQ, pA}, "rhs", {}, {{"", kSolveMass}}),
      declare("torque_regressor", {pQ, pV, pA}, "vdot", {}, {{"", kTorqueRegressor}}),
      declare("forward_dynamics", {pQ, pV, pA}, "tau", {pExternal, pMethod, pPassive},
              {{"articulated-body", kArticulatedBody},
               {"composite-body", kCompositeBody},
               {"composite-body-sparse", kCompositeBodySparse},
               {"newton-euler", kNewtonEuler},
               {"newton-euler-sparse", kNewtonEulerSparse},
               {"denoc", kDenoc},
               {"gauss", kGauss}},
              2),
      declare("kinetic_energy", {pQ, pV}, "", {}, {{"", kKineticEnergy}}),
      declare("potential_energy", {pQ}, "", {}, {{"", kPotentialEnergy}}),
      declare("passive_force", {pQ, pV}, "", {}, {{"", kPassiveForce}}),
      declare("integrate", {pQ, pV}, "", {}, {{"", kIntegrate}}),
      declare("difference", {pQ, pA}, "q2", {}, {{"", kDifference}}),
      declare("inverse_dynamics_derivatives", {pQ, pV, pA}, "vdot", {pExternal, pPassive}, {{"", kInverseDynamicsDerivatives}},
              1),
      declare("forward_dynamics_derivatives", {pQ, pV, pA}, "tau", {pExternal, pPassive}, {{"", kForwardDynamicsDerivatives}}, 1),
      declare("jacobian_derivative", {pQ, pFrame}, "", {pExpressedIn}, {{"", kJacobianDerivative}}, 1),
      declare("constraint_rows", {pQ, pV, pConstraints}, "", {pDrive}, {{"", kConstraintRows}}),
      declare("constrained_dynamics", {pQ, pV, pA, pConstraints}, "tau",
              {pExternal, pDrive, pMethod, pPassive, pAlpha, pBeta, pRankTolerance},
              {{"sparse", kMultipliersSparse},
               {"recursive", kMultipliersRecursive},
               {"runs", kMultipliersRuns},
               {"dense", kMultipliersDense}}),
      declare("normalize", {pQ}, "", {}, {{"", kNormalize}}),
      declare("joint_positions", {pQ}, "", {}, {{"", kJointPositions}}),
      declare("joint_velocities", {pQ, pV}, "", {}, {{"", kJointVelocities}}),
      declare("coupling_matrix", {pQ}, "", {}, {{"", kCouplingMatrix}}),
  };
  return all;
}

}  // namespace tarsus
