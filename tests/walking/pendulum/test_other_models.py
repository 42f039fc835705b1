"""Pendulums with flywheels, changing height and moving legs."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.walking.pendulum.flywheel_pendulum import FlywheelPendulum
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.pendulum.three_mass_model import ThreeMassModel
from tarsus.walking.pendulum.variable_height import VariableHeightPendulum

PENDULUM = LinearInvertedPendulum(0.9)
WHEEL = FlywheelPendulum(PENDULUM, mass=60.0, inertia=4.0, torque=150.0, angle=0.6)


def test_a_trunk_that_is_turned_moves_the_mass_as_the_equations_say():
    T = WHEEL.duration

    def rate(t, y):
        torque = WHEEL.torque * (1.0 if t < T / 2 else -1.0) * (t < T)
        lean = torque / (WHEEL.mass * PENDULUM.height)
        return [y[1], PENDULUM.omega**2 * y[0] - lean, y[3], torque / WHEEL.inertia]

    numeric = solve_ivp(rate, (0, 1.2 * T), [0.02, 0.3, 0, 0], rtol=1e-10, atol=1e-12, max_step=1e-3).y[:, -1]
    assert np.allclose(WHEEL.pushed(MassState(0.02, 0.3), 1.2 * T, 0.0), numeric[:2], atol=1e-6)
    assert numeric[2:] == pytest.approx([WHEEL.angle, 0.0], abs=1e-5)


def test_a_flywheel_catches_falls_up_to_its_reach():
    """The divergent component ends at the pressure for the largest fall, and beyond it for any larger one."""
    for part, caught in ((1.0 - 1e-9, True), (1.001, False)):
        xi = part * WHEEL.reach
        end = WHEEL.pushed(MassState(0.0, PENDULUM.omega * xi), WHEEL.duration, 0.0)
        assert (PENDULUM.divergent(*end) <= 1e-9) is np.bool_(caught)


def test_a_trunk_that_comes_back_moves_xi_by_what_the_closed_form_tells():
    """Against the equations of pendulum and trunk: xi starts that much behind the pressure, and ends above it."""
    a, v, r, w = 0.3, 1.2, 2.1, PENDULUM.omega

    def rate(t, y):
        turn = -r * r * y[1] - 2 * r * y[2]
        return [w * y[0] - WHEEL.inertia * turn / (WHEEL.mass * PENDULUM.height * w), y[2], turn]

    start = -WHEEL.returned(a, v, r)
    end = solve_ivp(rate, (0, 5.0), [start, a, v], rtol=1e-12, atol=1e-14).y[:, -1]
    assert start < -0.01  # turning back forward: the mass must be held back before
    assert abs(end[0]) < 1e-4 and abs(end[1]) < 1e-3


def test_the_capture_region_is_as_wide_as_two_pushes_and_has_the_capture_point_inside():
    state = MassState(0.0, 0.4)
    near, far = WHEEL.capture_region(state, 0.0, 0.6)
    plain = PENDULUM.divergent(*PENDULUM.moved(state, 0.6, 0.0))
    assert near < plain < far
    assert far - near == pytest.approx(2 * WHEEL.reach * np.exp(PENDULUM.omega * 0.6), rel=1e-12)
    # Its ends are told from the lower to the upper one, whatever the direction of the fall.
    assert WHEEL.capture_region(MassState(0.0, -0.4), 0.0, 0.6) == pytest.approx([-far, -near], rel=1e-12)
    with pytest.raises(ArgumentError, match="step_time"):
        WHEEL.capture_region(state, 0.0, 0.1 * WHEEL.duration)


def test_constant_height_is_the_linear_pendulum_and_free_fall_is_refused():
    level = VariableHeightPendulum(lambda t: (np.full_like(t, 0.9), np.zeros_like(t)))
    assert level.square_rate([0.0, 1.0]) == pytest.approx([PENDULUM.omega**2] * 2)
    falling = VariableHeightPendulum(lambda t: (np.full_like(t, 0.9), np.full_like(t, -9.81)))
    with pytest.raises(ArgumentError, match="least load"):
        falling.square_rate([0.0])


def test_three_masses_have_the_moment_of_three_bodies():
    """Against inverse dynamics of three free point masses: the moment about the centre of pressure vanishes."""
    masses = ThreeMassModel(50.0, 0.12, 0.85)
    rng = np.random.default_rng(2)
    p, legs, leg_acceleration = rng.normal(size=(5, 2)), rng.normal(size=(5, 2, 3)), rng.normal(size=(5, 2, 3))
    body = rng.normal(size=(5, 2))
    acceleration = masses.omega**2 * (body - p) + masses.leg_push(p, legs, leg_acceleration)
    for k in range(5):
        places = np.vstack([np.append(body[k], masses.height), legs[k]])
        moved = np.vstack([np.append(acceleration[k], 0.0), leg_acceleration[k]])
        m = np.array([masses.body_mass, *[masses.mass * masses.leg_ratio] * 2])
        force = m[:, None] * (moved + np.array([0, 0, 9.81]))
        moment = np.cross(places - np.append(p[k], 0.0), force).sum(axis=0)
        assert moment[:2] == pytest.approx([0.0, 0.0], abs=1e-10)
        com = masses.center_of_mass(body[k], legs[k])
        assert com == pytest.approx((m @ places)[:2] / m.sum(), rel=1e-12)
        assert masses.body_of(com, legs[k]) == pytest.approx(body[k], rel=1e-12)


def test_legs_without_mass_leave_the_linear_pendulum():
    masses = ThreeMassModel(50.0, 0.0, 0.85)
    assert not masses.leg_push(np.ones((3, 2)), np.ones((3, 2, 3)), np.ones((3, 2, 3))).any()
    with pytest.raises(ArgumentError, match="leg_ratio"):
        ThreeMassModel(50.0, 0.5, 0.85)
    with pytest.raises(ts.errors.ShapeError, match="legs"):
        masses.leg_push(np.ones((3, 2)), np.ones((3, 3)), np.ones((3, 3)))
