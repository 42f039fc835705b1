// Sizes of the results of every operation.
#include "dispatch/call.hpp"

namespace tarsus {

size_t result_size(int operation, const Model& m, int frame_count) {
  const size_t nv = m.nv, nb = m.bodies;
  switch (operation) {
    case kBodyPoses: return nb * 16;
    case kFramePoses: return (size_t)frame_count * 16;
    case kFrameVelocity:
    case kFrameAcceleration:
    case kJacobianDotV:
    case kMomentum: return 6;
    case kJacobian:
    case kJacobianDot:
    case kJointScrews:
    case kMomentumMatrix: return 6 * nv;
    case kBodyJacobians: return nb * 6 * nv;
    case kCenterOfMass: return 3;
    case kComJacobian: return 3 * nv;
    case kMassMatrix:
    case kCoriolisMatrix: return nv * nv;
    case kTorqueRegressor: return nv * 10 * nb;
    case kInverseDynamicsDerivatives:
    case kForwardDynamicsDerivatives: return 3 * nv * nv;
    case kJacobianDerivative: return 6 * nv * nv;
    case kKineticEnergy:
    case kPotentialEnergy: return 1;
    case kIntegrate:
    case kNormalize: return m.nq;
    case kJointPositions: return m.tree_nq;
    case kJointVelocities: return m.tree_nv;
    case kCouplingMatrix: return m.tree_nv * nv;
    default: return nv;
  }
}

size_t result_size(const Call& call) {
  if (!has_constraints(call.operation)) return result_size(call.operation, *call.model, call.frame_count);
  const ConstraintTable& c = *call.constraints;
  if (call.operation == kConstraintRows) return (size_t)c.rows * (3 + call.model->nv);
  return multiplier_result(*call.model, c).size;
}

}  // namespace tarsus
