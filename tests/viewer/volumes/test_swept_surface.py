"""Surfaces of volumes: their points are at the radius from the primitive, their normals point out."""

import numpy as np
import pytest

from tarsus.geometry.closest_on_triangle import closest_weights
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.viewer.volumes.swept_surface import swept_surface

COARSE = 0.98
"""Balls are drawn by points 18 degrees apart: the hull of two such balls has corners a little inside."""


@pytest.mark.parametrize("count", [1, 2, 3])
def test_corners_lie_on_the_volume(count):
    volume = SweptSphere(np.random.default_rng(2).normal(size=(count, 3)), 0.3)
    surface = swept_surface(volume)
    triangle = volume.vertices[np.minimum(np.arange(3), count - 1)]
    _, away = closest_weights(triangle[None], surface.corners.reshape(1, -1, 3))
    distance = np.linalg.norm(away[0], axis=1)
    assert distance.max() <= 0.3 + 1e-12
    assert distance.min() >= COARSE * 0.3
    assert (np.einsum("ni,ni->n", away[0], surface.normals.reshape(-1, 3)) > 0.0).all()


def test_its_volume_is_that_of_the_swept_sphere():
    volume = SweptSphere([[0, 0, 0], [0.5, 0, 0], [0, 0.4, 0]], 0.1)
    a, b, c = np.moveaxis(swept_surface(volume).corners, 1, 0)
    enclosed = abs(np.einsum("ni,ni->n", a, np.cross(b, c)).sum()) / 6
    assert enclosed == pytest.approx(volume.volume, rel=0.05)


def test_volumes_without_radius_are_drawn():
    assert len(swept_surface(SweptSphere([[0, 0, 0], [1, 0, 0]], 0.0)).corners) > 10
    assert len(swept_surface(SweptSphere([0, 0, 0], 0.0)).corners) > 10
