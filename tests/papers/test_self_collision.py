"""The harvesting arm of figure 5.10 of Buschmann 2014: objectives in the nullspace keep it off itself."""

import numpy as np
import pytest
from benchmarks.papers import crops_scene
from benchmarks.papers.crops_scene import BEGIN, GOAL, MARGIN, START

import tarsus as ts


@pytest.fixture(scope="module")
def motions():
    return crops_scene.move(avoiding=False), crops_scene.move(avoiding=True)


def test_scene_begins_at_its_start_without_collision():
    model = ts.robots.crops9()
    assert np.allclose(ts.frame_pose(model, START, "tool")[:3, 3], BEGIN, atol=1e-8)
    assert ts.collision.CollisionModel(model).clearance(START) > MARGIN


def test_without_avoidance_the_arm_collides_with_itself(motions):
    assert motions[0].distance.min() < -0.04


def test_with_avoidance_all_pairs_keep_the_margin_also_between_the_samples(motions):
    model = ts.robots.crops9()
    scene, path = ts.collision.CollisionModel(model), motions[1]
    between = model.integrate(path.q[:-1], path.v[:-1], 0.5 * crops_scene.STEP)
    assert path.distance.min() >= MARGIN
    assert scene.clearance(between).min() >= MARGIN


def test_tool_error_is_the_same_and_limits_are_kept(motions):
    plain, careful = motions
    model = ts.robots.crops9()
    assert careful.error.max() < 2 * plain.error.max()
    assert careful.error.max() < 1e-4
    for path in motions:
        tool = ts.frame_pose(model, path.q[-1], "tool")[:3, 3]
        assert np.linalg.norm(tool - GOAL) < 1e-4
    assert (careful.q > model.q_min).all()
    assert (careful.q < model.q_max).all()
    assert (np.abs(careful.v) < model.v_max).all()
