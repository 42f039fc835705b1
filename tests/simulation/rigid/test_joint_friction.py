"""Dry friction of joints on rigid ground: joints come to rest, are held, and begin to turn, each at its moment."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import ContactPoint, Rigid, flat
from tarsus.simulation import JointLaw

BELOW = flat(Rigid(), height=-3.0)
"""Rigid ground that nothing reaches."""
MASS, FRICTION = 2.0, 3.0


def slider():
    """A mass on a horizontal rail with dry friction."""
    builder = ts.ModelBuilder("slider").add_link("rail").add_link("mass", ts.Inertia.of_sphere(MASS, 0.1))
    builder.add_joint("slide", "prismatic", "rail", "mass", axis=(1, 0, 0), friction=FRICTION)
    return builder.build()


SKIN = [ContactPoint("skin", "mass", radius=0.1)]


def test_a_slider_stops_by_friction_at_the_time_and_place_of_the_closed_form_and_stays():
    speed = 1.5
    run = ts.simulate(slider(), [0.0], [speed], duration=1.4, contacts=SKIN, ground=BELOW)
    stop = MASS * speed / FRICTION
    late = run.time > stop
    assert np.all(run.v[late] == 0.0)
    assert np.ptp(run.q[late]) == 0.0
    assert run.q[-1, 0] == pytest.approx(MASS * speed**2 / (2 * FRICTION), abs=1e-9)
    early = run.time < stop
    np.testing.assert_allclose(run.v[early, 0], speed - FRICTION / MASS * run.time[early], atol=1e-9)
    assert run.energy["joint_dissipated"][-1] == pytest.approx(0.5 * MASS * speed**2, rel=1e-8)
    assert np.abs(run.energy["integration"]).max() < 1e-8
    assert list(run.signals["dof"][[0, -1]]) == [1, 0]


def test_a_stuck_slider_begins_to_move_when_the_force_exceeds_friction():
    """A force k t moves it from t0 = friction / k on: x = k (t - t0)^3 / 6 m. It would creep by 1e-4 m/s else."""
    rise = 10.0
    law = JointLaw(kp=0.0, kd=0.0, times=[0.0, 1.0], tau=np.array([[0.0], [rise]]))
    run = ts.simulate(slider(), [0.0], duration=1.0, controller=law, contacts=SKIN, ground=BELOW)
    start = FRICTION / rise
    assert np.all(run.q[run.time < start] == 0.0)
    moved = np.maximum(run.time - start, 0.0)
    np.testing.assert_allclose(run.q[:, 0], rise * moved**3 / (6 * MASS), atol=1e-9)
    assert np.abs(run.energy["integration"]).max() < 1e-8


def test_a_slider_that_is_pulled_back_turns_round_at_once():
    """Friction changes its side where the speed is zero, and the force is larger than it."""
    speed, force = 1.0, -5.0
    law = JointLaw(kp=0.0, kd=0.0, tau=np.array([force]))
    run = ts.simulate(slider(), [0.0], [speed], duration=1.0, controller=law, contacts=SKIN, ground=BELOW)
    turn = MASS * speed / (FRICTION - force)
    after = run.time > turn
    np.testing.assert_allclose(run.v[after, 0], (force + FRICTION) / MASS * (run.time[after] - turn), atol=1e-9)
    assert list(run.signals["dof"][[0, -1]]) == [1, 1]


def arm(friction):
    """Three links that fall onto the ground, whose joints rub."""
    builder = ts.ModelBuilder("arm", base="free")
    rod = ts.Inertia.of_box(1.0, (0.4, 0.05, 0.05))
    for k in range(3):
        builder.add_link(f"rod{k}", rod)
    for k in range(2):
        builder.add_joint(
            f"joint{k}", "revolute", f"rod{k}", f"rod{k + 1}", axis=(0, 1, 0), position=(0.4, 0, 0), friction=friction
        )
    return builder.build()


ENDS = [ContactPoint(f"{rod} {x:g} {y:g}", rod, (x, y, -0.025)) for rod in ("rod0", "rod1", "rod2")
        for x in (-0.2, 0.2) for y in (-0.02, 0.02)]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_falls_of_rubbing_chains_gain_nothing(seed):
    model = arm(0.4)
    random = np.random.default_rng(seed)
    attitude = random.normal(size=4)
    q = np.array([0.0, 0.0, 0.9, *(attitude / np.linalg.norm(attitude)), *random.uniform(-0.5, 0.5, 2)])
    run = ts.simulate(model, q, duration=1.2, contacts=ENDS, ground=flat(Rigid(0.6)))
    mechanical = run.energy["kinetic"] + run.energy["potential"]
    assert np.diff(mechanical).max() < 1e-9 * mechanical[0]
    assert np.diff(run.energy["impact"]).min() >= 0.0
    assert np.diff(run.energy["joint_dissipated"]).min() >= 0.0
    assert run.energy["joint_dissipated"][-1] > 0.01
    assert np.abs(run.energy["integration"]).max() < 1e-6 * mechanical[0]
