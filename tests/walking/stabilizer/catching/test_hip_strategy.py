"""The upper body against pushes."""

import math

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.simulation import Push
from tarsus.walking import Biped
from tarsus.walking.stabilizer.catching.hip_strategy import FURTHEST, HipStrategy, undone_within
from tarsus.walking.stabilizer.pressure_feedback import PressureFeedback

DT = 0.005
OMEGA = 3.5
ROOM = np.full(2, np.inf)
"""Whatever is turned can be undone."""


@pytest.fixture(scope="module")
def biped():
    return Biped.of(ts.robots.hrp2())


def test_upper_body_turns_with_feet_and_centre_of_mass_at_rest(biped):
    hips, model = HipStrategy(biped, OMEGA, DT), biped.model
    for axis, v in enumerate(hips.rates):
        for leg in biped.legs:
            np.testing.assert_allclose(ts.frame_velocity(model, biped.q, v, leg.sole), 0.0, atol=1e-9)
        h = ts.momentum(model, biped.q, v)
        np.testing.assert_allclose(h[:3], 0.0, atol=1e-9)
        assert h[3 + axis] == pytest.approx(hips.inertia[axis]) and hips.inertia[axis] > 0.0
        turned = ts.frame_velocity(model, biped.q, v, next(iter(model.bodies)))[3:]
        np.testing.assert_allclose(turned, np.eye(3)[axis], atol=1e-9)


def test_upper_body_turns_towards_the_fall_and_comes_back_within_its_range(biped):
    hips = HipStrategy(biped, OMEGA, DT)
    hips.turn(np.array([0.02, 0.0]), ROOM)
    assert hips.rate[1] == pytest.approx(0.02 * biped.weight / hips.inertia[1] * DT) and hips.rate[0] == 0.0
    hips.turn(np.array([0.0, 0.02]), ROOM)
    assert hips.rate[0] < 0.0
    furthest = 0.0
    for _ in range(200):
        hips.turn(np.array([1.0, 0.0]), ROOM)
        furthest = max(furthest, np.abs(hips.angle).max())
    assert 0.9 * FURTHEST < furthest < 1.1 * FURTHEST
    for _ in range(1000):
        hips.turn(np.zeros(2), ROOM)
    assert hips.at_rest


@pytest.mark.parametrize("missing", [(0.1, 0.0), (-0.1, 0.0), (0.0, 0.1), (0.0, -0.1)])
def test_upper_body_is_turned_no_further_than_the_next_foot_can_undo(biped, missing):
    """The debt of a turn grows up to the room and no further, and is what coming back costs."""
    hips, missing = HipStrategy(biped, OMEGA, DT), np.array(missing)
    way = missing / np.linalg.norm(missing)
    room, most = 0.01, 0.0
    for _ in range(60):
        hips.turn(missing, np.full(2, room))
        most = max(most, float(hips.debt @ way))
    assert 0.8 * room < most <= room * (1.0 + 1e-9)
    free = HipStrategy(biped, OMEGA, DT)
    free.turn(missing, ROOM)
    free.turn(missing, ROOM)
    assert free.debt @ way > 0.0
    assert np.abs(free.debt).max() == pytest.approx(abs(free.debt @ way))


def test_no_room_leaves_everything_to_the_step(biped):
    hips = HipStrategy(biped, OMEGA, DT)
    hips.turn(np.array([0.1, -0.1]), np.zeros(2))
    assert hips.at_rest


def test_foot_holds_what_a_pendulum_above_its_edge_does():
    """xi that starts there and is held above the edge for the time is at the middle then: brought back by e^(w T)."""
    half, time = np.array([0.1, 0.05]), 0.4
    for yaw, d in ((0.0, half), (math.pi / 2, half[::-1])):
        room = undone_within(half, yaw, OMEGA, time)
        end = d + (room - d) * math.exp(OMEGA * time)
        np.testing.assert_allclose(end, 0.0, atol=1e-12)


def test_pressure_within_a_sole_asks_for_nothing_and_the_rest_is_told():
    feedback, yaw = PressureFeedback((np.array([0.1, 0.05]), np.array([0.1, 0.05])), 500.0), 0.4
    R = ts.spatial.rotation_z(yaw)
    X = ts.spatial.pose((0.3, 0.2, 0.0), R)
    for way, left in (((0.09, -0.04), (0.0, 0.0)), ((0.13, -0.08), (0.03, -0.03))):
        found = feedback.beyond(0, X, yaw, X[:2, 3] + R[:2, :2] @ way)
        np.testing.assert_allclose(R[:2, :2].T @ found, left, atol=1e-12)


def test_walk_that_nobody_pushes_is_the_same_with_hips():
    walker = ts.walking.Walker(ts.robots.hrp2())
    first, second = (walker.walk(0.3, steps=2, hips=hips).trajectory.q for hips in (False, True))
    np.testing.assert_array_equal(first, second)


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_hips_hold_talos_against_a_push_that_ankles_do_not():
    model = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free")
    walker = ts.walking.Walker(model)
    plan, _ = walker.plan(0.3, steps=5)
    swing = [phase for phase in plan.phases if phase.swing is not None][3]
    start = round(swing.start + 0.1 * (swing.end - swing.start), 3)
    push = Push("pelvis", (0.0, 0.25 * model.total_mass / 0.1, 0.0), start=start, duration=0.1)
    ankles, hips = (walker.walk(0.3, steps=5, pushes=[push], adapt=False, hips=hips) for hips in (False, True))
    assert not ankles.passed
    assert hips.passed, str(hips)
    assert math.radians(1.5) < hips.tilt
