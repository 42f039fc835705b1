"""Normals are the gradients of distances, and turns their rates."""

import numpy as np
import pytest

from tarsus.geometry.point_distances import to_box, to_half_space
from tarsus.spatial.pose import pose

STEP = 1e-6
DIFFERENCES = 1e-8
"""Of central differences of numbers of order one with this step."""
NORMAL = np.array([0.6, 0.0, 0.8])


def half_space(p, u):
    return to_half_space(np.array([0.1, 0.2, 0.3]), NORMAL, p)


def box(p, u):
    c, s = np.cos(0.4), np.sin(0.4)
    return to_box((0.4, 0.6, 1.0), pose([0.1, 0.0, 0.2], [[c, -s, 0], [s, c, 0], [0, 0, 1]]), p, u)


@pytest.mark.parametrize("solid", [half_space, box])
def test_normal_is_the_gradient_of_the_distance(solid):
    p = np.random.default_rng(1).uniform(-1.0, 1.0, size=(200, 3))
    rest = np.zeros_like(p)
    gradient = np.stack(
        [(solid(p + STEP * e, rest).gap - solid(p - STEP * e, rest).gap) / (2 * STEP) for e in np.eye(3)], axis=-1
    )
    np.testing.assert_allclose(solid(p, rest).normal, gradient, atol=DIFFERENCES)


def test_points_inside_have_a_negative_gap():
    assert half_space(np.array([[0.1, 0.2, 0.0]]), None).gap[0] == pytest.approx(-0.24)
    assert box(np.array([[0.1, 0.0, 0.2]]), np.zeros((1, 3))).gap[0] == pytest.approx(-0.2)


@pytest.mark.parametrize("solid", [half_space, box])
def test_turn_is_the_rate_of_the_normal(solid):
    rng = np.random.default_rng(3)
    p, u = rng.uniform(-0.9, 0.9, size=(2, 200, 3))
    rate = (solid(p + STEP * u, u).normal - solid(p - STEP * u, u).normal) / (2 * STEP)
    np.testing.assert_allclose(solid(p, u).turn, rate, atol=1e-6)
