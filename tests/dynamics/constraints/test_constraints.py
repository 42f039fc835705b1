"""Every constraint gives rows that are the derivatives of its violation, on and off the manifold."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from dynamics.finite_differences import along, assert_derivative, derivative
from dynamics.loop_models import FourBar
from dynamics.random_models import KINDS, random_builder, random_pose
from dynamics.states import ROUNDING, assert_close

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints import (
    Constraint,
    Gear,
    JointCoupling,
    LoopJoint,
    PrescribedFrame,
    PrescribedJoint,
    Rod,
    RollingSphere,
    RollingWheel,
    ball,
    belt,
    weld,
)
from tarsus.dynamics.constraints.loop_joint import LOOP_JOINT_ROWS
from tarsus.errors import ArgumentError, LoopError, NonFiniteError, ShapeError, SingularityError, UnknownNameError
from tarsus.model.coupling import Loop
from tarsus.spatial import pose, rotation_matrix_from_rotation_vector

TIME = 0.3
STATES = 4
FORMULA = 1e-6
"""Finite differences of rows whose fifth derivative reaches 1e4: rods that are short against the velocities of their
ends, axes that are nearly opposite."""


@cache
def tree() -> ts.Model:
    """Two branches with one joint of every kind."""
    return random_builder(KINDS, [0, 1, 1, 3, 2, 0, 6, 7, 8], "free", 3).build()


def swing(t: Any) -> tuple[Any, Any, Any]:
    return np.sin(2.0 * t), 2.0 * np.cos(2.0 * t), -4.0 * np.sin(2.0 * t)


def flight(t: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A point on a curve that turns faster and faster about an oblique axis."""
    t = np.asarray(t)
    one, n = np.ones_like(t), np.array([0.6, 0.0, 0.8])
    X = pose(np.stack([np.sin(t), t**2, t], -1), rotation_matrix_from_rotation_vector(n * (t**2)[..., None]))
    V = np.concatenate([np.stack([np.cos(t), 2.0 * t, one], -1), n * (2.0 * t)[..., None]], -1)
    A = np.concatenate([np.stack([-np.sin(t), 2.0 * one, 0.0 * t], -1), n * (2.0 * one)[..., None]], -1)
    return X, V, A


def joint_between(kind: str, a: str, b: str, seed: int) -> LoopJoint:
    rng = np.random.default_rng(seed)
    return LoopJoint(
        a, b, kind, axis=rng.normal(size=3), axis2=rng.normal(size=3), pitch=0.3,
        pose_a=random_pose(rng), pose_b=random_pose(rng),
    )  # fmt: skip


CONSTRAINTS: dict[str, Constraint] = {
    **{kind: joint_between(kind, "tool4", "tool9", 40 + i) for i, kind in enumerate(LOOP_JOINT_ROWS)},
    "ball on the world": joint_between("spherical", "world", "tool5", 60),
    "weld to the world": joint_between("fixed", "tool7", "world", 61),
    "rod": Rod("tool2", "tool7", length=0.5, pose_a=random_pose(np.random.default_rng(62))),
    "sphere on a body": RollingSphere("tool2", "tool8", radius=0.3),
    "wheel on the ground": RollingWheel("world", "tool8", radius=0.4, axis=(1.0, 2.0, 3.0)),
    "wheel on a body": RollingWheel("tool3", "tool9", radius=0.4),
    "gear": Gear({"joint1": 2.0, "joint3": -1.0, "joint4": 0.3}, 0.1),
    "polynomial": JointCoupling("joint1", "joint2", (1.0, 2.0, 3.0, 0.4)),
    "belt": belt("joint2", 0.1, "joint4", 0.2, crossed=True),
    "driven joint": PrescribedJoint("joint3", swing),
    "driven joint with two axes": PrescribedJoint("joint5", lambda t: tuple(np.stack([x, -x], -1) for x in swing(t))),
    "driven frame": PrescribedFrame("world", "tool5", motion=flight),
    "driven point": PrescribedFrame("world", "tool8", "spherical", motion=flight, pose_a=pose((0.1, 0.2, 0.3))),
}


