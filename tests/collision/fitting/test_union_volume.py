"""Volume of unions: disjoint, equal and overlapping spheres."""

import numpy as np
import pytest

from tarsus.collision.fitting.union_volume import union_volume
from tarsus.geometry.swept_sphere import SweptSphere


def test_disjoint_volumes_add_up_exactly():
    volumes = [SweptSphere([0, 0, 0], 0.5), SweptSphere([[5, 0, 0], [6, 0, 0]], 0.2)]
    assert union_volume(volumes) == sum(v.volume for v in volumes)


def test_equal_volumes_count_once():
    volume = SweptSphere([[0, 0, 0], [1, 0, 0], [0, 1, 0]], 0.3)
    assert union_volume([volume, volume, volume]) == pytest.approx(volume.volume, rel=0.03)
    assert union_volume([volume]) == volume.volume


def test_two_spheres_that_overlap():
    """The lens of two spheres of radius R at the distance d has the volume pi (4 R + d) (2 R - d)^2 / 12."""
    R, d = 1.0, 0.8
    lens = np.pi * (4 * R + d) * (2 * R - d) ** 2 / 12
    both = [SweptSphere([0, 0, 0], R), SweptSphere([d, 0, 0], R)]
    assert union_volume(both) == pytest.approx(8 / 3 * np.pi - lens, rel=0.01)
