"""Surfaces cut along the ground."""

import numpy as np
import pytest

from tarsus.geometry.surface import Surface, surface_of
from tarsus.model.shapes import Box, Sphere
from tarsus.spatial import pose, rotation_matrix_from_axis_angle
from tarsus.viewer.clipping import above_ground

ROUNDING = 1e-12


def area(surface):
    """Vector areas of the triangles, shape (n, 3)."""
    a, b, c = np.moveaxis(surface.corners, 1, 0)
    return 0.5 * np.cross(b - a, c - a)


def test_a_buried_box_keeps_its_sides_above_and_its_top():
    box = above_ground(surface_of(Box((2.0, 3.0, 1.0))).placed(pose((0.0, 0.0, 0.2))))
    assert box.corners[..., 2].min() == 0.0
    assert box.corners[..., 2].max() == pytest.approx(0.7)
    total = np.linalg.norm(area(box), axis=-1).sum()
    assert total == pytest.approx(2.0 * 3.0 + 0.7 * 2.0 * (2.0 + 3.0))


def test_what_is_cut_off_is_what_is_missing():
    X = pose((0.1, 0.2, 0.05), rotation_matrix_from_axis_angle((0.6, 0.0, 0.8), 0.7))
    whole = surface_of(Sphere(0.3)).placed(X)
    mirrored = Surface(whole.corners * [1, 1, -1], whole.normals * [1, 1, -1])
    above, below = above_ground(whole), above_ground(mirrored)
    parts = [np.linalg.norm(area(s), axis=-1).sum() for s in (above, below, whole)]
    assert parts[0] + parts[1] == pytest.approx(parts[2], rel=ROUNDING)
    # Triangles still face outwards: what was closed but for the cut has the vector area of the cut, which is level.
    assert (np.sum(area(above) * above.normals.mean(axis=1), axis=-1) > -ROUNDING).all()
    np.testing.assert_allclose(area(above).sum(axis=0)[:2], 0.0, atol=ROUNDING)
    assert 0.2 < area(above).sum(axis=0)[2] < np.pi * 0.3**2


@pytest.mark.parametrize(("height", "left"), [(2.0, 12), (-2.0, 0)])
def test_surfaces_on_one_side_stay_or_go(height, left):
    assert len(above_ground(surface_of(Box((1.0, 1.0, 1.0))).placed(pose((0.0, 0.0, height)))).corners) == left
