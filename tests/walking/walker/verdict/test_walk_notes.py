"""What outcomes, reports and the command line tell of walks that passed, but not as they were asked for."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.plots.report.walk import walk_sections
from tarsus.simulation import Push
from tarsus.spatial import pose, rotation_y, rotation_z
from tarsus.walking import Walker
from tarsus.walking.steps.footsteps import Footstep, StepLimits, footsteps
from tarsus.walking.steps.stairs import Stairs
from tarsus.walking.walker.terrain import flight, kerbs, ramp
from tarsus.walking.walker.verdict.walk_notes import PlannedWay, turn_of

runner = CliRunner()
LIMITS = StepLimits(1.0, 1.0, 1.0)
SOLE = 0.1


def planned(command, count, ramp=0):
    asked = float(np.hypot(command[0], command[1]))
    return PlannedWay.of(tuple(footsteps(command, 0.5, count, 0.2, LIMITS, ramp=ramp)), 0.5, asked)


@pytest.mark.parametrize(
    ("count", "part"),
    [(1, 0.25), (2, 0.75), (3, 1.0), (9, 1.0)],  # half a step first, feet together last: by hand
)
def test_speed_of_a_plan_is_the_largest_of_a_stride(count, part):
    way = planned((0.8, 0.0, 0.0), count)
    assert way.speed == pytest.approx(0.8 * part, rel=1e-12)
    told = f"the way was too short to reach 0.8 m/s: {0.8 * part:.2f} m/s at most"
    assert way.short() == (told if part < 0.9 else "")


def test_long_steps_need_a_longer_way_to_their_speed():
    assert planned((0.8, 0.0, 0.0), 5, ramp=3).speed == pytest.approx(
        0.8 * 1.25 / 2
    )  # steps of 1/4, 2/4, 3/4, 2/4, 1/4
    assert planned((0.8, 0.0, 0.0), 8, ramp=3).short() == ""


@pytest.mark.parametrize("command", [(0.0, 0.3, 0.0), (0.3, 0.1, 0.0), (0.4, 0.0, 0.6), (0.0, 0.0, 0.5)])
def test_walks_aside_and_in_turns_reach_their_speed_in_a_few_steps(command):
    assert planned(command, 6).short() == ""


@pytest.mark.parametrize(
    ("planned_way", "walked", "told"),
    [
        ((2.0, 0.0), (2.0, 0.0), []),
        ((2.0, 0.0), (2.19, 0.19), []),
        ((2.0, 0.0), (2.42, 0.0), ["walked 21 % further than planned: 2.42 m, not 2.00 m"]),
        ((2.0, 0.0), (1.5, 0.0), ["walked 25 % less far than planned: 1.50 m, not 2.00 m"]),
        ((2.0, 0.0), (2.0, 0.3), ["ended 0.30 m to the left of the planned way"]),
        ((2.0, 0.0), (2.0, -0.3), ["ended 0.30 m to the right of the planned way"]),
        ((0.0, 2.0), (0.3, 2.0), ["ended 0.30 m to the right of the planned way"]),
        # as long as planned, and elsewhere
        ((0.8, 0.0), (-0.8, 0.0), ["ended 0.80 m behind its start, not 0.80 m ahead of it as planned"]),
        ((0.225, 0.0), (-0.28, 0.0), ["ended 0.28 m behind its start, not 0.23 m ahead of it as planned"]),
        ((0.0, 0.0), (2.0, 0.0), ["ended 2.00 m from where it was planned to, by x, y = +2.00, +0.00 m"]),
        ((0.05, 0.0), (0.05, -0.2), ["ended 0.20 m from where it was planned to, by x, y = +0.00, -0.20 m"]),
        ((0.05, 0.0), (0.1, -0.05), []),
    ],
)
def test_other_ways_than_planned_are_told_with_both_lengths(planned_way, walked, told):
    way = PlannedWay(np.array(planned_way), 0.0, 0.4, 0.4)
    assert way.strayed(np.array(walked), 0.0, SOLE) == told


def test_other_turns_than_planned_are_told():
    ahead = np.array([2.0, 0.0])
    assert PlannedWay(ahead, 0.0, 0.4, 0.4).strayed(ahead, 7.0, SOLE) == ["turned by +401 degrees, not +0 as planned"]
    assert PlannedWay(ahead, 0.0, 0.4, 0.4).strayed(ahead, 0.1, SOLE) == []
    spot = PlannedWay(np.zeros(2), np.pi / 2, 0.0, 0.0)
    assert spot.strayed(np.zeros(2), 0.5, SOLE) == ["turned by +29 degrees, not +90 as planned"]


def test_turns_are_known_wherever_axes_of_the_pelvis_point_to():
    upwards = pose(np.zeros(3), rotation_y(-np.pi / 2))
    turning = np.stack([pose(np.zeros(3), rotation_z(k * 4.0)) for k in np.linspace(0.0, 1.0, 50)])
    assert turn_of(turning @ upwards) == pytest.approx(4.0)


def test_length_of_a_planned_way_is_that_of_its_curve_and_none_on_the_spot():
    circle = planned((0.4, 0.0, 2 * np.pi / 30 / 0.5), 30)
    # half a step first, then 29, and feet together: corners of a polygon around the circle
    assert circle.length == pytest.approx(30 * 0.4 * 0.5 - 0.1, rel=0.02)
    assert np.linalg.norm(circle.way) < 0.3 * circle.length
    assert planned((0.0, 0.0, 0.5), 8).length < 1e-12
    assert planned((0.0, 0.2, 0.0), 6).length == pytest.approx(np.linalg.norm(planned((0.0, 0.2, 0.0), 6).way))


def test_ends_of_curves_are_compared_with_the_whole_of_their_way():
    """A tenth of the way is the same for a circle as for a line of its length."""
    circle = PlannedWay(np.zeros(2), 2 * np.pi, 0.4, 0.4, 6.0)
    assert circle.strayed(np.array([0.5, 0.0]), 2 * np.pi, SOLE) == []
    assert "ended 0.70 m from where it was planned to" in circle.strayed(np.array([0.7, 0.0]), 2 * np.pi, SOLE)[0]


def test_what_recordings_keep_is_read_again_and_what_is_none_is_not():
    way = planned((0.4, 0.0, 0.3), 4)
    again = PlannedWay.read(way.document())
    assert again[1:] == way[1:] and np.array_equal(again.way, way.way) and way.along > 0.0
    older = {name: value for name, value in way.document().items() if name != "along"}
    assert PlannedWay.read(older).length == pytest.approx(np.linalg.norm(way.way))
    for wrong in (None, 3, {}, {**way.document(), "way": [1.0]}, {**way.document(), "speed": float("nan")}):
        assert PlannedWay.read(wrong) is None


def test_robot_that_is_pushed_ahead_tells_that_it_walked_further_in_outcome_and_report(tmp_path):
    walker = Walker(ts.robots.hrp2())
    push = Push("pelvis", (0.8 * walker.biped.model.total_mass / 0.1, 0.0, 0.0), start=2.55)
    outcome = walker.walk(0.2, steps=3, pushes=[push], record=tmp_path / "walk.h5")
    assert outcome.passed, str(outcome)
    length, walked = np.linalg.norm(outcome.planned.way), outcome.distance
    assert walked > 1.2 * length
    (note,) = outcome.notes
    told = re.fullmatch(r"walked (\d+) % further than planned: ([\d.]+) m, not ([\d.]+) m", note)
    assert told is not None and f"  note      {note}" in str(outcome)
    assert float(told[1]) == pytest.approx(100 * (walked / length - 1), abs=3)  # feet, and the pelvis
    assert float(told[2]) == pytest.approx(walked, abs=0.01) and float(told[3]) == pytest.approx(length, abs=0.006)
    section = next(walk_sections(ts.open_recording(tmp_path / "walk.h5")))
    assert section.warning and f"W{note[1:]}." in section.note


def test_walks_as_planned_have_no_notes():
    outcome = Walker(ts.robots.hrp2()).walk(0.3, steps=3)
    assert outcome.passed and outcome.notes == () and "note" not in str(outcome)


def test_command_line_tells_that_a_way_is_too_short_and_does_not_reach_the_terrain():
    result = runner.invoke(app, ["walk", "robot:hrp2", "--speed", "0.2", "--steps", "1", "--terrain", "kerbs:0.2"])
    assert result.exit_code == 0, result.output
    assert "note      the way was too short to reach 0.2 m/s: 0.05 m/s at most" in result.output
    # half a step of 0.12 m, and half a sole of 0.225 m
    assert "note      no foot came to the kerbs from x = 1.00 m on: 0.17 m at most" in result.output


LOW = (
    "feet rise by 0.020 m, too little for the edges of 0.03 m of the kerbs from x = 0.30 m on: "
    "clearance=0.035 or more steps over them"
)


def test_edges_that_are_too_high_for_the_clearance_are_told_with_what_would_do():
    assert kerbs(0.03, start=0.3).too_high(0.02) == kerbs(-0.03, start=0.3).too_high(0.02) == LOW
    assert kerbs(0.03).too_high(0.035) == "" and ramp(0.1).too_high(0.001) == ""
    assert "edges of 0.1 m of the stairs" in flight(Stairs(2, 0.1, 0.3)).too_high(0.05)


def test_walk_over_kerbs_that_are_too_high_warns_before_it_begins_and_notes_it_in_outcome_and_report(tmp_path):
    walker, ground = Walker(ts.robots.hrp2(), clearance=0.02), kerbs(0.03, start=0.3)
    with pytest.warns(ts.errors.ControlWarning, match="too little for the edges of 0.03 m") as caught:
        outcome = walker.walk(0.3, steps=3, ground=ground, record=tmp_path / "walk.h5")
    assert caught[0].filename == __file__
    assert LOW in outcome.notes
    assert f"F{LOW[1:]}." in next(walk_sections(ts.open_recording(tmp_path / "walk.h5"))).note


@pytest.mark.parametrize("ground", [kerbs(0.03, start=2.0), kerbs(0.01, start=0.3)])
def test_kerbs_that_are_low_or_out_of_reach_are_not_warned_of(ground, recwarn):
    outcome = Walker(ts.robots.hrp2(), clearance=0.02).walk(0.3, steps=2, ground=ground)
    assert not any("too little" in note for note in outcome.notes)
    assert not any("too little" in str(warning.message) for warning in recwarn)


def test_planned_turn_is_that_of_both_feet():
    """Feet that end with their toes out turned nothing; what one of them turned is half of what the robot did."""

    def way(left, right):
        places = ((True, 0.0, 0.1, 0.0), (False, 0.0, -0.1, 0.0), (True, 0.1, 0.1, left), (False, 0.1, -0.1, right))
        return PlannedWay.of(tuple(Footstep(side, np.array([x, y, 0.0]), yaw) for side, x, y, yaw in places), 0.5)

    assert way(0.35, -0.35).turned == pytest.approx(0.0, abs=1e-15)
    assert way(0.4, 0.2).turned == pytest.approx(0.3)
