"""Polygons are cut into fans, equal vertices are merged, hulls look outwards."""

import numpy as np
import pytest

from tarsus.geometry.hull import convex_hull
from tarsus.geometry.mass_properties import mesh_inertia
from tarsus.geometry.triangles import Triangles, fans, merged


@pytest.mark.parametrize("sizes", [[3, 3], [4, 3, 6], [2, 3, 0, 1, 5], [], [1]])
def test_fans_are_those_of_a_loop_over_the_polygons(sizes):
    corners = np.arange(10, 10 + sum(sizes))
    expected, start = [], 0
    for size in sizes:
        polygon = corners[start : start + size]
        expected += [(polygon[0], polygon[k], polygon[k + 1]) for k in range(1, size - 1)]
        start += size
    found = fans(corners, np.array(sizes, dtype=np.intp))
    np.testing.assert_array_equal(found, np.array(expected, dtype=np.intp).reshape(-1, 3))


def test_merging_keeps_the_corners_and_leaves_no_vertex_twice():
    rng = np.random.default_rng(4)
    points = rng.normal(size=(5, 3))
    faces = rng.integers(0, 5, size=(8, 3))
    soup = Triangles(points[faces].reshape(-1, 3), np.arange(24).reshape(-1, 3))
    one = merged(soup)
    np.testing.assert_array_equal(one.vertices[one.faces], points[faces])
    assert len(one.vertices) == len(np.unique(faces))


def test_hull_of_a_box_with_points_inside_has_the_volume_of_the_box():
    rng = np.random.default_rng(5)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
    hull = convex_hull(np.concatenate([corners, rng.uniform([0, 0, 0], [1, 2, 3], size=(20, 3))]))
    assert mesh_inertia(hull.vertices, hull.faces).mass == pytest.approx(6.0, rel=1e-14)


def test_points_in_a_plane_have_a_hull_without_triangles():
    points = np.array([[x, y, 0.0] for x in range(3) for y in range(3)])
    assert len(convex_hull(points).faces) == 0
