"""The walk of Feng et al. 2015 on rigid ground."""

from dataclasses import replace

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError
from tarsus.walking.feng.camera import Camera
from tarsus.walking.feng.contacting_foot import FENG_CONTACTS, support_model
from tarsus.walking.feng.found_gait import FENG_LAW
from tarsus.walking.feng.support_exchange import mirrored
from tarsus.walking.feng.walk import feng_walk

CLOSED = 1e-9
"""Closed points stay within this of the ground [m]."""
NUMBERS = {"heel-off": 18, "flat": 17}


def test_50_steps_from_a_stance(fifty_steps):
    walk = fifty_steps
    assert walk.fallen == ""
    assert walk.walked == 50
    lengths = [step.length for step in walk.steps]
    assert min(lengths) > 0.08
    assert [step.support for step in walk.steps[:3]] == ["left", "right", "left"]
    assert walk.distance == pytest.approx(sum(lengths))
    ends = [step.begin + step.duration for step in walk.steps]
    assert [step.begin for step in walk.steps[1:]] == pytest.approx(ends[:-1])


def test_a_walk_from_the_other_foot_is_the_mirror_image(right_walk, left_walk):
    assert [step.support for step in left_walk.steps[:2]] == ["right", "left"]
    for one, two in zip(right_walk.steps, left_walk.steps, strict=True):
        assert one.support != two.support
        assert two.duration == pytest.approx(one.duration, abs=1e-12)
        # chaos has not yet made much of rounding: contacts of mirrored trees are solved in another order
        np.testing.assert_allclose(mirrored(two.end_q), one.end_q, atol=1e-6)


def test_a_repeated_walk_is_the_same_bit_by_bit(right_walk):
    again = feng_walk(3)
    for one, two in zip(right_walk.steps, again.steps, strict=False):
        np.testing.assert_array_equal(one.run.q, two.run.q)
        np.testing.assert_array_equal(one.run.contact_force, two.run.contact_force)


def test_coordinates_that_are_left_are_those_of_the_paper(right_walk):
    """17 or 18, less C1 and C2; where points stick instead of sliding, less by one more."""
    for step in right_walk.steps:
        for stay in step.stays:
            inner = (step.run.time > stay.begin + 1e-3) & (step.run.time < stay.end - 1e-3)
            dof = np.asarray(step.run.signals["dof"])[inner]
            most = NUMBERS[stay.state.support] - stay.state.constraints
            if stay.state.foot == "floating":
                assert (dof == most).all()
            else:
                assert (dof <= most + (stay.state.foot == "flat")).all()


def test_closed_points_stay_on_the_ground(right_walk):
    for step in right_walk.steps:
        height = step.run.contact_position[..., 2]
        assert height.min() > -CLOSED
        pressed = step.run.contact_force[..., 2] > 1e-6
        assert np.abs(height[pressed]).max() < CLOSED
        assert step.run.contact_force[..., 2].min() >= 0.0


def test_friction_is_coulombs(right_walk):
    slid = 0
    for step in right_walk.steps:
        model, run = support_model(step.support), step.run
        for k, contact in enumerate(FENG_CONTACTS[1:], start=1):
            force = run.contact_force[:, k]
            assert (np.abs(force[:, 0]) <= right_walk.means.friction * force[:, 2] + 1e-5).all()
            twist = (ts.jacobian(model, run.q, contact.frame) @ run.v[..., None])[..., 0]
            arm = run.contact_position[:, k] - ts.frame_pose(model, run.q, contact.frame)[:, :3, 3]
            speed = (twist[:, :3] + np.cross(twist[:, 3:], arm))[:, 0]
            slides = (np.abs(speed) > 1e-3) & (force[:, 2] > 1.0) & (np.abs(run.contact_position[:, k, 2]) < CLOSED)
            slid += int(slides.sum())
            np.testing.assert_allclose(
                force[slides, 0], -np.sign(speed[slides]) * right_walk.means.friction * force[slides, 2], rtol=1e-6
            )
    assert slid > 10


def test_impacts_never_raise_energy_and_lose_some(right_walk):
    for step in right_walk.steps:
        losses = np.diff(step.run.energy["impact"])
        assert losses.min() >= -1e-9
        jumps = np.flatnonzero(np.diff(step.run.time) == 0.0)
        kinetic = np.diff(step.run.energy["kinetic"])[jumps]
        assert kinetic.max(initial=0.0) < 1e-9
    assert sum(step.run.energy["impact"][-1] for step in right_walk.steps) > 1.0


def test_without_visual_lifting_it_falls_within_two_steps():
    walk = feng_walk(10, law=replace(FENG_LAW, lifting=None))
    assert walk.walked < 2
    assert walk.fallen


def test_a_camera_without_errors_changes_nothing(right_walk):
    seen = feng_walk(2, camera=Camera())
    np.testing.assert_allclose(seen.steps[1].end_q, right_walk.steps[1].end_q, atol=1e-9)
    late = feng_walk(2, camera=Camera(delay=0.01))
    assert np.abs(late.steps[0].run.q[20] - right_walk.steps[0].run.q[20]).max() > 1e-6


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"steps": 0}, ArgumentError, "steps is 0"),
        ({"first": "both"}, UnknownNameError, "'both' not found"),
        ({"start": (np.zeros(17), np.zeros(18))}, ShapeError, r"shapes \(17,\)"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, named):
    with pytest.raises(error, match=named):
        feng_walk(**options)
