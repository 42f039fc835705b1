"""Lola's task space: what it tracks, and what swinging arms do to the angular momentum (Buschmann 2014, 5.3)."""

from functools import cache

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, PlanningError
from tarsus.tasks import CenterOfMass, FramePose, Orientation
from tarsus.walking import Gait, StepLimits, footsteps
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.posture_path import sole_poses
from tarsus.walking.reference.task_space import TaskSpace
from tarsus.walking.reference.walk_plan import walk_plan

STEP, TIME = 0.60, 0.8
"""Of figure 5.11 [m, s]."""


@cache
def lola():
    return Biped.of(ts.robots.lola(), bend=0.12)


def plan(biped, momentum, length=STEP):
    feet = footsteps([length / TIME, 0.0, 0.0], TIME, 4, biped.width, StepLimits(0.8, 0.3, 0.4))
    gait = Gait(TIME, 0.2, (0.1, 0.05), settling=TIME)
    return walk_plan(biped, feet, gait, 0.05, postures=TaskSpace.of(biped, momentum=momentum).path)


def spin(biped, walk):
    return np.einsum("nj,nj->n", ts.momentum_matrix(biped.model, walk.q)[:, 5], walk.v)


def test_lola_tracks_22_of_30_coordinates_and_leaves_arms_and_pelvis_to_the_nullspace():
    space = TaskSpace.of(lola())
    assert space.tracked == 22
    assert space.torso == "torso" and space.held == ("tvp", "tvt")
    assert set(space.free) == {"tbr", "tba", "tafr", "taar", "tefr", "tafl", "taal", "tefl"}
    assert ts.robots.lola().nv == space.tracked + len(space.free)
    assert space.gamma == pytest.approx(0.008, rel=0.03)


def test_figure_5_11_minimisation_at_least_halves_the_peak_of_vertical_angular_momentum():
    biped = lola()
    without, with_it = (np.abs(spin(biped, plan(biped, momentum))).max() for momentum in (False, True))
    assert without > 1.0  # kg m^2/s, there is something to reduce
    assert with_it < 0.15 * without  # asked: half; the page says a tenth


def test_tracked_coordinates_are_followed_and_limits_kept_whatever_the_arms_do():
    biped = lola()
    model, walk = biped.model, plan(biped, True)
    tasks = [
        CenterOfMass(walk.com),
        *(FramePose(leg.sole, sole_poses(biped, walk.feet, k)) for k, leg in enumerate(biped.legs)),
    ]
    tasks.append(Orientation("torso", np.eye(3)))
    for task in tasks:
        assert np.abs(task.error(model, walk.q)).max() < 1e-3
    joints = slice(7, None)
    assert (walk.q[:, joints] >= model.q_min[joints] - 1e-9).all() and (
        walk.q[:, joints] <= model.q_max[joints] + 1e-9
    ).all()
    assert np.ptp(walk.q[:, model.joints["tafl"].q_index.start]) > 0.3  # the arm swings


def test_steps_beyond_reach_and_bad_weights_are_refused_by_name():
    with pytest.raises(PlanningError, match="cannot take these steps"):
        plan(Biped.of(ts.robots.lola(), bend=0.02), True, length=0.79)
    with pytest.raises(ArgumentError, match="gamma"):
        TaskSpace.of(lola(), gamma=-1.0)
