"""Arrows of pushes: where they are, when they are there, and what recordings may say about them."""

import numpy as np
import pytest
from simulation.bodies import ball

import tarsus as ts
from tarsus.simulation import Push
from tarsus.viewer.parts import parts_of
from tarsus.viewer.playback import playback_of

ROUNDED = 1e-6
"""Vertices of meshes to draw are single precision [m]."""


def chest_run():
    robot = ts.robots.hrp2()
    pushes = [Push("CHEST_LINK1", (50.0, 0.0, 0.0), start=0.02, duration=0.02), Push("CHEST_LINK1", (0.0, 25.0, 0.0))]
    return ts.simulate(robot, duration=0.06, sample_dt=0.01, pushes=pushes)


def test_runs_tell_their_pushes_and_recordings_keep_them(tmp_path):
    run = chest_run()
    expected = {"frame": "CHEST_LINK1", "force": [50.0, 0.0, 0.0], "moment": [0.0] * 3, "start": 0.02, "duration": 0.02}
    assert run.metadata["pushes"][0] == expected
    ts.save(run, tmp_path / "run.h5")
    assert ts.open_recording(tmp_path / "run.h5").metadata["pushes"] == run.metadata["pushes"]


def test_arrows_are_there_while_pushes_act_and_as_long_as_these_are_strong():
    run = chest_run()
    playback, parts = playback_of(run), parts_of(run.model)
    segments = playback.push_segments(parts, 1.6)
    length = np.linalg.norm(segments[:, :, 1] - segments[:, :, 0], axis=-1)
    np.testing.assert_array_equal(length[:, 0] > 0.0, [False, False, True, True, False, False, False])
    assert (length[:, 1] > 0.0).all()
    np.testing.assert_allclose(length[2], [2.0 * length[2, 1], length[2, 1]])
    direction = segments[2, 0, 1] - segments[2, 0, 0]
    np.testing.assert_allclose(direction / length[2, 0], [1.0, 0.0, 0.0], atol=1e-12)


def test_arrows_end_where_the_body_begins_in_the_line_of_the_force():
    run = chest_run()
    parts, k = parts_of(run.model), 2
    tip = playback_of(run).push_segments(parts, 1.6)[k, 0, 1]
    X_WF = ts.frame_pose(run.model, run.q[k], "CHEST_LINK1")
    np.testing.assert_allclose(tip[1:], X_WF[1:3, 3], atol=1e-12)  # the force is along x
    body = run.model.bodies["CHEST_LINK1"].index
    X_WB = ts.body_poses(run.model, run.q[k])[body]
    behind = min((p.mesh.vertices @ X_WB[:3, :3].T + X_WB[:3, 3])[:, 0].min() for p in parts if p.body == body)
    assert behind < X_WF[0, 3] - 0.01
    np.testing.assert_allclose(tip[0], behind, atol=ROUNDED)


@pytest.mark.parametrize(
    "entry",
    [
        "push",
        {},
        {"frame": "nowhere", "force": [1.0, 0.0, 0.0], "start": 0.0, "duration": 1.0},
        {"frame": ["base"], "force": [1.0, 0.0, 0.0], "start": 0.0, "duration": 1.0},
        {"frame": "base", "force": [1.0, 0.0], "start": 0.0, "duration": 1.0},
        {"frame": "base", "force": [np.nan, 0.0, 0.0], "start": 0.0, "duration": 1.0},
        {"frame": "base", "force": "up", "start": 0.0, "duration": 1.0},
        {"frame": "base", "force": [1.0, 0.0, 0.0], "start": "now", "duration": 1.0},
    ],
)
def test_entries_that_are_no_pushes_are_left_out(entry):
    run = ts.simulate(ball(), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], duration=0.01)
    run.metadata["pushes"] = [entry]
    assert playback_of(run).pushes == ()
    run.metadata["pushes"] = entry
    assert playback_of(run).pushes == ()
