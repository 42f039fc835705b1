"""Ground surfaces that can be drawn."""

from types import SimpleNamespace

import numpy as np
import pytest

from tarsus.contact import Ground, HeightField, flat, slope, stairs
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError
from tarsus.model.shapes import Box, Plane, Shape
from tarsus.spatial import pose
from tarsus.viewer.terrain import Terrain, terrain_of

TRIANGLE = np.array([[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.5)]])


@pytest.mark.parametrize("ground", [None, 0, 0.0])
def test_plane_at_zero_needs_no_mesh(ground):
    assert terrain_of(ground) == Terrain((), True)


def test_number_is_a_plane_at_that_height():
    (mesh,) = terrain_of(-0.25).meshes
    np.testing.assert_allclose(mesh.vertices[:, 2], -0.25)
    np.testing.assert_allclose(mesh.normals, np.tile([0.0, 0.0, 1.0], (4, 1)), atol=1e-6)


def test_shapes_stand_where_they_are_placed():
    (mesh,) = terrain_of(Shape(Box((1.0, 2.0, 0.2)), pose((3.0, 0.0, 0.1)))).meshes
    np.testing.assert_allclose(mesh.vertices.min(axis=0), [2.5, -1.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(mesh.vertices.max(axis=0), [3.5, 1.0, 0.2], atol=1e-6)


def test_bounded_plane_has_its_half_extents():
    (mesh,) = terrain_of(Shape(Plane((2.0, 3.0)))).meshes
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), [4.0, 6.0, 0.0])


@pytest.mark.parametrize("ground", [TRIANGLE, [TRIANGLE], SimpleNamespace(visuals=[TRIANGLE])])
def test_triangles_are_drawn_as_they_are(ground):
    (mesh,) = terrain_of(ground).meshes
    assert {tuple(v) for v in mesh.vertices.tolist()} == {tuple(v) for v in TRIANGLE[0].tolist()}


def test_object_says_what_to_draw_by_attribute_or_method():
    box = Shape(Box((1.0, 1.0, 1.0)))
    assert len(terrain_of(SimpleNamespace(visuals=(box, box))).meshes) == 2
    assert len(terrain_of(SimpleNamespace(visuals=lambda: box)).meshes) == 1


@pytest.mark.parametrize(
    ("ground", "error"),
    [("flat", DtypeError), (object(), DtypeError), (np.nan, NonFiniteError), (np.zeros((2, 3)), ArgumentError)],
)
def test_what_cannot_be_drawn_is_told(ground, error):
    with pytest.raises(error, match="ground"):
        terrain_of(ground)


def test_ground_of_a_simulation_is_drawn_above_its_grid():
    terrain = terrain_of(stairs(2, 0.15, 0.3, start=0.5))
    assert terrain.grid and not terrain.plain
    assert [mesh.vertices[:, 2].max() for mesh in terrain.meshes] == pytest.approx([0.15, 0.3])
    assert [mesh.vertices[:, 2].min() for mesh in terrain.meshes] == [0.0, 0.0]  # what is buried is not drawn
    assert terrain_of(flat()).plain


@pytest.mark.parametrize("ground", [slope(0.1), flat(height=0.2), Ground(HeightField(np.zeros((3, 4)), 0.5))])
def test_ground_without_the_plane_at_zero_has_no_grid(ground):
    terrain = terrain_of(ground)
    assert not terrain.grid
    assert len(terrain.meshes) == 1


def test_height_field_is_drawn_where_it_is():
    heights = np.arange(12.0).reshape(3, 4) / 20.0
    (mesh,) = terrain_of(Ground(HeightField(heights, 0.5, (1.0, 2.0)))).meshes
    np.testing.assert_allclose(mesh.vertices.min(axis=0), [1.0, 2.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(mesh.vertices.max(axis=0), [2.5, 3.0, 0.55], atol=1e-6)


def test_painted_shapes_keep_their_colour_and_others_are_ground():
    red = (1.0, 0.0, 0.0, 0.5)
    found = terrain_of([Shape(Plane()), Shape(Box((1.0, 1.0, 1.0))), Shape(Box((0.1, 0.1, 0.1)), color=red)])
    assert found.grid
    assert found.colors == (None, red)
    assert len(found.meshes) == 2