def states(seed: int = 5) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
    rng = np.random.default_rng(seed)
    v, vdot = rng.normal(size=(2, STATES, tree().nv))
    return list(zip(tree().random(rng, STATES), v, vdot, strict=True))


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_velocity_is_the_rate_of_the_violation(name: str) -> None:
    for q, v, vdot in states():
        motion = along(tree(), q, v, vdot)
        rows = ts.constraint_rows(tree(), q, v, [CONSTRAINTS[name]], time=TIME)
        rate = derivative(
            lambda t, at=motion: ts.constraint_rows(tree(), *at(t), [CONSTRAINTS[name]], time=TIME + t).violation
        )
        assert_derivative(rows.velocity[rows.holonomic], rate[rows.holonomic], FORMULA)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_jacobian_and_bias_give_the_rate_of_the_velocity(name: str) -> None:
    for q, v, vdot in states():
        motion = along(tree(), q, v, vdot)
        rows = ts.constraint_rows(tree(), q, v, [CONSTRAINTS[name]], time=TIME)
        rate = derivative(
            lambda t, at=motion: ts.constraint_rows(tree(), *at(t), [CONSTRAINTS[name]], time=TIME + t).velocity
        )
        assert_derivative(rows.jacobian @ vdot + rows.bias, rate, FORMULA)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_velocity_is_linear_in_v_with_the_jacobian(name: str) -> None:
    (q, v, u), *_ = states()
    rows, other = (ts.constraint_rows(tree(), q, x, [CONSTRAINTS[name]], time=TIME) for x in (v, u))
    assert_close(other.velocity - rows.velocity, rows.jacobian @ (u - v), ROUNDING)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_batch_has_the_rows_of_its_states(name: str) -> None:
    q, v = (np.array(x) for x in list(zip(*states(), strict=True))[:2])
    times = np.linspace(0.0, 1.0, STATES)
    batch = ts.constraint_rows(tree(), q, v, [CONSTRAINTS[name]], time=times)
    for row in range(STATES):
        one = ts.constraint_rows(tree(), q[row], v[row], [CONSTRAINTS[name]], time=times[row])
        for what in ("violation", "velocity", "jacobian", "bias"):
            assert_close(getattr(batch, what)[row], getattr(one, what))


@pytest.mark.parametrize("kind", LOOP_JOINT_ROWS)
def test_loop_joint_is_satisfied_by_the_motion_of_a_joint_of_its_kind(kind: str) -> None:
    rng = np.random.default_rng(7)
    X_a, X_b = random_pose(rng), random_pose(rng)
    axis, axis2 = rng.normal(size=(2, 3))
    builder = ts.ModelBuilder().add_link("a", ts.Inertia.of_sphere(1.0, 0.1)).add_link("b", ts.Inertia.of_sphere(1, 1))
    builder.base = "free"
    builder.add_joint(
        "joint", kind, "a", "b", pose=X_a, child_pose=np.linalg.inv(X_b), axis=axis, axis2=axis2, pitch=0.2
    )
    model = builder.build()
    if kind == "fixed":  # merged into one body
        with pytest.raises(ArgumentError, match="to itself"):
            ts.constraint_rows(model, model.neutral(), np.zeros(6), [weld("a", "b", X_a, X_b)])
        return
    loop = LoopJoint("a", "b", kind, axis=axis, axis2=axis2, pitch=0.2, pose_a=X_a, pose_b=X_b)
    q, v = model.random(rng, 10), rng.normal(size=(10, model.nv))
    rows = ts.constraint_rows(model, q, v, [loop])
    assert rows.size == LOOP_JOINT_ROWS[kind] == 6 - model.joints["joint"].nv
    for what in (rows.violation, rows.velocity, rows.jacobian, rows.bias):
        np.testing.assert_allclose(what, 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "planar", "fixed", "prismatic"])
def test_loop_joint_the_wrong_way_round_is_violated(kind: str) -> None:
    model = ts.ModelBuilder(base="free").add_link("a", ts.Inertia.of_sphere(1.0, 0.1)).build()
    q = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])  # half a turn about x: the axis z points down
    assert np.abs(ts.constraint_rows(model, q, np.zeros(6), [LoopJoint("world", "a", kind)]).violation).max() > 1.9


def test_constraints_are_stacked_in_the_order_given() -> None:
    (q, v, _), *_ = states()
    names = ["gear", "weld to the world", "rod"]
    rows = ts.constraint_rows(tree(), q, v, [CONSTRAINTS[n] for n in names])
    parts = [ts.constraint_rows(tree(), q, v, [CONSTRAINTS[n]]) for n in names]
    assert rows.size == 8
    np.testing.assert_array_equal(rows.jacobian, np.concatenate([part.jacobian for part in parts]))


def test_rows_of_rolling_along_the_plane_have_no_position_level() -> None:
    (q, v, _), *_ = states()
    rows = ts.constraint_rows(tree(), q, v, [CONSTRAINTS["sphere on a body"]])
    assert rows.holonomic.tolist() == [False, False, True]
    assert rows.violation[:2].tolist() == [0.0, 0.0]


# From models


