"""Partial derivatives of dynamics and Jacobians on real robots and on joints of every kind, against Pinocchio."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from parity.agreement import assert_agree, some_frames
from parity.pinocchio_models import ROBOTS, Pair, built_pair, robot_pair
from parity.pinocchio_quantities import AXES, Sample, samples
from parity.test_mixed_joints import TREES, tree

import tarsus as ts
from tarsus.arrays import FloatArray

STATES = 5
"""More than a pack of four lanes, so that a batch has a remainder."""

CASES: dict[str, Callable[[], Pair]] = {
    **{
        f"{robot}-{base}": (lambda robot=robot, base=base: robot_pair(ROBOTS[robot], base))  # type: ignore[misc]
        for robot in ("talos", "icub", "panda", "pr2")
        for base in ("fixed", "free")
    },
    "hrp2": lambda: _hrp2(),
}
MIXED = {name: (lambda name=name: tree(name, True)) for name in TREES}  # type: ignore[misc]
"""Universal joints as two hinges: Pinocchio forgets that the first axis of its own turns with the second angle."""


@cache
def _hrp2() -> Pair:
    return built_pair(ts.robots.hrp2())


def _symmetric(upper: FloatArray) -> FloatArray:
    """Both triangles of a matrix of which Pinocchio fills the upper one."""
    return np.triu(upper) + np.triu(upper, 1).T


def _their_inverse(pair: Pair, s: Sample) -> FloatArray:
    model, data, at = pair.pin_model, pair.pin_model.createData(), pair.layout  # results are views into data
    dq, dv, da = pin.computeRNEADerivatives(model, data, at.q(s.q), at.v(s.v), at.v(s.vdot))
    return np.array([at.from_matrix(np.array(D)) for D in (dq, dv, _symmetric(da))])


def _their_forward(pair: Pair, s: Sample) -> FloatArray:
    model, data, at = pair.pin_model, pair.pin_model.createData(), pair.layout
    dq, dv, dtau = pin.computeABADerivatives(model, data, at.q(s.q), at.v(s.v), at.tau(s.tau))
    return np.array([at.from_matrix(np.array(D)) for D in (dq, dv, _symmetric(dtau))])


def _their_hessian(pair: Pair, s: Sample, body: str, expressed_in: str) -> FloatArray:
    model, data, at = pair.pin_model, pair.pin_model.createData(), pair.layout
    pin.computeJointJacobians(model, data, at.q(s.q))
    pin.computeJointKinematicHessians(model, data)
    frame = model.frames[model.getFrameId(body, pin.FrameType.BODY)]
    assert_agree(frame.placement.homogeneous, np.eye(4))  # theirs is of the joint
    H = pin.getJointKinematicHessian(model, data, frame.parentJoint, AXES[expressed_in])
    # Their array claims C order over memory of a tensor in Fortran order.
    H = at.from_jacobian(np.asarray(H).reshape(-1).reshape((6, model.nv, model.nv), order="F"))
    return at.from_jacobian(H.swapaxes(1, 2)).swapaxes(1, 2)


@pytest.mark.parametrize("case", CASES | MIXED)
def test_inverse_dynamics_derivatives_agree(case: str) -> None:
    pair = (CASES | MIXED)[case]()
    batch = samples(pair.model, STATES, seed=1)
    found = ts.inverse_dynamics_derivatives(pair.model, batch.q, batch.v, batch.vdot)
    for row in range(STATES):
        s, expected = batch[row], _their_inverse(pair, batch[row])
        for together, alone, theirs in zip(
            found[row], ts.inverse_dynamics_derivatives(pair.model, s.q, s.v, s.vdot), expected, strict=True
        ):
            assert_agree(together, theirs)
            assert_agree(alone, theirs)


@pytest.mark.parametrize("case", CASES | MIXED)
def test_forward_dynamics_derivatives_agree(case: str) -> None:
    pair = (CASES | MIXED)[case]()
    batch = samples(pair.model, STATES, seed=2)
    found = ts.forward_dynamics_derivatives(pair.model, batch.q, batch.v, batch.tau)
    for row in range(STATES):
        s, expected = batch[row], _their_forward(pair, batch[row])
        for together, alone, theirs in zip(
            found[row], ts.forward_dynamics_derivatives(pair.model, s.q, s.v, s.tau), expected, strict=True
        ):
            assert_agree(together, theirs)
            assert_agree(alone, theirs)


@pytest.mark.parametrize("expressed_in", AXES)
@pytest.mark.parametrize("case", CASES)
def test_jacobian_derivatives_agree(case: str, expressed_in: str) -> None:
    pair = CASES[case]()
    batch = samples(pair.model, STATES, seed=3)
    bodies = [name for name in some_frames(pair.model) if name in pair.model.bodies]
    assert len(bodies) >= 2
    for body in bodies:
        if pair.model.joints[pair.model.bodies[body].joint].kind == "fixed":
            continue  # a root fixed to the world has no joint there
        found = ts.jacobian_derivative(pair.model, batch.q, body, expressed_in)
        for row in range(STATES):
            expected = _their_hessian(pair, batch[row], body, expressed_in)
            assert_agree(found[row], expected)
            assert_agree(ts.jacobian_derivative(pair.model, batch.q[row], body, expressed_in), expected)
