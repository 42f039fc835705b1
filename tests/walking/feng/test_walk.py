"""The walk of Feng et al. 2015 on rigid ground."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError, SimulationError, UnknownNameError
from tarsus.walking.feng.contacting_foot import FENG_CONTACTS, support_model
from tarsus.walking.feng.found_gait import FENG_LAW
from tarsus.walking.feng.support_exchange import mirrored
from tarsus.walking.feng.torques.camera import Camera
from tarsus.walking.feng.torques.walk_law import WalkLaw
from tarsus.walking.feng.walk import feng_walk
from tarsus.walking.feng.walk_step import Means

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


@dataclass(frozen=True)
class _EndsInSecondStep(WalkLaw):
    """The law of the walk, until something happens 0.1 s after the first exchange."""

    happens: Callable[[np.ndarray], np.ndarray] = np.array

    def torque(self, model, elapsed, q, across=1.0, head=None):
        tau = super().torque(model, elapsed, q, across, head)
        return self.happens(tau) if across > 0.0 and elapsed > 0.1 else tau


def _ends(happens):
    return _EndsInSecondStep(FENG_LAW.lifting, FENG_LAW.periodic, FENG_LAW.posture, happens)


def _ctrl_c(tau):
    raise KeyboardInterrupt


def test_what_was_walked_until_ctrl_c_is_kept_and_called_so(right_walk):
    walk = feng_walk(10, law=_ends(_ctrl_c))
    assert walk.walked == 1
    assert walk.interrupted
    assert "interrupted" in walk.fallen
    assert walk.steps[1].duration == pytest.approx(0.1, abs=0.01)
    np.testing.assert_array_equal(walk.steps[0].run.q, right_walk.steps[0].run.q)
    assert not right_walk.interrupted
    with_fall = feng_walk(10, law=replace(FENG_LAW, lifting=None))
    assert with_fall.fallen
    assert not with_fall.interrupted


def test_steps_before_one_that_cannot_be_computed_are_kept():
    walk = feng_walk(10, law=_ends(lambda tau: tau * np.nan))
    assert walk.walked == len(walk.steps) == 1
    assert "nan" in walk.fallen
    assert not walk.interrupted
    with pytest.raises(SimulationError, match="nan"):  # nothing has been walked
        feng_walk(10, first="left", law=_ends(lambda tau: tau * np.nan))


def test_a_step_without_end_lasts_as_long_as_it_is_computed():
    walk = feng_walk(1, means=Means(friction=0.0, control_dt=3e-3, sample_dt=9e-3))
    step = walk.steps[0]
    assert "after 2.502 s the contacting foot is not flat" in walk.fallen  # whole times between torques
    assert step.duration == pytest.approx(2.502) == step.run.time[-1]
    np.testing.assert_array_equal(step.end_q, step.run.q[-1])


@pytest.mark.parametrize(
    ("means", "named"),
    [
        ({"friction": -0.1}, "friction is -0.1"),
        ({"friction": np.nan}, "friction is nan"),
        ({"control_dt": 0.0}, "control_dt is 0.0"),
        ({"control_dt": 3e-3}, "sample_dt is 0.01; expected a multiple of control_dt = 0.003"),
        ({"sample_dt": 1e-3}, "sample_dt is 0.001; expected a multiple"),
        ({"relative": np.inf}, "relative is inf"),
        ({"absolute": "a"}, "absolute is 'a'"),
    ],
)
def test_means_that_make_no_sense_are_refused(means, named):
    with pytest.raises(ArgumentError, match=named):
        Means(**means)


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"steps": 0}, ArgumentError, "steps is 0"),
        ({"first": "both"}, UnknownNameError, "'both' not found"),
        ({"steps": True}, ArgumentError, "steps is True"),
        ({"start": (np.zeros(17), np.zeros(18))}, ShapeError, r"shapes \(17,\)"),
        ({"start": (np.zeros(18),)}, ArgumentError, "tuple of 1 that holds no q and v"),
        ({"start": (np.full(18, np.nan), np.zeros(18))}, NonFiniteError, "nan"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, named):
    with pytest.raises(error, match=named):
        feng_walk(**options)