def test_couplings_and_loops_that_were_cut_become_constraints() -> None:
    bars = FourBar()
    builder = bars.builder().add_coupling("rocker_joint", "crank_joint", 0.5, 0.1)
    pin = bars.closure()
    builder.add_loop(Loop("pin", "revolute", "coupler", "rocker", pin.pose_a, pin.pose_b, (0.0, -1.0, 0.0)))
    builder.add_loop(Loop("cam", "polynomial", "coupler_joint", "crank_joint", coefficients=(0.1, 0.2, 0.3)))
    model = builder.build(couplings="cut")
    made = ts.loop_constraints(model)
    assert [c.label for c in made] == [
        "'rocker_joint follows crank_joint' (gear of joints 'rocker_joint', 'crank_joint')",
        "'pin' (revolute of 'coupler' and 'rocker')",
        "'cam' (coupling of joint 'coupler_joint' to 'crank_joint')",
    ]
    q, v = np.array([0.3, 0.4, 0.5]), np.array([1.0, 2.0, 3.0])
    by_hand = [
        Gear({"rocker_joint": 1.0, "crank_joint": -0.5}, 0.1),
        pin,
        JointCoupling("coupler_joint", "crank_joint", (0.1, 0.2, 0.3)),
    ]
    found, expected = ts.constraint_rows(model, q, v, made), ts.constraint_rows(model, q, v, by_hand)
    np.testing.assert_array_equal(found.violation, expected.violation)
    np.testing.assert_array_equal(found.jacobian, expected.jacobian)


def test_nothing_is_left_to_constrain_where_couplings_are_reduced() -> None:
    builder = FourBar().builder().add_coupling("rocker_joint", "crank_joint", 0.5)
    assert ts.loop_constraints(builder.build()) == ()


def test_loop_that_cannot_be_constrained_is_named() -> None:
    builder = FourBar().builder().add_loop(Loop("box", "gearbox", "coupler", "rocker"))
    with pytest.raises(LoopError, match="'box'.*'gearbox'"):
        ts.loop_constraints(builder.build(couplings="cut"))


# Bad input

BAD: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "unknown frame": (lambda: rows_of(ball("tool1", "tol2")), UnknownNameError, "'tol2' not found; close: 'tool2'"),
    "unknown joint": (lambda: rows_of(Gear({"joint1": 1.0, "jnt2": 1.0})), UnknownNameError, "'jnt2' not found"),
    "unknown kind": (lambda: LoopJoint("a", "b", "revolut"), UnknownNameError, "close: 'revolute'"),
    "one body": (lambda: rows_of(weld("tool1", "body1")), ArgumentError, "'body1' to itself"),
    "zero ratio": (lambda: Gear({"joint1": 0.0, "joint2": 1.0}), ArgumentError, "not zero"),
    "coupling to itself": (lambda: JointCoupling("joint1", "joint1", (0, 1)), ArgumentError, "to itself"),
    "spherical joint in a gear": (lambda: rows_of(Gear({"joint7": 1.0})), ArgumentError, "'joint7' is spherical"),
    "zero axis": (lambda: LoopJoint("a", "b", "revolute", axis=(0, 0, 0)), ArgumentError, "axis .* is zero"),
    "parallel axes": (lambda: LoopJoint("a", "b", "universal", axis2=(0, 0, 2)), ArgumentError, "parallel"),
    "pose of wrong shape": (lambda: weld("a", "b", np.eye(3)), ShapeError, "pose_a .* shape \\(3, 3\\)"),
    "NaN in a pose": (lambda: weld("a", "b", np.full((4, 4), np.nan)), NonFiniteError, "pose_a"),
    "negative length": (lambda: Rod("a", "b", length=-1.0), ArgumentError, "length .* -1.0"),
    "zero radius": (lambda: RollingSphere("a", "b", radius=0.0), ArgumentError, "radius .* 0.0"),
    "ends of a rod that coincide": (lambda: rows_of(Rod("world", "body0")), SingularityError, "no dir"),
    "motion without acceleration": (
        lambda: rows_of(PrescribedJoint("joint3", lambda t: (t, t))), ArgumentError, "returns 2 values"),
    "motion that is not finite": (
        lambda: rows_of(PrescribedJoint("joint3", lambda t: (np.nan, t, t))), NonFiniteError, "'joint3'"),
    "motion of wrong shape": (
        lambda: rows_of(PrescribedFrame("world", "tool1", motion=swing)), ShapeError, "position of given motion"),
    "motion that is none": (lambda: PrescribedFrame("world", "tool1"), ArgumentError, "function of time"),
    "no constraint": (lambda: rows_of("weld"), ArgumentError, "expected Constraint"),
}  # fmt: skip


def rows_of(constraint: Any) -> object:
    return ts.constraint_rows(tree(), tree().neutral(), np.zeros(tree().nv), [constraint])


@pytest.mark.parametrize("case", BAD)
def test_bad_constraint_is_told(case: str) -> None:
    call, error, message = BAD[case]
    with pytest.raises(error, match=message):
        call()


def test_constraints_are_immutable() -> None:
    joint = CONSTRAINTS["revolute"]
    with pytest.raises(AttributeError):
        joint.kind = "fixed"  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="read-only"):
        joint.pose_a[0, 3] = 1.0  # type: ignore[attr-defined]
