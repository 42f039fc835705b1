"""The controller of docs/standing.md: it stands by measurements alone, and falls where the page says so."""

import re
from pathlib import Path

import numpy as np
import pytest
from examples import push_talos
from examples.stand_hrp2 import CORNERS, DIRECTIONS, FEET, measures, pushes, sensors, stand, standing

import tarsus as ts
from tarsus.contact import Sole, flat
from tarsus.simulation import Push

ROOT = Path(__file__).parents[2]
WAYS = {"forward": (1.0, 0.0), "back": (-1.0, 0.0), "to the left": (0.0, 1.0), "to the right": (0.0, -1.0)}


class Blind:
    """An observation that tells time and sensors, and nothing of the true state."""

    def __init__(self, observation):
        self.t, self.sensors = observation.t, observation.sensors
        self.log, self.stop = observation.log, observation.stop


@pytest.fixture(scope="module")
def run():
    return stand()


def test_it_stands_for_ten_seconds_under_pushes_from_all_sides(run):
    assert run.finished
    assert run.reason == "stood for 10 s"
    assert run.time[-1] == 10.0
    found = measures(run)
    assert 1.0 < found["work of the pushes [J]"] < 20.0  # they were there
    assert found["largest tilt of the body [deg]"] < 5.0
    assert found["feet moved [mm]"] < 20.0
    upright = run.q[-1, 2] / run.q[0, 2]
    assert upright == pytest.approx(1.0, abs=0.01)


def test_what_it_logs_is_what_happened(run):
    """Centre of mass and pressure from sensors with biases and noise, against those of the true state."""
    feet = ts.frame_poses(run.model, run.q, FEET)[..., :3, 3].mean(axis=-2)
    com = ts.center_of_mass(run.model, run.q) - feet
    velocity = np.gradient(com, run.time, axis=0)
    capture = com[:, :2] + velocity[:, :2] * np.sqrt(com[:, 2:] / 9.81)
    assert np.abs(run.signals["capture_point"] - capture).max() < 0.02
    load, place = run.contact_force[1:, :, 2], run.contact_position[1:, :, :2]  # the ground is not pressed at the start
    pressure = np.einsum("tc,tcx->tx", load, place) / load.sum(axis=1)[:, None] - feet[1:, :2]
    assert np.abs(run.signals["pressure"][1:] - pressure).mean() < 0.005
    assert set(run.signals) == {"encoder", "imu", *FEET, "capture_point", "pressure", "wanted"}


def test_it_needs_nothing_but_sensors():
    robot = ts.robots.hrp2()
    inside = standing(robot)
    soles = [Sole(foot, foot, CORNERS) for foot in FEET]
    options = {"duration": 2.0, "sensors": sensors(robot), "ground": flat(), "contacts": soles, "pushes": pushes()}
    run = ts.simulate(robot, controller=lambda observation: inside(Blind(observation)), **options)
    again = ts.simulate(robot, controller=standing(robot), **options)
    np.testing.assert_array_equal(run.q, again.q)


def test_without_the_balance_law_the_same_pushes_throw_it_over():
    fallen = stand(gain=0.0)
    assert fallen.reason == "fell"
    assert fallen.time[-1] < 4.0
    assert stand(gain=0.0, pushed=()).reason == "stood for 10 s"


def test_pushes_of_120_newton_throw_it_over():
    assert stand(pushed=pushes(120.0)).reason == "fell"


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_stands_with_other_noise_and_stronger_pushes(seed):
    assert stand(seed=seed).reason == "stood for 10 s"
    assert stand(seed=seed, pushed=pushes(80.0)).reason == "stood for 10 s"


def page():
    return (ROOT / "docs" / "standing.md").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_single_pushes_that_the_page_tells_are_the_largest(way):
    without, with_law = map(int, re.search(rf"^\| {way} \| (\d+) \| (\d+) \|", page(), flags=re.MULTILINE).groups())
    for gain, most in ((0.0, without), (1.0, with_law)):
        for force, reason in ((most, "stood for 10 s"), (most + 20, "fell")):
            x, y = (force * part for part in WAYS[way])
            push = Push("CHEST_LINK1", (x, y, 0.0), start=0.5, duration=0.2)
            assert stand(gain, [push]).reason == reason


def test_ankles_alone_are_too_soft_as_the_page_says():
    robot = ts.robots.hrp2()
    inertia = np.diag(ts.mass_matrix(robot, robot.reference))
    ankle = 900.0 * inertia[robot.joints["LLEG_JOINT4"].v_index][0]
    tips = 9.81 * robot.total_mass * ts.center_of_mass(robot, robot.reference)[2]
    assert f"2 x {ankle:.0f} N m/rad, are softer than the {tips:.0f} N m/rad" in page()
    assert 2.0 * ankle < tips


def test_the_page_shows_the_controller_of_the_example():
    shown = next(
        block for block in re.findall(r"^```python\n(.*?)^```", page(), flags=re.M | re.S) if "def standing" in block
    )
    own = shown[shown.index("FEET =") :].strip()
    assert own in (ROOT / "examples" / "stand_hrp2.py").read_text(encoding="utf-8")
    control = own[own.index("def control") :].splitlines()
    assert len([line for line in control if line.strip() and not line.strip().startswith("#")]) <= 35
    assert len(DIRECTIONS) == len(pushes())


@pytest.mark.long
@pytest.mark.parametrize("make", [push_talos.talos, push_talos.hrp2])
def test_the_same_controller_holds_talos_and_hrp2_in_the_demo(make):
    it = make()
    run = push_talos.push(it, progress=False)
    assert run.reason == "stood for 10 s"
    assert len(run.metadata["pushes"]) == len(DIRECTIONS)
    assert push_talos.measures(run)["largest tilt of the body [deg]"] < 5.0
