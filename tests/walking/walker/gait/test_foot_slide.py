"""Feet that turn on the ground: friction of a sole, blocks that slide, and feet of walks."""

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.contact import Compliant, flat
from tarsus.dynamics import frame_pose
from tarsus.walking import Walker
from tarsus.walking.walker.gait.foot_slide import foot_slide, held_moment, slid, upright_inertia

HALF = np.array([0.1, 0.04])


def held(force, pressure, friction=0.8):
    return held_moment(np.array([force]), np.array([pressure]), HALF, friction)[0]


def test_corners_hold_what_they_carry_times_their_distance():
    assert held([0.0, 0.0, 500.0], [0.0, 0.0]) == pytest.approx(0.8 * 500.0 * np.hypot(0.1, 0.04))
    assert held([0.0, 0.0, 500.0], [0.1, 0.0]) == pytest.approx(0.8 * 500.0 * 0.04)  # on its front edge
    assert held([0.0, 0.0, 500.0], [0.1, -0.04]) == pytest.approx(0.0, abs=1e-9)  # on a corner
    assert held([0.0, 0.0, -5.0], [0.0, 0.0]) == 0.0  # nothing holds a foot in the air


def test_tangential_force_leaves_less_and_none_at_the_cone():
    free = held([0.0, 0.0, 500.0], [0.02, 0.01])
    assert held([240.0, 0.0, 500.0], [0.02, 0.01]) == pytest.approx(0.8 * free)  # 3 : 4 : 5
    assert held([0.0, -400.0, 500.0], [0.02, 0.01]) == 0.0


def test_block_slides_as_newmark_has_it_for_a_pulse():
    """Of an acceleration A for a time t0, held up to N: A (A - N) t0^2 / 2 N (Newmark 1965)."""
    A, N, t0, dt = 3.0, 1.0, 0.2, 1e-5
    time = np.arange(0.0, 1.0, dt)
    needed = np.where(time < t0, A, 0.0)
    way = A * (A - N) * t0**2 / (2 * N)
    stands = np.ones(len(time), dtype=bool)
    assert slid(needed, np.full(len(time), N), stands, dt) == pytest.approx(way, rel=1e-3)
    assert slid(-needed, np.full(len(time), N), stands, dt) == pytest.approx(way, rel=1e-3)
    assert slid(needed, np.full(len(time), A), stands, dt) == 0.0
    assert slid(needed, np.full(len(time), N), ~stands, dt) == 0.0


def test_inertia_about_the_vertical_is_that_of_all_bodies():
    biped = Walker(ts.robots.hrp2()).biped
    model, q = biped.model, biped.q
    com = ts.dynamics.center_of_mass(model, q)
    total = 0.0
    for X, body in zip(ts.dynamics.body_poses(model, q), model.bodies.values(), strict=True):
        way = X[:3, :3] @ body.inertia.com + X[:3, 3] - com
        total += (X[:3, :3] @ body.inertia.moments @ X[:3, :3].T)[2, 2] + body.inertia.mass * (way[:2] @ way[:2])
    assert upright_inertia(biped) == pytest.approx(total, rel=1e-9)


ALEXANDER = "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf"


def turned(done):
    """Median of the largest turns of the feet while they carry, step by step [rad]."""
    run, found = done.trajectory, []
    for k, leg in enumerate(done.biped.legs):
        X = frame_pose(done.biped.model, run.q, leg.sole)
        yaw = np.arctan2(X[:, 1, 0], X[:, 0, 0])
        carries = np.flatnonzero(run.signals["loads"][:, k] > 0.5 * done.biped.weight)
        steps = np.split(carries, np.flatnonzero(np.diff(carries) > 1) + 1)
        found += [np.ptp(yaw[step]) for step in steps[1:-1]]
    return float(np.median(found))


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_feet_of_a_walk_turn_where_friction_lacks_in_its_plan_and_not_on_rough_ground():
    """Legs without an upper body: nothing but friction turns against the leg that swings."""
    walker = Walker(ts.load(robot_data_path(ALEXANDER), base="free"), step_time=0.45, clearance=0.022)
    fast, slow = walker.walk(0.45, steps=8), walker.walk(0.36, steps=8)
    rough = walker.walk(0.45, steps=8, ground=flat(Compliant(friction=3.0)))
    assert fast.passed and slow.passed and rough.passed
    assert 0.05 < foot_slide(fast.plan) < turned(fast) < 3.0 * foot_slide(fast.plan)
    assert foot_slide(slow.plan) < 0.01 and turned(slow) < 0.02
    assert foot_slide(fast.plan, 3.0) == 0.0 and turned(rough) < 0.02
