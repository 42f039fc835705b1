"""Support polygons against another program and by hand."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from tarsus.geometry.support_polygon import support_polygon

UP = np.array([0.0, 0.0, 100.0])


def area(polygon):
    x, y = polygon[:, 0], polygon[:, 1]
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


@pytest.mark.parametrize("seed", range(5))
def test_corners_are_those_of_scipys_hull_counter_clockwise(seed):
    points = np.random.default_rng(seed).normal(size=(30, 3))
    polygon = support_polygon(points, np.tile(UP, (30, 1)))
    hull = ConvexHull(points[:, :2])
    assert {tuple(p) for p in polygon} == {tuple(p) for p in points[hull.vertices]}
    assert area(polygon) == pytest.approx(hull.volume, rel=1e-12)


def test_contacts_without_upward_force_do_not_count():
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (5, 5, 0), (-5, 0, 0)], dtype=float)
    force = np.tile(UP, (6, 1))
    force[4], force[5] = (0, 0, 0), (50, 0, -1)
    assert area(support_polygon(points, force)) == pytest.approx(1.0)


def test_points_on_an_edge_and_doubled_points_are_no_corners():
    points = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 2, 0)], dtype=float)
    assert len(support_polygon(points, np.tile(UP, (6, 1)))) == 4


def test_corners_keep_their_height():
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0.3)], dtype=float)
    assert sorted(support_polygon(points, np.tile(UP, (3, 1)))[:, 2]) == [0.0, 0.0, 0.3]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_contacts_have_no_area(count):
    points = np.arange(3.0 * count).reshape(count, 3)
    assert len(support_polygon(points, np.tile(UP, (count, 1)))) == count


def test_robot_in_the_air_has_no_support():
    assert len(support_polygon(np.ones((4, 3)), np.zeros((4, 3)))) == 0


def test_forces_between_two_bodies_carry_nothing() -> None:
    ground = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [5, 5, 1], [5, 5, 1]])
    force = np.array([[0.0, 0, 10]] * 4 + [[1.0, 0, 7], [-1.0, 0, -7]])
    assert np.array_equal(support_polygon(ground, force), support_polygon(ground[:4], force[:4]))
