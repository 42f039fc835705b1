"""What a standing robot keeps."""

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.errors import ArgumentError, TarsusError
from tarsus.tasks import CenterOfMass, FramePose, Position


def test_soles_keep_their_pose_and_the_centre_of_mass_its_place():
    model = ts.robots.hrp2()
    tasks = ts.ik.stance(model)
    assert [type(task) for task in tasks] == [FramePose, FramePose, CenterOfMass]
    assert {task.frame for task in tasks[:2]} == {"LLEG_LINK5", "RLEG_LINK5"}
    assert all(np.abs(task.error(model, model.reference)).max() < 1e-12 for task in tasks)
    raised = model.reference.copy()
    raised[2] += 0.1
    assert all(np.abs(task.error(model, raised)).max() > 0.09 for task in tasks[:2])
    assert np.abs(tasks[2].error(model, raised)).max() < 1e-9  # heights of the centre of mass are free


def test_feet_may_be_named():
    model = ts.robots.hrp2()
    tasks = ts.ik.stance(model, feet=["l_sole"])
    assert [getattr(task, "frame", None) for task in tasks] == ["l_sole", None]
    with pytest.raises(ArgumentError, match="feet is empty"):
        ts.ik.stance(model, feet=[])


def test_feet_that_stand_on_a_point_keep_its_place():
    model = ts.load(robot_data_path("solo_description/robots/solo12.urdf"), "free")
    tasks = ts.ik.stance(model, ts.ik.standing(model))
    assert [type(task) for task in tasks] == [Position] * 4 + [CenterOfMass]


def test_robots_without_feet_are_refused():
    with pytest.raises(TarsusError):
        ts.ik.stance(ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_box(1, (1, 1, 1))).build())
