"""Bipeds that walk with torque-controlled joints, by the plan of those with position-controlled ones."""

from dataclasses import replace

import numpy as np
import pytest
from walking.walker.test_walker import robot
from walking.walker.torque_walk import noted_walk, pressures, residual

import tarsus as ts
from tarsus.analysis import ankle_limit
from tarsus.scenarios.model_errors import heavier
from tarsus.walking import Walker
from tarsus.walking.walker.terrain import kerbs, ramp

SIX = ["hrp2", "talos", "lola", "romeo", "icub", "g1"]
UPRIGHT = np.radians(1.5)
"""Tilt of the pelvis on level ground, as with position-controlled joints."""
MOTION = 1e-9
"""Residual of the equations of motion, in the largest generalised force at rest."""
JUMP = 0.1
"""Change of a torque from one cycle to the next, in its limit; 0.05 was seen."""
PAGE = {
    "hrp2": {"position": (0.1, 0.35, 0.050), "torque": (0.1, 0.36, 0.040)},
    "talos": {"position": (0.1, 0.53, 0.056), "torque": (0.1, 0.54, 0.052)},
    "lola": {"position": (0.1, 0.43, 0.042), "torque": (0.3, 0.43, 0.038)},
    "romeo": {"position": (0.2, 1.0, 0.054), "torque": (0.2, 1.00, 0.052)},
    "icub": {"position": (0.1, 0.64, 0.022), "torque": (0.7, 0.65, 0.020)},
    "g1": {"position": (0.1, 0.41, 0.022), "torque": (0.2, 0.58, 0.014)},
}
"""Tilt [degrees], torque over its limit and least distance of the pressure from an edge [m] in docs/walking.md."""

pytestmark = [
    pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning"),
    pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning"),
]


@pytest.fixture(scope="module")
def noted():
    return noted_walk(Walker(ts.robots.hrp2(), control="torque"), speed=0.3, steps=1)


def test_robot_walks_upright_where_its_command_says_and_every_command_is_solved(noted):
    done, cycles = noted
    assert done.passed, str(done)
    assert done.steps == 2 and done.unsolved == 0
    assert all(cycle.command.success for cycle in cycles)
    np.testing.assert_allclose(done.way, done.plan.com[-1, :2] - done.plan.com[0, :2], atol=0.03)
    assert done.tilt < UPRIGHT
    assert done.pressure_margin > 0.02


def test_torques_keep_the_equations_of_motion_with_the_wrenches_that_they_count_on(noted):
    done, cycles = noted
    assert max(residual(done.biped.model, cycle) for cycle in cycles[::5]) < MOTION


def test_only_torques_leave_the_controller_within_limits_and_without_jumps(noted):
    done, cycles = noted
    laws = [cycle.law for cycle in cycles]
    assert all(law.kp == 0.0 and law.kd == 0.0 and law.q is None and not law.gravity for law in laws)
    tau, most = np.array([law.tau for law in laws])[:, 6:], done.biped.model.tau_max[6:]
    assert (np.abs(tau) <= most + 1e-9).all()
    assert (np.abs(np.diff(tau, axis=0)) / most).max() < JUMP


def test_pressure_of_the_program_is_that_of_the_ground(noted):
    """The program has rigid ground, the simulation ground that yields: where feet land they differ for a moment."""
    expected, felt = pressures(noted[0])
    off = np.linalg.norm(expected - felt, axis=1)[1:]
    assert np.median(off) < 0.5e-3
    assert np.percentile(off, 90) < 3e-3


def test_energy_of_a_torque_controlled_walk_is_kept(noted):
    energy = noted[0].trajectory.energy
    assert np.abs(energy["integration"]).max() < 0.01 * np.abs(energy["actuator"]).max()


@pytest.mark.parametrize(
    ("walker", "walk", "named"),
    [
        ({"control": "torqe"}, {}, "close: 'torque'"),
        ({"method": "ikd"}, {}, "position-controlled"),
        ({}, {"drives": {}}, "position loops inside"),
        ({}, {"landing": "force"}, "landing is 'force'"),
    ],
)
def test_what_torque_controlled_joints_do_not_do_is_refused_with_the_reason(walker, walk, named):
    with pytest.raises((ts.errors.ArgumentError, ts.errors.UnknownNameError), match=named):
        Walker(ts.robots.hrp2(), **{"control": "torque", **walker}).walk(**{"steps": 0, **walk})


def test_steps_so_long_that_heels_rise_are_refused():
    walker = Walker(ts.robots.hrp2(), control="torque")
    plan, choice = walker.plan(0.3, steps=0)
    rolled = replace(plan, feet=plan.feet._replace(pitch=plan.feet.pitch + 0.1))
    with pytest.raises(ts.errors.ArgumentError, match="heels rise"):
        walker.follow(rolled, choice)


