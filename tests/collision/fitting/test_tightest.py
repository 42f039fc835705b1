"""Smallest swept spheres: derivatives against differences, and sets whose smallest volume is known."""

import numpy as np
import pytest

from tarsus.collision.fitting.tightest import _slope, swept_volume, tightest
from tarsus.geometry.closest_on_triangle import closest_weights
from tarsus.geometry.swept_sphere import SweptSphere


def test_slope_equals_differences():
    rng = np.random.default_rng(0)
    x, p, rho = rng.normal(size=(6, 3, 3)), rng.normal(size=(6, 20, 3)), rng.uniform(0, 0.2, (6, 20))

    def log_volume(x):
        _, away = closest_weights(x, p)
        radius = np.log(np.exp(5.0 * (np.linalg.norm(away, axis=-1) + rho)).sum(axis=1)) / 5.0
        return np.log(swept_volume(x, radius))

    step, differences = 1e-6, np.zeros_like(x)
    for j, k in np.ndindex(3, 3):
        d = np.zeros_like(x)
        d[:, j, k] = step
        differences[:, j, k] = (log_volume(x + d) - log_volume(x - d)) / (2 * step)
    np.testing.assert_allclose(_slope(x, p, rho, 5.0)[0], differences, atol=1e-8)


def test_volume_is_that_of_swept_spheres():
    rng = np.random.default_rng(1)
    x, r = rng.normal(size=(5, 3, 3)), rng.uniform(size=5)
    expected = [SweptSphere(triangle, radius).volume for triangle, radius in zip(x, r, strict=True)]
    np.testing.assert_allclose(swept_volume(x, r), expected, rtol=1e-12)


@pytest.mark.parametrize("corners", [1, 2, 3])
def test_balls_at_the_corners_of_a_swept_sphere_give_it_back(corners):
    rng = np.random.default_rng(2)
    vertices = rng.normal(size=(corners, 3))
    exact = SweptSphere(vertices, 0.3)
    start = vertices.mean(axis=0) + 0.2 * rng.normal(size=(4, 3, 3))
    centers = np.broadcast_to(vertices, (4, corners, 3))
    found = tightest(start, centers, np.full((4, corners), 0.3), 400, corners=np.full(4, corners))
    assert exact.volume * (1 - 1e-9) <= found.volume.min() <= exact.volume * 1.01
    for triangle in found.triangles:
        assert len(np.unique(triangle, axis=0)) == corners


def test_the_smallest_ball_of_a_cube():
    cube = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), dtype=float).reshape(3, -1).T[None]
    found = tightest(np.full((1, 3, 3), 0.3), cube, np.zeros((1, 8)), 300, corners=np.array([1]))
    assert found.radius[0] == pytest.approx(np.sqrt(3), rel=2e-3)
