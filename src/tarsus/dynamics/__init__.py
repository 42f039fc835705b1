"""Kinematics and dynamics of a model at a state; every function takes batches."""

from tarsus.dynamics import _arguments as _arguments
from tarsus.dynamics.denoc import (
    DenocFactors,
    DenocMatrices,
    convective_inertia,
    denoc_factors,
    denoc_mass_matrix,
    denoc_matrices,
)
from tarsus.dynamics.derivatives import (
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    jacobian_derivative,
)
from tarsus.dynamics.floating import FloatingInverseDynamics, floating_inverse_dynamics
from tarsus.dynamics.forward import forward_dynamics, solve_mass
from tarsus.dynamics.gauss import GaussSystem, gauss_system
from tarsus.dynamics.inverse import bias_force, gravity_force, inverse_dynamics, passive_force, torque_regressor
from tarsus.dynamics.jacobians import body_jacobians, jacobian, jacobian_dot, jacobian_dot_v, joint_screws
from tarsus.dynamics.kinematics import (
    body_poses,
    frame_acceleration,
    frame_motions,
    frame_pose,
    frame_poses,
    frame_velocity,
)
from tarsus.dynamics.mass_matrix import coriolis_matrix, mass_matrix
from tarsus.dynamics.methods import method_path, methods
from tarsus.dynamics.momentum import (
    center_of_mass,
    com_jacobian,
    kinetic_energy,
    momentum,
    momentum_dot_v,
    momentum_matrix,
    potential_energy,
)
from tarsus.dynamics.wrenches import body_wrenches

__all__ = [
    "DenocFactors",
    "DenocMatrices",
    "FloatingInverseDynamics",
    "GaussSystem",
    "bias_force",
    "body_jacobians",
    "body_poses",
    "body_wrenches",
    "center_of_mass",
    "com_jacobian",
    "convective_inertia",
    "coriolis_matrix",
    "denoc_factors",
    "denoc_mass_matrix",
    "denoc_matrices",
    "floating_inverse_dynamics",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_acceleration",
    "frame_motions",
    "frame_pose",
    "frame_poses",
    "frame_velocity",
    "gauss_system",
    "gravity_force",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian",
    "jacobian_derivative",
    "jacobian_dot",
    "jacobian_dot_v",
    "joint_screws",
    "kinetic_energy",
    "mass_matrix",
    "method_path",
    "methods",
    "momentum",
    "momentum_dot_v",
    "momentum_matrix",
    "passive_force",
    "potential_energy",
    "solve_mass",
    "torque_regressor",
]
