"""Walks that balance by forces of the feet, through positions of stiff joints alone."""

import numpy as np
import pytest
from walking.walker.landings import landing_forces
from walking.walker.test_walker import robot

import tarsus as ts
from tarsus.analysis import ankle_limit
from tarsus.contact import ViscoElasticSole, flat
from tarsus.errors import UnknownNameError
from tarsus.scenarios.model_errors import heavier
from tarsus.walking import Walker
from tarsus.walking.stabilizer.walk_controller import WalkController
from tarsus.walking.walker.terrain import kerbs, ramp

UPRIGHT = np.radians(1.0)
"""Tilt of the pelvis on level ground."""
SAGGING = np.radians(3.0)
"""The same of Romeo, whose hips may not be as stiff: they would use up their torque."""

pytestmark = [
    pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning"),
    pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning"),
]


def test_joints_get_positions_and_rates_with_constant_gains_and_no_torques(monkeypatch):
    laws, plain = [], WalkController.__call__

    def noted(self, observation):
        laws.append(plain(self, observation))
        return laws[-1]

    monkeypatch.setattr(WalkController, "__call__", noted)
    walker = Walker(ts.robots.hrp2(), control="force")
    done = walker.walk(0.3, steps=1)
    assert done.passed, str(done)
    assert len(laws) > 100 and not any(law.tau.any() for law in laws)
    for law in laws:
        np.testing.assert_array_equal(law.kp, walker.biped.gains.kp)
        np.testing.assert_array_equal(law.kd, walker.biped.gains.kd)
    signals = done.trajectory.signals
    error = (signals["force_wanted"] - signals["force_felt"])[..., 0] / walker.biped.weight
    assert np.sqrt(np.mean(error**2)) < 0.06
    assert not signals["force_bounded"].any()


def test_unknown_control_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="force"):
        Walker(ts.robots.hrp2(), control="forces")


@pytest.mark.long
@pytest.mark.parametrize("name", ["hrp2", "talos", "lola", "romeo", "icub", "g1"])
def test_biped_walks_where_its_command_says(name):
    done = Walker(robot(name), control="force").walk(0.3, steps=6)
    assert done.passed, str(done)
    np.testing.assert_allclose(done.way, done.plan.com[-1, :2] - done.plan.com[0, :2], atol=0.03)
    assert done.tilt < (SAGGING if name == "romeo" else UPRIGHT)


@pytest.mark.long
@pytest.mark.parametrize("degrees", [5.0, -5.0])
@pytest.mark.parametrize("name", ["hrp2", "talos", "lola"])
def test_walk_over_slopes_of_five_degrees(name, degrees):
    ground = ramp(np.radians(degrees))
    done = Walker(robot(name), clearance=0.06, control="force").walk(0.3, duration=9.0, ground=ground)
    assert done.passed, str(done)
    assert done.way[0] > 2.5
    assert done.planned.way[0] - done.way[0] < 0.1


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "clearance", "behind"),
    [
        ("hrp2", 0.06, 0.10), ("talos", 0.06, 0.18), ("lola", 0.06, 0.11),
        ("hrp2", None, 0.37), ("talos", None, 0.27), ("lola", None, 0.14),
    ],
)  # fmt: skip
def test_by_set_points_and_soft_gains_slopes_are_climbed_by_shorter_steps(name, clearance, behind):
    """Ways that are missing after 9 s [m], as the page has them; they go down without."""
    for degrees, missing in ((5.0, behind), (-5.0, 0.0)):
        ground = ramp(np.radians(degrees))
        done = Walker(robot(name), clearance=clearance).walk(0.3, duration=9.0, ground=ground)
        assert done.passed, str(done)
        assert done.planned.way[0] - done.way[0] == pytest.approx(missing, abs=0.03)


@pytest.mark.long
@pytest.mark.parametrize(("name", "height"), [("talos", 0.03), ("talos", -0.03), ("lola", 0.03)])
def test_walk_over_kerbs_of_three_centimetres(name, height):
    done = Walker(robot(name), clearance=0.06, control="force").walk(0.3, duration=9.0, ground=kerbs(height))
    assert done.passed, str(done)


@pytest.mark.long
@pytest.mark.parametrize(("speed", "steps", "way"), [(0.3, 6, 1.25), (2.5 / 3.6, 9, 3.1)])
def test_lola_walks_with_drives_soles_sensors_and_wrong_masses(speed, steps, way):
    walker = Walker(ts.robots.lola(), step_time=0.8, clearance=0.05, control_dt=1.5e-3, control="force")
    body = heavier(walker.biped.model, 0.05)
    done = walker.walk(speed, steps=steps, sensed=True, simulated=body, drives=ts.actuators.servo_drives(body),
                       ground=flat(law=ViscoElasticSole()), seed=1)  # fmt: skip
    assert done.passed, str(done)
    assert done.way[0] > way


@pytest.mark.long
@pytest.mark.parametrize("angle", [0.0, np.pi / 2, np.pi, -np.pi / 2])
@pytest.mark.parametrize("name", ["hrp2", "talos", "lola"])
def test_pushes_that_ankles_can_hold_are_held(name, angle):
    walker = Walker(robot(name), control="force")
    plan, _ = walker.plan(0.3, steps=6)
    swing = [phase for phase in plan.phases if phase.swing is not None][3]
    size = ankle_limit(walker.biped, angle) * walker.biped.model.total_mass / 0.1
    force = (size * np.cos(angle), size * np.sin(angle), 0.0)
    push = ts.simulation.Push("pelvis", force, start=round(swing.start + 0.05, 3), duration=0.1)
    done = walker.walk(0.3, steps=6, pushes=[push])
    assert done.passed, str(done)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "loads"),
    [
        ("lola", {"force": 0.66, "gains": 0.73, "none": 0.61}),
        ("hrp2", {"force": 0.53, "gains": 1.28, "none": 0.64}),
        ("talos", {"force": 0.46, "gains": 0.39, "none": 0.45}),
    ],
)
def test_landings_by_control_of_the_vertical_force_beside_those_by_soft_gains(name, loads, monkeypatch):
    """Largest loads in weights of the robot, as the page has them."""
    walker = Walker(robot(name), control_dt=2e-3, clearance=0.05, control="force")
    for landing, load in loads.items():
        forces, done = landing_forces(walker, monkeypatch, speed=0.3, steps=4, landing=landing)
        assert done.passed, str(done)
        assert len(forces) >= 5
        assert forces.max() == pytest.approx(load, abs=0.05)
