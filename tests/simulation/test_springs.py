"""Springs, dampers and cables between two points."""

import numpy as np
import pytest
from simulation.linkages import ball

import tarsus as ts
from tarsus.contact import Rigid, flat
from tarsus.errors import ArgumentError, DtypeError, UnknownNameError
from tarsus.simulation import Spring

EVERY = ("semi-implicit-euler", "runge-kutta-4", "implicit-midpoint", "dormand-prince", "radau")


def hanging(below):
    model = ball(mass=2.0)
    q = model.neutral()
    q[2] = -below
    return model, q


@pytest.mark.parametrize("integrator", EVERY)
def test_a_mass_on_a_spring_swings_as_the_closed_form_says(integrator):
    model, q = hanging(1.2)
    spring = Spring("world", "ball", stiffness=200.0, length=1.0)
    run = ts.simulate(model, q, duration=1.0, springs=[spring], integrator=integrator)
    rest, omega = 1.0 + 2.0 * 9.81 / 200.0, 10.0
    expected = -rest - (1.2 - rest) * np.cos(omega * run.time)
    # implicit springs of the default step lose dt omega^2 / 2 of a swing of 0.1 m in a second, which is dissipated
    near = {"semi-implicit-euler": 6e-3, "implicit-midpoint": 1e-5}.get(integrator, 1e-6)
    np.testing.assert_allclose(run.q[:, 2], expected, atol=near)
    stored = 100.0 * (-run.q[:, 2] - 1.0) ** 2
    np.testing.assert_allclose(run.energy["joint_stored"], stored, atol=1e-9)
    assert np.abs(run.energy["integration"]).max() < {"semi-implicit-euler": 0.02}.get(integrator, 1e-5)


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "dormand-prince"])
def test_a_damper_takes_what_the_motion_loses(integrator):
    model, q = hanging(1.5)
    spring = Spring("world", "ball", stiffness=200.0, damping=8.0, length=1.0)
    run = ts.simulate(model, q, duration=4.0, springs=[spring], integrator=integrator)
    rest = 1.0 + 2.0 * 9.81 / 200.0
    assert run.q[-1, 2] == pytest.approx(-rest, abs=2e-3)
    lost = run.energy["joint_dissipated"][-1]
    assert lost == pytest.approx(100.0 * 0.5**2 - 100.0 * (rest - 1.0) ** 2 - 2.0 * 9.81 * (1.5 - rest), rel=0.01)
    assert np.all(np.diff(run.energy["joint_dissipated"]) >= 0.0)
    assert np.abs(run.energy["integration"]).max() < {"semi-implicit-euler": 0.1}.get(integrator, 1e-5)


def test_a_stiff_spring_on_a_light_body_is_stable_in_steps_far_longer_than_its_period():
    """100 g on 1e7 N/m: 1600 Hz, in steps of 2 ms; it hangs where it should."""
    model = ball(mass=0.1, radius=0.02)
    q = model.neutral()
    q[2] = -0.5
    spring = Spring("world", "ball", stiffness=1e7, damping=10.0, length=0.5)
    run = ts.simulate(model, q, v0=[1.0, 0, 0, 0, 0, 0], duration=2.0, springs=[spring], dt=2e-3)
    distance = np.linalg.norm(run.q[:, :3], axis=1)
    np.testing.assert_allclose(distance, 0.5, atol=1e-5)
    assert run.energy["integration"].max() < 0.01 * run.energy["kinetic"].max()


