"""The law of least constraint: closed forms, complementarity, rest, many contacts, repeatability."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.integrate import solve_ivp
from simulation.bodies import rimless_wheel

import tarsus as ts
from tarsus.contact import ContactPoint, Ground, LeastConstraint, Rigid, flat, points, slope
from tarsus.errors import ArgumentError
from tarsus.geometry.shapes import Capsule, Shape
from tarsus.recording.energies import total_energy
from tarsus.simulation.simulate import simulate

G = 9.81
SOLVER = 1e-6
"""Of forces, relative: impulses change by less than 1e-8 in the last sweep, and slow sweeps hide a hundred of them."""
CREEP = 1e-6
"""What a box at rest may move in a minute [m]."""
FIRST_ORDER = (0.75, 1.35)
"""Slopes of log(error) over log(dt); where an event falls within a step is accidental, which scatters them about 1."""
STRAIGHT = 1e-8
"""Deviation of a free path [m]: the origin moves straight to fourth order in the angle of a step."""
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)


def ball(radius: float = 0.1, mass: float = 1.0) -> ts.Model:
    """A solid sphere."""
    inertia = ts.Inertia(mass, (0.0, 0.0, 0.0), 0.4 * mass * radius**2 * np.eye(3))
    return ts.ModelBuilder("ball", base="free").add_link("ball", inertia).build()


def box(size: tuple[float, float, float] = (0.4, 0.3, 0.2), mass: float = 5.0) -> ts.Model:
    """A cuboid."""
    return ts.ModelBuilder("box", base="free").add_link("box", ts.Inertia.of_box(mass, size)).build()


def grid(size: tuple[float, float, float] = (0.4, 0.3, 0.2), nx: int = 2, ny: int = 2) -> list[ContactPoint]:
    """Points on the lower side of a box; its corners with nx = ny = 2."""
    half = 0.5 * np.array(size)
    places = [(x, y, -half[2]) for x in np.linspace(-half[0], half[0], nx) for y in np.linspace(-half[1], half[1], ny)]
    return [ContactPoint(f"p{i}", "box", p) for i, p in enumerate(places)]


def on_slope(angle: float, along: float = 0.0, half: float = 0.1) -> npt.NDArray[np.float64]:
    """q of a box that lies on the slope."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array(
        [along * c - half * s, 0.0, along * s + half * c, math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0]
    )


def order(errors: list[float]) -> float:
    """Slope of the errors over STEPS in a log-log plot, by least squares."""
    return float(np.polyfit(np.log(STEPS), np.log(errors), 1)[0])


# closed forms


def test_sliding_block_stops_where_coulomb_says_at_first_order_and_then_stays() -> None:
    mu, v0 = 0.5, 3.0
    distance = v0**2 / (2 * mu * G)
    errors = []
    for dt in STEPS:
        run = simulate(
            box(),
            [0, 0, 0.1, 1, 0, 0, 0],
            [v0, 0, 0, 0, 0, 0],
            duration=1.0,
            dt=dt,
            sample_dt=0.1,
            ground=flat(LeastConstraint(friction=mu)),
            contacts=grid(),
        )
        errors.append(abs(run.q[-1, 0] - distance))
        assert abs(run.q[-1, 0] - run.q[-3, 0]) < CREEP
    assert FIRST_ORDER[0] < order(errors) < FIRST_ORDER[1]


def test_sliding_block_is_not_lifted() -> None:
    # The convex problem without de Saxce's term would lift it by mu |v_t| dt = 1.5 mm.
    run = simulate(
        box(),
        [0, 0, 0.1, 1, 0, 0, 0],
        [3.0, 0, 0, 0, 0, 0],
        duration=0.4,
        sample_dt=0.01,
        ground=flat(LeastConstraint(friction=0.5)),
        contacts=grid(),
    )
    assert np.max(np.abs(run.q[:, 2] - 0.1)) < 1e-6


