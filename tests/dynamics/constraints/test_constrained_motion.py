"""Motions under constraints over time: closed forms, energy, and loops that stay closed by projection."""

from collections.abc import Sequence

import numpy as np
import pytest
from dynamics.integration import runge_kutta_step
from dynamics.loop_models import FourBar, bennett, bennett_configuration
from scipy.integrate import solve_ivp

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints import Constraint, PrescribedJoint, RollingSphere

pytestmark = pytest.mark.filterwarnings("ignore::tarsus.errors.RedundantConstraintWarning")

STEP_ERROR = 2e-5
"""Left by steps of some milliseconds at 10 rad/s and more [rad, rad/s]; it falls sixteen times with half the step."""
STAGE_TOLERANCE = 1e-4
"""Rank tolerance inside a step: the middle of a Runge-Kutta step of h obeys the constraints up to h^2 only."""


def simulate(
    model: ts.Model, q: FloatArray, v: FloatArray, constraints: Sequence[Constraint], duration: float, steps: int
) -> list[tuple[FloatArray, FloatArray]]:
    """Runge-Kutta steps of order four, each followed by projection of position and velocity."""

    def acceleration(q: FloatArray, v: FloatArray) -> FloatArray:
        zero = np.zeros_like(v)
        return ts.constrained_dynamics(model, q, v, zero, constraints, rank_tolerance=STAGE_TOLERANCE).vdot

    states = [(q, v)]
    for _ in range(steps):
        q, v = runge_kutta_step(model, q, v, duration / steps, acceleration)
        q = ts.project_position(model, q, constraints)
        v = ts.project_velocity(model, q, v, constraints)
        states.append((q, v))
    return states


def energy(model: ts.Model, q: FloatArray, v: FloatArray) -> float:
    return float(ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q))


def test_bennett_linkage_moves_with_closed_loop_and_constant_energy() -> None:
    """Opposite angles add up to a full turn, and tan(t1/2) tan(t2/2) = sin((b + a)/2) / sin((b - a)/2) (Bennett 1903).

    a is the twist of the bar between the two hinges.
    """
    model, loop = bennett()
    q = bennett_configuration(model, loop)
    v = ts.project_velocity(model, q, [6.0, 0.0, 0.0], loop)
    states = simulate(model, q, v, loop, 3.0, 200)
    closure = max(float(np.abs(ts.constraint_rows(model, *s, loop).violation).max()) for s in states)
    assert closure < 1e-10
    assert energy(model, *states[-1]) == pytest.approx(energy(model, q, v), rel=1e-6)
    angles = np.array([s[0] for s in states])
    assert np.ptp(angles[:, 0]) > 1.0  # it does move
    np.testing.assert_allclose(angles[:, 0] + angles[:, 2], -2.0 * np.pi, atol=1e-9)
    twist = 0.9
    other = np.arcsin(0.7 * np.sin(twist))
    ratio = np.sin(0.5 * (other + twist)) / np.sin(0.5 * (twist - other))
    np.testing.assert_allclose(np.tan(0.5 * angles[:, 0]) * np.tan(0.5 * angles[:, 1]), ratio, rtol=1e-9)


@pytest.mark.long
def test_bennett_linkage_stays_closed_for_a_minute() -> None:
    model, loop = bennett()
    q = bennett_configuration(model, loop)
    v = ts.project_velocity(model, q, [6.0, 0.0, 0.0], loop)
    # Four of the six rows are redundant. Inside a step the rows agree up to its error only, and which two are taken
    # matters as much: steps of 4 ms bring that below the tolerance of the energy.
    states = simulate(model, q, v, loop, 60.0, 16000)
    assert max(float(np.abs(ts.constraint_rows(model, *s, loop).violation).max()) for s in states) < 1e-10
    assert energy(model, *states[-1]) == pytest.approx(energy(model, q, v), rel=1e-8)
    assert np.ptp([s[0][0] for s in states]) > 4.0 * np.pi  # several turns


