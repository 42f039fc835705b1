"""What is seen of a ground is what is touched."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import Block, Ground, HeightField, Plane, flat, slope, stairs
from tarsus.model import shapes

ROUNDING = 1e-12
"""[m]: a few roundings of coordinates of order one."""


def test_planes_lie_in_their_xy_plane_without_bounds():
    angle = 0.3
    (shape,) = slope(angle).visuals
    assert shape.geometry == shapes.Plane()
    np.testing.assert_allclose(shape.pose[:3, 2], [-np.sin(angle), 0.0, np.cos(angle)], atol=ROUNDING)
    assert flat(height=0.4).visuals[0].pose[2, 3] == 0.4


def test_stairs_are_a_plane_and_boxes_with_their_treads_at_the_right_height():
    ground = stairs(3, 0.15, 0.3, start=0.5)
    plane, *steps = ground.visuals
    assert plane.geometry == shapes.Plane()
    for i, step in enumerate(steps):
        assert step.pose[2, 3] + 0.5 * step.geometry.size[2] == pytest.approx(0.15 * (i + 1))
        assert step.pose[0, 3] - 0.5 * step.geometry.size[0] == pytest.approx(0.5 + 0.3 * i)
    assert [shape.name for shape in ground.visuals] == [surface.name for surface in ground.surfaces]


def test_block_keeps_its_pose():
    X = ts.pose((1.0, 2.0, 3.0), ts.spatial.rotation_matrix_from_axis_angle((0.0, 1.0, 0.0), 0.4))
    (shape,) = Ground(Block((1.0, 2.0, 0.5), X)).visuals
    np.testing.assert_array_equal(shape.pose, X)
    assert shape.geometry.size == (1.0, 2.0, 0.5)


def test_height_field_is_a_mesh_over_its_points_that_faces_up():
    heights = np.random.default_rng(4).uniform(0.0, 0.2, (4, 6))
    (shape,) = Ground(HeightField(heights, 0.25, (-0.5, 0.3))).visuals
    mesh = shape.geometry.content
    np.testing.assert_array_equal(np.unique(mesh.faces), np.arange(24))
    x, y = mesh.vertices[:, 0], mesh.vertices[:, 1]
    i, j = np.rint((x + 0.5) / 0.25).astype(int), np.rint((y - 0.3) / 0.25).astype(int)
    np.testing.assert_allclose(x, -0.5 + 0.25 * i, atol=ROUNDING)
    np.testing.assert_array_equal(mesh.vertices[:, 2], heights[j, i])
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    area = 0.5 * np.cross(b - a, c - a)[:, 2]
    assert area.min() > 0.0
    assert area.sum() == pytest.approx(5 * 3 * 0.25**2)


def test_ground_of_planes_needs_no_mesh():
    assert all(isinstance(shape.geometry, shapes.Plane) for shape in Ground(Plane(), Plane(normal=(1, 0, 1))).visuals)