def test_block_slides_down_a_slope_with_the_acceleration_of_coulomb_friction() -> None:
    angle, mu, t = math.radians(30), 0.3, 0.5
    a = G * (math.sin(angle) - mu * math.cos(angle))
    errors = []
    for dt in STEPS:
        run = simulate(
            box(),
            on_slope(angle),
            duration=t,
            dt=dt,
            sample_dt=t,
            contacts=grid(),
            ground=slope(angle, LeastConstraint(friction=mu)),
        )
        moved = np.linalg.norm(run.q[-1, :3] - run.q[0, :3])
        errors.append(abs(moved - 0.5 * a * t**2))
    assert FIRST_ORDER[0] < order(errors) < FIRST_ORDER[1]


def test_sliding_sphere_ends_up_rolling_at_five_sevenths_of_its_speed() -> None:
    mu, v0, r = 0.2, 0.6, 0.1  # so slow that no step is halved
    contact = [ContactPoint("s", "ball", radius=r)]
    roll, end = 2 * v0 / (7 * mu * G), 1.0
    x_end = v0 * roll - 0.5 * mu * G * roll**2 + 5 / 7 * v0 * (end - roll)
    errors = []
    for dt in STEPS:
        run = simulate(
            ball(r),
            [0, 0, r, 1, 0, 0, 0],
            [v0, 0, 0, 0, 0, 0],
            duration=end,
            dt=dt,
            sample_dt=end,
            ground=flat(LeastConstraint(friction=mu)),
            contacts=contact,
        )
        # Impulses of pure friction: the rolling speed itself is exact.
        velocity = ts.frame_velocity(run.model, run.q[-1], run.v[-1], "ball")
        assert velocity[0] == pytest.approx(5 / 7 * v0, rel=SOLVER)
        assert velocity[4] * r == pytest.approx(velocity[0], rel=SOLVER)
        errors.append(abs(run.q[-1, 0] - x_end))
    assert FIRST_ORDER[0] < order(errors) < FIRST_ORDER[1]


def test_bouncing_ball_keeps_heights_and_times_at_first_order() -> None:
    e, h0, r = 0.8, 1.0, 0.1
    errors = []
    for dt in STEPS:
        starts = h0 + np.linspace(0.0, 0.01, 16)  # the phase of a bounce in its step is accidental: a mean over many
        q = np.tile([0.0, 0, 0, 1, 0, 0, 0], (16, 1))
        q[:, 2] = r + starts
        run = simulate(
            ball(r),
            q,
            duration=2.0,
            dt=dt,
            sample_dt=dt,
            contacts=[ContactPoint("s", "ball", radius=r)],
            ground=flat(LeastConstraint(restitution=e)),
        )
        first = np.sqrt(2 * starts / G)
        second = first * (1 + 2 * e)
        middle = np.round(0.5 * (first + second) / dt).astype(int)
        rest = run.time[middle] - first - e * first
        exact = e**2 * starts - 0.5 * G * rest**2
        errors.append(float(np.mean(np.abs(run.q[middle, np.arange(16), 2] - r - exact))))
    assert FIRST_ORDER[0] < order(errors) < FIRST_ORDER[1]


def test_rimless_wheel_walks_down_as_on_ground_with_events_at_first_order() -> None:
    model, incline = rimless_wheel(inertia=0.05), 0.08
    pitch = incline - np.pi / 8
    q, v = [np.sin(pitch), np.cos(pitch), pitch], [1.3, 0.0, 1.3]
    spokes = points(model, [f"spoke{k}" for k in range(8)])

    def turn(ground: Ground, **options: Any) -> float:
        run = simulate(model, q, v, ground=ground, contacts=spokes, duration=3.0, sample_dt=3.0, **options)
        return float(run.q[-1, 2])

    exact = turn(slope(-incline, Rigid(10.0)))  # test_event_driven.py has it beside the step map of McGeer
    errors = [abs(turn(slope(-incline, LeastConstraint(10.0)), dt=dt) - exact) for dt in STEPS]
    assert FIRST_ORDER[0] < order(errors) < FIRST_ORDER[1]
    assert errors[-1] < 0.02


