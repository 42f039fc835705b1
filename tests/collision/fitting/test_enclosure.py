"""The check of an enclosure: it finds holes between volumes, and proves what only the union encloses."""

import numpy as np
import pytest

from tarsus.collision.fitting.enclosure import protrusion
from tarsus.collision.fitting.facets import Facets, facets_of
from tarsus.geometry.shapes import Box, Shape
from tarsus.geometry.swept_sphere import SweptSphere

TRIANGLE = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])


def facets(corners, radius=0.0):
    return Facets(corners, np.full(len(corners), radius), np.zeros(len(corners), dtype=np.intp))


def test_a_triangle_whose_corners_are_inside_but_whose_middle_is_not_is_found():
    volumes = [SweptSphere(corner, 0.3) for corner in TRIANGLE[0]]
    assert protrusion(volumes, facets(TRIANGLE)) > 0.1


def test_a_triangle_inside_the_union_alone_is_proved():
    volumes = [
        SweptSphere(TRIANGLE[0][[0, 1]], 0.3),
        SweptSphere(TRIANGLE[0][[0, 2]], 0.3),
        SweptSphere([0.5, 0.5, 0], 0.5),
    ]
    assert max(protrusion([v], facets(TRIANGLE)) for v in volumes) > 0.0
    assert protrusion(volumes, facets(TRIANGLE)) <= 0.0


def test_thickness_of_facets_counts():
    volumes = [SweptSphere(TRIANGLE[0], 0.2)]
    assert protrusion(volumes, facets(TRIANGLE, 0.2)) <= 1e-15
    assert protrusion(volumes, facets(TRIANGLE, 0.25)) == pytest.approx(0.05)


def test_what_sticks_out_is_measured():
    box = facets_of([Shape(Box((0.2, 0.2, 0.2)))], "box")
    assert protrusion([SweptSphere([0, 0, 0], 0.1)], box) == pytest.approx(0.1 * (np.sqrt(3) - 1))
    assert protrusion([SweptSphere([0, 0, 0], 0.1 * np.sqrt(3))], box) <= 1e-15
    assert protrusion([SweptSphere([0, 0, 0], 0.1)], box, tolerance=0.08) <= 0.08


def test_volumes_that_just_touch_end_in_a_bound_and_not_in_an_endless_loop():
    volumes = [SweptSphere([[0, 0, 0], [0.5, 0, 0]], 0.0), SweptSphere([[0.5, 0, 0], [1, 0, 0]], 0.0)]
    line = facets(np.array([[[0.0, 0, 0], [1, 0, 0], [1, 0, 0]]]))
    assert abs(protrusion(volumes, line)) <= 1e-12
    third = [SweptSphere([[0, 0, 0], [1 / 3, 0, 0]], 0.0), SweptSphere([[1 / 3, 0, 0], [1, 0, 0]], 0.0)]
    assert abs(protrusion(third, line)) <= 1e-12


def test_no_volumes_enclose_nothing():
    assert protrusion([], facets(TRIANGLE)) == np.inf
    assert protrusion([SweptSphere([0, 0, 0], 1.0)], facets(TRIANGLE[:0])) == -np.inf