def test_four_bar_through_a_full_turn_follows_its_minimal_equation() -> None:
    bars = FourBar()
    crank, rate, duration = 0.4, 14.0, 0.7
    q, v = bars.configuration(crank), bars.velocity(crank, rate)
    found_q, found_v = simulate(bars.model(), q, v, [bars.closure()], duration, 250)[-1]
    exact = solve_ivp(
        lambda t, x: [x[1], bars.crank_acceleration(x[0], x[1], 0.0)], (0.0, duration), [crank, rate],
        method="DOP853", rtol=1e-11, atol=1e-11,
    ).y[:, -1]  # fmt: skip
    assert exact[0] > crank + 2.0 * np.pi
    assert found_q[0] == pytest.approx(exact[0], abs=STEP_ERROR)
    assert found_v[0] == pytest.approx(exact[1], abs=rate * STEP_ERROR)
    np.testing.assert_allclose(found_q, _unwrapped(bars.configuration(exact[0]), found_q), atol=5.0 * STEP_ERROR)


def _unwrapped(angles: FloatArray, near: FloatArray) -> FloatArray:
    return angles + 2.0 * np.pi * np.round((near - angles) / (2.0 * np.pi))


def test_velocity_of_a_sphere_on_a_turntable_turns_with_two_sevenths_of_its_rate() -> None:
    """Rolling on a plane that turns with W: the centre's velocity turns with 2 W / 7 (Earnshaw 1844), for any start."""
    W, radius = 2.0, 0.1
    builder = ts.ModelBuilder().add_link("ground").add_link("table", ts.Inertia.of_cylinder(4.0, 1.0, 0.05))
    builder.add_link("ball", ts.Inertia.of_sphere(0.5, radius))
    builder.add_joint("turn", "continuous", "ground", "table")
    model = builder.add_joint("fly", "free", "ground", "ball").build()
    constraints = [
        PrescribedJoint("turn", lambda t: (W * t, W, 0.0)),
        RollingSphere("table", "ball", radius=radius),
    ]
    q = np.array([0.0, 0.3, 0.0, radius, 1.0, 0.0, 0.0, 0.0])
    v = ts.project_velocity(model, q, [W, 0.1, 0.25, 0.0, 0.0, 0.0, 0.4], constraints)
    start = v[1:4].copy()  # the ball's axes are those of the world
    h, steps = 0.005, 200
    for _ in range(steps):
        q, v = runge_kutta_step(
            model, q, v, h, lambda q, v: ts.constrained_dynamics(model, q, v, np.zeros(7), constraints).vdot
        )
    velocity = ts.frame_velocity(model, q, v, "ball")[:3]
    expected = ts.spatial.rotation_z(2.0 / 7.0 * W * h * steps) @ start
    assert np.linalg.norm(start) > 0.1
    np.testing.assert_allclose(velocity, expected, atol=STEP_ERROR)


def test_driven_pendulum_follows_its_drive_with_projection_in_time() -> None:
    bars = FourBar()
    model = bars.model()

    def swing(t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return 1.0 + 0.5 * np.sin(4.0 * t), 2.0 * np.cos(4.0 * t), -8.0 * np.sin(4.0 * t)

    constraints = [bars.closure(), PrescribedJoint("crank_joint", swing)]
    t, h = 0.0, 0.01
    q, v = bars.configuration(1.0), bars.velocity(1.0, 2.0)
    for _ in range(100):
        vdot = ts.constrained_dynamics(model, q, v, np.zeros(3), constraints, time=t).vdot
        q, v, t = model.integrate(q, v * h + 0.5 * h * h * vdot), v + h * vdot, t + h
        q = ts.project_position(model, q, constraints, t)
        v = ts.project_velocity(model, q, v, constraints, t)
    crank, rate, _ = swing(np.float64(t))
    np.testing.assert_allclose(q, bars.configuration(float(crank)), atol=1e-11)
    np.testing.assert_allclose(v, bars.velocity(float(crank), float(rate)), atol=1e-10)
