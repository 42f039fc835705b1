"""Comparing functions of tarsus with Pinocchio, one state at a time and as a batch."""

from collections.abc import Callable
from functools import lru_cache, partial
from operator import methodcaller
from typing import Any

import numpy as np
from parity.pinocchio_models import Pair
from parity.pinocchio_quantities import Pinocchio, Sample, samples

import tarsus as ts
from tarsus.arrays import FloatArray

RELATIVE = 1e-9
"""Agreement asked of every quantity, as a share of its largest entry: above the rounding of either library (1e-11 in
accelerations of light fingers on heavy arms), far below the smallest term of the equations."""
SMALLEST_SCALE = 1e-3
"""Largest entries below this count as this: derivatives of a rigid root's Jacobian vanish up to rounding of 1e-16."""
STATES = 5
"""More than a pack of four lanes, so that a batch has a remainder."""
FRAMES = 5
"""Frames looked at on each robot."""

Call = Callable[[ts.Model, Sample], FloatArray]

FUNCTIONS: dict[str, Call] = {
    "body_poses": lambda m, s: ts.body_poses(m, s.q),
    "frame_poses": lambda m, s: ts.frame_poses(m, s.q, link_names(m)),
    "body_jacobians": lambda m, s: ts.body_jacobians(m, s.q),
    "joint_screws": lambda m, s: ts.joint_screws(m, s.q),
    "center_of_mass": lambda m, s: ts.center_of_mass(m, s.q),
    "com_jacobian": lambda m, s: ts.com_jacobian(m, s.q),
    "momentum": lambda m, s: ts.momentum(m, s.q, s.v),
    "momentum_matrix": lambda m, s: ts.momentum_matrix(m, s.q),
    "momentum_dot_v": lambda m, s: ts.momentum_dot_v(m, s.q, s.v),
    "inverse_dynamics": lambda m, s: ts.inverse_dynamics(m, s.q, s.v, s.vdot),
    "inverse_dynamics_with_wrenches": lambda m, s: ts.inverse_dynamics(m, s.q, s.v, s.vdot, s.external),
    "forward_dynamics": lambda m, s: ts.forward_dynamics(m, s.q, s.v, s.tau),
    "forward_dynamics_with_wrenches": lambda m, s: ts.forward_dynamics(m, s.q, s.v, s.tau, s.external),
    "composite_body": lambda m, s: ts.forward_dynamics(m, s.q, s.v, s.tau, s.external, method="composite-body"),
    "gauss": lambda m, s: ts.forward_dynamics(m, s.q, s.v, s.tau, s.external, method="gauss"),
    "inverse_gauss": lambda m, s: ts.inverse_dynamics(m, s.q, s.v, s.vdot, s.external, method="gauss"),
    "solve_mass": lambda m, s: ts.solve_mass(m, s.q, s.tau),
    "mass_matrix": lambda m, s: ts.mass_matrix(m, s.q),
    "bias_force": lambda m, s: ts.bias_force(m, s.q, s.v),
    "gravity_force": lambda m, s: ts.gravity_force(m, s.q),
    "coriolis_force": lambda m, s: (ts.coriolis_matrix(m, s.q, s.v) @ s.v[..., None])[..., 0],
    "torque_regressor": lambda m, s: ts.torque_regressor(m, s.q, s.v, s.vdot),
    "kinetic_energy": lambda m, s: ts.kinetic_energy(m, s.q, s.v),
    "potential_energy": lambda m, s: ts.potential_energy(m, s.q),
}
SAME_AS = {"composite_body": "forward_dynamics_with_wrenches"}
SAME_AS |= {"gauss": "forward_dynamics_with_wrenches", "inverse_gauss": "inverse_dynamics_with_wrenches"}


def _forward_by(method: Any) -> Call:
    return lambda m, s: ts.forward_dynamics(m, s.q, s.v, s.tau, s.external, method)


def _inverse_by(method: Any) -> Call:
    return lambda m, s: ts.inverse_dynamics(m, s.q, s.v, s.vdot, s.external, method)


for _method in ("composite-body-sparse", "newton-euler", "newton-euler-sparse", "denoc"):
    FUNCTIONS[f"forward_{_method}"] = _forward_by(_method)
    SAME_AS[f"forward_{_method}"] = "forward_dynamics_with_wrenches"
for _method in ("newton-euler", "denoc"):
    FUNCTIONS[f"inverse_{_method}"] = _inverse_by(_method)
    SAME_AS[f"inverse_{_method}"] = "inverse_dynamics_with_wrenches"

FRAME_FUNCTIONS: dict[str, Callable[..., FloatArray]] = {
    "frame_velocity": lambda m, s, frame, axes: ts.frame_velocity(m, s.q, s.v, frame, axes),
    "frame_acceleration": lambda m, s, frame, axes: ts.frame_acceleration(m, s.q, s.v, s.vdot, frame, axes),
    "jacobian": lambda m, s, frame, axes: ts.jacobian(m, s.q, frame, axes),
    "jacobian_dot": lambda m, s, frame, axes: ts.jacobian_dot(m, s.q, s.v, frame, axes),
    "jacobian_dot_v": lambda m, s, frame, axes: ts.jacobian_dot_v(m, s.q, s.v, frame, axes),
}


def check_function(pair: Pair, name: str) -> None:
    """Assert that a function agrees, on single states and on a batch of them."""
    _check(pair, FUNCTIONS[name], methodcaller(SAME_AS.get(name, name)))


def check_frame_function(pair: Pair, name: str, expressed_in: str) -> None:
    """Assert that a function of a frame agrees for frames spread over the robot."""
    for frame in some_frames(pair.model):
        ours, theirs = (
            partial(FRAME_FUNCTIONS[name], frame=frame, axes=expressed_in),
            methodcaller(name, frame, expressed_in),
        )
        _check(pair, ours, theirs)


def link_names(model: ts.Model) -> list[str]:
    """Frames that are links of the file, those behind fixed joints among them."""
    return [frame.name for frame in model.frames.values() if frame.kind in ("body", "link")]


def some_frames(model: ts.Model) -> list[str]:
    """The root, the last body and links in between."""
    names = link_names(model)
    chosen = np.linspace(0, len(names) - 1, min(FRAMES, len(names))).round().astype(int)
    return [names[i] for i in chosen] + [list(model.bodies)[-1]]


@lru_cache(maxsize=4)
def _states(pair: Pair) -> tuple[Sample, list[Pinocchio]]:
    batch = samples(pair.model, STATES, seed=pair.model.nv)
    return batch, [Pinocchio(pair, batch[row]) for row in range(STATES)]


def _check(pair: Pair, ours: Call, theirs: Callable[[Pinocchio], Any]) -> None:
    batch, peers = _states(pair)
    expected = np.array([theirs(peer) for peer in peers])
    assert_agree(ours(pair.model, batch), expected)
    for row in range(STATES):
        assert_agree(ours(pair.model, batch[row]), expected[row])


def assert_agree(ours: FloatArray, theirs: FloatArray, relative: float = RELATIVE) -> None:
    """Assert that two arrays differ by no more than a share of the largest entry."""
    assert np.shape(ours) == np.shape(theirs)
    scale = float(np.max(np.abs(theirs), initial=SMALLEST_SCALE))
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=relative * scale)
