"""Projection onto constraints: closed to rounding, the smallest change, and a clear error where nothing closes."""

import numpy as np
import pytest
from dynamics.loop_models import FourBar, bennett, bennett_configuration, point_pendulum
from dynamics.states import ROUNDING, assert_close

import tarsus as ts
from tarsus.dynamics.constraints import PrescribedJoint, Rod, RollingSphere, ball, weld
from tarsus.errors import ClosureError, InconsistentConstraintsError, NonFiniteError, UnknownNameError

CLOSED = 1e-12
"""What `project_position` promises [m, rad]."""
METRICS = ("mass", "plain")


def feet(model: ts.Model) -> list[ts.constraints.Constraint]:
    """Both soles of a humanoid on the ground where they are in its reference pose."""
    return [weld("world", f, pose_a=ts.frame_pose(model, model.reference, f), name=f) for f in ("l_sole", "r_sole")]


@pytest.mark.parametrize("metric", METRICS)
def test_humanoid_is_put_back_onto_its_feet(metric: str) -> None:
    model = ts.robots.hrp2()
    rng = np.random.default_rng(1)
    q = model.integrate(model.reference, 0.1 * rng.normal(size=(5, model.nv)))
    closed = ts.project_position(model, q, feet(model), metric=metric)  # type: ignore[arg-type]
    rows = ts.constraint_rows(model, closed, np.zeros(model.nv), feet(model))
    assert np.abs(rows.violation).max() <= CLOSED
    moved = np.abs(model.difference(q, closed)).max()
    assert 1e-3 < moved < 1.0


def test_position_on_the_manifold_stays() -> None:
    bars = FourBar()
    q = bars.configuration(1.2)
    np.testing.assert_allclose(ts.project_position(bars.model(), q, [bars.closure()]), q, atol=1e-15)


@pytest.mark.parametrize("metric", METRICS)
def test_four_bar_closes_on_the_branch_it_started_on(metric: str) -> None:
    bars = FourBar()
    exact = bars.configuration(1.2)
    q = ts.project_position(bars.model(), exact + np.array([0.05, -0.03, 0.04]), [bars.closure()], metric=metric)  # type: ignore[arg-type]
    np.testing.assert_allclose(q, bars.configuration(q[0]), atol=1e-11)


def test_plain_projection_is_orthogonal_to_the_manifold_for_small_errors() -> None:
    model, rod = point_pendulum()
    q = ts.project_position(model, [0.6006, 0.8008], rod, metric="plain")
    np.testing.assert_allclose(q, [0.6, 0.8], atol=1e-14)


def test_bennett_linkage_closes_although_its_rows_are_redundant() -> None:
    model, loop = bennett()
    q = bennett_configuration(model, loop)
    assert np.abs(ts.constraint_rows(model, q, np.zeros(3), loop).violation).max() <= CLOSED
    near = ts.project_position(model, q + np.array([1e-4, -2e-4, 1.5e-4]), loop)
    assert np.abs(near - q).max() < 1e-3


def test_time_of_a_given_motion_counts() -> None:
    bars = FourBar()
    drive = PrescribedJoint("crank_joint", lambda t: (1.0 + 0.1 * t, 0.1, 0.0))
    t = np.array([0.0, 1.0, 2.0])
    q = ts.project_position(bars.model(), bars.configuration(1.0), [bars.closure(), drive], t)
    np.testing.assert_allclose(q, [bars.configuration(1.0 + 0.1 * x) for x in t], atol=1e-11)


def test_loop_that_is_too_short_is_named_with_its_gap() -> None:
    bars = FourBar(ground=3.0)  # 0.4 + 1.1 + 0.8 m do not reach
    with pytest.raises(ClosureError, match=r"cannot close 'pin' .*: 0\.69.* m or rad stay open") as caught:
        ts.project_position(bars.model(), [0.0, 0.1, np.pi - 0.1], [bars.closure()])
    assert caught.value.constraints == ("'pin' (revolute of 'coupler' and 'rocker')",)


def test_state_that_cannot_close_does_not_hide_in_a_batch() -> None:
    model, _ = point_pendulum()
    both = [Rod("world", "mass", length=1.0, name="a"), ball("world", "mass", (2.0, 0, 0), name="b")]
    with pytest.raises(ClosureError, match="'b'"):
        ts.project_position(model, [[1.0, 0.0], [0.5, 0.5]], both)


@pytest.mark.parametrize("metric", METRICS)
def test_velocity_satisfies_the_constraints_and_changes_least(metric: str) -> None:
    model = ts.robots.hrp2()
    rng = np.random.default_rng(2)
    q, u = model.reference, rng.normal(size=(3, model.nv))
    v = ts.project_velocity(model, q, u, feet(model), metric=metric)  # type: ignore[arg-type]
    rows = ts.constraint_rows(model, q, v, feet(model))
    assert_close(rows.velocity, np.zeros((3, 12)))
    # the change is M^-1 J^T times something: orthogonal to all motions the constraints allow
    M = ts.mass_matrix(model, q) if metric == "mass" else np.eye(model.nv)
    _, _, V_T = np.linalg.svd(rows.jacobian[0])
    assert_close((v - u) @ M @ V_T[12:].T, np.zeros((3, model.nv - 12)), ROUNDING)


def test_velocity_after_an_inelastic_catch_is_that_of_the_momentum_balance() -> None:
    model, rod = point_pendulum()
    v = ts.project_velocity(model, [0.6, -0.8], [2.0, 1.0], rod)
    tangent = np.array([0.8, 0.6])
    np.testing.assert_allclose(v, tangent * (tangent @ [2.0, 1.0]), atol=1e-14)


def test_rolling_counts_at_velocity_level_only() -> None:
    model = ts.ModelBuilder(base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.2)).build()
    rolling = [RollingSphere("world", "ball", radius=0.2)]
    q = ts.project_position(model, [0.3, 0.4, 0.5, 1.0, 0.0, 0.0, 0.0], rolling)
    np.testing.assert_allclose(q, [0.3, 0.4, 0.2, 1.0, 0.0, 0.0, 0.0], atol=CLOSED)
    v = ts.project_velocity(model, q, [0.7, 0.0, 0.3, 0.0, 0.0, 0.0], rolling)
    # an impulse at the contact stops it: 5/7 of the speed is left
    np.testing.assert_allclose(v, [0.5, 0.0, 0.0, 0.0, 2.5, 0.0], atol=1e-13)


def test_velocities_that_contradict_each_other_are_named() -> None:
    bars = FourBar()
    drives = [PrescribedJoint("crank_joint", lambda t, r=rate: (1.0, r, 0.0), name=f"{rate}") for rate in (1.0, 2.0)]
    with pytest.raises(InconsistentConstraintsError, match="'1.0'.*'2.0'.*0.5 m/s"):
        ts.project_velocity(bars.model(), bars.configuration(1.0), np.zeros(3), drives)


def test_bad_arguments_are_told() -> None:
    model, rod = point_pendulum()
    with pytest.raises(UnknownNameError, match="metric"):
        ts.project_position(model, [1.0, 0.0], rod, metric="euclid")  # type: ignore[arg-type]
    with pytest.raises(NonFiniteError, match="q of project_position"):
        ts.project_position(model, [np.nan, 0.0], rod)