@pytest.mark.long
def test_push_that_no_torque_can_hold_ends_a_walk_with_the_reason_and_tells_of_unsolved_commands():
    push = ts.simulation.Push("pelvis", (0.0, 2000.0, 0.0), start=0.2, duration=0.1)
    done = Walker(ts.robots.hrp2(), control="torque").walk(steps=0, pushes=[push])
    assert not done.passed and done.reason
    assert done.unsolved > 0 and "samples were not solved" in str(done)
    assert (np.abs(done.trajectory.tau) <= done.biped.model.tau_max + 1e-9).all()


@pytest.mark.long
@pytest.mark.parametrize("name", SIX)
def test_six_bipeds_walk_step_aside_turn_stop_and_stand(name):
    walker = Walker(robot(name), control="torque")
    done = walker.walk(0.3, steps=6)
    for control, walked in (("position", Walker(robot(name)).walk(0.3, steps=6)), ("torque", done)):
        tilt, torque, margin = PAGE[name][control]
        assert walked.passed, str(walked)
        assert walked.steps == 7
        assert np.degrees(walked.tilt) == pytest.approx(tilt, abs=0.1)
        assert walked.torque[0] == pytest.approx(torque, abs=0.02)
        assert walked.pressure_margin == pytest.approx(margin, abs=2e-3)
    aside = walker.walk(0.0, 0.1, steps=3)
    for walked in (done, aside):
        assert walked.passed, str(walked)
        assert walked.unsolved == 0 and walked.tilt < UPRIGHT and walked.pressure_margin > 0.0
        np.testing.assert_allclose(walked.way, walked.plan.com[-1, :2] - walked.plan.com[0, :2], atol=0.04)
    turned = walker.walk(0.0, turn=0.25 if name == "romeo" else 0.3, steps=3)  # more is refused: its hips are too slow
    assert turned.passed, str(turned)
    wanted = turned.plan.footsteps[-1].yaw
    if name == "romeo":  # its hip yaw joints are at their torque limit
        assert 0.85 * wanted < turned.turned < wanted
    else:
        assert turned.turned == pytest.approx(wanted, abs=0.06)


@pytest.mark.long
@pytest.mark.parametrize("name", ["hrp2", "talos"])
def test_torque_controlled_robots_walk_20_m_on_sensors(name):
    done = Walker(robot(name), control="torque").walk(0.3, duration=20.0 / 0.3, sensed=True, progress=False)
    assert done.passed, str(done)
    assert done.way[0] > 19.0 and abs(done.way[1]) < 0.1
    assert done.unsolved == 0 and done.tilt < UPRIGHT


def _pushed(walker, angle):
    """A push of what ankles give in a direction [rad], as the right foot has been lifted."""
    swing = [phase for phase in walker.plan(0.3, steps=6)[0].phases if phase.swing is not None][3]
    force = ankle_limit(walker.biped, angle) * walker.biped.model.total_mass / 0.1
    along = (force * np.cos(angle), force * np.sin(angle), 0.0)
    return ts.simulation.Push("pelvis", along, start=round(swing.start + 0.05, 3), duration=0.1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "case"),
    [(name, case) for name in ("hrp2", "talos", "lola") for case in ("mass", "left", "ahead", "slope", "kerb")
     if (name, case) != ("hrp2", "kerb")],
)  # fmt: skip
def test_torque_controlled_walks_stand_what_the_page_says(name, case):
    walker = Walker(robot(name), control="torque", clearance=0.06 if case in ("slope", "kerb") else None)
    if case == "mass":
        done = walker.walk(0.3, steps=6, simulated=heavier(walker.biped.model, 0.05))
    elif case in ("left", "ahead"):
        done = walker.walk(0.3, steps=6, pushes=[_pushed(walker, np.pi / 2 if case == "left" else 0.0)])
    else:
        ground = ramp(np.radians(5.0), start=0.5) if case == "slope" else kerbs(0.03, start=0.5)
        done = walker.walk(0.3, duration=6.0, ground=ground)
    assert done.passed, str(done)
    assert done.tilt < (2.0 if case == "ahead" else 1.0) * UPRIGHT


@pytest.mark.long
def test_torque_controlled_robot_follows_commands_that_change_on_the_way():
    done = Walker(robot("talos"), control="torque").walk(
        command=[(0, 0.2, 0, 0), (3, 0.1, 0, 0.3), (5, 0, 0.05, 0), (6, 0, 0, 0)]
    )
    assert done.passed, str(done)
    assert done.turned > 0.3 and done.way[0] > 0.4
