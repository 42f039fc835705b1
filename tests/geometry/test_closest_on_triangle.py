"""Closest points of triangles: against quadratic programs by brute force, and degenerate ones."""

import numpy as np

from tarsus.geometry.closest_on_triangle import closest_weights

ROUND_OFF = 1e-12


def brute_force(triangle, point, n=60):
    """Least distance over a grid of weights, refined around the best."""
    low, size, best = np.zeros(2), 1.0, np.inf
    for _ in range(12):
        s, t = np.meshgrid(*(np.clip(low[k] + size * np.linspace(0, 1, n), 0, 1) for k in range(2)))
        keep = s + t <= 1 + 1e-15
        s, t = s[keep], t[keep]
        at = triangle[0] + s[:, None] * (triangle[1] - triangle[0]) + t[:, None] * (triangle[2] - triangle[0])
        distance = np.linalg.norm(at - point, axis=1)
        k = np.argmin(distance)
        best = min(best, distance[k])
        size /= 6
        low = np.array([s[k], t[k]]) - size / 2
    return best


def test_distances_are_the_least_ones():
    rng = np.random.default_rng(3)
    triangles, points = rng.normal(size=(40, 3, 3)), 1.5 * rng.normal(size=(40, 3, 3))
    triangles[0] = triangles[0][[0, 0, 1]]  # a segment
    triangles[1] = triangles[1][[0, 1, 0]]
    triangles[2] = triangles[2][[0, 0, 0]]  # a point
    triangles[3][2] = (triangles[3][0] + triangles[3][1]) / 2  # corners in a line
    weights, away = closest_weights(triangles, points)
    assert (weights >= 0.0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0, atol=ROUND_OFF)
    np.testing.assert_allclose(weights @ triangles + away, points, atol=ROUND_OFF)
    for triangle, row, vectors in zip(triangles, points, away, strict=True):
        for point, vector in zip(row, vectors, strict=True):
            assert abs(np.linalg.norm(vector) - brute_force(triangle, point)) < 1e-6


def test_points_on_a_triangle_are_at_no_distance():
    rng = np.random.default_rng(5)
    triangles, shares = rng.normal(size=(20, 3, 3)), rng.dirichlet(np.ones(3), (20, 10))
    _, away = closest_weights(triangles, shares @ triangles)
    assert np.abs(away).max() < ROUND_OFF