def test_two_bodies_on_a_spring_keep_momentum_and_energy():
    builder = ts.ModelBuilder("pair", base="free").add_link("a", ts.Inertia.of_sphere(1.0, 0.1))
    builder.add_link("b", ts.Inertia.of_sphere(3.0, 0.1))
    builder.add_joint("between", "free", "a", "b")
    model = builder.build()
    q = model.neutral()
    q[7] = 0.8
    spring = Spring("a", "b", stiffness=50.0, length=0.5, position_a=(0.0, 0.1, 0.0))
    run = ts.simulate(model, q, duration=1.0, springs=[spring], integrator="dormand-prince")
    momentum = ts.momentum(model, run.q, run.v)
    np.testing.assert_allclose(momentum[:, :2], 0.0, atol=1e-6)
    np.testing.assert_allclose(momentum[:, 3:], 0.0, atol=1e-6)
    assert np.abs(run.energy["integration"]).max() < 1e-6
    straight = Spring("a", "b", stiffness=50.0, length=0.5)  # nothing turns
    fine = ts.simulate(model, q, duration=1.0, springs=[straight], integrator="dormand-prince")
    coarse = ts.simulate(model, q, duration=1.0, springs=[straight])
    np.testing.assert_allclose(coarse.q[-1, :2], fine.q[-1, :2], atol=0.02)
    np.testing.assert_allclose(ts.momentum(model, coarse.q, coarse.v)[:, [0, 1, 3, 4, 5]], 0.0, atol=1e-9)


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "dormand-prince"])
def test_a_cable_lets_fall_until_it_is_taut_and_never_pushes(integrator):
    model, q = hanging(0.5)
    cable = Spring("world", "ball", stiffness=1e4, damping=400.0, length=1.0, pull_only=True)
    run = ts.simulate(model, q, duration=3.0, springs=[cable], integrator=integrator)
    fall = np.sqrt(2.0 * 0.5 / 9.81)
    free = run.time < fall - 0.01
    np.testing.assert_allclose(run.q[free, 2], -0.5 - 0.5 * 9.81 * run.time[free] ** 2, atol=3e-3)
    assert run.energy["joint_stored"][free].max() == 0.0
    assert run.q[-1, 2] == pytest.approx(-1.0 - 2.0 * 9.81 / 1e4, abs=1e-4)
    assert run.energy["integration"].max() < 0.01 * run.energy["kinetic"].max()


def test_robots_of_a_batch_and_stepped_ones_move_as_they_do_alone():
    model, q = hanging(1.2)
    cable = Spring("world", "ball", stiffness=500.0, damping=3.0, length=1.15, pull_only=True)
    v = np.zeros((9, 6))
    v[:, 2] = np.linspace(0.0, 3.0, 9)
    batch = ts.simulate(model, q, v, duration=0.5, springs=[cable])
    sim = ts.Simulation(model, q, v, springs=[cable])
    sim.step(steps=500)
    np.testing.assert_array_equal(sim.q, batch.q[-1])
    for i in (0, 4, 8):
        alone = ts.simulate(model, q, v[i], duration=0.5, springs=[cable])
        np.testing.assert_allclose(batch.q[:, i], alone.q, atol=1e-10)


def test_springs_go_with_loops_in_minimal_coordinates():
    from simulation.linkages import four_bar, turning_four_bar

    model, loop, q, v = turning_four_bar(1.0)
    spring = Spring("crank", "rocker", stiffness=300.0, damping=1.0, length=0.3, position_a=(0.2, 0, 0))
    options = dict(duration=0.5, springs=[spring], integrator="dormand-prince")
    a = ts.simulate(model, q, v, constraints=loop, **options)
    reduced = four_bar("reduce")
    b = ts.simulate(reduced, reduced.reference, v[:1], **options)
    np.testing.assert_allclose(a.q[:, 0], b.q[:, 0], atol=1e-6)
    assert np.abs(b.energy["integration"]).max() < 1e-6
    coarse = ts.simulate(reduced, reduced.reference, v[:1], duration=0.5, springs=[spring])
    np.testing.assert_allclose(coarse.q[:, 0], b.q[:, 0], atol=2e-2)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Spring("world", "ball", stiffness=-1.0), ArgumentError, "stiffness of a Spring is -1.0"),
        (lambda: Spring("world", "ball", stiffness=np.nan), ArgumentError, "stiffness"),
        (lambda: Spring("ball", "ball", stiffness=1.0), ArgumentError, "to itself"),
        (lambda: Spring("world", "ball", stiffness=1.0, position_b=(0, 0)), ArgumentError, "position_b"),
    ],
)
def test_bad_springs_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"springs": "soft"}, DtypeError, "springs is 'soft'"),
        ({"springs": [3]}, DtypeError, "springs holds 3"),
        ({"springs": [Spring("world", "bal", stiffness=1.0)]}, UnknownNameError, "'bal' not found"),
        ({"ground": flat(Rigid())}, ArgumentError, "springs are not for ground"),
    ],
)
def test_bad_input_is_named(options, error, message):
    given = {"springs": [Spring("world", "ball", stiffness=1.0)], **options}
    with pytest.raises(error, match=message):
        ts.simulate(ball(), duration=0.1, **given)
