"""Bipeds that walk on encoders, an inertial unit and force sensors, without the true state."""

import numpy as np
import pytest
from walking.walker.test_walker import robot

import tarsus as ts
from tarsus.walking import Walker
from tarsus.walking.stabilizer.sensing.perception import SensedState
from tarsus.walking.walker import walker as walking

UPRIGHT = np.radians(1.5)
"""Tilt of the pelvis on level ground."""
DRIFT = 0.02
"""Of the place of the base, in the way that was walked."""
SIX = ["hrp2", "talos", "lola", "romeo", "icub", "g1"]

pytestmark = [
    pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning"),
    pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning"),
]


class Compared(SensedState):
    """What is told, beside what is true."""

    errors: list

    def look(self, observation):
        q, v, loads = super().look(observation)
        type(self).errors.append(q[:3] - observation.q[:3])
        return q, v, loads


@pytest.fixture
def errors(monkeypatch):
    """Errors of the place that walks are told, cycle by cycle."""
    Compared.errors = []
    monkeypatch.setattr(walking, "SensedState", Compared)
    return Compared.errors


@pytest.mark.parametrize("name", ["g1", "icub"])
def test_small_feet_walk_on_sensors_where_their_command_says(name, errors):
    done = Walker(robot(name)).walk(0.3, steps=6, sensed=True, seed=1)
    assert done.passed, str(done)
    assert done.tilt < UPRIGHT
    np.testing.assert_allclose(done.way, done.plan.com[-1, :2] - done.plan.com[0, :2], atol=0.03)
    assert np.linalg.norm(errors[-1]) < DRIFT * done.distance


@pytest.mark.long
@pytest.mark.parametrize("name", SIX)
def test_biped_walks_twenty_metres_on_sensors_and_knows_where_it_is_to_two_percent(name, errors):
    done = Walker(robot(name)).walk(0.3, duration=20.0 / 0.3, sensed=True, seed=3)
    assert done.passed, str(done)
    assert done.way[0] > 19.0 and abs(done.way[1]) < 0.5
    assert done.speed == pytest.approx(0.3, abs=0.015)
    assert done.tilt < UPRIGHT
    assert np.linalg.norm(errors[-1]) < DRIFT * done.distance


@pytest.mark.long
@pytest.mark.parametrize("name", SIX)
def test_biped_steps_aside_turns_and_stops_on_sensors(name):
    walker = Walker(robot(name))
    aside = walker.walk(0.0, 0.1, steps=8, sensed=True, seed=3)
    assert aside.passed, str(aside)
    np.testing.assert_allclose(aside.way, aside.plan.com[-1, :2] - aside.plan.com[0, :2], atol=0.05)
    turn = 0.25 if name == "romeo" else 0.3  # its hips are too slow for more
    turned = walker.walk(0.0, turn=turn, duration=np.pi / 2 / turn + 0.8, sensed=True, seed=3)
    assert turned.passed, str(turned)
    assert turned.turned == pytest.approx(turned.plan.footsteps[-1].yaw, abs=0.05)


def test_feet_on_their_edges_are_no_support_and_places_of_feet_that_stand_do_not_jump():
    biped = Walker(ts.robots.hrp2()).biped
    told = SensedState(biped, biped.q, 5e-3)
    half = biped.legs[0].half
    assert _flat([0.0, 0.0, 300.0, 0.0, -0.5 * half[0] * 300.0, 0.0], half)
    assert not _flat([0.0, 0.0, 300.0, 0.0, -0.99 * half[0] * 300.0, 0.0], half)
    assert not _flat([0.0, 0.0, 300.0, 0.99 * half[1] * 300.0, 0.0, 0.0], half)
    assert not _flat(np.zeros(6), half)
    assert told.estimator.standing == {}


def _flat(wrench, half):
    from tarsus.walking.stabilizer.sensing.perception import FLAT
    from tarsus.walking.stabilizer.sensing.perception import _flat as flat

    return flat(np.asarray(wrench, dtype=float), FLAT * half)
