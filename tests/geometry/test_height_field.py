"""Distances to the nearest points of height fields: normals are their gradients, turns the rates of normals."""

import numpy as np

from tarsus.geometry.height_field import to_height_field

STEP = 1e-6
DIFFERENCES = 1e-7
"""Of central differences of distances with this step, beside edges that are 1e-2 m away."""
SEAMS = 2
"""Of 300 points, so many may have two places that are equally near within a step."""


def field(p, u):
    heights = np.random.default_rng(2).normal(scale=0.1, size=(5, 6))
    return to_height_field(heights, 0.5, (-1.2, -1.0), p, u)


def test_normal_is_the_gradient_of_the_distance():
    """Within cells, on their edges, at their corners, and beyond the grid; far above and deep below."""
    p = np.random.default_rng(1).uniform((-1.8, -1.5, -0.8), (1.8, 1.5, 0.8), size=(300, 3))
    rest = np.zeros_like(p)
    gradient = np.stack(
        [(field(p + STEP * e, rest).gap - field(p - STEP * e, rest).gap) / (2 * STEP) for e in np.eye(3)], axis=-1
    )
    off = np.abs(field(p, rest).normal - gradient).max(axis=1)
    assert np.count_nonzero(off > DIFFERENCES) <= SEAMS


def test_turn_is_the_rate_of_the_normal():
    rng = np.random.default_rng(3)
    p, u = rng.uniform(-0.9, 0.9, size=(2, 300, 3))
    rate = (field(p + STEP * u, u).normal - field(p - STEP * u, u).normal) / (2 * STEP)
    off = np.abs(field(p, u).turn - rate).max(axis=1)
    assert np.count_nonzero(off > 1e-5) <= SEAMS


def test_it_is_bilinear_between_its_points_and_level_beyond():
    heights, p = np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([[0.5, 0.5, 1.0], [9.0, 9.0, 3.0]])
    found = to_height_field(heights, 1.0, (0.0, 0.0), p, np.zeros_like(p))
    np.testing.assert_allclose(found.gap, [0.5 / np.sqrt(2.0), 2.0], rtol=1e-15)
    assert found.normal[1].tolist() == [0.0, 0.0, 1.0]


def test_a_sphere_over_a_ridge_turns_about_it():
    """Above the edge between two slopes, the nearest point stays on it; beside it, the distance is that to a plane."""
    heights = np.tile([0.0, 1.0, 0.0], (3, 1))
    p = np.array([[1.1, 1.3, 1.5], [0.9, 0.8, 1.4], [0.2, 1.0, 1.0]])
    found = to_height_field(heights, 1.0, (0.0, 0.0), p, np.zeros_like(p))
    np.testing.assert_allclose(found.gap, [np.hypot(0.1, 0.5), np.hypot(0.1, 0.4), 0.8 / np.sqrt(2.0)], rtol=1e-14)
    np.testing.assert_allclose(found.normal[2], np.array([-1.0, 0.0, 1.0]) / np.sqrt(2.0), atol=1e-15)


def test_beyond_its_reach_a_distance_is_known_to_be_larger():
    rng = np.random.default_rng(4)
    p = rng.uniform((-1.0, -1.0, 0.0), (1.0, 1.0, 1.0), size=(300, 3))
    heights = rng.normal(scale=0.1, size=(6, 6))
    exact, near = (to_height_field(heights, 0.4, (-1.0, -1.0), p, np.zeros_like(p), reach=r) for r in (np.inf, 0.2))
    within = np.abs(exact.gap) < 0.2
    assert 20 < within.sum() < 280
    np.testing.assert_array_equal(near.gap[within], exact.gap[within])
    assert np.all(np.abs(near.gap[~within]) >= 0.2)
