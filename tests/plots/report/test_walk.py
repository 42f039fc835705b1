"""Reports of walks, from their recordings alone."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from chromium import Chromium
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.plots.report.walk import SHORTEST_ARROW, walk_sections
from tarsus.walking.walker.walk_record import recorded_walk

LANDED = 0.02
"""Between planned places of feet and where they stand, on level ground and without pushes [m]."""


@pytest.fixture(name="recorded", scope="module")
def _recorded(tmp_path_factory):
    """Recording of a short walk, pushed a little, and its outcome."""
    path = tmp_path_factory.mktemp("walk") / "walk.h5"
    walker = ts.walking.Walker(ts.robots.hrp2())
    push = ts.simulation.Push("pelvis", (20.0, 0.0, 0.0), start=1.5, duration=0.1)
    command = [(0.0, 0.2, 0.0, 0.0), (1.5, 0.0, 0.0, 0.3), (2.6, 0.0, 0.0, 0.0)]
    outcome = walker.walk(command=command, pushes=[push], record=path)
    assert outcome.passed, str(outcome)
    return path, outcome


@pytest.fixture(name="run", scope="module")
def _run(recorded):
    return ts.open_recording(recorded[0])


def test_recording_tells_footsteps_and_verdict_of_the_walk(recorded, run):
    outcome, walk = recorded[1], recorded_walk(run)
    assert walk.passed and walk.steps == outcome.steps == len(walk.foot)
    assert walk.reason == "" and walk.first is None
    assert walk.time == pytest.approx(run.time[-1], abs=0.02)
    planned = [foot.position[:2] for foot in outcome.plan.footsteps[2:]]
    np.testing.assert_allclose(walk.planned[:, :2], planned, atol=LANDED)  # anchored on feet as they stand
    assert (np.diff(walk.foot) != 0).all() and (np.diff(walk.lifted) > 0).all()
    half = outcome.biped.legs[0].half
    corners = walk.outlines[0] - walk.planned[0, :3]
    np.testing.assert_allclose(np.linalg.norm(corners, axis=1), np.hypot(*half), rtol=1e-9)


def test_report_tells_places_of_feet_as_planned_and_as_they_came(run):
    walk, sections = recorded_walk(run), list(walk_sections(run))
    assert [section.title for section in sections] == ["Walk", "Walk over time"]
    assert "Passed: it stands after" in sections[0].note and not sections[0].warning
    assert len(sections[0].rows) == walk.steps
    assert all(float(row[-1]) < 1e3 * LANDED for row in sections[0].rows)
    assert all(section.figure is not None for section in sections)


def test_outcome_and_report_tell_the_same_way_and_all_pushes(recorded, run):
    outcome, section = recorded[1], next(walk_sections(run))
    push = "20 N (20, 0, 0) at 'BODY', 1.50 to 1.60 s"
    assert f"steps of 0.60 s, {outcome.walked}. Passed" in section.note and f", {outcome.walked}, turned" in str(
        outcome
    )
    assert f"Pushed by {push}." in section.note and f"  push      {push}" in str(outcome)
    assert "20 N\n1.50 s" in [text.get_text() for text in section.figure.axes[0].texts]


def test_pushes_without_a_direction_seen_from_above_are_rings_with_their_size(run):
    """A moment alone had no arrow, a force upwards one of no length, both no size."""
    common = {"frame": "BODY", "duration": 0.1}
    pushes = [
        {**common, "force": [0.0, 0.0, 300.0], "moment": [0.0, 0.0, 0.0], "start": 0.5},
        {**common, "force": [0.0, 0.0, 0.0], "moment": [0.0, 0.0, -20.0], "start": 1.0},
        {**common, "force": [0.0, 1.0, 0.0], "moment": [0.0, 0.0, 0.0], "start": 1.5},
    ]
    axes = next(walk_sections(replace(run, metadata={**run.metadata, "pushes": pushes}))).figure.axes[0]
    told = [text.get_text() for text in axes.texts]
    assert {"up, 300 N\n0.50 s", "moment, 20 N m\n1.00 s", "1 N\n1.50 s"} <= set(told)
    assert sum(line.get_marker() == "o" for line in axes.lines) == 2
    (arrow,) = [text for text in axes.texts if text.arrow_patch is not None]
    assert np.linalg.norm(np.subtract(arrow.xy, arrow.xyann)) == pytest.approx(SHORTEST_ARROW)


def test_fall_is_told_with_time_reason_and_what_was_violated_first(tmp_path):
    walker = ts.walking.Walker(ts.robots.hrp2())
    push = ts.simulation.Push("pelvis", (0.0, 2000.0, 0.0), start=1.2, duration=0.1)
    outcome = walker.walk(0.2, steps=2, pushes=[push], record=tmp_path / "fall.h5")
    assert not outcome.passed
    run = ts.open_recording(tmp_path / "fall.h5")
    section = next(walk_sections(run))
    assert section.warning
    assert f"Failed at {outcome.time:.2f} s: {outcome.reason}." in section.note
    assert outcome.first[1] in section.note or outcome.first[1] == outcome.reason


def test_other_recordings_and_such_that_lie_have_no_walk(run):
    assert list(walk_sections(replace(run, metadata={}))) == []
    good = run.metadata["walk"]
    for key, value in (
        ("feet", []),
        ("feet", [{"sole": "nothing", "half": [1, 1]}] * 2),
        ("footsteps", [[2, 0, 0, 0, 0, 0]]),
        ("footsteps", [["left"]]),
        ("verdict", None),
        ("step_time", []),
    ):
        bad = copy.deepcopy(good)
        bad[key] = value
        assert recorded_walk(replace(run, metadata={"walk": bad})) is None, key
    assert recorded_walk(replace(run, metadata={"walk": "a walk"})) is None


def test_report_without_signals_still_tells_the_walk(run):
    assert len(list(walk_sections(replace(run, signals={})))) == 2


@pytest.mark.chromium
def test_a_browser_shows_the_report_of_a_walk(recorded, tmp_path):
    page = tmp_path / "walk.html"
    result = CliRunner().invoke(app, ["report", str(recorded[0]), "-o", str(page), "--moments", "2"])
    assert result.exit_code == 0, result.stderr
    with Chromium((1000, 3000)) as browser:
        browser.open(f"file://{page}")
        assert browser.errors == []
        assert browser.run("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
        heads = browser.run("[...document.querySelectorAll('h2')].map(h => h.innerText).join('|')")
        picture = browser.picture().astype(int)
    assert heads.startswith("Walk|Walk over time|Torques against their limits|Joint speeds against their limits|")
    red, green, blue = np.moveaxis(picture, -1, 0)
    assert ((blue > 190) & (red < 80) & (green < 110)).sum() > 200  # outlines of left feet
    assert ((red > 180) & (green < 70) & (blue < 70)).sum() > 200  # and of right ones