def test_rod_falling_on_a_smooth_floor_turns_as_the_pendulum_equation_says() -> None:
    # The centre of mass falls straight; (1/12 + sin^2/4) th'' = (g/2 - th'^2 cos/4) sin for a length of 1 m.
    tilt, end = 0.2, 0.6

    def rate(_: float, y: npt.NDArray[np.float64]) -> list[float]:
        th, w = y
        return [w, math.sin(th) * (0.5 * G - 0.25 * w * w * math.cos(th)) / (1 / 12 + 0.25 * math.sin(th) ** 2)]

    exact = solve_ivp(rate, (0, end), [tilt, 0.0], rtol=1e-11, atol=1e-12).y[0, -1]
    inertia = ts.Inertia(1.0, np.zeros(3), np.diag([1 / 12, 1 / 12, 1e-9]))
    rod = ts.ModelBuilder("rod", base="free").add_link("rod", inertia).build()
    q = [0, 0, 0.5 * math.cos(tilt), math.cos(tilt / 2), 0, math.sin(tilt / 2), 0]
    errors = []
    for dt in STEPS:
        run = simulate(
            rod,
            q,
            duration=end,
            dt=dt,
            sample_dt=end,
            contacts=[ContactPoint("low", "rod", (0, 0, -0.5))],
            ground=flat(LeastConstraint(friction=0.0)),
        )
        errors.append(abs(2 * math.atan2(run.q[-1, 5], run.q[-1, 3]) - exact))
        assert abs(run.q[-1, 0]) < STRAIGHT
    assert FIRST_ORDER[0] < order(errors) < FIRST_ORDER[1]


def test_plastic_impact_of_a_rod_on_its_end_has_the_impulse_of_momentum_and_loses_no_more() -> None:
    # 45 degrees, 2 m/s down, no friction, no gravity during the impact: omega 3.394, centre of mass 1.2 m/s.
    rod = ts.ModelBuilder("rod", base="free", gravity=(0.0, 0.0, 0.0))
    rod.add_link("rod", ts.Inertia(1.0, (0, 0, 0), np.diag([1 / 12, 1 / 12, 1e-9])))
    tilt = math.pi / 4
    q = [0, 0, 0.5 * math.cos(tilt), math.cos(tilt / 2), 0, math.sin(tilt / 2), 0]
    down = [2.0 * math.sin(tilt), 0, -2.0 * math.cos(tilt), 0, 0, 0]  # in the rod's axes
    run = simulate(
        rod.build(),
        q,
        down,
        duration=1e-5,
        dt=1e-5,
        sample_dt=1e-5,
        contacts=[ContactPoint("e", "rod", (0, 0, -0.5))],
        ground=flat(LeastConstraint(friction=0.0)),
    )
    velocity = ts.frame_velocity(run.model, run.q[-1], run.v[-1], "rod")
    assert abs(velocity[4]) == pytest.approx(3.39411254969542812, rel=1e-4)  # the rod turns a little in the step
    assert velocity[2] == pytest.approx(-1.2, rel=1e-4)
    energy = run.energy
    assert energy["impact"][-1] == pytest.approx(energy["kinetic"][0] - energy["kinetic"][-1], rel=1e-4)


# rest


def test_box_on_a_slope_of_20_degrees_does_not_creep_in_a_minute() -> None:
    angle = math.radians(20)
    run = simulate(
        box(),
        on_slope(angle),
        duration=60.0,
        sample_dt=10.0,
        contacts=grid(),
        ground=slope(angle, LeastConstraint(friction=1.0)),
    )
    assert np.max(np.abs(run.q[:, :3] - run.q[0, :3])) < CREEP
    assert np.max(run.energy["kinetic"]) < 1e-15
    force = run.contact_force[-1].sum(axis=0)
    assert force == pytest.approx([0.0, 0.0, 5.0 * G], abs=SOLVER * 5.0 * G)


def test_penetration_is_pushed_out_without_a_hop() -> None:
    run = simulate(
        box(),
        [0, 0, 0.1 - 0.01, 1, 0, 0, 0],
        duration=1.0,
        sample_dt=0.001,
        contacts=grid(),
        ground=flat(LeastConstraint()),
    )
    assert np.max(run.q[:, 2]) < 0.1 + 1e-6
    assert abs(run.q[-1, 2] - 0.1) < 1e-6


# conditions of contact


