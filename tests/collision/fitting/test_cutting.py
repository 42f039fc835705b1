"""Cut facets cover what was cut, and nothing else."""

import numpy as np
import pytest

from tarsus.collision.fitting.cutting import PlaneCut, ShapeCut
from tarsus.collision.fitting.facets import Facets, facets_of
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Shape


def area(corners):
    return np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum() / 2


def test_parts_are_on_their_sides_and_have_the_area_of_the_whole():
    rng = np.random.default_rng(4)
    corners = rng.normal(size=(200, 3, 3))
    facets = Facets(corners, rng.uniform(size=200), np.arange(200))
    for _ in range(10):
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        offset = rng.normal() / 2
        below, above = PlaneCut(normal, offset).apply(facets)
        assert (below.corners @ normal).max() <= offset + 1e-12
        assert (above.corners @ normal).min() >= offset - 1e-12
        for k in range(200):  # every triangle by itself
            parts = area(below.corners[below.shape == k]) + area(above.corners[above.shape == k])
            np.testing.assert_allclose(parts, area(corners[k : k + 1]), rtol=1e-9)
            assert set(below.radius[below.shape == k]) | set(above.radius[above.shape == k]) == {facets.radius[k]}


def test_corners_on_the_plane_belong_to_both_sides():
    square = facets_of([Shape(Box((1.0, 1.0, 1.0)))], "box")
    below, above = PlaneCut(np.array([0.0, 0.0, 1.0]), 0.5).apply(square)
    assert area(below.corners) + area(above.corners) >= area(square.corners) - 1e-12


def test_a_capsule_is_cut_into_two():
    below, above = PlaneCut(np.array([0.0, 0.0, 1.0]), 0.1).apply(facets_of([Shape(Capsule(0.1, 1.0))], "c"))
    assert (below.corners[..., 2].min(), below.corners[..., 2].max()) == pytest.approx((-0.5, 0.1))
    assert (above.corners[..., 2].min(), above.corners[..., 2].max()) == pytest.approx((0.1, 0.5))
    assert set(below.radius) == set(above.radius) == {0.1}


def test_shapes_are_kept_apart():
    facets = facets_of([Shape(Box((1.0, 1.0, 1.0))), Shape(Cylinder(0.1, 0.2)), Shape(Box((2.0, 1.0, 1.0)))], "link")
    one, others = ShapeCut(np.array([1])).apply(facets)
    assert set(one.shape) == {1} and set(others.shape) == {0, 2}
    assert len(one) + len(others) == len(facets)
