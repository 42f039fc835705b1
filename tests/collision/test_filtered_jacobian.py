"""The temporal filter of gradients."""

import math

import numpy as np
import pytest
from collision.scenes import zoo_scene

from tarsus.collision import FilteredJacobian
from tarsus.errors import ArgumentError, ShapeError


def test_a_jump_is_followed_with_the_time_constant():
    scene = zoo_scene()
    before, after = scene.model.random(np.random.default_rng(0), 2)
    time_constant, dt = 0.02, 0.002
    filtered = FilteredJacobian(scene, time_constant)
    start, end = (scene.distance_jacobian(q).jacobian for q in (before, after))
    assert (filtered.update(before, dt).jacobian == start).all()
    for cycle in range(1, 31):
        now = filtered.update(after, dt)
        left = math.exp(-cycle * dt / time_constant)
        assert np.abs(now.jacobian - (end + left * (start - end))).max() < 1e-12
        assert (now.distance == scene.distances(after)).all()
    assert abs(left - 0.05) < 0.001  # 95 % after three time constants
    filtered.reset()
    assert (filtered.update(after, dt).jacobian == end).all()


def test_no_time_constant_filters_nothing():
    scene = zoo_scene()
    filtered = FilteredJacobian(scene, 0)
    for q in scene.model.random(np.random.default_rng(0), 3):
        assert (filtered.update(q, 0.01).jacobian == scene.distance_jacobian(q).jacobian).all()


def test_batches_are_filtered_robot_by_robot():
    scene = zoo_scene()
    q = scene.model.random(np.random.default_rng(0), (2, 3))
    both, one = FilteredJacobian(scene, 0.1), FilteredJacobian(scene, 0.1)
    for batch in q:
        together = both.update(batch, 0.05).jacobian
        alone = one.update(batch[:1], 0.05).jacobian
    assert np.abs(together[:1] - alone).max() < 1e-12


def test_bad_input_is_named():
    scene = zoo_scene()
    q = scene.model.random(np.random.default_rng(0), 2)
    for wrong in (-1.0, float("nan"), "soon"):
        with pytest.raises(ArgumentError, match="time_constant is"):
            FilteredJacobian(scene, wrong)
    filtered = FilteredJacobian(scene, 0.1)
    with pytest.raises(ArgumentError, match="dt is 0"):
        filtered.update(q, 0)
    filtered.update(q, 0.1)
    with pytest.raises(ShapeError, match="reset"):
        filtered.update(q[0], 0.1)