def tumbling(contacts: list[ContactPoint], **law: float) -> Any:
    """A box thrown on the ground."""
    q = [0, 0, 0.35, 0.9, 0.3, 0.2, 0.1]
    return simulate(
        box(),
        q,
        [1.5, 0.5, -1.0, 2.0, -3.0, 1.0],
        duration=0.8,
        dt=1e-3,
        sample_dt=1e-3,
        contacts=contacts,
        ground=flat(LeastConstraint(**law)),
    )


def corners() -> list[ContactPoint]:
    """All eight corners of the box."""
    half = 0.5 * np.array((0.4, 0.3, 0.2))
    return [ContactPoint(f"c{i}", "box", half * (np.array([i & 1, i >> 1 & 1, i >> 2 & 1]) * 2 - 1)) for i in range(8)]


def test_spinning_body_in_flight_keeps_momentum_and_spin() -> None:
    run = simulate(
        ball(),
        [0, 0, 1.0, 1, 0, 0, 0],
        [1.0, 0, 2.0, 30.0, 10.0, -20.0],
        duration=0.3,
        sample_dt=0.3,
        contacts=[ContactPoint("s", "ball", radius=0.1)],
        ground=flat(LeastConstraint()),
    )
    assert run.q[-1, :2] == pytest.approx(
        [0.3, 0.0], abs=1e-8
    )  # the path is straight to fourth order in the angle of a step
    velocity = ts.frame_velocity(run.model, run.q[-1], run.v[-1], "ball")
    assert velocity == pytest.approx([1.0, 0, 2.0 - 0.3 * G, 30.0, 10.0, -20.0], abs=1e-10)


def test_forces_lie_in_the_cone_oppose_sliding_and_vanish_off_the_ground() -> None:
    mu = 0.4
    run = tumbling(corners(), friction=mu)
    force = run.contact_force
    normal, across = force[..., 2], np.linalg.norm(force[..., :2], axis=-1)
    assert np.min(normal) >= 0.0
    assert np.all(across <= mu * normal * (1 + 1e-12) + 1e-9)
    assert np.count_nonzero(normal) > 100  # it did land
    # Velocities of the points with the positions at the start of each step, at its end.
    for k in range(1, len(run.time)):
        for i in np.flatnonzero(normal[k]):
            corner = corners()[i]
            X, end = ts.frame_poses(run.model, run.q[k - 1 : k + 1], ["box"])[:, 0]
            omega, linear = end[:3, :3] @ run.v[k, 3:], end[:3, :3] @ run.v[k, :3]
            u = linear + np.cross(omega, X[:3, :3] @ np.asarray(corner.position))
            slide = np.linalg.norm(u[:2])
            if slide > 1e-3 and normal[k, i] > 1.0:
                assert force[k, i, :2] / mu / normal[k, i] == pytest.approx(-u[:2] / slide, abs=1e-4)


def test_energy_never_rises_and_the_audit_is_balanced_to_first_order() -> None:
    drift = []
    for dt in (1e-3, 2.5e-4):
        q = [0, 0, 0.35, 0.9, 0.3, 0.2, 0.1]
        run = simulate(
            box(),
            q,
            [1.5, 0.5, -1.0, 2.0, -3.0, 1.0],
            duration=0.8,
            dt=dt,
            sample_dt=1e-3,
            contacts=corners(),
            ground=flat(LeastConstraint(friction=0.4)),
        )
        total = total_energy(run.energy)
        drift.append(np.max(np.abs(total - total[0])))
        assert np.all(np.diff(run.energy["impact"]) >= -1e-9)
        mechanical = run.energy["kinetic"] + run.energy["potential"]
        assert np.max(np.diff(mechanical)) < 0.02 * dt / 1e-3  # what semi-implicit Euler gives and takes in flight
    assert drift[1] < 0.4 * drift[0]


# many contacts, repeats


def test_hundreds_of_contacts_carry_the_weight_without_drift() -> None:
    size = (2.0, 1.0, 0.2)
    run = simulate(
        box(size, 50.0),
        [0, 0, 0.1, 1, 0, 0, 0],
        duration=1.0,
        sample_dt=0.5,
        contacts=grid(size, 24, 16),
        ground=flat(LeastConstraint()),
    )
    assert run.contact_force.shape[-2] == 384
    assert run.contact_force[-1].sum(axis=0) == pytest.approx([0, 0, 50.0 * G], abs=SOLVER * 50.0 * G)
    assert np.max(np.abs(run.q[-1, :3] - run.q[0, :3])) < CREEP


