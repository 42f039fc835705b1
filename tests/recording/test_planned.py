"""Planned motions as trajectories."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.geometry.shapes import Box, Mesh, Shape, Sphere
from tarsus.recording import motion_trajectory, open_recording, save


def planned():
    model = ts.robots.crops9()
    return ts.ik.reach(model, ts.tasks.Position("tool", [0.8, 0.2, 0.9]))


def test_a_recording_holds_the_motion_and_what_stood_around(tmp_path):
    motion = planned()
    around = [
        Shape(Box((0.5, 0.6, 0.04)), ts.pose([0.9, 0, 0.6]), name="table"),
        Shape(Sphere(0.1), ts.pose([1, 1, 1]), name="ball"),
    ]
    run = motion_trajectory(motion, around)
    save(run, tmp_path / "reach.h5")
    read = open_recording(tmp_path / "reach.h5")
    for name in ("q", "v"):
        assert np.array_equal(getattr(read, name), getattr(motion, name))
    assert np.array_equal(read.time, motion.t) and np.array_equal(read.signals["vdot"], motion.vdot)
    assert [surface.name for surface in read.ground.surfaces] == ["ground", "table", "ball"]
    assert read.finished and read.metadata["reach"] == motion.reason


def test_nothing_is_drawn_below_a_floor_that_is_not_there():
    run = motion_trajectory(planned(), [Shape(Box((0.5, 0.6, 0.04)), ts.pose([0.9, 0, -0.5]), name="table")])
    assert [surface.name for surface in run.ground.surfaces] == ["table"]


def test_blocked_motions_are_told_and_strangers_refused():
    model = ts.robots.crops9()
    run = motion_trajectory(ts.ik.reach(model, ts.tasks.Position("tool", [9, 0, 0])))
    assert not run.finished and "blocked" in run.reason and len(run) == 1
    with pytest.raises(ArgumentError, match="expected one of tarsus.ik.reach"):
        motion_trajectory(model)
    with pytest.raises(ArgumentError, match="'shape 0' is a Mesh"):
        motion_trajectory(planned(), [Shape(Mesh("nowhere.stl"))])
