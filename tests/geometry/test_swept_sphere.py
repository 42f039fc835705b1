"""Swept-sphere volumes as data: kinds, volumes, frames, refusals."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.geometry.swept_sphere import SweptSphere

TRIANGLE = np.array([[0.0, 0.0, 0.0], [0.4, 0.0, 0.1], [0.1, 0.3, -0.2]])
SAMPLES = 400_000
MONTE_CARLO = 0.01
"""Five standard deviations of the share of points that are inside."""


def distance_to_triangle(points, triangle):
    """By a fine net of points on it, which is at most half its spacing off."""
    s, t = np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 60))
    inside = s + t <= 1
    net = triangle[0] + s[inside, None] * (triangle[1] - triangle[0]) + t[inside, None] * (triangle[2] - triangle[0])
    return cKDTree(net).query(points)[0]


@pytest.mark.parametrize(("count", "kind"), [(1, "point"), (2, "line"), (3, "triangle")])
def test_volume_is_the_share_of_random_points_inside(count, kind):
    swept = SweptSphere(TRIANGLE[:count], 0.15)
    assert swept.kind == kind
    low, high = swept.vertices.min(axis=0) - 0.15, swept.vertices.max(axis=0) + 0.15
    points = np.random.default_rng(1).uniform(low, high, size=(SAMPLES, 3))
    full = TRIANGLE[[0, min(1, count - 1), count - 1]]
    share = np.mean(distance_to_triangle(points, full) <= 0.15)
    assert share * np.prod(high - low) == pytest.approx(swept.volume, rel=MONTE_CARLO)


def test_transformed_moves_vertices_and_keeps_radius_and_volume():
    X = ts.pose(rotation=ts.spatial.rotation_matrix_from_quaternion([0.5, 0.5, -0.5, 0.5]), position=[1.0, 2.0, 3.0])
    swept = SweptSphere(TRIANGLE, 0.1)
    moved = swept.transformed(X)
    assert np.allclose(moved.vertices, [X[:3, :3] @ p + X[:3, 3] for p in TRIANGLE], atol=1e-15)
    assert moved.radius == swept.radius
    assert moved.volume == pytest.approx(swept.volume, rel=1e-14)


@pytest.mark.parametrize(
    ("vertices", "radius", "told"),
    [
        (np.zeros((4, 3)), 0.1, "expected shape"),
        (np.zeros((2, 2)), 0.1, "expected shape"),
        ([[0, 0, np.nan]], 0.1, "finite"),
        ([[0, 0, 0]], -0.1, "radius"),
        ("abc", 0.1, "real numbers"),
        ([[0, 0, 0]], None, "real numbers"),
        ([[0, 0, 0]], np.inf, "radius"),
    ],
)
def test_what_is_no_volume_is_refused_by_name(vertices, radius, told):
    with pytest.raises(ArgumentError, match=told):
        SweptSphere(vertices, radius)


def test_vertices_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        SweptSphere(TRIANGLE, 0.1).vertices[0] = 1.0
