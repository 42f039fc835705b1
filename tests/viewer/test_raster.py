"""Depth buffer against a pixel by pixel oracle."""

import numpy as np
import pytest

from tarsus.viewer import raster
from tarsus.viewer.raster import rasterise

ROUND_OFF = 1e-9  # barycentric coordinates of triangles of a few pixels


def oracle(corners, width, height):
    """Nearest triangle and its depth at each pixel centre, one after the other."""
    triangle, depth = np.full((height, width), -1), np.full((height, width), np.inf)
    for j in range(height):
        for i in range(width):
            for k, (a, b, c) in enumerate(corners):
                A = np.column_stack([b[:2] - a[:2], c[:2] - a[:2]])
                u, v = np.linalg.solve(A, np.array([i + 0.5, j + 0.5]) - a[:2])
                z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
                if u >= 0.0 and v >= 0.0 and u + v <= 1.0 and z < depth[j, i]:
                    triangle[j, i], depth[j, i] = k, z
    return triangle, depth


@pytest.fixture(name="corners")
def _corners():
    return np.random.default_rng(5).uniform((-4.0, -4.0, 0.0), (24.0, 19.0, 10.0), (12, 3, 3))


def test_nearest_triangle_at_every_pixel(corners):
    found = rasterise(corners, 20, 15)
    triangle, depth = oracle(corners, 20, 15)
    assert len(np.unique(triangle)) > 5
    np.testing.assert_array_equal(found.triangle, triangle)
    np.testing.assert_allclose(found.depth, depth, atol=ROUND_OFF)


def test_weights_reproduce_the_pixel_centre(corners):
    found = rasterise(corners, 20, 15)
    rows, columns = np.nonzero(found.triangle >= 0)
    points = np.einsum("nk,nkc->nc", found.weights[rows, columns], corners[found.triangle[rows, columns]])
    np.testing.assert_allclose(points[:, :2], np.column_stack([columns, rows]) + 0.5, atol=ROUND_OFF)


def test_result_does_not_depend_on_the_order_of_triangles(corners):
    order = np.random.default_rng(6).permutation(len(corners))
    straight, shuffled = rasterise(corners, 20, 15), rasterise(corners[order], 20, 15)
    seen = straight.triangle >= 0
    np.testing.assert_array_equal(order[shuffled.triangle[seen]], straight.triangle[seen])


def test_result_does_not_depend_on_the_chunk_size(corners, monkeypatch):
    whole = rasterise(corners, 20, 15)
    monkeypatch.setattr(raster, "_PIXELS_AT_ONCE", 7)
    np.testing.assert_array_equal(rasterise(corners, 20, 15).triangle, whole.triangle)


def test_triangles_outside_the_picture_and_without_area_leave_no_trace():
    outside = np.array([[(30.0, 2.0, 1.0), (40.0, 2.0, 1.0), (35.0, 9.0, 1.0)]])
    line = np.array([[(1.0, 1.0, 1.0), (5.0, 5.0, 1.0), (9.0, 9.0, 1.0)]])
    point = np.full((1, 3, 3), 3.5)
    for corners in (outside, outside - 60.0, np.zeros((0, 3, 3))):
        assert np.all(rasterise(corners, 20, 15).triangle == -1)
    for corners in (line, point):
        assert np.isfinite(rasterise(corners, 20, 15).weights).all()
