"""Depth buffer against a pixel by pixel oracle."""

import numpy as np
import pytest

from tarsus import _native
from tarsus.viewer.drawing.raster import mesh_tables, rasterise

ROUND_OFF = 1e-9  # depths of triangles of a few pixels


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


def loose(corners):
    """Points and faces of triangles (n, 3, 3) that share nothing."""
    return np.reshape(corners, (-1, 3)), np.arange(3 * len(corners), dtype=np.int32).reshape(-1, 3)


@pytest.fixture(name="corners")
def _corners():
    return np.random.default_rng(5).uniform((-4.0, -4.0, 0.0), (24.0, 19.0, 10.0), (12, 3, 3))


def test_nearest_triangle_at_every_pixel(corners):
    found = rasterise(*loose(corners), 20, 15)
    triangle, depth = oracle(corners, 20, 15)
    assert len(np.unique(triangle)) > 5
    np.testing.assert_array_equal(found.triangle, triangle)
    np.testing.assert_allclose(found.depth, depth, atol=ROUND_OFF)


def test_result_does_not_depend_on_the_order_of_triangles(corners):
    points, faces = loose(corners)
    order = np.random.default_rng(6).permutation(len(corners))
    straight, shuffled = rasterise(points, faces, 20, 15), rasterise(points, faces[order], 20, 15)
    seen = straight.triangle >= 0
    np.testing.assert_array_equal(order[shuffled.triangle[seen]], straight.triangle[seen])


def test_of_two_triangles_at_the_same_depth_the_later_one_is_seen():
    points = np.array([(0.0, 0.0, 1.0), (8.0, 0.0, 1.0), (0.0, 8.0, 1.0)])
    faces = np.array([[0, 1, 2], [2, 0, 1]], dtype=np.int32)
    assert set(np.unique(rasterise(points, faces, 4, 4).triangle)) == {1}


def test_triangles_outside_the_picture_and_without_area_leave_no_trace():
    outside = np.array([[(30.0, 2.0, 1.0), (40.0, 2.0, 1.0), (35.0, 9.0, 1.0)]])
    line = np.array([[(1.0, 1.0, 1.0), (5.0, 5.0, 1.0), (9.0, 9.0, 1.0)]])
    point = np.full((1, 3, 3), 3.5)
    for corners in (outside, outside - 60.0, np.zeros((0, 3, 3))):
        assert np.all(rasterise(*loose(corners), 20, 15).triangle == -1)
    for corners in (line, point):
        found = rasterise(*loose(corners), 20, 15)
        assert np.isfinite(found.depth[found.triangle >= 0]).all()


@pytest.mark.parametrize("far", [1e30, 1e308, np.inf, np.nan])
def test_points_that_are_far_away_or_nowhere_are_survived(far, corners):
    corners[3, 1, :2] = far
    corners[4, 2, 0] = -far
    found = rasterise(*loose(corners), 20, 15)
    assert found.triangle.max() < len(corners)
    assert (found.triangle >= 0).any()


def test_faces_of_points_that_do_not_exist_are_refused():
    points, faces = np.zeros((3, 3)), np.array([[0, 1, 3]], dtype=np.int32)
    with pytest.raises(ValueError, match="point 3 of 3"):
        rasterise(points, faces, 4, 4)
    with pytest.raises(ValueError, match="point -1 of 3"):
        rasterise(points, faces - 1, 4, 4)


def test_arrays_of_the_wrong_size_and_pictures_without_pixels_are_refused():
    points, faces = np.zeros((3, 3)), np.array([[0, 1, 2]], dtype=np.int32)
    tables = mesh_tables(points, faces, 4, 4)
    for wrong in ({"point_count": 4}, {"triangle_count": 2}, {"width": 0}, {"height": 2**20}, {"points": faces}):
        with pytest.raises(ValueError, match=r"plain array|out of range"):
            _native.rasterise(tables | wrong)
    with pytest.raises(KeyError, match="missing entry"):
        _native.shaded(tables)
