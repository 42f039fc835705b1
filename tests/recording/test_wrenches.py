"""Wrenches of contacts on bodies of a trajectory."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, UnknownNameError

ROUND_OFF = 1e-9
"""Sums of some forces of 100 N times lengths of 1 m."""


@pytest.fixture(scope="module")
def run():
    model = ts.robots.quadruped()
    q0 = ts.contact.on_ground(model, None, ts.contact.flat())
    law = ts.simulation.JointLaw(kp=100.0, kd=5.0, q=q0)
    return ts.simulate(model, q0, duration=0.1, controller=law, ground=ts.contact.flat(), sample_dt=0.01)


def test_wrench_on_a_foot_is_that_of_its_contacts_about_the_frame(run):
    wrench = run.wrench("fl_shank_link")
    index = [k for k, name in enumerate(run.contacts) if name.startswith("fl_shank_link")]
    origin = ts.frame_pose(run.model, run.q, "fl_shank_link")[:, None, :3, 3]
    force, arm = run.contact_force[:, index], run.contact_position[:, index] - origin
    expected = np.concatenate([force.sum(axis=1), np.nan_to_num(np.cross(arm, force)).sum(axis=1)], axis=-1)
    assert np.abs(wrench).max() > 1.0
    np.testing.assert_allclose(wrench, expected, atol=ROUND_OFF)


def test_wrenches_on_all_bodies_are_all_that_the_ground_does(run):
    total = sum(run.wrench(body)[:, :3] for body in run.model.bodies)
    np.testing.assert_allclose(total, run.contact_force.sum(axis=1), atol=ROUND_OFF)


def test_a_recording_keeps_which_contact_is_on_which_body(run, tmp_path):
    ts.save(run, tmp_path / "run.h5")
    found = ts.open_recording(tmp_path / "run.h5")
    np.testing.assert_array_equal(found.wrench("rr_shank_link"), run.wrench("rr_shank_link"))


def test_frames_that_are_not_there_are_told(run):
    with pytest.raises(UnknownNameError, match="close: 'fl_shank_link'"):
        run.wrench("fl_shank_lin")


def test_a_trajectory_without_contacts_has_no_wrench(run):
    bare = ts.Trajectory(run.model, run.time, run.q, run.v)
    assert not bare.wrench("fl_shank_link").any()
    force = np.zeros((len(run), 1, 3))
    odd = ts.Trajectory(run.model, run.time, run.q, run.v, None, ("c",), force, force)
    with pytest.raises(ArgumentError, match="which body"):
        odd.wrench("fl_shank_link")
