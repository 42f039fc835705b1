"""Wrenches on bodies from wrenches at frames."""

import numpy as np
import pytest
from dynamics.random_models import models, random_model, seeds
from dynamics.states import PROPERTY, assert_close, random_state
from dynamics.test_kinematics import AXES
from hypothesis import given

import tarsus as ts
from tarsus.errors import ShapeError, UnknownNameError


@PROPERTY
@given(models(min_bodies=2), seeds())
def test_wrenches_at_frames_do_the_work_of_force_times_frame_velocity(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    wrenches = dict(zip(("tool1", "tool2", "body2"), np.random.default_rng(seed).normal(size=(3, 6)), strict=True))
    for axes in AXES:
        external = ts.body_wrenches(model, q, wrenches, axes)
        work = np.einsum("bi,bi->", external, ts.body_jacobians(model, q) @ v)
        expected = sum(f @ ts.frame_velocity(model, q, v, frame, axes) for frame, f in wrenches.items())
        assert_close(np.array(work), np.array(expected))


def test_wrenches_take_batches_and_broadcast() -> None:
    model = random_model(("revolute", "spherical"), "free", seed=1)
    q = random_state(model, 2, (4, 1)).q
    wrench = np.random.default_rng(3).normal(size=(3, 6))
    external = ts.body_wrenches(model, q, {"tool2": wrench, "body0": np.ones(6)}, "local")
    assert external.shape == (4, 3, model.nb, 6)
    for i in range(4):
        for k in range(3):
            one = ts.body_wrenches(model, q[i, 0], {"tool2": wrench[k], "body0": np.ones(6)}, "local")
            assert_close(external[i, k], one)


def test_no_wrenches_are_zeros() -> None:
    model = random_model(("revolute",), "fixed", seed=1)
    np.testing.assert_array_equal(ts.body_wrenches(model, model.neutral(), {}), np.zeros((2, 6)))


def test_mistakes_are_told() -> None:
    model = random_model(("revolute", "spherical"), "free", seed=1)
    q = model.neutral()
    with pytest.raises(UnknownNameError, match=r"tool3.*close.*tool1"):
        ts.body_wrenches(model, q, {"tool3": np.zeros(6)})
    with pytest.raises(ShapeError, match="tool1"):
        ts.body_wrenches(model, q, {"tool1": np.zeros(3)})
    with pytest.raises(UnknownNameError, match=r"expressed_in.*'global'"):
        ts.body_wrenches(model, q, {"tool1": np.zeros(6)}, "global")  # type: ignore[arg-type]
