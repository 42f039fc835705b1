"""Loops whose axes are parallel up to the digits of a file only."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from dynamics.integration import runge_kutta_step
from loop_models import at, four_bar, rod
from robot_data import robot_data_path

import tarsus as ts
from tarsus.errors import LoopError, UnknownNameError
from tarsus.model import Loop
from tarsus.spatial import rotation_matrix_from_rotation_vector

TILT = 1e-4
"""[rad] by which axes of the inexact four-bar are off."""
CLOSED = 1e-12
SIMPLE = "cassie_description/robots/cassie_simple.sdf"
PLANTAR = ("left-plantar-foot-joint", "right-plantar-foot-joint")


def tilted_four_bar(tilt: float = TILT, scale: float = 1.0, **options: float) -> ts.ModelBuilder:
    """The crank-rocker with the axes of coupler and rocker turned about x and y."""
    b = ts.ModelBuilder("tilted", gravity=(0.0, -9.81, 0.0)).add_link("ground")
    ground, crank, coupler, rocker = (scale * x for x in (1.0, 0.4, 0.9, 0.7))
    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        b.add_link(name, rod(length))
    lean, pitch = (rotation_matrix_from_rotation_vector(tilt * np.eye(3)[k]) for k in (0, 1))
    b.add_joint("a", "revolute", "ground", "crank")
    b.add_joint("b", "revolute", "crank", "coupler", position=(crank, 0.0, 0.0), rotation=lean)
    b.add_joint("d", "revolute", "ground", "rocker", position=(ground, 0.0, 0.0), rotation=pitch)
    b.add_loop(Loop("knee", "revolute", "coupler", "rocker", at(coupler), at(rocker), **options))
    b.reference = {"a": 1.0, "b": -0.5, "d": 1.5}
    return b


@cache
def tilted() -> ts.Model:
    return tilted_four_bar().build()


def inexact(model: ts.Model) -> list[str]:
    return [w.message for w in model.warnings if w.rule == "inexact-loop"]


def test_four_bar_with_tilted_axes_keeps_its_freedom_and_tells_loop_joint_and_misfit() -> None:
    model = tilted()
    assert model.nv == 1
    (message,) = inexact(model)
    assert "loop 'knee' is not exact" in message
    assert "1 degree of freedom; the joint 'knee' that closes it misses by up to" in message
    misfit = float(next(w.value for w in model.warnings if w.rule == "inexact-loop"))
    assert 0.1 * TILT < misfit < 10.0 * TILT


def test_tilted_four_bar_moves_like_the_exact_one() -> None:
    exact, found = four_bar().build(), tilted()
    crank = np.linspace(-3.0, 3.0, 41)[:, None]
    np.testing.assert_allclose(found.joint_positions(crank), exact.joint_positions(crank), atol=10.0 * TILT)
    v = np.full_like(crank, 2.0)
    a, b = (ts.forward_dynamics(model, crank, v, np.zeros_like(v)) for model in (found, exact))
    np.testing.assert_allclose(a, b, rtol=100.0 * TILT, atol=100.0 * TILT)


def test_velocities_and_accelerations_of_an_inexact_loop_fit_its_positions() -> None:
    """Differences with step 1e-3, fourth order: their truncation is some 1e-11."""
    model, h = tilted(), 1e-3
    q, v = np.array([0.7]), np.array([1.3])

    def rate(f: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        near, far = (f(q + s * v) - f(q - s * v) for s in (h, 2.0 * h))
        return (8.0 * near - far) / (12.0 * h)

    np.testing.assert_allclose(rate(model.joint_positions), model.joint_velocities(q, v), rtol=1e-9)
    speed = rate(lambda x: ts.frame_velocity(model, x, v, "rocker"))
    np.testing.assert_allclose(ts.frame_acceleration(model, q, v, np.zeros(1), "rocker"), speed, atol=1e-9)


def test_falling_inexact_four_bar_keeps_its_energy() -> None:
    model = tilted()
    q, v = np.array([1.0]), np.array([0.5])
    energy = ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q)
    for _ in range(1000):
        q, v = runge_kutta_step(model, q, v, 1e-3)
    assert ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q) == pytest.approx(energy, abs=1e-8)


def test_tolerance_of_zero_takes_every_condition_at_its_word() -> None:
    """The tilted loop has no position at all in which its five conditions hold."""
    with pytest.raises(LoopError, match="loop 'knee' cannot be closed by its joints 'a', 'b', 'd'"):
        tilted_four_bar(tolerance=0.0).build()


def test_axes_that_are_off_by_more_than_the_tolerance_are_no_mechanism() -> None:
    with pytest.raises(LoopError, match="loop 'knee' cannot be closed"):
        tilted_four_bar(tilt=0.05).build()
    assert tilted_four_bar(tilt=0.05, tolerance=0.2).build().nv == 1


@pytest.mark.parametrize("scale", [1e-4, 100.0])
def test_tolerance_is_a_share_of_the_size_of_the_loop(scale: float) -> None:
    exact = tilted_four_bar(tilt=0.0, scale=scale).build()
    assert (exact.nv, inexact(exact)) == (1, [])
    assert tilted_four_bar(scale=scale).build().nv == 1


def test_reference_near_a_singular_position_is_not_taken_for_an_inexact_loop() -> None:
    """Crank and coupler nearly in line: a singular value of 4e-4 that grows with the distance from there."""
    b = four_bar((1.0, 0.4, 0.9, 0.7), kind="spherical")
    reach = np.arccos((1.3**2 + 1.0 - 0.49) / (2.0 * 1.3))
    b.reference = {"a": reach - 2e-7, "b": 1e-3, "d": 2.0}
    model = b.build()
    assert (model.nv, inexact(model)) == (1, [])


def test_exact_overconstrained_loops_are_not_called_inexact() -> None:
    assert inexact(four_bar().build()) == []


def test_rods_of_cassie_that_are_off_by_a_tenth_of_a_radian_need_a_tolerance_of_their_own() -> None:
    """The plantar rods are drawn with a yaw of 0.1 rad against the other axes of their loops, which are rigid so."""
    path = robot_data_path(SIMPLE)
    with pytest.warns(ts.errors.ModelWarning):
        rigid = ts.load(path)
    assert [w.element for w in rigid.warnings if w.rule == "rigid-loop"] == [
        "loop 'right-plantar-foot-joint'",
        "loop 'left-plantar-foot-joint'",
    ]
    with pytest.warns(ts.errors.ModelWarning):
        model = ts.load(path, loop_tolerance=dict.fromkeys(PLANTAR, 0.05))
    assert model.nv == rigid.nv + 2
    assert len(inexact(model)) == 2
    with pytest.raises(UnknownNameError, match="loop 'left-plantar-joint' of loop_tolerance not found; close:"):
        ts.load(path, loop_tolerance={"left-plantar-joint": 0.1})


def test_relations_between_joints_of_an_inexact_loop_hold_exactly() -> None:
    b = tilted_four_bar()
    b.add_link("wheel", rod(0.2)).add_joint("spin", "continuous", "ground", "wheel").add_coupling(
        "spin", "d", -3.0, 0.2
    )
    model = b.build()
    assert len(inexact(model)) == 1
    tree = b.build(couplings="cut")
    Q = model.joint_positions(np.linspace(-2.0, 2.0, 9)[:, None])
    spin, rocker = (Q[:, tree.joints[name].q_index.start] for name in ("spin", "d"))
    np.testing.assert_allclose(spin, -3.0 * rocker + 0.2, atol=CLOSED)


@pytest.mark.parametrize("tolerance", [-1.0, np.nan, np.inf])
def test_tolerance_that_is_no_length_is_refused(tolerance: float) -> None:
    with pytest.raises(ts.errors.ModelError, match="loop 'knee' has the tolerance"):
        tilted_four_bar(tolerance=tolerance).build()
