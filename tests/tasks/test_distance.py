"""Tasks that keep pairs apart: errors and Jacobians are those of the collision model."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.tasks import Distance, FramePose, Position

ARM = ts.robots.crops9()
NEXT_BUT_ONE = [("carriage", "link3"), ("link3", "link5"), ("link5", "link7"), ("link7", "link9")]
"""Segments on both sides of a short link, which are never far from each other."""
SCENE = ts.collision.CollisionModel(ARM, exclude=NEXT_BUT_ONE)
STEP = 1e-6


def test_error_is_what_is_missing_to_the_least_distance():
    q = ARM.random(np.random.default_rng(0), (200,))
    error = Distance(SCENE, 0.1).error(ARM, q)
    assert np.array_equal(error, np.maximum(0.0, 0.1 - SCENE.distances(q)))
    assert (error > 0).any()
    assert (error == 0).any()


def test_error_falls_by_the_jacobian_and_its_rate_by_the_bias():
    rng = np.random.default_rng(1)
    q, v = ARM.random(rng, (200,)), rng.normal(size=(200, ARM.nv))
    task = Distance(SCENE, 0.1)
    rate = (task.jacobian(ARM, q) @ v[..., None])[..., 0]
    ahead, behind = (task.error(ARM, ARM.integrate(q, v, sign * STEP)) for sign in (1, -1))
    found = (behind - ahead) / (2 * STEP)
    # Nearest points jump here and there, and pairs come near: all but a few entries agree.
    assert np.mean(np.abs(found - rate) < 1e-5) > 0.995
    assert np.abs(rate).max() > 0.1
    assert np.isfinite(task.jacobian_dot_v(ARM, q, v)).all()


def test_solutions_keep_their_distance():
    q = ARM.random(np.random.default_rng(2), (400,))
    targets = ts.frame_pose(ARM, q[SCENE.distances(q).min(axis=-1) > 0.05][:40], "tool")
    careless = ts.ik.solve(ARM, FramePose("tool", targets))
    careful = ts.ik.solve(ARM, FramePose("tool", targets), collision=SCENE, margin=0.02)
    assert SCENE.distances(careless.q).min() < 0.02
    assert careful.success.mean() >= 0.95
    assert SCENE.distances(careful.q[careful.success]).min() >= 0.02 - 1e-8


def test_targets_inside_of_obstacles_are_not_reached_without_collision():
    place = ts.frame_pose(ARM, ARM.reference, "tool")[:3, 3]
    ball = ts.collision.Obstacle("ball", ts.collision.SweptSphere([place], 0.2))
    around = ts.collision.CollisionModel(ARM, obstacles=[ball], exclude=NEXT_BUT_ONE)
    assert ts.ik.solve(ARM, Position("tool", place), collision=SCENE).success
    answer = ts.ik.solve(ARM, Position("tool", place), collision=around, starts=3)
    assert not answer.success
    assert answer.residual > 0.01


def test_scenes_of_other_robots_are_refused_by_name():
    with pytest.raises(ArgumentError, match="crops9"):
        Distance(SCENE).error(ts.robots.hrp2(), ts.robots.hrp2().reference)
    with pytest.raises(ArgumentError, match="scene of Distance"):
        Distance("crops9")
    with pytest.raises(ArgumentError, match="least of Distance"):
        Distance(SCENE, np.nan)
