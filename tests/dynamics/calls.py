"""All functions of a state with the arguments that they take, for tests that treat them alike."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dynamics.states import State

import tarsus as ts
from tarsus.arrays import FloatArray


@dataclass(frozen=True)
class Call:
    """A function, the parts of a `State` that it takes in their order, and further arguments by name."""

    function: Callable[..., FloatArray]
    arguments: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, model: ts.Model, state: State, **keywords: Any) -> FloatArray:
        return self.function(model, *(getattr(state, name) for name in self.arguments), **self.options, **keywords)


_FRAME = {"frame": "tool2"}
Q, QV, QVA = ("q",), ("q", "v"), ("q", "v", "vdot")

CALLS: dict[str, Call] = {
    "body_poses": Call(ts.body_poses, Q),
    "frame_pose": Call(ts.frame_pose, Q, _FRAME),
    "frame_poses": Call(ts.frame_poses, Q, {"frames": ["tool1", "body0", "tool2"]}),
    "frame_velocity": Call(ts.frame_velocity, QV, _FRAME),
    "frame_acceleration": Call(ts.frame_acceleration, QVA, _FRAME),
    "jacobian": Call(ts.jacobian, Q, _FRAME),
    "jacobian_dot": Call(ts.jacobian_dot, QV, _FRAME),
    "jacobian_dot_v": Call(ts.jacobian_dot_v, QV, _FRAME),
    "joint_screws": Call(ts.joint_screws, Q),
    "body_jacobians": Call(ts.body_jacobians, Q),
    "center_of_mass": Call(ts.center_of_mass, Q),
    "com_jacobian": Call(ts.com_jacobian, Q),
    "momentum": Call(ts.momentum, QV),
    "momentum_dot_v": Call(ts.momentum_dot_v, QV),
    "momentum_matrix": Call(ts.momentum_matrix, Q),
    "kinetic_energy": Call(ts.kinetic_energy, QV),
    "potential_energy": Call(ts.potential_energy, Q),
    "mass_matrix": Call(ts.mass_matrix, Q),
    "coriolis_matrix": Call(ts.coriolis_matrix, QV),
    "bias_force": Call(ts.bias_force, QV),
    "gravity_force": Call(ts.gravity_force, Q),
    "passive_force": Call(ts.passive_force, QV),
    "torque_regressor": Call(ts.torque_regressor, QVA),
    "inverse_dynamics": Call(ts.inverse_dynamics, QVA),
    "inverse_dynamics, pushed": Call(ts.inverse_dynamics, (*QVA, "external"), {"passive": True}),
    "forward_dynamics": Call(ts.forward_dynamics, ("q", "v", "tau")),
    "forward_dynamics, pushed": Call(ts.forward_dynamics, ("q", "v", "tau", "external"), {"passive": True}),
    "forward_dynamics, composite": Call(
        ts.forward_dynamics, ("q", "v", "tau", "external"), {"method": "composite-body", "passive": True}
    ),
    **{
        f"forward_dynamics, {method}": Call(
            ts.forward_dynamics, ("q", "v", "tau", "external"), {"method": method, "passive": True}
        )
        for method in ("composite-body-sparse", "newton-euler", "newton-euler-sparse", "denoc")
    },
    **{
        f"inverse_dynamics, {method}": Call(
            ts.inverse_dynamics, (*QVA, "external"), {"method": method, "passive": True}
        )
        for method in ("newton-euler", "denoc")
    },
    "forward_dynamics, gauss": Call(
        ts.forward_dynamics, ("q", "v", "tau", "external"), {"method": "gauss", "passive": True}
    ),
    "inverse_dynamics, gauss": Call(ts.inverse_dynamics, (*QVA, "external"), {"method": "gauss", "passive": True}),
    "solve_mass": Call(ts.solve_mass, ("q", "tau")),
    "inverse_dynamics_derivatives": Call(ts.inverse_dynamics_derivatives, QVA),
    "inverse_dynamics_derivatives, pushed": Call(ts.inverse_dynamics_derivatives, (*QVA, "external")),
    "forward_dynamics_derivatives": Call(ts.forward_dynamics_derivatives, ("q", "v", "tau")),
    "forward_dynamics_derivatives, pushed": Call(ts.forward_dynamics_derivatives, ("q", "v", "tau", "external")),
    "jacobian_derivative": Call(ts.jacobian_derivative, Q, _FRAME),
}

ARGUMENTS = [(name, argument) for name, call in CALLS.items() for argument in call.arguments]
"""Every array argument of every function."""