def batch() -> npt.NDArray[np.float64]:
    """Boxes above the ground in different attitudes."""
    rng = np.random.default_rng(4)
    q = np.array([box().random(rng) for _ in range(21)])
    q[:, :3] = rng.uniform((-1, -1, 0.25), (1, 1, 0.5), (21, 3))
    return q


def test_robots_of_a_batch_do_not_depend_on_threads_or_neighbours() -> None:
    keywords: dict[str, Any] = {
        "duration": 0.6,
        "sample_dt": 0.05,
        "contacts": corners(),
        "ground": flat(LeastConstraint(friction=0.5, restitution=0.3)),
    }
    q = batch()
    whole = simulate(box(), q, **keywords)
    again = simulate(box(), q, threads=2, **keywords)
    some = simulate(box(), q[[3, 17, 8]], **keywords)
    assert np.array_equal(whole.q, again.q)
    assert np.array_equal(whole.contact_force, again.contact_force)
    assert np.array_equal(whole.q[:, [3, 17, 8]], some.q)
    assert np.array_equal(whole.contact_force[:, [3, 17, 8]], some.contact_force)


def test_resumed_run_is_the_same_bit_by_bit() -> None:
    keywords: dict[str, Any] = {
        "contacts": corners(),
        "ground": flat(LeastConstraint(friction=0.5)),
        "resumable": True,
        "sample_dt": 0.05,
    }
    whole = simulate(box(), batch()[:5], duration=0.6, **keywords)
    half = simulate(box(), batch()[:5], duration=0.3, **keywords)
    rest = simulate(box(), duration=0.3, resume=half, **keywords)
    assert np.array_equal(whole.q[-1], rest.q[-1])
    assert np.array_equal(whole.v[-1], rest.v[-1])
    assert np.array_equal(whole.signals["work"][-1], rest.signals["work"][-1])


def test_restitution_above_one_and_negative_friction_are_refused() -> None:
    with pytest.raises(ArgumentError, match="restitution"):
        LeastConstraint(restitution=1.5)
    with pytest.raises(ArgumentError, match="friction"):
        LeastConstraint(friction=-0.1)


SPIN = [(300.0, 0), (300.0, 4), (100.0, 1), (1000.0, 1), (1000.0, 2)]
DEEPEST = 2e-3
"""Of what spins on the ground [m]; 0.15 m without shorter steps."""
GAINED = 1e-4
"""Energy that a free fall with such a spin gains by its steps, relative; without shorter ones it grew without bound."""


@pytest.mark.parametrize(("spin", "seed"), SPIN)
def test_what_spins_fast_does_not_sink_in_or_gain_energy(spin: float, seed: int) -> None:
    r, half = 0.02, 0.2
    capsule = Shape(Capsule(r, 2.0 * half))
    rod = ts.ModelBuilder("rod", base="free").add_link(
        "rod", ts.Inertia.of_cylinder(1.0, r, 2.0 * half), collisions=[capsule]
    )
    rng = np.random.default_rng(seed)
    axis, attitude = rng.normal(size=3), rng.normal(size=4)
    run = simulate(
        rod.build(),
        [0.0, 0.0, 0.5, *attitude / np.linalg.norm(attitude)],
        [0.0, 0.0, 0.0, *spin * axis / np.linalg.norm(axis)],
        duration=1.0,
        sample_dt=1e-3,
        ground=flat(LeastConstraint()),
    )
    X = ts.body_poses(run.model, run.q)[:, -1]
    lowest = X[:, 2, 3] - half * np.abs(X[:, 2, 2]) - r
    assert lowest.min() > -DEEPEST
    mechanical = run.energy["kinetic"] + run.energy["potential"]
    assert np.max(mechanical - mechanical[0]) <= GAINED * mechanical[0]
    for name in ("impact", "ground_dissipated", "joint_dissipated"):
        assert np.all(np.diff(run.energy[name]) >= 0.0), name
