"""MCAP logs, read back with the package's own reader."""

import json
import os
import sys

import numpy as np
import pytest
from mcap.reader import make_reader
from recording.runs import random_run

import tarsus as ts
from tarsus.errors import ArgumentError, RecordingError
from tarsus.spatial import rotation_matrix_from_quaternion

ROUNDING = 1e-14
"""Of a rotation matrix made into a quaternion and back."""


def messages(path):
    """Messages of each topic with their times [ns]."""
    found = {}
    with open(path, "rb") as stream:
        for _, channel, message in make_reader(stream).iter_messages():
            found.setdefault(channel.topic, []).append((message.log_time, json.loads(message.data)))
    return found


@pytest.fixture
def exported(tmp_path):
    run = random_run(ts.robots.hrp2(), samples=7)
    ts.export(run, tmp_path / "run.mcap")
    return run, messages(tmp_path / "run.mcap")


def test_every_topic_has_a_message_for_each_sample(exported):
    run, found = exported
    assert set(found) == {"/tf", "/joint_states", "/contacts", "/energy", "/signals"}
    for content in found.values():
        assert [time for time, _ in content] == [round(t * 1e9) for t in run.time]


def test_poses_are_those_of_the_bodies(exported):
    run, found = exported
    expected = ts.body_poses(run.model, run.q)
    for k, (_, message) in enumerate(found["/tf"]):
        assert [x["child_frame_id"] for x in message["transforms"]] == list(run.model.bodies)
        for i, transform in enumerate(message["transforms"]):
            translation = [transform["translation"][axis] for axis in "xyz"]
            np.testing.assert_array_equal(translation, expected[k, i, :3, 3])
            R = rotation_matrix_from_quaternion([transform["rotation"][axis] for axis in "wxyz"])
            np.testing.assert_allclose(R, expected[k, i, :3, :3], atol=ROUNDING)


def test_joint_states_contacts_energies_and_signals_are_exact(exported):
    run, found = exported
    _, joints = found["/joint_states"][3]
    place = 11
    joint = run.model.joints[joints["name"][place]]
    assert joints["position"][place] == run.q[3, joint.q_index.start]
    assert joints["effort"][place] == run.tau[3, joint.v_index.start]
    _, contacts = found["/contacts"][4]
    assert contacts["contacts"][1]["name"] == "right sole"
    assert contacts["contacts"][1]["force"]["z"] == run.contact_force[4, 1, 2]
    assert found["/energy"][2][1]["total"] == run.total_energy[2]
    assert found["/signals"][2][1]["imu/acceleration"] == run.signals["imu/acceleration"][2].tolist()


def test_schemas_are_valid_and_the_run_is_described(tmp_path):
    run = random_run(finished=False, reason="fell")
    ts.export(run, tmp_path / "run.mcap")
    with open(tmp_path / "run.mcap", "rb") as stream:
        reader = make_reader(stream)
        schemas = {schema.name: json.loads(schema.data) for schema in reader.get_summary().schemas.values()}
        (description,) = reader.iter_metadata()
    assert "foxglove.FrameTransforms" in schemas
    assert all(schema["type"] == "object" for schema in schemas.values())
    assert description.metadata["reason"] == "fell"
    assert json.loads(description.metadata["metadata"]) == run.metadata


def test_numbers_that_are_not_finite_become_null(tmp_path):
    run = random_run(samples=2)
    run = ts.Trajectory(run.model, run.time, run.q, run.v, signals={"x": np.array([[np.nan, 1.0], [np.inf, 2.0]])})
    ts.export(run, tmp_path / "run.mcap")
    assert [content["x"] for _, content in messages(tmp_path / "run.mcap")["/signals"]] == [[None, 1.0], [None, 2.0]]


def test_what_cannot_be_written_is_told_and_leaves_nothing(tmp_path, monkeypatch):
    run = random_run()
    early = ts.Trajectory(run.model, run.time - 1.0, run.q, run.v)
    with pytest.raises(ArgumentError, match="begins at -1 s"):
        ts.export(early, tmp_path / "run.mcap")
    with pytest.raises(ArgumentError, match="signals="):
        ts.export(run, tmp_path / "run.mcap", signals=["q"])
    monkeypatch.setitem(sys.modules, "mcap.writer", None)
    with pytest.raises(RecordingError, match=r"pip install 'tarsus\[mcap\]'"):
        ts.export(run, tmp_path / "run.mcap")
    assert not os.listdir(tmp_path)
